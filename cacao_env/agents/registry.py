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
from typing import Any

from cacao_env import Game
from cacao_env.agents.analysis import Analysis, certain
from cacao_env.agents.bots import BOTS, Bot
from cacao_env.engine.rng import new_rng

from .agent import ALL_PLAYERS, Agent, AgentError, decider
from .checkpoint import VALUE_NET, find, name_of, network_of
from .value.checkpoint_agent import ValueNetAgent, split_search

_APART = 0x5EA7  # keeps an agent's own random numbers apart from those that deal its games anew


class BotAgent:
    """A built-in bot, by name, with its parameters: ``greedy``, ``mc:sims=256``."""

    version = "built-in"
    players = ALL_PLAYERS

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

    def analyze(self, game: Game, kept: Any) -> Analysis:
        """What the bot makes of it."""
        analysis: Analysis = kept.analyze(game)
        return analysis


class ClassAgent:
    """A class of the user's, named ``module:Class``: made with ``seed=``, asked with ``act(game)``.

    It is handed a copy of the game in which all that its seat can't see has been dealt anew.
    """

    players = ALL_PLAYERS

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
            seen.redeal(decider(game), rng)
            try:
                actions.append(player.act(seen))
            except Exception as error:
                raise AgentError(f"{self.name} failed in act: {_words(error)}") from error
        return actions

    def analyze(self, game: Game, kept: Any) -> Analysis:
        """What it would do: all that is known of the class."""
        return certain(int(self.act([game], [kept])[0]), "its choice; it says no more")


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
    base, search = split_search(name)
    folder = find(base) or (Path(base) if Path(base).is_dir() else None)
    if folder is not None:
        if network_of(folder) == VALUE_NET:
            return ValueNetAgent(name_of(folder) + name.removeprefix(base), folder, search)
        if search is not None:
            raise AgentError(f"{name!r}: only value networks search")
        from training.ppo.checkpoint import load

        from .board_agent import BoardAgent  # only these need torch

        return BoardAgent(load(folder))
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
