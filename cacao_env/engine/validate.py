"""Whether states from outside (a file, a pickle, another process) could have come up in play.

Compiled functions trust their states: a wrong cell number reads past a table, a phase that does not
exist never ends.  So every door by which states come in calls ``check_states`` first.  It compares
all fields with each other, lays the table out again in the order in which its tiles were laid, and
accepts nothing else than positions of games.  Padding and the unused end of ``open_cells`` don't count.
"""

from __future__ import annotations

import numpy as np

from . import relaid
from .geometry import MAX_TABLE, MIN_TABLE, NEIGHBOR, NUM_CELLS, TORUS, opposite
from .jit import njit
from .relaid import FILLED, TO_FILL, compare, lay_out, new_table, placements
from .scoring import temple_prize, temple_workers
from .state import (
    ACT,
    BY_TURN,
    CODES,
    EXPLICIT,
    FILL,
    MAX_OPEN,
    OVER,
    OVERBUILT,
    OWNER,
    PLACE,
    WORKERS,
    StateArray,
)
from .tiles import (
    ACTION_CLASS,
    ACTION_VALUE,
    CACAO_PLACES,
    CARRY_WATER,
    ERUPT,
    HAND_SIZE,
    JUNGLE_DRAWS,
    JUNGLE_SUPPLY_BY_CODE,
    LAST_WATER,
    MAX_JUNGLE_DRAWS,
    MAX_PLAYERS,
    MAX_TEMPLES,
    MAX_TILES,
    MAX_TURNS,
    MIN_PLAYERS,
    NOTHING,
    NUM_JUNGLE_KINDS,
    NUM_VARIANTS,
    SELL_CACAO,
    SUN_PLACES,
    TAKE_CACAO,
    TAKE_GOLD,
    TAKE_SUN,
    TILES_EACH,
    VOLCANO,
    VOLCANO_GOLD,
    WORKER_KINDS,
    WORKER_SUPPLY,
)

_KINDS = len(WORKER_KINDS)
_MOST_DECISIONS = 1 + 3 + 13  # of a turn: a placement, three fills, four own edges and nine others

# What is wrong, in words; the codes are the places in this list.
PROBLEMS = (
    "",
    "its board is not what its lists of cells imply",
    "its bounding box or window is not that of the tiles on the table",
    "its display and jungle pile do not agree with the tiles on the table",
    "its turn in progress does not agree with the table",
    "its options are not those of a game",
    "its drawing orders are not the supply of the box",
    "its phase, turn, seat and active do not agree",
    "its hands, piles and placed tiles do not agree",
    "a list of cells is too long, or names a cell that is none",
    "a player has a stock that no game gives",
)
FINE, IN_PROGRESS = relaid.FINE, relaid.IN_PROGRESS
OPTIONS, SUPPLY, TURN, HANDS, LISTS, STOCKS = range(IN_PROGRESS + 1, len(PROBLEMS))


class StateError(ValueError):
    """One sentence on why a state can't be restored."""


def check_states(states: StateArray, what: str = "game") -> None:
    """Raise StateError, naming the first bad state as ``what`` and its number, unless all are sound."""
    problem = np.zeros(1, np.int64)
    number = int(first_unsound(states, problem))
    if number >= 0:
        raise StateError(f"{what} {number} can't be restored: {PROBLEMS[int(problem[0])]}")


@njit
def first_unsound(states, problem):
    """Return the number of the first unsound state, with the code of its problem, or -1."""
    table = new_table()
    for g in range(len(states)):
        problem[0] = why_unsound(states[g], table)
        if problem[0] != FINE:
            return g
    return -1


@njit
def why_unsound(state, table):
    """Return what is wrong with a state, or FINE.  Later checks rely on what earlier ones accepted."""
    if not _options_are_sound(state):
        return OPTIONS
    if not _supply_is_whole(state):
        return SUPPLY
    if not _turn_is_sound(state):
        return TURN
    if not _hands_are_sound(state):
        return HANDS
    if not _lists_are_sound(state):
        return LISTS
    code = lay_out(state, table)
    if code == FINE:
        code = compare(state, table)
    if code != FINE:
        return code
    if not _stocks_are_sound(state):
        return STOCKS
    if not _turn_in_progress_is_sound(state, table):
        return IN_PROGRESS
    return FINE


# --- Options, supply, turns, hands, lists: fields by themselves -----------------------------------


@njit
def _options_are_sound(state):
    players, volcanoes = np.int64(state.num_players), np.int64(state.volcanoes)
    if players < MIN_PLAYERS or players > MAX_PLAYERS or volcanoes < 0 or volcanoes > 1:
        return False
    if state.auto < EXPLICIT or state.auto > BY_TURN:
        return False
    if state.table_size < MIN_TABLE or state.table_size > MAX_TABLE:
        return False
    each, drawn = TILES_EACH[players], JUNGLE_DRAWS[players, volcanoes]
    return state.tiles_each == each and state.num_jungle == drawn


