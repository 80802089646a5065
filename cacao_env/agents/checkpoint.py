"""Checkpoints: folders with a network and a manifest that describes it.

The network is a file of safetensors, the weights of compiled code, or of ONNX, a policy.
No pickle is ever written or read.  Loading checks format, checksum and feature version; an error gives
the reason.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import as_path, in_short, reason_of
from ..files import read_json, read_regular, sync_folder, write_json, write_whole
from ..provenance import versions

FORMAT, VERSION = "cacao-checkpoint", 1
VALUE_NET, POLICY = "value-net", "policy"  # kinds of networks
WEIGHTS, ONNX, MANIFEST = "weights.safetensors", "model.onnx", "manifest.json"
FILES = {VALUE_NET: WEIGHTS, POLICY: ONNX}  # what has the network
_MOST_WEIGHTS = 1_000_000_000  # bytes
ORDER = "order.json"  # beside the folders: their names, the recommended one first
MAX_NAME = 100
NAME = f"text of 1 to {MAX_NAME} printable characters"
_PACKAGE = Path(__file__).resolve().parent.parent
_HOMES = (_PACKAGE.parent / "checkpoints", _PACKAGE / "checkpoints")  # a checkout, or installed


class CheckpointError(ValueError):
    """One sentence on why a folder can't be used as a checkpoint."""


def write_files(folder: Path, name: str, network: str, weights: bytes, **more: Any) -> None:
    """Write a network and its manifest, both or neither, whenever the process or the machine stops.

    ``network``: its kind; ``weights``: the file's content.  The new manifest is what counts: until it
    is there, the old file is where it was, and from then on the new one is found by its checksum.
    """
    if not is_name(name):
        raise CheckpointError(f"the name of a checkpoint is {in_short(name)}, expected {NAME}")
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "network": network,
        "sha256": hashlib.sha256(weights).hexdigest(),
        "versions": versions(),
        **more,
    }
    settle(folder)
    new = _new_file(folder, manifest)
    try:
        write_whole(new, weights)
        write_json(folder / MANIFEST, manifest)
    except OSError:
        new.unlink(missing_ok=True)  # the old ones stay
        raise
    settle(folder)


def settle(folder: Path) -> None:
    """Finish an interrupted ``write_files``: move a new network to its place, or remove it."""
    with suppress(CheckpointError):
        manifest = read_manifest(folder)
        file, new = _file(folder, manifest), _new_file(folder, manifest)
        if new.is_file():
            new.replace(file)
            sync_folder(folder)
    for name in FILES.values():
        stem, _, kind = name.partition(".")
        for rest in folder.glob(f"{stem}-*"):
            if re.fullmatch(rf"{stem}-[0-9a-f]{{16}}\.{kind}(\.\d+\.tmp)?", rest.name):
                rest.unlink(missing_ok=True)


def _file(folder: Path, manifest: Mapping[str, Any]) -> Path:
    return folder / FILES.get(str(manifest.get("network")), WEIGHTS)


