"""Gymnasium: its checker, make, make_vec, statistics and videos of episodes."""

import importlib.util
import tempfile

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import cacao_env  # noqa: F401  # registers cacao_env/Cacao-v0

rng = np.random.default_rng(0)


def choose(observation):
    """A random legal action."""
    return rng.choice(np.flatnonzero(observation["action_mask"]))


def play(env):
    """One episode; the info of its last step."""
    observation, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        observation, _, terminated, _, info = env.step(choose(observation))
    return info


env = gymnasium.make("cacao_env/Cacao-v0", opponents="greedy", table_size=15)
check_env(env.unwrapped, skip_render_check=True)
print("check_env passes")

info = play(gymnasium.wrappers.RecordEpisodeStatistics(env))
assert info["episode"]["l"] > 10
print("RecordEpisodeStatistics:", info["episode"])

envs = gymnasium.make_vec("cacao_env/Cacao-v0", num_envs=8, table_size=15)
envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
observations, infos = envs.reset(seed=0)
ended = 0
while ended < 8:
    actions = [rng.choice(np.flatnonzero(mask)) for mask in observations["action_mask"]]
    observations, rewards, terminations, truncations, infos = envs.step(np.array(actions))
    ended += terminations.sum()
print("make_vec:", ended, "episodes")

if importlib.util.find_spec("moviepy") and importlib.util.find_spec("PIL"):
    with tempfile.TemporaryDirectory() as folder:
        env = gymnasium.make("cacao_env/Cacao-v0", table_size=15, render_mode="rgb_array")
        env = gymnasium.wrappers.RecordVideo(env, folder, disable_logger=True)
        play(env)
        env.close()
    print("RecordVideo writes a video")
else:
    print("RecordVideo was left out: it needs moviepy and pillow")
