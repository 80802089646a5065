"""The one protocol of all agents: bots, networks, searches and classes of your own."""

from __future__ import annotations

import hashlib
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .analysis import Analysis, certain
from .checks import OwnArrays, as_seed, check_type, in_short
from .engine.options import PLAYERS, Options
from .engine.rng import new_rng
from .game import Game

FORFEIT, RANDOM = "forfeit", "random moves"  # in an agent's notes
_APART = 0x5EA7  # keeps an agent's random numbers apart from those that deal its games again


class AgentError(ValueError):
    """An agent or its choice is invalid; the message says why in one sentence."""


class Agent(OwnArrays, ABC):
    """Chooses actions for many games at once and uses only what the deciding seat may know.

    ``begin`` makes the private memory of one seat in one game; ``act`` and ``analyze`` receive it.  All
    random numbers of an agent come from that memory, so its choices in a game do not depend on the
    other games of a call.

    Attributes:

    - ``name``: its name in tables and records;
    - ``version``: two agents of the same name and version play the same, so games of an earlier run
      are used again; without one, ``""``, they are played again;
    - ``players``: the numbers of players that it plays with, the usual one first.
    """

    name: str
    version: str = ""
    players: tuple[int, ...] = PLAYERS

    def supports(self, options: Options) -> bool:
        """Return whether it plays games with these options."""
        return options.num_players in self.players

    @property
    def plays(self) -> str:
        """The games it supports, in words."""
        return f"{', '.join(map(str, self.players))} players"

    def begin(self, seed: int) -> Any:
        """Make the memory of one seat in one game; by default random numbers, uint64 (1,)."""
        return new_rng(seed)

    @abstractmethod
    def act(self, games: Sequence[Game], memory: Sequence[Any]) -> list[int]:
        """Choose a legal action for each game's deciding seat; ``memory`` has one for each game."""

    def analyze(self, game: Game, memory: Any) -> Analysis:
        """Report its analysis of the decision to make; by default only its choice."""
        return certain(int(self.act([game], [memory])[0]), "its choice; it reports nothing more")

    def notes(self, memory: Any) -> dict[str, Any]:
        """Return what it noted in a game, as plain data; by default nothing.

        ``counts``: ``moves``, and other numbers by name, which tables show a move; ``random moves`` are
        those that were made for it.  ``forfeit``: the number of actions after which it forfeited the
        game, which then counts as lost.  ``messages``: a conversation, which is kept beside the game's
        record.
        """
        return {}

    def player(self, seed: int) -> Player:
        """Return the agent with a memory for one seat of one game."""
        return Player(self, seed)


class Player(OwnArrays):
    """An agent on one seat of one game; its first decision makes its memory.

    The agent sees a copy of the game in which everything hidden from its seat has been dealt again.
    Only one thread may use it, and its agent, at a time.
    """

    def __init__(self, agent: Agent, seed: int) -> None:
        self.agent, self._seed = agent, as_seed(seed)
        self._rng, self._memory = new_rng(self._seed ^ _APART), None

    def act(self, game: Game) -> int:
        """Choose a legal action for the deciding seat."""
        return int(ask(self.agent, [self._seen(game)], [self.memory])[0])

    def analyze(self, game: Game) -> Analysis:
        """Report the agent's analysis of the position."""
        return self.agent.analyze(self._seen(game), self.memory)

    def _seen(self, game: Game) -> Game:
        check_type("game", game, Game, "a Game")
        return game.determinise(decider(game), self._rng)

    @property
    def memory(self) -> Any:
        """The agent's memory of this game."""
        if self._memory is None:
            self._memory = self.agent.begin(self._seed)
        return self._memory


def seat_seed(seed: int, block: int, options: Options, seats: Sequence[str], seat: int) -> int:
    """Return the seed of the agent on a seat; it depends on the game alone, not on who runs it.

    ``seats``: the names of the agents in their seats; the game is deal ``block`` of those of ``seed``.
    """
    key = "\n".join([str(seed), str(block), str(int(options.volcanoes)), str(seat), *seats])
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")


def decider(game: Game) -> int:
    """Return the deciding seat; ValueError if there is nothing to decide."""
    if game.state.jungle_count == 0:
        raise ValueError("the game has not been dealt: there is nothing to decide")
    if game.seat is None:
        raise ValueError("the game is over: there is nothing to decide")
    return game.seat


def require(agent: Agent, options: Options) -> None:
    """Raise AgentError unless the agent supports games with these options."""
    if not agent.supports(options):
        raise AgentError(f"{agent.name} plays with {agent.plays}, not with {options}")


class WrappedAgent(Agent):
    """An object with ``act(game)`` as an :class:`Agent`.

    The object sees a copy of the game in which everything hidden from its seat has been dealt again.
    ``make(seed=...)`` returns the object for one seat of one game.  A text ``version`` of ``make``, a
    class, is the agent's.
    """

    def __init__(self, name: str, make: Callable[..., Any]) -> None:
        self.name, self._make = name, make
        self.version = vars(make).get("version", "") if isinstance(make, type) else ""

    def begin(self, seed: int) -> Any:
        """Make the object, and the random numbers that deal its games again."""
        return self._make(seed=seed), new_rng(seed ^ _APART)

    def act(self, games: Sequence[Game], memory: Sequence[Any]) -> list[int]:
        """Ask the object once for each game."""
        actions = []
        for game, (player, rng) in zip(games, memory, strict=True):
            seen = game.clone()
            seen.redeal(decider(game), rng)
            with explained(f"{self.name} failed in act"):
                actions.append(player.act(seen))
        return actions


def ask(agent: Agent, games: Sequence[Game], memory: Sequence[Any]) -> list[Any]:
    """Return what an agent chooses in each game; AgentError unless it is a list of so many."""
    actions = agent.act(games, memory)
    if not hasattr(actions, "__len__") or len(actions) != len(games):
        raise AgentError(
            f"{agent.name} returned {in_short(actions)} from act, expected {len(games)} actions"
        )
    return list(actions)


def one_line(error: BaseException) -> str:
    """Describe an error in one line, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = f" ({Path(last.filename).name}, line {last.lineno})" if last else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Turn any error of code from outside into an AgentError that says ``what`` failed, and why."""
    try:
        yield
    except Exception as error:
        raise AgentError(f"{what}: {one_line(error)}") from error


def play_game(game: Game, players: Sequence[Player]) -> Game:
    """Play a game to its end, in place, with one player for each seat."""
    if len(players) != game.num_players:
        raise ValueError(
            f"players has {len(players)}, expected one for each of {game.num_players} seats"
        )
    while game.seat is not None:
        game.play(players[game.seat].act(game))
    return game
