"""Move ordering: which placements a value network evaluates first.

Greedy's values put the network's choice among the first five in six positions of ten, and evaluating
a placement takes a hundred times as long as ordering it.  So a network may come with a table, distilled
from its own choices, that is added to greedy's value: a number for each worker tile on each pattern,
after the fills that greedy would make.  With it the first five hold the choice as often as greedy's
first sixteen.  The numbers are sums over the parts of a placement: what lies on a side and how many
workers face it, for each side and each pair of sides.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ...engine.actions import indexed_cell
from ...engine.geometry import NEIGHBOR
from ...engine.jit import njit
from ...engine.state import jungle_left
from ...engine.tiles import DISPLAY_SIZE, EDGES, MAX_TILES, MAX_WORKERS_ON_EDGE, NUM_VARIANTS
from ...greedy.choices import (
    GREEDY_WEIGHTS,
    NOWHERE,
    WAYS,
    score_placements,
    sort_best,
    tiles_shown,
)
from .patterns import BESIDE, EMPTY, LETTER, NUM_LETTERS

NUM_WORDS = NUM_LETTERS**4
_SIDES = NUM_LETTERS * (MAX_WORKERS_ON_EDGE + 1)  # a letter and the workers that face it
NUM_PLACEMENT_PARTS = _SIDES + 2 * _SIDES**2  # sides, adjacent pairs, opposite pairs
PAIRS = (*((side, (side + 1) % 4, 0) for side in range(4)), (0, 2, 1), (1, 3, 1))
OVERBUILDS = NUM_PLACEMENT_PARTS  # the columns after those of the parts
GOLD = OVERBUILDS + 1  # weight of greedy's value
NUM_COLUMNS = GOLD + 1
# By the placements that the deciding seat has left, this one included.
STAGE = np.array([0, 0, 0, 1, 1, 2, 2, 2] + [3] * (MAX_TILES - 7), np.int64)
ORDERING_SHAPE = (int(STAGE.max()) + 1, NUM_COLUMNS)


def part_number(pair: int, one: Any, other: Any) -> Any:
    """Return the column of a pair of sides, each as ``letter * (MAX_WORKERS_ON_EDGE + 1) + workers``.

    ``pair``: 0 for adjacent sides, 1 for opposite ones.
    """
    return _SIDES + pair * _SIDES**2 + np.minimum(one, other) * _SIDES + np.maximum(one, other)


def ordering_table(ordering: np.ndarray) -> np.ndarray:
    """Return the number of each variant on each word, float32 (stages, NUM_WORDS, NUM_VARIANTS).

    ``ordering``: float32, shape ``ORDERING_SHAPE``.  Networks with the same numbers share the table.
    """
    return _table(ordering.tobytes())


@lru_cache(maxsize=2)
def _table(numbers: bytes) -> np.ndarray:
    ordering = np.frombuffer(numbers, np.float32).reshape(ORDERING_SHAPE)
    table = np.zeros((ORDERING_SHAPE[0], *(NUM_LETTERS,) * 4, NUM_VARIANTS), np.float32)
    letters = np.arange(NUM_LETTERS) * (MAX_WORKERS_ON_EDGE + 1)
    for variant, workers in enumerate(EDGES):
        for side in range(4):
            here = letters + workers[side]
            _add(table[..., variant], ordering[:, here], (side,))
        for one, other, pair in PAIRS:
            columns = part_number(pair, (letters + workers[one])[:, None], letters + workers[other])
            # The table's axes are in the order of the sides.
            columns = columns if one < other else columns.T
            _add(table[..., variant], ordering[:, columns], tuple(sorted((one, other))))
    return table.reshape(ORDERING_SHAPE[0], NUM_WORDS, NUM_VARIANTS)


def _add(table: np.ndarray, numbers: np.ndarray, sides: tuple[int, ...]) -> None:
    """Add numbers, (stages, letters of each of ``sides``), to a table, (stages, letters of 4 sides)."""
    shape = [NUM_LETTERS if side in sides else 1 for side in range(4)]
    table += numbers.reshape(len(numbers), *shape)


@njit
def word_after(state, cell, ways, tiles):
    """Return the letters around a cell after greedy's fills, as a number.

    ``ways``: of :data:`~cacao_env.greedy.choices.CHOICES`; ``tiles``: what the display shows.
    """
    to_fill = 0
    for side in range(4):
        if (
            jungle_left(state) > 0
            and state.board[cell] <= 0
            and state.board[NEIGHBOR[cell, side]] < 0
        ):
            to_fill |= 1 << side
    number = 0
    while ((ways >> number) & 1) == 0:
        number += 1
    way = WAYS[tiles, to_fill, number >> 2]
    word = 0
    for side in range(4):
        code = np.int64(state.board[NEIGHBOR[cell, side]])
        for slot in range(DISPLAY_SIZE):
            if way[slot] == side and way[slot] != NOWHERE:
                code = np.int64(state.display[slot]) + ((number >> slot) & 1)
        if code > 0:
            letter = LETTER[side, code]
        else:
            letter = BESIDE if code == -1 else EMPTY
        word = word * NUM_LETTERS + letter
    return word


@njit
def order_into(table, weights, choices, state, top, ids):
    """Write the ``top`` placements that come first into ``ids``; return their number.

    ``table``: of ``ordering_table``; ``weights``: (stages, 2), of overbuilding and of greedy's value.
    """
    score_placements(choices, state, GREEDY_WEIGHTS, True)
    seat = np.int64(state.seat)
    stage = STAGE[np.int64(state.tiles_each) - np.int64(state.placed[seat])]
    tiles = tiles_shown(state)
    cell, word = np.int64(-1), np.int64(0)
    seen = np.int64(-1)
    for i in range(choices.count):
        place = np.int64(choices.ids[i])
        index, variant = place // NUM_VARIANTS, place % NUM_VARIANTS
        if index != seen:
            seen, cell = index, indexed_cell(state, index)
        word = word_after(state, cell, np.int64(choices.ways[i]), tiles)
        value = weights[stage, 1] * choices.values[i] + table[stage, word, variant]
        if state.board[cell] > 0:
            value += weights[stage, 0]
        choices.values[i] = value
    count = min(top, np.int64(choices.count))
    for i in range(count):
        sort_best(choices, i)
        ids[i] = choices.ids[i]
    return count
