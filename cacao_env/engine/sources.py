"""The sources of games: what compiled code, stored games and the page's engine follow from.

``COMPILED`` are the modules with compiled functions, and the constants in them.  ``GAMES`` adds what
asks agents in Python.  Paths are patterns below the package.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
COMPILED = (
    *("engine/*.py", "greedy/*.py", "envs/*.py", "agents/value/*.py", "game.py", "gold_sources.py"),
    *(f"agents/{name}.py" for name in ("elementary", "endgame", "greedy", "halving", "mc")),
    *(f"agents/{name}.py" for name in ("playout", "random", "utility")),
    *(f"evaluation/{name}.py" for name in ("judge", "luck")),
    *("data/games.py", "check/bench/rows.py", "play/build/entries.py"),
)
TRAINING = ("training.kernels", "training.values.games")
GAMES = (*COMPILED, "*.py", "agents/*.py", "evaluation/matches.py")


def compiled_modules() -> dict[str, Path]:
    """Return the modules with compiled functions, and what these functions follow from, by name."""
    paths = {path.relative_to(PACKAGE.parent) for one in COMPILED for path in PACKAGE.glob(one)}
    names = [".".join(path.with_suffix("").parts) for path in paths]
    names = [name.removesuffix(".__init__") for name in names] + list(TRAINING)
    return {name: _file_of(name) for name in sorted(names)}


def _file_of(name: str) -> Path:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def hash_of(patterns: Iterable[str]) -> str:
    """Return a hash of the names and the content of the files that patterns find in the package."""
    digest = hashlib.sha256()
    for path in sorted({path for one in patterns for path in PACKAGE.glob(one)}):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def engine_version() -> str:
    """Return a fingerprint of the sources of games: where it is equal, the same games are played."""
    return hash_of(GAMES)[:16]
