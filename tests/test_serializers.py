"""Whatever has a state plays on after any serializer as if nothing had happened.

Ray and Dask hand out arrays that are read-only; joblib loses which arrays are the same.
"""

import copy
import pickle
from collections import defaultdict
from functools import partial
from typing import Any

import cloudpickle
import dill
import gymnasium
import joblib
import numpy as np
import pytest

from cacao_env import Game, cacao_v0
from cacao_env.agent import Agent
from cacao_env.envs.gym import CacaoEnv, CacaoVectorEnv
from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames
from cacao_env.registry import as_agent, load_agent
from tests.agents_for_tests import Half
from tests.games import played, random_legal
from tests.tiers import mostly_slow

SMALL = {"table_size": 15, "reward": "shaped"}


def out_of_band(one, dumps=pickle.dumps):
    """As Ray's object store hands out arrays: read-only."""
    buffers = []
    data = dumps(one, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(buffer.raw()) for buffer in buffers])


def by_joblib(one, folder, **more):
    joblib.dump(one, folder / "one")
    return joblib.load(folder / "one", **more)


WAYS = {
    "pickle 0": lambda one, _: pickle.loads(pickle.dumps(one, 0)),
    "pickle 5": lambda one, _: pickle.loads(pickle.dumps(one, 5)),
    "pickle out of band": lambda one, _: out_of_band(one),
    "cloudpickle": lambda one, _: pickle.loads(cloudpickle.dumps(one)),
    "as in Ray": lambda one, _: out_of_band(one, cloudpickle.dumps),
    "dill": lambda one, _: dill.loads(dill.dumps(one)),
    "joblib file": by_joblib,
    "joblib memory map": partial(by_joblib, mmap_mode="r"),
    "deepcopy": lambda one, _: copy.deepcopy(one),
}


# --- How each kind of object shows itself and plays on -----------------------------------------------


def play_pettingzoo(env, rng):
    env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    agent = env.agent_selection
    return [env.last(), env.infos, env.rewards, env.state(), agent, str(env.unwrapped.game)]


def play_gymnasium(env, rng):
    masks = env.unwrapped.action_masks()
    if masks.ndim == 2:
        return env.step(random_legal(masks, rng))
    return env.step(int(rng.choice(np.flatnonzero(masks))))


def play_batch(games, rng):
    games.step(random_legal(games.action_masks, rng))
    names = "observations", "action_masks", "rewards", "final_scores", "_potentials"
    return [getattr(games, name).copy() for name in names] + [str(games.game(0))]


def play_sb3(games, rng):
    games.step_async(random_legal(games.env_method("action_masks"), rng))
    return [games.step_wait(), games.env_method("action_masks").copy()]


def play_player(player, rng):
    """Ask a player and its agent in a position."""
    agent = player.agent
    game = played(agent.players[0], 5, 4 + 9 * int(rng.integers(4)))
    both = agent.act([game, game], [agent.begin(1), agent.begin(2)])
    return [both, player.act(game), vars(player.analyze(game))]


def begun(env):
    env.reset(seed=3)
    return env


def sb3(**more):
    from cacao_env.envs.sb3 import CacaoVecEnv

    games = CacaoVecEnv(VersusGames(2, "greedy", seed=1, **more))
    games.reset()
    return games


def agent(name):
    return as_agent(Half(3)) if name == "own" else load_agent(name)  # one with a state of its own


NAMES = "random greedy mc:sims=4 trinitario forastero trinitario+search:sims=8 own"
ROWS = {"observation": "candidates"}
CASES: dict[str, tuple[Any, Any]] = {
    **{
        f"{make.__name__} {form}": (
            lambda make=make, form=form: begun(make(observation=form, mask_in="both", **SMALL)),
            play_pettingzoo,
        )
        for make in (cacao_v0.raw_env, cacao_v0.env)
        for form in ("flat", "planes", "candidates")
    },
    **{
        f"{kind.__name__} {form}": (
            lambda kind=kind, form=form: begun(kind(observation=form, opponents="greedy", **SMALL)),
            play_gymnasium,
        )
        for kind in (CacaoEnv, CacaoVectorEnv)
        for form in ("flat", "planes", "candidates")
    },
    "gymnasium.make": (
        lambda: begun(gymnasium.make("cacao_env/Cacao-v0", opponents="mc:sims=2")),
        play_gymnasium,
    ),
    "gymnasium.make_vec": (
        lambda: begun(gymnasium.make_vec("cacao_env/Cacao-2p-greedy-v0", 3)),
        play_gymnasium,
    ),
    "VectorGames flat": (lambda: VectorGames(3, seed=1, **SMALL), play_batch),
    "VectorGames candidates": (lambda: VectorGames(3, seed=1, **ROWS), play_batch),
    "VersusGames flat": (lambda: VersusGames(3, "greedy", seed=1, **SMALL), play_batch),
    "VersusGames candidates": (lambda: VersusGames(3, "mc:sims=2", seed=1, **ROWS), play_batch),
    "CacaoVecEnv flat": (lambda: sb3(**SMALL), play_sb3),
    "CacaoVecEnv candidates": (lambda: sb3(**ROWS), play_sb3),
    **{
        f"player {name}": (lambda name=name: agent(name).player(np.int64(7)), play_player)
        for name in NAMES.split()
    },
}


@pytest.mark.parametrize("way", mostly_slow([*WAYS], fast=[[*WAYS].index("as in Ray")]))
@pytest.mark.parametrize("case", CASES)
def test_it_plays_on_after_any_serializer(case, way, tmp_path):
    for word, package in (("forastero", "onnxruntime"), ("CacaoVecEnv", "stable_baselines3")):
        if word in case:
            pytest.importorskip(package)
    make, play = CASES[case]
    one = make()
    for number in range(3):
        play(one, np.random.default_rng(number))
    other = WAYS[way](one, tmp_path)
    for number in range(3, 9):
        expected = play(one, np.random.default_rng(number))
        np.testing.assert_equal(play(other, np.random.default_rng(number)), expected)


class Counting(Agent):
    """An agent with structures of its own, some of them shared."""

    name = "counting"

    def __init__(self):
        self.asked = defaultdict(int)
        self.table = np.arange(4)
        self.views = [self.table]
        self.asked["self"] = 1
        self.loop = self.views
        self.views.append(self.loop)

    def act(self, games, memory):
        self.asked["act"] += 1
        return [int(game.legal_actions()[0]) for game in games]


@pytest.mark.parametrize("way", [way for way in WAYS if "joblib" not in way])
def test_structures_of_an_agent_stay_what_they_are(way, tmp_path):
    other = WAYS[way](Counting(), tmp_path)
    other.act([Game.new()], [None])
    assert (other.asked["act"], other.asked["none"]) == (1, 0)
    assert other.views[1] is other.loop
    if way not in ("pickle out of band", "as in Ray"):
        assert other.table is other.views[0]
