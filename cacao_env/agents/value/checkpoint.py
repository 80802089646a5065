"""Checkpoints of value networks: for all numbers of players, with or without volcanoes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from cacao_env.agents.value.features import NUM_NUMBERS, NUM_ROWS, STAGES, VERSION
from cacao_env.agents.value.net import Net, from_params, param_shapes
from cacao_env.agents.value.patterns import NUM_PATTERNS
from cacao_env.engine.tiles import MAX_PLAYERS, MIN_PLAYERS

from ..checkpoint import (
    VALUE_NET,
    CheckpointError,
    check_metadata,
    metadata_of,
    read_files,
    write_files,
)


def features_version() -> str:
    """A fingerprint of what the weights are for."""
    text = json.dumps([VERSION, NUM_NUMBERS, NUM_ROWS, NUM_PATTERNS, STAGES])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def save_value(
    folder: Path, name: str, params: dict[str, Any], rules: dict[str, Any], **more: Any
) -> None:
    """Write a checkpoint; ``rules`` has the numbers of players and whether volcanoes were met."""
    size = {
        "sums": params["part_rows"].shape[2],
        "maxima": params["part_best"].shape[1],
        "units": params["out"].shape[1],
    }
    features = features_version()
    metadata = metadata_of({"rules": rules, "features": features, "network": VALUE_NET})
    arrays = {key: np.ascontiguousarray(array, np.float32) for key, array in params.items()}
    weights = save_arrays(arrays, metadata)
    write_files(folder, name, VALUE_NET, weights, rules=rules, features=features, size=size, **more)


def load_value(folder: Path) -> tuple[Net, dict[str, Any]]:
    """(weights for compiled code, manifest); CheckpointError says why a folder can't be used."""
    params, manifest = read_value(folder)
    return from_params(params), manifest


def read_value(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """(weights as they are learnt, manifest); CheckpointError says why a folder can't be used."""
    manifest, weights = read_files(folder, VALUE_NET)
    try:
        if manifest["features"] != features_version():
            raise CheckpointError(f"{folder}: made for other features than these")
        params = load_arrays(weights)
        shapes = {name: array.shape for name, array in params.items()}
        if shapes != param_shapes(**manifest["size"]):
            raise CheckpointError(f"{folder}: the arrays in it are not those of such a network")
        if any(
            array.dtype != np.float32 or not np.isfinite(array).all() for array in params.values()
        ):
            raise CheckpointError(f"{folder}: its weights are not all finite float32 numbers")
        check_metadata(folder, weights, manifest)
        players, volcanoes = manifest["rules"]["players"], manifest["rules"]["volcanoes"]
        known = range(MIN_PLAYERS, MAX_PLAYERS + 1)
        if not players or any(n not in known for n in players) or type(volcanoes) is not bool:
            raise CheckpointError(
                f"{folder}: rules are {manifest['rules']!r}, expected players of 2, 3, 4 and volcanoes"
            )
    except (KeyError, TypeError, ValueError, SafetensorError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{folder}: manifest and weights don't fit: {error}") from None
    return params, manifest
