"""Games that greedy plays to their end, and the values of their results."""

from __future__ import annotations

import math

import numpy as np

from ..engine.jit import inlined, njit
from ..engine.rewards import SCORE_SCALE
from ..engine.scoring import relative_score, scores_into, win_shares_into, zero_sum_win
from ..engine.state import OVER, STATE, deal, redeal
from ..engine.tiles import MAX_PLAYERS
from ..greedy.choices import CHOICES, GREEDY_WEIGHTS, greedy_choice
from ..greedy.turn import step_turn

BELIEFS = np.repeat(GREEDY_WEIGHTS[None], MAX_PLAYERS, axis=0)  # all seats play like greedy
# The objective: the utility, or the relative score in gold.
UTILITY, RELATIVE_SCORE = range(2)
UNIT = "utility"  # -1 lost, 1 won; half the win, half the scores


@njit
def play_out(state, choices, weights, rng):
    """Play to the end in place, seat s with row s of ``weights``; return the number of decisions."""
    decisions = 0
    while state.phase != OVER:
        step_turn(state, greedy_choice(choices, state, weights[state.seat], rng))
        decisions += 1
    return decisions


@inlined
def utility_of(win_shares, scores, num_players, seat):
    """Return the utility of a result, or of an expected one, for a seat, in [-1, 1].

    Half the zero-sum share of the win, and half the mean over the other seats of
    tanh(difference in score / SCORE_SCALE): a large lead counts little more than a fair one.
    """
    ahead = 0.0
    for other in range(num_players):
        if other != seat:
            ahead += math.tanh((scores[seat] - scores[other]) / SCORE_SCALE)
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


@njit
def forecast(states, rng, games, win_shares, mean_scores):
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
        play_out(work[0], choices[0], BELIEFS, rng)
        scores_into(work[0], scores)
        win_shares_into(work[0], scores, wins)
        for seat in range(work[0].num_players):
            win_shares[seat] += wins[seat] / games
            mean_scores[seat] += scores[seat] / games


@njit
def match(states, weights, rng, blocks, results):
    """Play deal blocks between two sets of weights, (2, ...): the first takes each seat in turn.

    Writes the first one's utility and win share, means over its seats, into ``results``, (blocks, 2).
    ``states``: 3 of them, with the options of the games written in the first.
    """
    choices = np.empty(1, CHOICES)
    players = np.int64(states[0].num_players)
    seated = np.empty((MAX_PLAYERS, weights.shape[1]))
    scores = np.zeros(MAX_PLAYERS, np.int64)
    wins = np.zeros(MAX_PLAYERS)
    for block in range(blocks):
        deal(states[0], rng)
        results[block, :] = 0
        for seat in range(players):
            states[1] = states[0]
            for other in range(players):
                seated[other] = weights[0 if other == seat else 1]
            play_out(states[1], choices[0], seated, rng)
            scores_into(states[1], scores)
            win_shares_into(states[1], scores, wins)
            results[block, 0] += utility_of(wins, scores, players, seat) / players
            results[block, 1] += wins[seat] / players
