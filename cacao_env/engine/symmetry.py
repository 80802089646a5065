"""The eight symmetries of the board, on observations, masks and actions.

Symmetry g mirrors the table left to right if g >= 4, then turns it clockwise by g % 4 quarter turns.
Worker tiles turn with it.  A mirrored 3-0-0-1 is a 3-1-0-0 and the reverse, and a quarter turn makes a
volcano give in the other direction.  The rules have no direction, so a position and its image are the
same game.

An image has the window that the engine would choose for it, so the image of an observation is the
observation of the image.  The one exception is a small table (``table_size`` below the default) whose
tiles are close to its rim: the image may then have other legal cells, since a window can't always be
centred.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import as_int
from .actions import ACT_ACTIONS, FILL_ACTIONS, ORIENTATIONS, WORKER_CHOICES, place_actions
from .geometry import OFFSETS, window_cell, window_corner
from .observation import CHANNELS, checked, layout
from .tiles import DISPLAY_SIZE, EDGES, NUM_VARIANTS, VOLCANO, WORKER_KINDS

NUM_SYMMETRIES = 8
_NAMES = [name for name, _, _ in CHANNELS]
_NUM_JUNGLE = _NAMES.index("workers_north")  # channels that show jungle tiles come first
Corner = tuple[int, int]


def image_of_cell(g: int, row: int, column: int) -> tuple[int, int]:
    """Return the image of a cell under symmetry ``g`` about cell (0, 0)."""
    if g >= 4:
        column = -column
    for _ in range(g % 4):
        row, column = column, -row
    return row, column


def inverse(g: int) -> int:
    """Return the inverse of symmetry ``g``."""
    return g if g >= 4 else (-g) % 4


@cache
def side_images(g: int) -> tuple[int, ...]:
    """Return the image of each side."""
    return tuple(OFFSETS.index(image_of_cell(g, *offset)) for offset in OFFSETS)


@cache
def variant_images(g: int) -> tuple[int, ...]:
    """Return the image of each worker tile variant."""
    images = []
    for edges in EDGES:
        turned = np.empty(4, np.int64)
        turned[list(side_images(g))] = edges
        images.append(int(np.flatnonzero((turned == EDGES).all(axis=1))[0]))
    return tuple(images)


def kind_images(g: int) -> tuple[int, ...]:
    """Return the image of each kind of worker tile: mirroring swaps the last two."""
    order = list(range(len(WORKER_KINDS)))
    return (*order[:2], order[3], order[2]) if g >= 4 else tuple(order)


def channel_images(g: int) -> list[int]:
    """Return the image of each board channel except those of owners (they stay)."""
    images = list(range(len(CHANNELS)))
    if side_images(g)[0] % 2 == 1:  # north goes east or west: volcanoes give the other way
        a, b = _NAMES.index("volcano_east_west"), _NAMES.index("volcano_north_south")
        images[a], images[b] = b, a
    for side, image in enumerate(side_images(g)):
        images[_NUM_JUNGLE + side] = _NUM_JUNGLE + image
    return images


def image_corner(
    g: int, observation: npt.NDArray[Any], num_players: int, table_size: int
) -> Corner:
    """Return the corner of the image's window, in cells of the image of this observation's window."""
    board = layout(num_players, table_size)[0]
    planes = observation[board.start : board.stop].reshape(board.shape)
    rows, columns = np.nonzero(planes[:_NUM_JUNGLE].any(axis=0))
    if not len(rows):
        raise ValueError("the observation has no jungle tile, as no position of a game")
    first = image_of_cell(g, int(rows.min()), int(columns.min()))
    last = image_of_cell(g, int(rows.max()), int(columns.max()))
    (r0, r1), (c0, c1) = sorted((first[0], last[0])), sorted((first[1], last[1]))
    row, column = window_corner(r0, r1, c0, c1, table_size)
    return int(row), int(column)


@cache
def _source_cells(g: int, corner: Corner, size: int) -> npt.NDArray[np.int64]:
    """Return the flat source cell of each cell of the image's window, or -1; shape (W * W,)."""
    back = inverse(g)
    sources = np.full(size * size, -1, np.int64)
    for row in range(size):
        for column in range(size):
            r, c = image_of_cell(back, row + corner[0], column + corner[1])
            if 0 <= r < size and 0 <= c < size:
                sources[row * size + column] = r * size + c
    return sources


