"""A small network that reads the table cell by cell, and its policy for sb3-contrib.

Every worker cell of the window is described by what lies around it and scored with the same
weights, so what is learnt at one cell holds at all.  From those descriptions come a logit for each
placement (cell * variant), the logits of fills and actions, and the value.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from cacao_env.actions import ACT_ACTIONS, FILL_ACTIONS
from cacao_env.geometry import window_cell
from cacao_env.observation import CHANNELS, layout
from cacao_env.tiles import NUM_VARIANTS

from .masked import LeanMaskable

LATE_ACTIONS = FILL_ACTIONS + ACT_ACTIONS
# What is read around a worker cell: the jungle cells beside it, the worker cells beyond those.
JUNGLE_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
WORKER_STEPS = ((0, 0), (-1, -1), (-1, 1), (1, 1), (1, -1), (-2, 0), (0, 2), (2, 0), (0, -2))
_NAMES = [name for name, _, _ in CHANNELS]
_JUNGLE_CHANNELS = (*range(_NAMES.index("workers_north")), _NAMES.index("to_fill"))
_LAST = _NAMES.index("last")


def patch_index(num_players: int, table_size: int) -> np.ndarray[Any, Any]:
    """Where in the flat board each number of each worker cell's surroundings stands.

    Shape (worker cells, patch size); cells outside the window point one past the board's end.
    """
    board = layout(num_players, table_size)[0]
    channels = board.shape[0]
    outside = board.stop
    worker_channels = [c for c in range(channels) if c not in _JUNGLE_CHANNELS]
    rows = []
    for index in range(table_size**2 // 2):
        row, column = window_cell(index, table_size)
        row_index = []
        for steps, wanted in ((JUNGLE_STEPS, _JUNGLE_CHANNELS), (WORKER_STEPS, worker_channels)):
            for down, right in steps:
                r, c = row + down, column + right
                inside = 0 <= r < table_size and 0 <= c < table_size
                for channel in wanted:
                    at = (channel * table_size + r) * table_size + c
                    row_index.append(at if inside else outside)
        rows.append(row_index)
    return np.array(rows, np.int64)


class CellNet(nn.Module):
    """Observation (B, observation_size) -> placement, fill and action logits (B, N) and value (B,)."""

    def __init__(self, num_players: int, table_size: int, width: int = 64) -> None:
        super().__init__()
        entries = layout(num_players, table_size)
        board = entries[0]
        self.board_end = board.stop
        self.plane = table_size**2
        self.cells = table_size**2 // 2
        num_features = entries[-1].stop - board.stop
        index = patch_index(num_players, table_size)
        self.patch_size = index.shape[1]
        self.index: torch.Tensor
        self.last: torch.Tensor
        self.register_buffer("index", torch.from_numpy(index.reshape(-1)), persistent=False)
        worker_cells = [window_cell(k, table_size) for k in range(self.cells)]
        flat = [_LAST * self.plane + r * table_size + c for r, c in worker_cells]
        self.register_buffer("last", torch.tensor(flat), persistent=False)
        self.globals = nn.Sequential(nn.Linear(num_features, width), nn.ReLU())
        self.patch = nn.Linear(self.patch_size, width)
        self.context = nn.Linear(width, width)
        self.place = nn.Linear(width, NUM_VARIANTS)
        self.late = nn.Sequential(
            nn.Linear(3 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, LATE_ACTIONS)
        )
        self.value = nn.Sequential(
            nn.Linear(3 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 1)
        )

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, N), not masked, and values (B,)."""
        board, features = observation[:, : self.board_end], observation[:, self.board_end :]
        padded = torch.nn.functional.pad(board, (0, 1))
        patches = padded.index_select(1, self.index).view(-1, self.cells, self.patch_size)
        common = self.globals(features)
        hidden = torch.relu(self.patch(patches) + self.context(common).unsqueeze(1))
        mean = hidden.mean(dim=1)
        # The cell of the tile placed last is what fills and actions are about.
        here = (hidden * board.index_select(1, self.last).unsqueeze(2)).sum(dim=1)
        summary = torch.cat((common, mean, here), dim=1)
        logits = torch.cat((self.place(hidden).flatten(1), self.late(summary)), dim=1)
        return logits, self.value(summary).squeeze(1)


class _Whole(BaseFeaturesExtractor):
    """Hands the observation to the network below as it is; SB3 wants an extractor."""

    def __init__(self, observation_space: spaces.Space[Any]) -> None:
        super().__init__(observation_space, int(np.prod(observation_space.shape or (0,))))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return observations


class _Both(nn.Module):
    """``CellNet`` in the place of SB3's two towers: logits are the policy's latent, and so on."""

    def __init__(self, net: CellNet, num_actions: int) -> None:
        super().__init__()
        self.net = net
        self.latent_dim_pi, self.latent_dim_vf = num_actions, 1

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits, value = self.net(features)
        return logits, value.unsqueeze(1)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.net(features)[0]
        return logits

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        value: torch.Tensor = self.net(features)[1]
        return value.unsqueeze(1)


class CellPolicy(MaskableActorCriticPolicy):
    """sb3-contrib's masked actor-critic policy around :class:`CellNet`."""

    def __init__(
        self, *args: Any, num_players: int, table_size: int, width: int = 64, **kwargs: Any
    ) -> None:
        self._make_net = partial(CellNet, num_players, table_size, width)
        super().__init__(*args, features_extractor_class=_Whole, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        net = self._make_net()
        # Logits near 0 at first: every legal action about equally likely.
        for layer in (net.place, net.late[-1]):
            assert isinstance(layer, nn.Linear)
            nn.init.orthogonal_(layer.weight, 0.01)
            nn.init.zeros_(layer.bias)
        self.mlp_extractor = _Both(net, int(self.action_space.n))
        self.action_dist = LeanMaskable(int(self.action_space.n))
        self.action_net = nn.Identity()
        self.value_net = nn.Identity()
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    @property
    def net(self) -> CellNet:
        """The network alone: what a checkpoint keeps."""
        both: _Both = self.mlp_extractor
        return both.net
