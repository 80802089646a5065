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

from ..files import write_together, write_whole
from ..provenance import versions

FORMAT, VERSION = "cacao-checkpoint", 1
CELL_NET, VALUE_NET = "cell-net", "value-net"  # kinds of networks
WEIGHTS, MANIFEST = "weights.safetensors", "manifest.json"
ORDER = "order.json"  # beside the folders: their names, the recommended one first
_PACKAGE = Path(__file__).resolve().parent.parent
_HOMES = (_PACKAGE.parent / "checkpoints", _PACKAGE / "checkpoints")  # a checkout, or installed


class CheckpointError(ValueError):
    """One sentence on why a folder can't be used as a checkpoint."""


def write_files(folder: Path, name: str, network: str, weights: bytes, **more: Any) -> None:
    """Write weights and manifest, both or neither, so an interruption loses nothing."""
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
    write_together(
        {
            folder / WEIGHTS: weights,
            folder / MANIFEST: json.dumps(manifest, indent=2) + "\n",
        }
    )


def add_to_manifest(folder: Path, **more: Any) -> None:
    """Add entries, such as an evaluation, to a checkpoint's manifest."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest.update(more)
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
    return str(read_manifest(folder).get("name", folder.name))


def read_files(folder: Path, network: str) -> tuple[dict[str, Any], bytes]:
    """Read manifest and weights of a checkpoint of that kind; CheckpointError if they can't be used."""
    for last in (False, True):
        manifest = read_manifest(folder)
        if manifest.get("network") != network:
            raise CheckpointError(
                f"{folder}: network is {manifest.get('network')!r}, not {network!r}"
            )
        try:
            weights = (folder / WEIGHTS).read_bytes()
        except OSError as error:
            raise CheckpointError(f"{folder}: {error.filename} can't be read") from None
        if hashlib.sha256(weights).hexdigest() == manifest.get("sha256"):
            break
        if last:
            raise CheckpointError(
                f"{folder}: {WEIGHTS} does not have the checksum that {MANIFEST} gives"
            )
        time.sleep(0.1)  # a run may be between the two moves
    return manifest, weights


def check_metadata(folder: Path, weights: bytes, manifest: Mapping[str, Any]) -> None:
    """Raise CheckpointError unless the weights' own metadata agrees with the manifest.

    ``weights``: a safetensors file that could be read.
    """
    length = int.from_bytes(weights[:8], "little")
    own = json.loads(weights[8 : 8 + length]).get("__metadata__") or {}
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
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"{folder}: {error.filename} can't be read") from None
    except ValueError:
        raise CheckpointError(f"{folder}: {MANIFEST} is not JSON") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CheckpointError(f"{folder}: {MANIFEST} is not that of a {FORMAT}")
    if manifest.get("version") != VERSION:
        raise CheckpointError(
            f"{folder}: version is {manifest.get('version')!r}, expected {VERSION}"
        )
    return manifest


def pack_arrays(arrays: Mapping[str, Any], metadata: Mapping[str, str]) -> bytes:
    """Serialize float32 arrays and their metadata as a safetensors file."""
    from safetensors.numpy import save

    whole = {name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()}
    data: bytes = save(whole, dict(metadata))
    return data


def unpack_arrays(folder: Path, weights: bytes) -> dict[str, Any]:
    """Read the arrays of a safetensors file; CheckpointError unless all are finite float32."""
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load
    except ImportError:
        raise CheckpointError(
            f"{folder}: reading weights needs safetensors: pip install safetensors"
        ) from None
    try:
        arrays: dict[str, Any] = load(weights)
    except (SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"{folder}: {WEIGHTS} is not a safetensors file of NumPy arrays: {error}"
        ) from None
    if any(x.dtype != np.float32 or not np.isfinite(x).all() for x in arrays.values()):
        raise CheckpointError(f"{folder}: its weights are not all finite float32 numbers")
    return arrays
