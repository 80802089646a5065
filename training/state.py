"""The state of a run as named arrays, without pickle: what it needs to resume exactly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cacao_env.agents.checkpoint import CheckpointError, pack_tensors, read_tensors, tensor_metadata
from cacao_env.checks import as_path, check_array
from cacao_env.files import read_regular, write_whole

STATE, VERSION = "state.safetensors", 3
Arrays = dict[str, Any]
_MOST_STATE = 8_000_000_000  # bytes


def write_state(folder: Path, arrays: Arrays, **about: Any) -> None:
    """Write arrays and plain data; an interruption leaves the old file."""
    write_whole(folder / STATE, pack_tensors(arrays, {"version": VERSION, **about}))


def read_state(folder: Path) -> tuple[Arrays, dict[str, Any]]:
    """Read (arrays, plain data); CheckpointError if the file is missing, damaged or of no run."""
    path = as_path(folder, CheckpointError) / STATE
    data = read_regular(path, _MOST_STATE, CheckpointError)
    try:
        arrays, about = read_tensors(data), tensor_metadata(data)
    except ValueError as error:
        raise CheckpointError(f"{path} can't be read: {str(error)[:200]}") from None
    if about.get("version") != VERSION or not about.keys() >= {"config", "counts"}:
        raise CheckpointError(
            f"{path} is of another version of this program: the run can't be resumed"
        )
    return arrays, about


MISFIT = "the state does not fit its configuration"


def check_arrays(given: Mapping[str, Any], like: Mapping[str, Any], what: str = MISFIT) -> None:
    """Raise CheckpointError unless each array of ``like`` is there, alike and with finite numbers.

    The error begins with ``what``.
    """
    for name, array in like.items():
        try:
            check_array(name, given.get(name, "missing"), np.asarray(array))
        except ValueError as error:
            raise CheckpointError(f"{what}: {error}") from None


def named(prefix: str, arrays: Mapping[str, Any]) -> Arrays:
    """Add a prefix to each name."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def part(prefix: str, arrays: Mapping[str, Any]) -> Arrays:
    """Select the names with a prefix and remove it."""
    start = prefix + "."
    return {name.removeprefix(start): x for name, x in arrays.items() if name.startswith(start)}


def weights_of(net: torch.nn.Module) -> Arrays:
    """A copy of the weights of a network, by name."""
    return {name: _array(x) for name, x in net.state_dict().items()}


def load_weights(net: torch.nn.Module, arrays: Mapping[str, Any], what: str = MISFIT) -> None:
    """Copy weights into a network; CheckpointError for those of another, as ``check_arrays`` says."""
    own = weights_of(net)
    check_arrays(arrays, own, what)
    net.load_state_dict({name: torch.from_numpy(np.array(arrays[name])) for name in own})


def learner_arrays(net: torch.nn.Module, optimizer: torch.optim.Optimizer) -> Arrays:
    """The weights, and the optimizer's state of each."""
    found = named("net", weights_of(net))
    for name, parameter in net.named_parameters():
        for what, value in optimizer.state.get(parameter, {}).items():
            found[f"optimizer.{what}.{name}"] = _array(value)
    return found


def restore_learner(
    net: torch.nn.Module, optimizer: torch.optim.Optimizer, arrays: Mapping[str, Any]
) -> None:
    """Restore what ``learner_arrays`` returned; CheckpointError for another network."""
    load_weights(net, part("net", arrays))
    moments = part("optimizer", arrays)
    if not moments:  # before the first step
        return
    for name, parameter in net.named_parameters():
        like = np.zeros(tuple(parameter.shape), np.float32)
        kinds = {"step": np.float32(0), "exp_avg": like, "exp_avg_sq": like}
        check_arrays(moments, {f"{what}.{name}": kind for what, kind in kinds.items()})
        tensors = {what: torch.from_numpy(moments[f"{what}.{name}"]) for what in kinds}
        optimizer.state[parameter] = {
            what: x if what == "step" else x.to(parameter.device) for what, x in tensors.items()
        }


def _array(value: Any) -> Any:
    return value.detach().cpu().numpy().copy() if torch.is_tensor(value) else np.array(value)


def seed_round(seed: int, number: int) -> None:
    """Let a round of a resumed run be the same: seed torch and NumPy, fix the order of CUDA's sums."""
    bits = int(np.random.default_rng([seed, number]).integers(2**32))
    torch.manual_seed(bits)  # CUDA's too
    if torch.cuda.is_initialized():  # it sums gradients in any order otherwise
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    np.random.seed(bits)  # noqa: NPY002
