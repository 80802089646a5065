"""What searches and judges maximise: the utility of a result, or its relative score in gold."""

from __future__ import annotations

import numpy as np

from ..engine.jit import inlined, njit
from ..engine.rewards import SCORE_SCALE
from ..engine.scoring import relative_score, scores_into, win_shares_into, zero_sum_win
from ..engine.tiles import MAX_PLAYERS
from .elementary import tanh

UTILITY, RELATIVE_SCORE = range(2)  # the objective
UNIT = "utility"  # -1 lost, 1 won; half the win, half the scores


@inlined
def utility_of(win_shares, scores, num_players, seat):
    """Return the utility of a result, or of an expected one, for a seat, in [-1, 1].

    Half the zero-sum share of the win, and half the mean over the other seats of
    tanh(difference in score / SCORE_SCALE): a large lead counts little more than a fair one.
    """
    ahead = 0.0
    for other in range(num_players):
        if other != seat:
            ahead += tanh((scores[seat] - scores[other]) / SCORE_SCALE)
    win = zero_sum_win(win_shares[seat], num_players)
    return 0.5 * win + 0.5 * ahead / (num_players - 1)


@njit
def value_of(state, seat, objective):
    """Return the value of a finished game for a seat: its utility, or its relative score in gold."""
    players = np.int64(state.num_players)
    scores = np.zeros(MAX_PLAYERS, np.int64)
    scores_into(state, scores)
    if objective == RELATIVE_SCORE:
        return relative_score(scores, seat, players)
    win_shares = np.zeros(MAX_PLAYERS)
    win_shares_into(state, scores, win_shares)
    return utility_of(win_shares, scores, players, seat)
