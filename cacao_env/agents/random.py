"""The bot that plays any legal action with equal probability."""

from __future__ import annotations

import numpy as np

from ..analysis import Analysis
from ..engine.actions import MAX_LEGAL, legal_into, sample
from ..engine.jit import njit
from ..engine.rng import RngArray
from ..engine.state import StateArray
from ..engine.types import i8


@njit
def random_action(states: StateArray, rng: RngArray) -> i8:
    """Return a legal action of ``states[0]``, uniformly at random."""
    return sample(states[0], rng)


def random_analyze(states: StateArray, rng: RngArray) -> Analysis:
    """Return all legal actions with equal weights."""
    ids = np.empty(MAX_LEGAL, np.int64)
    count = int(legal_into(states[0], ids))
    return Analysis(ids[:count].copy(), np.full(count, 1 / count), "probabilities")
