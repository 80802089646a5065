"""AgileRL: a DQN that plays both seats, with the legal actions in the infos."""

import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components.data import Transition
from agilerl.components.replay_buffer import ReplayBuffer

from cacao_env import cacao_v0

env = cacao_v0.raw_env(table_size=15, mask_in="info")  # a flat observation, the mask beside it
agent = DQN(env.observation_space("player_0"), env.action_space("player_0"), batch_size=32)
memory = ReplayBuffer(max_size=1000)
legal = 0
for game in range(2):
    env.reset(seed=game)
    before = {}  # each seat's last observation and action
    for name in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if name in before:
            seen, action = before[name]
            step = Transition(
                obs=seen, action=action, reward=reward, next_obs=observation, done=terminated
            ).to_tensordict()
            step.batch_size = []
            memory.add(step.unsqueeze(0))
        if terminated or truncated:
            env.step(None)
            continue
        mask = info["action_mask"]
        action = int(np.asarray(agent.get_action(observation, 0.5, action_mask=mask)).item())
        assert mask[action] == 1
        legal += 1
        before[name] = observation, action
        env.step(action)
loss = agent.learn(memory.sample(agent.batch_size))
assert torch.isfinite(torch.as_tensor(loss)).all()
print(f"{legal} decisions by DQN, all of them legal, and an update")
