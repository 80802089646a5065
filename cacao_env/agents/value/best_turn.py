"""The gold that the best turn would bring to each seat, which decides a game's last positions.

Sums over patterns describe the table, but not what each seat can still do before the game ends.  So
once no seat draws worker tiles, greedy's heuristic evaluates all turns (placement, fills, actions).  It
takes several times as long as the network, and says little earlier in the game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...engine.jit import njit
from ...engine.state import STATE
from ...engine.tiles import DISPLAY_SIZE, HAND_SIZE
from ..greedy import CHOICES, GREEDY_WEIGHTS, score_placements

LAST = HAND_SIZE - 1  # placements left of a seat from which on no seat has a pile


class Room(NamedTuple):
    """Scratch space."""

    states: Any  # (1,)
    choices: Any  # (1,) of greedy


def new_room() -> Room:
    """Make scratch space for one position at a time."""
    return Room(np.zeros(1, STATE), np.zeros(1, CHOICES))


@njit
def best_turn_into(state, viewer, room, gold):
    """Write the gold that each seat's best turn would bring, in turn order from the viewer.

    It is the value if it were that seat's turn, with the display as it was before the last draw; 0 for
    a seat that has placed all its tiles.
    """
    room.states[0] = state
    here, choices = room.states[0], room.choices[0]
    players = np.int64(state.num_players)
    for slot in range(DISPLAY_SIZE):
        if (state.refilled >> slot) & 1:
            here.display[slot] = 0
    for i in range(players):
        seat = (viewer + i) % players
        gold[i] = 0
        if state.placed[seat] == state.tiles_each:
            continue
        here.seat = seat
        score_placements(choices, here, GREEDY_WEIGHTS)
        for k in range(choices.count):
            gold[i] = choices.values[k] if k == 0 else max(gold[i], choices.values[k])
