"""Masked DQN by Tianshou on candidate rows: one seat against greedy, one decision a turn."""

import sys

import gymnasium
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from torch import nn

import cacao_env  # noqa: F401  # registers cacao_env/Cacao-v0
from cacao_env.greedy.candidates import Candidates

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 4  # 10_000: some twenty minutes
GAMES, TURNS, UPDATES = 16, 64, 4


class Values(nn.Module):
    """The same weights evaluate every row: (B, rows + 1, columns) -> (B, rows)."""

    def __init__(self, columns, width=64):
        super().__init__()
        self.row, self.context = nn.Linear(columns, width), nn.Linear(columns, width)
        self.rest = nn.Sequential(
            nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
        )

    def forward(self, obs, state=None, info=None):
        """Tianshou's call: the values of actions, and no state."""
        seen = torch.as_tensor(obs, dtype=torch.float32)
        hidden = self.row(seen[:, :-1]) + self.context(seen[:, -1:])
        return self.rest(hidden).squeeze(2), state


def make():
    """A game with the names that Tianshou looks for; an illegal action would be an error."""
    env = gymnasium.make(
        "cacao_env/Cacao-v0",
        opponents="greedy",
        decisions="turn",
        reward="shaped",
        observation=Candidates(rows=24, replies=16),
        illegal="raise",
        disable_env_checker=True,
    )
    return gymnasium.wrappers.TransformObservation(
        env, lambda seen: {"obs": seen["observation"], "mask": seen["action_mask"] > 0}, None
    )


env = make()
columns = env.unwrapped.observation_space["observation"].shape[1]
policy = DiscreteQLearningPolicy(
    model=Values(columns), action_space=env.unwrapped.action_space, eps_training=0.1
)
algorithm = DQN(
    policy=policy, optim=AdamOptimizerFactory(lr=5e-4), gamma=1.0, target_update_freq=500
)
buffer = VectorReplayBuffer(100_000, GAMES)
collector = Collector(algorithm, DummyVectorEnv([make] * GAMES), buffer, exploration_noise=True)
collector.reset()
for _ in range(ROUNDS):
    with policy_within_training_step(policy):
        collector.collect(n_step=TURNS)
        for _ in range(UPDATES):
            algorithm.update(buffer=buffer, sample_size=256)
batch, _ = buffer.sample(0)
chosen = batch.obs.mask[range(len(batch)), batch.act]
assert chosen.all()
wins = batch.info.win_share[batch.done][-200:]
print(f"DQN on rows: {ROUNDS * TURNS} turns, all legal, wins {wins.mean():.0%} against greedy")
