"""Mutated folders of games: flipped bits, and changes whose checksums are right."""

import copy
import io
import shutil
import tempfile
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cacao_env.cli import main
from cacao_env.data import load, storage
from cacao_env.evaluation.check import check
from tests.fuzz.attack import Budget, Summary, attempt
from tests.fuzz.records import mutated

GAMES = "games-00000.parquet"


@cache
def original() -> Path:
    """An evaluation of random against greedy; it is a data set too."""
    folder = Path(tempfile.mkdtemp()) / "some"
    command = ["evaluate", "random", "greedy", "--deals", "2", "--luck", "--workers", "1"]
    with redirect_stdout(io.StringIO()):
        assert main([*command, "--out", str(folder)]) == 0
    return folder


def figures(folder: Path) -> Any:
    """What the games say: who played, and the results, with luck to a thousandth."""
    games = load(folder).table
    luck = np.round(np.array(games.column("luck").to_pylist()), 2).tolist()
    names = ("deal", "agents", "candidate", "scores", "win_shares", "cacao")
    return luck, sorted(map(str, games.select(names).to_pylist()))


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    """A copy with some bits flipped, a part removed or a part doubled."""
    out, at = bytearray(data), int(rng.integers(len(data)))
    kind = rng.integers(3)
    if kind == 0:
        for place in rng.integers(len(out), size=1 + int(rng.integers(3))):
            out[place] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        del out[at : at + 1 + int(rng.integers(20))]
    else:
        out[at:at] = out[at : at + 1 + int(rng.integers(20))]
    return bytes(out)


def changed(table: Any, rng: np.random.Generator) -> Any:
    """A copy of the games with values of a column changed, or games left out or doubled."""
    import pyarrow as pa

    if rng.random() < 0.2:
        return table.take(rng.integers(len(table), size=len(table) - int(rng.integers(2))))
    name = table.schema.names[rng.integers(len(table.schema.names))]
    values = mutated(table.column(name).to_pylist(), rng)
    try:
        column = pa.array(values, table.schema.field(name).type)
    except (pa.ArrowException, TypeError, OverflowError, AttributeError):
        return table
    if len(column) != len(table):
        return table
    return table.set_column(table.schema.get_field_index(name), name, column)


def attack(budget: Budget) -> Summary:
    """Check mutated folders; one that is accepted must have the results that were played."""
    rng, summary, truth = budget.rng(), Summary(), figures(original())
    data, games = (original() / GAMES).read_bytes(), load(original())
    text = (original() / storage.MANIFEST).read_bytes()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "some"
        shutil.copytree(original(), folder)
        for number in budget:
            (folder / GAMES).write_bytes(data)
            (folder / storage.MANIFEST).write_bytes(text)
            manifest = copy.deepcopy(games.manifest)
            kind = int(rng.integers(5))
            if kind == 0:
                (folder / GAMES).write_bytes(flipped(data, rng))
            elif kind == 1:
                (folder / storage.MANIFEST).write_bytes(flipped(text, rng))
            elif kind == 2:  # the checksums are right, but the file is damaged
                broken = flipped(data, rng)
                (folder / GAMES).write_bytes(broken)
                manifest["files"][0]["parts"] = [[len(broken), storage._digest(broken)]]
                storage.write_manifest(folder, manifest)
            elif kind == 3:
                found = mutated({k: manifest[k] for k in ("settings", "files")}, rng)
                storage.write_manifest(folder, {**manifest, **found})
            else:
                parts = storage.write_games(folder / GAMES, changed(games.table, rng))
                manifest["files"][0]["parts"] = parts
                storage.write_manifest(folder, manifest)
            made = attempt(summary, number, lambda: check(folder))
            if made is not None and figures(folder) != truth:
                summary.faults.append(f"try {number}: kind {kind} changes a result")
    return summary
