"""The state of a run as named arrays, without pickle: what it needs to resume exactly."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
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
_UNSEALED = "0" * 64
_SEAL = re.compile(rb'\\"sha256\\": \\"([0-9a-f]{64})\\"')  # in the header's metadata


def write_state(folder: Path, arrays: Arrays, **about: Any) -> None:
    """Write arrays and plain data with a checksum; an interruption leaves the old file."""
    data = pack_tensors(arrays, {"version": VERSION, "sha256": _UNSEALED, **about})
    digest = hashlib.sha256(data).hexdigest()
    write_whole(folder / STATE, data.replace(_UNSEALED.encode(), digest.encode(), 1))


def read_state(folder: Path) -> tuple[Arrays, dict[str, Any]]:
    """Read (arrays, plain data); CheckpointError if a bit of the file is not as it was written."""
    path = as_path(folder, CheckpointError) / STATE
    data = read_regular(path, _MOST_STATE, CheckpointError)
    seal = _SEAL.search(data)
    if seal is None:
        raise CheckpointError(
            f"{path} can't be read: it has no checksum, or an earlier version of this program wrote "
            "it, whose runs can't be resumed"
        )
    unsealed = data[: seal.start(1)] + _UNSEALED.encode() + data[seal.end(1) :]
    if hashlib.sha256(unsealed).hexdigest().encode() != seal[1]:
        raise CheckpointError(f"{path} can't be read: it does not have its own checksum")
    try:
        arrays, about = read_tensors(data), tensor_metadata(data)
    except (ValueError, TypeError, RecursionError) as error:
        raise CheckpointError(f"{path} can't be read: {str(error)[:200]}") from None
    if not isinstance(about, dict) or about.get("version") != VERSION:
        raise CheckpointError(
            f"{path} is of another version of this program: the run can't be resumed"
        )
    for key in ("config", "counts"):
        if not isinstance(about.get(key), dict):
            raise CheckpointError(f"{path} can't be used: it has no {key} of a run")
    return arrays, about


def check_arrays(given: Mapping[str, Any], like: Mapping[str, Any]) -> None:
    """Raise CheckpointError unless each array of ``like`` is there, alike and with finite numbers."""
    for name, array in like.items():
        try:
            check_array(name, given.get(name, "missing"), np.asarray(array))
        except ValueError as error:
            raise CheckpointError(f"the state does not fit its configuration: {error}") from None


def check_shapes(
    given: Mapping[str, Any],
    shapes: Mapping[str, tuple[int, ...]],
    what: str = "the state does not fit its configuration",
) -> None:
    """Raise CheckpointError, which begins with ``what``, unless arrays have these shapes."""
    for name, shape in shapes.items():
        found = tuple(given[name].shape) if name in given else "missing"
        if found != shape:
            raise CheckpointError(f"{what}: {name} is {found}, expected {shape}")


def check_counts(counts: Mapping[str, Any], names: Collection[str]) -> None:
    """Raise CheckpointError unless these are the counts of a run."""
    if counts.keys() != set(names):
        raise CheckpointError("another version of this program wrote the state")
    for name, count in counts.items():
        if type(count) is not int or not 0 <= count < 2**62:
            raise CheckpointError(f"{name} of the state is {str(count)[:80]}, expected a count")


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


def load_weights(net: torch.nn.Module, arrays: Mapping[str, Any]) -> None:
    """Copy weights into a network; CheckpointError for those of another network."""
    own = weights_of(net)
    check_arrays(arrays, own)
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
    check_arrays(arrays, named("net", weights_of(net)))
    parameters, moments = dict(net.named_parameters()), part("optimizer", arrays)
    kept: dict[str, Arrays] = {}  # by parameter; of a step, or of none before the first
    for key, value in moments.items():
        what, _, owner = key.partition(".")
        kept.setdefault(owner, {})[what] = value
    for owner, found in kept.items():
        like = np.zeros(tuple(parameters[owner].shape) if owner in parameters else (), np.float32)
        check_arrays(found, {"step": np.float32(0), "exp_avg": like, "exp_avg_sq": like})
        below = found["step"] < 0 or found["exp_avg_sq"].min(initial=0) < 0
        if owner not in parameters or len(found) != 3 or below:
            raise CheckpointError(f"the state does not fit its configuration: optimizer of {owner}")
    load_weights(net, part("net", arrays))
    for owner, found in kept.items():
        parameter, tensors = parameters[owner], {k: torch.from_numpy(x) for k, x in found.items()}
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
