"""MaskablePPO-rows: sb3-contrib's, with its own policy on candidate rows, one decision a turn."""

import sys

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from cacao_env.envs.sb3 import CacaoVecEnv
from cacao_env.envs.versus import VersusGames
from cacao_env.greedy.candidates import Candidates

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 4096  # 3_000_000: about twenty minutes
SIZE = Candidates(rows=24, replies=16)


class Scorer(BaseFeaturesExtractor):
    """The same weights score every row; the features are the scores and what is best of all rows."""

    def __init__(self, space, width=64):
        rows, columns = space.shape
        super().__init__(space, rows - 1 + width)
        self.row, self.context = nn.Linear(columns, width), nn.Linear(columns, width)
        self.deeper, self.score = nn.Linear(width, width), nn.Linear(width, 1)

    def forward(self, seen):
        """(B, rows + 1, columns) -> (B, rows + width)."""
        hidden = torch.relu(self.row(seen[:, :-1]) + self.context(seen[:, -1:]))
        hidden = torch.relu(self.deeper(hidden)) * seen[:, :-1, :1]  # column 0: there is a choice
        return torch.cat([self.score(hidden).squeeze(2), hidden.max(1).values], 1)


def make(count, seed):
    """Games of one seat against greedy; a step is a turn."""
    games = VersusGames(
        count, "greedy", decisions="turn", reward="shaped", observation=SIZE, seed=seed
    )
    return CacaoVecEnv(games)


def win_rate(model, games=200):
    """The mean win share of the model's best placements against greedy."""
    env, shares = make(64, seed=1_000_000), []
    seen = env.reset()
    while len(shares) < games:
        actions, _ = model.predict(seen, action_masks=env.action_masks(), deterministic=True)
        seen, *_ = env.step(actions)
        shares += [share for share, _ in env.take_ended()]
    return sum(shares) / len(shares)


model = MaskablePPO(
    "MlpPolicy",
    make(128, seed=0),
    n_steps=64,
    batch_size=1024,
    n_epochs=3,
    gamma=1.0,
    learning_rate=lambda left: 1e-4 + 9e-4 * left,
    ent_coef=0.005,
    policy_kwargs={
        "features_extractor_class": Scorer,
        "net_arch": {"pi": [], "vf": [64]},
        "normalize_images": False,
    },
    seed=0,
    device="cpu",
)
with torch.no_grad():  # a row's logit is its score, to begin with
    model.policy.action_net.weight.copy_(torch.eye(*model.policy.action_net.weight.shape))
model.learn(STEPS)
model.save(sys.argv[2]) if len(sys.argv) > 2 else None
print(
    f"MaskablePPO on rows: {model.num_timesteps} turns, wins {win_rate(model):.0%} against greedy"
)
