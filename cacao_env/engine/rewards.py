"""Rewards of a step for each seat (a *score* is gold at the end; a *reward* is for learning).

All are zero-sum over the seats.

``outcome``         at the end only: (N w - 1) / (N - 1) with w the seat's share of the win.  1 for a
                    sole win; with 2 players -1 for a loss and 0 for a shared win.
``relative_score``  at the end only: own score minus the mean of the others', over ``SCORE_SCALE``.
``shaped``          at every step: the change of the relative score if the game ended now
                    (potential-based, discount 1; Ng, Harada, Russell 1999).  Sums to
                    ``relative_score``.

A reward pays at the end, or at every step the change of a potential, which it keeps in ``potentials``
exactly as it is paid.  ``VersusGames`` relies on that: one call of ``rewards_into`` covers several
steps, and a forfeit costs ``WORST`` over the whole episode.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from .jit import njit
from .observation import HIGH_SCORE
from .scoring import relative_score, scores_into, win_shares_into, zero_sum_win
from .state import OVER, State
from .tiles import MAX_PLAYERS
from .types import f8x1, i8, i8x1

Reward = Literal["outcome", "relative_score", "shaped"]
REWARDS: tuple[Reward, ...] = ("outcome", "relative_score", "shaped")
OUTCOME, RELATIVE_SCORE, SHAPED = range(len(REWARDS))
SCORE_SCALE = 15.0  # gold: the difference in score that counts as 1; such a lead is nearly a win
_MOST = HIGH_SCORE / SCORE_SCALE  # no relative score counts more
# By mode: whether steps before the end pay, and what an episode costs that an illegal action ends.
EVERY_STEP = (False, False, True)
WORST = (-1.0, -_MOST, -_MOST)


@njit
def rewards_into(
    state: State, mode: i8, potentials: f8x1, scores: i8x1, win_shares: f8x1, rewards: f8x1
) -> None:
    """Write the rewards of the step that led to ``state`` into ``rewards``, float, (num_players,).

    ``potentials`` keeps what a reward of every step has paid since the game began; set it to 0 then.
    ``scores``, int64 (4,), and ``win_shares``, float64 (4,), are scratch space.
    """
    players = np.int64(state.num_players)
    over = state.phase == OVER
    if not over and not EVERY_STEP[mode]:
        rewards[:players] = 0
        return
    scores_into(state, scores)
    if mode == OUTCOME:
        win_shares_into(state, scores, win_shares)
        for seat in range(players):
            rewards[seat] = zero_sum_win(win_shares[seat], players)
        return
    for seat in range(players):
        potential = relative_score(scores, seat, players) / SCORE_SCALE
        if mode == SHAPED:
            rewards[seat] = potential - potentials[seat]
            potentials[seat] = potential
        else:
            rewards[seat] = potential


def potentials_into(state: State, mode: i8, potentials: f8x1) -> None:
    """Write what the rewards of an episode that starts from a position are counted from."""
    potentials[:] = 0
    if EVERY_STEP[mode]:
        scratch = np.empty((2, MAX_PLAYERS))
        rewards_into(state, mode, potentials, np.empty(MAX_PLAYERS, np.int64), *scratch)