def _new_file(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """Return where the network is before it is moved to its place."""
    file = _file(folder, manifest)
    return file.with_stem(f"{file.stem}-{str(manifest.get('sha256'))[:16].replace('/', '-')}")


def add_to_manifest(folder: Path, **more: Any) -> None:
    """Add entries, such as an evaluation, to a checkpoint's manifest."""
    write_json(folder / MANIFEST, read_manifest(folder) | more)


def find(name: str) -> Path | None:
    """Return the folder of a checkpoint, given as a path or a shipped name; None if there is none.

    A path has a separator: a folder ``trinitario`` of the current one is ``./trinitario``.
    """
    places = (Path(name),) if is_path(name) else tuple(home / name for home in _HOMES)
    return next((place for place in places if (place / MANIFEST).is_file()), None)


def is_path(name: str) -> bool:
    """Return whether a name is the path of a folder, not a shipped name."""
    return any(separator in name for separator in (os.sep, os.altsep) if separator)


def shipped_home() -> Path | None:
    """Return the folder of the shipped checkpoints, None if there is none."""
    return next((home for home in _HOMES if (home / ORDER).is_file()), None)


def shipped_names() -> list[str]:
    """Return the names of the shipped checkpoints, the recommended one first."""
    home = shipped_home()
    return [] if home is None else list(json.loads((home / ORDER).read_text(encoding="utf-8")))


def network_of(folder: Path) -> str:
    """Return the kind of network that a folder's manifest names."""
    return str(read_manifest(folder).get("network"))


def read_files(folder: Path, network: str) -> tuple[dict[str, Any], bytes]:
    """Read manifest and network of a checkpoint of that kind; CheckpointError if they can't be used."""
    folder = as_path(folder, CheckpointError)
    for attempt in range(3):
        missing: OSError | None = None
        if attempt:
            time.sleep(0.1)  # a run may be writing another checkpoint
        manifest = read_manifest(folder)
        if manifest.get("network") != network:
            raise CheckpointError(
                f"{folder}: network is {in_short(manifest.get('network'))}, not {network!r}"
            )
        training = manifest.get("training", {})
        if not isinstance(training, dict) or not isinstance(training.get("config", {}), dict):
            raise CheckpointError(
                f"{folder}: training is {in_short(training)}, expected an object whose config is one"
            )
        for file in (_file(folder, manifest), _new_file(folder, manifest)):
            try:
                weights = read_regular(file, _MOST_WEIGHTS)
            except OSError as error:
                missing = error if file.name == FILES[network] else missing
                continue
            if hashlib.sha256(weights).hexdigest() == manifest.get("sha256"):
                return manifest, weights
    if missing is not None:
        raise CheckpointError(f"{folder}: {missing.filename} can't be read: {missing.strerror}")
    raise CheckpointError(
        f"{folder}: {FILES[network]} does not have the checksum that {MANIFEST} gives"
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read a checkpoint's manifest; CheckpointError if it is none."""
    folder = as_path(folder, CheckpointError)
    manifest = read_json(folder / MANIFEST, "that of a checkpoint", CheckpointError)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CheckpointError(f"{folder}: {MANIFEST} is not that of a {FORMAT}")
    if manifest.get("version") != VERSION:
        raise CheckpointError(
            f"{folder}: version is {in_short(manifest.get('version'))}, expected {VERSION}"
        )
    if not is_name(manifest.setdefault("name", folder.name)):
        raise CheckpointError(f"{folder}: name is {in_short(manifest['name'])}, expected {NAME}")
    return manifest


def is_name(name: Any) -> bool:
    """Return whether a terminal can show a name, and it fits a table."""
    return isinstance(name, str) and name.isprintable() and 1 <= len(name) <= MAX_NAME


def pack_tensors(arrays: Mapping[str, Any], about: Mapping[str, Any]) -> bytes:
    """Serialize arrays and plain data as a safetensors file; equal ones have equal bytes."""
    import safetensors.numpy

    whole = {name: np.array(array, order="C") for name, array in arrays.items()}
    # One entry: the library writes several in any order.
    return safetensors.numpy.save(whole, {"about": json.dumps(about, sort_keys=True)})


def unpack_arrays(
    folder: Path, weights: bytes, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Any]:
    """Read the arrays of a safetensors file; CheckpointError unless all are finite float32.

    Nothing is made that is larger than the file.
    """
    try:
        arrays = read_tensors(weights)
    except CheckpointError as error:
        raise CheckpointError(f"{folder}: {WEIGHTS} {error}") from None
    if {name: array.shape for name, array in arrays.items()} != dict(shapes):
        raise CheckpointError(f"{folder}: its arrays are not those of such a network")
    if not all(x.dtype == np.float32 and np.isfinite(x).all() for x in arrays.values()):
        raise CheckpointError(f"{folder}: its weights are not all finite float32 numbers")
    return arrays


def read_tensors(data: bytes) -> dict[str, Any]:
    """Read the arrays of a safetensors file; CheckpointError if it is none."""
    import safetensors.numpy

    try:
        return {name: np.array(x) for name, x in safetensors.numpy.load(data).items()}
    except Exception as error:  # the library raises its own, KeyError, TypeError and ValueError
        raise CheckpointError(f"is not a safetensors file: {reason_of(error)}") from None


def tensor_metadata(data: bytes) -> Any:
    """Read the plain data of a file that ``read_tensors`` could read; ValueError if it has none."""
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return json.loads(header.get("__metadata__", {}).get("about", ""))
