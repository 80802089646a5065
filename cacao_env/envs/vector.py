"""Many games at once, all advanced by one call.

``VectorGames`` steps N games by one decision each.  A new game replaces a finished one in the same step
(Gymnasium's ``AutoresetMode.SAME_STEP``): the rewards and ``terminations`` of that step belong to the
game that ended, observation, mask and seat to the new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from ..checks import as_seed, keywords_of
from ..engine.actions import LEGAL, sample, why_illegal
from ..engine.jit import njit
from ..engine.options import OptionFields, Options
from ..engine.rewards import Reward, rewards_into
from ..engine.rng import RngArray
from ..engine.state import OVER, StateArray, deal
from ..engine.tiles import MAX_PLAYERS
from ..engine.types import b1, b1x1, f4x2, f8x2, i1x1, i1x2, i2x2, i8, i8x1, i8x2, u1x2
from ..greedy.candidates import Candidates
from ..greedy.turn import step_turn
from .batch import Arrays, Batch, as_actions, play
from .observations import Rows, see_into, view_of
from .threads import Workers, alone


@njit
def first_illegal(states: StateArray, chosen: i8x1) -> i8:
    """Return the number of the first game whose action is illegal, or -1."""
    for g in range(len(states)):
        if why_illegal(states[g], chosen[g]) != LEGAL:
            return g
    return -1


@njit
def _step_all(
    states: StateArray,
    chosen: i8x1,
    actions: i2x2,
    rngs: RngArray,
    potentials: f8x2,
    rewards: f4x2,
    terminations: b1x1,
    final_scores: i8x2,
    seen: u1x2,
    masks: i1x2,
    seats: i1x1,
    mode: i8,
    looking: b1,
) -> i8:
    """Play every game's action and replace finished games; do nothing if an action is illegal.

    The arrays, all with the games as their first axis, come first: a named tuple of them takes Numba
    6 microseconds more a call, as long as a step of one game.  ``seen``, ``masks`` and ``seats`` are of
    the next decisions.  Returns the number of the first game whose action is illegal, or -1.
    """
    wrong = first_illegal(states, chosen)
    if wrong >= 0:
        return wrong
    scores = np.zeros(MAX_PLAYERS, np.int64)
    win_shares = np.zeros(MAX_PLAYERS)
    for g in range(len(states)):
        state = states[g]
        play(state, chosen[g], actions[g])
        rewards_into(state, mode, potentials[g], scores, win_shares, rewards[g])
        terminations[g] = state.phase == OVER
        if state.phase == OVER:
            _finish(state, rngs[g : g + 1], scores, final_scores[g], potentials[g])
        if looking:  # at once, while the state is in the cache
            _look(state, seen[g], masks[g], seats[g : g + 1])
    return -1


# The loop above is 6 % slower with these two steps written out in it.
@njit
def _finish(state, rng, scores, final, potentials):
    """Store the scores of a finished game and deal the next one."""
    for seat in range(state.num_players):
        final[seat] = scores[seat]
    potentials[:] = 0
    deal(state, rng)


@njit
def _look(state, seen, mask, seat):
    """Write the deciding seat, what it sees and its legal actions."""
    seat[0] = state.seat
    see_into(state, state.seat, False, seen, mask)


@njit
def _sample_all(states: StateArray, rngs: RngArray, chosen: i8x1) -> None:
    """Write a legal action for every game, uniformly at random."""
    for g in range(len(states)):
        chosen[g] = sample(states[g], rngs[g : g + 1])


@njit
def playouts(states: StateArray, rngs: RngArray, count: i8) -> i8:
    """Play ``count`` new random games on each state; return the number of games played."""
    for g in range(len(states)):
        rng = rngs[g : g + 1]
        for _ in range(count):
            deal(states[g], rng)
            while states[g].phase != OVER:
                step_turn(states[g], sample(states[g], rng))
    return count * len(states)


@njit
def _deal_all(states: StateArray, rngs: RngArray) -> None:
    for g in range(len(states)):
        deal(states[g], rngs[g : g + 1])


class VectorGames(Batch):
    """N games with the same options, stepped together.

    ``options``, or its fields as keyword arguments: the game
    (:class:`~cacao_env.engine.options.Options`).  Only one thread may use it at a time: a call
    during another one raises RuntimeError.

    With ``num_threads`` above 1 that many threads step the games, which is faster from some hundred
    games on.  The results are the same for any number.

    Attributes, all overwritten in place by each call:

    - ``observations`` uint8 (N, observation_size): raw, from the deciding seat's view; or with
      ``observation="candidates"`` (:mod:`cacao_env.greedy.candidates`) float32 (N, rows + 1, columns),
      and masks and actions of rows;
    - ``action_masks`` int8 (N, num_actions): that seat's legal actions;
    - ``seats`` int8 (N,): the seat that decides;
    - ``rewards`` float32 (N, num_players): of the last step, for every seat;
    - ``terminations`` bool (N,): the last step ended the game;
    - ``final_scores`` int64 (N, num_players): of the last game that ended.
    """

    _saved = ("rngs", "_samplers", "rewards", "terminations", "final_scores")
    _derived = (
        *("observations", "action_masks", "_view", "_rows", "_seen", "_masks"),
        *("seats", "_chosen", "_sampled"),
    )

    @keywords_of(Options)
    def __init__(
        self,
        num_games: int,
        options: Options | None = None,
        *,
        reward: Reward = "outcome",
        observation: Literal["flat", "candidates"] | Candidates = "flat",
        seed: int | None = None,
        num_threads: int = 1,
        **fields: Unpack[OptionFields],
    ) -> None:
        super().__init__(num_games, options, fields, reward)
        self._observation = observation
        self._samplers = np.zeros(num_games, np.uint64)
        self.rewards = np.zeros((num_games, self.num_players), np.float32)
        self.terminations = np.zeros(num_games, np.bool_)
        self.final_scores = np.zeros((num_games, self.num_players), np.int64)
        self._workers = Workers(num_games, num_threads)
        self._allocate()
        self.reset(seed)

    def _allocate(self) -> None:
        super()._allocate()
        count = self.num_games
        # Raw observations are written as the games are stepped, rows afterwards.
        dtype = "uint8" if self._observation == "flat" else "float32"
        self._view = view = view_of(count, self.options, self._observation, dtype)
        self.observations, self.action_masks = view.observations, view.action_masks
        self._rows = view if isinstance(view, Rows) else None
        self._seen, self._masks = self.observations, self.action_masks
        if self._rows is not None:
            self._seen, self._masks = np.zeros((count, 1), np.uint8), np.zeros((count, 1), np.int8)
        self.seats = np.zeros(count, np.int8)
        self._chosen, self._sampled = np.zeros((2, count), np.int64)  # actions, and rows

    @alone
    def reset(self, seed: int | None = None) -> None:
        """Deal all games again, each with random numbers of its own drawn from ``seed``."""
        draws = np.random.default_rng(None if seed is None else as_seed(seed))
        for rngs in (self.rngs, self._samplers):
            rngs[:] = draws.integers(2**64, size=self.num_games, dtype=np.uint64)
        self._workers.run(_deal_all, self.states, self.rngs)
        self._potentials[:] = 0
        self.rewards[:] = 0
        self.terminations[:] = False
        self._look()

    @alone
    def look(self) -> None:
        """Write observations, masks and seats of the games in their present positions."""
        self._look()

    def _look(self) -> None:
        self.seats[:] = self.states["seat"]
        self._view.look(self.states, self.seats.astype(np.int64), self._workers.run)

    @alone
    def step(self, chosen: npt.NDArray[Any], look: bool = True) -> None:
        """Play an action in every game; ``chosen``: legal action ids, integers, shape (N,).

        ValueError for a wrong shape or type, or for an illegal action, naming game, seat and action; no
        game advances then.  ``look=False`` does not write observations, masks and seats; call
        :meth:`look` before rows are chosen again.
        """
        if chosen is not self._chosen:
            choices = as_actions(chosen, self.num_games)
            wrong = self._view.choose(choices, self._chosen)
            if wrong >= 0:
                raise ValueError(self._view.explain(self.states, choices, wrong))
        if self._workers.several:  # all games are checked before any part of them is stepped
            self._refuse(self._workers.run(first_illegal, self.states, self._chosen))
        refused = self._workers.run(
            _step_all,
            self.states,
            self._chosen,
            self.actions,
            self.rngs,
            self._potentials,
            self.rewards,
            self.terminations,
            self.final_scores,
            self._seen,
            self._masks,
            self.seats,
            self._mode,
            look and self._rows is None,
        )
        self._refuse(refused)
        if self._rows is not None:
            if look:
                self._look()
            else:
                self._rows.forget()

    def _refuse(self, refused: list[int]) -> None:
        """Raise ValueError for an illegal action; ``refused`` has the first such game of each part."""
        for share, number in zip(self._workers.slices, refused):
            if number >= 0:
                raise ValueError(
                    self._view.explain(self.states, self._chosen, share.start + number)
                )

    @alone
    def arrays(self) -> Arrays:
        """Save the games as arrays by name: deals, actions, random numbers and the last results."""
        return super().arrays()

    def _when_counted(self) -> npt.NDArray[np.int64]:
        return self.states["ply"].astype(np.int64)  # every step counts the rewards

    @alone
    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Restore what ``arrays`` saved; ValueError, and nothing changes, for anything else."""
        self._restore(arrays, {})
        self._look()

    def _check(self) -> None:
        if (self.states["phase"] == OVER).any():
            raise ValueError("a game is over, and a new one would have replaced it")

    @alone
    def sample(self) -> npt.NDArray[np.int64]:
        """Return a legal action for every game, uniformly at random; overwritten by the next call."""
        if self._rows is not None:
            self._rows.sample(self._samplers, self._sampled, self._workers.run)
            return self._sampled
        self._workers.run(_sample_all, self.states, self._samplers, self._chosen)
        return self._chosen
