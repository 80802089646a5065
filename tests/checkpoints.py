"""Small policies for tests: ONNX files with random weights, made without PyTorch."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cacao_env.agents.checkpoint import POLICY, write_files
from cacao_env.agents.onnx import described
from cacao_env.agents.value.checkpoint import save_value
from cacao_env.agents.value.net import param_shapes
from cacao_env.engine.observation import planes
from cacao_env.engine.options import Options
from cacao_env.views import Form

WIDTH = 8


def network(about: Form, seed: int = 0, dtype: str = "float32", **changes: Any) -> bytes:
    """Return an ONNX file: two layers of random weights, and the mask if ``mask`` is among changes.

    ``changes`` make what a user may get wrong: ``output`` (its name), ``choices``, ``scale`` of logits.
    A ``spread`` of 1e-8 all but ties the logits.
    """
    onnx = pytest.importorskip("onnx", reason="the test extra is not installed")
    size = about.options.num_players, about.options.table_size
    shapes = {"observation": about.rows.shape if about.rows else (about.options.observation_size,)}
    if about.observation == "planes":
        parts = planes(np.zeros(about.options.observation_size, np.uint8), *size)
        shapes = {name: part.shape for name, part in parts.items()}
    length = sum(int(np.prod(shape)) for shape in shapes.values())
    choices, output = changes.get("choices", about.num_actions), changes.get("output", "logits")
    kind = {"float32": "float", "uint8": "uint8"}[dtype]
    inputs = [f"{kind}[batch, {', '.join(map(str, s))}] {name}" for name, s in shapes.items()]
    flat = [f"{n}_float = Cast<to = 1>({n}) {n}_flat = Flatten({n}_float)" for n in shapes]
    last = f"{output} = Identity(scores)"
    if "mask" in changes:  # a bonus for legal choices
        inputs.append(f"{changes['mask']}[batch, {choices}] action_mask")
        last = f"bonus = Cast<to = 1>(action_mask) {output} = Add(scores, bonus)"
    model = onnx.parser.parse_model(f"""
        <ir_version: 8, opset_import: ["": 18]>
        policy ({", ".join(inputs)}) => (float[batch, {choices}] {output}) {{
            {" ".join(flat)}
            all = Concat<axis = 1>({", ".join(f"{name}_flat" for name in shapes)})
            hidden = MatMul(all, first)
            bounded = Tanh(hidden)
            scores = MatMul(bounded, second)
            {last}
        }}""")
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(length, WIDTH)) * changes.get("scale", 1)
    second = 1 + rng.normal(size=(WIDTH, choices)) * changes.get("spread", 1)
    for name, table in (("first", first), ("second", second)):
        model.graph.initializer.append(onnx.numpy_helper.from_array(table.astype(np.float32), name))
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


def checkpoint(folder: Path, name: str = "net", seed: int = 0, **training: Any) -> Path:
    """Write a policy over the table with random weights and return its folder."""
    about = Form(Options(table_size=15))
    data = described(network(about, seed), about)
    write_files(folder / name, name, POLICY, data, rules=about.as_dict(), training=training)
    return folder / name
