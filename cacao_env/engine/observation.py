"""Observations: what a seat may know, from its view, as one flat vector with named slices.

``layout(num_players, table_size)`` is the only table of names, shapes, ranges and meanings; the
compiled functions below take their offsets from it.  Players are in seating order, beginning with the
observer ("relative seat": the observer is 0, then clockwise).  Raw observations are ``uint8``;
divided by each slice's ``high`` they are ``float32`` in [0, 1].  Everything is public except the
kinds in the other hands and the orders of the piles, which appear only as counts that every player
can make.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..checks import as_int
from .geometry import MAX_TABLE, MIN_TABLE, NEIGHBOR, TORUS
from .jit import njit
from .scoring import score
from .state import FILL, OVER, OVERBUILT, OWNER, PHASE_NAMES, WORKERS, pending_workers
from .tiles import (
    ACTION_VALUE,
    CACAO_PLACES,
    DISPLAY_SIZE,
    HAND_SIZE,
    JUNGLE_COPIES,
    JUNGLE_KINDS,
    LAST_WATER,
    MAX_PLAYERS,
    MAX_PRICE,
    MAX_TEMPLES,
    MAX_TILES,
    MAX_TURNS,
    MAX_WORKERS,
    MAX_WORKERS_ON_EDGE,
    MIN_PLAYERS,
    NUM_JUNGLE_KINDS,
    SUN_PLACES,
    TEMPLE_FIRST,
    WATER_TRACK,
    WORKER_COPIES,
    WORKER_KINDS,
)

ObservationDtype = Literal["float32", "uint8"]
OBSERVATION_DTYPES: tuple[ObservationDtype, ...] = ("float32", "uint8")
MaskIn = Literal["observation", "info", "both"]
MASK_IN: tuple[MaskIn, ...] = ("observation", "info", "both")

# Scores are written with this added, so that none is below 0.
SCORE_OFFSET = int(-WATER_TRACK[0])
# No seat earns more than by selling with every worker of every tile; temples, sun and water are
# added.
HIGH_GOLD = MAX_WORKERS * MAX_PRICE * MAX_TILES
HIGH_SCORE = (
    HIGH_GOLD + TEMPLE_FIRST * MAX_TEMPLES + SUN_PLACES + int(WATER_TRACK[-1]) + SCORE_OFFSET
)

# The board's channels, each W x W.  One for the owner of each relative seat follows the last.
CHANNELS = (
    ("plantation", 2, "plantation: cacao a worker takes"),
    ("market", 4, "market: selling price"),
    ("mine", 2, "gold mine: value"),
    ("water", 1, "water"),
    ("sun", 1, "sun-worshipping site"),
    ("temple", 1, "temple"),
    ("volcano_east_west", 1, "volcano that gives to east and west and takes from north and south"),
    ("volcano_north_south", 1, "volcano turned: gives to north and south"),
    ("workers_north", 3, "workers on the north edge of a worker tile"),
    ("workers_east", 3, "workers on its east edge"),
    ("workers_south", 3, "workers on its south edge"),
    ("workers_west", 3, "workers on its west edge"),
    ("overbuilt", 1, "worker tile with another one below"),
    ("open", 1, "empty worker cell that touches a jungle tile"),
    ("last", 1, "the tile placed last"),
    ("to_fill", 1, "jungle cell that must be filled now"),
)
_NAMES = [name for name, _, _ in CHANNELS]
_WORKERS, _OVERBUILT, _OPEN, _LAST, _TO_FILL = (
    _NAMES.index(name) for name in ("workers_north", "overbuilt", "open", "last", "to_fill")
)
_OWNER = len(CHANNELS)
# Channel and value of a jungle tile by its code; tiles without a number of their own count 1.
_VOLCANOES = ("volcano_east_west", "volcano_north_south")
_JUNGLE_CHANNEL = np.array(
    [0, *(_NAMES.index(kind.rstrip("1234")) for kind in JUNGLE_KINDS[:-1])]
    + [_NAMES.index(name) for name in _VOLCANOES],
    np.int64,
)
_JUNGLE_VALUE = np.maximum(ACTION_VALUE, np.arange(len(ACTION_VALUE)) > 0)


@dataclass(frozen=True)
class Slice:
    """One named slice of the observation.

    ``start`` and ``stop`` in the flat vector, its ``shape``, and ``high``: the largest raw value,
    one number, or one for each item along the first axis.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    high: int | tuple[int, ...]
    meaning: str

    @property
    def stop(self) -> int:
        """One past the last index of the slice."""
        return self.start + int(np.prod(self.shape))

    @property
    def highs(self) -> npt.NDArray[np.uint8]:
        """``high`` spread out to ``shape``."""
        high = np.array(self.high, np.uint8)
        return np.broadcast_to(
            high.reshape(high.shape + (1,) * (len(self.shape) - high.ndim)), self.shape
        )


