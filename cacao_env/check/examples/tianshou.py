"""Tianshou: its PettingZooEnv, and a little masked Q-learning by all seats."""

import numpy as np
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

from cacao_env import cacao_v0


def make():
    """A game as Tianshou sees it; an illegal action would be an error, so none is played."""
    return PettingZooEnv(cacao_v0.raw_env(table_size=15))


env = make()


def learner():
    """One seat's network."""
    model = Net(
        state_shape=env.observation_space["observation"].shape,
        action_shape=env.action_space.n,
        hidden_sizes=[64],
    )
    policy = DiscreteQLearningPolicy(model=model, action_space=env.action_space, eps_training=0.1)
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=50)


algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner() for _ in env.agents], env=env)
collector = Collector(
    algorithm, DummyVectorEnv([make, make]), VectorReplayBuffer(2000, 2), exploration_noise=True
)
collector.reset()
for _ in range(2):
    with policy_within_training_step(algorithm.policy):
        collected = collector.collect(n_episode=2)
        algorithm.update(buffer=collector.buffer, sample_size=64)
batch, _ = collector.buffer.sample(0)
masks = np.array(batch.obs.mask)
assert masks[np.arange(len(masks)), batch.act].all()
assert (collected.returns.sum(axis=1) == 0).all()
print(f"self-play of {len(masks)} decisions, all of them legal, and two updates")
