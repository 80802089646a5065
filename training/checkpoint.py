"""Checkpoints: a folder with weights (safetensors) and a manifest that says what they are for.

No pickle is ever written or read.  Loading checks format, checksum and feature version and refuses
with a reason.
"""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from cacao_env import Game, __version__
from cacao_env.actions import num_actions
from cacao_env.observation import layout, scale

from .network import CellNet

FORMAT, VERSION = "cacao-checkpoint", 1
CELL_NET, VALUE_NET = "cell-net", "value-net"  # kinds of networks
WEIGHTS, MANIFEST = "weights.safetensors", "manifest.json"


class CheckpointError(ValueError):
    """A folder that can't be used as a checkpoint, and why."""


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


def versions() -> dict[str, str]:
    """Versions of what a result depends on."""
    names = (
        "numpy",
        "numba",
        "pettingzoo",
        "gymnasium",
        "torch",
        "stable-baselines3",
        "sb3-contrib",
    )
    found = {"cacao-env": __version__, "python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def save(folder: Path, name: str, net: CellNet, rules: dict[str, Any], **more: Any) -> None:
    """Write a checkpoint; ``rules`` has num_players, table_size, volcanoes and width."""
    weights = save_tensors({k: v.contiguous() for k, v in net.state_dict().items()})
    features = feature_version(rules["num_players"], rules["table_size"])
    write_files(folder, name, CELL_NET, weights, rules=rules, features=features, **more)


def write_files(folder: Path, name: str, network: str, weights: bytes, **more: Any) -> None:
    """Write weights and manifest, each beside its place and then moved: a stop loses nothing."""
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
    write_whole(folder / WEIGHTS, weights)
    write_whole(folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())


def add_to_manifest(folder: Path, **more: Any) -> None:
    """Add entries, such as an evaluation, to a checkpoint's manifest."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest.update(more)
    write_whole(folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there: whoever reads sees the old or the new one."""
    beside = path.with_name(path.name + ".tmp")
    beside.write_bytes(data)
    beside.replace(path)


def network_of(folder: Path) -> str:
    """Which kind of network a folder's manifest names."""
    return str(_read_manifest(folder).get("network"))


def name_of(folder: Path) -> str:
    """What a checkpoint is called."""
    return str(_read_manifest(folder).get("name", folder.name))


def read_files(folder: Path, network: str) -> tuple[dict[str, Any], bytes]:
    """Manifest and weights of a checkpoint of that kind; CheckpointError if they can't be used."""
    manifest = _read_manifest(folder)
    if manifest.get("network") != network:
        raise CheckpointError(f"{folder}: network is {manifest.get('network')!r}, not {network!r}")
    try:
        weights = (folder / WEIGHTS).read_bytes()
    except OSError as error:
        raise CheckpointError(f"{folder}: {error.filename} can't be read") from None
    if hashlib.sha256(weights).hexdigest() != manifest.get("sha256"):
        raise CheckpointError(
            f"{folder}: {WEIGHTS} does not have the checksum that {MANIFEST} gives"
        )
    return manifest, weights


def _read_manifest(folder: Path) -> dict[str, Any]:
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
        net.load_state_dict(load_tensors(weights))
    except (KeyError, TypeError, RuntimeError) as error:
        raise CheckpointError(f"{folder}: {MANIFEST} and {WEIGHTS} don't fit: {error}") from None
    net.eval()
    return Checkpoint(
        str(manifest.get("name", folder.name)), net, players, size, volcanoes, manifest
    )
