"""The state of a game: one element of a structured array, and its deal.

An assignment copies a game, N games are an array of N, and ``tobytes`` saves them.  Chance is only in
the drawing orders: a game is fully determined by its options, deal and actions.

Codes on ``board`` (see :mod:`cacao_env.engine.tiles`), above 0 for tiles:

- even cells: a jungle tile's code, or for an empty cell minus the number of worker tiles beside it;
- odd cells: ``1 + 13 * seat + variant``, with ``OVERBUILT`` added when another tile lies below; where a
  tile may be put ``-1 - i``, i its place in ``open_cells``; 0 where nothing is near.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .geometry import NEIGHBOR, NUM_CELLS, cell_index, opposite, window_corner
from .jit import inlined, njit
from .rng import RngArray, shuffle
from .tiles import (
    DISPLAY_SIZE,
    EDGES,
    HAND_SIZE,
    JUNGLE_DRAWS,
    JUNGLE_KINDS,
    JUNGLE_SUPPLY_BY_CODE,
    MAX_JUNGLE_DRAWS,
    MAX_PLAYERS,
    MAX_TEMPLES,
    MAX_TILES,
    MAX_TURNS,
    NUM_JUNGLE_KINDS,
    NUM_VARIANTS,
    START_TILES,
    TEMPLE,
    TILES_EACH,
    WORKER_KINDS,
    WORKER_SUPPLY,
)
from .types import Array, Record, i8, name, struct

PLACE, FILL, ACT, OVER = range(4)
PHASE_NAMES = ("place", "fill", "act", "over")
# Which decisions are asked: all; those that can matter; placements.
EXPLICIT, AUTO, TURN = range(3)

OVERBUILT = 64
MAX_OPEN = 4 * (MAX_JUNGLE_DRAWS + 2)
CODES = OVERBUILT + MAX_PLAYERS * NUM_VARIANTS + 1

_KINDS = len(WORKER_KINDS)
STATE = struct(
    [
        # Options, set once.
        ("num_players", "i1"),
        ("volcanoes", "i1"),  # 0 or 1
        ("decisions", "i1"),  # which are asked: EXPLICIT, AUTO or TURN
        ("table_size", "i1"),  # W of the window
        # The deal.  Kinds in drawing order: worker kinds 0..3, jungle codes 1..11, else 0.
        ("worker_draws", "i1", (MAX_PLAYERS, MAX_TILES)),
        ("jungle_draws", "i1", (MAX_JUNGLE_DRAWS,)),
        ("tiles_each", "i1"),  # worker tiles of a player
        ("num_jungle", "i1"),  # jungle tiles to draw
        # The decision to make.
        ("phase", "i1"),  # PLACE, FILL, ACT or OVER
        ("seat", "i1"),  # the deciding seat
        # The seat whose turn it is (others may decide in it); meaningless at the end.
        ("active", "i1"),
        ("turn", "i2"),  # finished turns
        ("ply", "i2"),  # decisions that were asked and answered
        # The table.
        ("board", "i1", (NUM_CELLS,)),
        ("jungle_cells", "i2", (MAX_JUNGLE_DRAWS + 2,)),  # in the order they were laid
        ("jungle_count", "i2"),
        ("temple_cells", "i2", (MAX_TEMPLES,)),
        ("temple_count", "i2"),
        ("worker_cells", "i2", (MAX_TURNS,)),  # in the order they were first covered
        ("under", "i1", (MAX_TURNS,)),  # per worker cell: 1 + variant of an overbuilt tile, or 0
        ("worker_count", "i2"),
        ("open_cells", "i2", (MAX_OPEN,)),  # empty worker cells that touch a jungle tile
        ("open_count", "i2"),
        ("row_min", "i2"),  # bounding box of the jungle tiles, absolute
        ("row_max", "i2"),
        ("column_min", "i2"),
        ("column_max", "i2"),
        ("corner_row", "i2"),  # of the window, absolute
        ("corner_column", "i2"),
        # Players.
        ("hand", "i1", (MAX_PLAYERS, _KINDS)),  # copies of each kind
        # Hand and pile by kind: every player can count them.
        ("unplaced", "i1", (MAX_PLAYERS, _KINDS)),
        ("drawn", "i1", (MAX_PLAYERS,)),  # tiles drawn from the pile so far
        ("played", "i1", (MAX_PLAYERS, MAX_TILES)),  # kinds in the order they were placed
        ("placed", "i1", (MAX_PLAYERS,)),  # how many that are
        ("gold", "i2", (MAX_PLAYERS,)),
        ("cacao", "i1", (MAX_PLAYERS,)),
        ("sun", "i1", (MAX_PLAYERS,)),
        ("water", "i1", (MAX_PLAYERS,)),  # field of the track, 0..8
        ("temples", "i2", (MAX_PLAYERS,)),  # gold from temples if the game ended now
        # The display and the pile.
        ("display", "i1", (DISPLAY_SIZE,)),  # jungle codes, 0 for an empty slot
        # Bit s: slot s was filled at the end of the last turn; 0 after the next placement.
        ("refilled", "i1"),
        ("jungle_drawn", "i1"),
        ("jungle_pile", "i1", (NUM_JUNGLE_KINDS + 1,)),  # the pile by code
        ("overbuilding", "i1"),  # 1 from the turn that starts with pile and display empty
        # The turn in progress.
        ("last", "i2"),  # cell of the tile just placed, -1 before the first
        ("to_fill", "i1"),  # bit s: the jungle cell on side s of ``last`` must be filled
        ("filled", "i1"),  # bit s: it was filled this turn
        # Bit 4 * s + x: the seat's edge that faces side x of the jungle tile on side s of ``last`` is
        # activated and has not acted.
        ("pending", "u2", (MAX_PLAYERS,)),
    ]
)
State: TypeAlias = Any  # a record of it
StateArray = npt.NDArray[np.void]
name("State", Record(STATE))
name("StateArray", Array(STATE, 1))

# By board code of a worker tile: its owner, its variant, its workers on each side.
_codes = [(code & (OVERBUILT - 1)) - 1 for code in range(CODES)]
OWNER = np.array([c // NUM_VARIANTS if c >= 0 else -1 for c in _codes], np.int64)
VARIANT = np.array([c % NUM_VARIANTS if c >= 0 else 0 for c in _codes], np.int64)
WORKERS = np.array([EDGES[c % NUM_VARIANTS] if c >= 0 else [0] * 4 for c in _codes], np.int64)

_START_ROWS = np.array([cell[0] for _, cell in START_TILES], np.int64)
_START_COLUMNS = np.array([cell[1] for _, cell in START_TILES], np.int64)
_START_CODES = np.array([JUNGLE_KINDS.index(kind) + 1 for kind, _ in START_TILES], np.int64)


def empty_states(count: int) -> StateArray:
    """Return ``count`` blank records, shape (count,); the fields are attributes of each element."""
    return np.zeros(count, STATE)


@njit
def set_options(
    state: State, num_players: i8, volcanoes: i8, decisions: i8, table_size: i8
) -> None:
    """Write the options into a blank state."""
    state.num_players = num_players
    state.volcanoes = volcanoes
    state.decisions = decisions
    state.table_size = table_size
    state.tiles_each = TILES_EACH[num_players]
    state.num_jungle = JUNGLE_DRAWS[num_players, volcanoes]


@njit
def deal(state: State, rng: RngArray) -> None:
    """Shuffle all piles with ``rng`` and set the game up (rules 2)."""
    players = state.num_players
    for seat in range(players):
        shuffle_pool(state.worker_draws[seat], WORKER_SUPPLY[players], rng)
    shuffle_pool(state.jungle_draws[:], JUNGLE_SUPPLY_BY_CODE[players, state.volcanoes], rng)
    set_up(state)


@njit
def set_up(state: State) -> None:
    """Lay out the start of the game whose options and drawing orders are written (rules 2)."""
    state.board[:] = 0
    state.jungle_cells[:] = 0
    state.jungle_count = 0
    state.temple_cells[:] = 0
    state.temple_count = 0
    state.worker_cells[:] = 0
    state.under[:] = 0
    state.worker_count = 0
    state.open_cells[:] = 0
    state.open_count = 0
    state.row_min = _START_ROWS[0]
    state.row_max = _START_ROWS[0]
    state.column_min = _START_COLUMNS[0]
    state.column_max = _START_COLUMNS[0]
    for i in range(len(_START_CODES)):
        lay_jungle(
            state,
            cell_index(_START_ROWS[i], _START_COLUMNS[i]),
            _START_ROWS[i],
            _START_COLUMNS[i],
            _START_CODES[i],
        )
    state.hand[:] = 0
    state.unplaced[:] = 0
    state.drawn[:] = 0
    state.played[:] = 0
    state.placed[:] = 0
    state.gold[:] = 0
    state.cacao[:] = 0
    state.sun[:] = 0
    state.water[:] = 0
    state.temples[:] = 0
    for seat in range(state.num_players):
        for kind in range(_KINDS):
            state.unplaced[seat, kind] = WORKER_SUPPLY[state.num_players, kind]
        for _ in range(HAND_SIZE):
            draw_worker(state, seat)
    state.display[:] = 0
    state.jungle_drawn = 0
    for code in range(NUM_JUNGLE_KINDS + 1):
        state.jungle_pile[code] = JUNGLE_SUPPLY_BY_CODE[state.num_players, state.volcanoes, code]
    refill_display(state)
    state.refilled = 0
    state.overbuilding = 0
    state.last = -1
    state.to_fill = 0
    state.filled = 0
    state.pending[:] = 0
    state.phase = PLACE
    state.seat = 0
    state.active = 0
    state.turn = 0
    state.ply = 0


@njit
def lay_jungle(state, cell, row, column, code):
    """Put a jungle tile on the table and keep the lists of cells and the window up to date."""
    state.board[cell] = code
    state.jungle_cells[state.jungle_count] = cell
    state.jungle_count += 1
    if code == TEMPLE:
        state.temple_cells[state.temple_count] = cell
        state.temple_count += 1
    for side in range(4):
        beside = NEIGHBOR[cell, side]
        if state.board[beside] == 0:
            state.board[beside] = -1 - state.open_count
            state.open_cells[state.open_count] = beside
            state.open_count += 1
    state.row_min = min(state.row_min, row)
    state.row_max = max(state.row_max, row)
    state.column_min = min(state.column_min, column)
    state.column_max = max(state.column_max, column)
    state.corner_row, state.corner_column = window_corner(
        state.row_min, state.row_max, state.column_min, state.column_max, state.table_size
    )


@inlined
def draw_worker(state, seat):
    """Draw the next worker tile of a seat's pile, if there is one."""
    if state.drawn[seat] < state.tiles_each:
        state.hand[seat, state.worker_draws[seat, state.drawn[seat]]] += 1
        state.drawn[seat] += 1


