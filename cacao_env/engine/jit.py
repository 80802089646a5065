"""Compiled functions: ``njit`` and what it makes of a function.

The package brings its compiled functions as one library (:mod:`cacao_env.engine.library`).  A function
that Python calls declares the types of its arguments in its annotations
(:mod:`cacao_env.engine.types`); ``njit`` returns the library's, with the same arguments.  Other
functions exist only inside those, and are plain Python for Python.  Where the sources differ from those
of the library, and for functions of others, Numba compiles.  With NUMBA_DISABLE_JIT=1 all remain Python
functions.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from . import library

F = TypeVar("F", bound=Callable[..., Any])
BUILD = "CACAO_ENV_BUILD"  # set while the library is built
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") or BUILD in os.environ
BY_NUMBA = not INTERPRETED and not library.fits()
COMPILED = not INTERPRETED
if BY_NUMBA:
    library.tell(
        "the engine's sources were edited: Numba compiles them, until the library is built"
    )


class Source(NamedTuple):
    """The Python function of a compiled one, and whether its code is copied to its callers."""

    function: Any
    copied: bool

    @property
    def declared(self) -> bool:
        """Whether Python may call it: it declares the types of its arguments."""
        words = [word for name, word in self.function.__annotations__.items() if name != "return"]
        return bool(words) and "Any" not in words


_sources: dict[int, tuple[Any, Source]] = {}  # what ``njit`` returned, by its id, and its source


def njit(function: F) -> F:
    """Return the compiled form of a function: its annotations are the types of its arguments."""
    return _decorated(function, False)


def inlined(function: F) -> F:
    """Compile a function and copy its code to its callers: for short steps of inner loops."""
    return _decorated(function, True)


def _decorated(function: F, copied: bool) -> F:
    source = Source(inspect.unwrap(function), copied)
    made: Any = function
    if BY_NUMBA:
        return with_numba(source.function, copied)
    if COMPILED and not library.holds(source.function.__module__):
        return Forms(with_numba)(source)
    if COMPILED and source.declared:
        made = library.Door(source.function, partial(_numba_forms, source)).call
    _sources[id(made)] = made, source
    return made


def source_of(compiled: Any) -> Source | None:
    """Return what ``njit`` made something of; None for anything else."""
    _, source = _sources.get(id(compiled), (None, None))
    return source


def sources() -> list[Source]:
    """Return what ``njit`` has made something of, each once."""
    return list(dict.fromkeys(source for _, source in _sources.values()))


def with_numba(function: Any, copied: bool) -> Any:
    """Return Numba's compiled form of a function, which is compiled when it is first called."""
    try:
        import numba
    except ImportError:
        raise ImportError(library.NO_NUMBA) from None
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(library.folder() / "numba")
    try:
        named = Path(function.__code__.co_filename)
        options = {"nogil": True, "error_model": "numpy", "forceinline": copied}
        return numba.njit(cache=named.is_file() and "ipykernel" not in str(named), **options)(
            function
        )
    finally:
        numba.config.CACHE_DIR = before


class Forms:
    """Other forms of compiled functions, made by ``compiler``; each calls these forms of others."""

    def __init__(self, compiler: Callable[[Any, bool], Any]) -> None:
        self._compiler = compiler
        self._made: dict[Source, Any] = {}
        self._globals: dict[int, dict[str, Any]] = {}

    def __call__(self, source: Source) -> Any:
        """Return the other form of a function."""
        if source not in self._made:
            function = source.function
            own = self._globals_of(function.__globals__)
            copy = FunctionType(function.__code__, own, function.__name__, function.__defaults__)
            copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
            self._made[source] = self._compiler(copy, source.copied)
        return self._made[source]

    def _globals_of(self, own: dict[str, Any]) -> dict[str, Any]:
        if id(own) not in self._globals:
            others = self._globals[id(own)] = dict(own)
            for name, value in own.items():
                source = source_of(value)
                if source is not None:
                    others[name] = self(source)
        return self._globals[id(own)]


_numba_forms = Forms(with_numba)


@inlined
def keep(array):
    """Use an array, so that it lives until here.

    Numba frees an array after its last use, even if a record in it is still used: a record does not
    keep the array that it lies in.  So a function that makes an array and passes on ``array[0]`` must
    use the array once more.
    """
    return len(array)
