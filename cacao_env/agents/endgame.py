"""The last placements, solved: expectation over draws, best replies by all seats.

When no seat has a pile left, hands are no secret: a seat holds the tiles that it has not placed.  Then
only the order of the jungle pile is unknown, and the solver tries every tile that could be drawn, with
its probability.  Every seat maximises its own value (max^n; Luckhardt, Irani, AAAI 1986), which with 2
players is minimax with alpha-beta bounds, below draws those of Star1 (Ballard, "The *-minimax search
procedure", Artificial Intelligence 21, 1983).  Actions are tried in greedy's order.
"""

from __future__ import annotations

import numpy as np

from ..analysis import Analysis, from_values
from ..engine.actions import MAX_LEGAL
from ..engine.decisions import NONE, forced_action
from ..engine.jit import njit
from ..engine.state import EXPLICIT, OVER, PLACE, STATE, State, StateArray
from ..engine.tiles import MAX_PLAYERS
from ..engine.types import b1, f8x1, f8x2, i8, i8x1, struct
from ..gold_sources import SOURCES, add_sources
from ..greedy.choices import CHOICES, GREEDY_WEIGHTS, score_actions, sort_best
from ..greedy.turn import step_turn
from .utility import UNIT, UTILITY, value_of

NOT_SOLVED = -1
NODES = 50_000  # positions looked at before giving up: a tenth of a second
NODES_TO_JUDGE = 2_000_000  # the same where decisions are judged: some seconds
MAX_DEPTH = 128
INFINITE = 1e9
CERTAIN = 1 - 1e-9

# A decision that is being searched.
FRAME = struct(
    [
        ("action", "i8"),  # the action being tried, by its place in the choices
        ("drawn", "i8"),  # how many jungle tiles were drawn after it
        ("weight", "f8"),  # their probability, in their order
        ("done", "f8"),  # the probability of all draws so far
        ("low", "f8"),  # bounds between which seat 0's value matters (2 players)
        ("high", "f8"),
        ("expected", "f8", (MAX_PLAYERS,)),  # of the action being tried, over the draws so far
        ("best", "f8", (MAX_PLAYERS,)),
    ]
)


@njit
def placements_left(state: State) -> i8:
    """Count the placements that all seats still have to make."""
    left = 0
    for seat in range(state.num_players):
        left += state.tiles_each - state.placed[seat]
    return left


@njit
def is_near_end(state: State, exact: i8) -> b1:
    """Return whether hands are no secret and at most ``exact`` placements are left."""
    for seat in range(state.num_players):
        if state.drawn[seat] < state.tiles_each:
            return False
    left = placements_left(state)
    if state.phase != PLACE:
        left += 1  # the turn in progress counts
    return left <= exact


@njit
def _final_values(state, objective, out):
    """Write every seat's value of a finished game."""
    for seat in range(np.int64(state.num_players)):
        out[seat] = value_of(state, seat, objective)


@njit
def _search(stack, frames, choices, budget, objective, all_values):
    """Solve the position in ``stack[0]``, opened in the first frame; return whether it was solved.

    ``budget``: (1,) positions left, reduced.  Writes every seat's value into ``frames[0].best``, and
    the values of the first decision's actions for the deciding seat into ``choices[0]``; without
    ``all_values`` some of these are only bounds.
    """
    values = np.zeros(MAX_PLAYERS)
    most = 1.0 if objective == UTILITY else INFINITE  # no value is above it, or below its negative
    depth = 0
    while True:
        frame = frames[depth]
        if _advance(frame, choices[depth], stack, depth):
            after = stack[depth + 1]
            if after.phase == OVER:
                _final_values(after, objective, values)
                _take(frame, choices[depth], stack[depth], values, depth == 0 and all_values)
                continue
            budget[0] -= 1
            depth += 1
            if budget[0] < 0 or depth == MAX_DEPTH:
                return False
            # What the other draws can still bring at most, and what has been seen of this action.
            rest = most * max(0.0, 1 - frame.done - frame.weight)
            low = (frame.low - frame.expected[0] - rest) / frame.weight
            high = (frame.high - frame.expected[0] + rest) / frame.weight
            _open(frames[depth], choices[depth], after, low, high)
        else:
            if depth == 0:
                return True
            depth -= 1
            values[:] = frame.best
            _take(frames[depth], choices[depth], stack[depth], values, depth == 0 and all_values)


