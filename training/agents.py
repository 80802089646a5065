"""Agents that can be measured: built-in bots, checkpoints, classes of one's own.

What an agent draws at random in a game comes from one seed for each seat of each game, so results do
not depend on which games are played together, in which order or by which process.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from cacao_env import Game
from cacao_env.bots import BOTS, Bot, Parameter, parse_values
from cacao_env.rng import below, new_rng
from cacao_env.value.agent import ValueAgent
from cacao_env.value.search import SearchAgent

from .checkpoint import VALUE_NET, Checkpoint, CheckpointError, load, name_of, network_of
from .value_checkpoint import load_value
from .window import View

_APART = 0x5EA7  # keeps an agent's own random numbers apart from those that deal its games anew


class Agent(Protocol):
    """Chooses actions for many games at once; it uses only what the deciding seat may know."""

    name: str
    version: str  # what it was read from: two agents of one name and version play alike

    def check(self, num_players: int, volcanoes: bool) -> None:
        """ValueError unless it plays such games."""

    def begin(self, seed: int) -> Any:
        """What it keeps for one seat through one game: random numbers, memory, or nothing."""

    def act(self, games: Sequence[Game], kept: Sequence[Any]) -> list[int]:
        """A legal action for each game's deciding seat; ``kept`` is what ``begin`` made for it."""


class AgentError(ValueError):
    """One sentence on what an agent did wrong."""


class BotAgent:
    """A built-in bot, by name, with its parameters: ``greedy``, ``mc:sims=256``."""

    version = "built-in"

    def __init__(self, name: str) -> None:
        self.name = name
        Bot(name, 0)  # refuses what is no bot

    def check(self, num_players: int, volcanoes: bool) -> None:
        """Bots play all games."""

    def begin(self, seed: int) -> Bot:
        """A bot with random numbers of its own."""
        return Bot(self.name, seed)

    def act(self, games: Sequence[Game], kept: Sequence[Any]) -> list[int]:
        """One decision a game."""
        return [bot.act(game) for game, bot in zip(games, kept, strict=True)]


class CheckpointAgent:
    """A network from a checkpoint; plays its most likely legal action."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.name = checkpoint.name
        self.version = str(checkpoint.manifest.get("sha256", ""))
        self.checkpoint = checkpoint

    def check(self, num_players: int, volcanoes: bool) -> None:
        """CheckpointError unless the network was trained for such games."""
        size = self.checkpoint.table_size
        self.checkpoint.check_rules(Game.new(num_players, 0, volcanoes, table_size=size))

    def begin(self, seed: int) -> Any:
        """Random numbers, for the case that the window shows no legal placement."""
        return new_rng(seed)

    def act(self, games: Sequence[Game], kept: Sequence[Any]) -> list[int]:
        """One forward pass for all games."""
        views = [View(game, self.checkpoint.table_size) for game in games]
        for view in views:
            self.checkpoint.check_rules(view.seen)
        masks = np.stack([view.action_mask() for view in views])
        observations = np.stack([view.seen.observation(_decider(view.game)) for view in views])
        chosen = best_actions(self.checkpoint, observations, masks)
        return [
            view.action(action) if mask.any() else _any_action(view.game, rng)
            for view, mask, action, rng in zip(views, masks, chosen, kept, strict=True)
        ]


def _any_action(game: Game, rng: Any) -> int:
    legal = game.legal_actions()
    return int(legal[int(below(rng, len(legal)))])


def _decider(game: Game) -> int:
    if game.seat is None:
        raise ValueError("the game is over: there is nothing to decide")
    return game.seat


def best_actions(checkpoint: Checkpoint, observations: np.ndarray, masks: np.ndarray) -> list[int]:
    """The most likely legal action for each raw observation (B, L) and mask (B, N)."""
    with torch.no_grad():
        scaled = torch.from_numpy(observations.astype(np.float32) * checkpoint.factors)
        logits, _ = checkpoint.net(scaled)
        logits = logits.masked_fill(torch.from_numpy(masks == 0), -torch.inf)
    return [int(action) for action in logits.argmax(dim=1)]


SEARCH = "+search"
_SIMS = Parameter(0, 0, 1_000_000, "simulations a decision; 0 means that ms counts")
SEARCH_PARAMETERS = {
    "ms": Parameter(16, 0, 600_000, "milliseconds a decision"),
    "sims": _SIMS,
    "width": Parameter(8, 2, 256, "actions that are tried, the best by the network"),
    "inner": Parameter(12, 1, 256, "placements that the network appraises inside"),
    "exact": Parameter(3, 0, 6, "placements left from which the end is solved"),
}


class ValueNetAgent:
    """A value network from a checkpoint; plays the action whose turn ends best, or searches."""

    def __init__(self, name: str, folder: Path, search: dict[str, Any] | None = None) -> None:
        self._net, self.manifest = load_value(folder)
        self.name = name
        self.version = str(self.manifest.get("sha256", ""))
        self._search = search

    def check(self, num_players: int, volcanoes: bool) -> None:
        """CheckpointError unless the network was trained for so many players."""
        rules = self.manifest["rules"]
        if num_players not in rules["players"]:
            known = ", ".join(str(n) for n in rules["players"])
            raise CheckpointError(
                f"checkpoint {self.name} is for {known} players, not for {num_players}"
            )
        if volcanoes and not rules["volcanoes"]:
            raise CheckpointError(f"checkpoint {self.name} has not met volcanoes")

    def begin(self, seed: int) -> ValueAgent:
        """One seat's agent."""
        if self._search is None:
            return ValueAgent(self._net, seed)
        return SearchAgent(self._net, seed, **self._search)

    def act(self, games: Sequence[Game], kept: Sequence[Any]) -> list[int]:
        """One decision a game."""
        return [one.act(game) for game, one in zip(games, kept, strict=True)]


