"""What the seats of a batch see, in the forms of :mod:`cacao_env.views`; options of ``reset``.

A view shows a batch of games, each to one seat: ``Flat`` vectors or ``Rows`` of candidates.  Both have
``observations``, ``action_masks`` int8 (N, choices), ``look``, which writes them, ``look_at_ends`` for
finished games, ``choose``, which writes the actions of choices and returns the first game whose choice
has none, or -1, ``found``, its reverse, and ``explain``.  A seat that does not decide has no choice.
``run`` of some methods may give parts of the games to threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import call
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import check_choice, check_type
from ..engine.actions import mask_into, why_illegal
from ..engine.decisions import NONE
from ..engine.jit import inlined, njit
from ..engine.observation import OBSERVATION_DTYPES, observe_as
from ..engine.options import Options
from ..engine.state import OVER, StateArray
from ..engine.types import b1, b1x1, f4x2, i1x2, i8x1, u1x2
from ..game import Game
from ..greedy.candidates import (
    Candidates,
    actions_of,
    as_candidates,
    candidates_into,
    contexts_into,
    sample_rows,
)
from ..views import check_rows_dtype

Array = npt.NDArray[Any]


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


@inlined
def see_into(state, viewer, scaled, observation, mask):
    """Write what a seat sees and its legal actions: none while another seat decides."""
    observe_as(state, viewer, scaled, observation)
    if state.phase != OVER and state.seat == viewer:
        mask_into(state, mask)
    else:
        mask[:] = 0


@njit
def _look_all(
    states: StateArray, viewers: i8x1, scaled: b1, observations: u1x2 | f4x2, masks: i1x2
) -> None:
    for g in range(len(states)):
        see_into(states[g], viewers[g], scaled, observations[g], masks[g])


@njit
def _look_at_ends(
    states: StateArray, which: b1x1, viewers: i8x1, scaled: b1, observations: u1x2 | f4x2
) -> None:
    for g in range(len(states)):
        if which[g]:
            observe_as(states[g], viewers[g], scaled, observations[g])


class Flat:
    """The flat vector, (N, observation_size): float32 in [0, 1], or raw uint8."""

    def __init__(self, num_games: int, options: Options, dtype: str) -> None:
        check_choice("observation_dtype", dtype, OBSERVATION_DTYPES)
        self._scaled = dtype == "float32"
        shape = num_games, options.observation_size
        self.observations: Array = np.zeros(shape, np.dtype(dtype))
        self.action_masks = np.zeros((num_games, options.num_actions), np.int8)

    def look(self, states: StateArray, viewers: Array, run: Callable[..., Any] = call) -> None:
        """Write what the viewers, (N,), see."""
        run(_look_all, states, viewers, self._scaled, self.observations, self.action_masks)

    def look_at_ends(self, states: StateArray, which: Array, viewers: Array, out: Array) -> None:
        """Write what the viewers see of the finished games in ``which``."""
        _look_at_ends(states, which, viewers, self._scaled, out)

    def choose(self, chosen: Array, actions: Array) -> int:
        """Write the actions of the choices, legal or not; return -1."""
        actions[:] = chosen
        return -1

    def found(self, actions: Array) -> Array:
        """Return the choices of actions, the reverse of ``choose``."""
        return actions

    def explain(self, states: StateArray, chosen: Array, g: int) -> str:
        """Return one sentence on why the choice in game ``g`` is illegal."""
        game, code = Game(states[g : g + 1], []), int(why_illegal(states[g], chosen[g]))
        return f"game {g}, seat {game.seat}: {game.why_illegal(int(chosen[g]), code)}"


class Rows:
    """The candidate view: observations float32 (N, rows + 1, COLUMNS), a choice is a row's number."""

    def __init__(self, num_games: int, size: Candidates) -> None:
        self._size = size
        self.observations: Array = np.zeros((num_games, *size.shape), np.float32)
        self.action_masks = np.zeros((num_games, size.rows), np.int8)
        self._actions = np.full((num_games, size.rows), NONE, np.int64)

    def look(self, states: StateArray, viewers: Array, run: Callable[..., Any] = call) -> None:
        """Write what the viewers, (N,), see."""
        size, seen = self._size, (self.observations, self.action_masks, self._actions)
        run(candidates_into, states, viewers, size.rows, size.replies, *seen)

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

    def found(self, actions: Array) -> Array:
        """Return the rows of actions, the reverse of ``choose``; NONE for an action without a row."""
        rows = self._actions == actions[:, None]
        return np.where(rows.any(1), rows.argmax(1), NONE)

    def sample(self, rngs: Array, chosen: Array, run: Callable[..., Any] = call) -> None:
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
