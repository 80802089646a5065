"""Rewards: what a seat gets for a step (a *score* is gold at the end; a *reward* is for learning).

All are zero-sum over the seats.

``outcome``  at the end only: (N w - 1) / (N - 1), w the seat's share of the win.  1 for a sole win;
             with 2 players -1 for a loss and 0 for a shared win.
``margin``   at the end only: own score less the mean of the others', over ``MARGIN_SCALE`` gold.
``shaped``   at every step: the change of that margin for the score if the game ended now
             (potential-based, discount 1; Ng, Harada, Russell 1999).  Sums to ``margin``.
"""

from __future__ import annotations

from typing import Literal

from .jit import njit
from .scoring import scores_into, winners_into
from .state import OVER

Reward = Literal["outcome", "margin", "shaped"]
REWARDS: tuple[Reward, ...] = ("outcome", "margin", "shaped")
OUTCOME, MARGIN, SHAPED = range(len(REWARDS))
MARGIN_SCALE = 50.0


@njit
def rewards_into(state, mode, potentials, scores, wins, rewards):
    """Write the rewards of the step that led to ``state`` into ``rewards``, float, (num_players,).

    ``potentials`` keeps the shaped reward's margins from one step to the next; set it to 0 when a
    game begins.  ``scores`` and ``wins`` are scratch space, int64, (4,).
    """
    players = int(state.num_players)
    over = state.phase == OVER
    if not over and mode != SHAPED:
        rewards[:players] = 0
        return
    scores_into(state, scores)
    if mode == OUTCOME:
        winners = winners_into(state, scores, wins)
        for seat in range(players):
            share = wins[seat] / winners
            rewards[seat] = (players * share - 1) / (players - 1)
        return
    total = 0
    for seat in range(players):
        total += scores[seat]
    for seat in range(players):
        margin = (players * scores[seat] - total) / (players - 1) / MARGIN_SCALE
        if mode == SHAPED:
            rewards[seat] = margin - potentials[seat]
            potentials[seat] = margin
        else:
            rewards[seat] = margin
