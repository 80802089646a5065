"""The files that a training run leaves behind, the same for all trainers.

``config.json``: the resolved configuration; ``run.json``: command, versions, commit, machine;
``metrics.jsonl``: one line a round; ``tensorboard/``: the same for TensorBoard.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cacao_env.agents.checkpoint import MANIFEST, CheckpointError
from cacao_env.checks import in_short
from cacao_env.files import locked, read_json, read_regular, write_json, write_whole
from cacao_env.provenance import provenance

from .config import ConfigError
from .state import STATE

_MOST_BYTES = 1_000_000_000  # of metrics
CONFIG, ABOUT, METRICS = "config.json", "run.json", "metrics.jsonl"
TENSORBOARD, GAMES, LOCK = "tensorboard", "games", ".lock"


class RunFolder:
    """The folder of a run that starts, or resumes after the round ``at``.

    Only one thread may use it at a time, and one process a folder.
    """

    def __init__(self, path: Path, config: dict[str, Any], at: int = 0) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(path)
        with ExitStack() as undo:
            undo.callback(self._lock.release)
            # The resumed run writes the rows after that round again.
            rows = [row for row in read_metrics(path) if row["round"] <= at] if at else []
            before = _starts(path) if at else []
            write_json(path / CONFIG, config)
            started = {"at_round": at, "command": sys.argv, **provenance()}
            write_json(path / ABOUT, [*before, started])
            write_whole(path / METRICS, "".join(json.dumps(row) + "\n" for row in rows))
            self._metrics = (path / METRICS).open("a", encoding="utf-8")
            self._board = _tensorboard(path / TENSORBOARD, at)
            undo.pop_all()

    def log(self, row: dict[str, Any]) -> None:
        """Write the metrics of a round; ``row`` has its number as ``round``.

        A number that is not finite, which JSON does not have, is left out.
        """
        row = {n: x for n, x in row.items() if not isinstance(x, float) or math.isfinite(x)}
        print(json.dumps(row), file=self._metrics, flush=True)
        if self._board is not None:
            for name, value in row.items():
                if isinstance(value, int | float) and name != "round":
                    self._board.add_scalar(name, value, row["round"])

    def sync(self) -> None:
        """Wait until the disk has the metrics."""
        os.fsync(self._metrics.fileno())

    def close(self) -> None:
        """Flush the files and release the folder."""
        self._metrics.close()
        self._lock.release()
        if self._board is not None:
            self._board.close()


def require_room(folder: Path, overwrite: bool) -> None:
    """Raise ConfigError if a run is there and must not be overwritten, or is training."""
    if folder.exists():
        _locked(folder).release()  # a run that is training there needs its files
        resume = f"resume it with --resume {folder}, or "
        for file, kind, how in ((STATE, "run", resume), (MANIFEST, "checkpoint", "")):
            if (folder / file).exists() and not overwrite:
                raise ConfigError(
                    f"{folder} has a {kind} already; {how}give another --out or --overwrite"
                )


def clear(folder: Path) -> None:
    """Remove what an earlier run has left in its folder and a new one would be mixed with."""
    if not folder.exists():
        return
    with ExitStack() as after:
        after.callback(_locked(folder).release)  # another run may have begun there since
        (folder / STATE).unlink(missing_ok=True)
        if all((folder / name).is_file() for name in (CONFIG, ABOUT)):
            for name in (TENSORBOARD, GAMES):
                shutil.rmtree(folder / name, ignore_errors=True)


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a folder, without a last one that an interruption cut off."""
    if not (path / METRICS).exists():
        return []
    text = read_regular(path / METRICS, _MOST_BYTES, ConfigError)
    lines = text.decode("utf-8", errors="replace").splitlines()
    rows = []
    for number, line in enumerate(lines):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or type(row.get("round")) is not int:
            if number == len(lines) - 1:
                break  # cut off
            raise ConfigError(
                f"{path / METRICS} is damaged: line {number + 1} is not a round's row"
            )
        rows.append(row)
    return rows


def seconds_at(path: Path, at: int) -> float:
    """Read how many seconds of training a run had after a round; CheckpointError if it is not there."""
    if not at:
        return 0.0
    for row in read_metrics(path):
        if row["round"] == at and "seconds" in row:
            return float(row["seconds"])
    raise CheckpointError(f"{path / METRICS} has no seconds of round {at}, the last in {STATE}")


def _starts(path: Path) -> list[Any]:
    """Read how the run was started and resumed before."""
    expected = "a list of the run's starts; remove it to resume"
    found = read_json(path / ABOUT, expected) if (path / ABOUT).exists() else []
    if not isinstance(found, list):
        raise ConfigError(f"{path / ABOUT} is {in_short(found)}, expected {expected}")
    return found


def _locked(path: Path) -> Any:
    """Lock a run's folder against other processes."""
    return locked(path / LOCK, f"another process is training in {path}", ConfigError)


def _tensorboard(path: Path, at: int) -> Any:
    """Open TensorBoard's files; return None if TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(path), purge_step=at + 1 if at else None)
