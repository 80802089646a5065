"""Plant bugs in a copy of the project, one at a time, and see whether tests notice each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
Mutation = tuple[str, str, str, str, tuple[str, ...]]


def plant_all(package: str, every: list[Mutation], wanted: list[str]) -> int:
    """Plant those whose description contains a word, one at a time; 1 if one goes unnoticed."""
    chosen = [m for m in every if any(word in m[0] for word in wanted)]
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for part in ("cacao_env", "training", "tests", "configs", "docs", "checkpoints"):
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        for what, file, old, new, tests in chosen:
            source = copy / package / file
            text = source.read_text(encoding="utf-8")
            assert text.count(old) == 1, f"{file} has not once {old!r} to change"
            begin = time.perf_counter()
            source.write_text(text.replace(old, new), encoding="utf-8")
            found = fails(copy, tests)
            source.write_text(text, encoding="utf-8")
            missed += not found
            seconds = time.perf_counter() - begin
            print(
                f"{'caught' if found else 'MISSED'}  {seconds:5.1f} s  {file}: {what}", flush=True
            )
        for tests in {m[4] for m in chosen}:
            assert not fails(copy, tests), f"{tests[0]} fails without any change"
    print(f"{len(chosen) - missed} of {len(chosen)} planted bugs caught")
    return 1 if missed else 0


def fails(copy: Path, tests: tuple[str, ...]) -> bool:
    """Whether tests fail in a copy."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    if run.returncode > 1:
        print(run.stdout[-2000:], run.stderr[-2000:])
    return run.returncode == 1 or run.returncode < 0  # below 0: ended by a signal
