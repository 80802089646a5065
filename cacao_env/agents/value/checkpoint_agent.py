"""An agent from the checkpoint of a value network, alone or with search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cacao_env import Game
from cacao_env.agents.analysis import Analysis
from cacao_env.agents.bots import Parameter, parse_values
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.agents.value.search import EXACT, INNER, PRIOR, SearchAgent

from ..checkpoint import CheckpointError
from .checkpoint import load_value

SEARCH = "+search"
SEARCH_PARAMETERS = {
    "ms": Parameter(16, 0, 600_000, "milliseconds a placement, unless sims are given"),
    "sims": Parameter(0, 0, 1_000_000, "simulations a placement, in place of ms"),
    "width": Parameter(
        0, 0, 256, "placements that are tried, the best by the network; 0: by the time"
    ),
    "inner": Parameter(INNER, 1, 256, "placements that the network appraises inside"),
    "turns": Parameter(0, 0, 36, "own turns that a simulation goes on for; 0: by the time"),
    "near": Parameter(0, 0, 99, "placements left from which it goes on to the end; 0: by the time"),
    "prior": Parameter(PRIOR, 0, 100_000, "simulations that the network's first opinion is worth"),
    "exact": Parameter(EXACT, 0, 6, "placements left from which the end is solved"),
}


def split_search(name: str) -> tuple[str, dict[str, Any] | None]:
    """A checkpoint's name, and its search's parameters or None; ValueError names what is wrong."""
    base, plus, rest = name.partition(SEARCH)
    if not plus:
        return base, None
    if rest and not rest.startswith(":"):
        raise CheckpointError(
            f"{name!r}: expected {SEARCH} or {SEARCH}:ms=... after the checkpoint"
        )
    given = parse_values(f"search in {name!r}", rest[1:], SEARCH_PARAMETERS)
    by_time = "ms" in [item.partition("=")[0] for item in rest[1:].split(",")]
    if given["sims"] and not by_time:
        given["ms"] = 0
    if (given["ms"] == 0) == (given["sims"] == 0):
        raise CheckpointError(
            f"search in {name!r} has ms={given['ms']} and sims={given['sims']}, expected one of them"
        )
    return base, given


class ValueNetAgent:
    """A value network from a checkpoint; plays the action whose turn ends best, or searches."""

    def __init__(self, name: str, folder: Path, search: dict[str, Any] | None = None) -> None:
        self._net, self.manifest = load_value(folder)
        self.players: tuple[int, ...] = tuple(self.manifest["rules"]["players"])
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

    def analyze(self, game: Game, kept: Any) -> Analysis:
        """Values of turns or, with search, visits, and what it expects for each seat."""
        analysis: Analysis = kept.analyze(game)
        return analysis
