"""Values of actions by the network: each action is followed by the best rest of the turn.

A turn is a placement, its fills and the actions of its edges.  All continuations of the turn are
tried (or all fills with greedy's actions, in a quarter of the time).  The value is that of the
position at the start of the next turn.  Other seats act in between like greedy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.actions import MAX_LEGAL, legal_into
from ...engine.decisions import NONE, forced_action
from ...engine.geometry import NEIGHBOR
from ...engine.jit import njit
from ...engine.rng import RngArray, mixed
from ...engine.state import ACT, EXPLICIT, OVER, PLACE, STATE, State, StateArray
from ...engine.types import f8x1, i8, i8x1, i8x2, u8x1
from ...greedy.choices import CHOICES, GREEDY_WEIGHTS, ChoicesArray, best_into, greedy_choice
from ...greedy.turn import step_turn
from ..utility import utility_of
from .net import Net, Scratch, expect
from .ordering import order_into
from .tree import Tree, new_tree

MAX_DEPTH = 32
MAX_REPLIES = 256  # legal fills, or actions, of one decision: placements are not stored here
MAX_ENDS = 64  # ends of a turn that are tried for one action; then greedy decides
MAX_SEEN = 256  # positions of one turn that are remembered


class Work(NamedTuple):
    """Scratch space to evaluate a decision.  Each thread needs its own."""

    stack: StateArray  # (MAX_DEPTH,) states
    ids: i8x2  # (MAX_DEPTH, MAX_REPLIES) legal actions
    counts: i8x1  # (MAX_DEPTH,) number of legal actions
    tried: i8x1  # (MAX_DEPTH,) number of actions tried
    seen: u8x1  # (MAX_SEEN,) positions of the turn
    choices: ChoicesArray  # (1,) of greedy
    tree: Tree  # of simulations, see :mod:`.tree`


def new_work() -> Work:
    """Make scratch space for one decision at a time."""
    return Work(
        np.zeros(MAX_DEPTH, STATE),
        np.zeros((MAX_DEPTH, MAX_REPLIES), np.int64),
        np.zeros(MAX_DEPTH, np.int64),
        np.zeros(MAX_DEPTH, np.int64),
        np.zeros(MAX_SEEN, np.uint64),
        np.zeros(1, CHOICES),
        new_tree(),
    )


@njit
def shortlist_into(net, state, choices, top, ids):
    """Write the legal actions into ``ids``, of placements only the ``top`` first in the network's
    move ordering, or greedy's, if ``top`` is not 0.

    Returns their number.
    """
    if state.decisions == EXPLICIT:
        action = forced_action(state)
        if action != NONE:
            ids[0] = action
            return 1
    if top == 0 or state.phase != PLACE:
        return legal_into(state, ids)
    if len(net.ordering) == 0:
        return best_into(choices, state, top, ids)
    return order_into(net.ordering, net.ordering_weights, choices, state, top, ids)


@njit
def _position(state):
    """Return a number for what may differ between two positions of a turn after the same placement."""
    key = mixed(
        np.uint64((np.int64(state.phase) * 4 + np.int64(state.seat)) * 16 + np.int64(state.to_fill))
    )
    for side in range(4):
        key = mixed(key ^ np.uint64(state.board[NEIGHBOR[state.last, side]] & 127))
    for seat in range(state.num_players):
        key = mixed(key ^ np.uint64(state.gold[seat]))
        key = mixed(key ^ np.uint64(state.pending[seat]))
        stocks = (np.int64(state.cacao[seat]) * 16 + np.int64(state.sun[seat])) * 16 + np.int64(
            state.water[seat]
        )
        key = mixed(key ^ np.uint64(stocks))
    return key


@njit
def _is_new(seen, count, key):
    """Return whether a position is not among the first ``count``; append it if there is room."""
    for i in range(count):
        if seen[i] == key:
            return False
    if count < len(seen):
        seen[count] = key
    return True


@njit
def value_after(net, scratch, work, state, action, seat, last_tried, rng):
    """Return the best utility for ``seat``, the deciding one, at the end of an action's turn.

    ``last_tried``: ACT, or FILL to leave actions to greedy.
    """
    stack = work.stack
    turn = state.turn
    stack[0] = state
    step_turn(stack[0], action)
    best = -2.0
    ends = seen = 0
    depth = 0
    work.counts[0] = -1
    while depth >= 0:
        here = stack[depth]
        if work.counts[depth] < 0:  # new
            while here.phase != OVER and here.turn == turn:
                action = forced_action(here) if here.decisions == EXPLICIT else NONE
                if action == NONE:
                    tried = here.seat == seat and here.phase <= last_tried
                    if tried and ends < MAX_ENDS and depth < MAX_DEPTH - 1:
                        break
                    action = greedy_choice(work.choices[0], here, GREEDY_WEIGHTS, rng)
                step_turn(here, action)
            # Most orders of fills and actions lead to the same positions.
            if not _is_new(work.seen, seen, _position(here)):
                depth -= 1
                continue
            seen = min(seen + 1, MAX_SEEN)
            if here.phase == OVER or here.turn != turn:
                expect(net, scratch, here, seat)
                players = np.int64(here.num_players)
                value = utility_of(scratch.win_shares, scratch.scores, players, seat)
                best = max(best, value)
                ends += 1
                depth -= 1
                continue
            work.counts[depth] = legal_into(here, work.ids[depth])
            work.tried[depth] = 0
        if work.tried[depth] >= work.counts[depth]:
            depth -= 1
            continue
        chosen = work.ids[depth, work.tried[depth]]
        work.tried[depth] += 1
        stack[depth + 1] = here
        depth += 1
        step_turn(stack[depth], chosen)
        work.counts[depth] = -1
    return best


@njit
def value_actions(
    net: Net,
    scratch: Scratch,
    work: Work,
    state: State,
    top: i8,
    last_tried: i8,
    ids: i8x1,
    values: f8x1,
    rng: RngArray,
) -> i8:
    """Write candidates and their utilities for the deciding seat; return their number."""
    seat = np.int64(state.seat)
    count = shortlist_into(net, state, work.choices[0], top, ids)
    if count > 1:
        for i in range(count):
            values[i] = value_after(net, scratch, work, state, ids[i], seat, last_tried, rng)
    return count


@njit
def expect_after(
    net: Net, scratch: Scratch, work: Work, states: StateArray, action: i8, rng: RngArray
) -> None:
    """Write the expected result of the turn for the deciding seat into ``scratch``.

    It plays ``action``, then the network's best choices; other seats play like greedy.
    """
    work.stack[MAX_DEPTH - 1] = states[0]  # longer than any line of ``value_after``
    state = work.stack[MAX_DEPTH - 1]
    seat, turn = np.int64(state.seat), state.turn
    ids = np.empty(MAX_LEGAL, np.int64)
    values = np.zeros(MAX_LEGAL)
    step_turn(state, action)
    while state.phase != OVER and state.turn == turn:
        if state.seat != seat:
            step_turn(state, greedy_choice(work.choices[0], state, GREEDY_WEIGHTS, rng))
            continue
        count = value_actions(net, scratch, work, state, 1, ACT, ids, values, rng)
        step_turn(state, ids[np.argmax(values[:count])])
    expect(net, scratch, state, seat)
