"""The value network, evaluated inside compiled loops.

First layer: a bias, weights times numbers, one table row for each row of the features; beside it, of
the open cells, the largest of each of some channels ("the best place for ...").  Then two small
layers, of which there is a set for each part of the game.  Outputs, for each seat in turn order from
the viewer: what its odds of winning are proportional to the exponential of, and the points it will
add to its score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..jit import njit
from ..scoring import score, scores_into, winners_into
from ..state import OVER
from ..tiles import MAX_PLAYERS
from .features import (
    ALONE,
    MAX_ROWS,
    NO_ROW,
    NUM_NUMBERS,
    PATTERN_TABLES,
    STAGE,
    STAGES,
    features_into,
)
from .patterns import NUM_PARTS, pattern_parts

POINTS = 10.0  # an output of 1 stands for so many points
MARGIN_SCALE = 15.0  # gold; see ``bots.playout.utility``


class Net(NamedTuple):
    """Weights, float32; H sums, M maxima, L units in the second layer, 8 outputs."""

    bias: Any  # (H,)
    numbers: Any  # (NUM_NUMBERS, H)
    rows: Any  # (NUM_ROWS + 1, H), the last one 0
    best: Any  # (NUM_PATTERNS, M)
    middle: Any  # (STAGES, H + M, L)
    middle_bias: Any  # (STAGES, L)
    out: Any  # (STAGES, L, 2 * MAX_PLAYERS)
    out_bias: Any  # (STAGES, 2 * MAX_PLAYERS)


class Scratch(NamedTuple):
    """Room for one evaluation."""

    numbers: Any
    rows: Any
    hidden: Any
    middle: Any
    out: Any
    shares: Any  # (MAX_PLAYERS,) of the win, expected, by seat
    points: Any  # (MAX_PLAYERS,) final scores, expected, by seat


def new_scratch(net: Net) -> Scratch:
    """Room that fits a network."""
    return Scratch(
        np.zeros(NUM_NUMBERS, np.float32),
        np.zeros(MAX_ROWS, np.uint16),
        np.zeros(net.middle.shape[1], np.float32),
        np.zeros(net.middle.shape[2], np.float32),
        np.zeros(2 * MAX_PLAYERS, np.float32),
        np.zeros(MAX_PLAYERS),
        np.zeros(MAX_PLAYERS),
    )


def learnt_shapes(sums: int, maxima: int, units: int) -> dict[str, tuple[int, ...]]:
    """Name and shape of each array that is learnt."""
    return {
        "bias": (sums,),
        "numbers": (NUM_NUMBERS, sums),
        "rows": (NO_ROW - ALONE + 1, sums),
        "part_rows": (PATTERN_TABLES, NUM_PARTS, sums),
        "part_best": (NUM_PARTS, maxima),
        "middle": (STAGES, sums + maxima, units),
        "middle_bias": (STAGES, units),
        "out": (STAGES, units, 2 * MAX_PLAYERS),
        "out_bias": (STAGES, 2 * MAX_PLAYERS),
    }


def from_learnt(learnt: Mapping[str, Any]) -> Net:
    """Weights for compiled code from those that are learnt (``learnt_shapes``), float32 arrays.

    What is learnt about the parts of patterns is added up here, once for each pattern.
    """
    parts = pattern_parts()
    patterns = [parts @ table for table in learnt["part_rows"]]
    rows = np.concatenate([*patterns, learnt["rows"]])
    rows[NO_ROW] = 0
    arrays = (
        learnt["bias"],
        learnt["numbers"],
        rows,
        parts @ learnt["part_best"],
        learnt["middle"],
        learnt["middle_bias"],
        learnt["out"],
        learnt["out_bias"],
    )
    return Net(*(np.array(array, np.float32, order="C") for array in arrays))


@njit
def forward(net, scratch, count, open_cells, stage):
    """From the features in ``scratch`` to its ``out``."""
    sums, maxima = net.bias.shape[0], net.best.shape[1]
    hidden = scratch.hidden
    total, most = hidden[:sums], hidden[sums:]
    total[:] = net.bias
    for i in range(NUM_NUMBERS):
        x = scratch.numbers[i]
        if x != 0:
            weights = net.numbers[i]
            for h in range(sums):
                total[h] += x * weights[h]
    for i in range(count):
        weights = net.rows[scratch.rows[i]]
        for h in range(sums):
            total[h] += weights[h]
    most[:] = 0
    for i in range(open_cells):
        weights = net.best[scratch.rows[i]]
        for m in range(maxima):
            most[m] = max(most[m], weights[m])
    for h in range(sums):
        total[h] = max(np.float32(0), total[h])
    _layer(hidden, net.middle[stage], net.middle_bias[stage], scratch.middle)
    for i in range(len(scratch.middle)):
        scratch.middle[i] = max(np.float32(0), scratch.middle[i])
    _layer(scratch.middle, net.out[stage], net.out_bias[stage], scratch.out)


@njit
def _layer(inputs, weights, bias, out):
    out[:] = bias
    for i in range(len(inputs)):
        x = inputs[i]
        if x != 0:
            row = weights[i]
            for k in range(len(out)):
                out[k] += x * row[k]


@njit
def expect(net, scratch, state, viewer):
    """Write what ``viewer`` expects of the game into ``shares`` and ``points``, by seat.

    At the start of a turn by the network, after the end as it is.
    """
    players = int(state.num_players)
    if state.phase == OVER:
        scores = np.zeros(MAX_PLAYERS, np.int64)
        wins = np.zeros(MAX_PLAYERS, np.int64)
        scores_into(state, scores)
        winners = winners_into(state, scores, wins)
        for seat in range(players):
            scratch.shares[seat] = wins[seat] / winners
            scratch.points[seat] = scores[seat]
        return
    count, _, open_cells = features_into(state, viewer, scratch.numbers, scratch.rows)
    stage = STAGE[int(state.tiles_each) - int(state.placed[viewer])]
    forward(net, scratch, count, open_cells, stage)
    top = scratch.out[0]
    for i in range(1, players):
        top = max(top, scratch.out[i])
    total = 0.0
    for i in range(players):
        seat = (viewer + i) % players
        scratch.shares[seat] = math.exp(scratch.out[i] - top)
        total += scratch.shares[seat]
        scratch.points[seat] = score(state, seat) + POINTS * scratch.out[MAX_PLAYERS + i]
    for seat in range(players):
        scratch.shares[seat] /= total


@njit
def utility_of(scratch, players, seat):
    """Half the zero-sum share of the win, half the margin, as in ``bots.playout.utility``."""
    margin = 0.0
    for other in range(players):
        if other != seat:
            margin += math.tanh((scratch.points[seat] - scratch.points[other]) / MARGIN_SCALE)
    win = (players * scratch.shares[seat] - 1) / (players - 1)
    return 0.5 * win + 0.5 * margin / (players - 1)
