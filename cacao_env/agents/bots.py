"""Built-in bots, by name and parameters: ``greedy``, ``mc:sims=256,top=16``.

A bot chooses for the deciding seat of a state in which everything hidden from this seat has been
dealt again, so it can't cheat.  ``BOTS`` lists the bots with their parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..agent import Agent, decider
from ..analysis import Analysis, certain
from ..engine.decisions import NONE
from ..engine.options import ASKED
from ..engine.rng import RngArray
from ..engine.state import StateArray
from ..engine.tiles import MAX_PLAYERS
from ..game import Game
from ..greedy.turn import unasked
from .greedy import greedy_action, greedy_analyze
from .mc import mc_action, mc_analyze
from .playout import forecast
from .random import random_action, random_analyze
from .specs import Parameter, parse_values

FORECAST = 100  # games that greedy plays to estimate win shares and scores


@dataclass(frozen=True)
class BotKind:
    """A kind of bot: ``choose`` and ``analyze(states, rng, **parameters)``, and its parameters."""

    choose: Callable[..., int]
    analyze: Callable[..., Analysis]
    parameters: dict[str, Parameter]
    meaning: str


BOTS: dict[str, BotKind] = {
    "random": BotKind(random_action, random_analyze, {}, "any legal action with equal probability"),
    "greedy": BotKind(
        greedy_action, greedy_analyze, {}, "the turn with the highest value, evaluated as a whole"
    ),
    "mc": BotKind(
        mc_action,
        mc_analyze,
        {
            "sims": Parameter(256, 1, 1_000_000, "playouts a decision"),
            "ms": Parameter(
                0, 0, 600_000, "milliseconds a decision instead of sims; 0: sims counts"
            ),
            "top": Parameter(16, 2, 256, "actions that are tried, the best by greedy"),
            "exact": Parameter(
                3, 0, 6, "solve the end when at most so many placements are left in the game"
            ),
        },
        "flat Monte Carlo: greedy playouts on determinised deals",
    ),
}


def load_bot(name: str, allow_code: bool = False) -> Bot:
    """Return a bot, as :mod:`cacao_env.registry` asks for it."""
    return Bot(name)


class Bot(Agent):
    """A built-in bot; ``name`` is its own, or with parameters ``name:key=value,key=value``."""

    version = "built-in"  # stored games also carry a fingerprint of the package's code

    def __init__(self, name: str) -> None:
        kind, _, rest = name.partition(":")
        self.name, self._kind = name, BOTS[kind]
        self._values = parse_values(f"bot {kind}", rest, self._kind.parameters)

    def act(self, games: Sequence[Game], memory: Sequence[RngArray]) -> list[int]:
        """Choose a legal action for each game."""
        return [
            self.choose(game.determinise(decider(game), rng).states, rng)
            for game, rng in zip(games, memory, strict=True)
        ]

    def choose(self, states: StateArray, rng: RngArray) -> int:
        """Choose for an array of one state in which everything hidden has been dealt again."""
        return int(self._kind.choose(states, rng, **self._values))

    def analyze(self, game: Game, memory: RngArray) -> Analysis:
        """Report the values of the actions; win shares and scores are those of play by greedy."""
        seen = game.determinise(decider(game), memory).states
        legal = game.legal_actions()
        forced = int(unasked(game.state, ASKED.index("auto")))  # in explicit games it is asked
        if forced != NONE or len(legal) == 1:
            analysis = certain(int(legal[0]) if forced == NONE else int(forced))
        else:
            analysis = self._kind.analyze(seen, memory, **self._values)
        win_shares, scores = np.zeros((2, MAX_PLAYERS))
        forecast(seen, memory, FORECAST, win_shares, scores)
        players = game.num_players
        return replace(analysis, win_shares=win_shares[:players], scores=scores[:players])
