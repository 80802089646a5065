"""The value network as a torch module, and as an ONNX file."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from cacao_env.agents.value.features import ALONE, LAYOUT, Layout
from cacao_env.agents.value.net import Net, from_params, param_shapes

from ..networks import to_onnx
from .first_layer import FirstLayer

ROWS = 160  # of the example that an ONNX file is traced with; any number will do
# Spread of the weights to begin with; 0 for biases.
_SPREAD = {"numbers": 0.1, "rows": 0.02, "part_rows": 0.02, "part_best": 0.05}


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
        self.size = {"sums": sums, "maxima": maxima, "units": units}
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
        of_stage = torch.bincount(stage, minlength=LAYOUT.num_stages).tolist()
        result = []
        for number, part in enumerate(torch.split(hidden[order], of_stage)):
            middle = part @ self.middle[number] + self.middle_bias[number]
            middle = F.leaky_relu(middle, LAYOUT.leak)
            result.append(middle @ self.out[number] + self.out_bias[number])
        return torch.cat(result)[torch.argsort(order)]

    def params(self) -> dict[str, np.ndarray]:
        """A copy of its weights as arrays."""
        return {name: x.detach().numpy().copy() for name, x in self.named_parameters()}

    def compiled(self) -> Net:
        """Its weights for compiled code."""
        return from_params(self.params())


class PlainValueNet(nn.Module):
    """The value network in terms that ONNX has, from the weights of compiled code.

    It takes what :mod:`cacao_env.agents.value.features` writes.  Threads may share it.
    """

    def __init__(self, params: dict[str, Any], layout: Layout) -> None:
        super().__init__()
        net = from_params(params, layout)._replace(numbers=params["numbers"])
        for name, array in net._asdict().items():
            self.register_buffer(name, torch.from_numpy(np.array(array)))
        self.slope = layout.leak

    def forward(
        self, numbers: Any, rows: Any, counts: Any, num_patterns: Any, open_cells: Any, stage: Any
    ) -> torch.Tensor:
        """As :meth:`ValueNet.forward`."""
        tables: Any = self
        place = torch.arange(rows.shape[1], device=rows.device)[None]
        zero = torch.zeros_like(rows)

        def total(table: Any, first: torch.Tensor, last: torch.Tensor, shift: int = 0) -> Any:
            chosen = (place >= first) & (place < last)
            return (table[torch.where(chosen, rows - shift, zero)] * chosen[..., None]).sum(1)

        of_patterns = total(tables.patterns, 0 * num_patterns[:, None], num_patterns[:, None])
        context = total(tables.rows, num_patterns[:, None], counts[:, None], ALONE)
        context = context + tables.bias + numbers @ tables.numbers
        is_open = place < open_cells[:, None]
        best = tables.best[torch.where(is_open, rows, zero)] * is_open[..., None]
        most = torch.relu(best.amax(1))
        first, gates = context.split([of_patterns.shape[1], most.shape[1]], 1)
        parts = torch.relu(of_patterns + first), most, of_patterns * first, most * gates
        middle = torch.einsum("bi,siu->bsu", torch.cat(parts, 1), tables.middle)
        middle = nn.functional.leaky_relu(middle + tables.middle_bias, self.slope)
        out = torch.einsum("bsu,suk->bsk", middle, tables.out) + tables.out_bias
        chosen = stage[:, None] == torch.arange(len(tables.out), device=stage.device)[None]
        return (out * chosen[..., None]).sum(1)


def value_onnx(params: dict[str, Any], layout: Layout) -> bytes:
    """Return trained parameters as an ONNX file."""
    params = {name: array for name, array in params.items() if name != "ordering"}  # of moves
    one = torch.ones(2, dtype=torch.long)
    rows = torch.zeros((2, ROWS), dtype=torch.long) + torch.arange(ROWS).ge(10) * ALONE
    example = (torch.zeros(2, layout.numbers), rows, 20 * one, 10 * one, 5 * one, one)
    inputs = ("numbers", "rows", "counts", "num_patterns", "open_cells", "stage")
    model = PlainValueNet(params, layout)
    return to_onnx(model, example, inputs, ["out"], {"rows": {0: "batch", 1: "rows"}})
