"""A table laid out again from the order in which its tiles were laid (:mod:`.validate`).

Which cells are filled follows from where worker tiles were placed (rules 4B), and what the display
shows from the drawing order and the tiles laid.  So a state's lists of cells say what its board,
bounding box, display and fills must be.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .geometry import NEIGHBOR, NUM_CELLS, TORUS, window_corner, window_fits
from .jit import njit
from .state import ACT, FILL, OVERBUILT, OWNER, VARIANT
from .tiles import (
    DISPLAY_SIZE,
    JUNGLE_KINDS,
    JUNGLE_SUPPLY_BY_CODE,
    MAX_PLAYERS,
    NUM_JUNGLE_KINDS,
    START_TILES,
    TEMPLE,
    VARIANT_KIND,
    VOLCANO,
    VOLCANO_TURNED,
    WORKER_KINDS,
)

_START_CELLS = np.array(
    [row % TORUS * TORUS + column % TORUS for _, (row, column) in START_TILES], np.int64
)
_START_CODES = np.array([JUNGLE_KINDS.index(kind) + 1 for kind, _ in START_TILES], np.int64)

# What is wrong with a table.
FINE, BOARD, BOX, DISPLAY, IN_PROGRESS = range(5)


class Table(NamedTuple):
    """Scratch space: the table as it is laid out again.  Each thread needs its own."""

    board: Any  # (NUM_CELLS,) jungle codes; minus the worker tiles beside a cell; WORKER
    box: Any  # row_min, row_max, column_min, column_max of the jungle tiles
    display: Any  # (DISPLAY_SIZE,)
    now: Any  # (7,) the numbers below


# Jungle tiles laid and drawn; slots just refilled; sides of the last tile to fill and filled; the first
# turn that began without jungle tiles, or NEVER; the turn of the last tile on a new cell.
LAID, DRAWN, REFILLED, TO_FILL, FILLED, RAN_OUT, TURN = range(7)
NEVER, WORKER = 1 << 20, 100


@njit
def new_table():
    """Make scratch space."""
    return Table(
        np.zeros(NUM_CELLS, np.int64),
        np.zeros(4, np.int64),
        np.zeros(DISPLAY_SIZE, np.int64),
        np.zeros(7, np.int64),
    )


@njit
def placements(state):
    """Return the worker tiles placed so far: one a finished turn, one in a turn in progress."""
    return np.int64(state.turn) + (1 if state.phase == FILL or state.phase == ACT else 0)


@njit
def lay_out(state, table):
    """Lay all tiles in their order, filling as the rules say; return what is wrong, or FINE."""
    players = np.int64(state.num_players)
    now = table.now
    table.board[:] = 0
    table.box[:] = 0
    now[:] = 0
    now[RAN_OUT], now[TURN] = NEVER, -1
    table.display[:] = 0
    for i in range(len(_START_CELLS)):
        cell = _START_CELLS[i]
        if state.jungle_cells[i] != cell or state.board[cell] != _START_CODES[i]:
            return BOARD
        _lay_jungle(state, table)
    _refill(state, table)
    now[REFILLED] = 0
    for i in range(state.worker_count):
        cell = np.int64(state.worker_cells[i])
        owner = OWNER[np.int64(state.board[cell])]
        turn = now[TURN] + 1
        while turn >= now[RAN_OUT] and turn % players != owner:
            turn += 1  # another player overbuilt in between
        if turn % players != owner or turn >= placements(state):
            return BOARD
        now[TURN] = turn
        if not _may_be_placed(state, table, cell):
            return BOARD
        last = i == state.worker_count - 1 and state.last == cell and state.board[cell] < OVERBUILT
        code = _place_and_fill(state, table, cell, last and state.phase == FILL)
        if code != FINE:
            return code
        if not (last and (state.phase == FILL or state.phase == ACT)):
            _refill(state, table)
            if _tiles_left(state, table) == 0 and now[RAN_OUT] == NEVER:
                now[RAN_OUT] = turn + 1
    return FINE if now[LAID] == state.jungle_count else BOARD


@njit
def _may_be_placed(state, table, cell):
    """Return whether a tile may lie on an empty cell: beside a jungle tile, and within the window."""
    if table.board[cell] != 0:
        return False
    touches, box = False, table.box
    row_min, row_max, column_min, column_max = box[0], box[1], box[2], box[3]
    for side in range(4):
        beside = np.int64(NEIGHBOR[cell, side])
        if table.board[beside] > 0:
            touches = True
        elif table.board[beside] < 0:
            row, column = _place_of(table, beside)
            row_min, row_max = min(row_min, row), max(row_max, row)
            column_min, column_max = min(column_min, column), max(column_max, column)
    if not touches or _tiles_left(state, table) == 0:
        return touches
    return window_fits(row_min, row_max, column_min, column_max, np.int64(state.table_size))


@njit
def _place_of(table, cell):
    """Return the absolute row and column of a cell near the tiles so far."""
    first_row, first_column = table.box[0] - 2, table.box[2] - 2
    row = first_row + ((cell // TORUS - first_row) % TORUS)
    return row, first_column + ((cell % TORUS - first_column) % TORUS)


@njit
def _place_and_fill(state, table, cell, filling):
    """Put a worker tile on a cell and fill the cells beside it; ``filling``: they may not be full."""
    board, now = table.board, table.now
    board[cell] = WORKER
    now[TO_FILL] = now[FILLED] = 0
    for side in range(4):
        beside = np.int64(NEIGHBOR[cell, side])
        if board[beside] <= 0:
            board[beside] -= 1
            if board[beside] <= -2:
                now[TO_FILL] |= 1 << side
    while now[TO_FILL] != 0 and _tiles_left(state, table) > 0:
        if now[LAID] == state.jungle_count:
            return FINE if filling else BOARD
        next_cell, side = np.int64(state.jungle_cells[now[LAID]]), 0
        while side < 4 and NEIGHBOR[cell, side] != next_cell:
            side += 1
        if side == 4 or (now[TO_FILL] >> side) & 1 == 0:
            return BOARD
        code = np.int64(state.board[next_cell])
        if code <= 0 or code > VOLCANO_TURNED:
            return BOARD
        kind = VOLCANO if code == VOLCANO_TURNED else code
        slot = 0
        while slot < DISPLAY_SIZE and table.display[slot] != kind:
            slot += 1
        if slot == DISPLAY_SIZE:
            return DISPLAY
        table.display[slot] = 0
        _lay_jungle(state, table)
        now[TO_FILL] &= ~(1 << side)
        now[FILLED] |= 1 << side
        if now[TO_FILL] != 0 and table.display[0] == 0 and table.display[1] == 0:
            _draw(state, table, 0)
    if filling:
        return IN_PROGRESS  # there is nothing left to fill
    now[TO_FILL] = 0
    return FINE


@njit
def _lay_jungle(state, table):
    """Lay the next jungle tile of the list."""
    box, laid = table.box, table.now[LAID]
    cell = np.int64(state.jungle_cells[laid])
    row, column = _place_of(table, cell)
    box[0], box[1] = min(box[0], row), max(box[1], row)
    box[2], box[3] = min(box[2], column), max(box[3], column)
    table.board[cell] = state.board[cell]
    table.now[LAID] += 1


@njit
def _tiles_left(state, table):
    """Count the jungle tiles in pile and display."""
    left = np.int64(state.num_jungle) - table.now[DRAWN]
    for slot in range(DISPLAY_SIZE):
        if table.display[slot] != 0:
            left += 1
    return left


@njit
def _draw(state, table, slot):
    """Draw the next jungle tile into a slot of the display."""
    drawn = table.now[DRAWN]
    if drawn < state.num_jungle:
        table.display[slot] = state.jungle_draws[drawn]
        table.now[DRAWN] += 1


@njit
def _refill(state, table):
    """Refill the display at the end of a turn."""
    table.now[REFILLED] = 0
    for slot in range(DISPLAY_SIZE):
        if table.display[slot] == 0:
            _draw(state, table, slot)
            if table.display[slot] != 0:
                table.now[REFILLED] |= 1 << slot


# --- What the table must look like then -----------------------------------------------------------


@njit
def compare(state, table):
    """Return in what a state differs from the table laid out again, or FINE."""
    if not _board_is(state, table.board) or not _tiles_are_those_played(state, table):
        return BOARD
    if not _display_is(state, table):
        return DISPLAY
    return FINE if _box_is(state, table.box) else BOX


@njit
def _board_is(state, board):
    """Every cell has its tile or number, and the lists name each open cell and temple once."""
    open_cells = 0
    for cell in range(NUM_CELLS):
        code, laid = np.int64(state.board[cell]), board[cell]
        if laid == WORKER:
            continue  # whose tile it is has been checked
        if (cell // TORUS + cell) & 1 == 0:
            if code != laid:
                return False
            continue
        touches = False
        for side in range(4):
            beside = board[np.int64(NEIGHBOR[cell, side])]
            touches = touches or (beside > 0 and beside != WORKER)
        if not touches:
            if code != 0:
                return False
            continue
        open_cells += 1
        place = -1 - code
        if place < 0 or place >= state.open_count or state.open_cells[place] != cell:
            return False
    if open_cells != state.open_count:
        return False
    temples = 0
    for i in range(state.jungle_count):
        cell = state.jungle_cells[i]
        if state.board[cell] == TEMPLE:
            if temples >= state.temple_count or state.temple_cells[temples] != cell:
                return False
            temples += 1
    return temples == state.temple_count


@njit
def _tiles_are_those_played(state, table):
    """Each player's tiles on the table, below and above, are those that it played; so is the last."""
    players, total = np.int64(state.num_players), placements(state)
    if total == 0:
        return state.last == -1
    counts = np.zeros((MAX_PLAYERS, len(WORKER_KINDS)), np.int64)
    placed, covered = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    last_there = False
    for i in range(state.worker_count):
        code = np.int64(state.board[state.worker_cells[i]])
        seat, kind = OWNER[code], VARIANT_KIND[VARIANT[code]]
        last_there = last_there or state.last == state.worker_cells[i]
        if code > OVERBUILT:
            counts[seat, kind] += 1
            covered[seat] += 1
            kind = VARIANT_KIND[np.int64(state.under[i]) - 1]
        if i < table.now[RAN_OUT] and state.played[seat, placed[seat]] != kind:
            return False  # until tiles may be overbuilt, the order is known
        counts[seat, kind] += 1
        placed[seat] += 1
    for seat in range(players):
        if placed[seat] + covered[seat] != state.placed[seat]:
            return False
        for place in range(np.int64(state.placed[seat])):
            counts[seat, np.int64(state.played[seat, place])] -= 1
        for kind in range(len(WORKER_KINDS)):
            if counts[seat, kind] != 0:
                return False
    if not last_there:
        return False
    code, mover = np.int64(state.board[state.last]), (total - 1) % players
    if OWNER[code] != mover:
        return False
    if state.played[mover, np.int64(state.placed[mover]) - 1] != VARIANT_KIND[VARIANT[code]]:
        return False
    if code > OVERBUILT:
        return table.now[TURN] < total - 1 and total - 1 >= table.now[RAN_OUT]
    return state.last == state.worker_cells[state.worker_count - 1]


