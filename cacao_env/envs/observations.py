"""What environments show: forms of observations, what the seats of a batch see, options of ``reset``.

``observation="flat"`` shows the vector of :mod:`cacao_env.engine.observation`;
``observation="planes"`` the same numbers as a dict of ``board`` (C, W, W) and ``features`` (F,).
With ``mask_in="observation"`` or ``"both"`` the environment returns a dict of ``observation``, in this
form, and ``action_mask``; with ``mask_in="info"`` it returns the form alone.

``observation="candidates"``, or a :class:`~cacao_env.greedy.candidates.Candidates` for another number
of rows, shows a row for each choice, and actions are numbers of rows (float32 only).
``observation_dtype`` is the type of the numbers in either form: float32 in [0, 1], or raw uint8.

A view shows a batch of games, each to one seat: ``Flat`` vectors or ``Rows`` of candidates.  Both have
``observations``, ``action_masks`` int8 (N, choices), ``look``, which writes them, ``look_at_ends`` for
finished games, ``choose``, which writes the actions of choices, and ``explain``.  A seat that does not
decide has no choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..checks import check_choice, check_type
from ..engine.actions import mask_into, why_illegal
from ..engine.decisions import NONE
from ..engine.jit import inlined, njit
from ..engine.observation import OBSERVATION_DTYPES, ObservationDtype, layout, observe_as, planes
from ..engine.options import Options
from ..engine.state import OVER, StateArray
from ..game import Game
from ..greedy.candidates import (
    Candidates,
    actions_of,
    as_candidates,
    candidates_into,
    contexts_into,
    sample_rows,
)

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


@inlined
def look(state, viewer, scaled, observation, mask):
    """Write what a seat sees and its legal actions: none while another seat decides."""
    observe_as(state, viewer, scaled, observation)
    if state.phase != OVER and state.seat == viewer:
        mask_into(state, mask)
    else:
        mask[:] = 0


@njit
def _look_all(states, viewers, scaled, observations, masks):
    for g in range(len(states)):
        look(states[g], viewers[g], scaled, observations[g], masks[g])


@njit
def _look_at_ends(states, which, viewers, scaled, observations):
    for g in range(len(states)):
        if which[g]:
            observe_as(states[g], viewers[g], scaled, observations[g])


def explain_illegal(states: StateArray, chosen: npt.NDArray[np.int64], g: int) -> str:
    """Return one sentence on why the action of game ``g`` is illegal."""
    game, code = Game(states[g : g + 1], []), int(why_illegal(states[g], chosen[g]))
    return f"game {g}, seat {game.seat}: {game.why_illegal(int(chosen[g]), code)}"


class Flat:
    """The flat vector, (N, observation_size): float32 in [0, 1], or raw uint8."""

    def __init__(self, num_games: int, options: Options, dtype: str) -> None:
        check_choice("observation_dtype", dtype, OBSERVATION_DTYPES)
        self._scaled = dtype == "float32"
        shape = num_games, options.observation_size
        self.observations: Array = np.zeros(shape, np.dtype(dtype))
        self.action_masks = np.zeros((num_games, options.num_actions), np.int8)

    def look(self, states: StateArray, viewers: Array) -> None:
        """Write what the viewers, (N,), see."""
        _look_all(states, viewers, self._scaled, self.observations, self.action_masks)

    def look_at_ends(self, states: StateArray, which: Array, viewers: Array, out: Array) -> None:
        """Write what the viewers see of the finished games in ``which``."""
        _look_at_ends(states, which, viewers, self._scaled, out)

    def choose(self, chosen: Array, actions: Array) -> None:
        """Write the actions of the choices."""
        actions[:] = chosen

    def explain(self, states: StateArray, chosen: Array, g: int) -> str:
        """Return one sentence on why the choice in game ``g`` is illegal."""
        return explain_illegal(states, chosen, g)


def _at_once(work: Callable[..., Any], *arguments: Any) -> Any:
    return work(*arguments)


class Rows:
    """The candidate view: observations float32 (N, rows + 1, COLUMNS), a choice is a row's number.

    ``run`` of some methods may give parts of the games to threads.
    """

    def __init__(self, num_games: int, size: Candidates) -> None:
        self._size = size
        self.observations: Array = np.zeros((num_games, *size.shape), np.float32)
        self.action_masks = np.zeros((num_games, size.rows), np.int8)
        self._actions = np.full((num_games, size.rows), NONE, np.int64)

    def look(self, states: StateArray, viewers: Array, run: Callable[..., Any] = _at_once) -> None:
        """Write what the viewers, (N,), see."""
        size, seen = self._size, self.observations
        run(
            candidates_into,
            states,
            viewers,
            size.rows,
            size.replies,
            seen,
            self.action_masks,
            self._actions,
        )

    def look_at_ends(self, states: StateArray, which: Array, viewers: Array, out: Array) -> None:
        """Write what the viewers see of the finished games in ``which``: the context alone."""
        contexts_into(states, which, viewers, out)

    def forget(self) -> None:
        """Make every row illegal until the next look."""
        self.action_masks.fill(0)
        self._actions.fill(NONE)

    def choose(self, chosen: Array, actions: Array) -> int:
        """Write the actions of the rows; return the first game whose row has none, or -1."""
        return int(actions_of(self._actions, chosen, actions))

    def sample(self, rngs: Array, chosen: Array, run: Callable[..., Any] = _at_once) -> None:
        """Write the number of a row with a choice for every game, uniformly at random."""
        run(sample_rows, self.action_masks, rngs, chosen)

    def explain(self, states: StateArray, chosen: Array, g: int) -> str:
        """Return one sentence on why the row of game ``g`` can't be chosen."""
        return (
            f"game {g}, seat {int(states[g].seat)}: row {int(chosen[g])} has no choice, "
            "expected a row whose mask is 1"
        )


def view_of(
    num_games: int, options: Options, observation: object, dtype: str = "float32"
) -> Flat | Rows:
    """Return the view that ``observation`` asks for; ValueError for what is not one."""
    size = as_candidates(observation)
    if size is None:
        check_choice("observation", observation, ("flat", "candidates"))
        return Flat(num_games, options, dtype)
    check_rows_dtype(dtype)
    return Rows(num_games, size)


def check_rows_dtype(dtype: object) -> None:
    """Raise ValueError unless rows have this type of numbers."""
    if dtype != "float32":
        raise ValueError(
            f"observation_dtype is {dtype!r}, expected 'float32' with observation='candidates'"
        )
