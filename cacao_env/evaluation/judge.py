"""Judge decisions: exactly near the end, before it by playouts of a value network.

Playouts by a weak policy, such as greedy's, misjudge strong play.  The judge knows no more than the
deciding seat may know.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agent import decider, require
from ..agents.checkpoint import VALUE_NET, find, network_of, shipped_names
from ..agents.endgame import NODES_TO_JUDGE, add_end_gold, exact_values
from ..agents.halving import halve
from ..agents.mc import best_actions
from ..agents.utility import RELATIVE_SCORE, value_of
from ..agents.value.agent import ValueAgent
from ..agents.value.net import Net, Scratch
from ..agents.value.search import SEARCH
from ..agents.value.turns import Work, value_actions
from ..engine.actions import MAX_LEGAL
from ..engine.decisions import MAX_DECISIONS
from ..engine.jit import njit
from ..engine.options import Options
from ..engine.rng import RngArray, new_rng
from ..engine.scoring import relative_score
from ..engine.state import EXPLICIT, FILL, OVER, STATE, StateArray, redeal
from ..engine.tiles import MAX_PLAYERS
from ..engine.types import f8x1, f8x3, i8, i8x1
from ..game import Game
from ..gold_sources import SOURCES, add_sources
from ..greedy.turn import step_turn
from ..registry import load_agent

LOOK = 24  # comparing playouts after which it is asked whether more are needed


@njit
def network_playout(
    net: Net,
    scratch: Scratch,
    work: Work,
    states: StateArray,
    ids: i8x1,
    alive: i8,
    inner: i8,
    rng: RngArray,
    sums: f8x1,
    gold: f8x3,
) -> None:
    """Play on after each of the first ``alive`` actions of ``states[0]``, and add what comes of it.

    The network plays all seats to the end and evaluates ``inner`` placements of a turn.  Everything
    hidden from the deciding seat is dealt again; all actions share this deal, draws included.
    ``sums``: float64 (alive,), the deciding seat's relative scores in gold; ``gold``: int64 (alive,
    MAX_PLAYERS, sources), every seat's from here on.
    """
    here = np.empty(3, STATE)
    actions, values = np.empty(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    line = np.empty(MAX_DECISIONS, np.int64)
    seat = np.int64(states[0].seat)
    here[0] = states[0]
    redeal(here[0], seat, rng)
    for i in range(alive):
        here[1] = here[0]
        state = here[1]
        line[0], played = ids[i], 1
        step_turn(state, ids[i])
        while state.phase != OVER:
            count = value_actions(net, scratch, work, state, inner, FILL, actions, values, rng)
            line[played] = actions[np.argmax(values[:count])] if count > 1 else actions[0]
            step_turn(state, line[played])
            played += 1
        sums[i] += value_of(state, seat, RELATIVE_SCORE)
        here[2] = here[0]
        here[2].decisions = EXPLICIT
        add_sources(here[2], np.int64(here[0].decisions), line[:played], gold[i])


def new_gold(actions: int) -> npt.NDArray[np.float64]:
    """Return what gold is added to, float64 (actions, MAX_PLAYERS, sources)."""
    return np.zeros((actions, MAX_PLAYERS, len(SOURCES)))


@dataclass(frozen=True)
class Verdict:
    """What an action loses against the best one found, for the deciding seat.

    ``loss``: the difference of their values, ``error``: half of its 95 % interval; ``gain``: the
    action's value less the mean of all actions compared.  All are in gold.  ``sources``: the reason of
    the loss, the difference of relative scores by source.
    """

    best: int
    loss: float
    error: float
    gain: float
    sources: dict[str, float] = field(default_factory=dict)


class Judge:
    """Judges decisions; ``network`` is the name of a value network without search.

    ``top``: candidates for the best action, the first by greedy; what the network would play and the
    action itself are candidates too.  ``within``: utility; greedy's candidates that the network finds
    worse than its best by more than this are left out.
    """

    def __init__(
        self, network: str, options: Options, top: int = 16, within: float = math.inf
    ) -> None:
        self._top, self._within = top, within
        agent = load_agent(network)
        if not isinstance(agent, ValueAgent) or SEARCH in network:
            raise ValueError(f"the judge {network!r} is not a value network without search")
        require(agent, options)
        self._agent = agent

    def by_playouts(
        self,
        game: Game,
        action: int,
        choosing: int,
        comparing: int,
        seed: int,
        settled: Callable[[float, float], bool] = lambda loss, error: False,
    ) -> Verdict:
        """Compare an action with the best candidate.

        ``choosing`` playouts a candidate, in the mean, find the best by sequential halving;
        ``comparing`` other ones compare it with the action, so that choosing it does not make the loss
        larger.  They are fewer if ``settled(loss, error)`` says after some that the loss is known well
        enough.
        """
        rng, (net, scratch, work) = new_rng(seed), self._agent.tools
        ids = np.array(list(dict.fromkeys([action, *self._candidates(game, rng)])))
        gold = new_gold(len(ids))

        def run(ids: Any, alive: int, sums: Any, passes: int) -> None:
            for _ in range(passes):
                network_playout(
                    net, scratch, work, game.states, ids, alive, net.inner, rng, sums, gold
                )

        sums = np.zeros(len(ids))
        means = sums / halve(run, ids, sums, len(ids), choosing * len(ids), 0.0, 0.0)
        gain = float(means[ids == action][0] - means.mean())
        if ids[0] == action:
            return Verdict(action, 0.0, 0.0, gain)
        both, outcomes = np.array([ids[0], action]), np.zeros((comparing, 2))
        gold[:] = 0
        for done in range(1, comparing + 1):
            run(both, 2, outcomes[done - 1], 1)
            if done == comparing or done % LOOK == 0:
                lost = outcomes[:done, 0] - outcomes[:done, 1]
                loss = float(lost.mean())
                error = 1.96 * float(lost.std()) / max(1, done - 1) ** 0.5
                if settled(loss, error):
                    break
        return Verdict(int(ids[0]), loss, error, gain, _by_source(game, gold / done))

    def _candidates(self, game: Game, rng: RngArray) -> list[int]:
        """Return what the network would play, then greedy's best."""
        found = np.empty(self._top, np.int64)
        by_greedy = found[: best_actions(game.states, self._top, found)].tolist()
        seen = game.determinise(decider(game), rng)
        ids, values = self._agent.evaluate(seen.states, rng)
        near = set(by_greedy)
        if self._within < math.inf:
            near = set(ids[values >= values.max() - self._within].tolist())
        return [int(ids[np.argmax(values)]), *(action for action in by_greedy if action in near)]


