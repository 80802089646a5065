"""Networks as ONNX files.

Board network: ``observation`` (B, L) float32, scaled to [0, 1], -> ``logits`` (B, N), ``value`` (B,).
Row network: ``observation`` (B, rows + 1, columns) float32 -> ``logits`` (B, rows), ``value`` (B,).
Value network: the features that :mod:`cacao_env.agents.value.features` writes -> ``out`` (B, 8), as
:mod:`cacao_env.agents.value.net` computes it.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from cacao_env.agents.checkpoint import ROW_NET, VALUE_NET, network_of
from cacao_env.agents.value.checkpoint import read_value
from cacao_env.agents.value.features import ALONE, Layout
from cacao_env.agents.value.net import from_params
from cacao_env.engine.observation import observation_size

from ..ppo.network import load_net
from ..ppo.rows import load_rows

OPSET = 18
ROWS = 160  # of the example; any number will do


class PlainValueNet(nn.Module):
    """The value network in terms that ONNX has, from the weights of compiled code.

    Threads may share it.
    """

    def __init__(self, params: dict[str, Any], layout: Layout) -> None:
        super().__init__()
        net = from_params(params, layout)._replace(numbers=params["numbers"])
        for name, array in net._asdict().items():
            self.register_buffer(name, torch.from_numpy(np.array(array)))
        self.slope = layout.leak

    def forward(
        self,
        numbers: torch.Tensor,
        rows: torch.Tensor,
        counts: torch.Tensor,
        num_patterns: torch.Tensor,
        open_cells: torch.Tensor,
        stage: torch.Tensor,
    ) -> torch.Tensor:
        """As :meth:`training.afterstate.net.ValueNet.forward`."""
        place = torch.arange(rows.shape[1], device=rows.device)[None]
        zero = torch.zeros_like(rows)

        def total(table: Any, first: torch.Tensor, last: torch.Tensor, shift: int = 0) -> Any:
            chosen = (place >= first) & (place < last)
            return (table[torch.where(chosen, rows - shift, zero)] * chosen[..., None]).sum(1)

        tables: Any = self
        of_patterns = total(tables.patterns, 0 * num_patterns[:, None], num_patterns[:, None])
        context = total(tables.rows, num_patterns[:, None], counts[:, None], ALONE)
        context = context + tables.bias + numbers @ tables.numbers
        is_open = place < open_cells[:, None]
        best = tables.best[torch.where(is_open, rows, zero)] * is_open[..., None]
        most = torch.relu(best.amax(1))
        sums = of_patterns.shape[1]
        first, gates = context[:, :sums], context[:, sums:]
        hidden = torch.cat(
            [torch.relu(of_patterns + first), most, of_patterns * first, most * gates], 1
        )
        middle = torch.einsum("bi,siu->bsu", hidden, tables.middle) + tables.middle_bias
        out = (
            torch.einsum("bsu,suk->bsk", nn.functional.leaky_relu(middle, self.slope), tables.out)
            + tables.out_bias
        )
        chosen = stage[:, None] == torch.arange(len(tables.out), device=stage.device)[None]
        return (out * chosen[..., None]).sum(1)


def export(folder: Path, path: Path) -> None:
    """Write the network of a checkpoint as an ONNX file."""
    model: Any
    if network_of(folder) == VALUE_NET:
        params, layout, _ = read_value(folder)
        params.pop("ordering", None)  # of moves; the network's outputs do not depend on it
        model = PlainValueNet(params, layout)
        one = torch.ones(2, dtype=torch.long)
        example = (
            torch.zeros(2, layout.numbers),
            torch.zeros((2, ROWS), dtype=torch.long) + torch.arange(ROWS).ge(10) * ALONE,
            20 * one,
            10 * one,
            5 * one,
            one,
        )
        inputs = ["numbers", "rows", "counts", "num_patterns", "open_cells", "stage"]
        outputs = ["out"]
        axes = {name: {0: "batch"} for name in (*inputs, *outputs)} | {
            "rows": {0: "batch", 1: "rows"}
        }
    else:
        if network_of(folder) == ROW_NET:
            model, shape = load_rows(folder)
        else:
            model = load_net(folder)
            shape = (observation_size(model.size["num_players"], model.size["table_size"]),)  # type: ignore[assignment]
        example = (torch.rand(2, *shape),)  # type: ignore[assignment]
        inputs, outputs = ["observation"], ["logits", "value"]
        axes = {name: {0: "batch"} for name in (*inputs, *outputs)}
    model.eval()
    with warnings.catch_warnings():  # the exporter that needs no further package is called old
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            example,
            str(path),
            input_names=inputs,
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
