"""The box: every tile, count, price and track value of the game, each in one place (rules 1, 7).

Everything is a small tuple or NumPy table, so compiled and interpreted code read the same constants.
No other module repeats a number of the rules.
"""

from __future__ import annotations

import numpy as np

MIN_PLAYERS, MAX_PLAYERS = 2, 4

# --- Worker tiles ---------------------------------------------------------------------------
# A kind is named by the workers on its edges, clockwise from north when it is not turned.
WORKER_KINDS = ("1111", "2101", "3001", "3100")
WORKER_COPIES = (4, 5, 1, 1)
WORKER_REMOVED = {2: (0, 0, 0, 0), 3: (1, 0, 0, 0), 4: (1, 1, 0, 0)}
MAX_TILES = sum(WORKER_COPIES)  # a player's tiles in the largest set (2 players)
# 4 players with 9 tiles each take the most turns: 36.
MAX_TURNS = max(n * (MAX_TILES - sum(removed)) for n, removed in WORKER_REMOVED.items())
HAND_SIZE = 3

# A variant is a kind with a rotation: 13 distinct ones, in this order everywhere.
VARIANTS = (("1111", 0),) + tuple((kind, turn) for kind in WORKER_KINDS[1:] for turn in range(4))
NUM_VARIANTS = len(VARIANTS)
VARIANT_KIND = np.array([WORKER_KINDS.index(kind) for kind, _ in VARIANTS], np.int64)

# EDGES[variant, side]: workers on a side (0 north, 1 east, 2 south, 3 west).  One quarter turn
# clockwise moves each side's workers to the next side.
EDGES = np.array(
    [[int(kind[(side - turn) % 4]) for side in range(4)] for kind, turn in VARIANTS], np.int64
)
MAX_WORKERS_ON_EDGE = int(EDGES.max())
MAX_WORKERS = int(EDGES.sum(axis=1).max())

# --- Jungle tiles ---------------------------------------------------------------------------
JUNGLE_KINDS = (
    "plantation1",
    "plantation2",
    "market2",
    "market3",
    "market4",
    "mine1",
    "mine2",
    "water",
    "sun",
    "temple",
    "volcano",
)
NUM_JUNGLE_KINDS = len(JUNGLE_KINDS)
JUNGLE_COPIES = (6, 2, 2, 4, 1, 2, 1, 3, 2, 5, 0)
JUNGLE_REMOVED_2P = (2, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0)
START_TILES = (("plantation1", (0, 0)), ("market2", (1, 1)))
MAX_JUNGLE_DRAWS = sum(JUNGLE_COPIES) - len(START_TILES)
MAX_TEMPLES = JUNGLE_COPIES[JUNGLE_KINDS.index("temple")]
DISPLAY_SIZE = 2

# Codes of jungle tiles in the state: 0 is no tile, kind k is k + 1.  On the table a volcano has
# two codes, one for each orientation [R5].
PLANTATION1, PLANTATION2, MARKET2, MARKET3, MARKET4, MINE1, MINE2, WATER, SUN, TEMPLE, VOLCANO = (
    range(1, NUM_JUNGLE_KINDS + 1)
)
VOLCANO_TURNED = NUM_JUNGLE_KINDS + 1

# What a worker does at a tile: the class of action and its value, by code.
NOTHING, TAKE_CACAO, SELL_CACAO, TAKE_GOLD, CARRY_WATER, TAKE_SUN, ERUPT = range(7)
ACTION_CLASS = np.array(
    [NOTHING, TAKE_CACAO, TAKE_CACAO, SELL_CACAO, SELL_CACAO, SELL_CACAO, TAKE_GOLD, TAKE_GOLD]
    + [CARRY_WATER, TAKE_SUN, NOTHING, ERUPT, ERUPT],
    np.int64,
)
ACTION_VALUE = np.array([0, 1, 2, 2, 3, 4, 1, 2, 1, 1, 0, 0, 0], np.int64)
MAX_PRICE = int(ACTION_VALUE[ACTION_CLASS == SELL_CACAO].max())
# VOLCANO_GOLD[orientation, side of the volcano]: +2 to east and west, or turned, to north and south.
VOLCANO_GOLD = np.array([[-1, 2, -1, 2], [2, -1, 2, -1]], np.int64)

# --- Village boards and temples -------------------------------------------------------------
WATER_TRACK = np.array([-10, -4, -1, 0, 2, 4, 7, 11, 16], np.int64)
LAST_WATER = len(WATER_TRACK) - 1
CACAO_PLACES = 5
SUN_PLACES = 3
TEMPLE_FIRST, TEMPLE_SECOND = 6, 3


def worker_supply(num_players: int) -> tuple[int, ...]:
    """Return the copies of each worker kind that one player has (rules 1)."""
    removed = WORKER_REMOVED[num_players]
    return tuple(n - r for n, r in zip(WORKER_COPIES, removed, strict=True))


def jungle_supply(num_players: int, volcanoes: bool) -> tuple[int, ...]:
    """Return the copies of each jungle kind in the pile: the box minus the start tiles (rules 1, 7)."""
    copies = list(JUNGLE_COPIES)
    if num_players == 2:
        copies = [n - r for n, r in zip(copies, JUNGLE_REMOVED_2P, strict=True)]
    if volcanoes:  # the volcanoes replace the gold mines, one for one
        mine1, mine2 = JUNGLE_KINDS.index("mine1"), JUNGLE_KINDS.index("mine2")
        copies[JUNGLE_KINDS.index("volcano")] = copies[mine1] + copies[mine2]
        copies[mine1] = copies[mine2] = 0
    for kind, _ in START_TILES:
        copies[JUNGLE_KINDS.index(kind)] -= 1
    return tuple(copies)


# The same as tables for compiled code: [players], [players, volcanoes].
WORKER_SUPPLY = np.array(
    [worker_supply(n) if n >= MIN_PLAYERS else (0,) * 4 for n in range(MAX_PLAYERS + 1)], np.int64
)
# A jungle tile's supply is at its code, so entry 0 is 0.
JUNGLE_SUPPLY_BY_CODE = np.array(
    [
        [
            (0, *jungle_supply(n, v)) if n >= MIN_PLAYERS else (0,) * (NUM_JUNGLE_KINDS + 1)
            for v in (False, True)
        ]
        for n in range(MAX_PLAYERS + 1)
    ],
    np.int64,
)
TILES_EACH = WORKER_SUPPLY.sum(axis=1)  # [players]
JUNGLE_DRAWS = JUNGLE_SUPPLY_BY_CODE.sum(axis=2)  # [players, volcanoes]
