"""The state of a run as named arrays, without pickle: what it needs to resume exactly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as save_arrays

from cacao_env.agents.checkpoint import CheckpointError
from cacao_env.files import write_whole

STATE = "state.safetensors"
Arrays = dict[str, Any]


def write_state(folder: Path, arrays: Arrays, **about: Any) -> None:
    """Write arrays and plain data; an interruption leaves the old file."""
    metadata = {key: json.dumps(value) for key, value in about.items()}
    # (``ascontiguousarray`` would give a number a dimension.)
    contiguous = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    write_whole(folder / STATE, save_arrays(contiguous, metadata))


def read_state(folder: Path) -> tuple[Arrays, dict[str, Any]]:
    """Read (arrays, plain data); CheckpointError if that fails."""
    try:
        with safe_open(folder / STATE, "numpy") as file:
            about = {key: json.loads(value) for key, value in file.metadata().items()}
            return {name: file.get_tensor(name) for name in file.keys()}, about  # noqa: SIM118
    except (OSError, SafetensorError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{folder / STATE} can't be read: {error}") from None


def named(prefix: str, arrays: Mapping[str, Any]) -> Arrays:
    """Add a prefix to each name."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def part(prefix: str, arrays: Mapping[str, Any]) -> Arrays:
    """Select the names with a prefix and remove it."""
    start = prefix + "."
    return {name.removeprefix(start): x for name, x in arrays.items() if name.startswith(start)}


def learner_arrays(net: torch.nn.Module, optimizer: torch.optim.Optimizer) -> Arrays:
    """The weights, and the optimizer's state of each."""
    found = named("net", {name: _array(x) for name, x in net.state_dict().items()})
    for name, parameter in net.named_parameters():
        for what, value in optimizer.state.get(parameter, {}).items():
            found[f"optimizer.{what}.{name}"] = _array(value)
    return found


@torch.no_grad()
def restore_learner(
    net: torch.nn.Module, optimizer: torch.optim.Optimizer, arrays: Mapping[str, Any]
) -> None:
    """Restore what ``learner_arrays`` returned; CheckpointError for another network."""
    try:
        net.load_state_dict(
            {n: torch.from_numpy(np.array(x)) for n, x in part("net", arrays).items()}
        )
    except RuntimeError as error:
        raise CheckpointError(f"the state is of another network: {error}") from None
    moments = part("optimizer", arrays)
    for name, parameter in net.named_parameters():
        kept = {
            what: torch.from_numpy(np.array(value))
            for what, _, owner, value in ((*key.partition("."), x) for key, x in moments.items())
            if owner == name
        }
        if kept:
            optimizer.state[parameter] = {
                what: x if what == "step" else x.to(parameter.device) for what, x in kept.items()
            }


def _array(value: Any) -> Any:
    return value.detach().cpu().numpy().copy() if torch.is_tensor(value) else np.array(value)


def generator_arrays() -> Arrays:
    """The states of torch's and NumPy's global random generators."""
    _, keys, place, has_gauss, gauss = np.random.get_state()  # noqa: NPY002
    on_gpu = {"cuda": torch.cuda.get_rng_state().numpy()} if torch.cuda.is_available() else {}
    return on_gpu | {
        "torch": torch.get_rng_state().numpy(),
        "numpy": np.asarray(keys),
        "numpy_place": np.array([place, has_gauss], np.int64),
        "numpy_gauss": np.array([gauss]),
    }


def restore_generators(arrays: Mapping[str, Any]) -> None:
    """Restore what ``generator_arrays`` returned."""
    torch.set_rng_state(torch.from_numpy(np.array(arrays["torch"])))
    if "cuda" in arrays and torch.cuda.is_available():
        torch.cuda.set_rng_state(torch.from_numpy(np.array(arrays["cuda"])))
    place, has_gauss = arrays["numpy_place"].tolist()
    gauss = float(arrays["numpy_gauss"][0])
    np.random.set_state(  # noqa: NPY002
        ("MT19937", np.array(arrays["numpy"]), place, has_gauss, gauss)
    )
