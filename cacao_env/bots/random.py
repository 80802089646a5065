"""The bot that plays any legal action with equal probability."""

from __future__ import annotations

from ..actions import sample
from ..jit import njit


@njit
def random_action(states, rng):
    """A legal action of ``states[0]``, uniformly at random."""
    return sample(states[0], rng)
