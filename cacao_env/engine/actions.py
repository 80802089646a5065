"""Action ids: their meaning, which are legal, and how one is applied.

One ``Discrete(N)`` in three blocks (``table_size`` W sets the first)::

    place   W*W//2 * 13   which worker cell, which of tiles.VARIANTS; overbuilds where an own tile is
    fill     4 * 2 * 2    cell beside the tile just placed (its side), display slot, orientation
    act      4 * 4 * 4    jungle tile beside the tile just placed (its side), worker tile beside that
                          jungle tile (its side), number of workers that act

No move has two ids: of equal tiles in the display only the first slot is legal, and orientation 1 is
legal only for a volcano.
"""

from __future__ import annotations

import numpy as np

from .geometry import NEIGHBOR, TORUS, cell_index
from .jit import inlined, njit
from .rng import RngArray, below
from .rules import act, can_cover, fill, may_overbuild, near_rim, place
from .state import ACT, FILL, MAX_OPEN, OVER, PLACE, State, pending_workers
from .tiles import (
    ACTION_CLASS,
    DISPLAY_SIZE,
    ERUPT,
    MAX_TURNS,
    MAX_WORKERS_ON_EDGE,
    NUM_VARIANTS,
    VARIANT_KIND,
    VOLCANO,
    WORKER_KINDS,
)
from .types import i1x1, i8, i8x1

ORIENTATIONS = 2
WORKER_CHOICES = MAX_WORKERS_ON_EDGE + 1
FILL_ACTIONS = 4 * DISPLAY_SIZE * ORIENTATIONS
ACT_ACTIONS = 4 * 4 * WORKER_CHOICES
MAX_LEGAL = (MAX_OPEN + MAX_TURNS) * NUM_VARIANTS  # more than any position has
_KINDS = len(WORKER_KINDS)

# By the kinds in a hand, as bits: the variants that it offers (1 of 13), their number, their list.
OFFERED = np.array(
    [[(kinds >> kind) & 1 for kind in VARIANT_KIND] for kinds in range(1 << _KINDS)], np.int8
)
NUM_OFFERED = OFFERED.sum(axis=1)
OFFERED_VARIANTS = np.argsort(1 - OFFERED, axis=1, kind="stable")

# Why an action is refused.
LEGAL: int = 0
NO_SUCH_ACTION: int = 1
GAME_OVER: int = 2
WRONG_PHASE: int = 3
NOT_IN_HAND: int = 4
NOT_A_PLACE: int = 5
NOT_TO_FILL: int = 6
NO_SUCH_TILE: int = 7
DUPLICATE: int = 8
NOT_PENDING: int = 9
TOO_MANY: int = 10
FORCED: int = 11


