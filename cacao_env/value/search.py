"""Search with a network: the best few actions, looked at until one's own next turn has ended.

Each simulation deals anew what the seat can't see and plays on, every seat by the network, until the
seat has placed once more (or ``turns`` times); the value is what the network expects then, in the mean
over those turns.  Cut after somebody else's turn the network's errors would favour who is not to move.
With ``near`` placements left or fewer, simulations go on to the end of the game: there the network errs
most, and little is left to chance.  Within a pass all candidates meet the same deal and random numbers.
What the network thought of an action at first counts as much as ``prior`` simulations of it.  The last
placements are solved.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from ..actions import MAX_LEGAL
from ..bots.endgame import NODES, NOT_SOLVED, placements_left, solve, solved_thought
from ..bots.halving import halve, keep_best
from ..bots.playout import UNIT, UTILITY
from ..decisions import step
from ..game import Game
from ..jit import compile_once, njit
from ..rng import new_rng, next_bits
from ..state import ACT, FILL, OVER, PLACE, STATE, StateArray, redeal
from ..thinking import Thought, certain, from_visits
from ..tiles import MAX_TURNS
from .agent import TOP, ValueAgent
from .net import Net, expect, new_scratch, utility_of
from .turns import appraise_with, new_work

WIDTH = 12  # actions that are tried, the best by the network
INNER = 16  # placements that the network appraises inside
TURNS = 1  # own turns that a simulation goes on for
NEAR = 13  # placements left, of all seats, from which simulations go on to the end
PRIOR = 6  # simulations that the network's first opinion is worth
EXACT = 3  # placements left from which the end is solved
# Positions that the solver may look at, so that it takes no longer than the search would.
NODES_A_MS, NODES_A_SIM = 250, 60


@njit
def turns_ahead(state, turns, near):
    """Own turns that simulations of a decision go on for, more than there are where the end is near."""
    left = placements_left(state)
    if state.phase != PLACE:
        left += 1  # the turn in progress counts
    return MAX_TURNS if left <= near else turns


@njit
def look_ahead(net, scratch, work, states, ids, alive, sums, passes, top, turns, rng):
    """Add ``passes`` simulations of the first ``alive`` candidates to ``sums``."""
    here = np.empty(2, STATE)
    dice = np.empty(1, np.uint64)
    actions = np.empty(MAX_LEGAL, np.int64)
    values = np.zeros(MAX_LEGAL)
    seat = int(states[0].seat)
    for _ in range(passes):
        here[0] = states[0]
        redeal(here[0], seat, rng)
        bits = next_bits(rng)
        for i in range(alive):
            here[1] = here[0]
            state = here[1]
            step(state, ids[i])
            dice[0] = bits
            turn = states[0].turn
            left = turns
            total = 0.0
            seen = 0
            while True:
                if state.phase == OVER:
                    expect(net, scratch, state, seat)
                    total += utility_of(scratch, int(state.num_players), seat)
                    seen += 1
                    break
                count = appraise_with(net, scratch, work, state, top, FILL, actions, values, dice)
                best = 0
                if count > 1:
                    for k in range(1, count):
                        if values[k] > values[best]:
                            best = k
                if state.phase == PLACE and state.seat == seat and state.turn > turn:
                    left -= 1
                    if count > 1:
                        total += values[best]
                        seen += 1
                        if left <= 0:
                            break
                step(state, actions[best])
            sums[i] += total / seen


@njit
def search_choice(net, scratch, work, states, sims, ids, values, rng):
    """The action that search finds with ``sims`` simulations; ``states`` as for ``choose`` below.

    ``ids`` and ``values``: scratch space, (MAX_LEGAL,).
    """
    count = appraise_with(net, scratch, work, states[0], TOP, ACT, ids, values, rng)
    if count == 1:
        return ids[0]
    solved = solve(states, EXACT, UTILITY, min(NODES, NODES_A_SIM * sims))
    if solved != NOT_SOLVED:
        return solved
    alive = min(WIDTH, count)
    keep_best(ids, values, count, alive)
    sums = PRIOR * values[:alive]
    turns = turns_ahead(states[0], TURNS, NEAR)
    rounds = max(1, int(np.ceil(np.log2(alive))))
    for _ in range(rounds):
        passes = max(1, sims // (rounds * alive))
        look_ahead(net, scratch, work, states, ids, alive, sums, passes, INNER, turns, rng)
        keep = max(1, (alive + 1) // 2)
        keep_best(ids, sums, alive, keep)
        alive = keep
    return ids[0]


def _compile(net: Net) -> None:
    """Have all that a search calls compiled."""
    rng = new_rng(0)
    states = Game.new(2, 0).seen_by(0, rng)
    ids, values, sums = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL), np.zeros(1)
    scratch, work = new_scratch(net), new_work()
    appraise_with(net, scratch, work, states[0], 1, ACT, ids, values, rng)
    look_ahead(net, scratch, work, states, ids, 1, sums, 1, 1, 1, rng)
    turns_ahead(states[0], 1, 1)
    solve(states, 1, UTILITY, NODES_A_MS)
    keep_best(ids, sums, 1, 1)


class SearchAgent(ValueAgent):
    """Net and search, with ``sims`` simulations a decision or, if not 0, for ``ms`` milliseconds."""

    def __init__(
        self,
        net: Net,
        seed: int,
        sims: int = 32,
        ms: int = 0,
        width: int = WIDTH,
        inner: int = INNER,
        turns: int = TURNS,
        near: int = NEAR,
        prior: int = PRIOR,
        exact: int = EXACT,
    ) -> None:
        super().__init__(net, seed)
        compile_once("search with a value network", partial(_compile, net))
        self._sims, self._ms, self._width, self._inner = sims, ms, width, inner
        self._turns, self._near, self._prior, self._exact = turns, near, prior, exact
        self._nodes = min(NODES, NODES_A_MS * ms if ms else NODES_A_SIM * sims)

    def choose(self, states: StateArray) -> int:
        """An action for an array of one state in which the hidden part is dealt anew already."""
        begin = time.perf_counter()
        ids, values = self.appraise(states)
        if len(ids) == 1:
            return int(ids[0])
        solved = int(solve(states, self._exact, UTILITY, self._nodes))
        if solved != NOT_SOLVED:
            return solved
        self._search(states, ids, values, begin)
        return int(ids[0])

    def _consider(self, states: StateArray) -> Thought:
        begin = time.perf_counter()
        ids, values = self.appraise(states)
        if len(ids) == 1:
            return certain(int(ids[0]))
        solved = solved_thought(states, self._exact)
        if solved is not None:
            return solved
        means, visits = self._search(states, ids, values, begin)
        return from_visits(ids[: len(means)], means, visits, UNIT)

    def _search(
        self, states: StateArray, ids: np.ndarray, values: np.ndarray, begin: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Bring the best of the actions in order; mean utility and simulations of each."""
        tried = min(self._width, len(ids))
        keep_best(ids, values, len(ids), tried)
        sums = self._prior * values[:tried]
        run = partial(self._simulate, states)
        visits = halve(run, ids, sums, tried, self._sims, begin, self._ms)
        return sums / (visits + self._prior), visits

    def _simulate(
        self, states: StateArray, ids: np.ndarray, alive: int, sums: np.ndarray, passes: int
    ) -> None:
        look_ahead(
            self._net,
            self._scratch,
            self._work,
            states,
            ids,
            alive,
            sums,
            passes,
            self._inner,
            turns_ahead(states[0], self._turns, self._near),
            self._rng,
        )