@inlined
def refill_display(state):
    """Draw jungle tiles into the empty slots of the display while the pile lasts."""
    state.refilled = 0
    for slot in range(DISPLAY_SIZE):
        if state.display[slot] == 0:
            draw_jungle(state, slot)
            if state.display[slot] != 0:
                state.refilled |= 1 << slot


@inlined
def draw_jungle(state, slot):
    """Draw the next jungle tile of the pile, if there is one, into a slot of the display."""
    if state.jungle_drawn < state.num_jungle:
        code = state.jungle_draws[state.jungle_drawn]
        state.display[slot] = code
        state.jungle_pile[code] -= 1
        state.jungle_drawn += 1


@inlined
def jungle_left(state):
    """Count the jungle tiles that can still be placed: pile and display."""
    left = jungle_pile_size(state)
    for slot in range(DISPLAY_SIZE):
        if state.display[slot] != 0:
            left += 1
    return left


@inlined
def cell_row(state, cell):
    """Return the absolute row of a torus cell in play."""
    first = np.int64(state.row_min) - 2
    return first + (((np.int64(cell) >> 5) - first) & 31)


@inlined
def cell_column(state, cell):
    """Return the absolute column of a torus cell in play."""
    first = np.int64(state.column_min) - 2
    return first + (((np.int64(cell) & 31) - first) & 31)