@njit
def _supply_is_whole(state):
    """The drawing orders have the box's copies of each kind, and nothing behind them."""
    players = np.int64(state.num_players)
    found = np.zeros(NUM_JUNGLE_KINDS + 1, np.int64)
    for seat in range(MAX_PLAYERS):
        each = np.int64(state.tiles_each if seat < players else 0)
        found[:] = 0
        for place in range(MAX_TILES):
            kind = np.int64(state.worker_draws[seat, place])
            if kind < 0 or kind >= _KINDS or (place >= each and kind != 0):
                return False
            if place < each:
                found[kind] += 1
        for k in range(_KINDS):
            if seat < players and found[k] != WORKER_SUPPLY[players, k]:
                return False
    found[:] = 0
    for place in range(MAX_JUNGLE_DRAWS):
        drawn = np.int64(state.jungle_draws[place])
        if drawn < 0 or drawn > NUM_JUNGLE_KINDS or (place >= state.num_jungle and drawn != 0):
            return False
        if place < state.num_jungle:
            found[drawn] += 1
    for code in range(NUM_JUNGLE_KINDS + 1):
        if found[code] != JUNGLE_SUPPLY_BY_CODE[players, np.int64(state.volcanoes), code]:
            return False
    return True


@njit
def _turn_is_sound(state):
    players = np.int64(state.num_players)
    turns = players * np.int64(state.tiles_each)
    if state.phase < PLACE or state.phase > OVER or state.turn < 0 or state.turn > turns:
        return False
    if (state.turn == turns) != (state.phase == OVER) or state.active != state.turn % players:
        return False
    if state.seat < 0 or state.seat >= players:
        return False
    if (state.phase == PLACE or state.phase == FILL) and state.seat != state.active:
        return False
    return state.ply >= 0 and state.ply <= _MOST_DECISIONS * (np.int64(state.turn) + 1)


@njit
def _hands_are_sound(state):
    """Each tile that was placed had been drawn, and the counts follow from that."""
    players, each = np.int64(state.num_players), np.int64(state.tiles_each)
    hand, left = np.zeros(_KINDS, np.int64), np.zeros(_KINDS, np.int64)
    for seat in range(MAX_PLAYERS):
        hand[:] = 0
        left[:] = 0
        placed, drawn = np.int64(0), np.int64(0)
        if seat < players:
            turns = np.int64(state.turn) // players + (1 if seat < state.turn % players else 0)
            active = placements(state) > state.turn and seat == state.active
            placed, drawn = turns + (1 if active else 0), min(each, HAND_SIZE + turns)
            for kind in range(_KINDS):
                left[kind] = WORKER_SUPPLY[players, kind]
        if state.placed[seat] != placed or state.drawn[seat] != drawn:
            return False
        for place in range(MAX_TILES):
            if place >= placed and state.played[seat, place] != 0:
                return False
        for place in range(drawn):
            hand[np.int64(state.worker_draws[seat, place])] += 1
            turn = place - HAND_SIZE + 1  # with this tile, the tile of this turn has been chosen
            if turn >= 0 and turn < placed and not _take(state, seat, turn, hand, left):
                return False
        for turn in range(placed):  # the last ones, when the pile was empty
            late = turn > drawn - HAND_SIZE
            if late and not _take(state, seat, turn, hand, left):
                return False
        for kind in range(_KINDS):
            if state.hand[seat, kind] != hand[kind] or state.unplaced[seat, kind] != left[kind]:
                return False
    return True


@njit
def _take(state, seat, turn, hand, left):
    """Take the tile placed in a turn from the hand; return whether it was there."""
    kind = np.int64(state.played[seat, turn])
    if kind < 0 or kind >= _KINDS or hand[kind] == 0:
        return False
    hand[kind] -= 1
    left[kind] -= 1
    return True


@njit
def _lists_are_sound(state):
    """The lists fit their tables and name cells of the right colour, and nothing is behind them."""
    if state.jungle_count < 2 or state.jungle_count > state.num_jungle + 2:
        return False
    if state.worker_count < 0 or state.worker_count > placements(state):
        return False
    if state.temple_count < 0 or state.temple_count > MAX_TEMPLES:
        return False
    if state.open_count < 0 or state.open_count > MAX_OPEN:
        return False
    for i in range(MAX_JUNGLE_DRAWS + 2):
        if not _is_cell(state.jungle_cells[i], i < state.jungle_count, 0):
            return False
    for i in range(MAX_TEMPLES):
        if not _is_cell(state.temple_cells[i], i < state.temple_count, 0):
            return False
    for i in range(MAX_TURNS):
        there = i < state.worker_count
        if not _is_cell(state.worker_cells[i], there, 1):
            return False
        if state.under[i] < 0 or state.under[i] > (NUM_VARIANTS if there else 0):
            return False
        if there:
            code = np.int64(state.board[state.worker_cells[i]])
            if code <= 0 or code >= CODES or code == OVERBUILT or OWNER[code] >= state.num_players:
                return False
            if (code > OVERBUILT) != (state.under[i] > 0):
                return False
    return True


