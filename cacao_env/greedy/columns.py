"""The columns of the candidate view, and what is in a row (:mod:`.candidates` has the whole view)."""

from __future__ import annotations

import numpy as np

from ..engine.geometry import NEIGHBOR, opposite
from ..engine.jit import inlined, njit
from ..engine.scoring import score, temple_prize, temple_workers
from ..engine.state import OWNER, VARIANT, WORKERS, jungle_left
from ..engine.tiles import (
    ACTION_CLASS,
    ACTION_VALUE,
    CACAO_PLACES,
    DISPLAY_SIZE,
    EDGES,
    HAND_SIZE,
    JUNGLE_KINDS,
    LAST_WATER,
    MAX_JUNGLE_DRAWS,
    MAX_PLAYERS,
    MAX_PRICE,
    MAX_TILES,
    MIN_PLAYERS,
    NUM_JUNGLE_KINDS,
    SUN_PLACES,
    TEMPLE_FIRST,
    VARIANT_KIND,
    VOLCANO,
    WATER_TRACK,
    WORKER_KINDS,
)
from .values import (
    ADDED,
    CARRIED,
    EDGE_GOLD,
    HARVEST,
    PAID,
    SALES,
    TOKENS,
    gain_of_other,
    part,
    trade,
)

GOLD = 16.0  # gold that counts as 1
_CLASSES = ("temples", "plantations", "markets", "mines", "waters", "sun sites", "volcanoes")
_LIKE = ("1111", "2101", "3001 or 3100")  # mirror images count as one kind
LIKE = np.array([0, 1, 2, 2], np.int64)
assert len(LIKE) == len(WORKER_KINDS)
_OVER = f", over {GOLD:.0f}"

