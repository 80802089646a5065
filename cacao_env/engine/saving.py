"""Save and restore games as plain arrays and bytes.

What is restored may come from a damaged file: nothing is taken over before all of it is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..files import in_short
from .state import OPTION_FIELDS, STATE, StateArray
from .validate import StateError, check_states

Arrays = dict[str, npt.NDArray[Any]]


def arrays_of(games: Any, names: Sequence[str]) -> Arrays:
    """Copy the named attributes of a batch of games, and its states as bytes (N, bytes a state)."""
    arrays = {name: getattr(games, name).copy() for name in names}
    arrays["states"] = games.states.view(np.uint8).reshape(games.num_games, -1).copy()
    return arrays


def restore_arrays(
    games: Any,
    names: Sequence[str],
    arrays: Mapping[str, Any],
    check: Callable[[Mapping[str, Any], StateArray], None],
) -> None:
    """Restore what ``arrays_of`` saved; ValueError, and nothing changes, if it does not match.

    ``check(arrays, states)`` raises ValueError for what only this kind of batch refuses.
    """
    if not isinstance(arrays, Mapping):
        raise StateError(f"saved games are {in_short(arrays)}, expected arrays by their names")
    for name, array in arrays_of(games, names).items():
        check_array(name, arrays.get(name), array)
    states = np.ascontiguousarray(arrays["states"]).reshape(-1).view(STATE)
    for name in OPTION_FIELDS:
        if (states[name] != games.states[name]).any():
            raise StateError(f"saved games do not match: {name} differs")
    check_states(states)
    check(arrays, states)
    for name in names:
        getattr(games, name)[...] = arrays[name]
    games.states[...] = states


def check_array(name: str, given: Any, like: npt.NDArray[Any]) -> None:
    """Raise StateError unless an array has the shape and type of another, and only sound values."""
    if not isinstance(given, np.ndarray) or given.shape != like.shape:
        raise StateError(f"saved games do not match: {name} is missing or has another shape")
    if given.dtype != like.dtype:
        raise StateError(
            f"saved games do not match: {name} has type {given.dtype}, expected {like.dtype}"
        )
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise StateError(f"saved games do not match: {name} has numbers that are not finite")
    if given.dtype.kind == "b" and (np.ascontiguousarray(given).view(np.uint8) > 1).any():
        raise StateError(f"saved games do not match: {name} has values other than true and false")


def states_of(data: bytes, count: int = 1) -> StateArray:
    """Return the states in ``data``, as ``tobytes`` wrote them; StateError if they are unsound."""
    if not isinstance(data, bytes | bytearray):
        raise StateError(f"a saved game is {in_short(data)}, expected bytes")
    if len(data) != count * STATE.itemsize:
        raise StateError(f"a saved game has {len(data)} bytes, expected {count * STATE.itemsize}")
    states = np.frombuffer(bytearray(data), STATE)  # a copy, padding included
    check_states(states)
    return states
