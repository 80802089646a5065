"""Which decisions are asked.

``decisions="explicit"`` asks for every elementary decision.  ``"auto"`` plays those that cannot matter
by itself.  ``"turn"``, which asks for placements only, is greedy's (:mod:`cacao_env.greedy.turn`).  One
property bounds what ``"auto"`` may skip: in every position, the best outcomes of the turn that each
player can reach (gold, cacao, sun tokens, water; more is never worse) are the same with and without
skipping.  The comments give the reason in each case.
"""

from __future__ import annotations

import numpy as np

from .actions import act_id, candidate, fill_id, may_act, num_candidates, place_id
from .geometry import NEIGHBOR
from .jit import inlined, njit
from .rules import can_cover, near_rim
from .state import ACT, FILL, PLACE, State, pending_workers
from .tiles import (
    ACTION_CLASS,
    ACTION_VALUE,
    CACAO_PLACES,
    CARRY_WATER,
    ERUPT,
    MAX_TURNS,
    SELL_CACAO,
    TAKE_CACAO,
    TAKE_GOLD,
    TAKE_SUN,
    VOLCANO,
    VOLCANO_GOLD,
)
from .types import i8

NONE = -1
# Of a game: a turn has a placement, three fills, four edges of the tile placed and nine of others.
MAX_DECISIONS = (1 + 3 + 4 + 9) * MAX_TURNS


@njit
def forced_action(state: State) -> i8:
    """Return the move that cannot matter, or NONE."""
    if state.phase == ACT:
        return forced_act(state)
    if state.phase == FILL:
        return forced_fill(state)
    if state.phase == PLACE:
        return forced_place(state)
    return NONE


@inlined
def forced_place(state):
    """Return the only legal placement (one cell, and only 1-1-1-1 in hand), or NONE."""
    hand = state.hand[state.seat]
    if hand[0] == 0 or hand[1] + hand[2] + hand[3] > 0:
        return NONE
    only = np.int64(NONE)
    tight = near_rim(state)
    for i in range(num_candidates(state)):
        cell = candidate(state, i)
        if can_cover(state, cell, tight):
            if only != NONE:
                return NONE
            only = cell
    return place_id(state, only, 0)


@inlined
def forced_fill(state):
    """Return a fill without a choice, or one of two whose order does not matter; or NONE."""
    side = 0
    while (state.to_fill >> side) & 1 == 0:
        side += 1
    rest = state.to_fill & ~(1 << side)
    first, second = state.display[0], state.display[1]
    slot = 0 if first != 0 else 1
    if state.display[slot] == VOLCANO:
        return NONE  # its orientation is a choice
    if rest == 0:
        one_choice = second == 0 or first == 0 or first == second
    else:
        # Two equal tiles for two cells: whichever goes first, both lie in the end.
        one_choice = first == second and rest & (rest - 1) == 0
    return fill_id(state, side, slot, 0) if one_choice else NONE


@inlined
def forced_act(state):
    """Return an action that is best at once, whatever follows; or NONE.

    - Water and sun tokens affect nothing else and more is never worse: at once, in full.
    - Gold only matters to a volcano that takes some, and gold never falls below 0: paying comes
      first, when there is least to lose; mines and giving volcanoes follow, in full.
    - Cacao has 5 places.  Without a market, or when all of it fits, or from an empty store with
      only one plantation: plantations at once, in full.
    - Without cacao and plantations nothing can be sold: the markets are skipped.
    """
    plantations = 0
    markets = 0
    harvest = 0
    some_plantation = NONE
    some_market = NONE
    gives_gold = NONE
    for side in range(4):
        if (state.pending[state.seat] >> (4 * side)) & 15 == 0:
            continue
        code = state.board[NEIGHBOR[state.last, side]]
        kind = ACTION_CLASS[code]
        for facing in range(4):
            if not may_act(state, side, facing):
                continue
            workers = pending_workers(state, side, facing)
            action = act_id(state, side, facing, workers)
            if kind == CARRY_WATER or kind == TAKE_SUN:
                return action
            if kind == ERUPT:
                if VOLCANO_GOLD[code - VOLCANO, facing] < 0:
                    return action
                gives_gold = action
            elif kind == TAKE_GOLD:
                gives_gold = action
            elif kind == TAKE_CACAO:
                plantations += 1
                harvest += ACTION_VALUE[code] * workers
                some_plantation = action
            elif kind == SELL_CACAO:
                markets += 1
                some_market = act_id(state, side, facing, 0)
    if gives_gold != NONE:
        return gives_gold
    cacao = state.cacao[state.seat]
    if plantations > 0:
        if markets == 0 or cacao + harvest <= CACAO_PLACES or (cacao == 0 and plantations == 1):
            return some_plantation
        return NONE
    if cacao == 0:
        return some_market
    return NONE
