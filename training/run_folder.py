"""What a training run leaves behind, the same for all trainers.

``config.json``: the resolved configuration; ``run.json``: command, versions, commit, machine;
``metrics.jsonl``: a line a round; ``tensorboard/``: the same for TensorBoard; ``curves.png``: the same
to look at.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from tqdm import tqdm

from cacao_env.agents.checkpoint import MANIFEST, write_whole
from cacao_env.provenance import git_commit, machine, versions

from .config import ConfigError
from .state import STATE

CONFIG, ABOUT, METRICS, CURVES = "config.json", "run.json", "metrics.jsonl", "curves.png"
TENSORBOARD, LOCK = "tensorboard", ".lock"


class RunFolder:
    """The folder of a run that begins, or goes on after the round ``at``."""

    def __init__(self, path: Path, config: dict[str, Any], at: int = 0) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(path)
        self.rows = [row for row in read_metrics(path) if row["round"] <= at]
        _write_json(path / CONFIG, config)
        started = {
            "at_round": at,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": sys.argv,
            "versions": versions(),
            "git_commit": git_commit(),
            "machine": machine(),
        }
        before = json.loads((path / ABOUT).read_text()) if at and (path / ABOUT).exists() else []
        _write_json(path / ABOUT, [*before, started])
        # Rows after the round that a run goes on from will be written again.
        write_whole(path / METRICS, "".join(json.dumps(r) + "\n" for r in self.rows).encode())
        self._metrics = (path / METRICS).open("a", encoding="utf-8")
        self._board = _tensorboard(path / TENSORBOARD, at)

    def log(self, row: dict[str, Any]) -> None:
        """Note a round; ``row`` has its number as ``round``."""
        self.rows.append(row)
        print(json.dumps(row), file=self._metrics, flush=True)
        if self._board is not None:
            for name, value in row.items():
                if isinstance(value, int | float) and name != "round":
                    self._board.add_scalar(name, value, row["round"])

    def draw(self) -> None:
        """Write the curves so far."""
        if len(self.rows) > 1:
            try:
                from .curves import draw
            except ImportError:  # matplotlib is not there: TensorBoard or the lines have it all
                return
            draw(self.rows, self.path / CURVES)

    def close(self) -> None:
        """Write what is left to write."""
        self._metrics.close()
        self._lock.close()
        if self._board is not None:
            self._board.close()


def add_run_options(parser: argparse.ArgumentParser, example: str) -> None:
    """The options that every trainer has."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--config", help=f"a TOML file, e.g. {example}")
    which.add_argument("--resume", metavar="FOLDER", help="a run folder to go on with")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides")
    parser.add_argument("--out", default=None, help="the run folder; runs/NAME if not given")
    parser.add_argument("--overwrite", action="store_true", help="a run that lies there")


def run_command(work: Callable[[], int]) -> int:
    """A trainer's command; what can't be is one sentence, Ctrl-C before or after the rounds another."""
    try:
        return work()
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; go on with --resume and the run folder", file=sys.stderr)
        return 130


def interrupted(folder: Path) -> int:
    """Say how to go on with a run that was stopped between two rounds."""
    print(f"interrupted; go on with --resume {folder}", file=sys.stderr)
    return 130


def progress_bar(name: str, done: float, quiet: bool | None = None) -> Any:
    """A bar in percent that begins where a run goes on: the time left is reckoned from there."""
    return tqdm(total=100, initial=round(100 * done, 1), unit="%", desc=name, disable=quiet)


def clear(folder: Path, overwrite: bool) -> None:
    """Make way for a new run; ConfigError if there is one and it is not to be overwritten."""
    if not folder.exists():
        return
    lock = _locked(folder)  # or a run that goes on there would lose what it goes on from
    try:
        for file, how in ((STATE, f"go on with --resume {folder}, or "), (MANIFEST, "")):
            if (folder / file).exists() and not overwrite:
                kind = "run" if file == STATE else "checkpoint"
                raise ConfigError(
                    f"{folder} has a {kind} already; {how}give another --out or --overwrite"
                )
        (folder / STATE).unlink(missing_ok=True)
        if (folder / TENSORBOARD).is_dir():  # or the curves of both would be drawn as one
            shutil.rmtree(folder / TENSORBOARD)
    finally:
        lock.close()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The rows of a folder; one that was cut off by a stop is left out."""
    try:
        lines = (path / METRICS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    rows = []
    for line in lines:
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def _locked(path: Path) -> IO[str]:
    """An open file that keeps other processes out of a run's folder until it is closed."""
    file = (path / LOCK).open("w", encoding="utf-8")
    try:
        import fcntl
    except ImportError:  # not on this system
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise ConfigError(f"another process is training in {path}") from None
    return file


def _write_json(path: Path, data: Any) -> None:
    write_whole(path, (json.dumps(data, indent=2) + "\n").encode())


def _tensorboard(path: Path, at: int) -> Any:
    """A writer of TensorBoard's files, or None if that is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(path), purge_step=at + 1 if at else None)
