"""Search with a network: simulate the best few placements to the end of the seat's own next turn.

Each simulation deals everything hidden from the seat again.  The network plays every seat until the
seat has placed once more (or ``turns`` times).  The value is the network's, as a mean over those
turns.  A cut after another seat's turn would favour seats that are not to move, by the network's
errors.  Near the end (``turns_ahead``) simulations run to the end of the game, and the value is the
outcome: there the network errs most, and chance matters little.  The more of them, the better they
play, because they learn which replies are good (:mod:`.tree`).

Within a pass all candidates get the same deal and random numbers, and over the passes every tile of
the pile is the first draw equally often.  The network's first value of a placement counts as
``prior`` simulations, or as one simulation to the end.  The last placements are solved.  Earlier fills
and actions are the network's choice, which is as good and takes half of the time.
"""

from __future__ import annotations

import math
import time
from functools import lru_cache
from typing import Any

import numpy as np

from ...agent import AgentError
from ...analysis import Analysis, certain, from_values, from_visits
from ...engine.actions import MAX_LEGAL
from ...engine.jit import njit
from ...engine.rng import RngArray, next_bits
from ...engine.state import FILL, OVER, PLACE, STATE, StateArray, redeal
from ...engine.tiles import HAND_SIZE, MAX_PLAYERS, MAX_TURNS
from ...engine.types import f8x1, i8, i8x1
from ...greedy.turn import step_turn
from ..endgame import NODES, NOT_SOLVED, placements_left, solve, solved_analysis
from ..halving import halve, keep_best
from ..specs import Parameter, parse_values
from ..utility import UNIT, UTILITY, utility_of
from .agent import SPREAD, ValueAgent
from .net import Net, Scratch, expect
from .tree import begin_search, choose_reply, extended, record
from .turns import Work, value_actions

CANDIDATES = 8  # placements that are simulated, the best by the network
TURNS = 1  # own turns that a simulation plays
NEAR = 10  # placements left, with 2 players, from which simulations play to the end
PRIOR = 6  # simulations that the network's first value counts as
# All hands are known once the piles of worker tiles are empty: with more than 2 players so many
# placements earlier, by the number of players.
EARLIER = tuple(HAND_SIZE * max(0, players - 2) for players in range(MAX_PLAYERS + 1))
EXACT = 3  # placements left from which the end is solved
# What a placement gets of the time, by the placements left: simulations bring little early, and most
# between NEAR and the end that is solved.  (most placements left with 2 players, weight)
WEIGHTS = ((NEAR, 1.8), (16, 0.8), (MAX_TURNS, 0.35))
EXACT_WEIGHT = 0.5
MOST = 2.8  # times the mean, for one placement
TOLD = 32  # simulations of which an analysis tells the mean result
LEAST = 6  # simulations; if there is no time for so many, early placements leave theirs to others
PACE = 1e-5  # seconds to evaluate a candidate inside simulations, until it has been measured
ONE_PLY = 1.5  # times that, for a candidate of a decision
# Positions that the solver may visit, so that it takes no longer than the search would.
NODES_A_MS, NODES_A_SIM = 250, 60


@lru_cache(maxsize=64)
def time_bank(
    players: int, lengths: tuple[int, ...], mean: float, one_ply: float, pace: float
) -> list[float]:
    """Return the seconds for each placement, by the placements left; ``mean`` of them in the mean.

    ``lengths``: placements that a simulation plays, by the placements left; ``one_ply`` and ``pace``:
    seconds to evaluate a decision, and a placement inside simulations.
    """
    weights = [
        next(weight for most, weight in WEIGHTS if left <= most + EARLIER[players])
        for left in range(len(lengths))
    ]
    weights[: EXACT + 1] = [0.0] + EXACT * [EXACT_WEIGHT]
    least = [one_ply + LEAST * length * pace for length in lengths]
    for left in range(EXACT + 1, len(lengths)):
        if least[left] > MOST * mean:
            weights[left] = 0.0
    total = mean * (len(lengths) - 1) - one_ply * (weights.count(0.0) - 1)
    while True:
        each = total / max(1e-9, sum(weights))
        seconds = [min(weight * each, MOST * mean) for weight in weights]
        kept = [left for left, weight in enumerate(weights) if weight]
        if all(seconds[left] >= least[left] for left in kept if left > EXACT):
            return [x or one_ply for x in seconds]
        weights[kept[-1]] = 0.0  # the one furthest from the end
        total -= one_ply


def turns_ahead(left, players, turns, near):
    """Return the own turns that simulations play; near the end MAX_TURNS, which reaches the end."""
    return MAX_TURNS if left <= near + EARLIER[players] else turns


def prior_of(turns, prior):
    """Return the simulations that the first value counts as: few if simulations reach the end."""
    return min(prior, 1) if turns == MAX_TURNS else prior


