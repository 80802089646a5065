"""What PettingZoo's and Gymnasium's environments share: forms of observations, options of ``reset``.

``observation="flat"`` hands out the vector of :mod:`cacao_env.engine.observation`;
``observation="planes"`` the same numbers as ``board`` (C, W, W) and ``features`` (F,).  ``mask_in``
says where the action mask is:

=============================  ============================================  =====================
                               ``"flat"``, ``"candidates"``                  ``"planes"``
=============================  ============================================  =====================
``"observation"``, ``"both"``  dict of ``observation``, ``action_mask``      dict of ``board``,
                                                                             ``features``,
                                                                             ``action_mask``
``"info"``                     the array                                     dict of ``board``,
                                                                             ``features``
=============================  ============================================  =====================

``observation="candidates"``, or a :class:`~cacao_env.greedy.candidates.Candidates` for another number
of rows, shows a row for each choice, and actions are numbers of rows (float32 only).
``observation_dtype`` is the type of the numbers in either form: float32 in [0, 1], or raw uint8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..checks import check_choice, check_type
from ..engine.observation import OBSERVATION_DTYPES, ObservationDtype, layout, planes
from ..engine.options import Options
from ..game import Game
from ..greedy.candidates import Candidates, as_candidates
from .views import check_rows_dtype

MaskIn = Literal["observation", "info", "both"]
MASK_IN: tuple[MaskIn, ...] = ("observation", "info", "both")
ObservationForm = Literal["flat", "planes", "candidates"] | Candidates
FORMS: tuple[ObservationForm, ...] = ("flat", "planes", "candidates")
Array = npt.NDArray[Any]


class Form:
    """The form in which an environment hands out observations and masks; ValueError for a bad option.

    ``mask_in_observation`` and ``mask_in_info`` say where the mask goes, ``dtype`` is the type of the
    numbers, ``vector`` the space of the vector or the rows and ``num_actions`` the number of choices;
    ``rows`` is the size of the candidate view, None for another form.  Threads may share it.
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
        self._planes = observation == "planes"
        check_choice("observation_dtype", observation_dtype, OBSERVATION_DTYPES)
        check_choice("mask_in", mask_in, MASK_IN)
        self._options = options
        self.mask_in_observation = mask_in != "info"
        self.mask_in_info = mask_in != "observation"
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
        if not self._planes and not self.mask_in_observation:
            return self.vector
        parts: dict[str, spaces.Space[Any]] = {"observation": self.vector}
        if self._planes:
            parts = {
                name: spaces.Box(np.zeros_like(high), high, dtype=self.dtype.type)
                for name, high in planes(self._highs(), *self._size).items()
            }
        if self.mask_in_observation:
            parts["action_mask"] = spaces.Box(0, 1, (self.num_actions,), np.int8)
        return spaces.Dict(parts)

    def of(self, vector: Array, mask: Array) -> Any:
        """Return vectors and masks, (..., L) and (..., A), as an observation: views, no copies."""
        if self._planes:
            parts = planes(vector, *self._size)
        elif not self.mask_in_observation:
            return vector
        else:
            parts = {"observation": vector}
        if self.mask_in_observation:
            parts["action_mask"] = mask
        return parts

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
        return self._options.num_players, self._options.table_size


def reset_options(
    given: Mapping[str, Any] | None, known: Sequence[str], ignored: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the options of ``reset``; ValueError for a key that is neither known nor ignored."""
    check_type("options of reset", given, (Mapping, type(None)), "a dict or None")
    for key in given or {}:
        if key not in (*known, *ignored):
            names = " or ".join(map(repr, known))
            raise ValueError(f"options of reset have {key!r}, expected {names}")
    return {key: value for key, value in (given or {}).items() if key in known}


def as_position(game: Any, options: Options) -> Game:
    """Return a copy of a game to start from; ValueError if it is over or has other options."""
    check_type("the game to start from", game, Game, "a Game")
    if game.over:
        raise ValueError("the game to start from is over, expected one with a decision to make")
    wanted = options.as_dict()
    for name, value in game.options.as_dict().items():
        if value != wanted[name]:
            raise ValueError(
                f"the game to start from has {name} {value!r}, expected {wanted[name]!r} as in the "
                "environment"
            )
    return game.clone()
