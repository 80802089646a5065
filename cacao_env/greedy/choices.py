"""Greedy's values of all choices: the turn with the highest value, found as a whole.

The value of a placement includes the best fills and actions (:mod:`.values`), and so does the value
of a fill.  The order of harvests and sales is found by trying all orders.  ``greedy_choice`` plays by
these values; with ``decisions="turn"`` they also make every decision but the placement.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any, TypeAlias

import numpy as np

from ..engine.actions import (
    FILL_ACTIONS,
    MAX_LEGAL,
    NUM_OFFERED,
    OFFERED_VARIANTS,
    WORKER_CHOICES,
    act_id,
    candidate,
    fill_id,
    hand_kinds,
    legal_acts,
    legal_fills,
    num_candidates,
    place_id,
)
from ..engine.decisions import NONE, forced_action
from ..engine.geometry import NEIGHBOR
from ..engine.jit import inlined, njit
from ..engine.rng import below
from ..engine.rules import can_cover, near_rim
from ..engine.state import EXPLICIT, FILL, PLACE, VARIANT, jungle_left, pending_workers
from ..engine.tiles import (
    ACTION_CLASS,
    ACTION_VALUE,
    CACAO_PLACES,
    DISPLAY_SIZE,
    SELL_CACAO,
    TAKE_CACAO,
    VOLCANO,
)
from ..engine.types import Array, Record, name, struct
from .values import HEURISTIC, Weights, prepare, set_worths, tile_value

# The values of a position's decisions, and scratch space; one array serves many decisions.
CHOICES = struct(
    [
        ("look", HEURISTIC),
        ("filled", "i8"),  # sides that an assignment fills
        ("count", "i8"),
        ("ids", "i8", (MAX_LEGAL,)),
        ("values", "f8", (MAX_LEGAL,)),
        ("ways", "i8", (MAX_LEGAL,)),  # of a placement: the best ways to lay the tiles, as bits
    ]
)
Choices: TypeAlias = Any
ChoicesArray: TypeAlias = Any
name("Choices", Record(CHOICES))
name("ChoicesArray", Array(CHOICES, 1))
GREEDY_WEIGHTS = np.array(Weights())
NOWHERE = -1
TIE = 1e-9


def _assignments(tiles: int, to_fill: int) -> list[tuple[int, int]]:
    """Return the ways to lay the display's tiles: the side for the tile of each slot, or NOWHERE."""
    sides = [side for side in range(4) if (to_fill >> side) & 1]
    if tiles == NO_TILE or not sides:
        return [(NOWHERE, NOWHERE)]
    if tiles == ONLY_SECOND:
        return [(NOWHERE, side) for side in sides]
    if tiles == ONLY_FIRST or (tiles == EQUAL and len(sides) == 1):
        return [(side, NOWHERE) for side in sides]
    if len(sides) == 1:
        return [(sides[0], NOWHERE), (NOWHERE, sides[0])]
    return list((combinations if tiles == EQUAL else permutations)(sides, 2))


# The content of the display, and the ways to lay it: [tiles, bits of the sides to fill, way, slot].
NO_TILE, ONLY_FIRST, ONLY_SECOND, EQUAL, DIFFERENT = range(5)
_ways = [[_assignments(tiles, to_fill) for to_fill in range(16)] for tiles in range(5)]
NUM_WAYS = np.array([[len(ways) for ways in row] for row in _ways])
assert 4 * NUM_WAYS.max() < 63  # ``way_number`` is the number of a bit
WAYS = np.full((5, 16, NUM_WAYS.max(), DISPLAY_SIZE), NOWHERE)
for _index in np.ndindex(5, 16):
    WAYS[_index][: NUM_WAYS[_index]] = _ways[_index[0]][_index[1]]


@inlined
def tiles_shown(state):
    """Return which of these the display is."""
    first, second = state.display[0], state.display[1]
    if first == 0 or second == 0:
        return (ONLY_FIRST if first != 0 else 0) + (ONLY_SECOND if second != 0 else 0)
    return EQUAL if first == second else DIFFERENT


@inlined
def orientations(state, slot, side):
    """Return in how many ways the slot's tile can be laid on that side."""
    return 2 if side != NOWHERE and state.display[slot] == VOLCANO else 1


@inlined
def way_number(n, first, second):
    """Return the number of a way to lay the display's tiles, with their orientations."""
    return n * 4 + second * 2 + first


