"""What an agent is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from cacao_env import Game
from cacao_env.agents.analysis import Analysis
from cacao_env.engine.tiles import MAX_PLAYERS, MIN_PLAYERS

ALL_PLAYERS = tuple(range(MIN_PLAYERS, MAX_PLAYERS + 1))


class Agent(Protocol):
    """Chooses actions for many games at once; it uses only what the deciding seat may know."""

    name: str
    version: str  # what it was read from: two agents of one name and version play alike
    players: tuple[int, ...]  # numbers of players that it plays with

    def check(self, num_players: int, volcanoes: bool) -> None:
        """ValueError unless it plays such games."""

    def begin(self, seed: int) -> Any:
        """What it keeps for one seat through one game: random numbers, memory, or nothing."""

    def act(self, games: Sequence[Game], kept: Sequence[Any]) -> list[int]:
        """A legal action for each game's deciding seat; ``kept`` is what ``begin`` made for it."""

    def analyze(self, game: Game, kept: Any) -> Analysis:
        """What it makes of the decision to be made."""


class AgentError(ValueError):
    """One sentence on what an agent did wrong."""


def decider(game: Game) -> int:
    """The seat that decides; ValueError if the game is over."""
    if game.seat is None:
        raise ValueError("the game is over: there is nothing to decide")
    return game.seat
