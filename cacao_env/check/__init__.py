"""``cacao check``: does the environment work with the libraries that are installed here?

For each library it runs a short program (:mod:`.examples`), which docs/libraries.md shows, in a
separate interpreter.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .. import tables
from ..files import write_json

TIMEOUT = 600  # seconds, for one library
EXAMPLES = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Library:
    """A library: its name, the program that uses it, the packages that make it up, what it shows."""

    name: str
    example: str
    packages: tuple[str, ...]
    shows: str


LIBRARIES = (
    Library("PettingZoo", "pettingzoo", ("pettingzoo",), "api_test, seed_test, registry, copies"),
    Library(
        "Gymnasium", "gymnasium", ("gymnasium",), "check_env, make, make_vec, statistics, video"
    ),
    Library(
        "Stable-Baselines3",
        "sb3",
        ("stable-baselines3", "sb3-contrib"),
        "MaskablePPO on one environment, DummyVecEnv, SubprocVecEnv, our batch",
    ),
    Library(
        "TorchRL", "torchrl", ("torchrl", "tensordict"), "check_env_specs, rollout, PPO, masked"
    ),
    Library("Tianshou", "tianshou", ("tianshou",), "PettingZooEnv, masked self-play"),
    Library("RLlib", "rllib", ("ray",), "masked self-play PPO, new API"),
    Library("OpenSpiel", "open_spiel", ("open-spiel",), "random_sim_test, IS-MCTS"),
    Library("AgileRL", "agilerl", ("agilerl",), "masked DQN, masks in infos"),
    Library(
        "MaskablePPO-rows",
        "rows_sb3",
        ("stable-baselines3", "sb3-contrib"),
        "MaskablePPO on candidate rows, its own policy",
    ),
    Library("PPO-rows", "rows_ppo", ("torch",), "PPO in one file on candidate rows"),
    Library("DQN-rows", "rows_dqn", ("tianshou",), "masked DQN on candidate rows"),
    Library(
        "ONNX",
        "onnx_policies",
        ("onnx", "onnxruntime", "stable-baselines3", "sb3-contrib"),
        "policies of sb3-contrib and of plain torch, measured by their files",
    ),
)
LEFT_OUT = " was left out"  # in a line of a program: what the installed packages don't allow
OK, FAILED, MISSING = "ok", "FAILED", "not installed"


@dataclass(frozen=True)
class Result:
    """The result of a library: status, versions, seconds, what was shown and what was left out."""

    library: Library
    status: str
    versions: str
    seconds: float
    words: str


def versions(library: Library) -> str | None:
    """Return the installed versions in words; None if a package is missing."""
    try:
        return ", ".join(f"{name} {version(name)}" for name in library.packages)
    except PackageNotFoundError:
        return None


def try_out(library: Library) -> Result:
    """Run the program of a library if it is installed."""
    found = versions(library)
    if found is None:
        return Result(library, MISSING, "", 0.0, "")
    command = [sys.executable, "-m", f"{__name__}.examples.{library.example}"]
    begin = time.perf_counter()
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        status, said = (OK if run.returncode == 0 else FAILED), run.stdout
        if status == FAILED:
            said = run.stderr or run.stdout or f"exit status {run.returncode}"
    except subprocess.TimeoutExpired:
        status, said = FAILED, f"no end after {TIMEOUT} s"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if status == OK:
        words = "; ".join([library.shows, *(line for line in lines if LEFT_OUT in line)])
    else:
        words = lines[-1][:200]
    return Result(library, status, found, time.perf_counter() - begin, words)


def check(names: Sequence[str], json_file: str | None = None) -> int:
    """Try all libraries, or those named, and print a table; returns 1 if one failed, else 0.

    The results are also written to ``json_file``.
    """
    known = {library.name.lower(): library for library in LIBRARIES}
    for name in names:
        if name.lower() not in known:
            there = ", ".join(library.name for library in LIBRARIES)
            raise ValueError(f"there is no check of {name!r}; there are: {there}")
    chosen = [known[name.lower()] for name in names] or list(LIBRARIES)
    head = _padded("library", "result", "versions", "seconds", "what")
    print(tables.DataTable(head, [], "l").markdown())
    results = []
    for library in chosen:
        result = try_out(library)
        results.append(result)
        seconds = f"{result.seconds:.0f}" if result.status != MISSING else ""
        cells = _padded(library.name, result.status, result.versions, seconds, result.words)
        print(tables.row(cells), flush=True)
    if json_file is not None:
        data = [{**asdict(one), "library": one.library.name} for one in results]
        write_json(Path(json_file), data, pipes=True)
    return int(any(one.status == FAILED for one in results))


def _padded(*cells: str) -> list[str]:
    """Cells as wide as their columns, which are printed before all of their rows are known."""
    return [cell.ljust(width) for cell, width in zip(cells, (17, 13, 44, 7, 0), strict=True)]
