"""The bot that takes what pays most at once.

Each legal action is tried on a copy; the position after it is worth the score if the game ended
now, plus a little for stored cacao (what it will sell for), sun tokens and edges still to act.
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
PENDING_WORTH = 1.2  # an activated edge that has not acted yet


@njit
def worth(state, seat):
    """What a position is worth to a seat, in gold."""
    value = score(state, seat) + SUN_WORTH * state.sun[seat] + CACAO_WORTH * state.cacao[seat]
    if state.phase == ACT:
        value += PENDING_WORTH * (state.pending[seat] != 0)
    return value


@njit
def greedy_choice(states, ids, rng):
    """The action of ``states[0]`` that leads to the best position; ties are broken at random.

    ``states[1]`` and ``ids``, shape (MAX_LEGAL,), are scratch space.
    """
    seat = int(states[0].seat)
    best, best_value = -1, -1e9
    for i in range(legal_into(states[0], ids)):
        states[1] = states[0]
        step(states[1], ids[i])
        value = worth(states[1], seat) + 1e-3 * uniform(rng)
        if value > best_value:
            best, best_value = int(ids[i]), value
    return best


@njit
def greedy_action(states, rng):
    """The same for an array of one state, with scratch space of its own."""
    work = np.empty(2, states.dtype)
    work[0] = states[0]
    return greedy_choice(work, np.empty(MAX_LEGAL, np.int64), rng)
