"""The bot that takes what pays most at once.

Each legal action is tried on a copy; the position after it is worth the score if the game ended
now, plus a little for stored cacao (what it will sell for), sun tokens and the next water fields.
Moves that follow by themselves are part of the trial, choices that follow are not.
"""

from __future__ import annotations

import numpy as np

from ..actions import MAX_LEGAL, legal_into
from ..decisions import step
from ..jit import njit
from ..rng import uniform
from ..scoring import score
from ..state import ACT

CACAO_WORTH = 1.6  # gold a stored cacao is worth: most is sold sooner or later
SUN_WORTH = 0.6  # beyond the coin each token is at the end, for overbuilding
PENDING_WORTH = 1.2  # an activated worker that has not acted yet


@njit
def worth(state, seat):
    """What a position is worth to a seat, in gold."""
    value = score(state, seat) + SUN_WORTH * state.sun[seat] + CACAO_WORTH * state.cacao[seat]
    return value + PENDING_WORTH * state.pending_edges[seat] * (state.phase == ACT)


@njit
def greedy_action(states, rng):
    """The action of ``states[0]`` that leads to the best position; ties are broken at random."""
    trial = np.empty(1, states.dtype)
    ids = np.empty(MAX_LEGAL, np.int64)
    seat = states[0].seat
    best, best_value = -1, -1e9
    for i in range(legal_into(states[0], ids)):
        trial[0] = states[0]
        step(trial[0], ids[i])
        value = worth(trial[0], seat) + 1e-3 * uniform(rng)
        if value > best_value:
            best, best_value = ids[i], value
    return best
