"""Checkpoints of the board network (:mod:`training.ppo.network`): for one kind of game each."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from cacao_env import Game
from cacao_env.agents.checkpoint import (
    CELL_NET,
    MANIFEST,
    WEIGHTS,
    CheckpointError,
    check_metadata,
    metadata_of,
    read_files,
    write_files,
)
from cacao_env.engine.actions import num_actions
from cacao_env.engine.observation import layout, scale

from .config import BoardConfig
from .network import CellNet


@dataclass
class Checkpoint:
    """A network with the rules it was trained for."""

    name: str
    net: CellNet
    num_players: int
    table_size: int
    volcanoes: bool
    manifest: dict[str, Any]

    @property
    def factors(self) -> npt.NDArray[np.float32]:
        """What raw observations are multiplied by."""
        return scale(self.num_players, self.table_size)

    def check_rules(self, game: Game) -> None:
        """CheckpointError unless a game is one that the network was trained for."""
        own = (self.num_players, self.table_size, self.volcanoes)
        asked = (game.num_players, game.table_size, game.volcanoes)
        if own != asked:
            raise CheckpointError(
                f"checkpoint {self.name} is for {_rules_text(*own)}, not for {_rules_text(*asked)}"
            )


def _rules_text(players: int, size: int, volcanoes: bool) -> str:
    return f"{players} players on table size {size} {'with' if volcanoes else 'without'} volcanoes"


def feature_version(num_players: int, table_size: int) -> str:
    """A fingerprint of the observation and action tables that weights depend on."""
    rows = [(e.name, e.start, e.shape, e.high) for e in layout(num_players, table_size)]
    text = json.dumps([rows, int(num_actions(table_size))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def save(folder: Path, name: str, net: CellNet, rules: dict[str, Any], **more: Any) -> None:
    """Write a checkpoint; ``rules`` has num_players, table_size, volcanoes and width."""
    features = feature_version(rules["num_players"], rules["table_size"])
    metadata = metadata_of({"rules": rules, "features": features, "network": CELL_NET})
    weights = save_tensors({k: v.contiguous() for k, v in net.state_dict().items()}, metadata)
    write_files(folder, name, CELL_NET, weights, rules=rules, features=features, **more)


def save_trained(folder: Path, config: BoardConfig, net: CellNet, **trained: Any) -> None:
    """Write what a run has made so far; ``trained``: how."""
    rules = {
        "num_players": config.num_players,
        "table_size": config.table_size,
        "volcanoes": config.volcanoes,
        "width": config.width,
    }
    save(folder, config.name, net, rules, training=trained | {"config": config.as_dict()})


def load(folder: str | Path) -> Checkpoint:
    """Read the checkpoint of a CellNet; CheckpointError says why one can't be used."""
    folder = Path(folder)
    manifest, weights = read_files(folder, CELL_NET)
    try:
        rules = manifest["rules"]
        players, size, volcanoes = rules["num_players"], rules["table_size"], rules["volcanoes"]
        if manifest["features"] != feature_version(players, size):
            raise CheckpointError(f"{folder}: made for other observations or actions than these")
        net = CellNet(players, size, rules["width"])
        params = load_tensors(weights)
        if any(x.dtype != torch.float32 or not torch.isfinite(x).all() for x in params.values()):
            raise CheckpointError(f"{folder}: its weights are not all finite float32 numbers")
        net.load_state_dict(params)
        check_metadata(folder, weights, manifest)
    except (KeyError, TypeError, ValueError, RuntimeError, SafetensorError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{folder}: {MANIFEST} and {WEIGHTS} don't fit: {error}") from None
    net.eval()
    return Checkpoint(
        str(manifest.get("name", folder.name)), net, players, size, volcanoes, manifest
    )
