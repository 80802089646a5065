"""Games that greedy plays to their end."""

from __future__ import annotations

import numpy as np

from ..engine.jit import njit
from ..engine.rng import RngArray
from ..engine.scoring import scores_into, win_shares_into
from ..engine.state import OVER, STATE, StateArray, redeal
from ..engine.tiles import MAX_PLAYERS
from ..engine.types import f8x1, i8
from ..greedy.choices import CHOICES, GREEDY_WEIGHTS, greedy_choice
from ..greedy.turn import step_turn


@njit
def play_out(state, choices, rng):
    """Play to the end in place; return the number of decisions."""
    decisions = 0
    while state.phase != OVER:
        step_turn(state, greedy_choice(choices, state, GREEDY_WEIGHTS, rng))
        decisions += 1
    return decisions


@njit
def forecast(
    states: StateArray, rng: RngArray, games: i8, win_shares: f8x1, mean_scores: f8x1
) -> None:
    """Write every seat's mean win share and final score, (MAX_PLAYERS,), if all seats play like greedy.

    The mean is over ``games`` deals of everything hidden from the deciding seat of ``states[0]``.
    """
    work = np.empty(1, STATE)
    choices = np.empty(1, CHOICES)
    scores = np.zeros(MAX_PLAYERS, np.int64)
    wins = np.zeros(MAX_PLAYERS)
    win_shares[:] = 0
    mean_scores[:] = 0
    for _ in range(games):
        work[0] = states[0]
        redeal(work[0], np.int64(states[0].seat), rng)
        play_out(work[0], choices[0], rng)
        scores_into(work[0], scores)
        win_shares_into(work[0], scores, wins)
        for seat in range(work[0].num_players):
            win_shares[seat] += wins[seat] / games
            mean_scores[seat] += scores[seat] / games
