"""The candidate view: a row of numbers for where each choice leads, and one row of context.

``observation="candidates"`` shows the deciding seat's choices, greedy's best first, as rows of one
array, (rows + 1, COLUMNS); the last row is the context.  An action is the number of a row.  With more
choices than rows the seat has those that greedy ranks highest.  Rows of equal value are ordered by
their contents, so the images of a position under a symmetry of the board have the same rows.

A row tells what the turn would bring if greedy made the rest of it (:mod:`.columns`).  For a
placement these are greedy's sums; for a fill or an action the turn is played on.  ``replies`` adds, for
so many of the best rows, what the best turn after it would be worth to the next seat and, if nobody
moved in between, to this one.  Everything is computed from what the seat knows: the pile is dealt again
from a seed that depends on what everybody sees, and the next seat's value is the mean over the hands
that it may hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..checks import as_int
from ..engine.actions import MAX_LEGAL, indexed_cell
from ..engine.decisions import NONE, forced_action
from ..engine.geometry import NEIGHBOR
from ..engine.jit import inlined, njit
from ..engine.rng import RngArray, below
from ..engine.state import EXPLICIT, OVER, PLACE, STATE, StateArray
from ..engine.tiles import NUM_VARIANTS
from ..engine.types import b1x1, f4x3, i1x2, i8, i8x1, i8x2
from .choices import CHOICES, GREEDY_WEIGHTS, WAYS, lay, score_actions, tiles_shown
from .columns import (
    BEHIND,
    COLUMNS,
    CONTEXT_HIGHS,
    CONTEXT_LOWS,
    GOLD,
    HIGHS,
    KNOWN,
    LEGAL_ROW,
    LOWS,
    RANK,
    VALUE,
    clip,
    context_into,
    late_into,
    placement_into,
)
from .replies import deal_pile, play_on, replies_into

MAX_ROWS = 256
_TIES = 64  # rows of equal value beyond the last one shown, which may be shown in its place
_UNIT = 1e6  # values of a distance below 1 / _UNIT are equal
_NUMBERS = 4096  # more than there are choices
assert MAX_LEGAL < _NUMBERS
# The order of rows of equal value is that of their products with these numbers.
_WEIGHTS = np.random.default_rng(0).random(COLUMNS)


@dataclass(frozen=True)
class Candidates:
    """The candidate view's size; ValueError names what is out of range.

    - ``rows``: the number of choices shown, 1 to 256.
    - ``replies``: for how many of the best rows the next turns are evaluated; 0 for none.
    """

    rows: int = 48
    replies: int = 0

    def __post_init__(self) -> None:
        rows = as_int("rows", self.rows, 1, MAX_ROWS)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "replies", as_int("replies", self.replies, 0, rows))

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of an observation."""
        return self.rows + 1, COLUMNS

    def limits(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return the least and the largest numbers of an observation, in two arrays of its shape."""
        low, high = np.zeros((2, *self.shape), np.float32)
        for limits, (row, context) in ((low, (LOWS, CONTEXT_LOWS)), (high, (HIGHS, CONTEXT_HIGHS))):
            limits[:-1, : len(row)] = np.minimum(row, 0) if limits is low else row
            limits[-1, : len(context)] = context
        high[high == low] = 1  # libraries warn about numbers that can't vary
        return low, high


ObservationForm = Literal["flat", "planes", "candidates"] | Candidates
FORMS: tuple[ObservationForm, ...] = ("flat", "planes", "candidates")


def as_candidates(observation: object) -> Candidates | None:
    """Return the view that an environment's ``observation`` asks for; None for another form."""
    if isinstance(observation, Candidates):
        return observation
    return Candidates() if observation == "candidates" else None


@njit
def candidates_into(
    states: StateArray, viewers: i8x1, rows: i8, replies: i8, seen: f4x3, masks: i1x2, ids: i8x2
) -> None:
    """Write what each viewer sees: (N, rows + 1, COLUMNS), (N, rows), and the actions of the rows.

    A viewer that does not decide sees the context alone, and ids of rows without a choice are -1.
    """
    choices, others = np.empty(1, CHOICES), np.empty(1, CHOICES)
    dealt, after = np.empty(1, STATE), np.empty(1, STATE)
    room = np.zeros((rows + _TIES + 1, COLUMNS), np.float32)
    unsorted, keys = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL, np.int64)
    places = np.empty(rows + _TIES, np.int64)
    order = np.empty(rows + _TIES)
    for g in range(len(states)):
        state, viewer = states[g], np.int64(viewers[g])
        context_into(state, viewer, seen[g, rows])
        count = 0
        if state.phase != OVER and state.seat == viewer:
            count = _rank(state, choices[0], unsorted, keys)
            wide = _with_ties(keys, count, rows)
            needed = state.phase != PLACE or replies > 0
            if needed:
                dealt[0] = state
                deal_pile(dealt[0], viewer)
            for i in range(wide):
                number = _number_in(keys[i])
                room[i, :] = 0
                places[i] = i
                if state.phase == PLACE:
                    _placement(room[i], room[-1], state, choices[0], number)
                room[i, VALUE] = _value_in(keys[i]) / _UNIT / GOLD
                room[i, BEHIND] = (_value_in(keys[i]) - _value_in(keys[0])) / _UNIT / GOLD
                tried = i < replies or (i > 0 and room[i - 1, KNOWN] and _tie(keys, i - 1))
                if state.phase != PLACE or tried:
                    after[0] = dealt[0]
                    play_on(after[0], np.int64(choices[0].ids[number]))
                    if state.phase != PLACE:
                        late_into(room[i], state, after[0], choices[0].look)
                    if tried:
                        room[i, KNOWN] = 1
                        replies_into(room[i], dealt[0], after[0], viewer, others[0])
                clip(room[i])
            _order_ties(keys, room, order, places, wide)
            count = min(count, rows)
        for i in range(count):
            for c in range(COLUMNS):
                seen[g, i, c] = room[places[i], c]
            seen[g, i, LEGAL_ROW] = 1
            seen[g, i, RANK] = i / rows
            masks[g, i] = 1
            ids[g, i] = choices[0].ids[_number_in(keys[places[i]])]
        for i in range(count, rows):
            seen[g, i] = 0
            masks[g, i] = 0
            ids[g, i] = NONE


