"""The rules: the three steps of a turn and its end (rules 4, 6, 7).

Each function assumes a legal move (``actions.why_illegal`` checks it) and changes the state in place.
"""

from __future__ import annotations

import numpy as np

from .geometry import NEIGHBOR, opposite, window_fits
from .jit import inlined
from .scoring import count_temples
from .state import (
    ACT,
    FILL,
    OVER,
    OVERBUILT,
    OWNER,
    PLACE,
    VARIANT,
    WORKERS,
    cell_column,
    cell_row,
    draw_jungle,
    draw_worker,
    jungle_left,
    lay_jungle,
    refill_display,
)
from .tiles import (
    ACTION_CLASS,
    ACTION_VALUE,
    CACAO_PLACES,
    CARRY_WATER,
    ERUPT,
    LAST_WATER,
    NOTHING,
    NUM_VARIANTS,
    SELL_CACAO,
    SUN_PLACES,
    TAKE_CACAO,
    TAKE_GOLD,
    TAKE_SUN,
    TEMPLE,
    VARIANT_KIND,
    VOLCANO,
    VOLCANO_GOLD,
    VOLCANO_TURNED,
)

# --- A. Place a worker tile -----------------------------------------------------------------


@inlined
def can_cover(state, cell, tight):
    """Return whether the deciding seat may put a hand tile on this worker cell (rules 4A, 6).

    ``tight`` is ``near_rim(state)``, asked once for all cells.
    """
    code = state.board[cell]
    if code < 0:
        return not tight or fits_table(state, cell)
    # An own tile, not covered before [R4].
    return may_overbuild(state) and 0 < code < OVERBUILT and OWNER[code] == state.seat


@inlined
def may_overbuild(state):
    """Return whether the deciding seat may overbuild: no jungle tiles left, and a sun token."""
    return state.overbuilding == 1 and state.sun[state.seat] > 0


@inlined
def near_rim(state):
    """Return whether some placement might make the table outgrow its window.

    True if jungle tiles are left and one more row or column might not fit.  (On a default table it
    still fits: ``fits_table``.)
    """
    room = state.table_size - 3
    return (
        state.row_max - state.row_min >= room - 1 or state.column_max - state.column_min >= room - 1
    ) and jungle_left(state) > 0


@inlined
def fits_table(state, cell):
    """Return whether all jungle cells that a tile on ``cell`` would fill stay in the window."""
    row_min, row_max = np.int64(state.row_min), np.int64(state.row_max)
    column_min, column_max = np.int64(state.column_min), np.int64(state.column_max)
    for side in range(4):
        beside = NEIGHBOR[cell, side]
        if state.board[beside] < 0:
            row, column = cell_row(state, beside), cell_column(state, beside)
            row_min, row_max = min(row_min, row), max(row_max, row)
            column_min, column_max = min(column_min, column), max(column_max, column)
    return window_fits(row_min, row_max, column_min, column_max, np.int64(state.table_size))


@inlined
def place(state, cell, variant):
    """Step A: put a hand tile of the active player on ``cell``, on an own tile to overbuild it."""
    seat = np.int64(state.seat)
    below = state.board[cell]
    kind = VARIANT_KIND[variant]
    state.played[seat, state.placed[seat]] = kind
    state.placed[seat] += 1
    state.hand[seat, kind] -= 1
    state.unplaced[seat, kind] -= 1
    state.last = cell
    state.refilled = 0
    if below < 0:
        remove_open_cell(state, cell)
        state.board[cell] = 1 + seat * NUM_VARIANTS + variant
        state.worker_cells[state.worker_count] = cell
        state.worker_count += 1
        state.to_fill = cells_to_fill(state, cell)
    else:
        state.board[cell] = OVERBUILT + 1 + seat * NUM_VARIANTS + variant
        for i in range(state.worker_count):
            if state.worker_cells[i] == cell:
                state.under[i] = 1 + VARIANT[below]
        state.sun[seat] -= 1
    for side in range(4):
        if state.board[NEIGHBOR[cell, side]] == TEMPLE:
            count_temples(state)
            break
    if state.to_fill == 0 or jungle_left(state) == 0:
        begin_actions(state)
    else:
        state.phase = FILL


@inlined
def remove_open_cell(state, cell):
    """Remove a cell from the list of open cells."""
    place = -1 - state.board[cell]
    state.open_count -= 1
    last = state.open_cells[state.open_count]
    state.open_cells[place] = last
    state.board[last] = -1 - place


# --- B. Fill jungle spaces ------------------------------------------------------------------


