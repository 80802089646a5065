"""What a turn leads to, without chance and without anything hidden: for the candidate view."""

from __future__ import annotations

import numpy as np

from ..engine.actions import apply
from ..engine.jit import njit
from ..engine.rng import mixed
from ..engine.state import OVER, TURN, shuffle_pool
from ..engine.tiles import HAND_SIZE, NUM_JUNGLE_KINDS, NUM_VARIANTS, VARIANT_KIND, WORKER_KINDS
from .choices import GREEDY_WEIGHTS, score_placements
from .columns import FOLLOW, GOLD, REPLY
from .turn import unasked

_UNIT = 1e6  # values are rounded to 1 / _UNIT: sums in another order make the same rows
_KINDS = len(WORKER_KINDS)


@njit
def deal_pile(state, viewer):
    """Deal the jungle pile again, by random numbers that depend on what every seat sees."""
    players = np.int64(state.num_players)
    seed = mixed(np.uint64(np.int64(state.turn) * 8 + np.int64(state.phase)))
    for i in range(players):
        seat = (viewer + i) % players
        stocks = np.int64(state.gold[seat]) * 8 + np.int64(state.cacao[seat])
        stocks = (stocks * 8 + np.int64(state.sun[seat])) * 16 + np.int64(state.water[seat])
        seed = mixed(seed ^ np.uint64(stocks * 64 + np.int64(state.temples[seat])))
    for kind in range(1, NUM_JUNGLE_KINDS + 1):
        seed = mixed(seed ^ np.uint64(np.int64(state.jungle_pile[kind])))
    rng = np.empty(1, np.uint64)
    rng[0] = seed
    shuffle_pool(state.jungle_draws[state.jungle_drawn : state.num_jungle], state.jungle_pile, rng)


@njit
def play_on(state, action):
    """Play an action and then greedy's choices to the end of the turn."""
    turn = state.turn
    while True:
        apply(state, action)
        if state.turn != turn or state.phase == OVER:
            return
        action = unasked(state, TURN)


@njit
def replies_into(row, before, state, viewer, choices):
    """Write what the best turns after ``state``, the end of a turn, are worth to two seats."""
    if state.phase == OVER:
        return
    follower = np.int64(state.seat)
    held = min(HAND_SIZE, np.int64(state.tiles_each) - np.int64(state.placed[follower]))
    for kind in range(_KINDS):
        state.hand[follower, kind] = state.unplaced[follower, kind]
    score_placements(choices, state, GREEDY_WEIGHTS)
    best = np.full(_KINDS, -1e9)
    for i in range(choices.count):
        kind = VARIANT_KIND[choices.ids[i] % NUM_VARIANTS]
        best[kind] = max(best[kind], choices.values[i])
    row[REPLY] = np.rint(_mean_best(best, state.unplaced[follower], held) * _UNIT) / _UNIT / GOLD
    if state.placed[viewer] == state.tiles_each:
        return
    for kind in range(_KINDS):
        used = np.int64(before.unplaced[viewer, kind]) - np.int64(state.unplaced[viewer, kind])
        state.hand[viewer, kind] = before.hand[viewer, kind] - used
    state.seat = viewer
    score_placements(choices, state, GREEDY_WEIGHTS)
    if choices.count > 0:
        most = choices.values[0]
        for i in range(1, choices.count):
            most = max(most, choices.values[i])
        row[FOLLOW] = np.rint(most * _UNIT) / _UNIT / GOLD


@njit
def _mean_best(best, unplaced, held):
    """Return the mean, over the hands of ``held`` tiles, of the best value of a kind in the hand."""
    total = np.int64(0)
    for kind in range(_KINDS):
        total += np.int64(unplaced[kind])
    mean, better, above = 0.0, np.int64(0), 1.0
    done = 0
    for _ in range(_KINDS):
        top = -1
        for kind in range(_KINDS):
            if (done >> kind) & 1 == 0 and (top < 0 or best[kind] > best[top]):
                top = kind
        done |= 1 << top
        if unplaced[top] == 0:
            continue
        better += np.int64(unplaced[top])
        none = 1.0  # the chance that no tile of these kinds is in the hand
        for k in range(held):
            none *= max(0.0, 1.0 * (total - better - k)) / (total - k)
        mean += best[top] * (above - none)
        above = none
    return mean
