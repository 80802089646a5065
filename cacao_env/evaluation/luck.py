"""The luck of the draw: how much the tiles that were drawn changed what a network expects.

Whenever a tile is drawn, the network judges the position with each tile that could have come.  The luck
of the draw is the value with the tile that came less the mean of all.  That mean is exact, so luck is 0
in expectation, whatever the network and the agents do: a result less its luck has the same expectation
and a smaller variance.  Source: Burch, Schmid, Moravcik, Morrill, Bowling, "AIVAT: A new variance
reduction technique for agent evaluation in imperfect information games" (AAAI 2018); this is its part
for chance.  The first hands and the first display are not adjusted: they decide little.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents.registry import load_agent
from ..agents.value.agent import ValueAgent
from ..agents.value.net import expect, new_scratch
from ..agents.value.turns import new_work, value_actions
from ..engine.actions import MAX_LEGAL
from ..engine.decisions import step
from ..engine.jit import njit
from ..engine.state import FILL, OVER, STATE, set_up
from ..engine.tiles import MAX_PLAYERS
from ..game import Game

NET = "trinitario"  # the network that judges
PLACEMENTS = 14  # that it evaluates for the next seat
# The network exaggerates what a tile changes.  This part of its luck reduced the variance most in 1,500
# deal blocks of trinitario against criollo.
PART = 0.9
JUNGLE = -1  # the pile that is no seat's
WIN_SHARES, SCORES = 0, 1  # rows of luck


@njit
def _draws(state, pile):
    """Return the order in which a pile is drawn, all of it, as a view."""
    if pile == JUNGLE:
        return state.jungle_draws[: np.int64(state.num_jungle)]
    return state.worker_draws[pile][: np.int64(state.tiles_each)]


@njit
def _add_expected(net, scratch, work, state, viewer, weight, luck):
    """Play a turn of the next seat, and add what ``viewer`` then expects, times ``weight``.

    The network takes no notice of tiles that the last turn has drawn.
    """
    dice = np.zeros(1, np.uint64)
    ids = np.empty(MAX_LEGAL, np.int64)
    values = np.zeros(MAX_LEGAL)
    turn = state.turn
    while state.phase != OVER and state.turn == turn:
        count = value_actions(net, scratch, work, state, PLACEMENTS, FILL, ids, values, dice)
        step(state, ids[np.argmax(values[:count])] if count > 1 else ids[0])
    expect(net, scratch, state, viewer)
    for seat in range(state.num_players):
        luck[WIN_SHARES, seat] += weight * scratch.win_shares[seat]
        luck[SCORES, seat] += weight * scratch.scores[seat]


@njit
def _add_draw(net, scratch, work, here, action, viewer, pile, place, luck):
    """Add the luck of the tile at ``place`` of a pile, which ``action`` draws in ``here[0]``."""
    behind = _draws(here[0], pile)[place:]
    if (behind == behind[0]).all():
        return
    for other in range(len(behind)):
        if (behind[:other] == behind[other]).any():
            continue  # it is the same tile again
        weight = -(behind == behind[other]).sum() / len(behind)
        if other == 0:
            weight += 1.0  # the tile that came
        here[1] = here[0]
        draws = _draws(here[1], pile)
        draws[place], draws[place + other] = draws[place + other], draws[place]
        step(here[1], action)
        _add_expected(net, scratch, work, here[1], viewer, PART * weight, luck)


@njit
def add_luck(net, scratch, work, states, actions, luck):
    """Play ``actions`` again from the beginning of ``states[0]``; add the luck of each seat.

    ``luck``: float64 (2, MAX_PLAYERS), of win shares and of scores in gold.
    """
    here = np.empty(2, STATE)
    set_up(states[0])
    for action in actions:
        here[0] = states[0]
        before, after = here[0], states[0]
        step(after, action)
        for seat in range(before.num_players):
            for place in range(before.drawn[seat], after.drawn[seat]):
                _add_draw(net, scratch, work, here, action, seat, seat, place, luck)
        next_seat = np.int64(after.active)
        for place in range(before.jungle_drawn, after.jungle_drawn):
            _add_draw(net, scratch, work, here, action, next_seat, JUNGLE, place, luck)


@cache
def _judge() -> tuple[Any, Any, Any]:
    agent = load_agent(NET)
    assert isinstance(agent, ValueAgent)
    return agent.net, new_scratch(agent.net), new_work()


def luck_of(game: Game) -> npt.NDArray[np.float64]:
    """Return the luck of every seat in the game so far, (2, players): win shares, scores in gold."""
    luck = np.zeros((2, MAX_PLAYERS))
    add_luck(*_judge(), game.clone().states, np.array(game.history, np.int64), luck)
    return luck[:, : game.num_players]