@njit
def _is_cell(cell, there, colour):
    """Return whether a cell of a colour (0 jungle, 1 worker) is named, or 0 behind the list."""
    if not there:
        return cell == 0
    return cell >= 0 and cell < NUM_CELLS and ((cell // TORUS + cell) & 1) == colour


# --- What follows from the table ----------------------------------------------------------------


@njit
def _stocks_are_sound(state):
    """No player owns more than its workers can have earned; the temple prizes are counted again."""
    players = np.int64(state.num_players)
    most = np.zeros((MAX_PLAYERS, 4), np.int64)  # gold, cacao, sun, water
    prizes = np.zeros(MAX_PLAYERS, np.int64)
    for i in range(state.worker_count):
        cell = np.int64(state.worker_cells[i])
        code, below = np.int64(state.board[cell]), np.int64(state.under[i])
        if below > 0:
            most[OWNER[code], 2] -= 1  # the token paid for overbuilding
        for side in range(4):
            workers = WORKERS[code, side]
            if below > 0:
                workers += WORKERS[below, side]  # codes of seat 0 are the variants from 1
            _add_gain(state, most[OWNER[code]], NEIGHBOR[cell, side], side, workers)
    for i in range(state.temple_count):
        packed = temple_workers(state, np.int64(state.temple_cells[i]))
        for seat in range(players):
            prizes[seat] += temple_prize(packed, seat, players)
    for seat in range(MAX_PLAYERS):
        gold, cacao, sun, water = most[seat, 0], most[seat, 1], most[seat, 2], most[seat, 3]
        if state.temples[seat] != prizes[seat] or state.gold[seat] < 0 or state.gold[seat] > gold:
            return False
        if state.cacao[seat] < 0 or state.cacao[seat] > min(CACAO_PLACES, cacao):
            return False
        if state.sun[seat] < 0 or state.sun[seat] > min(SUN_PLACES, sun):
            return False
        if state.water[seat] < 0 or state.water[seat] > min(LAST_WATER, water):
            return False
    return True


@njit
def _add_gain(state, most, jungle, side, workers):
    """Add what workers on a side of their tile can take from the jungle tile there."""
    code = np.int64(state.board[jungle])
    if code <= 0:
        return
    kind, value = ACTION_CLASS[code], ACTION_VALUE[code]
    if kind == TAKE_CACAO:
        most[1] += value * workers
    elif kind == SELL_CACAO or kind == TAKE_GOLD:
        most[0] += value * workers
    elif kind == CARRY_WATER:
        most[3] += workers
    elif kind == TAKE_SUN:
        most[2] += workers
    elif kind == ERUPT:
        most[0] += max(0, VOLCANO_GOLD[code - VOLCANO, opposite(side)] * workers)


@njit
def _turn_in_progress_is_sound(state, table):
    """Fills and activated edges are those of the tile placed last, and the right seat decides."""
    to_fill = table.now[TO_FILL] if state.phase == FILL else 0
    filled = table.now[FILLED] if state.phase == FILL or state.phase == ACT else 0
    if filled != 0 and state.board[state.last] > OVERBUILT:
        filled = 0
    if state.to_fill != to_fill or state.filled != filled:
        return False
    if state.phase == FILL and to_fill == 0:
        return False
    activated = np.zeros(MAX_PLAYERS, np.int64)
    if state.phase == ACT:
        _activate(state, activated)
    found = False
    for i in range(np.int64(state.num_players)):  # the active player first, then clockwise [R3]
        seat = (np.int64(state.active) + i) % np.int64(state.num_players)
        pending = np.int64(state.pending[seat])
        if pending & ~activated[seat]:
            return False
        if found and pending != activated[seat]:
            return False  # it has not had its turn yet
        if not found and pending != 0:
            found = True
            if state.seat != seat:
                return False
    for nobody in range(np.int64(state.num_players), MAX_PLAYERS):
        if state.pending[nobody] != 0:
            return False
    return found == (state.phase == ACT)


@njit
def _activate(state, activated):
    """Write the edges that the tile placed last and this turn's fills activate (rules 4C)."""
    last = np.int64(state.last)
    for side in range(4):
        jungle = np.int64(NEIGHBOR[last, side])
        code = np.int64(state.board[jungle])
        if code <= 0 or ACTION_CLASS[code] == NOTHING:
            continue
        for facing in range(4):
            if facing != opposite(side) and (state.filled >> side) & 1 == 0:
                continue
            worker = np.int64(state.board[np.int64(NEIGHBOR[jungle, facing])])
            if worker > 0 and WORKERS[worker, opposite(facing)] > 0:
                activated[OWNER[worker]] |= 1 << (4 * side + facing)
