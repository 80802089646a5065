"""Checks of values from outside.

Each returns the value in its plain form or raises ValueError with one sentence that names the value and
says what was expected.  A value of a wrong type is named with its type.
"""

from __future__ import annotations

import difflib
import math
import numbers
import operator
import os
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from gymnasium.error import DependencyNotInstalled

F = TypeVar("F", bound=Callable[..., Any])


class NotInstalled(DependencyNotInstalled, ValueError):
    """A package of an extra is missing; the message says how to install it."""


def need(module: str, package: str, extra: str = "") -> Any:
    """Import a module of a package; NotInstalled, which names the extra, if that is not possible."""
    try:
        return import_module(module)
    except ImportError as error:
        missing = f"{module}.".startswith(f"{error.name}.")
        problem = "is not installed" if missing else f"can't be imported ({error})"
        wanted = f"'cacao-env[{extra}]'" if extra else package
        raise NotInstalled(f"{package} {problem}: pip install {wanted}") from None


def in_short(value: Any) -> str:
    """Return a value on one short line, for an error message."""
    try:
        return " ".join(repr(value)[:80].split())
    except ValueError:  # an integer of thousands of digits
        return "a number too large to show"


def reason_of(error: BaseException) -> str:
    """Return what an error of a library says on one line, for an error message."""
    return " ".join(str(error).split())[:300]


def with_type(value: Any) -> str:
    """Return a value of a wrong type on one short line, with its type."""
    return f"{in_short(value)} ({type(value).__name__})"


def as_int(
    name: str,
    value: Any,
    low: int | None = None,
    high: int | None = None,
    expected: str | None = None,
) -> int:
    """Convert an integer of any kind, Python's or NumPy's, from ``low`` to ``high``, to ``int``.

    ``expected`` says what was expected where the range alone does not.
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is not None and (low is None or number >= low) and (high is None or number <= high):
        return number
    span = "" if low is None else f"at least {low}" if high is None else f"{low} to {high}"
    wanted = expected or span
    if number is not None:
        raise ValueError(f"{name} is {in_short(number)}, expected {wanted}")
    which = f" ({wanted})" if wanted else ""
    raise ValueError(f"{name} is {with_type(value)}, expected an integer{which}")


def as_float(name: str, value: Any, low: float, high: float) -> float:
    """Convert a finite real number of any kind, Python's or NumPy's, to ``float``."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise ValueError(
            f"{name} is {with_type(value)}, expected a number from {low:g} to {high:g}"
        )
    try:
        number = float(value)
    except OverflowError:  # an integer beyond all floats
        number = math.inf
    if not low <= number <= high:  # also refuses NaN
        raise ValueError(f"{name} is {in_short(number)}, expected {low:g} to {high:g}")
    return number


def as_bool(name: str, value: Any) -> bool:
    """Convert a truth value, Python's or NumPy's, to ``bool``."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ValueError(f"{name} is {with_type(value)}, expected True or False")


def as_seat(value: Any, num_players: int) -> int:
    """Return a seat of the game."""
    return as_int("seat", value, 0, num_players - 1)


def as_seed(value: Any) -> int:
    """Return a seed, an integer from 0 to 2**64 - 1; ValueError for anything else."""
    return as_int("seed", value, 0, 2**64 - 1)


def as_path(given: Any, error: type[ValueError] = ValueError) -> Path:
    """Return a path given as one or as text, with ``~`` and variables expanded.

    A name that exists is not expanded.  Raise ``error`` for anything else than a path.
    """
    if not isinstance(given, str | os.PathLike):
        raise error(f"{with_type(given)} is not the path of a file or a folder")
    path = Path(os.path.expanduser(given))
    if isinstance(given, str) and "$" in given and not path.exists():
        path = Path(os.path.expanduser(os.path.expandvars(given)))
    return path


def check_type(name: str, value: Any, kind: type | tuple[type, ...], expected: str) -> None:
    """Raise ValueError unless a value is of a kind."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {with_type(value)}, expected {expected}")


def unexpected(name: str, keyword: str, known: Collection[str]) -> TypeError:
    """Return an error in Python's words for an unknown keyword, with the nearest one and all others."""
    near = difflib.get_close_matches(keyword, known, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return TypeError(
        f"{name}() got an unexpected keyword argument {keyword!r}.{hint} "
        f"The arguments are: {', '.join(known)}"
    )


def keywords_of(*others: Callable[..., Any], without: Collection[str] = ()) -> Callable[[F], F]:
    """Document and check a function's ``**keywords``: they must be parameters of ``others``.

    The signature shows all of them.  The function raises TypeError for an unknown keyword
    (:func:`unexpected`).  ``without``: parameters of the others that the function does not take.
    """

    def decorate(function: F) -> F:
        own = signature(function)
        parameters = {
            name: one
            for name, one in own.parameters.items()
            if one.kind is not Parameter.VAR_KEYWORD
        }
        for other in others:
            for name, one in signature(other).parameters.items():
                if name not in without and one.kind is not Parameter.VAR_KEYWORD:
                    parameters.setdefault(name, one.replace(kind=Parameter.KEYWORD_ONLY))
        known = [name for name in parameters if name not in ("self", "cls")]

        @wraps(function)
        def checked(*arguments: Any, **keywords: Any) -> Any:
            for keyword in keywords:
                if keyword not in known:
                    raise unexpected(function.__qualname__, keyword, known)
            return function(*arguments, **keywords)

        checked.__signature__ = own.replace(parameters=[*parameters.values()])  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return decorate


class OwnArrays:
    """Objects whose arrays are their own after unpickling: serializers may return read-only ones."""

    def __setstate__(self, state: Any) -> None:
        for part in state if isinstance(state, tuple) else (state,):  # attributes and slots
            for name, value in owned(part or {}).items():
                object.__setattr__(self, name, value)


def owned(value: Any, seen: set[int] | None = None) -> Any:
    """Replace read-only arrays in plain data by copies; dicts and lists stay the same objects."""
    seen = set() if seen is None else seen
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else np.array(value)
    if isinstance(value, dict | list) and id(value) not in seen:
        seen.add(id(value))
        for key, one in list(value.items() if isinstance(value, dict) else enumerate(value)):
            value[key] = owned(one, seen)
    if isinstance(value, tuple):
        parts = [owned(one, seen) for one in value]
        if any(part is not one for part, one in zip(parts, value)):
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def check_choice(name: str, value: object, allowed: Sequence[object]) -> int:
    """Return the index of a value among those allowed."""
    if not isinstance(value, str | None) or value not in allowed:
        *others, last = map(repr, allowed)
        raise ValueError(f"{name} is {in_short(value)}, expected {', '.join(others)} or {last}")
    return list(allowed).index(value)


def check_array(name: str, given: Any, like: np.ndarray[Any, Any]) -> None:
    """Raise ValueError unless an array has the shape and type of another, and only sound values."""
    if not isinstance(given, np.ndarray) or given.shape != like.shape or given.dtype != like.dtype:
        found = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else in_short(given)
        raise ValueError(f"{name} is {found}, expected an array {like.dtype} {like.shape}")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise ValueError(f"{name} has numbers that are not finite")
    if given.dtype.kind == "b" and (np.ascontiguousarray(given).view(np.uint8) > 1).any():
        raise ValueError(f"{name} has values other than true and false")
