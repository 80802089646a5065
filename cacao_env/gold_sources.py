"""Attribute a game's gold to its sources.

The game is replayed one elementary move at a time, and every change of a seat's coins is attributed
to the kind of tile that the move used.  Water, sun tokens and temples are added as the rules score
them, so a seat's sources add up to its final score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .engine.actions import FILL_ACTIONS, apply, place_actions, split_act
from .engine.decisions import NONE
from .engine.geometry import NEIGHBOR
from .engine.jit import njit
from .engine.state import EXPLICIT, OVER, StateArray, set_up
from .engine.tiles import ACTION_CLASS, ERUPT, MAX_PLAYERS, SELL_CACAO, TAKE_GOLD, WATER_TRACK
from .engine.types import i8, i8x1, i8x2
from .greedy.turn import unasked

if TYPE_CHECKING:
    from .game import Game

SOURCES = ("sales", "mines", "volcanoes", "water", "sun", "temples")
SALES, MINES, VOLCANOES, WATER_FIELD, SUN, TEMPLES = range(len(SOURCES))


@njit
def sources_into(states: StateArray, decisions: i8, asked: i8x1, out: i8x2) -> None:
    """Replay ``asked`` in ``states[0]``, which asks for all; add gold to ``out``, (MAX_PLAYERS, 6)."""
    set_up(states[0])
    add_sources(states[0], decisions, asked, out)


@njit
def add_sources(state, decisions, asked, out):
    """Play on by ``asked``, and add the gold since, and what the position is worth, to ``out``.

    ``decisions``: which the game asks for; ``state`` asks for all.
    """
    done = 0
    while state.phase != OVER:
        action = unasked(state, decisions)
        if action == NONE:
            if done == len(asked):
                break
            action = asked[done]
            done += 1
        acts = place_actions(np.int64(state.table_size)) + FILL_ACTIONS
        source = -1
        if action >= acts:
            side = split_act(action - acts)[0]
            kind = ACTION_CLASS[state.board[NEIGHBOR[state.last, side]]]
            if kind == SELL_CACAO:
                source = SALES
            elif kind == TAKE_GOLD:
                source = MINES
            elif kind == ERUPT:
                source = VOLCANOES
        mover = np.int64(state.seat)
        before = np.int64(state.gold[mover])
        apply(state, action)
        if source >= 0:
            out[mover, source] += np.int64(state.gold[mover]) - before
    for seat in range(state.num_players):
        out[seat, WATER_FIELD] += WATER_TRACK[state.water[seat]]
        out[seat, SUN] += state.sun[seat]
        out[seat, TEMPLES] += state.temples[seat]


def gold_by_source(game: Game) -> npt.NDArray[np.int64]:
    """Return each seat's gold by ``SOURCES``, int64 (num_players, 6), if the game ended now."""
    game = game.plain()
    states, decisions = game.clone().states, game.state.decisions
    states[0].decisions = EXPLICIT
    out = np.zeros((MAX_PLAYERS, len(SOURCES)), np.int64)
    sources_into(states, decisions, np.array(game.history, np.int64), out)
    return out[: game.num_players]
