"""The row network in torch, for training: :mod:`cacao_env.agents.row_policy` explains it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from cacao_env.agents.row_policy import load_row_policy
from cacao_env.greedy.columns import COLUMNS


class RowNet(nn.Module):
    """Observation (B, rows + 1, COLUMNS) -> logits of the rows (B, rows) and value (B,).

    Threads may share it.
    """

    def __init__(self, width: int = 128) -> None:
        super().__init__()
        self.width = width
        self.context = nn.Linear(COLUMNS, width)
        self.rows = nn.Linear(COLUMNS, width, bias=False)
        self.pooled = nn.Linear(width, width, bias=False)
        self.deeper = nn.Linear(width, width)
        self.score = nn.Linear(width, 1)
        self.value = nn.Sequential(nn.Linear(3 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, rows), not masked, and values (B,)."""
        observation = observation.reshape(observation.shape[0], -1, COLUMNS)  # SB3 flattens it
        rows = observation[:, :-1]
        legal = rows[..., :1]
        context = self.context(observation[:, -1])
        hidden = torch.relu(self.rows(rows) + context[:, None]) * legal
        pooled = self.pooled(hidden.max(1).values)
        hidden = torch.relu(self.deeper(hidden) + pooled[:, None]) * legal
        logits = self.score(hidden).squeeze(2)
        mean = hidden.sum(1) / legal.sum(1).clamp(min=1)
        common = torch.cat((torch.relu(context), hidden.max(1).values, mean), 1)
        return logits, self.value(common).squeeze(1)

    def like(self) -> RowNet:
        """A new network of the same size."""
        return RowNet(self.width)

    def make_actions_equally_likely(self) -> None:
        """Scale down the last layers: PPO starts with every legal action about equally likely."""
        nn.init.orthogonal_(self.score.weight, 0.01)
        nn.init.zeros_(self.score.bias)

    def params(self) -> dict[str, np.ndarray[Any, Any]]:
        """A copy of the weights as arrays."""
        return {name: x.detach().cpu().numpy().copy() for name, x in self.named_parameters()}


def load_rows(folder: str | Path) -> tuple[RowNet, tuple[int, int]]:
    """Load the network of a checkpoint, and the shape of its observations; or CheckpointError."""
    agent = load_row_policy(folder)
    net = RowNet(agent.manifest["rules"]["width"])
    net.load_state_dict({name: torch.from_numpy(x) for name, x in agent.net.params.items()})
    net.eval()
    return net, agent.view.shape
