"""Built-in opponents, by name.

A bot is a function ``act(game, seat, rng) -> action``.  It is handed a game in which all that its
seat can't see has been dealt anew, so it cannot cheat even if it tried.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..game import Game
from ..rng import RngArray, new_rng
from .greedy import greedy_action
from .random import random_action

Chooser = Callable[..., int]
BOTS: dict[str, Chooser] = {"random": random_action, "greedy": greedy_action}


class Bot:
    """A named bot with its own random numbers."""

    def __init__(self, name: str, seed: int) -> None:
        if name not in BOTS:
            raise ValueError(f"there is no agent {name!r}; there are: {', '.join(sorted(BOTS))}")
        self.name = name
        self._choose = BOTS[name]
        self._rng: RngArray = new_rng(seed)

    def act(self, game: Game) -> int:
        """A legal action for the seat that decides; it knows no more than that seat."""
        if game.seat is None:
            raise ValueError("the game is over: there is nothing to decide")
        states = game.seen_by(game.seat, self._rng)
        return int(self._choose(states, self._rng))


def play_game(game: Game, bots: list[Bot]) -> Game:
    """Play a game to its end, in place, with a bot a seat."""
    while game.seat is not None:
        game.play(bots[game.seat].act(game))
    return game


def seat_seeds(seed: int, num_players: int) -> list[int]:
    """Seeds for the bots of a game, apart from the one of its deal."""
    rng = np.random.default_rng([seed & (2**64 - 1), 0xB075])
    return [int(n) for n in rng.integers(0, 2**63, num_players)]


__all__ = ["BOTS", "Bot", "play_game", "seat_seeds"]