# (name, least, largest value, meaning).  Values outside of the range are clipped.
ROW_COLUMNS: tuple[tuple[str, float, float, str], ...] = (
    ("legal", 0, 1, "1 for a choice, 0 for a row without one"),
    ("rank", 0, 1, "the number of the row over the number of rows"),
    ("value", -4, 4, f"greedy's value of the turn, in gold{_OVER}"),
    ("behind", -4, 0, f"that less the best row's{_OVER}"),
    ("gold", -4, 4, f"coins gained by own actions{_OVER}"),
    ("cacao", 0, 1, f"stored cacao afterwards, over {CACAO_PLACES}"),
    ("cacao_change", -1, 1, "its change"),
    ("water_gold", 0, 2, f"gold gained on the water track{_OVER}"),
    ("water", 0, 1, f"field of the track afterwards, over {LAST_WATER}"),
    ("sun", 0, 1, f"sun tokens afterwards, over {SUN_PLACES}"),
    ("sun_change", -1, 1, "their change"),
    ("temples", -5, 5, f"gold of temples gained if the game ended now, over {TEMPLE_FIRST}"),
    ("temples_next", -5, 5, "the same of the next seat"),
    ("temples_rest", -5, 5, "the same of the other seats together"),
    ("facing_temples", 0, 4, "own workers that come to face a temple, over 4"),
    ("gain_next", -4, 4, f"what the fills bring the next seat, by greedy's values{_OVER}"),
    ("gain_rest", -4, 4, "the same of the other seats together"),
    ("unsold", 0, 4, "workers at markets without cacao to sell, over 4"),
    ("wasted", 0, 4, f"harvest that finds no place, over {CACAO_PLACES}"),
    *((f"tile_{kind.split()[0]}", 0, 1, f"the tile is a {kind}") for kind in _LIKE),
    ("overbuilds", 0, 1, "the tile covers another"),
    ("laid", 0, 1, "jungle tiles laid, over 3"),
    ("opened", 0, 2, "cells that become open to worker tiles, over 6"),
    ("fillable", 0, 1, "empty jungle cells that the next tile beside them fills, over 4"),
    ("waiting", 0, 1, "workers of the tile that face empty jungle cells, over 4"),
    *(
        (f"free_{one.split()[0]}", 0, 4, f"free places beside adjacent {one}, by value, over 12")
        for one in _CLASSES
    ),
    *((f"laid_{kind}", 0, 1.5, f"{kind} tiles laid, over 2") for kind in JUNGLE_KINDS),
    ("known", 0, 1, "1 if the next two columns are known, else they are 0"),
    ("reply", -4, 8, f"the mean value to the next seat of its best turn after this one{_OVER}"),
    ("follow", -4, 8, f"the value to this seat of its own best turn after this one{_OVER}"),
)
_SEAT: tuple[tuple[str, float, float, str], ...] = (
    ("gold", 0, 8, f"coins{_OVER}"),
    ("score", -2, 8, f"score if the game ended now{_OVER}"),
    ("cacao", 0, 1, f"stored cacao, over {CACAO_PLACES}"),
    ("sun", 0, 1, f"sun tokens, over {SUN_PLACES}"),
    ("water", 0, 1, f"field of the water track, over {LAST_WATER}"),
    ("temples", 0, 5, f"gold of temples, over {TEMPLE_FIRST}"),
    ("left", 0, 1, f"worker tiles not placed yet, over {MAX_TILES}"),
)
CONTEXT_COLUMNS: tuple[tuple[str, float, float, str], ...] = (
    *((f"phase_{name}", 0, 1, f"the choice is a {name}") for name in ("place", "fill", "act")),
    *((f"players_{n}", 0, 1, f"{n} players") for n in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    ("volcanoes", 0, 1, "played with volcanoes"),
    ("overbuilding", 0, 1, "overbuilding has begun"),
    ("jungle_left", 0, 1, f"jungle tiles that can still be placed, over {MAX_JUNGLE_DRAWS}"),
    *(
        (f"{name}_{seat}", low, high, f"{text}; relative seat {seat}, 0 where there is none")
        for seat in range(MAX_PLAYERS)
        for name, low, high, text in _SEAT
    ),
    *((f"hand_{kind.split()[0]}", 0, 1, f"own hand: {kind}, over {HAND_SIZE}") for kind in _LIKE),
    *((f"display_{one.split()[0]}", 0, 1, f"display: {one} by value, over 8") for one in _CLASSES),
)
COLUMNS = max(len(ROW_COLUMNS), len(CONTEXT_COLUMNS))
_NAMES = [name for name, *_ in ROW_COLUMNS]
(LEGAL_ROW, RANK, VALUE, BEHIND, COINS, CACAO, CACAO_CHANGE, WATER_GOLD, WATER) = range(9)
(SUN, SUN_CHANGE, TEMPLES, TEMPLES_NEXT, TEMPLES_REST, FACING, GAIN_NEXT, GAIN_REST) = range(9, 17)
UNSOLD, WASTED, TILE = range(17, 20)
OVERBUILDS, LAID, OPENED, FILLABLE, WAITING, FREE = range(22, 28)
LAID_KIND = FREE + len(_CLASSES)
KNOWN, REPLY, FOLLOW = range(LAID_KIND + NUM_JUNGLE_KINDS, LAID_KIND + NUM_JUNGLE_KINDS + 3)
assert [_NAMES[n] for n in (VALUE, TEMPLES, TILE, FREE, FOLLOW)] == [
    "value",
    "temples",
    "tile_1111",
    "free_temples",
    "follow",
]
HIGHS = np.array([high for _, _, high, _ in ROW_COLUMNS], np.float32)
LOWS = np.array([low for _, low, _, _ in ROW_COLUMNS], np.float32)
CONTEXT_HIGHS = np.array([high for _, _, high, _ in CONTEXT_COLUMNS], np.float32)
CONTEXT_LOWS = np.array([low for _, low, _, _ in CONTEXT_COLUMNS], np.float32)
_WORTH = np.maximum(ACTION_VALUE, 1) * 1.0  # of a tile among those of its class
# Products are much faster than divisions.
_GOLD, _CACAO, _WATER, _SUN = 1 / GOLD, 1 / CACAO_PLACES, 1 / LAST_WATER, 1 / SUN_PLACES
_PRIZE, _LAID, _OPEN, _FREE = 1 / TEMPLE_FIRST, 1 / 3, 1 / 6, _WORTH / 12
# Columns whose numbers may be outside of their ranges.
_UNBOUNDED = np.array(
    [VALUE, BEHIND, COINS, FACING, GAIN_NEXT, GAIN_REST, UNSOLD, WASTED, REPLY, FOLLOW]
)


@njit
def placement_into(row, look, state, cell, variant, overbuilds, filled):
    """Write what a placement and its fills bring; ``look`` has worths and the tiles beside ``cell``."""
    seat, players = np.int64(state.seat), np.int64(state.num_players)
    follower = (seat + 1) % players
    sums = 0
    gold = 0.0
    facing = 0
    covered = max(0, np.int64(state.board[cell]))
    for side in range(4):
        code = look.code[side]
        workers = EDGES[variant, side]
        beside = np.int64(NEIGHBOR[cell, side])
        new = (filled >> side) & 1
        sums += ADDED[code, opposite(side)] * workers
        gold += EDGE_GOLD[code, opposite(side)] * workers
        if code == TEMPLE_CODE:
            facing += _temple(row, state, seat, follower, beside, side, covered, workers, new)
        if new:
            for to in range(4):
                worker = np.int64(state.board[NEIGHBOR[beside, to]])
                if to == opposite(side) or worker <= 0:
                    continue
                count = WORKERS[worker, opposite(to)]
                if count == 0:
                    continue
                owner = OWNER[worker]
                if owner == seat:
                    sums += ADDED[code, to] * count
                    gold += EDGE_GOLD[code, to] * count
                else:
                    gain = gain_of_other(look, state, owner, code, to, count) * _GOLD
                    row[GAIN_NEXT if owner == follower else GAIN_REST] += gain
    cacao, water, sun = (
        np.int64(state.cacao[seat]),
        np.int64(state.water[seat]),
        np.int64(state.sun[seat]) - overbuilds,
    )
    _, earned, stored = trade(look, cacao, sums)
    gold += earned - min(np.int64(state.gold[seat]), part(sums, PAID))
    at_markets, harvest = 0, part(sums, HARVEST)
    for price in range(2, MAX_PRICE + 1):
        at_markets += part(sums, SALES + 8 * (price - 2))
    sold = cacao + harvest - stored if earned > 0 else 0
    _stocks_into(
        row,
        gold,
        cacao,
        stored,
        water,
        min(LAST_WATER, water + part(sums, CARRIED)),
        sun + overbuilds,
        min(SUN_PLACES, sun + part(sums, TOKENS)),
    )
    row[FACING] = facing / 4
    row[UNSOLD] = max(0, at_markets - sold) / 4
    row[WASTED] = max(0, cacao + harvest - CACAO_PLACES - max(0, at_markets)) * _CACAO
    _table_into(row, state, cell, variant, overbuilds, filled, look.code)


TEMPLE_CODE = JUNGLE_KINDS.index("temple") + 1


@njit
def _temple(row, state, seat, follower, temple, side, covered, workers, new):
    """Add the changes of standings at a temple; return the own workers that come to face it."""
    players = np.int64(state.num_players)
    before = temple_workers(state, temple)
    after = before
    came = workers
    if covered > 0:
        came -= WORKERS[covered, side]
    after += came << (8 * seat)
    for other in range(players):
        change = temple_prize(after, other, players)
        if new == 0:
            change -= temple_prize(before, other, players)
        which = TEMPLES_REST
        if other == seat:
            which = TEMPLES
        elif other == follower:
            which = TEMPLES_NEXT
        row[which] += change * _PRIZE
    if new:
        came += (before >> (8 * seat)) & 255
    return came


@inlined
def _stocks_into(row, gold, cacao, cacao_after, water, water_after, sun, sun_after):
    """Write the changes of the own stocks."""
    row[COINS] = gold * _GOLD
    row[CACAO] = cacao_after * _CACAO
    row[CACAO_CHANGE] = (cacao_after - cacao) * _CACAO
    row[WATER_GOLD] = (WATER_TRACK[water_after] - WATER_TRACK[water]) * _GOLD
    row[WATER] = water_after * _WATER
    row[SUN] = sun_after * _SUN
    row[SUN_CHANGE] = (sun_after - sun) * _SUN


@njit
def _table_into(row, state, cell, variant, overbuilds, filled, codes):
    """Write the tile, and what the table shows around it with the tiles ``codes`` beside ``cell``."""
    row[TILE + LIKE[VARIANT_KIND[variant]]] = 1
    row[OVERBUILDS] = overbuilds
    for side in range(4):
        code = codes[side]
        beside = np.int64(NEIGHBOR[cell, side])
        if code == 0:
            row[WAITING] += EDGES[variant, side] / 4
            if state.board[beside] == (-1 if state.board[cell] > 0 else 0):
                row[FILLABLE] += 1 / 4
            continue
        new = (filled >> side) & 1
        free = np.int64(0)
        for to in range(4):
            if to == opposite(side):
                continue
            there = np.int64(state.board[NEIGHBOR[beside, to]])
            free += there <= 0
            if new and there == 0:
                row[OPENED] += _OPEN
        row[FREE + ACTION_CLASS[code]] += free * _FREE[code]
        if new:
            row[LAID] += _LAID
            row[LAID_KIND + min(code, VOLCANO) - 1] += 1 / 2


@njit
def late_into(row, state, after, look):
    """Write where a fill or an action leads; ``after`` is the end of the turn."""
    seat, players = np.int64(state.seat), np.int64(state.num_players)
    follower = (seat + 1) % players
    cell = np.int64(state.last)
    _stocks_into(
        row,
        1.0 * (np.int64(after.gold[seat]) - np.int64(state.gold[seat])),
        np.int64(state.cacao[seat]),
        np.int64(after.cacao[seat]),
        np.int64(state.water[seat]),
        np.int64(after.water[seat]),
        np.int64(state.sun[seat]),
        np.int64(after.sun[seat]),
    )
    for other in range(players):
        temples = np.int64(after.temples[other]) - np.int64(state.temples[other])
        if other == seat:
            row[TEMPLES] = temples / TEMPLE_FIRST
            continue
        gain = np.int64(after.gold[other]) - np.int64(state.gold[other])
        gain += look.cacao_worth[after.cacao[other]] - look.cacao_worth[state.cacao[other]]
        gain += look.water_worth[after.water[other]] - look.water_worth[state.water[other]]
        gain += look.sun_worth[after.sun[other]] - look.sun_worth[state.sun[other]]
        row[GAIN_NEXT if other == follower else GAIN_REST] += gain / GOLD
        row[TEMPLES_NEXT if other == follower else TEMPLES_REST] += temples / TEMPLE_FIRST
    codes = np.empty(4, np.int64)
    filled = 0
    for side in range(4):
        beside = NEIGHBOR[cell, side]
        codes[side] = np.int64(max(0, after.board[beside]))
        if codes[side] > 0 and state.board[beside] <= 0:
            filled |= 1 << side
    _table_into(row, state, cell, VARIANT[state.board[cell]], 0, filled, codes)


@njit
def context_into(state, viewer, out):
    """Write the row of context."""
    players = np.int64(state.num_players)
    out[:] = 0
    if state.phase < 3:
        out[np.int64(state.phase)] = 1
    out[3 + players - MIN_PLAYERS] = 1
    out[6] = state.volcanoes
    out[7] = state.overbuilding
    out[8] = jungle_left(state) / MAX_JUNGLE_DRAWS
    at = 9
    for relative in range(MAX_PLAYERS):
        if relative < players:
            seat = (viewer + relative) % players
            out[at] = state.gold[seat] / GOLD
            out[at + 1] = score(state, seat) / GOLD
            out[at + 2] = state.cacao[seat] / CACAO_PLACES
            out[at + 3] = state.sun[seat] / SUN_PLACES
            out[at + 4] = state.water[seat] / LAST_WATER
            out[at + 5] = state.temples[seat] / TEMPLE_FIRST
            out[at + 6] = (state.tiles_each - state.placed[seat]) / MAX_TILES
        at += 7
    for kind in range(len(LIKE)):
        out[at + LIKE[kind]] += state.hand[viewer, kind] / HAND_SIZE
    at += 3
    for slot in range(DISPLAY_SIZE):
        code = np.int64(state.display[slot])
        if code > 0:
            out[at + ACTION_CLASS[code]] += _WORTH[code] / 8
    for i in range(len(CONTEXT_HIGHS)):
        out[i] = min(max(out[i], CONTEXT_LOWS[i]), CONTEXT_HIGHS[i])


@inlined
def clip(row):
    """Bring a row's numbers into their ranges."""
    for column in _UNBOUNDED:
        row[column] = min(max(row[column], LOWS[column]), HIGHS[column])
