"""Every agent and environment in small without compiled code; all other tests do it with compiled code.

With NUMBA_DISABLE_JIT=1, as .ci/run calls it, reads out of bounds and overflows are errors.
"""

from functools import cache

import gymnasium
import numpy as np
import pytest

from cacao_env import Game, cacao_v0
from cacao_env.engine.jit import COMPILED
from cacao_env.envs.vector import VectorGames
from cacao_env.registry import load_agent
from tests import games
from tests.tiers import mostly_slow

pytestmark = pytest.mark.skipif(COMPILED, reason="functions are compiled: see above")

AGENTS = {
    "random": "random",
    "greedy": "greedy",
    "mc:sims=4,top=2": "mc",
    "trinitario": "value network",
    "trinitario+search:sims=2,width=2,inner=2,near=2,exact=1": "search",
    "forastero": "row network",
}
OPTIONS = [(2, False), (3, True), (4, False)]


@cache
def positions(players, volcanoes):
    """The last placement, fill and action of a random game: few legal actions, all parts at work."""
    game, rng = Game.new(players, 5, volcanoes=volcanoes), np.random.default_rng(5)
    last = {position.phase: position.clone() for position in games.positions(game, rng)}
    return [position for position in last.values() if not position.over]


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize(("players", "volcanoes"), mostly_slow(OPTIONS, fast=[1]))
def test_every_agent_decides_and_analyzes(name, players, volcanoes, monkeypatch):
    monkeypatch.setattr("cacao_env.agents.bots.FORECAST", 1)
    agent = load_agent(name)
    for game in positions(players, volcanoes):
        if not agent.supports(game.options):
            continue
        legal = set(game.legal_actions().tolist())
        memory = agent.begin(3)
        assert agent.act([game], [memory])[0] in legal
        assert set(agent.analyze(game, memory).actions.tolist()) <= legal


@pytest.mark.parametrize(("players", "volcanoes"), OPTIONS)
def test_every_environment_steps(players, volcanoes):
    options = {"num_players": players, "volcanoes": volcanoes, "table_size": 15}
    environment = cacao_v0.env(**options)
    environment.reset(seed=3)
    for _ in environment.agent_iter(8):
        environment.step(int(np.flatnonzero(environment.last()[0]["action_mask"])[-1]))
    batch = VectorGames(2, seed=3, **options)
    for _ in range(8):
        batch.step(batch.sample())
    single = gymnasium.make("cacao_env/Cacao-v0", opponents="greedy", **options)
    observation, _ = single.reset(seed=3)
    many = gymnasium.make_vec("cacao_env/Cacao-v0", num_envs=2, opponents="random", **options)
    observations, _ = many.reset(seed=3)
    for _ in range(3):
        observation, *_ = single.step(int(observation["action_mask"].argmax()))
        observations, *_ = many.step(observations["action_mask"].argmax(axis=1))
