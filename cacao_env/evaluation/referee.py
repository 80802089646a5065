"""A referee of decisions far from the end: playouts by value networks, each in its turn.

Playouts by a weak policy, such as greedy's, misjudge strong play, and those by an agent's own network
share its errors.  So several networks play them, which need not be the agent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np

from ..agents.agent import Agent, require
from ..agents.halving import halve
from ..agents.mc import candidates_into
from ..agents.playout import value_of
from ..agents.registry import installed_agents, load_agent
from ..agents.value.agent import ValueAgent
from ..agents.value.checkpoint import SEARCH
from ..agents.value.net import Net, new_scratch
from ..agents.value.turns import new_work, value_actions
from ..engine.actions import MAX_LEGAL
from ..engine.jit import njit
from ..engine.options import Options
from ..engine.rng import new_rng
from ..engine.state import FILL, OVER, STATE, redeal
from ..game import Game
from ..greedy.turn import step_turn


@njit
def play_out(net, scratch, work, states, ids, alive, sums, inner, objective, rng):
    """Add the outcome of each of the first ``alive`` actions of ``states[0]`` to ``sums``.

    The network plays all seats to the end and evaluates ``inner`` placements of a turn.  Everything
    hidden from the deciding seat is dealt again; all actions share this deal, draws included.
    """
    here = np.empty(2, STATE)
    actions, values = np.empty(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    seat = np.int64(states[0].seat)
    here[0] = states[0]
    redeal(here[0], seat, rng)
    for i in range(alive):
        here[1] = here[0]
        state = here[1]
        step_turn(state, ids[i])
        while state.phase != OVER:
            count = value_actions(net, scratch, work, state, inner, FILL, actions, values, rng)
            step_turn(state, actions[np.argmax(values[:count])] if count > 1 else actions[0])
        sums[i] += value_of(state, seat, objective)


class Referee:
    """Judges decisions by playouts of networks; ``names`` are value networks without search.

    Only one thread may use it at a time.
    """

    def __init__(self, names: Sequence[str], options: Options) -> None:
        self._agents: list[ValueAgent] = []
        for name in names:
            agent = load_agent(name)
            if not isinstance(agent, ValueAgent) or SEARCH in name:
                raise ValueError(f"the referee {name!r} is not a value network without search")
            require(agent, options)
            self._agents.append(agent)
        self._nets: list[tuple[Net, Any, Any]] = [
            (agent.net, new_scratch(agent.net), new_work()) for agent in self._agents
        ]

    def regret(
        self, game: Game, action: int, rollouts: int, top: int, seed: int, objective: int
    ) -> float:
        """Return the regret of an action against the best candidate.

        Candidates: greedy's ``top``, and what each network would play.  Half of the playouts choose
        the best by sequential halving; the others compare it with the action, so that choosing it
        does not make the regret larger.
        """
        rng = new_rng(seed)
        found = np.empty(top, np.int64)
        count = int(candidates_into(game.states, top, found))
        chosen = [agent.act([game], [rng])[0] for agent in self._agents]
        ids = np.array(list(dict.fromkeys([action, *chosen, *found[:count].tolist()])))
        turns = cycle(self._nets)

        def run(ids: Any, alive: int, sums: Any, passes: int) -> None:
            for _ in range(passes):
                net, scratch, work = next(turns)
                play_out(
                    net, scratch, work, game.states, ids, alive, sums, net.inner, objective, rng
                )

        half = rollouts // 2
        halve(run, ids, np.zeros(len(ids)), len(ids), half * len(ids), 0.0, 0.0)
        if ids[0] == action:
            return 0.0
        both, sums = np.array([ids[0], action]), np.zeros(2)
        run(both, 2, sums, rollouts - half)
        return float(sums[0] - sums[1]) / (rollouts - half)


def other_networks(agent: Agent) -> list[str]:
    """Return the shipped value networks that are not the agent's own."""
    names = [name for name, _ in installed_agents() if SEARCH not in name]
    loaded = [(name, load_agent(name)) for name in names]
    return [
        name
        for name, other in loaded
        if isinstance(other, ValueAgent) and other.version != agent.version
    ]