@njit
def lay(choices, state, cell, way, turned):
    """Write the tiles around a cell after the fills of one way."""
    look = choices.look
    for side in range(4):
        look.code[side] = max(0, np.int64(state.board[NEIGHBOR[cell, side]]))
    choices.filled = np.int64(state.filled)
    for slot in range(DISPLAY_SIZE):
        if way[slot] != NOWHERE:
            look.code[way[slot]] = state.display[slot] + ((turned >> slot) & 1)
            choices.filled |= 1 << way[slot]


@njit
def score_placements(choices, state, weights, ways=None):
    """Write every legal placement and its value, with the best fills, into ``choices``.

    ``ways``: True to write the best ways to lay the tiles as well, which takes a tenth more time.
    """
    seat = np.int64(state.seat)
    look = choices.look
    set_worths(
        look, state, seat, weights, np.int64(state.tiles_each) - np.int64(state.placed[seat]) - 1
    )
    kinds = hand_kinds(state)
    variants = NUM_OFFERED[kinds]
    tight = near_rim(state)
    fillable = jungle_left(state) > 0
    tiles = tiles_shown(state)
    count = 0
    for i in range(num_candidates(state)):
        cell = candidate(state, i)
        if not can_cover(state, cell, tight):
            continue
        overbuilds = 1 if state.board[cell] > 0 else 0
        to_fill = 0
        for side in range(4):
            if fillable and overbuilds == 0 and state.board[NEIGHBOR[cell, side]] < 0:
                to_fill |= 1 << side
        identity = place_id(state, cell, 0)
        for k in range(variants):
            choices.ids[count + k] = identity + OFFERED_VARIANTS[kinds, k]
            choices.values[count + k] = -1e9
        for n in range(NUM_WAYS[tiles, to_fill]):
            way = WAYS[tiles, to_fill, n]
            for second in range(orientations(state, 1, way[1])):
                for first in range(orientations(state, 0, way[0])):
                    lay(choices, state, cell, way, first | second << 1)
                    prepare(look, state, seat, cell, choices.filled, overbuilds)
                    for k in range(variants):
                        variant = OFFERED_VARIANTS[kinds, k]
                        value = tile_value(look, state, seat, variant)
                        best = choices.values[count + k]
                        choices.values[count + k] = value if value > best + TIE else best
                        if ways is not None:
                            bit = 1 << way_number(n, first, second)
                            equal = choices.ways[count + k]
                            equal = equal | bit if value > best - TIE else equal
                            choices.ways[count + k] = bit if value > best + TIE else equal
        count += variants
    choices.count = count


@njit
def appraise_fills(choices, state, weights):
    """Write every legal fill and the value of the best way that begins with it into ``choices``."""
    seat, cell = np.int64(state.seat), np.int64(state.last)
    look = choices.look
    set_worths(
        look, state, seat, weights, np.int64(state.tiles_each) - np.int64(state.placed[seat])
    )
    variant = VARIANT[state.board[cell]]
    bits = legal_fills(state)
    first_id = fill_id(state, 0, 0, 0)
    choices.count = 0
    for offset in range(FILL_ACTIONS):
        if (bits >> offset) & 1:
            choices.ids[choices.count] = first_id + offset
            choices.values[choices.count] = -1e9
            choices.count += 1
    tiles = tiles_shown(state)
    for n in range(NUM_WAYS[tiles, state.to_fill]):
        way = WAYS[tiles, state.to_fill, n]
        for second in range(orientations(state, 1, way[1])):
            for first in range(orientations(state, 0, way[0])):
                lay(choices, state, cell, way, first | second << 1)
                prepare(look, state, seat, cell, choices.filled, 0)
                value = tile_value(look, state, seat, variant)
                for slot in range(DISPLAY_SIZE):
                    if way[slot] != NOWHERE:
                        turned = second if slot == 1 else first
                        _raise(choices, fill_id(state, way[slot], slot, turned), value)


@njit
def _raise(choices, action, value):
    """Raise an action's value to at least this value."""
    for i in range(choices.count):
        if choices.ids[i] == action:
            choices.values[i] = max(choices.values[i], value)


