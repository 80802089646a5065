"""A small network that reads the table cell by cell.

Every cell where a tile could go is described by what lies around it, seen in the four ways that a tile
can be turned, and all are scored with the same weights: what is learnt at one cell in one direction
holds at all.  From those descriptions come a logit for each placement (cell * variant) and, pooled
over the table, the logits of fills and actions and the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from cacao_env.engine.actions import ACT_ACTIONS, FILL_ACTIONS
from cacao_env.engine.geometry import window_cell
from cacao_env.engine.observation import CHANNELS, layout
from cacao_env.engine.symmetry import channel_images, image_of_cell
from cacao_env.engine.tiles import NUM_VARIANTS, WORKER_KINDS

LATE_ACTIONS = FILL_ACTIONS + ACT_ACTIONS
TURNS = 4
# What is read around a worker cell: the jungle cells beside it, the worker cells beyond those.
JUNGLE_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
WORKER_STEPS = ((0, 0), (-1, -1), (-1, 1), (1, 1), (1, -1), (-2, 0), (0, 2), (2, 0), (0, -2))
_NAMES = [name for name, _, _ in CHANNELS]
_FIRST_WORKER, _TO_FILL = _NAMES.index("workers_north"), _NAMES.index("to_fill")
_JUNGLE_CHANNELS = (*range(_FIRST_WORKER), _TO_FILL)
_JUNGLE_SLICES = (slice(0, _FIRST_WORKER), slice(_TO_FILL, _TO_FILL + 1))
_WORKER_SLICES = (slice(_FIRST_WORKER, _TO_FILL), slice(_TO_FILL + 1, None))
# Flat cells of any window: they lie like the squares of a chessboard, jungle first.
_JUNGLE_CELL, _WORKER_CELL = 0, 1
_OPEN, _LAST, _OWN = _NAMES.index("open"), _NAMES.index("last"), len(CHANNELS)


def patch_places(table_size: int) -> np.ndarray[Any, Any]:
    """The cells around each worker cell, flat in the window.

    Shape (worker cells, steps): first the jungle cells, then the worker cells.  Of what lies outside
    the window nothing is to be read: a worker cell in place of a jungle cell and the other way round,
    whose channels of the other sort are always 0.
    """
    cells = np.array([window_cell(index, table_size) for index in range(table_size**2 // 2)])
    nothing = np.array([_WORKER_CELL] * len(JUNGLE_STEPS) + [_JUNGLE_CELL] * len(WORKER_STEPS))
    there = cells[:, None] + np.array(JUNGLE_STEPS + WORKER_STEPS)[None]
    inside = ((there >= 0) & (there < table_size)).all(axis=2)
    return np.where(inside, there[..., 0] * table_size + there[..., 1], nothing)


def turned_patches(worker_channels: Sequence[int]) -> np.ndarray[Any, Any]:
    """Where each number of a patch goes for who has turned: shape (TURNS, patch size).

    A patch has, for each jungle step, the jungle channels, then for each worker step the worker
    channels.  A weight for number n of what is seen after ``t`` turns clockwise belongs to the number
    ``m`` of the patch as it lies with ``[t, m] = n``.
    """
    names: list[tuple[tuple[int, int], int]] = []
    for steps, wanted in ((JUNGLE_STEPS, _JUNGLE_CHANNELS), (WORKER_STEPS, worker_channels)):
        names += [(step, channel) for step in steps for channel in wanted]
    places = {name: number for number, name in enumerate(names)}
    turned = np.empty((TURNS, len(names)), np.int64)
    for turn in range(TURNS):
        channels = channel_images(turn)
        for number, (step, channel) in enumerate(names):
            image = channels[channel] if channel < len(channels) else channel
            turned[turn, places[image_of_cell(turn, *step), image]] = number
    return turned


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
        worker_channels = [c for c in range(entries[0].shape[0]) if c not in _JUNGLE_CHANNELS]
        turned = turned_patches(worker_channels)
        self.patch_size = turned.shape[1]
        worker_cells = np.array([window_cell(k, table_size) for k in range(self.cells)])
        tables = {
            "places": patch_places(table_size),
            "turned": turned,
            "where": worker_cells[:, 0] * table_size + worker_cells[:, 1],
        }
        self.places: torch.Tensor
        self.turned: torch.Tensor
        self.where: torch.Tensor
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table).long(), persistent=False)
        self.planes = (entries[0].shape[0], table_size**2)
        self.globals = nn.Sequential(nn.Linear(entries[-1].stop - self.board_end, width), nn.ReLU())
        self.patch = nn.Linear(self.patch_size, width, bias=False)
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
        open_, own, last = (board[:, c].index_select(1, self.where) for c in (_OPEN, _OWN, _LAST))
        # Tiles of one's own are places too, once there is overbuilding.
        over = observation[:, self.overbuilding : self.overbuilding + 1]
        games, cells = torch.nonzero(open_ + own * over, as_tuple=True)
        rows = [  # a row of channels for each cell
            torch.cat([board[:, part] for part in parts], 1).transpose(1, 2).flatten(0, 1)
            for parts in (_JUNGLE_SLICES, _WORKER_SLICES)
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
        # The best and the mean over places and directions.
        hidden = hidden.max(1).values  # (``amax`` takes its time to share gradients out to ties)
        of_game = games[:, None].expand_as(hidden)
        empty = hidden.new_zeros(count, hidden.shape[1])
        most = empty.scatter_reduce(0, of_game, hidden, "amax")
        total = empty.scatter_add(0, of_game, hidden) / 16
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