@inlined
def _key_of(value, number):
    """Return a key that orders choices by their values, in units, then by their numbers."""
    return value * _NUMBERS + (_NUMBERS - 1 - number)


@inlined
def _value_in(key):
    """Return the value of a key, in units."""
    return key // _NUMBERS


@inlined
def _number_in(key):
    """Return the number of a key's choice."""
    return _NUMBERS - 1 - key % _NUMBERS


@inlined
def _tie(keys, i):
    """Return whether a key and the next have the same value."""
    return _value_in(keys[i]) == _value_in(keys[i + 1])


@njit
def _rank(state, choices, unsorted, keys):
    """Write a key for each choice, highest first: its value, then its number; return how many.

    ``unsorted``: scratch space like ``keys``, int64 (MAX_LEGAL,).
    """
    score_actions(choices, state, GREEDY_WEIGHTS, True)
    count = np.int64(choices.count)
    first = forced_action(state) if state.decisions == EXPLICIT else np.int64(NONE)
    best = 0.0
    for i in range(count):
        best = choices.values[i] if i == 0 else max(best, choices.values[i])
    for i in range(count):
        value = choices.values[i]
        if choices.ids[i] == first:  # greedy's choice, before it compares others
            value = best + 1.0
        unsorted[i] = _key_of(np.int64(np.rint(value * _UNIT)), i)
    for i in range(count):
        place = 0  # all keys differ: as many are larger as stand before it
        for k in range(count):
            place += unsorted[k] > unsorted[i]
        keys[place] = unsorted[i]
    return count