@inlined
def cells_to_fill(state, cell):
    """Count a new worker tile at the empty cells beside it; bit s is set if side s has two now."""
    sides = 0
    for side in range(4):
        beside = NEIGHBOR[cell, side]
        if state.board[beside] <= 0:
            state.board[beside] -= 1
            if state.board[beside] <= -2:
                sides |= 1 << side
    return sides


@inlined
def fill(state, side, slot, orientation):
    """Step B: fill the jungle cell on a side of the tile placed with the display tile of ``slot``."""
    cell = NEIGHBOR[state.last, side]
    code = state.display[slot]
    if code == VOLCANO and orientation == 1:
        code = VOLCANO_TURNED
    state.display[slot] = 0
    lay_jungle(state, cell, cell_row(state, cell), cell_column(state, cell), code)
    if code == TEMPLE:
        count_temples(state)
    state.to_fill &= ~(1 << side)
    state.filled |= 1 << side
    if state.to_fill != 0 and state.display[0] == 0 and state.display[1] == 0:
        draw_jungle(state, 0)  # the display is empty and cells are left: fill from the pile
    if state.to_fill == 0 or jungle_left(state) == 0:
        begin_actions(state)  # cells that could not be filled stay empty [R2]


# --- C. Actions -----------------------------------------------------------------------------


@inlined
def begin_actions(state):
    """Activate the edges of this turn and pass the decision to the first seat that acts."""
    state.to_fill = 0
    state.phase = ACT
    placed = np.int64(state.last)
    for side in range(4):
        cell = NEIGHBOR[placed, side]
        code = state.board[cell]
        if code <= 0 or ACTION_CLASS[code] == NOTHING:
            continue
        activate(state, side, opposite(side), placed)
        if (state.filled >> side) & 1:
            for facing in range(4):
                if facing != opposite(side):
                    activate(state, side, facing, NEIGHBOR[cell, facing])
    next_to_act(state)


@inlined
def activate(state, side, facing, worker_cell):
    """Activate the edge of a worker tile that faces side ``facing`` of the jungle tile on ``side``."""
    code = state.board[worker_cell]
    if code > 0 and WORKERS[code, opposite(facing)] > 0:
        state.pending[OWNER[code]] |= np.uint16(1 << (4 * side + facing))


@inlined
def next_to_act(state):
    """Pass the decision on to a seat with activated edges: active player first, then clockwise [R3]."""
    seat = np.int64(state.active)
    for _ in range(state.num_players):
        if state.pending[seat] != 0:
            state.seat = seat
            return
        seat = next_seat(state, seat)
    end_turn(state)


@inlined
def next_seat(state, seat):
    """Return the seat to the left (without a division, which is slow)."""
    return seat + 1 if seat + 1 < state.num_players else 0


@inlined
def act(state, side, facing, workers):
    """Step C: let that many workers of one activated edge act and forgo the rest."""
    seat = np.int64(state.seat)
    code = state.board[NEIGHBOR[state.last, side]]
    kind = ACTION_CLASS[code]
    value = ACTION_VALUE[code]
    if kind == TAKE_CACAO:
        state.cacao[seat] = min(CACAO_PLACES, state.cacao[seat] + value * workers)
    elif kind == SELL_CACAO:
        sold = min(workers, np.int64(state.cacao[seat]))
        state.cacao[seat] -= sold
        state.gold[seat] += sold * value
    elif kind == TAKE_GOLD:
        state.gold[seat] += value * workers
    elif kind == CARRY_WATER:
        state.water[seat] = min(LAST_WATER, state.water[seat] + workers)
    elif kind == TAKE_SUN:
        state.sun[seat] = min(SUN_PLACES, state.sun[seat] + workers)
    elif kind == ERUPT:  # each worker pays, as long as there is gold [R6]
        gold = VOLCANO_GOLD[code - VOLCANO, facing]
        state.gold[seat] = max(0, state.gold[seat] + gold * workers)
    state.pending[seat] &= np.uint16(~(1 << (4 * side + facing)) & 0xFFFF)
    next_to_act(state)


# --- End of the turn ------------------------------------------------------------------------


@inlined
def end_turn(state):
    """Draw, refill the display, pass the turn on; the game ends with the last tile (rules 4, 5)."""
    draw_worker(state, np.int64(state.active))
    refill_display(state)
    state.filled = 0
    state.turn += 1
    state.active = next_seat(state, np.int64(state.active))
    if state.turn == state.num_players * state.tiles_each:
        state.phase = OVER
        return
    state.phase = PLACE
    state.seat = state.active
    if jungle_left(state) == 0:
        state.overbuilding = 1