@cache
def layout(num_players: int, table_size: int) -> tuple[Slice, ...]:
    """Return the slices of the observation, in order; the board is (C, W, W)."""
    players, jungle, others = num_players, NUM_JUNGLE_KINDS, num_players - 1
    channels = len(CHANNELS) + players
    high = tuple(value for _, value, _ in CHANNELS) + (1,) * players
    kinds = len(WORKER_KINDS)
    rows: list[tuple[str, tuple[int, ...], int | tuple[int, ...], str]] = [
        ("board", (channels, table_size, table_size), high, "the table, channel by channel"),
        ("phase", (4,), 1, "one-hot: " + ", ".join(PHASE_NAMES)),
        ("turn", (1,), MAX_TURNS, "finished turns"),
        ("active", (players,), 1, "one-hot over relative seats: whose turn it is"),
        ("deciding", (players,), 1, "one-hot over relative seats: the deciding seat"),
        ("tiles_left", (players,), MAX_TILES, "worker tiles not placed yet, by relative seat"),
        ("hand", (kinds,), HAND_SIZE, "own hand, by kind"),
        ("pile", (kinds,), max(WORKER_COPIES), "own pile, by kind"),
        ("hand_sizes", (others,), HAND_SIZE, "hand tiles of the other seats"),
        (
            "unseen",
            (others, kinds),
            max(WORKER_COPIES),
            "hand and pile of each other seat, by kind",
        ),
        ("gold", (players,), HIGH_GOLD, "coins, by relative seat"),
        ("cacao", (players,), CACAO_PLACES, "stored cacao, by relative seat"),
        ("sun", (players,), SUN_PLACES, "sun tokens, by relative seat"),
        ("water", (players,), LAST_WATER, "field of the water track, by relative seat"),
        ("score", (players,), HIGH_SCORE, f"score if the game ended now, plus {SCORE_OFFSET}"),
        ("display", (DISPLAY_SIZE, jungle), 1, "one-hot for each slot: " + ", ".join(JUNGLE_KINDS)),
        ("jungle_pile", (jungle,), max(JUNGLE_COPIES), "jungle pile, by kind"),
        ("overbuilding", (1,), 1, "overbuilding has begun"),
        (
            "pending",
            (4, 4),
            MAX_WORKERS_ON_EDGE,
            "own activated workers: side of the tile placed last * side of the jungle tile there",
        ),
    ]
    entries: list[Slice] = []
    start = 0
    for name, shape, limit, meaning in rows:
        entries.append(Slice(name, start, shape, limit, meaning))
        start = entries[-1].stop
    return tuple(entries)


def observation_size(num_players: int, table_size: int) -> int:
    """Return the length of the flat vector."""
    return layout(num_players, table_size)[-1].stop


@cache
def scale(num_players: int, table_size: int) -> npt.NDArray[np.float32]:
    """Return the factors that scale raw entries to [0, 1]; shape (observation_size,)."""
    highs = np.concatenate([e.highs.reshape(-1) for e in layout(num_players, table_size)])
    result: npt.NDArray[np.float32] = np.float32(1) / highs.astype(np.float32)
    result.flags.writeable = False
    return result


@njit
def observe_into(state, viewer, out):
    """Write what ``viewer`` sees into ``out``, uint8, shape (observation_size,)."""
    out[:] = 0
    board_end = _observe_board(state, viewer, out)
    _observe_features(state, viewer, out[board_end:])


