"""Stable-Baselines3 and sb3-contrib: MaskablePPO on one environment, on SB3's batches and on ours."""

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

import cacao_env  # noqa: F401
from cacao_env.envs.sb3 import CacaoVecEnv
from cacao_env.envs.versus import VersusGames


def make():
    """One seat against greedy; an illegal action would be an error, so none is played."""
    return gymnasium.make(
        "cacao_env/Cacao-v0",
        opponents="greedy",
        table_size=15,
        illegal="raise",
        disable_env_checker=True,
    )


def main():
    """Train a little on each."""
    check_env(gymnasium.make("cacao_env/Cacao-v0", table_size=15).unwrapped)
    print("check_env passes")
    games = VersusGames(4, "greedy", table_size=15, seed=0)
    for name, env, policy in (
        ("one environment", make(), "MultiInputPolicy"),
        ("DummyVecEnv", DummyVecEnv([make] * 2), "MultiInputPolicy"),
        ("SubprocVecEnv", SubprocVecEnv([make] * 2), "MultiInputPolicy"),
        ("this project's batch", CacaoVecEnv(games), "MlpPolicy"),
    ):
        model = MaskablePPO(policy, env, n_steps=64, batch_size=64, n_epochs=1, seed=0)
        model.learn(128)
        print(f"MaskablePPO on {name}: {model.num_timesteps} steps")
        env.close()
    env = make()
    observation, _ = env.reset(seed=0)
    action, _ = model.predict(games.observations, action_masks=games.action_masks == 1)
    assert (games.action_masks[np.arange(4), action] == 1).all()
    assert get_action_masks(env).sum() == observation["action_mask"].sum()


if __name__ == "__main__":  # SubprocVecEnv starts this module again
    main()
