"""A value network as an agent: it plays the action with the best end of the turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...agent import Agent, decider
from ...analysis import Analysis, certain, from_values
from ...engine.actions import MAX_LEGAL
from ...engine.options import PLAYERS, Options
from ...engine.rng import RngArray
from ...engine.state import ACT, StateArray
from ...game import Game
from ..utility import UNIT
from .net import Net, new_scratch
from .turns import expect_after, new_work, value_actions

SPREAD = 0.02  # utility; an action that is so much worse has a third of the weight in an analysis


class ValueAgent(Agent):
    """Look one turn ahead: a network evaluates every way to end the turn.

    ``manifest`` is that of the network's checkpoint, {} for a network without one.  ``top``: the
    placements that it evaluates, the first in its move ordering; 0 for all, None for the network's
    own number.
    """

    def __init__(
        self,
        net: Net,
        name: str = "value",
        manifest: dict[str, Any] | None = None,
        top: int | None = None,
    ) -> None:
        self.name = name
        self.manifest = manifest or {}
        self.version = str(self.manifest.get("sha256", ""))
        rules = self.manifest.get("rules", {})
        self.players = tuple(rules.get("players", PLAYERS))
        self._volcanoes = bool(rules.get("volcanoes", True))
        self.net, self._top = net, net.top if top is None else top
        self.tools = net, new_scratch(net), new_work()  # what compiled code evaluates with
        self._ids = np.zeros(MAX_LEGAL, np.int64)
        self._values = np.zeros(MAX_LEGAL)

    def supports(self, options: Options) -> bool:
        """Return whether it learned with so many players, and with volcanoes if the game has them."""
        return super().supports(options) and (self._volcanoes or not options.volcanoes)

    @property
    def plays(self) -> str:
        """The games it supports, in words."""
        return super().plays + ("" if self._volcanoes else " without volcanoes")

    def act(self, games: Sequence[Game], memory: Sequence[RngArray]) -> list[int]:
        """Choose a legal action for each game."""
        return [
            self.choose(game.determinise(decider(game), rng).states, rng)
            for game, rng in zip(games, memory, strict=True)
        ]

    def choose(self, states: StateArray, rng: RngArray) -> int:
        """Choose for an array of one state in which everything hidden has been dealt again."""
        ids, values = self.evaluate(states, rng)
        return int(ids[np.argmax(values)])

    def analyze(self, game: Game, memory: RngArray) -> Analysis:
        """Report the utilities of actions, and the expected result of the best way to end the turn."""
        states = game.determinise(decider(game), memory).states
        analysis = self._consider(states, memory)
        win_shares, scores = self.expect(states, int(analysis.actions[0]), memory)
        return replace(analysis, win_shares=win_shares, scores=scores)

    def expect(
        self, states: StateArray, action: int, rng: RngArray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the win shares and final scores, float64 (players,), expected after an action.

        ``states`` as for ``choose``; the network's best choices end the turn.
        """
        expect_after(*self.tools, states, action, rng)
        players, scratch = int(states[0].num_players), self.tools[1]
        return scratch.win_shares[:players].copy(), scratch.scores[:players].copy()

    def _consider(self, states: StateArray, rng: RngArray) -> Analysis:
        """Report actions and their utilities."""
        ids, values = self.evaluate(states, rng)
        return certain(int(ids[0])) if len(ids) == 1 else from_values(ids, values, SPREAD, UNIT)

    def evaluate(self, states: StateArray, rng: RngArray) -> tuple[np.ndarray, np.ndarray]:
        """Return candidate actions, int64 (K,), and their utilities, float64 (K,)."""
        asked: Any = states[0], self._top, ACT, self._ids, self._values, rng
        count = value_actions(*self.tools, *asked)
        return self._ids[:count], self._values[:count]