@inlined
def jungle_pile_size(state):
    """Count the tiles in the jungle pile."""
    return np.int64(state.num_jungle) - np.int64(state.jungle_drawn)


@inlined
def pending_cell(state, side, facing):
    """Return the torus cell of the worker tile at a side of the jungle tile on a side of ``last``."""
    return NEIGHBOR[NEIGHBOR[state.last, side], facing]


@inlined
def pending_workers(state, side, facing):
    """Return the workers on that edge."""
    return WORKERS[state.board[pending_cell(state, side, facing)], opposite(facing)]


@njit
def redeal(state: State, viewer: i8, rng: RngArray) -> None:
    """Deal everything that ``viewer`` can't see again, in place; everything it can see stays.

    Its own pile and the jungle pile are shuffled; hand and pile of every other seat are pooled and
    dealt again.  The result depends only on what the viewer knows and on ``rng``, and all orders that
    it can't tell apart have the same probability.  Tiles that others placed move to the front of their
    drawing order (their places there are hidden too), so the game's actions still replay.
    """
    for seat in range(state.num_players):
        draws = state.worker_draws[seat]
        pool = state.unplaced[seat].copy()
        first = np.int64(state.placed[seat])
        if seat == viewer:
            first = np.int64(state.drawn[seat])
            for kind in range(_KINDS):
                pool[kind] -= state.hand[seat, kind]
        else:
            for place in range(first):
                draws[place] = state.played[seat, place]
        shuffle_pool(draws[first : state.tiles_each], pool, rng)
        if seat != viewer:
            state.hand[seat, :] = 0
            for place in range(first, state.drawn[seat]):
                state.hand[seat, draws[place]] += 1
    shuffle_pool(state.jungle_draws[state.jungle_drawn : state.num_jungle], state.jungle_pile, rng)


@njit
def shuffle_pool(draws, pool, rng):
    """Fill the front of ``draws`` with pool[kind] copies of each kind, shuffled."""
    count = np.int64(0)
    for kind in range(len(pool)):
        for _ in range(pool[kind]):
            draws[count] = kind
            count += 1
    shuffle(rng, draws, count)
