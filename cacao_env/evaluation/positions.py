"""Cacao Positions: what an agent loses in positions in which agents disagree, judged beforehand.

A whole game is mostly luck, so many are needed to tell good agents apart.  Here each placement is compared
with the best one by values that :mod:`.judged_positions` found once with many playouts (the idea is
that of Depreli's study of backgammon programs).  An agent is asked once a position, which takes
seconds for a network.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..agents.agent import Agent, AgentError, decider, seat_seed
from ..engine.options import Options
from ..files import read_regular
from ..game import Game
from ..provenance import provenance
from ..tables import DataTable
from .figures import ranged
from .intervals import LEVEL, resampled_means
from .matches import Progress
from .store import engine_version
from .workers import do_all

FORMAT, VERSION = "cacao-positions", 1
FILE = Path(__file__).with_name("positions.json.gz")
STAGES = ("opening", "middle", "end")  # thirds of a game's placements
SUBSET = 100  # positions for slow agents, the first in the file
AT_ONCE = 64  # positions that an agent is asked for in one call
MOST_BYTES = 100_000_000
UNITS = {"gold": 0.01, "win": 0.001}  # of a loss in the file


@dataclass(frozen=True)
class Position:
    """A placement to choose, and what each choice loses against the best one, in gold and win shares.

    ``errors``: standard errors of the losses in gold of the placements that were judged longest,
    which are the first ones.  ``by_referee``: their losses in gold by each referee alone.
    """

    number: int
    options: Options
    seed: int  # of the deal
    actions: list[int]
    stage: int
    left: int  # placements left in the game, this one included
    placements: list[int]
    gold: list[float]
    win: list[float]
    errors: list[float]
    by_referee: list[list[float]]

    def game(self) -> Game:
        """Replay the position; ValueError if its actions are not legal."""
        game = Game.deal(self.options, self.seed)
        for action in self.actions:
            game.play(action)
        if game.phase != "place" or set(self.placements) != set(game.legal_actions().tolist()):
            raise ValueError(f"position {self.number} does not follow from its deal and actions")
        return game


def read_positions(path: Path = FILE, subset: int | None = None) -> list[Position]:
    """Return the positions of a file, or its first ones; ValueError if it is not such a file."""
    try:
        data = json.loads(gzip.decompress(read_regular(path, MOST_BYTES)))
        if (data["format"], data["version"]) != (FORMAT, VERSION):
            raise ValueError("it has another format or version")
        return [_position(number, row) for number, row in enumerate(data["positions"][:subset])]
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"{path} is not a file of positions: {reason}"[:300]) from None


def _position(number: int, row: Mapping[str, Any]) -> Position:
    losses = {unit: [scale * x for x in row[unit]] for unit, scale in UNITS.items()}
    return Position(
        number,
        Options(row["players"], row["volcanoes"]),
        *(row[key] for key in ("seed", "actions", "stage", "left", "placements")),
        *(losses["gold"], losses["win"]),
        [UNITS["gold"] * x for x in row["errors"]],
        [[UNITS["gold"] * x for x in one] for one in row["by_referee"]],
    )


@dataclass(frozen=True)
class Answer:
    """An agent's choice in a position and what it loses."""

    number: int
    action: int
    gold: float
    win: float
    by_referee: list[float] | None  # None if the choice is not among those that were judged longest


@dataclass(frozen=True)
class _Job:
    """Positions to ask an agent about at once."""

    numbers: range

    @property
    def key(self) -> str:
        return f"positions {self.numbers.start} to {self.numbers.stop - 1}"


class _Asker:
    """Asks an agent of its own."""

    def __init__(self, specs: Mapping[str, str], path: Path, seed: int) -> None:
        [self._agent] = load_versions(specs)
        self._positions, self._seed = read_positions(path), seed

    def __call__(self, job: _Job, progress: Progress) -> list[Answer]:
        asked = [self._positions[number] for number in job.numbers]
        games = [one.game() for one in asked]
        # A copy with the hidden tiles dealt again: no agent sees the true deal.
        seen = [g.determinise(decider(g), p.number) for g, p in zip(games, asked, strict=True)]
        name = self._agent.name
        memory = [
            self._agent.begin(
                seat_seed(self._seed, p.number, p.options, (name,) * g.num_players, decider(g))
            )
            for g, p in zip(games, asked, strict=True)
        ]
        found = []
        for one, action in zip(asked, self._agent.act(seen, memory), strict=True):
            if action not in one.placements:
                raise AgentError(
                    f"{name} chooses {action} in position {one.number}: it is not legal"
                )
            place = one.placements.index(action)
            judged = place < len(one.errors)
            by_referee = [row[place] for row in one.by_referee] if judged else None
            found.append(Answer(one.number, action, one.gold[place], one.win[place], by_referee))
        progress(len(asked))
        return found


def ask(
    spec: str,
    agent: Agent,
    path: Path,
    numbers: Sequence[int],
    seed: int,
    workers: int,
    progress: Progress,
) -> list[Answer]:
    """Ask an agent, which ``spec`` names, about the positions that it plays; in their order."""
    todo = [_Job(range(n, min(n + AT_ONCE, len(numbers)))) for n in range(0, len(numbers), AT_ONCE)]
    return []
