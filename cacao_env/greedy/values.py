"""A quick value of a whole turn: a placement, the fills, then the actions.

Nothing is played: gains are sums from tables, some tens of nanoseconds a turn.  The value of a position
to a seat is its score if the game ended now plus what its stocks will bring, in gold (see ``Weights``).
Two things are simplified: workers of one market edge may sell partly before and partly after a harvest,
and several harvests happen at once, with no sale between them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engine.geometry import NEIGHBOR, opposite
from ..engine.jit import inlined, njit
from ..engine.scoring import temple_prize, temple_workers
from ..engine.state import OWNER, WORKERS
from ..engine.tiles import (
    ACTION_CLASS,
    ACTION_VALUE,
    CACAO_PLACES,
    CARRY_WATER,
    EDGES,
    ERUPT,
    LAST_WATER,
    MAX_PRICE,
    MAX_WORKERS_ON_EDGE,
    SELL_CACAO,
    SUN_PLACES,
    TAKE_CACAO,
    TAKE_GOLD,
    TAKE_SUN,
    TEMPLE,
    VOLCANO,
    VOLCANO_GOLD,
    WATER_TRACK,
)
from ..engine.types import struct


class Weights(NamedTuple):
    """Greedy's values in gold; found by ``training.tune_greedy`` of commit 1f594ba.

    Values that fade do so over the seat's last placements.
    """

    cacao: float = 1.44  # a stored cacao
    crowded: float = 0.09  # its decrease for each one stored already
    cacao_fade: float = 3.8  # placements over which stored cacao loses its value
    water: float = 0.51  # share of the next step of the water track
    water_fade: float = 2.0
    sun: float = 0.65  # a sun token, beyond its coin: a tile can be overbuilt with it
    sun_fade: float = 2.1
    temple: float = 0.3  # gold of a temple that others may still overtake
    facing: float = 0.29  # a worker that faces a temple, whoever leads
    edge: float = 1.16  # a worker that faces an empty jungle cell: it acts when that is filled
    others: float = 0.46  # gain of the other seats, subtracted


CACAO, CROWDED, CACAO_FADE, WATER, WATER_FADE, SUN, SUN_FADE, TEMPLE_NOW, FACING, EDGE, OTHERS = (
    range(len(Weights._fields))
)

# The sums of a turn are one integer, eight bits each from these on: workers, tokens, cacao, and sales
# by price.  Adding such integers adds all sums at once.
CARRIED, TOKENS, PAID, HARVEST, SALES = range(0, 40, 8)
SPENT = SALES + 8 * (MAX_PRICE - 1)  # a token, to overbuild
_TRADED = (1 << SPENT) - (1 << HARVEST)
_REMEMBERED = 61  # a prime, so that most sums of a position differ in their remainders

HEURISTIC = struct(
    [
        ("cacao_worth", "f8", (CACAO_PLACES + 1,)),  # of a stock, by its size
        ("water_worth", "f8", (LAST_WATER + 1,)),  # by field
        ("sun_worth", "f8", (SUN_PLACES + 1,)),
        ("empty", "f8"),  # a worker that faces an empty cell
        ("facing", "f8"),  # a worker that faces a temple
        ("temple", "f8"),  # one gold from temples
        ("others", "f8"),
        ("code", "i8", (4,)),  # jungle code on each side, filled cells included
        ("gain", "f8", (4, MAX_WORKERS_ON_EDGE + 1)),  # gold, temples, empty cells; by workers
        ("added", "i8", (4,)),  # to the sums by each worker on a side
        ("sums", "i8"),  # of the seat's other tiles at filled cells
        ("constant", "f8"),  # the part that does not depend on the tile: mostly gains of others
        ("known", "i8", (_REMEMBERED,)),  # sums by their remainders, and their worths; 0 is known
        ("worths", "f8", (_REMEMBERED,)),
    ]
)


@njit
def set_worths(look, state, seat, weights, left):
    """Write the values of stocks to a seat with ``left`` placements to come, its stocks unchanged."""
    look.known[:] = 0
    look.worths[0] = 0.0
    cacao_now = min(1.0, left / weights[CACAO_FADE])
    for k in range(CACAO_PLACES + 1):
        look.cacao_worth[k] = k * (weights[CACAO] - weights[CROWDED] * (k - 1)) * cacao_now
    for k in range(LAST_WATER + 1):
        step = WATER_TRACK[min(k + 1, LAST_WATER)] - WATER_TRACK[k]
        coming = weights[WATER] * min(1.0, left / weights[WATER_FADE])
        look.water_worth[k] = WATER_TRACK[k] + coming * step
    for k in range(SUN_PLACES + 1):
        look.sun_worth[k] = k * (1 + weights[SUN] * min(1.0, left / weights[SUN_FADE]))
        if k > left:  # a token beyond the placements left is a coin
            look.sun_worth[k] = look.sun_worth[k - 1] + 1
    still = left / state.tiles_each
    look.temple = 1 - (1 - weights[TEMPLE_NOW]) * still
    look.facing = weights[FACING] * still
    jungle = np.int64(state.num_jungle) - np.int64(state.jungle_drawn)
    look.empty = weights[EDGE] * min(1.0, jungle / 5.0) * min(1.0, left / 2.0)
    look.others = weights[OTHERS] / (state.num_players - 1)


@inlined
def part(sums, first):
    """Return one of the sums."""
    return (sums >> first) & 255


@inlined
def trade(look, cacao, sums):
    """Return (value, gold, cacao stored) after the best way to harvest and sell.

    The value is the gain: the value of the cacao stored before is subtracted.  With s cacao sold in
    all, selling as much as possible before the harvest leaves most room.
    """
    harvest = part(sums, HARVEST)
    best = look.cacao_worth[min(CACAO_PLACES, cacao + harvest)]
    price = MAX_PRICE
    left = part(sums, SALES + 8 * (price - 2))
    gold = 0
    sold = 0
    earned, stored = 0, min(CACAO_PLACES, cacao + harvest)
    while True:
        while left == 0:
            price -= 1
            if price < 2:
                return best - look.cacao_worth[cacao], earned, stored
            left = part(sums, SALES + 8 * (price - 2))
        left -= 1
        gold += price
        sold += 1
        before = min(sold, cacao)
        after = min(CACAO_PLACES, cacao - before + harvest) - (sold - before)
        if after < 0:
            return best - look.cacao_worth[cacao], earned, stored
        if gold + look.cacao_worth[after] > best:
            best = gold + look.cacao_worth[after]
            earned, stored = gold, after


def _edge(code: int, facing: int) -> tuple[int, int, float]:
    """Return (sum, what a worker adds to it, gold of a worker) of an edge at a tile."""
    kind, value = ACTION_CLASS[code], int(ACTION_VALUE[code])
    if kind == TAKE_GOLD:
        return CARRIED, 0, 1.0 * value
    if kind == ERUPT:
        gold = float(VOLCANO_GOLD[code - VOLCANO, facing])
        return (CARRIED, 0, gold) if gold > 0 else (PAID, 1, 0.0)
    sums = {
        TAKE_CACAO: (HARVEST, value),
        SELL_CACAO: (SALES + 8 * (value - 2), 1),
        CARRY_WATER: (CARRIED, 1),
        TAKE_SUN: (TOKENS, 1),
    }
    return (*sums.get(kind, (CARRIED, 0)), 0.0)


# By a tile's code and the side of it that a worker tile lies on: tables, because branches of the
# compiled code would be mispredicted.
_edges = [[_edge(code, facing) for facing in range(4)] for code in range(len(ACTION_CLASS))]
ADDED = np.array([[amount << first for first, amount, _ in row] for row in _edges], np.int64)
EDGE_GOLD = np.array([[gold for *_, gold in row] for row in _edges])


@inlined
def worth_of_sums(look, state, seat, sums):
    """Return the value of the summed edges to a seat with its stocks."""
    place = sums % _REMEMBERED
    if look.known[place] != sums:
        look.known[place] = sums
        look.worths[place] = _count_worth(look, state, seat, sums)
    return look.worths[place]


@njit
def _count_worth(look, state, seat, sums):
    water, sun = np.int64(state.water[seat]), np.int64(state.sun[seat])
    tokens = part(sums, TOKENS) - (sums >> SPENT)
    value = look.water_worth[min(LAST_WATER, water + part(sums, CARRIED))] - look.water_worth[water]
    value += look.sun_worth[min(SUN_PLACES, sun + tokens)] - look.sun_worth[sun]
    value -= min(np.int64(state.gold[seat]), part(sums, PAID))  # it pays first, and never below 0
    if sums & _TRADED != 0:
        value += trade(look, np.int64(state.cacao[seat]), sums)[0]
    return value


@njit
def prepare(look, state, seat, cell, filled, overbuilds):
    """Prepare to evaluate tiles of ``seat`` on ``cell``; ``look.code`` has the tiles beside it.

    ``filled``: bit s for each side whose jungle tile is laid in this turn; ``overbuilds``: 1 if the
    tile will cover another one, for a sun token.  A tile that is on the cell already, in the middle of
    its turn, changes nothing.
    """
    look.sums = overbuilds << SPENT
    look.constant = 0.0
    covered = max(0, np.int64(state.board[cell]))
    for side in range(4):
        code = look.code[side]
        beside = NEIGHBOR[cell, side]
        gain = look.empty if code == 0 else EDGE_GOLD[code, opposite(side)]
        for workers in range(MAX_WORKERS_ON_EDGE + 1):
            look.gain[side, workers] = gain * workers
        look.added[side] = ADDED[code, opposite(side)]
        if code == TEMPLE:
            _prepare_temple(look, state, seat, beside, side, covered, (filled >> side) & 1)
        if (filled >> side) & 1:
            _prepare_fill(look, state, seat, code, beside, opposite(side))


@njit
def _prepare_temple(look, state, seat, temple, side, covered, new):
    """Write the gains at a temple by workers: its new gold less its present gold."""
    players = np.int64(state.num_players)
    packed = temple_workers(state, temple)
    now = 0.0
    if new == 0:
        now = _temple_worth(look, packed, seat, players)
    if covered > 0:
        packed -= WORKERS[covered, side] << (8 * seat)
    for workers in range(MAX_WORKERS_ON_EDGE + 1):
        then = _temple_worth(look, packed + (workers << (8 * seat)), seat, players)
        look.gain[side, workers] = then - now


@inlined
def _temple_worth(look, packed, seat, players):
    value = look.temple * temple_prize(packed, seat, players)
    value += look.facing * ((packed >> (8 * seat)) & 255)
    for other in range(players):
        if other != seat:
            value -= look.others * temple_prize(packed, other, players)
    return value


@njit
def _prepare_fill(look, state, seat, code, cell, new_side):
    """Add the edges of the other tiles around a jungle cell that is filled in this turn."""
    for facing in range(4):
        if facing == new_side:
            continue
        worker = state.board[NEIGHBOR[cell, facing]]
        if worker <= 0:
            continue
        workers = WORKERS[worker, opposite(facing)]
        if workers == 0:
            continue
        owner = OWNER[worker]
        if owner == seat:
            look.sums += ADDED[code, facing] * workers
            look.constant += EDGE_GOLD[code, facing] * workers
            if code != TEMPLE:
                look.constant -= look.empty * workers  # they faced an empty cell until now
        else:
            gain = gain_of_other(look, state, owner, code, facing, workers)
            look.constant -= look.others * (gain - look.empty * workers)


@inlined
def gain_of_other(look, state, owner, code, facing, workers):
    """Return the value of one edge of another seat to that seat, with the same values."""
    kind = ACTION_CLASS[code]
    if kind == TAKE_CACAO or kind == SELL_CACAO:
        cacao = np.int64(state.cacao[owner])
        if kind == TAKE_CACAO:
            after = min(CACAO_PLACES, cacao + ACTION_VALUE[code] * workers)
            return look.cacao_worth[after] - look.cacao_worth[cacao]
        sold = min(workers, cacao)
        gold = 1.0 * sold * ACTION_VALUE[code]
        return max(0.0, gold + look.cacao_worth[cacao - sold] - look.cacao_worth[cacao])
    if kind == TAKE_GOLD:
        return 1.0 * ACTION_VALUE[code] * workers
    if kind == CARRY_WATER:
        water = np.int64(state.water[owner])
        return look.water_worth[min(LAST_WATER, water + workers)] - look.water_worth[water]
    if kind == TAKE_SUN:
        sun = np.int64(state.sun[owner])
        return look.sun_worth[min(SUN_PLACES, sun + workers)] - look.sun_worth[sun]
    if kind == ERUPT:
        gold = VOLCANO_GOLD[code - VOLCANO, facing] * workers
        return 1.0 * max(gold, -np.int64(state.gold[owner]))
    return 0.0


@inlined
def tile_value(look, state, seat, variant):
    """Return the value of the turn with this tile on the prepared cell."""
    value, sums = look.constant, look.sums
    for side in range(4):
        workers = EDGES[variant, side]
        value += look.gain[side, workers]  # even without workers: a temple may come, or lose some
        sums += look.added[side] * workers
    return value + worth_of_sums(look, state, seat, sums)
