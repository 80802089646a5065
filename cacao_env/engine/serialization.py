"""Many games as plain arrays, to be kept in a file and gone on with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .state import OPTIONS

Arrays = dict[str, npt.NDArray[Any]]


def arrays_of(games: Any, names: Sequence[str]) -> Arrays:
    """Copies of the attributes named, and of the states as bytes."""
    found = {name: getattr(games, name).copy() for name in names}
    found["states"] = games.states.view(np.uint8).reshape(games.num_games, -1).copy()
    return found


def restore_arrays(games: Any, names: Sequence[str], arrays: Mapping[str, Any]) -> None:
    """Take over what ``arrays_of`` gave; ValueError, and nothing changed, if it was of other games."""
    for name, array in arrays_of(games, names).items():
        if name not in arrays or arrays[name].shape != array.shape:
            raise ValueError(f"the games kept are others than these: {name} does not fit")
    states = np.ascontiguousarray(arrays["states"], np.uint8).reshape(-1).view(games.states.dtype)
    for name in OPTIONS:
        if (states[name] != games.states[name]).any():
            raise ValueError(f"the games kept are others than these: {name} is another")
    for name in names:
        getattr(games, name)[...] = arrays[name]
    games.states[...] = states
