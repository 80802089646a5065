"""Search with a network: the best few actions, looked at until one's own next turn has ended.

Each simulation deals anew what the seat can't see and plays on, every seat by the network, until the
seat has placed once more; the value is what the network expects then.  Cut after somebody else's turn
the network's errors would favour who is not to move.  Within a pass all candidates meet the same deal
and random numbers; the last placements are solved.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from ..actions import MAX_LEGAL
from ..bots.endgame import NODES, NOT_SOLVED, UTILITY, solve
from ..bots.halving import halve
from ..decisions import step
from ..jit import njit
from ..rng import next_bits
from ..state import FILL, OVER, PLACE, STATE, StateArray, redeal
from .agent import ValueAgent
from .net import Net, expect, utility_of
from .turns import appraise_with


@njit
def look_ahead(net, scratch, work, states, ids, alive, sums, passes, top, rng):
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
            while True:
                if state.phase == OVER:
                    expect(net, scratch, state, seat)
                    sums[i] += utility_of(scratch, int(state.num_players), seat)
                    break
                count = appraise_with(net, scratch, work, state, top, FILL, actions, values, dice)
                best = 0
                if count > 1:
                    for k in range(1, count):
                        if values[k] > values[best]:
                            best = k
                if state.phase == PLACE and state.seat == seat and state.turn > turn and count > 1:
                    sums[i] += values[best]
                    break
                step(state, actions[best])


class SearchAgent(ValueAgent):
    """Net and search, with ``sims`` simulations a decision or, if not 0, for ``ms`` milliseconds."""

    def __init__(
        self,
        net: Net,
        seed: int,
        sims: int = 32,
        ms: int = 0,
        width: int = 8,
        inner: int = 12,
        exact: int = 3,
    ) -> None:
        super().__init__(net, seed)
        self._sims, self._ms, self._width, self._inner = sims, ms, width, inner
        self._exact = exact

    def choose(self, states: StateArray) -> int:
        """An action for an array of one state in which the hidden part is dealt anew already."""
        begin = time.perf_counter()
        ids, values = self.appraise(states)
        if len(ids) == 1:
            return int(ids[0])
        solved = int(solve(states, self._exact, UTILITY, NODES))
        if solved != NOT_SOLVED:
            return solved
        order = np.argsort(-values, kind="stable")[: self._width]
        chosen, sums = ids[order].copy(), np.zeros(len(order))
        run = partial(self._simulate, states)
        halve(run, chosen, sums, len(order), self._sims, begin, self._ms)
        return int(chosen[0])

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
            self._rng,
        )
