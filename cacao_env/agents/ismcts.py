"""Information-set Monte Carlo tree search: one tree for all deals that are possible for the seat.

Each iteration deals everything hidden again and walks down the tree by the actions that are legal in
that deal.  A node counts how often it was available, not only how often it was visited
(single-observer ISMCTS; Cowling, Powley, Whitehouse, IEEE TCIAIG 2012).  Draws of tiles need no nodes
of their own, because the deal determines them.  Every seat maximises its own utility.  A turn has some
80 placements, so a node offers only greedy's ``top`` best; greedy playouts evaluate the leaves.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ..engine.decisions import NONE, forced_action
from ..engine.jit import njit
from ..engine.rng import RngArray
from ..engine.state import EXPLICIT, OVER, STATE, StateArray, redeal
from ..engine.tiles import MAX_PLAYERS
from ..greedy.choices import CHOICES, GREEDY_WEIGHTS, score_actions, sort_best
from ..greedy.turn import step_turn
from .analysis import Analysis, from_visits
from .playout import BELIEFS, play_out
from .utility import UNIT, UTILITY, value_of

MAX_PATH = 256  # decisions of a game
ROOT = 0
_CHUNK = 32  # iterations between looks at the clock

_FIELDS = np.dtype(
    [
        ("action", "i8"),  # the action that leads here
        ("seat", "i8"),  # the seat that chose it
        ("child", "i8"),  # first child, or 0
        ("sibling", "i8"),  # next child of the same parent, or 0
        ("visits", "i8"),
        ("available", "i8"),
        ("total", "f8"),  # sum of the utility of that seat
    ],
    align=True,
)
NODE = np.dtype((np.record, _FIELDS))


@njit
def _child_of(nodes, parent, action):
    """Return the child of a node by an action, or 0."""
    child = nodes[parent].child
    while child != 0 and nodes[child].action != action:
        child = nodes[child].sibling
    return child


@njit
def _select(nodes, parent, choices, top, exploration):
    """Return the place, among the best ``top`` choices, of the action to follow: an untried one if any.

    Sorts the choices as far as it reads them.
    """
    best, best_bound = -1, -1e18
    for i in range(min(top, choices.count)):
        sort_best(choices, i)
        child = _child_of(nodes, parent, choices.ids[i])
        if child == 0:
            if best_bound < 1e9:  # the best untried action comes before all others
                best, best_bound = i, 1e9
            continue
        nodes[child].available += 1
        node = nodes[child]
        bound = node.total / node.visits
        bound += exploration * math.sqrt(math.log(node.available) / node.visits)
        if bound > best_bound:
            best, best_bound = i, bound
    return best


@njit
def iterate(states, nodes, used, iterations, top, exploration, rng):
    """Add a node to the tree in each iteration; return the number of nodes."""
    work = np.empty(1, STATE)
    choices = np.empty(1, CHOICES)
    path = np.empty(MAX_PATH, np.int64)
    gains = np.zeros(MAX_PLAYERS)
    seat = np.int64(states[0].seat)
    for _ in range(iterations):
        work[0] = states[0]
        state = work[0]
        redeal(state, seat, rng)
        depth, node = 0, ROOT
        growing = False
        while state.phase != OVER and not growing:
            action = forced_action(state) if state.decisions == EXPLICIT else NONE
            if action == NONE:
                score_actions(choices[0], state, GREEDY_WEIGHTS)
                place = _select(nodes, node, choices[0], top, exploration)
                action = np.int64(choices[0].ids[place])
                child = _child_of(nodes, node, action)
                if child == 0:
                    growing = True
                    child = used
                    used += 1
                    nodes[child].action = action
                    nodes[child].seat = state.seat
                    nodes[child].child = 0
                    nodes[child].sibling = nodes[node].child
                    nodes[child].visits = 0
                    nodes[child].available = 1
                    nodes[child].total = 0.0
                    nodes[node].child = child
                path[depth] = child
                depth += 1
                node = child
            step_turn(state, action)
        play_out(state, choices[0], BELIEFS, rng)
        for other in range(state.num_players):
            gains[other] = value_of(state, other, UTILITY)
        for i in range(depth):
            nodes[path[i]].visits += 1
            nodes[path[i]].total += gains[nodes[path[i]].seat]
    return used


def ismcts_action(
    states: StateArray, rng: RngArray, sims: int, ms: int, top: int, exploration: float
) -> int:
    """Return the most visited action after ``sims`` iterations, or ``ms`` milliseconds if not 0."""
    if states[0].decisions == EXPLICIT:
        forced = int(forced_action(states[0]))
        if forced != NONE:
            return forced
    tried = _tried(grow(states, rng, sims, ms, top, exploration))
    return int(max(tried, key=lambda node: node["visits"])["action"])


def grow(
    states: StateArray, rng: RngArray, sims: int, ms: int, top: int, exploration: float
) -> Any:
    """Return the tree, nodes in an array."""
    begin = time.perf_counter()
    nodes = np.zeros(1024 if ms else sims + 1, NODE)
    used, done = 1, 0
    while done < sims or ms:
        chunk = _CHUNK if ms else sims
        if used + chunk > len(nodes):
            nodes = np.concatenate([nodes, np.zeros(len(nodes), NODE)])
        used = iterate(states, nodes, used, chunk, top, exploration, rng)
        done += chunk
        if ms and time.perf_counter() - begin > ms / 1000:
            break
    return nodes


def _tried(nodes: Any) -> list[Any]:
    """Return the nodes of the actions that the root has tried."""
    found = []
    child = int(nodes[ROOT]["child"])
    while child != 0:
        found.append(nodes[child])
        child = int(nodes[child]["sibling"])
    return found


def ismcts_analyze(
    states: StateArray, rng: RngArray, sims: int, ms: int, top: int, exploration: float
) -> Analysis:
    """Return visits and mean utilities of the actions that the root has tried."""
    found = _tried(grow(states, rng, sims, ms, top, exploration))
    means = [node["total"] / node["visits"] for node in found]
    visits = [node["visits"] for node in found]
    return from_visits([node["action"] for node in found], means, visits, UNIT)