@njit
def stratify(state, searched, number):
    """Exchange the first draw of a deal so that simulations draw every tile of the pile in turn.

    Each kind then comes up as often as its probability says, as if dice were quasi-random.
    ``searched``: the position of the search; ``number``: of the simulation.
    """
    draws = state.jungle_draws
    first, end = np.int64(state.jungle_drawn), np.int64(state.num_jungle)
    if first < end:
        wanted = searched.jungle_draws[first + number % (end - first)]
        place = first
        while draws[place] != wanted:
            place += 1
        draws[place] = draws[first]
        draws[first] = wanted


@njit
def look_ahead(
    net: Net,
    scratch: Scratch,
    work: Work,
    states: StateArray,
    ids: i8x1,
    alive: i8,
    sums: f8x1,
    passes: i8,
    top: i8,
    turns: i8,
    rng: RngArray,
) -> None:
    """Add ``passes`` simulations of the first ``alive`` candidates to ``sums``."""
    tree, to_end = work.tree, turns == MAX_TURNS
    utilities = np.zeros(MAX_PLAYERS)
    here = np.empty(2, STATE)
    dice = np.empty(1, np.uint64)
    actions = np.empty(MAX_LEGAL, np.int64)
    values = np.zeros(MAX_LEGAL)
    seat = np.int64(states[0].seat)
    for _ in range(passes):
        here[0] = states[0]
        redeal(here[0], seat, rng)
        stratify(here[0], states[0], tree.passes[0])
        tree.passes[0] += 1
        bits = next_bits(rng)
        for i in range(alive):
            here[1] = here[0]
            state = here[1]
            step_turn(state, ids[i])
            dice[0] = bits
            turn = states[0].turn
            left = turns
            total = 0.0
            seen = 0
            line = extended(np.uint64(0), ids[i])
            while state.phase != OVER:
                count = value_actions(net, scratch, work, state, top, FILL, actions, values, dice)
                best = np.argmax(values[:count]) if count > 1 else 0
                if to_end:
                    if count > 1 and state.phase == PLACE:
                        best = choose_reply(tree, state, line, actions, values, count)
                    line = extended(line, actions[best])
                elif state.phase == PLACE and state.seat == seat and state.turn > turn:
                    left -= 1
                    if count > 1:
                        total += values[best]
                        seen += 1
                        if left <= 0:
                            break
                step_turn(state, actions[best])
            if state.phase == OVER:
                expect(net, scratch, state, seat)
                players = np.int64(state.num_players)
                for other in range(players):
                    utilities[other] = utility_of(
                        scratch.win_shares, scratch.scores, players, other
                    )
                record(tree, utilities)
                total += utilities[seat]
                seen += 1
            sums[i] += total / seen


SEARCH = "+search"
SEARCH_PARAMETERS = {
    "ms": Parameter(16, 0, 600_000, "milliseconds a placement, unless sims are given"),
    "sims": Parameter(0, 0, 1_000_000, "simulations a placement, instead of ms"),
    "width": Parameter(
        CANDIDATES, 1, 256, "placements that are simulated, the best by the network"
    ),
    "inner": Parameter(
        0, 0, 256, "placements evaluated inside simulations; 0 for the network's own"
    ),
    "turns": Parameter(TURNS, 1, 36, "own turns that a simulation plays"),
    "near": Parameter(
        NEAR,
        0,
        99,
        "placements left from which simulations play to the end, 3 more for each player beyond 2",
    ),
    "prior": Parameter(PRIOR, 0, 100_000, "simulations that the network's first value counts as"),
    "exact": Parameter(EXACT, 0, 6, "placements left from which the end is solved"),
}


def split_search(name: str) -> tuple[str, dict[str, Any] | None]:
    """Split a name into the checkpoint's and the search's parameters, None without a search.

    ValueError names what is wrong.
    """
    base, plus, rest = name.partition(SEARCH)
    if not plus:
        return base, None
    if rest and not rest.startswith(":"):
        raise AgentError(f"{name!r}: expected {SEARCH} or {SEARCH}:ms=... after the checkpoint")
    given = parse_values(f"search in {name!r}", rest[1:], SEARCH_PARAMETERS)
    by_time = "ms" in [item.partition("=")[0] for item in rest[1:].split(",")]
    if given["sims"] and not by_time:
        given["ms"] = 0
    if given["inner"] == 1:  # a single placement is not valued, so no simulation would end with it
        raise AgentError(f"search in {name!r}: inner is 1, expected 0 or at least 2")
    if (given["ms"] == 0) == (given["sims"] == 0):
        raise AgentError(
            f"search in {name!r} has ms={given['ms']} and sims={given['sims']}, expected one of them"
        )
    return base, given


