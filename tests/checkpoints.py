"""Small policies for tests: ONNX files with random weights, made without PyTorch."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cacao_env.agents.checkpoint import POLICY, write_files
from cacao_env.agents.onnx import described
from cacao_env.agents.value.checkpoint import save_value
from cacao_env.agents.value.net import param_shapes
from cacao_env.agents.views import Form
from cacao_env.engine.observation import planes
from cacao_env.engine.options import Options

WIDTH = 8


def network(about: Form, seed: int = 0, dtype: str = "float32", **changes: Any) -> bytes:
    """Return an ONNX file: two layers of random weights, and the mask if ``mask`` is among changes.

    ``changes`` make what a user may get wrong: ``output`` (its name), ``choices``, ``scale`` of logits.
    A ``spread`` of 1e-8 all but ties the logits.
    """
    onnx = pytest.importorskip("onnx", reason="the test extra is not installed")
    helper, proto = onnx.helper, onnx.TensorProto
    kind = {"float32": proto.FLOAT, "uint8": proto.UINT8}[dtype]
    size = about.options.num_players, about.options.table_size
    shapes = {"observation": about.rows.shape if about.rows else (about.options.observation_size,)}
    if about.observation == "planes":
        parts = planes(np.zeros(about.options.observation_size, np.uint8), *size)
        shapes = {name: part.shape for name, part in parts.items()}
    length = sum(int(np.prod(shape)) for shape in shapes.values())
    choices = changes.get("choices", about.num_actions)
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(length, WIDTH)) * changes.get("scale", 1)
    second = 1 + rng.normal(size=(WIDTH, choices)) * changes.get("spread", 1)
    tables = {"first": first, "second": second}
    nodes = []
    for name in shapes:
        nodes.append(helper.make_node("Cast", [name], [f"{name}.float"], to=proto.FLOAT))
        nodes.append(helper.make_node("Flatten", [f"{name}.float"], [f"{name}.flat"]))
    nodes.append(helper.make_node("Concat", [f"{name}.flat" for name in shapes], ["all"], axis=1))
    nodes.append(helper.make_node("MatMul", ["all", "first"], ["hidden"]))
    nodes.append(helper.make_node("Tanh", ["hidden"], ["bounded"]))
    output = changes.get("output", "logits")
    nodes.append(helper.make_node("MatMul", ["bounded", "second"], ["scores"]))
    inputs = [helper.make_tensor_value_info(n, kind, ["batch", *s]) for n, s in shapes.items()]
    if "mask" in changes:  # a bonus for legal choices
        inputs.append(
            helper.make_tensor_value_info("action_mask", changes["mask"], ["batch", choices])
        )
        nodes.append(helper.make_node("Cast", ["action_mask"], ["bonus"], to=proto.FLOAT))
        nodes.append(helper.make_node("Add", ["scores", "bonus"], [output]))
    else:
        nodes.append(helper.make_node("Identity", ["scores"], [output]))
    graph = helper.make_graph(
        nodes,
        "policy",
        inputs,
        [helper.make_tensor_value_info(output, proto.FLOAT, ["batch", choices])],
        [onnx.numpy_helper.from_array(x.astype(np.float32), n) for n, x in tables.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    return model.SerializeToString()


def value_checkpoint(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Write a small value network with random weights; return its folder and its arrays."""
    rng = np.random.default_rng(0)
    params = {
        name: rng.normal(0, 0.1, shape).astype(np.float32)
        for name, shape in param_shapes(4, 4, 4).items()
    }
    save_value(folder, "value", params, {"players": [2], "volcanoes": False})
    return folder, params


def checkpoint(
    folder: Path,
    name: str = "net",
    players: int = 2,
    size: int = 15,
    volcanoes: bool = False,
    seed: int = 0,
    **training: Any,
) -> Path:
    """Write a policy over the table with random weights and return its folder."""
    about = Form(Options(players, volcanoes, table_size=size))
    data = described(network(about, seed), about)
    write_files(folder / name, name, POLICY, data, rules=about.as_dict(), training=training)
    return folder / name