def solved(game: Game, action: int) -> Verdict | None:
    """Judge an action near the end exactly; None if that would take too long.

    Near the end all hands are known and draws are weighted by their probabilities, so the solution
    uses no more than the seat may know.
    """
    found = exact_values(game.states, RELATIVE_SCORE, NODES_TO_JUDGE)
    if found is None:
        return None
    ids, values = found
    own, most = float(values[ids == action][0]), float(values.max())
    gain = own - float(values.mean())
    if own >= most:
        return Verdict(action, 0.0, 0.0, gain)
    best, gold = int(ids[values.argmax()]), new_gold(2)
    followed = [
        add_end_gold(game.states, one, RELATIVE_SCORE, NODES_TO_JUDGE, row)
        for one, row in zip((best, action), gold, strict=True)
    ]
    return Verdict(best, most - own, 0.0, gain, _by_source(game, gold) if all(followed) else {})


def _by_source(game: Game, gold: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return what the gold of the first row is above that of the second, for the seat, by source."""
    players = game.num_players
    by_source = (gold[0, :players] - gold[1, :players]).T
    of_seat = [relative_score(column, decider(game), players) for column in by_source]
    return dict(zip(SOURCES, of_seat, strict=True))


def value_networks() -> list[tuple[str, ValueAgent]]:
    """Return the shipped value networks, without search, the best first."""
    folders = [(name, find(name)) for name in shipped_names()]
    names = [name for name, folder in folders if folder and network_of(folder) == VALUE_NET]
    loaded = [(name, load_agent(name)) for name in names]
    return [(name, one) for name, one in loaded if isinstance(one, ValueAgent)]
