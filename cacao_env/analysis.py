"""The analysis of a position by an agent: moves with their values and visits, and its expectations.

``Agent.analyze`` returns one.  Like ``act`` it uses only what the deciding seat may know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Analysis:
    """The analysis of one decision; the best action is first.

    - ``actions``: ids, int64 (K,).
    - ``weights``: float64 (K,), sum to 1: the probability of each action or, for an agent that always
      plays its best, a comparison of its values; ``weighed`` says which.
    - ``values``: float64 (K,) in ``unit``, for the deciding seat.
    - ``visits``: int64 (K,), simulations of each action.
    - ``win_shares``, ``scores``: (num_players,), each seat's expected win share and final score.
    - ``lead``: the deciding seat's expected relative score in gold.

    A field is None if the agent does not compute it.
    """

    actions: npt.NDArray[np.int64]
    weights: Floats
    weighed: str
    values: Floats | None = None
    unit: str = ""
    visits: npt.NDArray[np.int64] | None = None
    win_shares: Floats | None = None
    scores: Floats | None = None
    lead: float | None = None


def from_values(actions: Any, values: Any, scale: float, unit: str) -> Analysis:
    """Return the analysis of an agent that plays its best: the weights are a softmax of the values."""
    actions, values = np.array(actions, np.int64), np.array(values, np.float64)
    order = np.argsort(-values, kind="stable")
    raised = np.exp((values[order] - values.max()) / scale)
    weighed = f"values compared: {scale:g} {unit} less is a third as much"
    return Analysis(actions[order], raised / raised.sum(), weighed, values[order], unit)


def from_visits(actions: Any, values: Any, visits: Any, unit: str) -> Analysis:
    """Return the analysis of a search: the weights are the shares of the visits."""
    actions, values = np.array(actions, np.int64), np.array(values, np.float64)
    visits = np.array(visits, np.int64)
    order = np.lexsort((-values, -visits))
    shares, weighed = visits[order] / visits.sum(), "shares of the simulations"
    return Analysis(actions[order], shares, weighed, values[order], unit, visits[order])


def certain(action: int, weighed: str = "the only legal move") -> Analysis:
    """Return an analysis of one action."""
    return Analysis(np.array([action], np.int64), np.ones(1), weighed)
