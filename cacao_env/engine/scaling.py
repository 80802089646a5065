"""Observations as numbers in [0, 1], or raw: one compiled function for both.

Only entries that scaling changes are multiplied, which are few: most of an observation is board, and
most of a board is empty.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from .geometry import TORUS
from .jit import njit
from .observation import CHANNELS, layout, observe_into, scale
from .tiles import MAX_PLAYERS, MIN_PLAYERS

ObservationDtype = Literal["float32", "uint8"]
OBSERVATION_DTYPES: tuple[ObservationDtype, ...] = ("float32", "uint8")

_LARGE = [(number, name) for number, (name, high, _) in enumerate(CHANNELS) if high > 1]
# Channels with values above 1: those that worker tiles write, and those that jungle tiles write.
_WORKER_CHANNELS = np.array([n for n, name in _LARGE if name.startswith("workers_")], np.int64)
_JUNGLE_CHANNELS = np.array([n for n, name in _LARGE if not name.startswith("workers_")], np.int64)
_CHANNEL_FACTORS = np.array([1 / high for _, high, _ in CHANNELS], np.float32)
_BOARD_CHANNELS = len(CHANNELS)  # and one for the owner of each seat


def _feature_factors() -> npt.NDArray[np.float32]:
    """Factors of what follows the board, by number of players; they are the same at every size."""
    size = 2
    found = np.zeros((MAX_PLAYERS + 1, 0), np.float32)
    for players in range(MAX_PLAYERS, MIN_PLAYERS - 1, -1):
        features = scale(players, size)[layout(players, size)[0].stop :]
        if found.shape[1] == 0:
            found = np.zeros((MAX_PLAYERS + 1, len(features)), np.float32)
        found[players, : len(features)] = features
    return found


_FEATURE_FACTORS = _feature_factors()


@njit
def observe_as(state, viewer, scaled, out):
    """Write what ``viewer`` sees into ``out``: in [0, 1] if ``scaled``, else raw.

    ``out``: float32 or, for raw values only, uint8; shape (observation_size,).
    """
    observe_into(state, viewer, out)
    if not scaled:
        return
    players = int(state.num_players)
    plane = int(state.table_size) * int(state.table_size)
    for i in range(state.jungle_count):
        at = _in_window(state, int(state.jungle_cells[i]))
        for channel in _JUNGLE_CHANNELS:
            out[channel * plane + at] *= _CHANNEL_FACTORS[channel]
    for i in range(state.worker_count):
        at = _in_window(state, int(state.worker_cells[i]))
        for channel in _WORKER_CHANNELS:
            out[channel * plane + at] *= _CHANNEL_FACTORS[channel]
    features = out[(_BOARD_CHANNELS + players) * plane :]
    for i in range(len(features)):
        features[i] *= _FEATURE_FACTORS[players, i]


@njit
def _in_window(state, cell):
    """Place of a torus cell in a W x W channel."""
    row = ((cell >> 5) - int(state.corner_row)) & (TORUS - 1)
    column = ((cell & (TORUS - 1)) - int(state.corner_column)) & (TORUS - 1)
    return row * int(state.table_size) + column