@njit
def _observe_board(state, viewer, out):
    # The bit masks show that no index is below 0, which saves the compiler a check at every index.
    size = np.int64(state.table_size) & 63
    players = np.int64(state.num_players) & 7
    plane = size * size
    corner_row, corner_column = np.int64(state.corner_row), np.int64(state.corner_column)
    for i in range(state.jungle_count):
        cell = np.int64(state.jungle_cells[i])
        at = _window_offset(cell, corner_row, corner_column, size)
        code = state.board[cell]
        out[_JUNGLE_CHANNEL[code] * plane + at] = _JUNGLE_VALUE[code]
    for i in range(state.worker_count):
        cell = np.int64(state.worker_cells[i])
        at = _window_offset(cell, corner_row, corner_column, size)
        code = state.board[cell]
        for side in range(4):
            out[(_WORKERS + side) * plane + at] = WORKERS[code, side]
        if code >= OVERBUILT:
            out[_OVERBUILT * plane + at] = 1
        out[(_OWNER + _relative(OWNER[code], viewer, players)) * plane + at] = 1
    for i in range(state.open_count):
        at = _window_offset(np.int64(state.open_cells[i]), corner_row, corner_column, size)
        out[_OPEN * plane + at] = 1
    if state.last >= 0:
        last = np.int64(state.last)
        out[_LAST * plane + _window_offset(last, corner_row, corner_column, size)] = 1
        if state.phase == FILL:
            for side in range(4):
                if (state.to_fill >> side) & 1:
                    beside = np.int64(NEIGHBOR[last, side])
                    at = _window_offset(beside, corner_row, corner_column, size)
                    out[_TO_FILL * plane + at] = 1
    return (_OWNER + players) * plane


@njit
def _relative(seat, viewer, players):
    """Count the seats clockwise from the viewer to a seat (without a division, which is slow)."""
    return seat - viewer if seat >= viewer else seat - viewer + players


@njit
def _window_offset(cell, corner_row, corner_column, size):
    """Return the place of a torus cell in a W x W channel."""
    row = ((cell >> 5) - corner_row) & (TORUS - 1)
    column = ((cell & (TORUS - 1)) - corner_column) & (TORUS - 1)
    return row * size + column


# Where each slice behind the board begins, counted from the end of the board, by number of players:
# the same at every table size.
_SIZE = 2
_STARTS = {
    entry.name: np.array(
        [0] * MIN_PLAYERS
        + [
            layout(n, _SIZE)[i].start - layout(n, _SIZE)[0].stop
            for n in range(MIN_PLAYERS, MAX_PLAYERS + 1)
        ],
        np.uint16,
    )
    for i, entry in enumerate(layout(MIN_PLAYERS, _SIZE))
    if entry.name != "board"
}
_PHASE, _TURN, _ACTIVE, _DECIDING = (_STARTS[k] for k in ("phase", "turn", "active", "deciding"))
_TILES_LEFT, _HAND, _PILE, _UNSEEN = (_STARTS[k] for k in ("tiles_left", "hand", "pile", "unseen"))
_HAND_SIZES, _GOLD, _CACAO, _SUN = (_STARTS[k] for k in ("hand_sizes", "gold", "cacao", "sun"))
_WATER, _SCORE, _DISPLAY = (_STARTS[k] for k in ("water", "score", "display"))
_JUNGLE_PILE, _OVERBUILDING, _PENDING = (
    _STARTS[k] for k in ("jungle_pile", "overbuilding", "pending")
)


@njit
def _observe_features(state, viewer, out):
    """Write the slices behind the board."""
    players = np.int64(state.num_players) & 7
    kinds = len(WORKER_COPIES)
    out[_PHASE[players] + state.phase] = 1
    out[_TURN[players]] = state.turn
    if state.phase != OVER:
        out[_ACTIVE[players] + _relative(np.int64(state.active), viewer, players)] = 1
        out[_DECIDING[players] + _relative(np.int64(state.seat), viewer, players)] = 1
    for relative in range(players):
        seat = viewer + relative
        if seat >= players:
            seat -= players
        seat &= 3
        out[_TILES_LEFT[players] + relative] = state.tiles_each - state.placed[seat]
        out[_GOLD[players] + relative] = state.gold[seat]
        out[_CACAO[players] + relative] = state.cacao[seat]
        out[_SUN[players] + relative] = state.sun[seat]
        out[_WATER[players] + relative] = state.water[seat]
        out[_SCORE[players] + relative] = score(state, seat) + SCORE_OFFSET
        for kind in range(kinds):
            if relative == 0:
                out[_HAND[players] + kind] = state.hand[seat, kind]
                out[_PILE[players] + kind] = state.unplaced[seat, kind] - state.hand[seat, kind]
            else:
                out[_UNSEEN[players] + (relative - 1) * kinds + kind] = state.unplaced[seat, kind]
        if relative > 0:
            out[_HAND_SIZES[players] + relative - 1] = state.drawn[seat] - state.placed[seat]
    for slot in range(DISPLAY_SIZE):
        if state.display[slot] > 0:
            out[_DISPLAY[players] + slot * NUM_JUNGLE_KINDS + state.display[slot] - 1] = 1
    for kind in range(NUM_JUNGLE_KINDS):
        out[_JUNGLE_PILE[players] + kind] = state.jungle_pile[kind + 1]
    out[_OVERBUILDING[players]] = state.overbuilding
    edges = np.int64(state.pending[viewer])
    if edges != 0:
        for side in range(4):
            for facing in range(4):
                if (edges >> (4 * side + facing)) & 1:
                    at = _PENDING[players] + side * 4 + facing
                    out[at] = pending_workers(state, side, facing)