@njit
def _open(frame, choices, state, low, high):
    """Begin with a decision, whose value matters between two bounds."""
    action = forced_action(state) if state.decisions == EXPLICIT else NONE
    _open_only(frame, choices, action)
    frame.low = low
    frame.high = high
    frame.best[:] = -INFINITE
    if action == NONE:
        score_actions(choices, state, GREEDY_WEIGHTS)


@njit
def _open_only(frame, choices, action):
    """Begin with a decision for which one action is tried."""
    frame.action = -1
    frame.done = 1.0
    frame.low = -INFINITE
    frame.high = INFINITE
    choices.count = 1
    choices.ids[0] = action


@njit
def _advance(frame, choices, stack, depth):
    """Write what follows next, the next draw or the next action, into ``stack[depth + 1]``."""
    state, after = stack[depth], stack[depth + 1]
    if frame.done > CERTAIN:
        frame.action += 1
        if frame.action >= choices.count or frame.low >= frame.high:
            return False
        sort_best(choices, frame.action)
        _sort_pile(state, 0)
        frame.done = 0.0
        frame.expected[:] = 0.0
    else:
        _reorder_pile(state, frame.drawn)
    stack[depth + 1] = state
    step_turn(after, choices.ids[frame.action])
    frame.drawn = np.int64(after.jungle_drawn) - np.int64(state.jungle_drawn)
    frame.weight = _probability(state, frame.drawn)
    return True


@njit
def _sort_pile(state, skip):
    """Order the jungle pile by code, all but the next ``skip`` tiles."""
    draws = state.jungle_draws[np.int64(state.jungle_drawn) + skip : np.int64(state.num_jungle)]
    for i in range(1, len(draws)):
        for k in range(i, 0, -1):
            if draws[k - 1] > draws[k]:
                draws[k - 1], draws[k] = draws[k], draws[k - 1]


@njit
def _reorder_pile(state, drawn):
    """Put the jungle pile in the next order with other first ``drawn`` tiles.

    The next larger tile takes the place of the last one that has a larger one behind it; the tiles
    behind are sorted again.
    """
    draws = state.jungle_draws[np.int64(state.jungle_drawn) : np.int64(state.num_jungle)]
    for rises in range(drawn - 1, -1, -1):
        _sort_pile(state, rises + 1)
        for other in range(rises + 1, len(draws)):
            if draws[other] > draws[rises]:
                draws[rises], draws[other] = draws[other], draws[rises]
                return


@njit
def _probability(state, drawn):
    """Return the probability that a shuffled pile has the next ``drawn`` tiles in this order."""
    draws = state.jungle_draws[np.int64(state.jungle_drawn) : np.int64(state.num_jungle)]
    weight = 1.0
    for i in range(drawn):
        alike = 0
        for k in range(i, len(draws)):
            alike += draws[k] == draws[i]
        weight *= alike / (len(draws) - i)
    return weight


@njit
def _take(frame, choices, state, values, exact):
    """Add the value of one draw; after the last draw the action has its value."""
    seat = np.int64(state.seat)
    for i in range(MAX_PLAYERS):  # as one expression of arrays it takes 2 s to compile
        frame.expected[i] += frame.weight * values[i]
    frame.done += frame.weight
    if frame.done <= CERTAIN:
        return
    choices.values[frame.action] = frame.expected[seat]
    if frame.expected[seat] > frame.best[seat]:
        frame.best[:] = frame.expected
    if not exact and state.num_players == 2:  # narrow the bounds
        if seat == 0:
            frame.low = max(frame.low, frame.best[0])
        else:
            frame.high = min(frame.high, frame.best[0])


