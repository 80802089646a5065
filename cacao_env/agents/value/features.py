"""The inputs of a value network: numbers, and the table rows to add up.

They describe a position from one seat, at the start of a turn, as if nothing had been drawn at the
end of the turn before: the value of a choice depends on the position it leads to (an afterstate;
Sutton and Barto, 2018, section 6.8), not on the tiles that happen to be drawn then.  ``numbers`` are
stocks, scores and remaining tiles, for each seat in turn order from the viewer, and late in the game
also the gold that its best turns would bring.  ``rows`` are patterns on the table and exact sizes
of stocks. The features use only what the viewer knows: its own hand, and the tiles that others have
not placed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.geometry import NEIGHBOR
from ...engine.jit import inlined, njit
from ...engine.scoring import score, temple_workers
from ...engine.state import OVERBUILT, OWNER, WORKERS, State, jungle_left
from ...engine.tiles import (
    CACAO_PLACES,
    DISPLAY_SIZE,
    HAND_SIZE,
    LAST_WATER,
    MAX_PLAYERS,
    MAX_TILES,
    MAX_WORKERS_ON_EDGE,
    NUM_JUNGLE_KINDS,
    SUN_PLACES,
)
from ...engine.types import f4x1, i8, u2x1
from ...greedy.columns import LIKE
from .best_turn import NUM_PROSPECTS, Room, best_turns_into
from .patterns import BESIDE, EMPTY, LETTER, NUM_LETTERS, NUM_PATTERNS, PATTERN

VERSION = 5  # of all that follows and of the network; weights are for one

# --- Numbers ------------------------------------------------------------------------------------
_LIKE = int(LIKE.max()) + 1
# Of a seat: whether it plays, gold, score now, own score minus this one, temples, unplaced tiles.
PER_SEAT = 5 + _LIKE
HAND = MAX_PLAYERS * PER_SEAT
PILE = HAND + _LIKE  # jungle pile by kind
LEFT = PILE + NUM_JUNGLE_KINDS  # jungle tiles left, overbuilding, placements left
PROSPECTS = LEFT + 3  # :mod:`.best_turn`, once the viewer has few placements left
NUM_NUMBERS = PROSPECTS + NUM_PROSPECTS

# --- Rows ---------------------------------------------------------------------------------------
MAX_COUNT = 6  # workers at a temple that are distinguished
_STOCKS = (CACAO_PLACES + 1, LAST_WATER + 1, SUN_PLACES + 1, MAX_TILES + 1)
OPEN_CELL = 0  # patterns around cells where a tile may be placed
OWN_TILE = OPEN_CELL + NUM_PATTERNS  # around own tiles that may be overbuilt
OTHER_TILE = OWN_TILE + NUM_PATTERNS  # around such tiles of others
PATTERN_TABLES = 3
ALONE = PATTERN_TABLES * NUM_PATTERNS  # the only tile beside an empty jungle cell: [seat, workers]
TEMPLES = ALONE + MAX_PLAYERS * (MAX_WORKERS_ON_EDGE + 1)  # [own, most of another, free sides]
STOCKS = TEMPLES + (MAX_COUNT + 1) ** 2 * 5  # [seat, stock, size]
HELD = STOCKS + MAX_PLAYERS * sum(_STOCKS)  # [tiles alike, copies] in the viewer's hand
SHOWN = HELD + _LIKE * (HAND_SIZE + 1)  # display, by code
NEXT = SHOWN + NUM_JUNGLE_KINDS + 1  # [players, seat to move]
RULES = NEXT + (MAX_PLAYERS + 1) * MAX_PLAYERS  # [players, volcanoes]
NUM_ROWS = RULES + 2 * (MAX_PLAYERS + 1)
NO_ROW = NUM_ROWS  # padding; its weights are 0

MAX_ROWS = 320
OVERBUILDS_SOON = 8  # jungle tiles left when overbuilding is near


PROSPECTS_FROM = 4  # placements that the viewer has left when the network begins to see best turns
# The part of the game by placements left; the network has output layers of its own for each.
STAGES = (0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 7, 7)
NUM_STAGES = max(STAGES) + 1
LEAK = 0.02  # slope of the second layer's units below 0


@inlined
def _pattern(state, cell):
    """Return the number of the pattern around a worker cell."""
    word = 0
    for side in range(4):
        code = state.board[NEIGHBOR[cell, side]]
        if code > 0:
            letter = LETTER[side, code]
        else:
            letter = BESIDE if code == -1 else EMPTY
        word = word * NUM_LETTERS + letter
    return np.int64(PATTERN[word])


@njit
def features_into(
    state: State, viewer: i8, prospects: i8, room: Room, numbers: f4x1, rows: u2x1
) -> Any:
    """Write features into ``numbers``, float32 (NUM_NUMBERS,), and ``rows``, uint16 (MAX_ROWS,).

    ``prospects``: ``PROSPECTS_FROM``; ``room``: of :mod:`.best_turn`.  Returns (number of rows, number
    of patterns among them, number of patterns of open cells, which come first).
    """
    players = np.int64(state.num_players)
    numbers[:] = 0.0
    own_score = score(state, viewer)
    count = 0
    for i in range(state.open_count):
        rows[count] = OPEN_CELL + _pattern(state, np.int64(state.open_cells[i]))
        count += 1
    open_cells = count
    left = jungle_left(state)
    if left <= OVERBUILDS_SOON:
        count = _tile_patterns(state, viewer, rows, count)
    patterns = count
    for i in range(players):
        seat = (viewer + i) % players
        first = i * PER_SEAT
        numbers[first] = 1.0
        numbers[first + 1] = state.gold[seat] / 30.0
        numbers[first + 2] = score(state, seat) / 40.0
        numbers[first + 3] = (own_score - score(state, seat)) / 15.0
        numbers[first + 4] = state.temples[seat] / 12.0
        for kind in range(len(LIKE)):
            numbers[first + 5 + LIKE[kind]] += state.unplaced[seat, kind] / 5.0
        row = STOCKS + i * (CACAO_PLACES + LAST_WATER + SUN_PLACES + MAX_TILES + 4)
        rows[count] = row + np.int64(state.cacao[seat])
        row += CACAO_PLACES + 1
        rows[count + 1] = row + np.int64(state.water[seat])
        row += LAST_WATER + 1
        rows[count + 2] = row + np.int64(state.sun[seat])
        row += SUN_PLACES + 1
        rows[count + 3] = row + np.int64(state.tiles_each) - np.int64(state.placed[seat])
        count += 4
    drawn = _drawn_last(state, viewer)
    for like in range(_LIKE):
        held = 0
        for kind in range(len(LIKE)):
            if LIKE[kind] == like:
                held += np.int64(state.hand[viewer, kind]) - (kind == drawn)
        numbers[HAND + like] = held / 3.0
        rows[count] = HELD + like * (HAND_SIZE + 1) + held
        count += 1
    for code in range(1, NUM_JUNGLE_KINDS + 1):
        numbers[PILE + code - 1] = state.jungle_pile[code] / 4.0
    for slot in range(DISPLAY_SIZE):
        shown = np.int64(state.display[slot])
        if (state.refilled >> slot) & 1:  # back on the pile with it
            numbers[PILE + shown - 1] += 1 / 4.0
            shown = np.int64(0)
        rows[count] = SHOWN + shown
        count += 1
    numbers[LEFT] = left / 28.0
    numbers[LEFT + 1] = state.overbuilding
    total = 0
    for seat in range(players):
        total += state.tiles_each - state.placed[seat]
    numbers[LEFT + 2] = total / 36.0
    if state.tiles_each - state.placed[viewer] <= prospects:
        best_turns_into(state, viewer, drawn, room, numbers[PROSPECTS:])
    mover = (np.int64(state.seat) - viewer) % players
    rows[count] = NEXT + players * MAX_PLAYERS + mover
    rows[count + 1] = RULES + 2 * players + np.int64(state.volcanoes)
    count += 2
    count = _temple_rows(state, viewer, rows, count)
    if left > 0:
        count = _alone_rows(state, viewer, rows, count)
    rows[count:] = NO_ROW
    return count, patterns, open_cells


@inlined
def _drawn_last(state, viewer):
    """Return the kind of the worker tile that the viewer drew at the end of the turn before, or -1."""
    placed = np.int64(state.placed[viewer])
    mover = (np.int64(state.active) - 1) % np.int64(state.num_players)
    if mover != viewer or placed == 0 or placed + HAND_SIZE > state.tiles_each:
        return -1
    return np.int64(state.worker_draws[viewer, placed + HAND_SIZE - 1])


@njit
def _temple_rows(state, viewer, rows, count):
    """Write which seats lead at each temple, and how many sides are free."""
    for i in range(state.temple_count):
        temple = np.int64(state.temple_cells[i])
        packed = temple_workers(state, temple)
        own = min(MAX_COUNT, (packed >> (8 * viewer)) & 255)
        most = 0
        for seat in range(state.num_players):
            if seat != viewer:
                most = max(most, (packed >> (8 * seat)) & 255)
        free = 0
        for side in range(4):
            free += state.board[NEIGHBOR[temple, side]] <= 0
        most = min(MAX_COUNT, most)
        rows[count] = TEMPLES + (own * (MAX_COUNT + 1) + most) * 5 + free
        count += 1
    return count


@njit
def _tile_patterns(state, viewer, rows, count):
    """Write the patterns around tiles that may be overbuilt."""
    for i in range(state.worker_count):
        cell = np.int64(state.worker_cells[i])
        code = np.int64(state.board[cell])
        if code < OVERBUILT:
            first = OWN_TILE if OWNER[code] == viewer else OTHER_TILE
            rows[count] = first + _pattern(state, cell)
            count += 1
    return count


@njit
def _alone_rows(state, viewer, rows, count):
    """Write the edges that wait for a second tile beside an empty jungle cell."""
    players = np.int64(state.num_players)
    for i in range(state.worker_count):
        cell = np.int64(state.worker_cells[i])
        code = np.int64(state.board[cell])
        seat = (np.int64(OWNER[code]) - viewer) % players
        for side in range(4):
            if state.board[NEIGHBOR[cell, side]] == -1:
                row = seat * (MAX_WORKERS_ON_EDGE + 1) + WORKERS[code, side]
                rows[count] = ALONE + row
                count += 1
    return count
