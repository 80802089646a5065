"""Built-in bots, by name and parameters: ``greedy``, ``mc:sims=256,top=16``.

A bot chooses for the deciding seat of a state in which everything hidden from this seat has been
dealt again, so it can't cheat.  ``BOTS`` lists the bots with their parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine.decisions import NONE
from ..engine.options import ASKED
from ..engine.rng import RngArray
from ..engine.state import StateArray
from ..engine.tiles import MAX_PLAYERS
from ..game import Game
from ..greedy.turn import next_unasked
from .agent import Agent, decider
from .analysis import Analysis, certain
from .greedy import greedy_action, greedy_analyze
from .mc import mc_action, mc_analyze
from .playout import forecast
from .random import random_action, random_analyze

FORECAST = 100  # games that greedy plays to estimate win shares and scores


@dataclass(frozen=True)
class Parameter:
    """A parameter of the default's type: a number from ``low`` to ``high``, or so many characters."""

    default: int | float | str
    low: int | float
    high: int | float
    meaning: str

    def parse(self, name: str, text: str) -> Any:
        """Parse a value; ValueError names the parameter and the expected values."""
        kind: type[Any] = type(self.default)
        if kind is str:
            if not self.low <= len(text) <= self.high:
                raise ValueError(
                    f"{name} has {len(text)} characters, expected {self.low} to {self.high}"
                )
            return text
        noun, digits = "an integer", r"-?[0-9]{1,12}"
        if kind is float:
            noun, digits = "a number", digits + r"(\.[0-9]{1,12})?"
        if not re.fullmatch(digits, text) or not self.low <= kind(text) <= self.high:
            raise ValueError(
                f"{name} is {text[:40]!r}, expected {noun} from {self.low} to {self.high}"
            )
        return kind(text)


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


def parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Parse ``name`` or ``name:key=value,key=value`` into (name, all parameters).

    ValueError, in one sentence, for an unknown bot or parameter or a value out of range.
    """
    name, _, rest = spec.partition(":")
    if name not in BOTS:
        raise ValueError(f"there is no agent {name!r}; there are: {', '.join(sorted(BOTS))}")
    return name, parse_values(f"bot {name}", rest, BOTS[name].parameters)


def parse_values(whose: str, text: str, known: dict[str, Parameter]) -> dict[str, Any]:
    """Parse ``key=value,key=value``; return all parameters, with defaults for those not given."""
    values = {key: parameter.default for key, parameter in known.items()}
    for item in text.split(",") if text else ():
        key, equals, value = item.partition("=")
        if key not in known or not equals:
            expected = ", ".join(f"{one}=..." for one in known) or "none"
            # Without the value, which may be a secret.
            raise ValueError(f"{whose} has no parameter {key!r}; it has: {expected}")
        values[key] = known[key].parse(f"{key} of {whose}", value)
    return values


def split_names(text: str) -> list[str]:
    """Split ``greedy,mc:sims=64,top=8`` into names; ``top=8`` belongs to the name before it."""
    names: list[str] = []
    for part in text.split(","):
        if names and re.match(r"\w+=", part):
            names[-1] += f",{part}"
        else:
            names.append(part.strip())
    return names


class Bot(Agent):
    """A built-in bot; ``name`` as :func:`parse` takes it, such as ``mc:sims=256``."""

    version = "built-in"  # stored games also carry a fingerprint of the package's code

    def __init__(self, name: str) -> None:
        kind, self._values = parse(name)
        self.name = name
        self._kind = BOTS[kind]

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
        forced = next_unasked(game.state, ASKED.index("auto"))  # in explicit games it is asked
        if forced != NONE or len(legal) == 1:
            analysis = certain(int(legal[0]) if forced == NONE else int(forced))
        else:
            analysis = self._kind.analyze(seen, memory, **self._values)
        win_shares, scores = np.zeros((2, MAX_PLAYERS))
        forecast(seen, memory, FORECAST, win_shares, scores)
        players = game.num_players
        return replace(analysis, win_shares=win_shares[:players], scores=scores[:players])
