"""The value network's first layer for learning: sums and maxima over rows, forward and backward.

What torch offers for it, embedding bags and a matrix of parts, takes six times as long: a sample has
some fifty rows of a few hundred, and each pattern ten parts of 224.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from cacao_env.agents.value.patterns import part_numbers

from ..kernels import backward_into, forward_into

PARTS = part_numbers()


class FirstLayer(torch.autograd.Function):
    """Sums of patterns (B, H), of other rows (B, H + M), maxima (B, M) >= 0, over rows (B, R)."""

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
