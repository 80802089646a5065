"""The value network as a torch module, and its weights for compiled code."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from cacao_env.tiles import MAX_PLAYERS
from cacao_env.value.features import ALONE, NO_ROW, NUM_NUMBERS, OTHER_TILE, OWN_TILE, STAGES
from cacao_env.value.net import Net
from cacao_env.value.patterns import NUM_PATTERNS, pattern_parts

TABLES = 3  # of patterns: open cells, own tiles, tiles of others


class ValueNet(nn.Module):
    """See :mod:`cacao_env.value.net`; a pattern's weights are the sums of those of its parts."""

    def __init__(self, sums: int = 64, maxima: int = 16, units: int = 32) -> None:
        super().__init__()
        self.sums, self.maxima, self.units = sums, maxima, units
        parts = torch.from_numpy(pattern_parts())
        self.register_buffer("parts", torch.cat([parts, torch.zeros(1, parts.shape[1])]), False)
        self.numbers = nn.Linear(NUM_NUMBERS, sums)
        self.rows = nn.Parameter(0.02 * torch.randn(NO_ROW - ALONE + 1, sums))
        self.part_rows = nn.Parameter(0.02 * torch.randn(TABLES, parts.shape[1], sums))
        self.part_best = nn.Parameter(0.05 * torch.randn(parts.shape[1], maxima))
        wide = sums + maxima
        bound = 1 / wide**0.5
        self.middle = nn.Parameter(torch.empty(STAGES, wide, units).uniform_(-bound, bound))
        self.middle_bias = nn.Parameter(torch.zeros(STAGES, units))
        bound = 1 / units**0.5
        self.out = nn.Parameter(torch.empty(STAGES, units, 2 * MAX_PLAYERS).uniform_(-bound, bound))
        self.out_bias = nn.Parameter(torch.zeros(STAGES, 2 * MAX_PLAYERS))

    def forward(
        self,
        numbers: torch.Tensor,
        rows: torch.Tensor,
        patterns: torch.Tensor,
        open_cells: torch.Tensor,
        stage: torch.Tensor,
    ) -> torch.Tensor:
        """(B, 2 * MAX_PLAYERS) from (B, NUM_NUMBERS), (B, R) rows, and (B,) of the others."""
        total = self.numbers(numbers)
        rest = torch.clamp(rows, min=ALONE)
        rest = torch.where(rows < ALONE, NO_ROW, rest) - ALONE
        total = total + F.embedding_bag(rest, self.rows, mode="sum", padding_idx=NO_ROW - ALONE)
        cells = rows[:, : max(1, int(open_cells.max()))]
        cells = torch.where(cells < OWN_TILE, cells, NUM_PATTERNS)
        total = total + F.embedding_bag(cells, self.parts, mode="sum") @ self.part_rows[0]
        if bool((patterns > open_cells).any()):
            tiles = rows[:, : int(patterns.max())]
            for number, first in ((1, OWN_TILE), (2, OTHER_TILE)):
                there = (tiles >= first) & (tiles < first + NUM_PATTERNS)
                of_table = torch.where(there, tiles - first, NUM_PATTERNS)
                counts = F.embedding_bag(of_table, self.parts, mode="sum")
                total = total + counts @ self.part_rows[number]
        each = (self.parts[cells.reshape(-1).long()] @ self.part_best).view(*cells.shape, -1)
        hidden = torch.cat([torch.relu(total), torch.relu(each.amax(1))], 1)
        order = torch.argsort(stage)
        counts = torch.bincount(stage, minlength=STAGES).tolist()
        result = []
        for number, part in enumerate(torch.split(hidden[order], counts)):
            middle = torch.relu(part @ self.middle[number] + self.middle_bias[number])
            result.append(middle @ self.out[number] + self.out_bias[number])
        return torch.cat(result)[torch.argsort(order)]

    @torch.no_grad()
    def compiled(self) -> Net:
        """Its weights for compiled code."""
        parts = self.parts[:-1]
        rows = torch.cat([*(parts @ part for part in self.part_rows), self.rows])
        rows[NO_ROW] = 0
        arrays = (
            self.numbers.bias,
            self.numbers.weight.T,
            rows,
            parts @ self.part_best,
            self.middle,
            self.middle_bias,
            self.out,
            self.out_bias,
        )
        return Net(*(np.array(x.detach().numpy(), np.float32, order="C") for x in arrays))