@cache
def _observation_sources(
    g: int, corner: Corner, num_players: int, size: int
) -> npt.NDArray[np.int64]:
    """Return the source entry of each entry of the image; one past the end for none."""
    entries = {entry.name: entry for entry in layout(num_players, size)}
    end = max(entry.stop for entry in entries.values())
    sources = np.arange(end)
    cells = _source_cells(g, corner, size)
    images = channel_images(g) + list(range(len(CHANNELS), len(CHANNELS) + num_players))
    for channel, image in enumerate(images):
        plane = np.where(cells < 0, end, channel * size * size + cells)
        sources[image * size * size : (image + 1) * size * size] = plane
    for name in ("hand", "pile", "unseen"):
        entry = entries[name]
        block = np.arange(entry.start, entry.stop).reshape(-1, len(WORKER_KINDS))
        sources[entry.start : entry.stop] = block[:, list(kind_images(g))].reshape(-1)
    pending = entries["pending"]
    for side, side_image in enumerate(side_images(g)):
        for facing, facing_image in enumerate(side_images(g)):
            at = pending.start + side_image * 4 + facing_image
            sources[at] = pending.start + side * 4 + facing
    return sources


@cache
def _action_sources(
    g: int, corner: Corner, size: int, volcano_slots: tuple[bool, ...]
) -> npt.NDArray[np.int64]:
    """Return the source action of each action of the image; one past the end for none."""
    fills = int(place_actions(size))
    acts, end = fills + FILL_ACTIONS, fills + FILL_ACTIONS + ACT_ACTIONS
    sources = np.full(end, end, np.int64)
    cells = _source_cells(g, corner, size)
    for index in range(size * size // 2):
        row, column = window_cell(index, size)
        source = cells[row * size + column]
        if source >= 0:
            for variant, image in enumerate(variant_images(g)):
                sources[index * NUM_VARIANTS + image] = (source >> 1) * NUM_VARIANTS + variant
    sides = side_images(g)
    for side, slot, orientation in np.ndindex(4, DISPLAY_SIZE, ORIENTATIONS):
        # A quarter turn makes one orientation of a volcano the other.
        turned = orientation ^ (volcano_slots[slot] and sides[0] % 2)
        image = (sides[side] * DISPLAY_SIZE + slot) * ORIENTATIONS + turned
        sources[fills + image] = fills + (side * DISPLAY_SIZE + slot) * ORIENTATIONS + orientation
    for side, facing, workers in np.ndindex(4, 4, WORKER_CHOICES):
        image = (sides[side] * 4 + sides[facing]) * WORKER_CHOICES + workers
        sources[acts + image] = acts + (side * 4 + facing) * WORKER_CHOICES + workers
    return sources


def _checked(g: Any, observation: Any, num_players: int, table_size: int) -> npt.NDArray[Any]:
    as_int("g", g, 0, NUM_SYMMETRIES - 1)
    observation = checked(observation, num_players, table_size)
    if observation.ndim != 1:
        raise ValueError(f"expected one observation, not an array of shape {observation.shape}")
    return observation


def _sources_for(
    g: int, observation: npt.NDArray[Any], num_players: int, table_size: int
) -> npt.NDArray[np.int64]:
    observation = _checked(g, observation, num_players, table_size)
    corner = image_corner(g, observation, num_players, table_size)
    entry = next(e for e in layout(num_players, table_size) if e.name == "display")
    display = observation[entry.start : entry.stop].reshape(entry.shape)
    slots = tuple(bool(slot[VOLCANO - 1]) for slot in display)
    return _action_sources(g, corner, table_size, slots)


def transform_observation(
    g: int, observation: npt.NDArray[Any], num_players: int, table_size: int
) -> npt.NDArray[Any]:
    """Return the image of an observation, raw or scaled, shape (observation_size,).

    ValueError for an array of another shape and for a ``g`` that is not 0 to 7.
    """
    observation = _checked(g, observation, num_players, table_size)
    corner = image_corner(g, observation, num_players, table_size)
    sources = _observation_sources(g, corner, num_players, table_size)
    return np.append(observation, observation.dtype.type(0))[sources]


def transform_mask(
    g: int,
    mask: npt.NDArray[Any],
    observation: npt.NDArray[Any],
    num_players: int,
    table_size: int,
) -> npt.NDArray[Any]:
    """Return the image of an action mask, or of any array with one entry for each action, shape (N,).

    ``observation`` is that of the same position, before the transformation.
    """
    sources = _sources_for(g, observation, num_players, table_size)
    mask = np.asarray(mask)
    if mask.shape != sources.shape:
        raise ValueError(f"the mask has shape {mask.shape}, expected {sources.shape}")
    return np.append(mask, mask.dtype.type(0))[sources]


def transform_action(
    g: int, action: int, observation: npt.NDArray[Any], num_players: int, table_size: int
) -> int:
    """Return the image of an action; ValueError if the image's window does not show it."""
    sources = _sources_for(g, observation, num_players, table_size)
    action = as_int("action", action, 0, len(sources) - 1)
    found = np.flatnonzero(sources == action)
    if not len(found):
        raise ValueError(f"the image of action {action} lies outside the window")
    return int(found[0])
