"""A small network that reads the table cell by cell, and its policy for sb3-contrib.

Every cell where a tile could go is described by what lies around it, seen in the four ways that a tile
can be turned, and all are scored with the same weights: what is learnt at one cell in one direction
holds at all.  From those descriptions come a logit for each placement (cell * variant) and, pooled
over the table, the logits of fills and actions and the value.
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
from cacao_env.symmetry import channel_images, image_of_cell
from cacao_env.tiles import NUM_VARIANTS, VARIANTS, WORKER_KINDS

from .masked import LeanMaskable

LATE_ACTIONS = FILL_ACTIONS + ACT_ACTIONS
TURNS = 4
# What is read around a worker cell: the jungle cells beside it, the worker cells beyond those.
JUNGLE_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
WORKER_STEPS = ((0, 0), (-1, -1), (-1, 1), (1, 1), (1, -1), (-2, 0), (0, 2), (2, 0), (0, -2))
_NAMES = [name for name, _, _ in CHANNELS]
_JUNGLE_CHANNELS = (*range(_NAMES.index("workers_north")), _NAMES.index("to_fill"))
_OPEN, _LAST, _OWN = _NAMES.index("open"), _NAMES.index("last"), len(CHANNELS)
# Which kind and turn each variant is; the kind that looks the same all ways is scored all ways.
_KIND_OF_VARIANT = [WORKER_KINDS.index(kind) for kind, _ in VARIANTS]
_TURN_OF_VARIANT = [turn for _, turn in VARIANTS]


def patch_index(num_players: int, table_size: int) -> np.ndarray[Any, Any]:
    """Where in the flat board each number of each worker cell's surroundings stands.

    Shape (worker cells, TURNS, patch size); ``[cell, t]`` is seen by who stands there having turned
    ``t`` times clockwise.  Cells outside the window point one past the board's end.
    """
    board = layout(num_players, table_size)[0]
    worker_channels = [c for c in range(board.shape[0]) if c not in _JUNGLE_CHANNELS]
    plane = table_size**2
    cells = np.array([window_cell(index, table_size) for index in range(plane // 2)])
    owners = list(range(len(CHANNELS), board.shape[0]))
    views = []
    for turn in range(TURNS):
        columns = []
        turned = channel_images(turn) + owners
        for steps, wanted in ((JUNGLE_STEPS, _JUNGLE_CHANNELS), (WORKER_STEPS, worker_channels)):
            for step in steps:
                there = cells + image_of_cell(turn, *step)
                inside = ((there >= 0) & (there < table_size)).all(axis=1)
                at = there[:, 0] * table_size + there[:, 1]
                for channel in wanted:
                    place = turned[channel] * plane + at
                    columns.append(np.where(inside, place, board.stop))
        views.append(np.stack(columns, axis=1))
    return np.stack(views, axis=1)


class CellNet(nn.Module):
    """Observation (B, observation_size) -> placement, fill and action logits (B, N) and value (B,).

    Logits of cells where no tile can be placed are 0.
    """

    def __init__(self, num_players: int, table_size: int, width: int = 64) -> None:
        super().__init__()
        self.size = {"num_players": num_players, "table_size": table_size, "width": width}
        entries = layout(num_players, table_size)
        by_name = {entry.name: entry for entry in entries}
        self.board_end = entries[0].stop
        self.cells = table_size**2 // 2
        self.overbuilding = by_name["overbuilding"].start
        index = patch_index(num_players, table_size)
        self.patch_size = index.shape[2]
        worker_cells = np.array([window_cell(k, table_size) for k in range(self.cells)])
        flat = worker_cells[:, 0] * table_size + worker_cells[:, 1]
        plane = table_size**2
        self.index: torch.Tensor
        self.planes: torch.Tensor
        self.kinds: torch.Tensor
        self.turns: torch.Tensor
        tables = {
            "index": index.reshape(self.cells, -1),
            "planes": np.stack([channel * plane + flat for channel in (_OPEN, _OWN, _LAST)]),
            "kinds": np.array(_KIND_OF_VARIANT),
            "turns": np.array(_TURN_OF_VARIANT),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table).long(), persistent=False)
        self.globals = nn.Sequential(nn.Linear(entries[-1].stop - self.board_end, width), nn.ReLU())
        self.patch = nn.Linear(self.patch_size, width)
        self.context = nn.Linear(width, width)
        self.deeper = nn.Linear(width, width)
        self.place = nn.Linear(width, len(WORKER_KINDS))
        self.late = nn.Sequential(
            nn.Linear(4 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, LATE_ACTIONS)
        )
        self.value = nn.Sequential(
            nn.Linear(4 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 1)
        )

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, N), not masked, and values (B,)."""
        count = observation.shape[0]
        common = self.globals(observation[:, self.board_end :])
        context = self.context(common)
        board = torch.nn.functional.pad(observation[:, : self.board_end], (0, 1))
        open_, own, last = (board.index_select(1, plane) for plane in self.planes)
        # Tiles of one's own are places too, once there is overbuilding.
        over = observation[:, self.overbuilding : self.overbuilding + 1]
        games, cells = torch.nonzero(open_ + own * over, as_tuple=True)
        hidden = self._look(board, games, cells, context)
        by_kind = self.place(hidden)
        variants = (
            by_kind[:, :, 0].mean(1, keepdim=True),
            by_kind[:, :, 1:].transpose(1, 2).flatten(1),
        )
        logits = observation.new_zeros(count, self.cells, NUM_VARIANTS)
        logits = logits.index_put((games, cells), torch.cat(variants, 1))
        # The best and the mean over places and directions.
        hidden = hidden.amax(1)
        of_game = games[:, None].expand_as(hidden)
        empty = hidden.new_zeros(count, hidden.shape[1])
        most = empty.scatter_reduce(0, of_game, hidden, "amax")
        total = empty.scatter_add(0, of_game, hidden) / 16
        # The cell of the tile placed last is what fills and actions are about.
        there, where = last.max(1)
        all_games = torch.arange(count, device=last.device)
        here = self._look(board, all_games, where, context) * there[:, None, None]
        # Fills and actions have directions, a position's value has none.
        late = self.late(torch.cat((common, total, most, here[:, 0]), dim=1))
        value = self.value(torch.cat((common, total, most, here.mean(1)), dim=1)).squeeze(1)
        return torch.cat((logits.flatten(1), late), dim=1), value

    def like(self) -> CellNet:
        """A new network of the same size."""
        return CellNet(**self.size)

    def _look(
        self, board: torch.Tensor, games: torch.Tensor, cells: torch.Tensor, context: torch.Tensor
    ) -> torch.Tensor:
        """What M cells of the table look like, turned all ways: (M, TURNS, width), at least 0."""
        at = self.index[cells] + games[:, None] * board.shape[1]
        patches = board.view(-1).index_select(0, at.view(-1)).view(-1, TURNS, self.patch_size)
        hidden = torch.relu(self.patch(patches) + context[games].unsqueeze(1))
        return torch.relu(self.deeper(hidden))


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
