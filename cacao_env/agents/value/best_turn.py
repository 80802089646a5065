"""The gold that the best turn would bring to each seat, which decides a game's last positions.

Sums over patterns describe the table, but not what each seat can still do before the game ends.  So
late in the game greedy's heuristic evaluates all turns (placement, fills, actions).  It takes several
times as long as the network, and says little earlier in the game.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.jit import njit
from ...engine.state import STATE, StateArray
from ...engine.tiles import DISPLAY_SIZE, MAX_PLAYERS, NUM_VARIANTS, WORKER_KINDS
from ...greedy.choices import CHOICES, GREEDY_WEIGHTS, ChoicesArray, score_placements

# What is written of each seat, in turn order from the viewer.
BEST = 0  # the gold of its best turn
OTHER = BEST + MAX_PLAYERS  # the gold of its best turn on another cell
SHARED = OTHER + MAX_PLAYERS  # whether its best cell is the viewer's; 1 for the viewer
NUM_PROSPECTS = SHARED + MAX_PLAYERS


class Room(NamedTuple):
    """Scratch space.  Each thread needs its own."""

    states: StateArray  # (1,)
    choices: ChoicesArray  # (1,) of greedy


def new_room() -> Room:
    """Make scratch space for one position at a time."""
    return Room(np.zeros(1, STATE), np.zeros(1, CHOICES))


@njit
def best_turns_into(state, viewer, drawn, room, prospects):
    """Write the prospects of each seat, (NUM_PROSPECTS,), in tens of gold.

    They are those if it were that seat's turn, with the display as it was before the last draw; 0 for a
    seat that has placed all its tiles.  The viewer holds its hand without ``drawn``, the kind that it
    drew last or -1; another seat may hold any tile that it has not placed.
    """
    room.states[0] = state
    here, choices = room.states[0], room.choices[0]
    players = np.int64(state.num_players)
    for slot in range(DISPLAY_SIZE):
        if (state.refilled >> slot) & 1:
            here.display[slot] = 0
    if drawn >= 0:
        here.hand[viewer, drawn] -= 1
    own_cell = -1
    for i in range(players):
        seat = (viewer + i) % players
        prospects[BEST + i] = prospects[OTHER + i] = prospects[SHARED + i] = 0
        if state.placed[seat] == state.tiles_each:
            continue
        here.seat = seat
        if i > 0:
            for kind in range(len(WORKER_KINDS)):
                here.hand[seat, kind] = state.unplaced[seat, kind]
        score_placements(choices, here, GREEDY_WEIGHTS)
        best, cell, other = -1e9, -1, -1e9
        for k in range(choices.count):
            value, at = choices.values[k], choices.ids[k] // NUM_VARIANTS
            if value > best:
                if at != cell:
                    other = best
                best, cell = value, at
            elif at != cell and value > other:
                other = value
        if cell < 0:
            continue
        if i == 0:
            own_cell = cell
        prospects[BEST + i] = best / 10
        prospects[OTHER + i] = max(other, 0.0) / 10
        prospects[SHARED + i] = cell == own_cell
