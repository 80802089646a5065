"""The value network, evaluated inside compiled loops.

The first layer adds up the table rows of the patterns.  Separately it adds a bias, weights times
numbers and the rows of everything else: the *context*.  For some channels it also takes the maximum
over the patterns of open cells ("the best place for ...").  The value of a pattern depends on the
seats' possessions.  So the layer passes on both sums, their product, and the product of the maxima
with gates of the context (factorisation machines; Rendle, 2010).  Two small layers follow, a set for
each part of the game. Outputs, for each seat in turn order from the viewer: the logit of its win
probability and the points it will still add to its score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...engine.jit import njit
from ...engine.scoring import score, scores_into, win_shares_into
from ...engine.state import OVER, State
from ...engine.tiles import MAX_PLAYERS
from ...engine.types import f4x1, f4x2, f4x3, f8x1, i8, i8x1, u2x1
from ..elementary import exp_negative
from .best_turn import Room, new_room
from .features import (
    ALONE,
    LEAK,
    MAX_ROWS,
    NO_ROW,
    NUM_NUMBERS,
    NUM_STAGES,
    PATTERN_TABLES,
    PROSPECTS_FROM,
    STAGES,
    features_into,
)
from .ordering import ORDERING_SHAPE, OVERBUILDS, ordering_table
from .patterns import NUM_PARTS, NUM_PATTERNS, parts_and_counts

POINTS = 10.0  # points that an output of 1 means


# Placements that are evaluated for a decision and inside simulations, the first in the move ordering.
# The network's choice is none of the first 48 by greedy in 6 %, none of the first 16 by a table in 2 %.
BY_GREEDY, BY_TABLE = (48, 16), (16, 5)


class Net(NamedTuple):
    """Weights, float32; H sums, M maxima, L units in the second layer, 8 outputs; S stages."""

    bias: f4x1  # (H + M,)
    numbers: f4x2  # (NUM_NUMBERS, H + M)
    rows: f4x2  # (NO_ROW - ALONE + 1, H + M), of rows that are no patterns; the last one 0
    patterns: f4x2  # (PATTERN_TABLES * NUM_PATTERNS, H)
    best: f4x2  # (NUM_PATTERNS, M)
    middle: f4x3  # (S, 2 * (H + M), L)
    middle_bias: f4x2  # (S, L)
    out: f4x3  # (S, L, 2 * MAX_PLAYERS)
    out_bias: f4x2  # (S, 2 * MAX_PLAYERS)
    stage: i8x1  # int64, by placements that the viewer has left
    prospects: int  # ``PROSPECTS_FROM`` and ``LEAK`` of :mod:`.features`
    leak: float
    ordering: f4x3  # (stages, NUM_WORDS, NUM_VARIANTS) of :mod:`.ordering`, or no words
    ordering_weights: f4x2  # (stages, 2)
    top: int  # placements that are evaluated, the first in order
    inner: int  # the same inside simulations


class Scratch(NamedTuple):
    """Scratch space for one evaluation.  Each thread needs its own."""

    room: Room
    numbers: f4x1
    nonzero: i8x1  # the numbers that are not 0
    rows: u2x1
    patterns: f4x1
    context: f4x1
    most: f4x1
    hidden: f4x1
    middle: f4x1
    out: f4x1
    win_shares: f8x1  # (MAX_PLAYERS,) of the win, expected, by seat
    scores: f8x1  # (MAX_PLAYERS,) final scores, expected, by seat


def new_scratch(net: Net) -> Scratch:
    """Make scratch space for a network."""
    sizes = net.patterns.shape[1], net.bias.shape[0], net.best.shape[1], *net.middle.shape[1:]
    return Scratch(
        new_room(),
        np.zeros(NUM_NUMBERS, np.float32),
        np.zeros(NUM_NUMBERS, np.int64),
        np.zeros(MAX_ROWS, np.uint16),
        *(np.zeros(size, np.float32) for size in (*sizes, 2 * MAX_PLAYERS)),
        *np.zeros((2, MAX_PLAYERS)),
    )


def param_shapes(
    sums: int, maxima: int, units: int, ordered: bool = False
) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of each trained array; ``ordered``: with its own move ordering."""
    both, stages = sums + maxima, NUM_STAGES
    of_ordering = {"ordering": ORDERING_SHAPE} if ordered else {}
    return of_ordering | {
        "bias": (both,),
        "numbers": (NUM_NUMBERS, both),
        "rows": (NO_ROW - ALONE + 1, both),
        "part_rows": (PATTERN_TABLES, NUM_PARTS, sums),
        "part_best": (NUM_PARTS, maxima),
        "middle": (stages, 2 * both, units),
        "middle_bias": (stages, units),
        "out": (stages, units, 2 * MAX_PLAYERS),
        "out_bias": (stages, 2 * MAX_PLAYERS),
    }


