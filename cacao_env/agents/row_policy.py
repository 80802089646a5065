"""The row network as an agent: a policy and a critic over the rows of the candidate view, in NumPy.

The same weights score every row, with the context and the best of each feature over all rows beside it.
The network chooses placements; fills and actions are made as ``decisions="turn"`` makes them.
:mod:`training.ppo.rows` is the same network in torch, for training.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import as_path
from ..engine.options import Options
from ..engine.rng import RngArray
from ..engine.state import PLACE, TURN
from ..game import Game
from ..greedy.candidates import Candidates, candidates_into
from ..greedy.columns import COLUMNS, CONTEXT_COLUMNS, ROW_COLUMNS
from ..greedy.turn import unasked
from .agent import Agent, decider, require
from .analysis import Analysis, certain
from .checkpoint import (
    ROW_NET,
    CheckpointError,
    check_metadata,
    metadata_of,
    pack_arrays,
    read_files,
    unpack_arrays,
    write_files,
)

Array = npt.NDArray[Any]
VERSION = 1  # of the network; weights are for one


def param_shapes(width: int) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of each parameter."""
    shapes: dict[str, tuple[int, ...]] = {
        "rows.weight": (width, COLUMNS),
        "pooled.weight": (width, width),
    }
    layers = {
        "context": (width, COLUMNS),
        "deeper": (width, width),
        "score": (1, width),
        "value.0": (width, 3 * width),
        "value.2": (1, width),
    }
    for name, shape in layers.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return shapes


class RowNet:
    """The network: observations (B, rows + 1, COLUMNS) -> logits (B, rows), values (B,).

    Threads may share it.
    """

    def __init__(self, params: Mapping[str, Array]) -> None:
        self.params = params

    def __call__(self, observations: Array) -> tuple[Array, Array]:
        """Return logits, not masked, and values."""
        params, rows = self.params, observations[:, :-1]
        context = self._linear("context", observations[:, -1])
        legal = rows[..., :1]
        hidden = _relu(rows @ params["rows.weight"].T + context[:, None]) * legal
        pooled = hidden.max(1) @ params["pooled.weight"].T
        hidden = _relu(self._linear("deeper", hidden) + pooled[:, None]) * legal
        logits = self._linear("score", hidden)[..., 0]
        mean = hidden.sum(1) / np.maximum(legal.sum(1), 1)
        common = np.concatenate([_relu(context), hidden.max(1), mean], 1)
        values = self._linear("value.2", _relu(self._linear("value.0", common)))
        return logits, values[:, 0]

    def _linear(self, name: str, inputs: Array) -> Array:
        found: Array = inputs @ self.params[f"{name}.weight"].T + self.params[f"{name}.bias"]
        return found


def _relu(values: Array) -> Array:
    return np.maximum(values, np.float32(0))


class RowAgent(Agent):
    """A row network from a checkpoint; plays its most likely placement."""

    def __init__(
        self,
        name: str,
        params: Mapping[str, Array],
        options: Options,
        view: Candidates,
        manifest: dict[str, Any],
    ) -> None:
        self.name, self.options, self.view, self.manifest = name, options, view, manifest
        self.version = str(manifest.get("sha256", ""))
        self.players = (options.num_players,)
        self.net = RowNet(params)

    def supports(self, options: Options) -> bool:
        """Return whether the network was trained for such games, whichever decisions are asked."""
        return super().supports(options) and options.volcanoes == self.options.volcanoes

    @property
    def plays(self) -> str:
        """The games it supports, in words."""
        return str(self.options)

    def act(self, games: Sequence[Game], memory: Sequence[RngArray]) -> list[int]:
        """Choose the most likely placement for each game, in one forward pass for all."""
        for game in games:
            require(self, game.options)
        chosen = [int(unasked(game.state, TURN)) for game in games]
        asked = [k for k, game in enumerate(games) if game.state.phase == PLACE]
        if asked:
            actions, logits, _ = self._look([games[k] for k in asked])
            for k, row, ids in zip(asked, logits, actions, strict=True):
                chosen[k] = int(ids[row.argmax()])
        return chosen

    def analyze(self, game: Game, memory: RngArray) -> Analysis:
        """Report the probabilities of its policy."""
        if game.state.phase != PLACE:
            return certain(
                self.act([game], [memory])[0], "greedy's choice: only placements are its own"
            )
        actions, logits, _ = self._look([game])
        count = int((actions[0] >= 0).sum())
        row = logits[0, :count].astype(np.float64)
        probabilities = np.exp(row - row.max())
        probabilities /= probabilities.sum()
        order = np.argsort(-probabilities, kind="stable")
        return Analysis(actions[0][order], probabilities[order], "probabilities of its policy")

    def _look(self, games: Sequence[Game]) -> tuple[Array, Array, Array]:
        """Return actions of rows (B, rows), logits, minus infinity where there is none, and values."""
        states = np.concatenate([game.states for game in games])
        viewers = np.array([decider(game) for game in games])
        count, rows = len(games), self.view.rows
        seen = np.zeros((count, *self.view.shape), np.float32)
        masks, actions = np.zeros((count, rows), np.int8), np.zeros((count, rows), np.int64)
        candidates_into(states, viewers, rows, self.view.replies, seen, masks, actions)
        logits, values = self.net(seen)
        return actions, np.where(masks > 0, logits, -np.inf), values


# --- Checkpoints ----------------------------------------------------------------------------


def feature_version() -> str:
    """Fingerprint the columns that the weights depend on."""
    columns = [column[:3] for column in (*ROW_COLUMNS, *CONTEXT_COLUMNS)]  # without meanings
    text = json.dumps([VERSION, columns])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def save_row_policy(
    folder: Path, name: str, params: Mapping[str, Array], rules: dict[str, Any], **more: Any
) -> None:
    """Write a checkpoint; ``rules`` has num_players, volcanoes, rows, replies and width."""
    metadata = metadata_of({"rules": rules, "features": feature_version(), "network": ROW_NET})
    weights = pack_arrays(params, metadata)
    write_files(folder, name, ROW_NET, weights, rules=rules, features=feature_version(), **more)


def load_row_policy(folder: str | Path) -> RowAgent:
    """Load the agent of a checkpoint; CheckpointError says why a folder can't be used."""
    folder = as_path(folder, CheckpointError)
    manifest, weights = read_files(folder, ROW_NET)
    try:
        rules = manifest["rules"]
        options = Options(rules["num_players"], rules["volcanoes"])
        view = Candidates(rules["rows"], rules["replies"])
        if manifest["features"] != feature_version():
            raise CheckpointError(f"{folder}: made for other columns of the candidate view")
        params = unpack_arrays(folder, weights, param_shapes(rules["width"]))
        check_metadata(folder, weights, manifest)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(
            f"{folder}: manifest and weights don't fit: {str(error)[:200]}"
        ) from None
    return RowAgent(manifest["name"], params, options, view, manifest)
