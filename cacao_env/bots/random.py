"""The bot that plays any legal action with equal probability."""

from __future__ import annotations

import numpy as np

from ..actions import MAX_LEGAL, sample
from ..calls import legal
from ..jit import njit
from ..rng import RngArray
from ..state import StateArray
from ..thinking import Thought


@njit
def random_action(states, rng):
    """A legal action of ``states[0]``, uniformly at random."""
    return sample(states[0], rng)


def random_think(states: StateArray, rng: RngArray) -> Thought:
    """All legal actions alike."""
    ids = np.empty(MAX_LEGAL, np.int64)
    count = int(legal(states, ids))
    return Thought(ids[:count].copy(), np.full(count, 1 / count), "probabilities")
