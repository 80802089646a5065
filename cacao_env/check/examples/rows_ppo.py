"""PPO in plain torch, in one file, on candidate rows: one seat against greedy."""

import sys

import gymnasium
import torch
from torch import nn

import cacao_env  # noqa: F401  # registers cacao_env/Cacao-v0
from cacao_env.greedy.candidates import Candidates

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 2  # 400: about twenty minutes
GAMES, TURNS, EPOCHS, BATCH, LAMBDA, CLIP = 128, 64, 3, 1024, 0.95, 0.2


class Net(nn.Module):
    """The same weights score every row; the value sees the best of all rows."""

    def __init__(self, columns, width=64):
        super().__init__()
        self.row, self.context = nn.Linear(columns, width), nn.Linear(columns, width)
        self.deeper, self.score = nn.Linear(width, width), nn.Linear(width, 1)
        self.value = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, seen):
        """(B, rows + 1, columns) -> the distribution over rows, and values (B,)."""
        legal = seen[:, :-1, 0] > 0
        hidden = torch.relu(self.row(seen[:, :-1]) + self.context(seen[:, -1:]))
        hidden = torch.relu(self.deeper(hidden)) * legal.unsqueeze(2)
        logits = self.score(hidden).squeeze(2).masked_fill(~legal, -1e9)
        choices = torch.distributions.Categorical(logits=logits, validate_args=False)
        return choices, self.value(hidden.max(1).values).squeeze(1)


envs = gymnasium.make_vec(
    "cacao_env/Cacao-v0",
    num_envs=GAMES,
    opponents="greedy",
    decisions="turn",
    reward="shaped",
    observation=Candidates(rows=24, replies=16),
    mask_in="info",
)
seen = torch.from_numpy(envs.reset(seed=0)[0])
net = Net(seen.shape[2])
optimizer = torch.optim.Adam(net.parameters(), eps=1e-5)
for number in range(ROUNDS):
    optimizer.param_groups[0]["lr"] = 1e-3 - 9e-4 * number / ROUNDS
    states, actions, log_probs, values, rewards, ends, shares = [], [], [], [], [], [], []
    for _ in range(TURNS):
        choices, value = net(seen)
        action = choices.sample()
        states.append(seen), actions.append(action), values.append(value.detach())
        log_probs.append(choices.log_prob(action).detach())
        after, reward, over, _, info = envs.step(action.numpy())
        seen = torch.from_numpy(after)
        rewards.append(torch.from_numpy(reward).float()), ends.append(torch.from_numpy(over))
        shares += info["final_info"]["win_share"][over].tolist() if over.any() else []
    ahead, advantages, later = torch.zeros(GAMES), [], net(seen)[1].detach()
    for t in reversed(range(TURNS)):
        ahead = rewards[t] - values[t] + ~ends[t] * (later + LAMBDA * ahead)
        later = values[t]
        advantages.insert(0, ahead)
    states, actions, log_probs, values, advantages = map(
        torch.cat, (states, actions, log_probs, values, advantages)
    )
    returns, scaled = values + advantages, (advantages - advantages.mean()) / advantages.std()
    for rows in torch.cat([torch.randperm(len(states)) for _ in range(EPOCHS)]).split(BATCH):
        choices, value = net(states[rows])
        ratio = (choices.log_prob(actions[rows]) - log_probs[rows]).exp()
        gain = torch.minimum(ratio * scaled[rows], ratio.clamp(1 - CLIP, 1 + CLIP) * scaled[rows])
        gain += 0.005 * choices.entropy()
        loss = (value - returns[rows]).square().mean() - gain.mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
print(f"PPO on rows: {len(states) * ROUNDS} turns, {sum(shares) / len(shares):.0%} wins at last")
