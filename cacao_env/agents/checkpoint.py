"""Checkpoints: folders with weights (safetensors) and a manifest that describes them.

No pickle is ever written or read.  Loading checks format, checksum and feature version; an error gives
the reason.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import as_path
from ..files import read_regular, sync_folder, write_whole
from ..provenance import versions
from .tensors import TensorError, pack, read_header, unpack

FORMAT, VERSION = "cacao-checkpoint", 1
CELL_NET, VALUE_NET, ROW_NET = "cell-net", "value-net", "row-net"  # kinds of networks
WEIGHTS, MANIFEST = "weights.safetensors", "manifest.json"
_NEW_WEIGHTS = "weights-{}.safetensors"  # by their checksum, until they are moved to WEIGHTS
_MOST_WEIGHTS, _MOST_MANIFEST = 1_000_000_000, 10_000_000  # bytes
ORDER = "order.json"  # beside the folders: their names, the recommended one first
MAX_NAME = 100
NAME = f"text of at most {MAX_NAME} printable characters"
_PACKAGE = Path(__file__).resolve().parent.parent
_HOMES = (_PACKAGE.parent / "checkpoints", _PACKAGE / "checkpoints")  # a checkout, or installed


class CheckpointError(ValueError):
    """One sentence on why a folder can't be used as a checkpoint."""


def write_files(folder: Path, name: str, network: str, weights: bytes, **more: Any) -> None:
    """Write weights and manifest, both or neither, whenever the process or the machine stops.

    The new manifest is what counts: until it is there, the old weights are where they were, and from
    then on the new ones are found by their checksum.
    """
    if not is_name(name):
        raise CheckpointError(f"the name of a checkpoint is {_short(name)}, expected {NAME}")
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
    new = _new_weights(folder, manifest)
    try:
        write_whole(new, weights)
        write_whole(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    except OSError:
        new.unlink(missing_ok=True)  # the old ones stay
        raise
    settle(folder)


def settle(folder: Path) -> None:
    """Finish an interrupted ``write_files``: move new weights to their place, or remove them."""
    try:
        new = _new_weights(folder, read_manifest(folder))
    except CheckpointError:
        new = folder / WEIGHTS
    if new.is_file():
        new.replace(folder / WEIGHTS)
        sync_folder(folder)
    for rest in (*folder.glob(_NEW_WEIGHTS.format("*")), *folder.glob("weights-*.tmp")):
        rest.unlink(missing_ok=True)


def _new_weights(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """Return where weights are before they are moved to their place."""
    return folder / _NEW_WEIGHTS.format(str(manifest.get("sha256"))[:16].replace("/", "-"))


def add_to_manifest(folder: Path, **more: Any) -> None:
    """Add entries, such as an evaluation, to a checkpoint's manifest."""
    manifest = read_manifest(folder) | more
    write_whole(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")


def find(name: str) -> Path | None:
    """Return the folder of a checkpoint, given as a path or a shipped name; None if there is none."""
    for place in (Path(), Path("checkpoints"), *_HOMES):
        if (place / name / MANIFEST).is_file():
            return place / name
    return None


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


def name_of(folder: Path) -> str:
    """Return the name of a checkpoint."""
    return str(read_manifest(folder)["name"])


def read_files(folder: Path, network: str) -> tuple[dict[str, Any], bytes]:
    """Read manifest and weights of a checkpoint of that kind; CheckpointError if they can't be used."""
    folder = as_path(folder, CheckpointError)
    for attempt in range(3):
        missing: OSError | None = None
        if attempt:
            time.sleep(0.1)  # a run may be writing another checkpoint
        manifest = read_manifest(folder)
        if manifest.get("network") != network:
            raise CheckpointError(
                f"{folder}: network is {_short(manifest.get('network'))}, not {network!r}"
            )
        for file in (folder / WEIGHTS, _new_weights(folder, manifest)):
            try:
                weights = read_regular(file, _MOST_WEIGHTS)
            except OSError as error:
                missing = error if file.name == WEIGHTS else missing
                continue
            if hashlib.sha256(weights).hexdigest() == manifest.get("sha256"):
                return manifest, weights
    if missing is not None:
        raise CheckpointError(f"{folder}: {folder / WEIGHTS} can't be read: {missing.strerror}")
    raise CheckpointError(f"{folder}: {WEIGHTS} does not have the checksum that {MANIFEST} gives")


def check_metadata(folder: Path, weights: bytes, manifest: Mapping[str, Any]) -> None:
    """Raise CheckpointError unless the weights' own metadata agrees with the manifest.

    ``weights``: a safetensors file that could be read.
    """
    _, own, _ = read_header(weights)
    if own != metadata_of(manifest):
        raise CheckpointError(
            f"{folder}: the metadata of {WEIGHTS} is not what {MANIFEST} says of rules and features"
        )


def metadata_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the weights' own metadata: rules, features and kind of network."""
    rules = json.dumps(manifest["rules"])
    return {"rules": rules, "features": manifest["features"], "network": manifest["network"]}


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read a checkpoint's manifest; CheckpointError if it is none."""
    folder = as_path(folder, CheckpointError)
    try:
        manifest = json.loads(read_regular(folder / MANIFEST, _MOST_MANIFEST).decode("utf-8"))
    except OSError as error:
        raise CheckpointError(
            f"{folder}: {error.filename} can't be read: {error.strerror}"
        ) from None
    except (ValueError, RecursionError):
        raise CheckpointError(f"{folder}: {MANIFEST} is not JSON") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CheckpointError(f"{folder}: {MANIFEST} is not that of a {FORMAT}")
    if manifest.get("version") != VERSION:
        raise CheckpointError(
            f"{folder}: version is {_short(manifest.get('version'))}, expected {VERSION}"
        )
    if not is_name(manifest.setdefault("name", folder.name)):
        raise CheckpointError(f"{folder}: name is {_short(manifest['name'])}, expected {NAME}")
    return manifest


def is_name(name: Any) -> bool:
    """Return whether a terminal can show a name, and it fits a table."""
    return isinstance(name, str) and name.isprintable() and len(name) <= MAX_NAME


def pack_arrays(arrays: Mapping[str, Any], metadata: Mapping[str, str]) -> bytes:
    """Serialize float32 arrays and their metadata as a safetensors file; the same ones, the same bytes.

    CheckpointError if some number is not finite: such weights are never saved.
    """
    whole = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    for name, array in whole.items():
        if not np.isfinite(array).all():
            raise CheckpointError(f"weights can't be saved: {name} has numbers that are not finite")
    return pack(whole, metadata)


def unpack_arrays(
    folder: Path, weights: bytes, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Any]:
    """Read the arrays of a safetensors file; CheckpointError unless all are finite float32.

    The file's header is compared with ``shapes`` first: nothing large is made for a wrong size.
    """
    try:
        header, _, _ = read_header(weights)
        if any(kind != np.float32 for kind, _, _ in header.values()):
            raise CheckpointError(f"{folder}: its weights are not all finite float32 numbers")
        if {name: shape for name, (_, shape, _) in header.items()} != dict(shapes):
            raise CheckpointError(f"{folder}: its arrays are not those of such a network")
        arrays, _ = unpack(weights)
    except TensorError as error:
        raise CheckpointError(f"{folder}: {WEIGHTS} is not a safetensors file: {error}") from None
    if not all(np.isfinite(x).all() for x in arrays.values()):
        raise CheckpointError(f"{folder}: its weights are not all finite float32 numbers")
    return arrays


def _short(value: Any) -> str:
    """Return a value from a file, shortened for an error message."""
    return repr(value)[:80]