@inlined
def place_actions(table_size):
    """Return the size of the place block, which is also the first id of the fill block."""
    size = table_size & 63  # shows the compiler that no index of an action is below 0
    return (size * size // 2) * NUM_VARIANTS


@inlined
def num_actions(table_size):
    """Return N, the number of action ids."""
    return place_actions(table_size) + FILL_ACTIONS + ACT_ACTIONS


@inlined
def window_index(state, cell):
    """Return the number of a worker cell in the window (geometry.py has the map), or -1."""
    row = ((cell >> 5) - state.corner_row) & (TORUS - 1)
    column = ((cell & (TORUS - 1)) - state.corner_column) & (TORUS - 1)
    if row >= state.table_size or column >= state.table_size:
        return -1
    return (row * state.table_size + column) >> 1


@inlined
def indexed_cell(state, index):
    """Return the torus cell of the window's worker cell ``index``; inverse of ``window_index``."""
    size = np.int64(state.table_size)
    row, column = divmod(2 * index, size)
    if (row + column) & 1 == 0:  # the pair's other cell is the odd one
        row, column = divmod(2 * index + 1, size)
    return cell_index(row + state.corner_row, column + state.corner_column)


@inlined
def place_id(state, cell, variant):
    """Return the id of placing ``variant`` on a cell."""
    return window_index(state, cell) * NUM_VARIANTS + variant


@inlined
def fill_id(state, side, slot, orientation):
    """Return the id of filling a side with a display slot's tile."""
    first = place_actions(np.int64(state.table_size))
    return first + (side * DISPLAY_SIZE + slot) * ORIENTATIONS + orientation


@inlined
def act_id(state, side, facing, workers):
    """Return the id of an edge's action with that many workers."""
    first = place_actions(np.int64(state.table_size)) + FILL_ACTIONS
    return first + (side * 4 + facing) * WORKER_CHOICES + workers


@inlined
def hand_kinds(state):
    """Return the kinds in the deciding seat's hand, as bits."""
    kinds = 0
    for kind in range(_KINDS):
        if state.hand[state.seat, kind] > 0:
            kinds |= 1 << kind
    return kinds


@inlined
def slot_offered(state, slot):
    """Return whether a display slot's tile can be chosen: there is one, and no equal one before it."""
    kind = state.display[slot]
    return kind != 0 and (slot == 0 or kind != state.display[0])


# --- What is legal --------------------------------------------------------------------------


@inlined
def num_candidates(state):
    """Count the cells to ask ``can_cover`` about: open ones, and worker tiles when overbuilding."""
    if may_overbuild(state):
        return np.int64(state.open_count) + np.int64(state.worker_count)
    return np.int64(state.open_count)


@inlined
def candidate(state, i):
    """Return the i-th of these candidate cells."""
    if i < state.open_count:
        return np.int64(state.open_cells[i])
    return np.int64(state.worker_cells[i - state.open_count])


@inlined
def legal_fills(state):
    """Return the legal fills as bits, by their offset in the fill block."""
    choices = 0
    for slot in range(DISPLAY_SIZE):
        if slot_offered(state, slot):
            choices |= (3 if state.display[slot] == VOLCANO else 1) << (ORIENTATIONS * slot)
    bits = 0
    for side in range(4):
        if (state.to_fill >> side) & 1:
            bits |= choices << (DISPLAY_SIZE * ORIENTATIONS * side)
    return bits


@inlined
def legal_acts(state):
    """Return the legal actions as bits (of a signed integer), by their offset in the act block."""
    edges = np.int64(state.pending[state.seat])
    bits = 0
    for side in range(4):
        if (edges >> (4 * side)) & 15 != 0:
            for facing in range(4):
                edge = 4 * side + facing
                if (edges >> edge) & 1:
                    workers = pending_workers(state, side, facing)
                    least = least_workers(state, side, workers)
                    bits |= ((2 << workers) - (1 << least)) << (WORKER_CHOICES * edge)
    return bits


@inlined
def may_act(state, side, facing):
    """Return whether the deciding seat owns this edge and it is activated."""
    return (state.pending[state.seat] >> (4 * side + facing)) & 1 == 1


@inlined
def least_workers(state, side, workers):
    """Return how many of an edge's workers must act: none, but all of them at a volcano."""
    code = state.board[NEIGHBOR[state.last, side]]
    return workers if ACTION_CLASS[code] == ERUPT else 0


@njit
def mask_into(state: State, mask: i1x1) -> None:
    """Write the mask of the deciding seat's legal actions into ``mask``, int8, shape (N,)."""
    mask[:] = 0
    if state.phase == PLACE:
        offered = OFFERED[hand_kinds(state)]
        tight = near_rim(state)
        for i in range(num_candidates(state)):
            cell = candidate(state, i)
            if can_cover(state, cell, tight):
                first = max(0, place_id(state, cell, 0))  # shows the same
                for variant in range(NUM_VARIANTS):
                    mask[first + variant] = offered[variant]
        return
    first, bits = late_bits(state)
    for offset in range(FILL_ACTIONS if state.phase == FILL else ACT_ACTIONS):
        mask[first + offset] = (bits >> offset) & 1


@njit
def legal_into(state: State, ids: i8x1) -> i8:
    """Write the legal action ids, each once, into ``ids``, shape (MAX_LEGAL,); returns how many."""
    count = 0
    if state.phase == PLACE:
        kinds = hand_kinds(state)
        tight = near_rim(state)
        for i in range(num_candidates(state)):
            cell = candidate(state, i)
            if can_cover(state, cell, tight):
                first = place_id(state, cell, 0)
                for k in range(NUM_OFFERED[kinds]):
                    ids[count] = first + OFFERED_VARIANTS[kinds, k]
                    count += 1
        return count
    first, bits = late_bits(state)
    for offset in range(ACT_ACTIONS):
        if (bits >> offset) & 1:
            ids[count] = first + offset
            count += 1
    return count


@inlined
def late_bits(state):
    """Return the first id of the phase's block (FILL or ACT), and its legal actions as bits."""
    first = place_actions(np.int64(state.table_size))
    if state.phase == FILL:
        return first, legal_fills(state)
    if state.phase == ACT:
        return first + FILL_ACTIONS, legal_acts(state)
    return first, 0


@njit
def why_illegal(state: State, action: i8) -> i8:
    """Return why an action is illegal now, or LEGAL."""
    fills = place_actions(np.int64(state.table_size))
    acts = fills + FILL_ACTIONS
    if action < 0 or action >= acts + ACT_ACTIONS:
        return NO_SUCH_ACTION
    if state.phase == OVER:
        return GAME_OVER
    if action < fills:
        if state.phase != PLACE:
            return WRONG_PHASE
        if state.hand[state.seat, VARIANT_KIND[action % NUM_VARIANTS]] == 0:
            return NOT_IN_HAND
        if not can_cover(state, indexed_cell(state, action // NUM_VARIANTS), near_rim(state)):
            return NOT_A_PLACE
        return LEGAL
    if action < acts:
        if state.phase != FILL:
            return WRONG_PHASE
        side, slot, orientation = split_fill(action - fills)
        if (state.to_fill >> side) & 1 == 0:
            return NOT_TO_FILL
        if state.display[slot] == 0:
            return NO_SUCH_TILE
        if not slot_offered(state, slot) or (orientation == 1 and state.display[slot] != VOLCANO):
            return DUPLICATE
        return LEGAL
    if state.phase != ACT:
        return WRONG_PHASE
    side, facing, workers = split_act(action - acts)
    if not may_act(state, side, facing):
        return NOT_PENDING
    activated = pending_workers(state, side, facing)
    if workers > activated:
        return TOO_MANY
    if workers < least_workers(state, side, activated):
        return FORCED
    return LEGAL


@inlined
def split_fill(offset):
    """Return (side, slot, orientation) of an id's offset in the fill block."""
    return offset // 4, (offset >> 1) & 1, offset & 1


@inlined
def split_act(offset):
    """Return (side, facing, workers) of an id's offset in the act block."""
    return offset // 16, (offset >> 2) & 3, offset & 3


@inlined
def apply(state: State, action: i8) -> None:
    """Apply one legal action: an elementary move, without the forced moves that follow."""
    fills = place_actions(np.int64(state.table_size))
    acts = fills + FILL_ACTIONS
    if action < fills:
        place(state, indexed_cell(state, action // NUM_VARIANTS), action % NUM_VARIANTS)
    elif action < acts:
        side, slot, orientation = split_fill(action - fills)
        fill(state, side, slot, orientation)
    else:
        side, facing, workers = split_act(action - acts)
        act(state, side, facing, workers)


@njit
def sample(state: State, rng: RngArray) -> i8:
    """Return a legal action id, uniformly at random, without building the mask."""
    if state.phase != PLACE:
        return sample_late(state, rng)
    # Every cell offers the same variants, so a cell and a variant are drawn on their own.
    kinds = hand_kinds(state)
    variant = OFFERED_VARIANTS[kinds, below(rng, NUM_OFFERED[kinds])]
    # Candidates that can't be covered are few; drawing until one can keeps the choice uniform.
    candidates = num_candidates(state)
    tight = near_rim(state)
    while True:
        cell = candidate(state, below(rng, candidates))
        if can_cover(state, cell, tight):
            return place_id(state, cell, variant)


@njit
def sample_late(state, rng):
    """Draw a legal fill or action: they are counted first, so no list is needed."""
    first, bits = late_bits(state)
    count = 0
    for offset in range(ACT_ACTIONS):
        count += (bits >> offset) & 1
    choice = below(rng, count)
    offset = 0
    while True:
        if (bits >> offset) & 1:
            if choice == 0:
                return first + offset
            choice -= 1
        offset += 1
