"""The bot that plays the turn with the highest value (:mod:`cacao_env.greedy.choices`)."""

from __future__ import annotations

import numpy as np

from ..analysis import Analysis, from_values
from ..engine.actions import MAX_LEGAL
from ..engine.jit import keep, njit
from ..engine.rng import RngArray
from ..engine.state import StateArray
from ..engine.types import f8x1, i8, i8x1
from ..greedy.choices import CHOICES, GREEDY_WEIGHTS, greedy_choice, score_actions


@njit
def greedy_action(states: StateArray, rng: RngArray) -> i8:
    """Return the choice for an array of one state, with scratch space of its own."""
    choices = np.empty(1, CHOICES)
    action = greedy_choice(choices[0], states[0], GREEDY_WEIGHTS, rng)
    keep(choices)
    return action


@njit
def appraise_into(states: StateArray, ids: i8x1, values: f8x1) -> i8:
    """Write the actions of ``states[0]`` and greedy's values, (MAX_LEGAL,); return their number."""
    choices = np.empty(1, CHOICES)
    score_actions(choices[0], states[0], GREEDY_WEIGHTS)
    count = np.int64(choices[0].count)  # not at the end: the array is freed after its last use
    for i in range(count):
        ids[i] = choices[0].ids[i]
        values[i] = choices[0].values[i]
    return count


def greedy_analyze(states: StateArray, rng: RngArray) -> Analysis:
    """Return greedy's value of each action, in gold."""
    ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
    count = appraise_into(states, ids, values)
    return from_values(ids[:count], values[:count], 1.0, "gold")
