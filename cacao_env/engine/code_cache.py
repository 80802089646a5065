"""Compiled code on disk: one file for each function and signature, below a private folder.

Numba's own cache checks only the file of a function, so after an edit elsewhere it would serve stale
code.  Here the name of the folder has a hash of everything that compiled functions are made from.
A file begins with the checksum of its content: a damaged one is compiled again and overwritten.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numba
import numpy
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from .sources import COMPILED

NAMED = "NUMBA_CACHE_DIR"  # the variable that names a folder
_PACKAGE = __name__.partition(".")[0]
_DIGEST = hashlib.sha256().digest_size
_TOLD: set[str] = set()


def _hash_of_sources() -> str:
    """Return a name for exactly these sources, their location and the compiler's versions."""
    package = files(_PACKAGE)  # a folder, or a part of a zip file
    digest = hashlib.sha256(
        f"{package} {sys.version} {numba.__version__} {numpy.__version__}".encode()
    )
    for name, source in sorted(_modules(package)):
        if any(fnmatch(name[1:].removesuffix("c"), one) for one in COMPILED):
            digest.update(name.encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _modules(folder: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, file) of the modules below a folder, as source or compiled to bytecode alone."""
    for one in folder.iterdir():
        path = f"{name}/{one.name}"
        if one.name.endswith((".py", ".pyc")):
            yield path, one
        elif one.is_dir() and one.name != "__pycache__":
            yield from _modules(one, path)


def choose_folder() -> tuple[Path | None, str]:
    """Return a folder for compiled code that only this user can write to, and what to tell the user.

    Compiled code is run, so nobody else may be able to put files there.  Where neither a named folder,
    nor the home, nor the usual temporary folder will do, there is none: every process compiles again.
    """
    name, problem = _hash_of_sources(), ""
    for home in _homes():
        try:
            folder = private_folder(home / name)
        except OSError as error:
            problem = problem or f"{home} can't be used: {error.strerror or error}"
        else:
            return folder, problem and f"compiled code is kept in {folder.parent}: {problem}"
    return None, (
        f"compiled code is not kept: {problem}.  Every process compiles again.  Set {NAMED} to a "
        "folder that only you can write to"
    )


def _homes() -> Iterator[Path]:
    """Yield the folders to try, best first."""
    with suppress(RuntimeError):  # there is no home
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        yield Path(os.environ.get(NAMED) or Path(base) / "cacao_env").expanduser()
    user = os.getuid() if hasattr(os, "getuid") else "user"
    yield Path(tempfile.gettempdir()) / f"cacao_env-{user}"


def private_folder(folder: Path) -> Path:
    """Make a folder and return it, without links, if only this user and root can put files into it.

    Each folder above it must belong to this user or root, and nobody else may be able to rename what
    lies in it.  Somebody else's link could lead elsewhere later, so the path returned has none.
    OSError says why the folder will not do; nothing has been made below one that others can change.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    if missing:
        _check_owners(missing[-1].parent.resolve(), last=False)
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    folder = folder.resolve()
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        if not any(folder.iterdir()):  # compiled code can be read from a read-only disk
            raise
    _check_owners(folder, last=True)
    return folder


def _check_owners(folder: Path, last: bool) -> None:
    """Raise OSError if another user can change where a path leads to; ``last``: or what is there."""
    if not hasattr(os, "getuid"):
        return
    for place in (folder, *folder.parents):
        about, strict = place.stat(), last and place == folder
        if about.st_uid != os.getuid() and (strict or about.st_uid != 0):
            raise PermissionError(0, f"{place} belongs to user {about.st_uid}")
        sticky = about.st_mode & stat.S_ISVTX and not strict
        if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not sticky:
            raise PermissionError(0, f"other users can write to {place}")


FOLDER, PROBLEM = choose_folder()


def speaks() -> bool:
    """Return whether this process, and not one that it started, tells the user."""
    return multiprocessing.parent_process() is None and sys.stderr is not None


def tell(line: str) -> None:
    """Print a line on standard error, once a process."""
    if line and line not in _TOLD and speaks():
        _TOLD.add(line)
        print(f"cacao_env: {line}", file=sys.stderr)


class CodeCache:
    """The cache of one function, with the methods that Numba's dispatchers call.

    ``on_miss`` is called before a signature is compiled, ``on_compiled`` afterwards.
    Numba's lock lets one thread in at a time.
    """

    cache_path = str(FOLDER)

    def __init__(
        self,
        function: Callable[..., Any],
        contained: Callable[[], Iterable[Any]],
        on_miss: Callable[[], None],
        on_compiled: Callable[[], None],
    ) -> None:
        self._function, self._contained = function, contained
        self._on_miss, self._on_compiled = on_miss, on_compiled
        _hash_of(function)  # of the source as imported: the file may change before the first call

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled function for a signature, or None."""
        target_context.refresh()
        found = self._read(signature, target_context)
        if found is None:
            self._on_miss()
        return found

    def _read(self, signature: Any, target_context: Any) -> Any:
        with suppress(Exception):  # whatever a damaged or foreign file leads to
            file = self._file(signature, target_context.codegen())
            content = b"" if file is None else file.read_bytes()
            if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
                return CompileResult._rebuild(target_context, *pickle.loads(content[_DIGEST:]))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write a compiled function; where that fails it is compiled again by the next process."""
        self._on_compiled()
        file = self._file(signature, result.codegen)
        if file is None:
            return
        content = dumps(result._reduce())
        part = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            part.write_bytes(hashlib.sha256(content).digest() + content)
            os.replace(part, file)
        except OSError as error:
            reason = f"{FOLDER}: {error.strerror}"
            tell(f"compiled code is not kept: {reason}; set {NAMED} to another folder")
            with suppress(OSError):
                part.unlink()

    def _file(self, signature: Any, codegen: Any) -> Path | None:
        """Return the file of a signature, None where nothing is kept."""
        own = self._function
        # The folder's name has the rest of the package.
        outside = own.__module__.partition(".")[0] != _PACKAGE
        hashes = {_hash_of(one) for one in (own, *(self._contained() if outside else ()))}
        if FOLDER is None or None in hashes:
            return None
        sources = " ".join(sorted(map(str, hashes)))
        about = f"{signature} {codegen.magic_tuple()} {sources} {own.__code__.co_firstlineno}"
        name = f"{own.__module__}.{own.__qualname__}"
        return FOLDER / f"{name}.{hashlib.sha256(about.encode()).hexdigest()[:16]}"


def _hash_of(function: Any) -> str | None:
    return _hash_of_module(function.__module__, function.__code__.co_filename)


@cache
def _hash_of_module(name: str, file: str) -> str | None:
    """Return a hash of the module from whose ``file`` a function comes; None if there is no file.

    Scripts and tests are not in the folder's name.  In a notebook a cell's globals come from others.
    """
    module: Any = sys.modules.get(name)
    path = getattr(module, "__file__", None)
    if path is not None and Path(path).stem == Path(file).stem:
        with suppress(OSError):
            loader = module.__loader__  # None in a spawned process
            data = loader.get_data(path) if loader else Path(path).read_bytes()
            return hashlib.sha256(data).hexdigest()
    return None