# --- Scaled to [0, 1] -----------------------------------------------------------------------
# Only entries that scaling changes are multiplied.  They are few: most of an observation is board,
# and most of a board is empty.

_LARGE = [(number, name) for number, (name, high, _) in enumerate(CHANNELS) if high > 1]
# Channels with values above 1: those that worker tiles write, and those that jungle tiles write.
_WORKER_CHANNELS = np.array([n for n, name in _LARGE if name.startswith("workers_")], np.int64)
_JUNGLE_CHANNELS = np.array([n for n, name in _LARGE if not name.startswith("workers_")], np.int64)
_CHANNEL_FACTORS = np.array([1 / high for _, high, _ in CHANNELS], np.float32)
# Factors of the slices behind the board, by number of players; they are the same at every size.
_FEATURE_FACTORS = np.zeros(
    (MAX_PLAYERS + 1, layout(MAX_PLAYERS, _SIZE)[-1].stop - layout(MAX_PLAYERS, _SIZE)[0].stop),
    np.float32,
)
for _players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
    _found = scale(_players, _SIZE)[layout(_players, _SIZE)[0].stop :]
    _FEATURE_FACTORS[_players, : len(_found)] = _found


@njit
def observe_as(state, viewer, scaled, out):
    """Write what ``viewer`` sees into ``out``: in [0, 1] if ``scaled``, else raw.

    ``out``: float32 or, for raw values only, uint8; shape (observation_size,).
    """
    observe_into(state, viewer, out)
    if not scaled:
        return
    players = np.int64(state.num_players)
    size = np.int64(state.table_size)
    plane = size * size
    corner_row, corner_column = np.int64(state.corner_row), np.int64(state.corner_column)
    for i in range(state.jungle_count):
        at = _window_offset(np.int64(state.jungle_cells[i]), corner_row, corner_column, size)
        for channel in _JUNGLE_CHANNELS:
            out[channel * plane + at] *= _CHANNEL_FACTORS[channel]
    for i in range(state.worker_count):
        at = _window_offset(np.int64(state.worker_cells[i]), corner_row, corner_column, size)
        for channel in _WORKER_CHANNELS:
            out[channel * plane + at] *= _CHANNEL_FACTORS[channel]
    features = out[(_OWNER + players) * plane :]
    for i in range(len(features)):
        features[i] *= _FEATURE_FACTORS[players, i]


def checked(observation: Any, num_players: int, table_size: int) -> npt.NDArray[Any]:
    """Return observations as an array; ValueError if they have another size."""
    players = as_int("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
    array = np.asarray(observation)
    size = observation_size(players, as_int("table_size", table_size, MIN_TABLE, MAX_TABLE))
    if array.shape[-1:] != (size,):
        raise ValueError(
            f"an observation for {num_players} players and table size {table_size} has {size} "
            f"entries, not {array.shape[-1] if array.ndim else 0}"
        )
    return array


def decode(
    observation: npt.NDArray[Any], num_players: int, table_size: int
) -> dict[str, npt.NDArray[Any]]:
    """Return the named slices of a raw or scaled observation as raw ``uint8`` arrays of their shapes.

    Leading axes (a batch) are kept.
    """
    observation = checked(observation, num_players, table_size)
    if observation.dtype.kind == "f":
        highs = 1 / scale(num_players, table_size)
        observation = np.rint(observation * highs)
    observation = observation.astype(np.uint8)
    lead = observation.shape[:-1]
    return {
        entry.name: observation[..., entry.start : entry.stop].reshape(lead + entry.shape)
        for entry in layout(num_players, table_size)
    }


def planes(
    observation: npt.NDArray[Any], num_players: int, table_size: int
) -> dict[str, npt.NDArray[Any]]:
    """Return ``board`` (..., C, W, W) and ``features`` (..., F), the rest: views of the vectors."""
    observation = checked(observation, num_players, table_size)
    board = layout(num_players, table_size)[0]
    return {
        "board": observation[..., : board.stop].reshape(observation.shape[:-1] + board.shape),
        "features": observation[..., board.stop :],
    }
