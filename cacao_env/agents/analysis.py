"""What an agent makes of a position: which moves, how good, how often looked at, what it expects.

An agent that can say so has a method ``think(game) -> Thought``, and like ``act`` it uses only what the
deciding seat may know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Analysis:
    """What an agent makes of the decision to be made; arrays of one length, the best action first.

    ``actions``: ids, int64 (K,).  ``weights``, float64 (K,), sum to 1: how likely each is to be
    played or, for an agent that always plays its best, how its values compare; ``weighed`` says
    which.  ``values``, float64 (K,) in ``unit``, of who decides; ``visits``, int64 (K,): simulations
    of each.  ``win_shares``, ``scores``: (num_players,) what it expects each seat's share of the win and
    final score to be; ``lead``: by how much gold it expects who decides to end above the mean of the
    others.  None: the agent has no such thing.
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


def from_values(actions: Any, values: Any, scale: float, unit: str, **more: Any) -> Analysis:
    """A thought of an agent that plays its best: the weights are a softmax of the values."""
    actions, values = np.array(actions, np.int64), np.array(values, np.float64)
    order = np.argsort(-values, kind="stable")
    raised = np.exp((values[order] - values.max()) / scale)
    return Analysis(
        actions[order],
        raised / raised.sum(),
        f"values compared: {scale:g} {unit} less is a third as much",
        values[order],
        unit,
        **more,
    )


def from_visits(actions: Any, values: Any, visits: Any, unit: str, **more: Any) -> Analysis:
    """A thought of a search: the weights are the shares of the visits."""
    actions, values = np.array(actions, np.int64), np.array(values, np.float64)
    visits = np.array(visits, np.int64)
    order = np.lexsort((-values, -visits))
    return Analysis(
        actions[order],
        visits[order] / visits.sum(),
        "shares of the simulations",
        values[order],
        unit,
        visits[order],
        **more,
    )


def certain(action: int, weighed: str = "the only legal move") -> Analysis:
    """A thought that has one action in it."""
    return Analysis(np.array([action], np.int64), np.ones(1), weighed)
