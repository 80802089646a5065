"""The luck of the draw: how much the jungle tiles that were drawn changed what a network expects.

Whenever a jungle tile is drawn, the network judges the position with each tile that could have come.
The luck of the draw is the value with the tile that came less the mean of all.  That mean is exact, so
luck is 0 in expectation, whatever the network and the agents do: a result less its luck has the same
expectation and a smaller variance.  Source: Burch, Schmid, Moravcik, Morrill, Bowling, "AIVAT: A new
variance reduction technique for agent evaluation in imperfect information games" (AAAI 2018); this is
its part for chance.  The first display is not adjusted.  Neither are worker tiles: every seat draws the
same ones, and their order decides nothing that could be measured.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents.checkpoint import shipped_home
from ..agents.value.agent import ValueAgent
from ..agents.value.net import Net, Scratch, expect
from ..agents.value.turns import Work, value_actions
from ..engine.actions import MAX_LEGAL
from ..engine.jit import njit
from ..engine.state import FILL, OVER, STATE, StateArray, set_up
from ..engine.tiles import MAX_PLAYERS, NUM_JUNGLE_KINDS
from ..engine.types import f8x2, i8x1
from ..game import Game
from ..greedy.turn import step_turn
from ..registry import load_agent

NET = "trinitario"  # the network that judges
# The network judges after one turn and after four, because the next seat rarely shows what a tile is
# worth.  These parts of the two values reduced the variance most in 400 deal blocks of two networks.
PARTS = (0.45, 0.0, 0.0, 0.2)  # by the turns played after the draw
FIRST, LATER = 14, 6  # placements that the network evaluates in the first of these turns, and later
WIN_SHARES, SCORES = 0, 1  # rows of luck


@njit
def _expect_turns(net, scratch, work, state, viewer, expected):
    """Play turns with the network, and write what ``viewer`` expects after each that has a part.

    ``expected``: float64 (turns, 2, MAX_PLAYERS), win shares and scores.  The network takes no notice
    of tiles that the last turn has drawn.
    """
    dice = np.zeros(1, np.uint64)
    ids = np.empty(MAX_LEGAL, np.int64)
    values = np.zeros(MAX_LEGAL)
    for played in range(len(PARTS)):
        top = FIRST if played == 0 else LATER
        turn = state.turn
        while state.phase != OVER and state.turn == turn:
            count = value_actions(net, scratch, work, state, top, FILL, ids, values, dice)
            step_turn(state, ids[np.argmax(values[:count])] if count > 1 else ids[0])
        if PARTS[played] != 0.0:
            expect(net, scratch, state, viewer)
            expected[played, WIN_SHARES] = scratch.win_shares
            expected[played, SCORES] = scratch.scores


@njit
def _add_draw(net, scratch, work, here, action, viewer, first, luck):
    """Add the luck of the tile at ``first`` of the pile, which ``action`` draws in ``here[0]``."""
    end = np.int64(here[0].num_jungle)
    rest = here[0].jungle_draws[first:end]
    if (rest == rest[0]).all():
        return
    expected = np.zeros((NUM_JUNGLE_KINDS + 1, len(PARTS), 2, MAX_PLAYERS))
    known_from = np.full(NUM_JUNGLE_KINDS + 1, end)  # the tile that comes from there is known
    # Equal tiles too: they leave the pile in different orders, and later turns draw from it.
    for other in range(first, end):
        kind = rest[other - first]
        if other < known_from[kind]:
            here[1] = here[0]
            draws = here[1].jungle_draws
            draws[first], draws[other] = draws[other], draws[first]
            step_turn(here[1], action)
            _expect_turns(net, scratch, work, here[1], viewer, expected[kind])
            if other == first or other >= here[1].jungle_drawn:  # no turn drew from where it was
                known_from[kind] = other
        weight = (other == first) - 1.0 / (end - first)
        for played in range(len(PARTS)):
            part = weight * PARTS[played]
            for seat in range(here[0].num_players):
                luck[WIN_SHARES, seat] += part * expected[kind, played, WIN_SHARES, seat]
                luck[SCORES, seat] += part * expected[kind, played, SCORES, seat]


@njit
def add_luck(
    net: Net, scratch: Scratch, work: Work, states: StateArray, actions: i8x1, luck: f8x2
) -> None:
    """Play ``actions`` again from the beginning of ``states[0]``; add the luck of each seat.

    ``luck``: float64 (2, MAX_PLAYERS), of win shares and of scores in gold.
    """
    here = np.empty(2, STATE)
    set_up(states[0])
    for ply in range(len(actions)):
        here[0] = states[0]
        before, after = here[0], states[0]
        step_turn(after, actions[ply])
        next_seat = np.int64(after.active)
        for place in range(before.jungle_drawn, after.jungle_drawn):
            _add_draw(net, scratch, work, here, actions[ply], next_seat, place, luck)


@cache
def _judge() -> tuple[Any, Any, Any]:
    agent = load_agent(str((shipped_home() or Path()) / NET))  # not one of the current folder
    assert isinstance(agent, ValueAgent)
    return agent.tools


def luck_of(game: Game) -> npt.NDArray[np.float64]:
    """Return the luck of every seat in the game so far, (2, players): win shares, scores in gold.

    It depends on the order of the tiles that are still in the piles, so no player may be shown it.
    """
    game, luck = game.plain(), np.zeros((2, MAX_PLAYERS))
    add_luck(*_judge(), game.clone().states, np.array(game.history, np.int64), luck)
    return luck[:, : game.num_players]
