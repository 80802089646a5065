"""Compilation: the decorator of every compiled function, and the cache of compiled code.

Numba's own cache checks only the file of a function, so after an edit elsewhere it would serve stale
code.  Here the name of the cache directory has a hash of ``SOURCES``, whose functions and constants
compiled functions use.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy

# Packages and modules of this package; compiled functions anywhere call functions of these alone.
SOURCES = ("engine", "agents", "envs", "game.py")
F = TypeVar("F", bound=Callable[..., Any])
COMPILED = not numba.config.DISABLE_JIT


def _cache_directory() -> Path:
    """Choose a folder for exactly these sources, their location and the compiler's versions."""
    package = Path(__file__).resolve().parent.parent
    about = f"{package} {sys.version} {numba.__version__} {numpy.__version__}"
    digest = hashlib.sha256(about.encode())
    for source in sorted(package.rglob("*.py")):
        if source.relative_to(package).parts[0] not in SOURCES:
            continue
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    base = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cacao_env"
    )
    name = digest.hexdigest()[:16]
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for directory in (Path(base) / name, Path(tempfile.gettempdir()) / f"cacao_env-{user}" / name):
        if _can_write(directory):
            return directory
    return Path(tempfile.mkdtemp(prefix="cacao_env-"))  # every process compiles again


def _can_write(directory: Path) -> bool:
    """Make the folder, private to this user, and return whether compiled code can be written there."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and directory.stat().st_uid != os.getuid():
            return False
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


CACHE = _cache_directory()


def njit(function: F) -> F:
    """Compile a function (Numba, nopython, without the interpreter's lock), cached on disk.

    With NUMBA_DISABLE_JIT=1 it remains a Python function.
    """
    return _compiled(function)


def inlined(function: F) -> F:
    """Compile a function and copy its code to its callers: for short steps of inner loops."""
    return _compiled(function, forceinline=True)


def _compiled(function: F, **options: Any) -> F:
    kept = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE)
    try:
        return numba.njit(
            cache=True, nogil=True, no_cfunc_wrapper=True, error_model="numpy", **options
        )(function)
    finally:
        numba.config.CACHE_DIR = kept


def compile_once(part: str, compile_all: Callable[[], None]) -> None:
    """Run ``compile_all`` with a message if this cache has not seen it, else do nothing."""
    done = CACHE / f"{part.replace(' ', '-')}.done"
    if not COMPILED or done.exists():
        return
    print(f"cacao_env: compiling the {part} (once after an install or edit) ...", file=sys.stderr)
    compile_all()
    with suppress(OSError):
        done.touch()
