"""A game seen through a window of another size.

A network is made for one ``table_size``.  Agents with different ones meet in one game on a table that
is large enough for all.  This module shows each agent the game as its own window would show it, and
translates the action that it chooses.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.actions import num_actions, place_actions
from ..engine.geometry import TORUS, window_cell, window_corner, window_fits
from ..engine.state import PLACE, cell_column, cell_row
from ..engine.tiles import NUM_VARIANTS
from ..game import Game

_LISTS = (
    ("jungle_cells", "jungle_count"),
    ("worker_cells", "worker_count"),
    ("open_cells", "open_count"),
)


class View:
    """A game as seen by an agent with windows of ``table_size``."""

    def __init__(self, game: Game, table_size: int) -> None:
        self.game = game
        self._seen = game
        self._fits = True
        if table_size != game.table_size:
            self._seen = game.clone()
            self._resize(table_size)

    @property
    def seen(self) -> Game:
        """Return the game with a window of that size, to be read and not played."""
        return self._seen

    def _resize(self, size: int) -> None:
        state = self._seen.state
        rows = int(state.row_min), int(state.row_max)
        columns = int(state.column_min), int(state.column_max)
        self._fits = bool(window_fits(rows[0], rows[1], columns[0], columns[1], size))
        state.table_size = size
        row, column = window_corner(rows[0], rows[1], columns[0], columns[1], size)
        if not self._fits and state.phase != PLACE:
            row, column = self._shifted(int(row), int(column), size)
        state.corner_row, state.corner_column = row, column
        if not self._fits:
            self._crop()

    def _shifted(self, row: int, column: int, size: int) -> tuple[int, int]:
        """Return the corner, moved only to show the tile just placed and the cells beside it."""
        state = self._seen.state
        last = int(state.last)
        at_row, at_column = int(cell_row(state, last)), int(cell_column(state, last))
        row = min(max(row, at_row + 3 - size), at_row - 2)
        column = min(max(column, at_column + 3 - size), at_column - 2)
        return row, column - ((row + column) & 1)

    def _crop(self) -> None:
        """Drop cells that the window does not show from the lists: the table has outgrown it."""
        state = self._seen.state
        size = int(state.table_size)
        for cells, count in _LISTS:
            shown = state[cells][: int(state[count])].copy()
            rows = ((shown >> 5) - int(state.corner_row)) & (TORUS - 1)
            columns = ((shown & (TORUS - 1)) - int(state.corner_column)) & (TORUS - 1)
            kept = (rows < size) & (columns < size)
            if cells == "worker_cells":  # each has its place in ``under``
                under = state.under[: len(shown)][kept]
                state.under[: len(under)] = under
            state[cells][: int(kept.sum())] = shown[kept]
            state[count] = int(kept.sum())
        if state.phase == PLACE:
            state.last = -1

    def action_mask(self) -> npt.NDArray[np.int8]:
        """Return the ids of the window's actions that are shown and legal in the game.

        A window smaller than the game's also hides what it would hide in a game of its own.  There
        may be no action once the table has outgrown the window.
        """
        mask = self.game.action_mask()
        if self._seen is self.game:
            return mask
        size, own = self._seen.table_size, self.game.table_size
        out = np.zeros(int(num_actions(size)), np.int8)
        first, own_first = int(place_actions(size)), int(place_actions(own))
        out[first:] = mask[own_first:]
        if self.game.state.phase == PLACE:
            index, shown = self._cells()
            places = mask[:own_first].reshape(-1, NUM_VARIANTS)[np.where(shown, index, 0)]
            out[:first] = (places * shown[:, None]).reshape(-1)
            if size < own and self._fits:
                out[:first] &= self._seen.action_mask()[:first]
        return out

    def action(self, chosen: int) -> int:
        """Return the game's id of an action that was chosen in the window."""
        if self._seen is self.game:
            return chosen
        first = int(place_actions(self._seen.table_size))
        if chosen >= first:
            return chosen - first + int(place_actions(self.game.table_size))
        index, shown = self._cells()
        cell, variant = divmod(chosen, NUM_VARIANTS)
        if not shown[cell]:
            raise ValueError(f"action {chosen} places a tile outside the game's table")
        return int(index[cell]) * NUM_VARIANTS + variant

    def _cells(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return each worker cell's number in the game's window, and whether it is there."""
        here, there = self._seen.state, self.game.state
        size = int(there.table_size)
        rows, columns = _worker_cells(int(here.table_size))
        rows = (rows + (int(here.corner_row) - int(there.corner_row))) & (TORUS - 1)
        columns = (columns + (int(here.corner_column) - int(there.corner_column))) & (TORUS - 1)
        return (rows * size + columns) >> 1, (rows < size) & (columns < size)


@cache
def _worker_cells(size: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return rows and columns of a window's worker cells."""
    cells = np.array([window_cell(k, size) for k in range(size * size // 2)], np.int64)
    return cells[:, 0], cells[:, 1]