@njit
def _display_is(state, table):
    """Display and pile are what the tiles laid have left."""
    players, now = np.int64(state.num_players), table.now
    over = state.turn == players * np.int64(state.tiles_each)
    if state.jungle_drawn != now[DRAWN]:
        return False
    for slot in range(DISPLAY_SIZE):
        if state.display[slot] != table.display[slot]:
            return False
    for code in range(NUM_JUNGLE_KINDS + 1):
        left = JUNGLE_SUPPLY_BY_CODE[players, np.int64(state.volcanoes), code]
        for place in range(now[DRAWN]):
            left -= state.jungle_draws[place] == code
        if state.jungle_pile[code] != left:
            return False
    begun = state.turn > now[RAN_OUT] or (state.turn == now[RAN_OUT] and not over)
    if state.overbuilding != (1 if begun else 0):
        return False
    moving = state.phase == FILL or state.phase == ACT
    covered = placements(state) > 0 and state.board[state.last] > OVERBUILT
    return state.refilled == (0 if moving or covered else now[REFILLED])


@njit
def _box_is(state, box):
    """Bounding box and window are those of the jungle tiles."""
    if state.row_min != box[0] or state.row_max != box[1]:
        return False
    if state.column_min != box[2] or state.column_max != box[3]:
        return False
    size = np.int64(state.table_size)
    row, column = window_corner(box[0], box[1], box[2], box[3], size)
    fits = window_fits(box[0], box[1], box[2], box[3], size)
    return fits and state.corner_row == row and state.corner_column == column