class ClassAgent:
    """A class of the user's, named ``module:Class``: made with ``seed=``, asked with ``act(game)``.

    It is handed a copy of the game in which all that its seat can't see has been dealt anew.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._class = _find_class(name)
        self.version = _source_version(self._class)
        try:
            made = self._class(seed=0)
        except Exception as error:
            raise AgentError(f"{name} can't be made with seed=0: {_words(error)}") from error
        if not callable(getattr(made, "act", None)):
            raise AgentError(f"{name} has no method act(game)")

    def check(self, num_players: int, volcanoes: bool) -> None:
        """Nothing is known of the class: it is asked."""

    def begin(self, seed: int) -> Any:
        """An object for one seat of one game, and random numbers that deal its games anew."""
        return self._class(seed=seed), new_rng(seed ^ _APART)

    def act(self, games: Sequence[Game], kept: Sequence[Any]) -> list[int]:
        """One decision a game."""
        actions = []
        for game, (player, rng) in zip(games, kept, strict=True):
            seen = game.clone()
            seen.redeal(_decider(game), rng)
            try:
                actions.append(player.act(seen))
            except Exception as error:
                raise AgentError(f"{self.name} failed in act: {_words(error)}") from error
        return actions


def _find_class(name: str) -> type:
    module_name, _, class_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise AgentError(
            f"{name}: module {module_name!r} can't be imported: {_words(error)}"
        ) from error
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        raise AgentError(f"{name}: module {module_name!r} has no class {class_name!r}")
    return found


def _source_version(found: type) -> str:
    try:
        source = Path(inspect.getfile(found)).read_bytes()
    except (OSError, TypeError):
        return ""
    return hashlib.sha256(source).hexdigest()


def _words(error: BaseException) -> str:
    """An error in one line, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = f" ({Path(last.filename).name}, line {last.lineno})" if last else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def load_agent(name: str) -> Agent:
    """A bot by its name, a checkpoint by its folder or a class by its module; ValueError if none."""
    head = name.partition(":")[0]
    if head in BOTS:
        return BotAgent(name)
    base, plus, rest = name.partition(SEARCH)
    for folder in (Path(base), Path("checkpoints") / base):
        if folder.is_dir():
            if network_of(folder) == VALUE_NET:
                search = parse_values(f"search in {name!r}", rest[1:], SEARCH_PARAMETERS)
                label = name_of(folder) + plus + rest
                return ValueNetAgent(label, folder, search if plus else None)
            if plus:
                raise AgentError(f"{name!r}: only value networks search")
            return CheckpointAgent(load(folder))
    if ":" in name and all(part.isidentifier() for part in head.split(".")):
        return ClassAgent(name)
    raise AgentError(
        f"there is no agent {name!r}: neither a bot ({', '.join(sorted(BOTS))}), nor the folder of a "
        "checkpoint, nor a class (module:Class)"
    )


def load_agents(names: Sequence[str]) -> list[Agent]:
    """Several agents, all named differently."""
    agents = [load_agent(name) for name in names]
    for number, agent in enumerate(agents):
        if agent.name in [other.name for other in agents[:number]]:
            raise AgentError(
                f"agent {agent.name!r} is given twice; an agent is measured against others"
            )
    return agents
