"""Compilation: the decorators of compiled functions, and the progress that users see.

Importing compiles nothing.  A function is compiled at its first call from Python, together with all
that it calls, and cached on disk (:mod:`cacao_env.engine.code_cache`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

import numba
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

from .code_cache import PROBLEM, CodeCache, tell
from .linking import linked

F = TypeVar("F", bound=Callable[..., Any])
COMPILED = not numba.config.DISABLE_JIT
_linked: dict[Any, Any] = {}  # by entry point: the same function inside of its callers


def njit(function: F) -> F:
    """Compile a function (Numba, nopython, without the interpreter's lock), cached on disk.

    With NUMBA_DISABLE_JIT=1 it remains a Python function.
    """
    return _compiled(function)


def inlined(function: F) -> F:
    """Compile a function and copy its code to its callers: for short steps of inner loops."""
    return _compiled(function, forceinline=True)


def _compiled(function: F, **options: Any) -> F:
    if not COMPILED:
        return function
    options |= {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
    entry: Any = numba.njit(**options)(function)
    inside = linked(function, **options)
    # Compiled callers ask these two for the function; Python calls the entry point.
    entry.get_call_template = inside.get_call_template
    entry.get_overload = inside.get_overload
    if function.__closure__ is None:  # a cache would not notice other values in a closure
        contained = lambda: [one.py_func for one in _reachable(entry)]  # noqa: E731
        entry._cache = CodeCache(function, contained, lambda: PROGRESS.begin(entry), PROGRESS.end)
    inside._cache = _Part()
    _linked[entry] = inside
    return entry


class _Part(NullCache):
    """In place of the cache of a linked function: report that it is compiled.

    Threads may share it.
    """

    def save_overload(self, signature: Any, result: Any) -> None:
        """Called by Numba with what it has compiled."""
        PROGRESS.show()


class Progress:
    """How far the compilation of an entry point is: a bar.

    Only one thread may begin and end at a time.
    """

    def __init__(self) -> None:
        self._waiting = set[Any]()
        self._bar: Any = None
        self.quiet = False

    def begin(self, entry: Any) -> None:
        """Begin with an entry point and everything that it calls."""
        from .progress import Bar

        self.end()  # of an entry point that did not compile
        if not self.quiet:
            tell("compiling what is used for the first time; `cacao warmup` compiles all")
            tell(PROBLEM)
        self._waiting = {inside for inside in _reachable(entry) if not inside.overloads}
        name = f"{entry.py_func.__module__}.{entry.py_func.__name__}".removeprefix("cacao_env.")
        self._bar = Bar(total=len(self._waiting) + 1, desc=name, unit="function", leave=False)

    def end(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def show(self) -> None:
        """Draw the bar."""
        if self._bar is not None:
            self._bar.n = sum(bool(inside.overloads) for inside in self._waiting)
            self._bar.refresh()


PROGRESS = Progress()


def _reachable(entry: Any) -> set[Any]:
    """Return the linked functions that an entry point contains."""
    found: set[Any] = set()
    todo = [entry]
    while todo:
        function = todo.pop().py_func
        names = function.__code__.co_names
        values = [function.__globals__.get(name) for name in names]
        for module in [value for value in values if isinstance(value, ModuleType)]:
            values += [getattr(module, name, None) for name in names]
        for value in values:
            if isinstance(value, Dispatcher) and value in _linked:
                inside = _linked[value]
                if inside not in found:
                    found.add(inside)
                    todo.append(inside)
    return found


@inlined
def keep(array):
    """Use an array, so that it lives until here.

    Numba frees an array after its last use, even if a record in it is still used: a record does not
    keep the array that it lies in.  So a function that makes an array and passes on ``array[0]`` must
    use the array once more.
    """
    return len(array)
