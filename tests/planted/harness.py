"""Plant bugs in a copy of the project, one at a time, and see that tests catch each.

A bug is anchored by a file and a function in it (``path.py:Class.method``), so moving lines or
functions within a file breaks nothing.  Its text must occur exactly once there.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
PARTS = (
    *("cacao_env", "training", "tests", "configs", "docs", "checkpoints", "pyproject.toml"),
    *("README.md", "constraints.txt", "requirements.lock", ".ci"),
)
# Beginnings of the names of compiled code that a bug in a compiled function of a package does not change.
_BEFORE = {
    "agents": ("cacao_env.engine.", "cacao_env.game."),
    "envs": ("cacao_env.engine.", "cacao_env.game.", "cacao_env.agents."),
    "game.py": ("cacao_env.engine.",),
}
TIMEOUT = 900  # seconds; tests that a bug keeps from ending have noticed it too


class Bug(NamedTuple):
    """A bug, where it is planted, and the tests that must fail."""

    what: str
    where: str  # file:function, or a file alone for text outside of any function
    old: str
    new: str
    tests: tuple[str, ...]
    interpreted: bool = False  # whether the tests run without compiled code


def plant(root: Path, bug: Bug) -> tuple[Path, str]:
    """Plant a bug below ``root``; returns the file and its text before.  ValueError if it can't be."""
    name, _, function = bug.where.partition(":")
    path = root / name
    if not path.is_file():
        raise ValueError(f"{bug.what!r} can't be planted: there is no file {name}")
    text = path.read_text(encoding="utf-8")
    first, last = 0, len(text)
    if function:
        first, last = _span(text, function, bug)
    part = text[first:last]
    if part.count(bug.old) != 1:
        raise ValueError(
            f"{bug.what!r} can't be planted: {bug.where} has {part.count(bug.old)} times {bug.old!r}"
        )
    path.write_text(text[:first] + part.replace(bug.old, bug.new) + text[last:], encoding="utf-8")
    return path, text


def _span(text: str, function: str, bug: Bug) -> tuple[int, int]:
    """Where a function or class, decorators included, begins and ends in a text."""
    scope = ast.parse(text).body
    node: ast.AST | None = None
    for name in function.split("."):
        node = next((one for one in scope if getattr(one, "name", None) == name), None)
        if node is None:
            raise ValueError(f"{bug.what!r} can't be planted: there is no {bug.where}")
        scope = node.body  # type: ignore[attr-defined]
    lines = text.splitlines(keepends=True)
    starts = [node.lineno, *(one.lineno for one in node.decorator_list)]  # type: ignore[union-attr]
    first = sum(map(len, lines[: min(starts) - 1]))
    return first, sum(map(len, lines[: node.end_lineno]))  # type: ignore[union-attr]


def try_all(bugs: list[Bug], words: list[str]) -> int:
    """Try the bugs whose description or file contains a word; 1 if one goes unnoticed, else 0."""
    chosen = [bug for bug in bugs if any(word in f"{bug.where}: {bug.what}" for word in words)]
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for part in PARTS:
            if (ROOT / part).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / part, copy / part, ignore=ignored)
            else:
                shutil.copy(ROOT / part, copy)
        for tests, interpreted in {(bug.tests, bug.interpreted): None for bug in chosen}:
            if failed := failing(copy, tests, interpreted):
                raise RuntimeError(f"without any bug: {failed}")
        unchanged = _cache(copy)
        for bug in chosen:
            begin = time.perf_counter()
            found = _caught(copy, bug, unchanged)
            missed += not found
            seconds = time.perf_counter() - begin
            verdict = "caught" if found else "MISSED"
            print(f"{verdict}  {seconds:5.1f} s  {bug.where}: {bug.what}", flush=True)
            if found:
                print(f"        {found[:150]}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} planted bugs caught")
    return 1 if missed else 0


def _caught(copy: Path, bug: Bug, unchanged: Path) -> str:
    """The first test that fails with a bug, or ""."""
    path, text = plant(copy, bug)
    dates = path.stat()
    cache = unchanged
    try:
        if not bug.interpreted:
            cache = _cache(copy)
            if cache != unchanged:
                _reuse(unchanged, cache, _valid(bug, text))
        return failing(copy, bug.tests, bug.interpreted)
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))
        if cache.is_symlink():
            cache.unlink()
        elif cache != unchanged:
            shutil.rmtree(cache)


def _cache(copy: Path) -> Path:
    """The folder of compiled code that belongs to the copy as it is now."""
    script = "from cacao_env.engine.code_cache import FOLDER; print(FOLDER)"
    environment = _environment(copy) | {"NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=copy, env=environment, capture_output=True, text=True
    )
    return Path(run.stdout.strip() or copy / "cache" / "none")


def _valid(bug: Bug, text: str) -> tuple[str, ...]:
    """Beginnings of the names of compiled code that a bug does not change; () for none.

    Plain functions outside of the engine make no constants for compiled ones.
    """
    name, _, function = bug.where.partition(":")
    package = name.split("/")[1]
    if package != "engine" and function:
        first, last = _span(text, function, bug)
        if not re.search(r"^ *@(njit|inlined)$", text[first:last], re.MULTILINE):
            return ("",)
    return _BEFORE.get(package, ())


def _reuse(unchanged: Path, cache: Path, valid: tuple[str, ...]) -> None:
    """Share what is compiled already and still valid."""
    if valid == ("",):
        cache.rmdir()
        cache.symlink_to(unchanged)
        return
    for one in unchanged.iterdir():
        if one.name.startswith(valid):
            os.link(one, cache / one.name)


def _environment(copy: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(copy),
        "OMP_NUM_THREADS": "1",
        "NUMBA_CACHE_DIR": str(copy / "cache"),
        "HYPOTHESIS_PROFILE": "quick",
    }


def failing(copy: Path, tests: tuple[str, ...], interpreted: bool) -> str:
    """The first test that fails in a copy, or ""."""
    environment = _environment(copy)
    if interpreted:
        environment["NUMBA_DISABLE_JIT"] = "1"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        run = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return f"no end within {TIMEOUT} s"
    if run.returncode < 0:
        return f"ended by signal {-run.returncode}"
    if run.returncode not in (0, 1, 2):
        raise RuntimeError(f"{tests} can't be run: {run.stdout[-2000:]} {run.stderr[-2000:]}")
    lines = [line for line in run.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return (lines or ["a test"])[0] if run.returncode else ""
