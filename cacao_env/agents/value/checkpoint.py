"""Checkpoints of value networks, and agents made from them, alone or with search."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ...engine.tiles import MAX_PLAYERS, MIN_PLAYERS
from ..checkpoint import (
    VALUE_NET,
    CheckpointError,
    pack_tensors,
    read_files,
    unpack_arrays,
    write_files,
)
from . import features
from .agent import ValueAgent
from .net import from_params, param_shapes
from .patterns import NUM_PATTERNS
from .search import SearchAgent


def features_version() -> str:
    """Return a fingerprint of the features that the weights depend on."""
    sizes = [features.NUM_NUMBERS, features.NUM_ROWS, NUM_PATTERNS, features.NUM_STAGES]
    stages = [features.PROSPECTS_FROM, *features.STAGES]
    of = [features.VERSION, *sizes, *stages, str(features.LEAK)]
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()[:16]


def save_value(
    folder: Path, name: str, params: dict[str, Any], rules: dict[str, Any], **more: Any
) -> None:
    """Write a checkpoint; ``rules`` has the numbers of players and whether volcanoes were used."""
    size = {
        "sums": params["part_rows"].shape[2],
        "maxima": params["part_best"].shape[1],
        "units": params["out"].shape[1],
    }
    if "ordering" in params:
        size["ordered"] = True
    version = features_version()
    weights = pack_tensors({key: np.asarray(x, np.float32) for key, x in params.items()}, {})
    write_files(folder, name, VALUE_NET, weights, rules=rules, features=version, size=size, **more)


def read_value(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read (trained parameters, manifest); CheckpointError says why a folder can't be used."""
    manifest, weights = read_files(folder, VALUE_NET)
    try:
        if manifest["features"] != features_version():
            raise CheckpointError(f"{folder}: made for other features")
        params = unpack_arrays(folder, weights, param_shapes(**manifest["size"]))
        players, volcanoes = manifest["rules"]["players"], manifest["rules"]["volcanoes"]
        known = range(MIN_PLAYERS, MAX_PLAYERS + 1)
        if not players or any(n not in known for n in players) or type(volcanoes) is not bool:
            raise CheckpointError(
                f"{folder}: rules are {str(manifest['rules'])[:200]}, expected players of 2, 3, 4 and "
                "volcanoes"
            )
    except CheckpointError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{folder}: manifest and weights don't fit: {str(error)[:200]}"
        ) from None
    return params, manifest


_LOADED: WeakValueDictionary[str, ValueAgent] = WeakValueDictionary()  # agents share their networks


def load_value_agent(folder: Path, name: str, search: dict[str, Any] | None = None) -> ValueAgent:
    """Load an agent from a value network's checkpoint; ``search`` as ``split_search`` returned it."""
    params, manifest = read_value(folder)
    other = _LOADED.get(manifest["sha256"])
    net = from_params(params) if other is None else other.net  # 7 MB of a shipped one
    kind = ValueAgent if search is None else SearchAgent
    agent = kind(net, name, manifest, **(search or {}))
    _LOADED.setdefault(manifest["sha256"], agent)
    return agent