def from_params(params: Mapping[str, Any]) -> Net:
    """Return the weights for compiled code from the trained float32 arrays (``param_shapes``).

    The trained weights of the parts of patterns are summed here, once for each pattern.
    """
    rows = np.array(params["rows"], np.float32)
    rows[-1] = 0
    patterns = np.concatenate([_sum_parts(table) for table in params["part_rows"]])
    arrays = [params["bias"], params["numbers"], rows, patterns, _sum_parts(params["part_best"])]
    arrays += [params[name] for name in ("middle", "middle_bias", "out", "out_bias")]
    weights: list[Any] = [np.array(array, np.float32, order="C") for array in arrays]
    weights += [np.array(STAGES, np.int64), PROSPECTS_FROM, LEAK]
    breadth, table = BY_GREEDY, np.zeros((0, 0, 0), np.float32)
    of_more = np.zeros((0, 2), np.float32)
    if "ordering" in params:
        ordering = np.array(params["ordering"], np.float32)
        breadth, table = BY_TABLE, ordering_table(ordering)
        of_more = np.ascontiguousarray(ordering[:, OVERBUILDS:])
    return Net(*(weights + [table, of_more, *breadth]))


def _sum_parts(weights: Any) -> Any:
    """Return the sum of each pattern's parts, (NUM_PATTERNS, width), from the parts' weights.

    A matrix product would add them up in an order that depends on the processor and its threads.
    """
    total = np.zeros((NUM_PATTERNS, weights.shape[1]), np.float32)
    for part, times in zip(*parts_and_counts(), strict=True):
        total += times[:, None] * weights[part]
    return total


@njit
def forward(net, scratch, count, patterns, open_cells, stage):
    """Compute ``scratch.out`` from the features in ``scratch``."""
    _first_layer(net, scratch, count, patterns, open_cells)
    sums, maxima = net.patterns.shape[1], net.best.shape[1]
    both = sums + maxima
    hidden = scratch.hidden
    for h in range(sums):
        of_patterns, of_context = scratch.patterns[h], scratch.context[h]
        hidden[h] = max(np.float32(0), of_patterns + of_context)
        hidden[both + h] = of_patterns * of_context
    for m in range(maxima):
        hidden[sums + m] = scratch.most[m]
        hidden[both + sums + m] = scratch.most[m] * scratch.context[sums + m]
    _layer(hidden, net.middle[stage], net.middle_bias[stage], scratch.middle)
    for i in range(len(scratch.middle)):
        scratch.middle[i] = max(np.float32(net.leak) * scratch.middle[i], scratch.middle[i])
    _layer(scratch.middle, net.out[stage], net.out_bias[stage], scratch.out)


@njit
def _first_layer(net, scratch, count, patterns, open_cells):
    of_patterns, context, most = scratch.patterns, scratch.context, scratch.most
    of_patterns[:] = 0
    _add_rows(net.patterns, scratch.rows[:patterns], 0, of_patterns)
    for k in range(len(context)):  # assigning arrays takes long to compile
        context[k] = net.bias[k]
    _add_numbers(net.numbers, scratch.numbers, scratch.nonzero, context)
    _add_rows(net.rows, scratch.rows[patterns:count], ALONE, context)
    most[:] = 0
    for i in range(open_cells):
        weights = net.best[scratch.rows[i]]
        for m in range(len(most)):
            most[m] = max(most[m], weights[m])


