"""PettingZoo: its own tests, its registry, and copies of a game in the middle."""

import copy
import pickle

import numpy as np
import pettingzoo
from pettingzoo.test import api_test, seed_test

from cacao_env import cacao_v0

rng = np.random.default_rng(0)


def choose(env):
    """A random legal action for the agent whose turn it is, None if its game is over."""
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        return None
    return rng.choice(np.flatnonzero(observation["action_mask"]))


for options in ({}, {"num_players": 4, "table_size": 15, "volcanoes": True}):
    api_test(cacao_v0.env(**options), num_cycles=200)
    seed_test(lambda: cacao_v0.env(**options), num_cycles=100)  # noqa: B023
print("api_test and seed_test pass")

if hasattr(pettingzoo, "make"):  # newer versions have a registry
    env = pettingzoo.make("aec", "cacao_env/cacao_v0", num_players=3)
    env.reset(seed=0)
    assert env.num_agents == 3
    print("it is in the registry")
else:
    print("the registry was left out: this version has none")

env = cacao_v0.env(num_players=4, table_size=15)
env.reset(seed=1)
for _ in range(12):
    env.step(choose(env))
twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
for _ in range(50):
    action = choose(env)
    for twin in twins:
        np.testing.assert_equal(twin.last(), env.last())
        twin.step(action)
    env.step(action)
print("copies and pickles in mid-game give the same 50 observations")
