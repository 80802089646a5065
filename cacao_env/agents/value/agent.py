"""An agent that takes the action whose turn ends best, in the eyes of a network."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ...engine.actions import MAX_LEGAL
from ...engine.jit import compile_once
from ...engine.rng import RngArray, new_rng
from ...engine.state import ACT, StateArray
from ...game import Game
from ..analysis import Analysis, certain, from_values
from ..playout import UNIT
from .net import Net, new_scratch
from .turns import expect_after, new_work, value_actions

TOP = 48  # placements that are appraised, the best by greedy; 0 for all
SPREAD = 0.02  # utility; an action that is so much worse gets a third of the weight in a thought


def _compile(net: Net) -> None:
    """Have all that an agent calls compiled."""
    game, rng = Game.new(2, 0), new_rng(0)
    state = game.seen_by(0, rng)[0]
    ids, values = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    value_actions(net, new_scratch(net), new_work(), state, 1, ACT, ids, values, rng)


class ValueAgent:
    """One-ply: a network judges every way to end the turn; ``seed`` is for guessing what is hidden."""

    def __init__(self, net: Net, seed: int, top: int = TOP) -> None:
        compile_once("value network", partial(_compile, net))
        self._net, self._top = net, top
        self._scratch, self._work = new_scratch(net), new_work()
        self._ids = np.zeros(MAX_LEGAL, np.int64)
        self._values = np.zeros(MAX_LEGAL)
        self._rng: RngArray = new_rng(seed)

    def act(self, game: Game) -> int:
        """A legal action for the seat that decides; it knows no more than that seat."""
        if game.seat is None:
            raise ValueError("the game is over: there is nothing to decide")
        return self.choose(game.seen_by(game.seat, self._rng))

    def choose(self, states: StateArray) -> int:
        """The same for an array of one state in which the hidden part is dealt anew already."""
        ids, values = self.score_actions(states)
        return int(ids[np.argmax(values)])

    def analyze(self, game: Game) -> Analysis:
        """What it makes of the position, and what it expects after its best way to end the turn."""
        if game.seat is None:
            raise ValueError("the game is over: there is nothing to decide")
        states = game.seen_by(game.seat, self._rng)
        analysis = self._consider(states)
        expect_after(self._net, self._scratch, self._work, states, analysis.actions[0], self._rng)
        players = game.num_players
        return replace(
            analysis,
            win_shares=self._scratch.win_shares[:players].copy(),
            scores=self._scratch.points[:players].copy(),
        )

    def _consider(self, states: StateArray) -> Analysis:
        """Actions and what they are worth."""
        ids, values = self.score_actions(states)
        return certain(int(ids[0])) if len(ids) == 1 else from_values(ids, values, SPREAD, UNIT)

    def score_actions(self, states: StateArray) -> tuple[np.ndarray, np.ndarray]:
        """The actions that were looked at and their utilities, each of one shape."""
        count = value_actions(
            self._net,
            self._scratch,
            self._work,
            states[0],
            self._top,
            ACT,
            self._ids,
            self._values,
            self._rng,
        )
        return self._ids[:count], self._values[:count]