@njit
def appraise_acts(choices, state, weights):
    """Write every legal action of an edge and its gold, with the best order of the rest after it.

    Only harvests and sales are decisions here: ``decisions.forced_action`` plays the others first.
    """
    seat = np.int64(state.seat)
    left = np.int64(state.tiles_each) - np.int64(state.placed[seat])
    set_worths(choices.look, state, seat, weights, left)
    first_id = act_id(state, 0, 0, 0)
    bits = legal_acts(state)
    cacao = np.int64(state.cacao[seat])
    edges = np.empty(16, np.int64)
    count = 0
    for edge in range(16):
        if (np.int64(state.pending[seat]) >> edge) & 1:
            edges[count] = edge
            count += 1
    best = best_orders(choices.look, state, edges[:count])
    choices.count = 0
    for n in range(count):
        for workers in range(WORKER_CHOICES):
            offset = edges[n] * WORKER_CHOICES + workers
            if (bits >> offset) & 1:
                gold, after = use_edge(state, edges[n], workers, cacao)
                choices.ids[choices.count] = first_id + offset
                choices.values[choices.count] = gold + best[(1 << count) - 1 - (1 << n), after]
                choices.count += 1


@njit
def best_orders(look, state, edges):
    """Write best[m, c]: the most gold of the edges in the bits of m, in any order, with c cacao stored.

    It includes the value of the cacao that stays.
    """
    best = np.empty((1 << len(edges), CACAO_PLACES + 1))
    for cacao in range(CACAO_PLACES + 1):
        best[0, cacao] = look.cacao_worth[cacao]
    for left in range(1, 1 << len(edges)):
        best[left] = -1e9
        for n in range(len(edges)):
            if (left >> n) & 1:
                most = pending_workers(state, edges[n] >> 2, edges[n] & 3)
                code = state.board[NEIGHBOR[state.last, edges[n] >> 2]]
                least = 0 if ACTION_CLASS[code] == SELL_CACAO else most  # a whole harvest is best
                for workers in range(least, most + 1):
                    for cacao in range(CACAO_PLACES + 1):
                        gold, after = use_edge(state, edges[n], workers, cacao)
                        value = gold + best[left - (1 << n), after]
                        best[left, cacao] = max(best[left, cacao], value)
    return best


@inlined
def use_edge(state, edge, workers, cacao):
    """Return (gold earned, cacao stored) after some workers of an edge harvest or sell."""
    code = state.board[NEIGHBOR[state.last, edge >> 2]]
    if ACTION_CLASS[code] == TAKE_CACAO:
        return 0.0, min(CACAO_PLACES, cacao + ACTION_VALUE[code] * workers)
    if ACTION_CLASS[code] == SELL_CACAO:
        sold = min(workers, cacao)
        return 1.0 * sold * ACTION_VALUE[code], cacao - sold
    return 0.0, cacao


@njit
def score_actions(choices, state, weights, ways=None):
    """Write the legal actions of the decision to make and their values into ``choices``.

    ``ways`` as in :func:`score_placements`.
    """
    if state.phase == PLACE:
        score_placements(choices, state, weights, ways)
    elif state.phase == FILL:
        appraise_fills(choices, state, weights)
    else:
        appraise_acts(choices, state, weights)


@njit
def sort_best(choices, i):
    """Move the i-th best action to place i; the better ones must be in place: a partial sort."""
    best = i
    for k in range(i + 1, choices.count):
        if choices.values[k] > choices.values[best]:
            best = k
    choices.ids[i], choices.ids[best] = choices.ids[best], choices.ids[i]
    choices.values[i], choices.values[best] = choices.values[best], choices.values[i]


@njit
def best_into(choices, state, top, ids):
    """Write greedy's ``top`` best actions into ``ids``, best first; return their number."""
    score_actions(choices, state, GREEDY_WEIGHTS)
    count = min(top, np.int64(choices.count))
    for i in range(count):
        sort_best(choices, i)
        ids[i] = choices.ids[i]
    return count


@njit
def greedy_choice(choices, state, weights, rng):
    """Return the action with the highest value; ties are broken at random."""
    if state.decisions == EXPLICIT:
        action = forced_action(state)
        if action != NONE:
            return action
    score_actions(choices, state, weights)
    best, ties = 0, 1
    for i in range(1, choices.count):
        if choices.values[i] > choices.values[best] + TIE:
            best, ties = i, 1
        elif choices.values[i] > choices.values[best] - TIE:
            ties += 1
            if below(rng, ties) == 0:
                best = i
    return np.int64(choices.ids[best])
