"""Temples, scores and winners (rules 5).

Every function evaluates the position as it stands.  So the same functions give the final result and
the score if the game ended now.
"""

from __future__ import annotations

import numpy as np

from .geometry import NEIGHBOR, opposite
from .jit import inlined, njit
from .state import OWNER, WORKERS, State
from .tiles import TEMPLE_FIRST, TEMPLE_SECOND, WATER_TRACK
from .types import f8x1, i8, i8x1


@inlined
def temple_workers(state, temple):
    """Return the workers that face a temple, packed: eight bits for each seat, seat 0 lowest."""
    packed = 0
    for side in range(4):
        code = state.board[NEIGHBOR[temple, side]]
        if code > 0:  # only the top tile of a stack is on the board
            packed += WORKERS[code, opposite(side)] << (8 * OWNER[code])
    return packed


@inlined
def temple_prize(packed, seat, num_players):
    """Return the gold of one seat from one temple, given its packed workers."""
    own = (packed >> (8 * seat)) & 255
    if own == 0:
        return 0
    ahead = 0
    level = 0  # seats with as many workers, this one among them
    for other in range(num_players):
        count = (packed >> (8 * other)) & 255
        if count > own:
            ahead += 1
        elif count == own:
            level += 1
    if ahead == 0:
        return TEMPLE_FIRST // level
    if ahead == 1:  # the first place is not shared, so there is a second
        return TEMPLE_SECOND // level
    return 0


@njit
def count_temples(state):
    """Write every seat's gold from all temples; call it when workers or a temple come."""
    players = np.int64(state.num_players)
    state.temples[:] = 0
    for i in range(state.temple_count):
        packed = temple_workers(state, state.temple_cells[i])
        for seat in range(players):
            state.temples[seat] += temple_prize(packed, seat, players)


@njit
def temple_into(state: State, temple: i8, workers: i8x1, prizes: i8x1) -> None:
    """Write every seat's workers at one temple, and the gold they would bring, (num_players,) each."""
    packed = temple_workers(state, temple)
    for seat in range(state.num_players):
        workers[seat] = (packed >> (8 * seat)) & 255
        prizes[seat] = temple_prize(packed, seat, np.int64(state.num_players))


@inlined
def score(state: State, seat: i8) -> i8:
    """Return the score of a seat if the game ended now; the final score once it is over."""
    coins = np.int64(state.gold[seat]) + np.int64(state.sun[seat])
    return coins + WATER_TRACK[state.water[seat]] + np.int64(state.temples[seat])


@njit
def scores_into(state: State, out: i8x1) -> None:
    """Write every seat's score into ``out`` (at least num_players long)."""
    for seat in range(state.num_players):
        out[seat] = score(state, seat)


@njit
def win_shares_into(state: State, scores: i8x1, out: f8x1) -> None:
    """Write every seat's share of the win with these scores into ``out``, float64.

    Scores are compared first, then stored cacao (rules 5); seats that are still level share the win.
    """
    best = scores[0] * 8 + state.cacao[0]
    for seat in range(1, state.num_players):
        best = max(best, scores[seat] * 8 + state.cacao[seat])
    winners = 0
    for seat in range(state.num_players):
        out[seat] = 1.0 if scores[seat] * 8 + state.cacao[seat] == best else 0.0
        winners += out[seat] > 0
    for seat in range(state.num_players):
        out[seat] /= winners


@inlined
def margin(scores, seat, num_players):
    """Return the score of a seat minus the best of the others' scores."""
    best = scores[1] if seat == 0 else scores[0]
    for other in range(num_players):
        if other != seat:
            best = max(best, scores[other])
    return scores[seat] - best


@inlined
def relative_score(scores, seat, num_players):
    """Return the score of a seat minus the mean of the others' scores: zero-sum over the seats."""
    total = 0
    for other in range(num_players):
        total += scores[other]
    return (num_players * scores[seat] - total) / (num_players - 1)


@inlined
def zero_sum_win(win_share, num_players):
    """Return a win share on a scale where all seats sum to 0 and a sole win is 1."""
    return (num_players * win_share - 1) / (num_players - 1)
