"""Checks of values from outside.

Each returns the value in its plain form or raises ValueError with one sentence that names the value and
says what was expected.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def in_short(value: Any) -> str:
    """Return a value on one short line, for an error message."""
    return " ".join(repr(value)[:80].split())


def as_int(
    name: str,
    value: Any,
    low: int | None = None,
    high: int | None = None,
    expected: str | None = None,
) -> int:
    """Convert an integer of any kind, from ``low`` to ``high``, to ``int``.

    ``expected`` says what was expected where the range alone does not.
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    wrong = number is None or (low is not None and number < low)
    if wrong or (high is not None and number is not None and number > high):
        span = f"at least {low}" if high is None else f"{low} to {high}"
        raise ValueError(f"{name} is {in_short(value)}, expected {expected or span}")
    assert number is not None
    return number


def as_bool(name: str, value: Any) -> bool:
    """Convert a truth value to ``bool``."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ValueError(f"{name} is {in_short(value)}, expected True or False")


def as_seat(value: Any, num_players: int) -> int:
    """Return a seat of the game."""
    return as_int("seat", value, 0, num_players - 1)


def as_seed(value: Any) -> int:
    """Return a seed, any integer, modulo 2**64."""
    return as_int("seed", value, expected="an integer or None") % 2**64


def as_path(given: Any, error: type[ValueError] = ValueError) -> Path:
    """Return a path given as one or as text; raise ``error`` for anything else."""
    if not isinstance(given, str | os.PathLike):
        raise error(f"{in_short(given)} is not the path of a file or a folder")
    return Path(given)


def check_type(name: str, value: Any, kind: type | tuple[type, ...], expected: str) -> None:
    """Raise ValueError unless a value is of a kind."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {in_short(value)}, expected {expected}")


def check_choice(name: str, value: object, allowed: Sequence[object]) -> int:
    """Return the index of a value among those allowed."""
    if value not in allowed:
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
