"""Check a folder of games: replay each, count again, and compare every figure that stands beside them.

Nothing but the folder is needed: not the agents, and no code of theirs.  What it can't find out: who
chose the moves, what they saw, and whether other deals were played before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..data.folder import Key, key_of, keys_of
from ..data.games import Games
from ..data.storage import DataError, reading
from ..engine.options import Options
from ..engine.progress import Bar
from ..engine.sources import engine_version
from ..envs.tasks import task_named
from . import positions
from .luck import luck_of
from .rows import replayed_games
from .run import FIGURES, Plan, figures_of, loaded
from .sprt import SequentialTest

CLOSE = 1e-9  # of two figures that are equal


def check(folder: Path, threads: int = 1) -> list[str]:
    """Check a folder; return what was found, in sentences.  DataError names what does not follow."""
    every = replayed_games(folder, threads)
    for games in every:
        _check_order(games)
        _check_luck(games)
    settings = every[0].manifest["settings"]
    count, decisions = sum(map(len, every)), sum(len(games.actions) for games in every)
    deals = len({deal for games in every for deal in games.deals.tolist()})
    if (wanted := settings.get("deals")) not in (None, deals):
        raise DataError(
            f"{folder} has games of {deals:,} deals, expected {wanted:,}: the command that makes it "
            "resumes"
        )
    said = [f"{folder}: {count:,} games, {decisions:,} decisions, all replayed"]
    if settings.get("engine") not in (None, engine_version()):
        said.append(
            "another version of the engine played these games; they follow this one's rules"
        )
    if (folder / FIGURES).is_file():
        said.append(f"{_check_figures(folder, every)} figures counted again")
    return said


def _check_order(games: Games) -> None:
    """Raise DataError if a game is there twice, or is not of the deals that the seed gives."""
    first = games.manifest["settings"].get("seed")
    if first is None:  # a training run's games
        return
    seen: set[Key] = set()
    for number, row in enumerate(keys_of(games.table)):
        *_, deal, names = key = key_of(row)
        if deal < first:
            raise DataError(f"game {number} has deal {deal}, expected {first} or more")
        if key in seen:
            raise DataError(f"game {number}, deal {deal} with {', '.join(names)}, is there twice")
        seen.add(key)


def _check_luck(games: Games) -> None:
    """Raise DataError if the luck of a game is not that of its draws."""
    if "luck" not in games.table.schema.names:
        return
    stated = games.table.column("luck").to_pylist()
    for number, own in Bar(list(enumerate(stated)), desc="luck", unit="game", leave=False):
        if own and not np.allclose(own, luck_of(games[number]).reshape(-1), atol=1e-6):
            raise DataError(
                f"game {number} of deal {games.deals[number]}: its luck is not that of its draws"
            )


def _check_figures(folder: Path, every: Sequence[Games]) -> int:
    """Count the figures of an evaluation again; return how many there are."""
    stated = loaded(folder / FIGURES)
    with reading("an evaluation", folder / FIGURES):
        settings = stated["settings"]
        plan = Plan(
            specs=list(stated["specs"].values()),
            versions=settings["agents"],
            options=[Options.from_dict(one) for one in settings["options"]],
            blocks=settings["blocks"],
            seed=settings["seed"],
            test=SequentialTest(**settings["test"]) if settings["test"] else None,
            task=task_named(settings["task"]) if settings["task"] else None,
            against=tuple(settings["against"]),
        )
        found = figures_of(plan, folder, every)
        return _compare(found, {key: stated[key] for key in found}, folder / FIGURES)


def _compare(found: Any, stated: Any, where: object, place: str = "") -> int:
    """Return the number of equal figures; DataError names the first that differs."""
    pairs = list(_pairs(found, stated))
    if not pairs:
        equal = found == stated
        if isinstance(found, float) and isinstance(stated, float | int):
            equal = math.isclose(found, stated, rel_tol=CLOSE, abs_tol=CLOSE)
        if not equal:
            raise DataError(f"{where}: {place} is {stated!r}, but the games give {found!r}")
        return 1
    return sum(_compare(one, two, where, f"{place}.{key}".lstrip(".")) for key, one, two in pairs)


def _pairs(found: Any, stated: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the parts of two values of the same form, with their keys or numbers."""
    if isinstance(found, dict) and isinstance(stated, dict) and found.keys() == stated.keys():
        yield from ((key, found[key], stated[key]) for key in found)
    elif isinstance(found, list) and isinstance(stated, list) and len(found) == len(stated):
        yield from ((number, *pair) for number, pair in enumerate(zip(found, stated)))


def check_positions(path: Path) -> list[str]:
    """Check the answers of agents to Cacao Positions; return what was found, a sentence an agent."""
    known, said = positions.read_positions(), []
    for stated in positions.read_answers(path):
        with reading("a file of answers", path):
            [name], answers = stated["agent"], []
            for row in stated["answers"]:
                answers.append(positions.answer_of(known[row["number"]], row["action"], row["own"]))
                place = f"{name}, the answer to position {row['number']}"
                _compare(asdict(answers[-1]), row, path, place)
            rows = positions.figures(known, answers)
            figures = _compare(rows, stated["rows"], path, f"{name}, rows")
        said.append(f"{path}: {len(answers):,} answers of {name}, {figures} figures counted again")
    return said
