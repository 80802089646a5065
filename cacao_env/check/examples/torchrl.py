"""TorchRL: GymEnv, PettingZooWrapper, check_env_specs, and a step of masked PPO by self-play."""

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs.libs.gym import GymEnv
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType, check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from cacao_env import cacao_v0

torch.manual_seed(0)
one_seat = GymEnv("cacao_env/Cacao-v0", opponents="greedy", table_size=15, illegal="lose")
check_env_specs(one_seat)
print("check_env_specs passes on GymEnv")

group = "agents"  # all seats share one network
env = PettingZooWrapper(
    cacao_v0.env(table_size=15), use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP, seed=0
)
check_env_specs(env)
print("check_env_specs passes")

seen = (group, "observation", "observation")
size = env.observation_spec[seen].shape[-1]
count = env.full_action_spec[group, "action"].space.n
policy = ProbabilisticActor(
    TensorDictModule(
        nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, count)),
        in_keys=[seen],
        out_keys=[(group, "logits")],
    ),
    in_keys={"logits": (group, "logits"), "mask": (group, "action_mask")},
    out_keys=[(group, "action")],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
    log_prob_key=(group, "log_prob"),
)
critic = ValueOperator(
    nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, 1)),
    in_keys=[seen],
    out_keys=[(group, "state_value")],
)

with torch.no_grad():
    steps = env.rollout(200, policy)  # to the end of the game
acting = steps[group, "mask"]  # one agent at each step
actions = steps[group, "action"].unsqueeze(-1)
legal = steps[group, "action_mask"].gather(-1, actions).squeeze(-1)
assert (acting.sum(-1) == 1).all()
assert legal[acting].all()
rewards = steps["next", group, "reward"]
assert abs(rewards.sum()) < 1e-6  # zero-sum, all of it at the end
print(f"a masked rollout of {len(steps)} decisions, all of them legal")

returns = rewards.flip(0).cumsum(0).flip(0)[acting]
data = TensorDict({group: steps[group][acting]}, batch_size=[len(returns)])
with torch.no_grad():
    critic(data)
data["advantage"] = returns - data[group, "state_value"]
data["value_target"] = returns
loss = ClipPPOLoss(policy, critic)
loss.set_keys(
    action=(group, "action"), sample_log_prob=(group, "log_prob"), value=(group, "state_value")
)
optimizer = torch.optim.Adam(loss.parameters(), lr=3e-4)
for _ in range(3):
    found = loss(data)
    total = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
assert torch.isfinite(total)
print(f"three steps of PPO, loss {total.item():.3f}")
