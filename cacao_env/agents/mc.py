"""Flat Monte Carlo: greedy plays games to their end to evaluate the best few actions.

Each playout deals everything hidden from the seat again.  Within a pass every candidate gets the same
deal and the same random numbers (common random numbers).  :mod:`.halving` distributes the passes.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..analysis import Analysis, from_visits
from ..engine.decisions import NONE, forced_action
from ..engine.jit import keep, njit
from ..engine.rng import RngArray, next_bits
from ..engine.state import EXPLICIT, STATE, StateArray, redeal
from ..engine.types import f8x1, i8, i8x1
from ..greedy.choices import CHOICES, best_into
from ..greedy.turn import step_turn
from .endgame import NODES, NOT_SOLVED, solve, solved_analysis
from .halving import halve
from .playout import play_out
from .utility import UNIT, UTILITY, value_of


@njit
def best_actions(states: StateArray, top: i8, ids: i8x1) -> i8:
    """Write the ``top`` best actions of ``states[0]`` by greedy, best first; return their number."""
    choices = np.empty(1, CHOICES)
    count = best_into(choices[0], states[0], top, ids)
    keep(choices)
    return count


@njit
def run_passes(
    states: StateArray, ids: i8x1, alive: i8, sums: f8x1, passes: i8, rng: RngArray, objective: i8
) -> i8:
    """Add the results of ``passes`` playouts of the first ``alive`` candidates to ``sums``.

    In a pass all candidates get the same deal of everything hidden from the deciding seat, and the same
    random numbers.  Returns the number of decisions.
    """
    work = np.empty(2, STATE)
    choices = np.empty(1, CHOICES)
    dice = np.empty(1, np.uint64)
    seat = np.int64(states[0].seat)
    decisions = 0
    for _ in range(passes):
        work[0] = states[0]
        redeal(work[0], seat, rng)
        bits = next_bits(rng)
        for i in range(alive):
            work[1] = work[0]
            step_turn(work[1], ids[i])
            dice[0] = bits
            decisions += play_out(work[1], choices[0], dice)
            sums[i] += value_of(work[1], seat, objective)
    return decisions


def mc_action(states: StateArray, rng: RngArray, sims: int, ms: int, top: int, exact: int) -> int:
    """Return the best action by ``sims`` playouts, or in ``ms`` milliseconds when that is not 0.

    With at most ``exact`` placements left in the game the end is solved instead, if that is feasible
    (:mod:`.endgame`).
    """
    begin = time.perf_counter()
    if states[0].decisions == EXPLICIT:  # decisions that can't matter need no search
        forced = int(forced_action(states[0]))
        if forced != NONE:
            return forced
    ids = np.zeros(top, np.int64)
    alive = best_actions(states, top, ids)
    if alive == 1:
        return int(ids[0])
    solved = int(solve(states, exact, UTILITY, NODES))
    if solved != NOT_SOLVED:
        return solved
    simulate(states, rng, sims, ms, ids, alive, begin)
    return int(ids[0])


def simulate(
    states: StateArray, rng: RngArray, sims: int, ms: int, ids: Any, alive: int, begin: float
) -> tuple[Any, Any]:
    """Sort the first ``alive`` of ``ids``; return (mean utility, playouts) of each, (alive,)."""
    sums = np.zeros(alive)

    def run(some: Any, alive: int, sums: Any, passes: int) -> None:
        run_passes(states, some, alive, sums, passes, rng, UTILITY)

    visits = halve(run, ids, sums, alive, sims, begin, ms)
    return sums / visits, visits


def mc_analyze(
    states: StateArray, rng: RngArray, sims: int, ms: int, top: int, exact: int
) -> Analysis:
    """Return the analysis of ``mc_action``."""
    begin = time.perf_counter()
    solved = solved_analysis(states, exact)
    if solved is not None:
        return solved
    ids = np.zeros(top, np.int64)
    alive = best_actions(states, top, ids)
    means, visits = simulate(states, rng, sims, ms, ids, alive, begin)
    return from_visits(ids[:alive], means, visits, UNIT)
