"""Compiled code on disk: one file for each function and signature, below a private folder.

Numba's own cache checks only the file of a function, so after an edit elsewhere it would serve stale
code.  Here the name of the folder has a hash of everything that compiled functions are made from.
A file begins with the checksum of its content: a damaged one is compiled again and overwritten.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

# Packages and modules of this package; compiled functions anywhere call functions of these alone.
SOURCES = ("engine", "greedy", "agents", "envs", "game.py")
_DIGEST = hashlib.sha256().digest_size


def _hash_of_sources() -> str:
    """Return a name for exactly these sources, their location and the compiler's versions."""
    package = Path(__file__).resolve().parent.parent
    about = f"{package} {sys.version} {numba.__version__} {numpy.__version__}"
    digest = hashlib.sha256(about.encode())
    for source in sorted(package.rglob("*.py")):
        if source.relative_to(package).parts[0] in SOURCES:
            digest.update(source.relative_to(package).as_posix().encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _homes() -> Iterator[Path]:
    """Yield the folders to try, best first."""
    with suppress(RuntimeError):  # there is no home
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        yield Path(os.environ.get("NUMBA_CACHE_DIR") or Path(base) / "cacao_env")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    yield Path(tempfile.gettempdir()) / f"cacao_env-{user}"


def choose_folder() -> Path:
    """Return a folder for compiled code that only this user can write to, and root.

    Compiled code is run, so nobody else may be able to put files there.  Where neither the home nor the
    usual temporary folder will do, it is a new one, and every process compiles again.
    """
    name = _hash_of_sources()
    for home in _homes():
        folder = private_folder(home / name)
        if folder is not None:
            return folder
    return Path(tempfile.mkdtemp(prefix="cacao_env-"))


def private_folder(folder: Path) -> Path | None:
    """Make a folder and return it, without links, if only this user and root can put files into it.

    Each folder above it must belong to this user or root, and nobody else may be able to rename what
    lies in it.  Somebody else's link could lead elsewhere later, so the path returned has none.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = folder.resolve()
        with tempfile.TemporaryFile(dir=folder):
            pass
        if not hasattr(os, "getuid"):
            return folder
        for place in (folder, *folder.parents):
            about = place.stat()
            shared = about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            sticky = about.st_mode & stat.S_ISVTX and place != folder
            if about.st_uid not in (0, os.getuid()) or (shared and not sticky):
                return None
        return folder if folder.stat().st_uid == os.getuid() else None
    except OSError:
        return None


FOLDER = choose_folder()


class CodeCache:
    """The cache of one function, with the methods that Numba's dispatchers call.

    ``on_miss`` is called before a signature is compiled, ``on_compiled`` afterwards.
    Numba's lock lets one thread in at a time.
    """

    cache_path = str(FOLDER)
    compiler: Any = None  # what compiles in another process (:mod:`.compiler_process`), or None

    def __init__(
        self,
        function: Callable[..., Any],
        on_miss: Callable[[], None],
        on_compiled: Callable[[], None],
    ) -> None:
        self._function = function.__module__, function.__qualname__
        self._name = ".".join(self._function)
        self._source, self._line = function.__code__.co_filename, function.__code__.co_firstlineno
        self._on_miss, self._on_compiled = on_miss, on_compiled

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled function for a signature, or None."""
        target_context.refresh()
        found = self._read(signature, target_context)
        if found is None:
            self._on_miss()
            if self.compiler is not None:
                with suppress(Exception):  # then it is compiled here
                    self.compiler.compile(*self._function, signature)
                    found = self._read(signature, target_context)
                if found is not None:
                    self._on_compiled()
        return found

    def _read(self, signature: Any, target_context: Any) -> Any:
        with suppress(Exception):  # whatever a damaged or foreign file leads to
            content = self._file(signature, target_context.codegen()).read_bytes()
            if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
                return CompileResult._rebuild(target_context, *pickle.loads(content[_DIGEST:]))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write a compiled function; where that fails it is compiled again by the next process."""
        self._on_compiled()
        content = dumps(result._reduce())
        file = self._file(signature, result.codegen)
        part = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            part.write_bytes(hashlib.sha256(content).digest() + content)
            os.replace(part, file)
        except OSError:
            with suppress(OSError):
                part.unlink()

    def _file(self, signature: Any, codegen: Any) -> Path:
        source = _hash_of_file(self._source)  # scripts and tests are not in the folder's name
        about = f"{signature} {codegen.magic_tuple()} {source} {self._line}"
        return FOLDER / f"{self._name}.{hashlib.sha256(about.encode()).hexdigest()[:16]}"


@cache
def _hash_of_file(name: str) -> str:
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()
