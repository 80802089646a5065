"""The value network as a torch module."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from cacao_env.agents.value.features import LEAK, NUM_STAGES
from cacao_env.agents.value.net import Net, from_params, param_shapes

from ..kernels import backward_into, forward_into

# Spread of the weights to begin with; 0 for biases.
_SPREAD = {"numbers": 0.1, "rows": 0.02, "part_rows": 0.02, "part_best": 0.05}


class FirstLayer(torch.autograd.Function):
    """Sums of patterns (B, H), of other rows (B, H + M), maxima (B, M) >= 0, over rows (B, R).

    What torch offers for it, embedding bags and a matrix of parts, takes six times as long: a sample
    has some fifty rows of a few hundred, and each pattern ten parts of 224.
    """

    @staticmethod
    def forward(ctx: Any, *given: Any) -> Any:
        """From of_rows, of_parts, of_best; rows, counts, patterns, cells (``forward_into``)."""
        of_rows, of_parts, of_best = (x.detach().numpy() for x in given[:3])
        rows, counts, patterns, cells = (x.numpy() for x in given[3:])
        total = np.zeros((len(rows), of_parts.shape[2]), np.float32)
        context = np.zeros((len(rows), of_rows.shape[1]), np.float32)
        most = np.zeros((len(rows), of_best.shape[1]), np.float32)
        where = np.full(most.shape, -1, np.int64)
        weights = of_rows, of_parts, of_best
        forward_into(rows, counts, patterns, cells, *weights, total, context, most, where)
        ctx.index = rows, counts, patterns, where
        ctx.shapes = of_rows.shape, of_parts.shape, of_best.shape
        return torch.from_numpy(total), torch.from_numpy(context), torch.from_numpy(most)

    @staticmethod
    def backward(ctx: Any, *by: Any) -> Any:
        """The gradients of the three weights."""
        rows, counts, patterns, where = ctx.index
        total, context, most = (x.contiguous().numpy() for x in by)
        of_rows, of_parts, of_best = (np.zeros(shape, np.float32) for shape in ctx.shapes)
        backward_into(
            rows, counts, patterns, where, total, context, most, of_rows, of_parts, of_best
        )
        found = (torch.from_numpy(slope) for slope in (of_rows, of_parts, of_best))
        return (*found, None, None, None, None)


class ValueNet(nn.Module):
    """See :mod:`cacao_env.agents.value.net`; a pattern's weights are the sums of those of its parts.

    Only one thread may train it at a time.
    """

    bias: torch.Tensor
    numbers: torch.Tensor
    rows: torch.Tensor
    part_rows: torch.Tensor
    part_best: torch.Tensor
    middle: torch.Tensor
    middle_bias: torch.Tensor
    out: torch.Tensor
    out_bias: torch.Tensor

    def __init__(self, sums: int = 64, maxima: int = 16, units: int = 64) -> None:
        super().__init__()
        for name, shape in param_shapes(sums, maxima, units).items():
            spread = _SPREAD.get(name, 0.0 if name.endswith("bias") else shape[-2] ** -0.5)
            self.register_parameter(name, nn.Parameter(spread * torch.randn(shape)))

    def forward(
        self,
        numbers: torch.Tensor,
        rows: torch.Tensor,
        counts: torch.Tensor,
        patterns: torch.Tensor,
        open_cells: torch.Tensor,
        stage: torch.Tensor,
    ) -> torch.Tensor:
        """Outputs (B, 8) from (B, NUM_NUMBERS), (B, R) and (B,) of each of the others.

        Of each sample's ``counts`` rows the first ``patterns`` are patterns, the first ``open_cells``
        of those around cells where a tile may be placed.
        """
        of_patterns, context, most = FirstLayer.apply(
            self.rows, self.part_rows, self.part_best, rows, counts, patterns, open_cells
        )
        context = context + torch.addmm(self.bias, numbers, self.numbers)
        first, gates = context.split([of_patterns.shape[1], most.shape[1]], 1)
        products = (of_patterns * first, most * gates)
        hidden = torch.cat([torch.relu(of_patterns + first), most, *products], 1)
        order = torch.argsort(stage)
        of_stage = torch.bincount(stage, minlength=NUM_STAGES).tolist()
        result = []
        for number, part in enumerate(torch.split(hidden[order], of_stage)):
            middle = part @ self.middle[number] + self.middle_bias[number]
            middle = F.leaky_relu(middle, LEAK)
            result.append(middle @ self.out[number] + self.out_bias[number])
        return torch.cat(result)[torch.argsort(order)]

    def params(self) -> dict[str, np.ndarray]:
        """A copy of its weights as arrays."""
        return {name: x.detach().numpy().copy() for name, x in self.named_parameters()}

    def compiled(self) -> Net:
        """Its weights for compiled code."""
        return from_params(self.params())
