"""The board network in torch, for training: :mod:`cacao_env.agents.policy` explains it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from cacao_env.agents.policy import (
    JUNGLE_SLICES,
    JUNGLE_STEPS,
    LAST,
    LATE_ACTIONS,
    OPEN,
    OWN,
    TOTAL_SCALE,
    TURNS,
    WORKER_SLICES,
    Tables,
    read_policy,
)
from cacao_env.engine.tiles import NUM_VARIANTS, WORKER_KINDS


class CellNet(nn.Module):
    """Observation (B, observation_size) -> placement, fill and action logits (B, N) and value (B,).

    Logits of cells where no tile can be placed are 0.  Only one thread may train it at a time.
    """

    def __init__(self, num_players: int, table_size: int, width: int = 64) -> None:
        super().__init__()
        self.size = {"num_players": num_players, "table_size": table_size, "width": width}
        tables = Tables(num_players, table_size)
        self.board_end, self.overbuilding = tables.board_end, tables.overbuilding
        self.cells, self.planes = tables.cells, tables.planes
        self.places: torch.Tensor
        self.turned: torch.Tensor
        self.where: torch.Tensor
        for name in ("places", "turned", "where"):
            table = torch.from_numpy(getattr(tables, name)).long()
            self.register_buffer(name, table, persistent=False)
        self.globals = nn.Sequential(nn.Linear(tables.num_features, width), nn.ReLU())
        self.patch = nn.Linear(tables.turned.shape[1], width, bias=False)
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
        board = observation[:, : self.board_end].view(count, *self.planes)
        open_, own, last = (board[:, c].index_select(1, self.where) for c in (OPEN, OWN, LAST))
        # Tiles of one's own are places too, once overbuilding has begun.
        over = observation[:, self.overbuilding : self.overbuilding + 1]
        games, cells = torch.nonzero(open_ + own * over, as_tuple=True)
        rows = [  # a row of channels for each cell
            torch.cat([board[:, part] for part in parts], 1).transpose(1, 2).flatten(0, 1)
            for parts in (JUNGLE_SLICES, WORKER_SLICES)
        ]
        weights = self.patch.weight[:, self.turned].transpose(0, 1).flatten(0, 1)
        hidden = self._look(rows, weights, games, cells, context)
        by_kind = self.place(hidden)
        variants = (
            by_kind[:, :, 0].mean(1, keepdim=True),
            by_kind[:, :, 1:].transpose(1, 2).flatten(1),
        )
        logits = observation.new_zeros(count, self.cells, NUM_VARIANTS)
        logits = logits.index_put((games, cells), torch.cat(variants, 1))
        # The best and the sum over places and directions.
        hidden = hidden.max(1).values  # (``amax`` takes its time to share gradients out to ties)
        of_game = games[:, None].expand_as(hidden)
        empty = hidden.new_zeros(count, hidden.shape[1])
        most = empty.scatter_reduce(0, of_game, hidden, "amax")
        total = empty.scatter_add(0, of_game, hidden) * TOTAL_SCALE
        # The cell of the tile placed last is what fills and actions are about.
        there, where = last.max(1)
        all_games = torch.arange(count, device=last.device)
        here = self._look(rows, weights, all_games, where, context) * there[:, None, None]
        # Fills and actions have directions, a position's value has none.
        late = self.late(torch.cat((common, total, most, here[:, 0]), dim=1))
        value = self.value(torch.cat((common, total, most, here.mean(1)), dim=1)).squeeze(1)
        return torch.cat((logits.flatten(1), late), dim=1), value

    def like(self) -> CellNet:
        """A new network of the same size."""
        return CellNet(**self.size)

    def make_actions_equally_likely(self) -> None:
        """Scale down the last layers: PPO starts with every legal action about equally likely."""
        for layer in (self.place, self.late[-1]):
            assert isinstance(layer, nn.Linear)
            nn.init.orthogonal_(layer.weight, 0.01)
            nn.init.zeros_(layer.bias)

    def params(self) -> dict[str, np.ndarray[Any, Any]]:
        """A copy of the weights as arrays."""
        return {name: x.detach().cpu().numpy().copy() for name, x in self.named_parameters()}

    def _look(
        self,
        rows: list[torch.Tensor],
        weights: torch.Tensor,
        games: torch.Tensor,
        cells: torch.Tensor,
        context: torch.Tensor,
    ) -> torch.Tensor:
        """What M cells of the table look like, turned all ways: (M, TURNS, width), at least 0."""
        at = self.places[cells] + games[:, None] * self.planes[1]
        split = len(JUNGLE_STEPS)
        patches = torch.cat(
            [
                of_kind.index_select(0, part.flatten()).view(-1, part.shape[1] * of_kind.shape[1])
                for of_kind, part in zip(rows, (at[:, :split], at[:, split:]))
            ],
            1,
        )
        hidden = (patches @ weights.T).unflatten(1, (TURNS, -1))
        hidden = torch.relu(hidden + context[games].unsqueeze(1))
        return torch.relu(self.deeper(hidden))


def load_net(folder: str | Path) -> CellNet:
    """Load the network of a checkpoint; CheckpointError says why a folder can't be used."""
    params, manifest = read_policy(folder)
    rules = manifest["rules"]
    net = CellNet(rules["num_players"], rules["table_size"], rules["width"])
    net.load_state_dict({name: torch.from_numpy(array) for name, array in params.items()})
    net.eval()
    return net
