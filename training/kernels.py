"""What trainers compute in compiled code: advantages, greedy's choices, the first layer of values."""

from __future__ import annotations

import numpy as np

from cacao_env.agents.value.features import ALONE
from cacao_env.agents.value.patterns import NUM_PATTERNS, part_numbers
from cacao_env.engine.jit import njit
from cacao_env.engine.rng import RngArray
from cacao_env.engine.state import StateArray
from cacao_env.engine.tiles import MAX_PLAYERS
from cacao_env.engine.types import b1x2, f4x1, f4x2, f4x3, f8, i1x1, i8x1, i8x2, u2x2
from cacao_env.greedy.choices import CHOICES, GREEDY_WEIGHTS, greedy_choice

PARTS = part_numbers().astype(np.uint8)


@njit
def advantages_into(
    seats: i8x2,
    rewards: f4x3,
    over: b1x2,
    values: f4x2,
    next_seats: i1x1,
    next_values: f4x1,
    gamma: f8,
    gae_lambda: f8,
    advantages: f4x2,
) -> None:
    """Write advantages (T, N); NaN for a seat's last decision, whose outcome is not known.

    ``seats`` (T, N) that decided, ``rewards`` (T, N, P) of the step that followed, ``over`` (T, N)
    whether it ended the game, ``values`` (T, N) of the deciding seat; then the seats to decide next
    and their values, (N,).  ``gamma`` and ``gae_lambda`` apply per decision of the seat.
    """
    later = np.zeros(MAX_PLAYERS)  # value at the seat's next decision
    ahead = np.zeros(MAX_PLAYERS)  # advantage there
    earned = np.zeros(MAX_PLAYERS)  # since this one
    known = np.zeros(MAX_PLAYERS, np.bool_)  # whether the seat decides again later
    players = rewards.shape[2]
    for g in range(seats.shape[1]):
        known[:] = False
        earned[:] = 0.0
        known[next_seats[g]] = True
        later[next_seats[g]] = next_values[g]
        ahead[next_seats[g]] = 0.0
        for t in range(seats.shape[0] - 1, -1, -1):
            if over[t, g]:  # the sums so far belong to the next game
                earned[:] = 0.0
                later[:] = 0.0
                ahead[:] = 0.0
                known[:] = True
            for seat in range(players):
                earned[seat] += rewards[t, g, seat]
            seat = seats[t, g]
            value = values[t, g]
            if known[seat]:
                error = earned[seat] + gamma * later[seat] - value
                ahead[seat] = error + gamma * gae_lambda * ahead[seat]
                advantages[t, g] = ahead[seat]
            else:
                ahead[seat] = 0.0
                advantages[t, g] = np.nan
            later[seat] = value
            earned[seat] = 0.0
            known[seat] = True


@njit
def greedy_choices(states: StateArray, rng: RngArray, chosen: i8x1) -> None:
    """Write greedy's action for every game."""
    choices = np.empty(1, CHOICES)
    for g in range(len(states)):
        chosen[g] = greedy_choice(choices[0], states[g], GREEDY_WEIGHTS, rng)


@njit
def forward_into(
    rows: u2x2,
    counts: i8x1,
    patterns: i8x1,
    cells: i8x1,
    of_rows: f4x2,
    of_parts: f4x3,
    of_best: f4x2,
    total: f4x2,
    context: f4x2,
    most: f4x2,
    where: i8x2,
) -> None:
    """Add up each sample's patterns in ``total`` and its other rows in ``context``.

    ``most`` and ``where``: the maxima over open cells, and whose they are.
    """
    each = np.zeros(of_best.shape[1], np.float32)
    for b in range(len(rows)):
        out = total[b]
        for k in range(patterns[b]):
            table = rows[b, k] // NUM_PATTERNS
            parts = PARTS[rows[b, k] - table * NUM_PATTERNS]
            for i in range(PARTS.shape[1]):
                row = of_parts[table, parts[i]]
                for h in range(len(out)):
                    out[h] += row[h]
        for k in range(patterns[b], counts[b]):
            row = of_rows[rows[b, k] - ALONE]
            for h in range(len(row)):
                context[b, h] += row[h]
        for k in range(cells[b]):
            parts = PARTS[rows[b, k]]
            each[:] = 0
            for i in range(PARTS.shape[1]):
                row = of_best[parts[i]]
                for m in range(len(each)):
                    each[m] += row[m]
            for m in range(len(each)):
                if each[m] > most[b, m]:
                    most[b, m] = each[m]
                    where[b, m] = k


@njit
def backward_into(
    rows: u2x2,
    counts: i8x1,
    patterns: i8x1,
    where: i8x2,
    by_total: f4x2,
    by_context: f4x2,
    by_most: f4x2,
    of_rows: f4x2,
    of_parts: f4x3,
    of_best: f4x2,
) -> None:
    """Add the gradients of the weights, given those by what ``forward_into`` writes."""
    for b in range(len(rows)):
        slope = by_total[b]
        for k in range(patterns[b]):
            table = rows[b, k] // NUM_PATTERNS
            parts = PARTS[rows[b, k] - table * NUM_PATTERNS]
            for i in range(PARTS.shape[1]):
                row = of_parts[table, parts[i]]
                for h in range(len(slope)):
                    row[h] += slope[h]
        for k in range(patterns[b], counts[b]):
            row = of_rows[rows[b, k] - ALONE]
            for h in range(len(row)):
                row[h] += by_context[b, h]
        for m in range(by_most.shape[1]):
            if where[b, m] >= 0:
                parts = PARTS[rows[b, where[b, m]]]
                for i in range(PARTS.shape[1]):
                    of_best[parts[i], m] += by_most[b, m]