@inlined
def _with_ties(keys, count, rows):
    """Return how many choices to look at: those shown, and others whose value is the last one's."""
    wide = min(count, rows)
    while wide < count and wide < rows + _TIES and _tie(keys, wide - 1):
        wide += 1
    return wide


@njit
def _order_ties(keys, room, order, places, count):
    """Order the places of rows of equal value by their contents."""
    for i in range(1, count):
        if not _tie(keys, i - 1):
            continue
        for k in (i - 1, i):
            if k == i or k == 0 or not _tie(keys, k - 1):
                order[k] = _order_of(room[k])
        at, this = i, order[i]
        while at > 0 and _tie(keys, at - 1) and order[places[at - 1]] < this:
            places[at] = places[at - 1]
            at -= 1
        places[at] = i


@njit
def _placement(row, spare, state, choices, number):
    """Write where a placement leads; of several best ways to lay the tiles, the one with most."""
    identity = np.int64(choices.ids[number])
    cell, variant = np.int64(indexed_cell(state, identity // NUM_VARIANTS)), identity % NUM_VARIANTS
    overbuilds = np.int64(state.board[cell] > 0)
    tiles = tiles_shown(state)
    to_fill = 0
    if overbuilds == 0 and (state.display[0] != 0 or state.display[1] != 0):
        for side in range(4):
            if state.board[NEIGHBOR[cell, side]] < 0:
                to_fill |= 1 << side
    ways = np.int64(choices.ways[number])
    if ways & (ways - 1) == 0:
        way = 0
        while ways > 1:
            ways >>= 1
            way += 1
        _lead(row, state, choices, cell, variant, overbuilds, WAYS[tiles, to_fill], way)
        return
    most, way = -1e9, 0
    while ways != 0:
        if ways & 1:
            spare[:] = 0
            _lead(spare, state, choices, cell, variant, overbuilds, WAYS[tiles, to_fill], way)
            total = _order_of(spare)
            if total > most:
                most = total
                row[:] = spare
        ways >>= 1
        way += 1


@inlined
def _lead(row, state, choices, cell, variant, overbuilds, ways, way):
    """Write where a placement leads with one way to lay the tiles."""
    lay(choices, state, cell, ways[way >> 2], way & 3)
    filled = np.int64(choices.filled)
    placement_into(row, choices.look, state, cell, variant, overbuilds, filled)


@inlined
def _order_of(row):
    """Return the number by which rows of equal value are ordered."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0  # four sums at once: an addition waits for the one before it
    for i in range(0, COLUMNS, 4):
        a += row[i] * _WEIGHTS[i]
        b += row[i + 1] * _WEIGHTS[i + 1]
        c += row[i + 2] * _WEIGHTS[i + 2]
        d += row[i + 3] * _WEIGHTS[i + 3]
    return a + b + (c + d)


@njit
def sample_rows(masks: i1x2, rngs: RngArray, chosen: i8x1) -> None:
    """Write for each game the number of a row with a choice, uniformly at random."""
    for g in range(len(masks)):
        count = 0
        while count < masks.shape[1] and masks[g, count] != 0:
            count += 1
        chosen[g] = below(rngs[g : g + 1], count)


@njit
def contexts_into(states: StateArray, which: b1x1, viewers: i8x1, seen: f4x3) -> None:
    """Write what viewers see of finished games, those in ``which``: the context alone."""
    for g in range(len(states)):
        if which[g]:
            seen[g, :] = 0
            context_into(states[g], np.int64(viewers[g]), seen[g, -1])


@njit
def actions_of(ids: i8x2, chosen: i8x1, actions: i8x1) -> i8:
    """Write the action of each game's row; return the first game whose row has none, or -1."""
    wrong = -1
    for g in range(len(ids)):
        actions[g] = NONE
        if chosen[g] >= 0 and chosen[g] < ids.shape[1]:
            actions[g] = ids[g, chosen[g]]
        if actions[g] == NONE and wrong < 0:
            wrong = g
    return wrong