@njit
def end_values(
    states: StateArray, objective: i8, nodes: i8, all_values: b1, ids: i8x1, values: f8x1
) -> i8:
    """Write the actions of ``states[0]`` and their exact values for the deciding seat.

    Returns how many, or NOT_SOLVED after ``nodes`` positions.  ``ids``, ``values``: (MAX_LEGAL,).
    Without ``all_values`` only the best is exact; the others are not above it.
    """
    stack = np.empty(MAX_DEPTH + 1, STATE)
    frames = np.empty(MAX_DEPTH + 1, FRAME)
    choices = np.empty(MAX_DEPTH + 1, CHOICES)
    stack[0] = states[0]
    _open(frames[0], choices[0], stack[0], -INFINITE, INFINITE)
    if not _search(stack, frames, choices, np.array([nodes]), objective, all_values):
        return NOT_SOLVED
    count = np.int64(choices[0].count)
    for i in range(count):
        ids[i] = choices[0].ids[i]
        values[i] = choices[0].values[i]
    return count


@njit
def solve(states: StateArray, exact: i8, objective: i8, nodes: i8) -> i8:
    """Return the best action when at most ``exact`` placements are left, or NOT_SOLVED."""
    if not is_near_end(states[0], exact):
        return NOT_SOLVED
    ids = np.empty(MAX_LEGAL, np.int64)
    values = np.empty(MAX_LEGAL)
    count = end_values(states, objective, nodes, False, ids, values)
    if count == NOT_SOLVED:
        return NOT_SOLVED
    best = 0
    for i in range(1, count):
        if values[i] > values[best]:
            best = i
    return np.int64(ids[best])


@njit
def add_end_gold(states: StateArray, action: i8, objective: i8, nodes: i8, gold: f8x2) -> b1:
    """Add the gold that every seat can expect by its source if it plays on as the solver would.

    ``action`` comes first; the mean is over all draws.  ``gold``: (MAX_PLAYERS, sources).  Returns
    False if a position on the way is not solved after ``nodes`` positions.
    """
    start, stack = np.empty(1, STATE), np.empty(MAX_DEPTH + 1, STATE)
    frames = np.empty(MAX_DEPTH + 1, FRAME)
    choices = np.empty(MAX_DEPTH + 1, CHOICES)
    line, weights = np.empty(MAX_DEPTH, np.int64), np.ones(MAX_DEPTH + 1)
    ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
    earned = np.empty((MAX_PLAYERS, len(SOURCES)), np.int64)
    stack[0] = states[0]
    line[0] = action
    _open_only(frames[0], choices[0], action)
    depth = 0
    while depth >= 0:
        frame, after = frames[depth], stack[depth + 1]
        if not _advance(frame, choices[depth], stack, depth):
            depth -= 1
            continue
        frame.done += frame.weight
        weights[depth + 1] = weights[depth] * frame.weight
        if after.phase == OVER:
            start[0] = states[0]
            start[0].jungle_draws[:] = after.jungle_draws
            start[0].decisions = EXPLICIT
            earned[:] = 0
            add_sources(start[0], np.int64(states[0].decisions), line[: depth + 1], earned)
            for seat in range(MAX_PLAYERS):
                for source in range(len(SOURCES)):
                    gold[seat, source] += weights[depth + 1] * earned[seat, source]
            continue
        depth += 1
        if depth == MAX_DEPTH:
            return False
        count = end_values(stack[depth : depth + 1], objective, nodes, False, ids, values)
        if count == NOT_SOLVED:
            return False
        line[depth] = ids[np.argmax(values[:count])]
        _open_only(frames[depth], choices[depth], line[depth])
    return True


def exact_values(
    states: StateArray, objective: int, nodes: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return actions, int64 (K,), and their exact values, float64 (K,), or None to give up."""
    ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
    count = int(end_values(states, objective, nodes, True, ids, values))
    return None if count == NOT_SOLVED else (ids[:count], values[:count])


def solved_analysis(states: StateArray, exact: int) -> Analysis | None:
    """Return all actions with their exact values, or None where ``solve`` would give up."""
    if not is_near_end(states[0], exact):
        return None
    found = exact_values(states, UTILITY, NODES)
    return None if found is None else from_values(*found, 0.02, UNIT)
