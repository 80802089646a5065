"""Built-in opponents, by name and parameters: ``greedy``, ``mc:sims=256,top=16``.

A bot chooses for the deciding seat of a state in which all that this seat can't see has been dealt
anew, so it cannot cheat even if it tried.  ``BOTS`` lists them with their parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..engine.rng import RngArray, new_rng
from ..engine.state import StateArray
from ..engine.tiles import MAX_PLAYERS
from ..game import Game
from .analysis import Analysis, certain
from .endgame import endgame_action, endgame_analyze
from .greedy import greedy_action, greedy_analyze
from .ismcts import ismcts_action, ismcts_analyze
from .mc import mc_action, mc_analyze
from .playout import forecast
from .random import random_action, random_analyze

FORECAST = 100  # games that greedy plays to say what a seat may expect


@dataclass(frozen=True)
class Parameter:
    """A number that a bot can be told; of the default's type, from ``low`` to ``high``."""

    default: int | float
    low: int | float
    high: int | float
    meaning: str

    def parse(self, name: str, text: str) -> int | float:
        """The value in a text; ValueError names the parameter and what was expected."""
        kind = type(self.default)
        noun = "an integer" if kind is int else "a number"
        try:
            value = kind(text)
        except ValueError:
            value = self.high + 1
        if not self.low <= value <= self.high:
            raise ValueError(f"{name} is {text!r}, expected {noun} from {self.low} to {self.high}")
        return value


@dataclass(frozen=True)
class Kind:
    """A kind of bot: ``choose`` and ``think(states, rng, **parameters)``, and its parameters."""

    choose: Callable[..., int]
    analyze: Callable[..., Analysis]
    parameters: dict[str, Parameter]
    meaning: str


_SIMS = Parameter(256, 1, 1_000_000, "playouts a decision")
_MS = Parameter(0, 0, 600_000, "milliseconds a decision instead; 0 means that sims counts")
_EXACT = "solve the end when at most so many placements are left in the game"
BOTS: dict[str, Kind] = {
    "random": Kind(random_action, random_analyze, {}, "any legal action with equal probability"),
    "greedy": Kind(
        greedy_action, greedy_analyze, {}, "the turn that pays most, appraised as a whole"
    ),
    "mc": Kind(
        mc_action,
        mc_analyze,
        {
            "sims": _SIMS,
            "ms": _MS,
            "top": Parameter(16, 2, 256, "actions that are tried, the best by greedy"),
            "exact": Parameter(3, 0, 6, _EXACT),
        },
        "flat Monte Carlo: greedy playouts on determinised deals",
    ),
    "ismcts": Kind(
        ismcts_action,
        ismcts_analyze,
        {
            "sims": _SIMS,
            "ms": _MS,
            "top": Parameter(16, 2, 256, "actions a node offers, the best by greedy"),
            "exploration": Parameter(0.3, 0.0, 10.0, "weight of the exploration term"),
        },
        "information-set Monte Carlo tree search",
    ),
    "endgame": Kind(
        endgame_action,
        endgame_analyze,
        {"exact": Parameter(4, 0, 6, _EXACT)},
        "greedy, with the last placements solved exactly",
    ),
}


def parse(spec: str) -> tuple[str, dict[str, int | float]]:
    """(name, all parameters) of a bot given as ``name`` or ``name:key=value,key=value``.

    ValueError, in one sentence, for an unknown bot or parameter or a value out of range.
    """
    name, _, rest = spec.partition(":")
    if name not in BOTS:
        raise ValueError(f"there is no agent {name!r}; there are: {', '.join(sorted(BOTS))}")
    return name, parse_values(f"bot {name}", rest, BOTS[name].parameters)


def parse_values(whose: str, text: str, known: dict[str, Parameter]) -> dict[str, int | float]:
    """All parameters, those of ``key=value,key=value`` as they are given, else by default."""
    values = {key: parameter.default for key, parameter in known.items()}
    for item in text.split(",") if text else ():
        key, equals, value = item.partition("=")
        if key not in known or not equals:
            expected = ", ".join(f"{one}=..." for one in known) or "none"
            raise ValueError(f"{whose} has no parameter {item!r}; it has: {expected}")
        values[key] = known[key].parse(f"{key} of {whose}", value)
    return values


def split_names(text: str) -> list[str]:
    """The names in ``greedy,mc:sims=64,top=8``: a part like ``top=8`` belongs to the name before it."""
    names: list[str] = []
    for part in text.split(","):
        if names and "=" in part and ":" not in part:
            names[-1] += f",{part}"
        else:
            names.append(part.strip())
    return names


class Bot:
    """A bot with its own random numbers; ``spec`` as :func:`parse` takes it."""

    def __init__(self, spec: str, seed: int) -> None:
        kind, self._values = parse(spec)
        self.name = spec
        self._kind = BOTS[kind]
        self._rng: RngArray = new_rng(seed)

    def act(self, game: Game) -> int:
        """A legal action for the seat that decides; it knows no more than that seat."""
        if game.seat is None:
            raise ValueError("the game is over: there is nothing to decide")
        return self.choose(game.seen_by(game.seat, self._rng))

    def choose(self, states: StateArray) -> int:
        """The same for an array of one state in which the hidden part is dealt anew already."""
        return int(self._kind.choose(states, self._rng, **self._values))

    def analyze(self, game: Game) -> Analysis:
        """What it makes of the position; all seats' prospects are those of play by greedy."""
        if game.seat is None:
            raise ValueError("the game is over: there is nothing to decide")
        seen = game.seen_by(game.seat, self._rng)
        legal = game.legal_actions()
        if len(legal) == 1:
            analysis = certain(int(legal[0]))
        else:
            analysis = self._kind.analyze(seen, self._rng, **self._values)
        win_shares, scores = np.zeros((2, MAX_PLAYERS))
        forecast(seen, self._rng, FORECAST, win_shares, scores)
        players = game.num_players
        return replace(analysis, win_shares=win_shares[:players], scores=scores[:players])


def play_game(game: Game, bots: list[Bot]) -> Game:
    """Play a game to its end, in place, with a bot a seat."""
    while game.seat is not None:
        game.play(bots[game.seat].act(game))
    return game


def seat_seeds(seed: int, num_players: int) -> list[int]:
    """Seeds for the bots of a game, apart from the one of its deal."""
    rng = np.random.default_rng([seed & (2**64 - 1), 0xB075])
    return [int(n) for n in rng.integers(0, 2**63, num_players)]


__all__ = [
    "BOTS",
    "Bot",
    "Kind",
    "Parameter",
    "parse",
    "parse_values",
    "play_game",
    "seat_seeds",
    "split_names",
]
