"""The bot that plays the turn with the highest value: placement, fills and actions together.

The values are those of :mod:`cacao_env.engine.greedy`, whose names stand here for agents.
"""

from __future__ import annotations

import numpy as np

from ..engine.actions import MAX_LEGAL
from ..engine.decisions import NONE, forced_action
from ..engine.greedy import CHOICES as CHOICES
from ..engine.greedy import GREEDY_WEIGHTS as GREEDY_WEIGHTS
from ..engine.greedy import TIE
from ..engine.greedy import best_into as best_into
from ..engine.greedy import score_actions as score_actions
from ..engine.greedy import score_placements as score_placements
from ..engine.greedy import sort_best as sort_best
from ..engine.jit import njit
from ..engine.rng import RngArray, below
from ..engine.state import StateArray
from .analysis import Analysis, from_values


@njit
def greedy_choice(choices, state, weights, rng):
    """Return the action with the highest value; ties are broken at random."""
    if state.auto == 0:
        action = forced_action(state)
        if action != NONE:
            return action
    score_actions(choices, state, weights)
    best, ties = 0, 1
    for i in range(1, choices.count):
        if choices.values[i] > choices.values[best] + TIE:
            best, ties = i, 1
        elif choices.values[i] > choices.values[best] - TIE:
            ties += 1
            if below(rng, ties) == 0:
                best = i
    return np.int64(choices.ids[best])


@njit
def greedy_action(states, rng):
    """Return the choice for an array of one state, with scratch space of its own."""
    choices = np.empty(1, CHOICES)
    return greedy_choice(choices[0], states[0], GREEDY_WEIGHTS, rng)


@njit
def _appraise_into(states, ids, values):
    choices = np.empty(1, CHOICES)
    score_actions(choices[0], states[0], GREEDY_WEIGHTS)
    for i in range(choices[0].count):
        ids[i] = choices[0].ids[i]
        values[i] = choices[0].values[i]
    return np.int64(choices[0].count)


def greedy_analyze(states: StateArray, rng: RngArray) -> Analysis:
    """Return greedy's value of each action, in gold."""
    ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
    count = _appraise_into(states, ids, values)
    return from_values(ids[:count], values[:count], 1.0, "gold")
