"""The rest of a turn by greedy without chance: what ``decisions="turn"`` plays after a placement.

The deciding seat, the mover or another seat that answers, takes the fill or the action of the highest
value (:mod:`.choices`).  Fingerprints of the table, turned so that the side of a choice is north, order
choices of equal value.  So the images of a position under a symmetry of the board have the images of
its choices.  Only what all seats see counts.
"""

from __future__ import annotations

import numpy as np

from ..engine.actions import apply, late_bits, split_act, split_fill
from ..engine.decisions import NONE, forced_action
from ..engine.jit import keep, njit
from ..engine.rng import mixed
from ..engine.state import (
    ACT,
    EXPLICIT,
    FILL,
    OVERBUILT,
    OWNER,
    TURN,
    VARIANT,
    State,
    cell_column,
    cell_row,
)
from ..engine.symmetry import NUM_SYMMETRIES, side_images, variant_images
from ..engine.tiles import NUM_VARIANTS, VOLCANO, VOLCANO_TURNED
from ..engine.types import i8
from .choices import CHOICES, GREEDY_WEIGHTS, TIE, appraise_acts, appraise_fills

SIDES = np.array([side_images(g) for g in range(NUM_SYMMETRIES)])
VARIANTS = np.array([variant_images(g) for g in range(NUM_SYMMETRIES)])
# The two symmetries that bring a side to the north.
_TO_NORTH = np.array(
    [[g for g in range(NUM_SYMMETRIES) if SIDES[g, side] == 0] for side in range(4)]
)
_ROOM = 64  # more than a game spans


@njit
def fingerprint(state, cell, viewer, g):
    """Return a number for the table as it looks from ``cell`` under symmetry ``g``, to ``viewer``."""
    players = np.int64(state.num_players)
    row, column = cell_row(state, cell), cell_column(state, cell)
    total = np.uint64(0)
    for i in range(state.jungle_count):
        there = np.int64(state.jungle_cells[i])
        code = np.int64(state.board[there])
        if code >= VOLCANO and SIDES[g, 0] & 1:
            code = VOLCANO + VOLCANO_TURNED - code
        total ^= _place(g, cell_row(state, there) - row, cell_column(state, there) - column, code)
    for i in range(state.worker_count):
        there = np.int64(state.worker_cells[i])
        code = np.int64(state.board[there])
        seat = (OWNER[code] - viewer) % players
        what = 16 + (seat * NUM_VARIANTS + VARIANTS[g, VARIANT[code]]) * 2 + (code >= OVERBUILT)
        total ^= _place(g, cell_row(state, there) - row, cell_column(state, there) - column, what)
    return total


@njit
def _place(g, row, column, what):
    """Return a number for what lies on a cell, given relative to another, under symmetry ``g``."""
    if g >= 4:
        column = -column
    for _ in range(g & 3):
        row, column = column, -row
    return mixed(np.uint64(((row + _ROOM) * 2 * _ROOM + column + _ROOM) * 256 + what))


@njit
def _rank(state, action):
    """Return a number that orders choices of equal value, the same for images of a position."""
    first, _ = late_bits(state)
    offset = action - first
    seat, cell = np.int64(state.seat), np.int64(state.last)
    best = np.uint64(0)
    side = split_fill(offset)[0] if state.phase == FILL else split_act(offset)[0]
    for k in range(2):
        g = _TO_NORTH[side, k]
        if state.phase == FILL:
            _, slot, turned = split_fill(offset)
            code = np.int64(state.display[slot])
            what = code * 2 + (turned ^ (code == VOLCANO and SIDES[g, 0] & 1))
        else:
            _, facing, workers = split_act(offset)
            what = 64 + SIDES[g, facing] * 4 + workers
        best = max(best, mixed(fingerprint(state, cell, seat, g) ^ mixed(np.uint64(what))))
    return best


@njit
def late_choice(state: State) -> i8:
    """Return greedy's fill or action, for the deciding seat; it depends on the position alone."""
    scratch = np.empty(1, CHOICES)
    choices = scratch[0]
    if state.phase == FILL:
        appraise_fills(choices, state, GREEDY_WEIGHTS)
    else:
        appraise_acts(choices, state, GREEDY_WEIGHTS)
    best = choices.values[0]
    for i in range(1, choices.count):
        best = max(best, choices.values[i])
    found, ties, rank = np.int64(-1), 0, np.uint64(0)
    for i in range(choices.count):
        if choices.values[i] < best - TIE:
            continue
        action = np.int64(choices.ids[i])
        ties += 1
        if ties == 1:
            found = action
            continue
        if ties == 2:
            rank = _rank(state, found)
        this = _rank(state, action)
        if this > rank:
            found, rank = action, this
    keep(scratch)
    return found


@njit
def unasked(state: State, decisions: i8) -> i8:
    """Return the move to play without asking, or NONE; ``decisions``: EXPLICIT, AUTO or TURN."""
    if decisions == EXPLICIT:
        return NONE
    action = forced_action(state)
    if action == NONE and decisions == TURN and (state.phase == FILL or state.phase == ACT):
        return late_choice(state)
    return action


@njit
def step_turn(state: State, action: i8) -> None:
    """Apply a legal action, then all moves that are not asked, with ``"turn"`` greedy's too."""
    state.ply += 1
    while True:
        apply(state, action)
        if state.decisions == EXPLICIT:
            return
        action = unasked(state, state.decisions)
        if action == NONE:
            return