# These three take most of the time of an evaluation.  With four rows at a time, sums are read and
# written a quarter as often, and each function takes less than a third of the time.
@njit
def _add_numbers(weights, numbers, nonzero, out):
    """Add up rows of weights, each times its number; half of the numbers, or more, are 0."""
    count = 0
    for i in range(len(numbers)):
        nonzero[count] = i
        count += numbers[i] != 0
    whole = count - count % 4
    for i in range(0, whole, 4):
        a, b, c, d = nonzero[i], nonzero[i + 1], nonzero[i + 2], nonzero[i + 3]
        w, x, y, z = numbers[a], numbers[b], numbers[c], numbers[d]
        of_w, of_x, of_y, of_z = weights[a], weights[b], weights[c], weights[d]
        for k in range(len(out)):
            out[k] += (w * of_w[k] + x * of_x[k]) + (y * of_y[k] + z * of_z[k])
    for i in range(whole, count):
        x, of_x = numbers[nonzero[i]], weights[nonzero[i]]
        for k in range(len(out)):
            out[k] += x * of_x[k]


@njit
def _add_rows(table, rows, first, out):
    """Add up rows of a table whose first row has the number ``first``."""
    whole = len(rows) - len(rows) % 4
    for i in range(0, whole, 4):
        a, b = table[np.int64(rows[i]) - first], table[np.int64(rows[i + 1]) - first]
        c, d = table[np.int64(rows[i + 2]) - first], table[np.int64(rows[i + 3]) - first]
        for k in range(len(out)):
            out[k] += (a[k] + b[k]) + (c[k] + d[k])
    for i in range(whole, len(rows)):
        row = table[np.int64(rows[i]) - first]
        for k in range(len(out)):
            out[k] += row[k]


@njit
def _layer(inputs, weights, bias, out):
    for k in range(len(out)):
        out[k] = bias[k]
    whole = len(inputs) - len(inputs) % 4
    for i in range(0, whole, 4):
        w, x, y, z = inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]
        of_w, of_x, of_y, of_z = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for k in range(len(out)):
            out[k] += (w * of_w[k] + x * of_x[k]) + (y * of_y[k] + z * of_z[k])
    for i in range(whole, len(inputs)):
        x, of_x = inputs[i], weights[i]
        for k in range(len(out)):
            out[k] += x * of_x[k]


@njit
def expect(net: Net, scratch: Scratch, state: State, viewer: i8) -> None:
    """Write the win shares and scores that ``viewer`` expects into ``scratch``, by seat.

    The network predicts them at the start of a turn; after the end they are the result.
    """
    players = np.int64(state.num_players)
    if state.phase == OVER:
        scores_into(state, scratch.scores)
        win_shares_into(state, scratch.scores, scratch.win_shares)
        return
    count, patterns, open_cells = features_into(
        state, viewer, net.prospects, scratch.room, scratch.numbers, scratch.rows
    )
    stage = net.stage[np.int64(state.tiles_each) - np.int64(state.placed[viewer])]
    forward(net, scratch, count, patterns, open_cells, stage)
    top = scratch.out[0]
    for i in range(1, players):
        top = max(top, scratch.out[i])
    total = 0.0
    for i in range(players):
        seat = (viewer + i) % players
        share = exp_negative(np.float64(scratch.out[i] - top))
        scratch.win_shares[seat] = np.float32(share)  # no more precise than what it is made from
        total += scratch.win_shares[seat]
        scratch.scores[seat] = score(state, seat) + POINTS * scratch.out[MAX_PLAYERS + i]
    for seat in range(players):
        scratch.win_shares[seat] /= total
