"""The opponents of one learner: the agents in the other seats of its games.

Random and greedy play in compiled code.  Python asks every other agent (:mod:`cacao_env.agents`), once
for all the games in which it decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..agent import Agent, require
from ..checks import as_float, in_short
from ..engine.actions import sample
from ..engine.jit import njit
from ..engine.options import Options
from ..engine.rng import RngArray
from ..engine.state import OVER, StateArray
from ..engine.types import i2x2, i8, i8x1
from ..greedy.choices import CHOICES, GREEDY_WEIGHTS, greedy_choice
from ..registry import as_agent, can_act
from .batch import play

RANDOM, GREEDY = range(2)
COMPILED = {"random": RANDOM, "greedy": GREEDY}
NUM_COMPILED = len(COMPILED)
MAX_WEIGHT = 1e9  # of an opponent

# A name, an Agent, or an object with ``act(game)``.
Opponent = Any
# One opponent for all other seats, a weight for each of several, or one for each other seat.
OpponentSpec = Opponent | Mapping[Opponent, float] | Sequence[Opponent]


class Opponents:
    """The validated line-ups of opponents.

    A game's *kind* is the index of its line-up: RANDOM, GREEDY, then those in Python, in the given
    order.  ``probabilities``, float (kinds,), sum to 1.
    Only one thread may use it at a time, as the agents in it.
    """

    def __init__(self, given: OpponentSpec, options: Options) -> None:
        others = options.num_players - 1
        weights = [0.0] * NUM_COMPILED
        self.line_ups: list[tuple[Agent, ...]] = []
        for line_up, weight in _line_ups(given, others):
            names = {one if isinstance(one, str) else None for one in line_up}
            name = names.pop()
            if not names and name in COMPILED:
                weights[COMPILED[name]] += weight
                continue
            for one in line_up:
                if not isinstance(one, str) and not can_act(one):
                    raise ValueError(
                        f"an opponent is {one!r}, expected a name, weights by name, one for each other "
                        "seat, an Agent or an object with act(game)"
                    )
            keys = [one if isinstance(one, str) else id(one) for one in line_up]
            # Each name is loaded once.
            agents = {key: as_agent(one) for key, one in dict(zip(keys, line_up)).items()}
            for agent in agents.values():
                require(agent, options)
            seats = [agents[key] for key in keys]
            self.line_ups.append(tuple(seats * (others // len(seats))))
            weights.append(weight)
        self.probabilities = np.array(weights) / sum(weights)

    def agent(self, kind: int, place: int) -> Agent:
        """Return an agent of a line-up in Python; ``place`` 0 is the seat after the learner's."""
        return self.line_ups[kind - NUM_COMPILED][place]

    def unsaved(self) -> str | None:
        """Return the name of an agent whose memory is more than random numbers, or None."""
        for agent in {id(one): one for line_up in self.line_ups for one in line_up}.values():
            memory = agent.begin(0)
            if memory is not None and not is_rng(memory):
                return agent.name
        return None


@njit
def play_compiled(
    states: StateArray, actions: i2x2, learners: i8x1, kinds: i8x1, rngs: RngArray
) -> None:
    """Let compiled opponents play until each game's learner decides or the game is over.

    ``actions`` as in :class:`.batch.Batch`.  ``learners``,
    ``kinds``, shape (N,): the learner's seat, and RANDOM or GREEDY for the others; neither uses
    anything hidden.  Games of other kinds do not change.
    """
    choices = np.empty(1, CHOICES)
    for g in range(len(states)):
        state = states[g]
        rng = rngs[g : g + 1]
        while kinds[g] < NUM_COMPILED and state.phase != OVER and state.seat != learners[g]:
            play(state, _choice(state, kinds[g], rng, choices[0]), actions[g])


@njit
def _choice(state, kind, rng, choices):
    if kind == GREEDY:
        return greedy_choice(choices, state, GREEDY_WEIGHTS, rng)
    return sample(state, rng)


@njit
def waiting(states: StateArray, learners: i8x1, numbers: i8x1) -> i8:
    """Write the games in which a seat other than the learner's decides; return their number."""
    count = 0
    for g in range(len(states)):
        if states[g].phase != OVER and states[g].seat != learners[g]:
            numbers[count] = g
            count += 1
    return count


def is_rng(memory: Any) -> bool:
    """Return whether an agent's memory is a generator of :mod:`cacao_env.engine.rng`."""
    return isinstance(memory, np.ndarray) and memory.dtype == np.uint64 and memory.shape == (1,)


def _line_ups(given: OpponentSpec, others: int) -> list[tuple[tuple[Opponent, ...], float]]:
    """Return (line-up, weight) of each line-up: one agent for all other seats, or one for each."""
    if isinstance(given, Mapping):
        weights = {
            one: as_float(f"the weight of opponent {in_short(one)}", weight, 0, MAX_WEIGHT)
            for one, weight in given.items()
        }
        if not sum(weights.values()) > 0:
            raise ValueError("no opponent has a weight above 0, expected one or more")
        return [((one,), weight) for one, weight in weights.items()]
    if not isinstance(given, Sequence) or isinstance(given, str):
        return [((given,), 1.0)]
    if len(given) != others:
        raise ValueError(
            f"opponents lists {len(given)}, expected one for each of the {others} other seats"
        )
    return [(tuple(given), 1.0)]
