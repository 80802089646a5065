"""Agents that a user might write, good and bad, for ``module:Class``, and what workers do."""

import os
import signal
import time

import numpy as np
from threadpoolctl import threadpool_info

from cacao_env.agent import Agent


class First:
    version = "1"

    def __init__(self, seed):
        self.seed = seed

    def act(self, game):
        return game.legal_actions()[0]


class Half(First):
    """Now and then at random, from its seed."""

    version = "1"

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def act(self, game):
        legal = game.legal_actions()
        return legal[0] if self.rng.random() < 0.5 else self.rng.choice(legal)


class Spy(Agent):
    """Plays the first legal action and keeps the games that it was handed."""

    name = "spy"

    def __init__(self):
        self.games = []

    def act(self, games, memory):
        self.games += [game.clone() for game in games]
        return [int(game.legal_actions()[0]) for game in games]


class Crowded(Spy):
    """Plays with 3 and 4 players."""

    name, version, players = "crowded", "1", (3, 4)


class Failing(Agent):
    """Fails when it is told to; it has no hash, like a plain dataclass."""

    name = "failing"
    __hash__ = None

    def __init__(self):
        self.fails = None

    def act(self, games, memory):
        if self.fails:
            raise self.fails
        return [int(game.legal_actions()[0]) for game in games]


class NoName(Agent):
    """An agent whose author forgot its name."""

    def act(self, games, memory):
        return [int(game.legal_actions()[0]) for game in games]


class Peeker(First):
    """Writes down what it was handed of the piles."""

    seen: list = []  # noqa: RUF012

    def act(self, game):
        Peeker.seen.append((game.turn, game.seat, game.draws, tuple(map(int, game.state.hand[1]))))
        return super().act(game)


class Meddler(First):
    """Plays on in the game that it is handed: that is a copy."""

    def act(self, game):
        action = int(game.legal_actions()[0])
        while not game.over:
            game.play(int(game.legal_actions()[-1]))
        return action


class Illegal(First):
    def act(self, game):
        return -3


class Words(First):
    def act(self, game):
        return "north"


class Broken(First):
    def act(self, game):
        return {}["nothing"]


class NoAct:
    def __init__(self, seed):
        pass


class NoSeed:
    def act(self, game):
        return 0


def worker():

    def do(deed, progress):
        if deed == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif deed == "leave":
            os._exit(0)
        elif deed == "refuse":
            raise ValueError("one sentence")
        elif deed == "fail":
            raise KeyError("nothing")
        elif deed == "sleep":
            time.sleep(60)
        elif deed == "threads":
            return max(one["num_threads"] for one in threadpool_info())
        progress(7)
        return 7**2

    return do


NOT_A_CLASS = 3
