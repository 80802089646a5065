"""Cells, sides and the window an agent sees.

The table is unbounded, but a game spans at most 30 cells (rules 3), so a state stores it on
a 32 x 32 torus: cell (row, column) has the index ``(row % 32) * 32 + column % 32`` and no two
cells in play ever share an index.  ``.`` are cells for jungle tiles (row + column is even), ``o`` those
for worker tiles::

            column                       sides of a cell
            0   1   2   3
      row 0 .   o   .   o  ...                0 north
      row 1 o   .   o   .               3 west  +  1 east
      row 2 .   o   .   o                     2 south

The window is a square of W x W cells centred on the jungle tiles so far, always with room
for the worker tiles around them.  Its corner lies on an even cell, so worker cells are the odd
cells of the window too, and the k-th of them, row by row, is cell ``2k`` or ``2k + 1``::

      W = 5     .  0  .  1  .        W = 4     .  0  .  1
                2  .  3  .  4                  2  .  3  .
                .  5  .  6  .                  .  4  .  5
                7  .  8  .  9                  6  .  7  .
                . 10  . 11  .
"""

from __future__ import annotations

import numpy as np

from .jit import inlined, njit

TORUS = 32
NUM_CELLS = TORUS * TORUS
NORTH, EAST, SOUTH, WEST = range(4)
SIDE_NAMES = ("north", "east", "south", "west")
OFFSETS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # (row, column) step to each side

# NEIGHBOR[index, side]: the torus index beside a cell.
NEIGHBOR = np.array(
    [
        [((r + dr) % TORUS) * TORUS + (c + dc) % TORUS for dr, dc in OFFSETS]
        for r in range(TORUS)
        for c in range(TORUS)
    ],
    np.uint16,
)

MIN_TABLE = 11  # a smaller table could leave no placement
MAX_TABLE = TORUS
# The smallest table that shows every legal placement of every game: J jungle tiles span at most J
# rows (each new row takes a tile), worker cells lie one row further on both sides, and a player who
# extends the table with every placement gets there: 21 + 2 with 2 players, 28 + 2 with 3 or 4.
DEFAULT_TABLE = {2: 23, 3: 30, 4: 30}


@inlined
def opposite(side):
    """Return the opposite side."""
    return side ^ 2


@inlined
def cell_index(row, column):
    """Return the torus index of an absolute cell."""
    return (row & (TORUS - 1)) * TORUS + (column & (TORUS - 1))


@inlined
def window_corner(row_min, row_max, column_min, column_max, size):
    """Return the absolute (row, column) of the window's corner over the jungle tiles' bounding box.

    The box is centred.  If the corner falls on an odd cell, the window moves up or left by one: in the
    direction that stays centred, else in the one with more room.
    """
    row_slack = size - (row_max - row_min + 1)
    column_slack = size - (column_max - column_min + 1)
    row = row_min - row_slack // 2
    column = column_min - column_slack // 2
    if (row + column) & 1:
        if (row_slack & 1) == (column_slack & 1):
            move_row = row_slack >= column_slack
        else:
            move_row = (row_slack & 1) == 1
        if move_row:
            row -= 1
        else:
            column -= 1
    return row, column


@njit
def window_fits(row_min, row_max, column_min, column_max, size):
    """Return whether a window shows this bounding box with a margin of one cell all around."""
    row_slack = size - (row_max - row_min + 1)
    column_slack = size - (column_max - column_min + 1)
    if row_slack < 2 or column_slack < 2:
        return False
    # With no room to move at all the corner is where it is, and it may be odd.
    return not (row_slack == 2 and column_slack == 2 and ((row_min + column_min) & 1))


def window_cell(index: int, size: int) -> tuple[int, int]:
    """Return (row, column) in the window of its worker cell number ``index`` (the map above)."""
    for flat in (2 * index, 2 * index + 1):
        row, column = divmod(flat, size)
        if (row + column) % 2 == 1:
            return row, column
    raise ValueError(f"no worker cell {index} in a window of {size} x {size}")
