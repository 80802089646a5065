"""The state of a run as named arrays, without pickle: what it needs to resume exactly."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cacao_env.agents.checkpoint import CheckpointError
from cacao_env.agents.tensors import TensorError, pack, unpack
from cacao_env.checks import as_path
from cacao_env.files import read_regular, write_whole

STATE = "state.safetensors"
Arrays = dict[str, Any]
_UNSEALED = "0" * 64
_SEAL = re.compile(rb'"sha256":"([0-9a-f]{64})"')  # in the header's metadata
_MOST_STATE = 8_000_000_000  # bytes
_MOST_LEFT = 624  # numbers of a Mersenne twister


def write_state(folder: Path, arrays: Arrays, **about: Any) -> None:
    """Write arrays and plain data with a checksum; an interruption leaves the old file."""
    metadata = {key: json.dumps(value) for key, value in about.items()}
    whole = {name: np.asarray(array) for name, array in arrays.items()}
    data = pack(whole, metadata | {"sha256": _UNSEALED})
    seal = b'"sha256":"' + hashlib.sha256(data).hexdigest().encode() + b'"'
    write_whole(folder / STATE, data.replace(f'"sha256":"{_UNSEALED}"'.encode(), seal, 1))


def read_state(folder: Path) -> tuple[Arrays, dict[str, Any]]:
    """Read (arrays, plain data); CheckpointError if a bit of the file is not as it was written."""
    path = as_path(folder, CheckpointError) / STATE
    try:
        data = read_regular(path, _MOST_STATE)
        found = _SEAL.search(data)
        if found is None:
            raise CheckpointError(f"{path} can't be read: it has no checksum")
        unsealed = data[: found.start(1)] + _UNSEALED.encode() + data[found.end(1) :]
        if hashlib.sha256(unsealed).hexdigest().encode() != found[1]:
            raise CheckpointError(f"{path} can't be read: it does not have its own checksum")
        arrays, metadata = unpack(data)
        del metadata["sha256"]
        about = {key: json.loads(value) for key, value in metadata.items()}
    except OSError as error:
        raise CheckpointError(f"{path} can't be read: {error.strerror}") from None
    except (TensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{path} can't be read: {str(error)[:200]}") from None
    for key in ("config", "counts"):
        if not isinstance(about.get(key), dict):
            raise CheckpointError(f"{path} can't be used: it has no {key} of a run")
    return arrays, about


def check_arrays(given: Mapping[str, Any], like: Mapping[str, Any]) -> None:
    """Raise CheckpointError unless each array of ``like`` is there, alike and with finite numbers."""
    for name, array in like.items():
        expected = np.asarray(array)
        found = given.get(name)
        if found is None:
            raise CheckpointError(f"the state does not fit its configuration: {name} is missing")
        if found.shape != expected.shape or found.dtype != expected.dtype:
            raise CheckpointError(
                f"the state does not fit its configuration: {name} is {found.dtype} of shape "
                f"{found.shape}, expected {expected.dtype} of shape {expected.shape}"
            )
    check_finite({name: given[name] for name in like})


def check_shapes(given: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise CheckpointError unless arrays have these shapes: asked before anything so large is made."""
    for name, shape in shapes.items():
        found = given[name].shape if name in given else "missing"
        if found != shape:
            raise CheckpointError(
                f"the state does not fit its configuration: {name} is {found}, expected {shape}"
            )


def check_counts(counts: Mapping[str, Any], names: Collection[str]) -> None:
    """Raise CheckpointError unless these are the counts of a run."""
    if counts.keys() != set(names):
        raise CheckpointError("another version of this program wrote the state")
    for name, count in counts.items():
        if type(count) is not int or not 0 <= count < 2**62:
            raise CheckpointError(f"{name} of the state is {str(count)[:80]}, expected a count")


def check_finite(arrays: Mapping[str, Any]) -> None:
    """Raise CheckpointError, naming the array, if some number is not finite."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.kind == "f" and not np.isfinite(array).all():
            raise CheckpointError(f"{name} has numbers that are not finite")


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
    own = {name: _array(x) for name, x in net.state_dict().items()}
    check_arrays(arrays, named("net", own))
    parameters = dict(net.named_parameters())
    moments: dict[str, Arrays] = {}
    for key, value in part("optimizer", arrays).items():
        what, _, owner = key.partition(".")
        moments.setdefault(owner, {})[what] = value
    for owner, kept in moments.items():
        like = {what: _like_moment(parameters.get(owner), what, kept) for what in kept}
        check_arrays(kept, like)
        if (
            like.keys() != {"step", "exp_avg", "exp_avg_sq"}
            or min(kept["step"].min(), kept["exp_avg_sq"].min(initial=0)) < 0
        ):
            raise CheckpointError(f"the state does not fit its configuration: optimizer of {owner}")
    net.load_state_dict(
        {
            name: torch.from_numpy(np.array(x))
            for name, x in part("net", arrays).items()
            if name in own
        }
    )
    for name, parameter in parameters.items():
        kept = {
            what: torch.from_numpy(np.array(value))
            for what, _, owner, value in (
                (*key.partition("."), x) for key, x in part("optimizer", arrays).items()
            )
            if owner == name
        }
        if kept:
            optimizer.state[parameter] = {
                what: x if what == "step" else x.to(parameter.device) for what, x in kept.items()
            }


def _like_moment(parameter: Any, what: str, kept: Arrays) -> Any:
    """An array like one that Adam keeps of a parameter."""
    if parameter is None:
        raise CheckpointError("the state does not fit its configuration: an unknown parameter")
    return np.float32(0) if what == "step" else np.empty(tuple(parameter.shape), np.float32)


def _array(value: Any) -> Any:
    return value.detach().cpu().numpy().copy() if torch.is_tensor(value) else np.array(value)


def generator_arrays(with_numpy: bool = False) -> Arrays:
    """The state of torch's global random generator, and of NumPy's for libraries that use it."""
    found = {"torch": torch.get_rng_state().numpy()}
    if torch.cuda.is_available():
        found["cuda"] = torch.cuda.get_rng_state().numpy()
    if with_numpy:
        _, keys, place, has_gauss, gauss = np.random.get_state()  # noqa: NPY002
        found["numpy"] = np.asarray(keys)
        found["numpy_place"] = np.array([place, has_gauss], np.int64)
        found["numpy_gauss"] = np.array([gauss])
    return found


def restore_generators(arrays: Mapping[str, Any], with_numpy: bool = False) -> None:
    """Restore what ``generator_arrays`` returned; CheckpointError for anything else."""
    like = generator_arrays(with_numpy)
    check_arrays(arrays, like if "cuda" in arrays else {k: like[k] for k in like if k != "cuda"})
    try:
        torch.set_rng_state(torch.from_numpy(np.array(arrays["torch"])))
    except RuntimeError as error:
        raise CheckpointError(f"the state's random numbers can't be used: {error}") from None
    if "cuda" in arrays and torch.cuda.is_available():
        torch.cuda.set_rng_state(torch.from_numpy(np.array(arrays["cuda"])))
    if with_numpy:
        place, has_gauss = arrays["numpy_place"].tolist()
        if not 0 <= place <= _MOST_LEFT or has_gauss not in (0, 1):
            raise CheckpointError("the state does not fit its configuration: random numbers")
        gauss = float(arrays["numpy_gauss"][0])
        np.random.set_state(  # noqa: NPY002
            ("MT19937", np.array(arrays["numpy"]), place, has_gauss, gauss)
        )