class SearchAgent(ValueAgent):
    """A network with search: ``sims`` simulations a placement or, if not 0, ``ms`` milliseconds.

    ``ms`` is the mean over the placements of a game (``time_bank``).  An analysis takes ``ms``.
    """

    def __init__(
        self,
        net: Net,
        name: str = "search",
        manifest: dict[str, Any] | None = None,
        sims: int = 32,
        ms: int = 0,
        width: int = CANDIDATES,
        inner: int = 0,
        turns: int = TURNS,
        near: int = NEAR,
        prior: int = PRIOR,
        exact: int = EXACT,
    ) -> None:
        super().__init__(net, name, manifest)
        self.sims, self._ms = sims, ms
        self._width, self._turns, self._near = width, turns, near
        self._inner = inner or net.inner
        self._prior, self._exact = prior, exact
        self._pace = PACE * self._inner

    def choose(self, states: StateArray, rng: RngArray) -> int:
        """Choose for an array of one state in which everything hidden has been dealt again."""
        begin = time.perf_counter()
        ids, values = self.evaluate(states, rng)
        if len(ids) == 1:
            return int(ids[0])
        seconds = self._seconds(states)
        nodes = NODES_A_MS * 1000 * seconds if self._ms else NODES_A_SIM * self.sims
        solved = int(solve(states, self._exact, UTILITY, min(NODES, int(nodes))))
        if solved != NOT_SOLVED:
            return solved
        if states[0].phase != PLACE:
            return int(ids[np.argmax(values)])
        self._search(states, rng, ids, values, begin, seconds)
        return int(ids[0])

    def _seconds(self, states: StateArray) -> float:
        """The time for this placement, 0 without a limit in time."""
        if not self._ms:
            return 0.0
        players, tiles = int(states[0].num_players), int(states[0].tiles_each)
        lengths = tuple(self._length(left, players) for left in range(players * tiles + 1))
        pace = 2 ** (round(2 * math.log2(self._pace)) / 2)  # a few values, so that banks are reused
        one_ply = ONE_PLY * pace * self.net.top / self._inner
        bank = time_bank(players, lengths, self._ms / 1000, one_ply, pace)
        return bank[int(placements_left(states[0]))]

    def _length(self, left: int, players: int) -> int:
        """How many placements a simulation plays with so many left."""
        return min(left, players * turns_ahead(left, players, self._turns, self._near))

    def expect(
        self, states: StateArray, action: int, rng: RngArray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the win shares and final scores, float64 (players,), expected after an action.

        They are the network's or, where simulations reach the end, the mean of their outcomes.
        """
        left, players = int(placements_left(states[0])), int(states[0].num_players)
        if turns_ahead(left, players, self._turns, self._near) < MAX_TURNS:
            return super().expect(states, action, rng)
        (net, scratch, work), ids, sums = self.tools, np.array([action]), np.zeros(1)
        found = np.zeros((2, players))
        begin_search(work.tree)
        for _ in range(TOLD):
            # One turn less than all, which no seat has: to the end, with no replies tried out.
            about = states, ids, 1, sums, 1, self._inner, MAX_TURNS - 1, rng
            look_ahead(net, scratch, work, *about)
            found += scratch.win_shares[:players], scratch.scores[:players]
        return found[0] / TOLD, found[1] / TOLD

    def _consider(self, states: StateArray, rng: RngArray) -> Analysis:
        begin = time.perf_counter()
        ids, values = self.evaluate(states, rng)
        if len(ids) == 1:
            return certain(int(ids[0]))
        solved = solved_analysis(states, self._exact)
        if solved is not None:
            return solved
        if states[0].phase != PLACE:
            return from_values(ids, values, SPREAD, UNIT)
        means, visits = self._search(states, rng, ids, values, begin, self._ms / 1000)
        if not visits.any():
            return from_values(ids, values, SPREAD, UNIT)
        return from_visits(ids[: len(means)], means, visits, UNIT)

    def _search(
        self,
        states: StateArray,
        rng: RngArray,
        ids: np.ndarray,
        values: np.ndarray,
        begin: float,
        seconds: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Move the best actions to the front; return mean utility and simulations of each.

        With a limit in time as many are simulated as there is time for, or none.
        """
        left, players = int(placements_left(states[0])), int(states[0].num_players)
        turns = turns_ahead(left, players, self._turns, self._near)
        length = self._length(left, players)
        tried = min(self._width, len(ids))
        if seconds:
            rest = begin + seconds - time.perf_counter()
            # Rounds of one pass each, of n, n / 2 ... 2 candidates, are 2 n - 2 simulations.
            tried = min(tried, 1 + int(rest / (2 * length * self._pace)))
        keep_best(ids, values, len(ids), max(1, tried))
        if tried < 2:
            # The machine may have been busy, or compiling, when the pace was measured.  Without
            # simulations it is not measured again, so the time of the decision itself bounds it.
            spent = max(1e-6, time.perf_counter() - begin)
            self._pace = min(self._pace, 2 * spent * self._inner / (ONE_PLY * len(ids)))
            return values[:1], np.zeros(1, np.int64)
        prior = prior_of(turns, self._prior)
        sums = prior * values[:tried]

        def run(ids: Any, alive: int, sums: Any, passes: int) -> None:
            about = ids, alive, sums, passes, self._inner, turns, rng
            look_ahead(*self.tools, states, *about)

        begin_search(self.tools[2].tree)
        start = time.perf_counter()
        visits = halve(run, ids, sums, tried, self.sims, begin, 1000 * seconds)
        spent = time.perf_counter() - start
        pace = spent / (int(visits.sum()) * length)
        self._pace += 0.2 * (min(pace, 2 * self._pace) - self._pace)
        return sums / (visits + prior), visits
