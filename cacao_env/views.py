"""What a seat sees of a game, as an environment with given options shows it.

``observation="flat"`` is the vector of :mod:`cacao_env.engine.observation`; ``observation="planes"``
the same numbers as a dict of ``board`` (C, W, W) and ``features`` (F,).
With ``mask_in="observation"`` or ``"both"`` an observation is a dict of ``observation``, in this form,
and ``action_mask``; with ``mask_in="info"`` it is the form alone.

``observation="candidates"``, or a :class:`~cacao_env.greedy.candidates.Candidates` for another number
of rows, has a row for each choice, and choices are numbers of rows (float32 only).
``observation_dtype`` is the type of the numbers in either form: float32 in [0, 1], or raw uint8.

A network is made for one ``table_size``, and agents with different ones meet in one game.  ``View``
shows a game as another window would show it, and translates the action that is chosen there.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from .checks import check_choice
from .engine.actions import num_actions, place_actions
from .engine.decisions import NONE
from .engine.geometry import TORUS, window_cell, window_corner, window_fits
from .engine.observation import (
    MASK_IN,
    OBSERVATION_DTYPES,
    MaskIn,
    ObservationDtype,
    layout,
    planes,
)
from .engine.options import Options
from .engine.state import PLACE, cell_column, cell_row
from .engine.tiles import NUM_VARIANTS
from .greedy.candidates import FORMS, ObservationForm, as_candidates, candidates_into
from .greedy.columns import CONTEXT_COLUMNS, ROW_COLUMNS

if TYPE_CHECKING:
    from .game import Game

Array = npt.NDArray[Any]


class Form:
    """The games of an environment, and the form in which it hands out observations and masks.

    ``options``: a policy that learned such games plays with these players and volcanoes, and is asked
    what ``decisions`` asks; the table size counts for ``"flat"`` and ``"planes"`` alone.
    ``mask_in_observation`` and ``mask_in_info`` say where the mask goes, ``dtype`` is the type of the
    numbers, ``vector`` the space of the vector or the rows and ``num_actions`` the number of choices;
    ``rows`` is the size of the candidate view, None for another form.  Threads may share it.
    ValueError for a bad option.
    """

    def __init__(
        self,
        options: Options,
        observation: ObservationForm = "flat",
        observation_dtype: ObservationDtype = "float32",
        mask_in: MaskIn = "observation",
    ) -> None:
        self.rows = as_candidates(observation)
        if self.rows is None:
            check_choice("observation", observation, FORMS)
        self.observation, self._planes = observation, observation == "planes"
        check_choice("observation_dtype", observation_dtype, OBSERVATION_DTYPES)
        check_choice("mask_in", mask_in, MASK_IN)
        self.options = options
        self.table_size = options.table_size
        self.mask_in_observation = mask_in != "info"
        self.mask_in_info = mask_in != "observation"
        self.dtype_name = observation_dtype
        self.dtype: np.dtype[Any] = np.dtype(observation_dtype)
        self.num_actions = options.num_actions
        if self.rows is not None:
            check_rows_dtype(observation_dtype)
            self.num_actions = self.rows.rows
            self.vector = spaces.Box(*self.rows.limits(), dtype=np.float32)
            return
        high = 1 if observation_dtype == "float32" else 255
        self.vector = spaces.Box(0, high, (options.observation_size,), self.dtype.type)

    def space(self) -> spaces.Space[Any]:
        """Return the space of one observation."""
        seen: spaces.Space[Any] = self.vector
        if self._planes:
            seen = spaces.Dict(
                {
                    name: spaces.Box(np.zeros_like(high), high, dtype=self.dtype.type)
                    for name, high in planes(self._highs(), *self._size).items()
                }
            )
        if not self.mask_in_observation:
            return seen
        mask = spaces.Box(0, 1, (self.num_actions,), np.int8)
        return spaces.Dict({"observation": seen, "action_mask": mask})

    def of(self, vector: Array, mask: Array) -> Any:
        """Return vectors and masks, (..., L) and (..., A), as an observation: views, no copies."""
        seen = planes(vector, *self._size) if self._planes else vector
        return {"observation": seen, "action_mask": mask} if self.mask_in_observation else seen

    def _highs(self) -> Array:
        """Return the largest value of each number of a vector.

        Raw ones are those of the layout: with 255, as flat vectors have it, Stable-Baselines3 would
        take the board for a picture.
        """
        if self.dtype != np.uint8:
            return np.ones(self.vector.shape, self.dtype)
        return np.concatenate([part.highs.reshape(-1) for part in layout(*self._size)])

    @property
    def _size(self) -> tuple[int, int]:
        return self.options.num_players, self.options.table_size

    def as_dict(self) -> dict[str, Any]:
        """Return games and observations as plain data, as the files of policies have them."""
        about: dict[str, Any] = self.options.as_dict()
        if self.rows is not None:
            del about["table_size"]
            about |= {"observation": "candidates", "rows": self.rows.rows}
            about |= {"replies": self.rows.replies}
        else:
            about["observation"] = self.observation
        return about | {"features": self.features()}

    def features(self) -> str:
        """Return a fingerprint of the tables that the numbers of observations and logits refer to."""
        if self.rows is not None:
            columns = [column[:3] for column in (*ROW_COLUMNS, *CONTEXT_COLUMNS)]
            tables: list[Any] = [1, columns]
        else:
            rows = [(e.name, e.start, e.shape, e.high) for e in layout(*self._size)]
            tables = [rows, int(num_actions(self.table_size))]
        return hashlib.sha256(json.dumps(tables).encode()).hexdigest()[:16]


def check_rows_dtype(dtype: object) -> None:
    """Raise ValueError unless rows have this type of numbers."""
    if dtype != "float32":
        raise ValueError(
            f"observation_dtype is {dtype!r}, expected 'float32' with observation='candidates'"
        )


class Seen(NamedTuple):
    """What a seat sees: an observation, and which choices it has.

    ``action_mask``: int8 (choices,).  ``actions``, int64 (choices,): the game's ids of legal choices,
    NONE for others.
    """

    observation: Any
    action_mask: Array
    actions: npt.NDArray[np.int64]


def look(game: Game, form: Form, seat: int) -> Seen:
    """Return what a seat sees of a game with the same players, whatever it asks on whichever table.

    A seat that does not decide has no choice.
    """
    if (size := form.rows) is not None:
        seen = np.zeros((1, *size.shape), np.float32)
        mask, ids = np.zeros((1, size.rows), np.int8), np.full((1, size.rows), NONE)
        candidates_into(game.states, np.array([seat]), size.rows, size.replies, seen, mask, ids)
        return Seen(form.of(seen[0], mask[0]), mask[0], ids[0])
    view = View(game, form.table_size)
    vector = view.seen.observation(seat, observation_dtype=form.dtype_name)
    choices, actions = np.zeros(form.num_actions, np.int8), np.full(form.num_actions, NONE)
    if seat == game.seat:
        shown, ids = view.legal()
        choices[shown], actions[shown] = 1, ids
    return Seen(form.of(vector, choices), choices, actions)


class View:
    """A game as seen by an agent with windows of ``table_size``."""

    def __init__(self, game: Game, table_size: int) -> None:
        self.game = game
        self.seen = game  # with a window of that size, to be read and not played
        self._fits = True
        if table_size != game.table_size:
            self.seen = game.clone()
            self._resize(table_size)

    def _resize(self, size: int) -> None:
        state = self.seen.state
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
        state = self.seen.state
        last = int(state.last)
        at_row, at_column = int(cell_row(state, last)), int(cell_column(state, last))
        row = min(max(row, at_row + 3 - size), at_row - 2)
        column = min(max(column, at_column + 3 - size), at_column - 2)
        return row, column - ((row + column) & 1)

    def _crop(self) -> None:
        """Drop cells that the window does not show from the lists: the table has outgrown it."""
        state = self.seen.state
        size = int(state.table_size)
        for kind in ("jungle", "worker", "open"):
            cells, count = state[f"{kind}_cells"], f"{kind}_count"
            shown = cells[: int(state[count])].copy()
            rows = ((shown >> 5) - int(state.corner_row)) & (TORUS - 1)
            columns = ((shown & (TORUS - 1)) - int(state.corner_column)) & (TORUS - 1)
            kept = (rows < size) & (columns < size)
            cells[: int(kept.sum())] = shown[kept]
            state[count] = int(kept.sum())
        if state.phase == PLACE:
            state.last = -1

    def legal(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the legal actions that the window shows, by its own ids and by the game's, (K,) each.

        A window smaller than the game's also hides what it would hide in a game of its own.  There
        may be no action once the table has outgrown the window.
        """
        ids, here, there = self.game.legal_actions(), self.seen.state, self.game.state
        size, own = self.seen.table_size, self.game.table_size
        if self.seen is self.game:
            return ids, ids
        if there.phase != PLACE:
            return ids + int(place_actions(size) - place_actions(own)), ids
        cells, variants = np.divmod(ids, NUM_VARIANTS)
        rows, columns = np.array([window_cell(cell, own) for cell in cells.tolist()], np.int64).T
        rows = (rows + (int(there.corner_row) - int(here.corner_row))) & (TORUS - 1)
        columns = (columns + (int(there.corner_column) - int(here.corner_column))) & (TORUS - 1)
        shown = ((rows * size + columns) >> 1) * NUM_VARIANTS + variants
        kept = (rows < size) & (columns < size)
        if size < own and self._fits:
            kept[kept] = self.seen.action_mask()[shown[kept]]
        return shown[kept], ids[kept]
