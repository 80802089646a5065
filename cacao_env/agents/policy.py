"""The board network as an agent: a policy and a critic that read the table cell by cell, in NumPy.

The surroundings describe every cell where a tile could be placed, in the four rotations of a tile,
and the same weights score all of them.  These descriptions give a logit for each placement (cell *
variant).  Pooled over the table, they give the logits of fills and actions and the
value.  :mod:`training.ppo.network` is the same network in torch, for training.
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
from ..engine.actions import ACT_ACTIONS, FILL_ACTIONS, num_actions
from ..engine.geometry import window_cell
from ..engine.observation import CHANNELS, layout, scale
from ..engine.options import Options
from ..engine.rng import RngArray, below
from ..engine.symmetry import channel_images, image_of_cell
from ..engine.tiles import NUM_VARIANTS, WORKER_KINDS
from ..game import Game
from .agent import Agent, decider, require
from .analysis import Analysis, certain
from .checkpoint import (
    CELL_NET,
    MANIFEST,
    WEIGHTS,
    CheckpointError,
    check_metadata,
    metadata_of,
    pack_arrays,
    read_files,
    unpack_arrays,
    write_files,
)
from .window import View

Array = npt.NDArray[Any]
LATE_ACTIONS = FILL_ACTIONS + ACT_ACTIONS
TURNS = 4
# The cells read around a worker cell: the jungle cells beside it, the worker cells beyond those.
JUNGLE_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
WORKER_STEPS = ((0, 0), (-1, -1), (-1, 1), (1, 1), (1, -1), (-2, 0), (0, 2), (2, 0), (0, -2))
_NAMES = [name for name, _, _ in CHANNELS]
_FIRST_WORKER, _TO_FILL = _NAMES.index("workers_north"), _NAMES.index("to_fill")
_JUNGLE_CHANNELS = (*range(_FIRST_WORKER), _TO_FILL)
JUNGLE_SLICES = (slice(0, _FIRST_WORKER), slice(_TO_FILL, _TO_FILL + 1))
WORKER_SLICES = (slice(_FIRST_WORKER, _TO_FILL), slice(_TO_FILL + 1, None))
# Flat cells of any window: they alternate like the squares of a chessboard, jungle first.
_JUNGLE_CELL, _WORKER_CELL = 0, 1
OPEN, LAST, OWN = _NAMES.index("open"), _NAMES.index("last"), len(CHANNELS)
TOTAL_SCALE = 1 / 16  # of the sum over places and directions


class Tables:
    """Index tables of a board network for one number of players and table size.

    ``places`` (worker cells, steps), ``turned`` (TURNS, patch size) and ``where`` (worker cells,),
    all int64; ``planes``, (channels, cells of the window).  Threads may share it.
    """

    def __init__(self, num_players: int, table_size: int) -> None:
        entries = layout(num_players, table_size)
        board = entries[0]
        self.board_end = board.stop
        self.num_features = entries[-1].stop - board.stop
        self.overbuilding = next(e.start for e in entries if e.name == "overbuilding")
        self.planes = (board.shape[0], table_size**2)
        self.cells = table_size**2 // 2
        self.places = patch_places(table_size)
        self.turned = turned_patches(
            [c for c in range(self.planes[0]) if c not in _JUNGLE_CHANNELS]
        )
        cells = np.array([window_cell(k, table_size) for k in range(self.cells)])
        self.where = cells[:, 0] * table_size + cells[:, 1]


def patch_places(table_size: int) -> Array:
    """Return the cells around each worker cell, flat in the window; shape (worker cells, steps).

    First the jungle cells, then the worker cells.  Nothing outside the window is read: a worker cell
    takes the place of such a jungle cell, and the reverse, because its channels of the other sort are
    always 0.
    """
    cells = np.array([window_cell(index, table_size) for index in range(table_size**2 // 2)])
    nothing = np.array([_WORKER_CELL] * len(JUNGLE_STEPS) + [_JUNGLE_CELL] * len(WORKER_STEPS))
    there = cells[:, None] + np.array(JUNGLE_STEPS + WORKER_STEPS)[None]
    inside = ((there >= 0) & (there < table_size)).all(axis=2)
    return np.where(inside, there[..., 0] * table_size + there[..., 1], nothing)


def turned_patches(worker_channels: Sequence[int]) -> Array:
    """Return the place of each number of a patch for a turned observer; shape (TURNS, patch size).

    A patch has the jungle channels of each jungle step, then the worker channels of each worker step.
    After ``t`` turns clockwise, the weight of number n belongs to the number ``m`` of the unturned
    patch with ``[t, m] = n``.
    """
    names: list[tuple[tuple[int, int], int]] = []
    for steps, wanted in ((JUNGLE_STEPS, _JUNGLE_CHANNELS), (WORKER_STEPS, worker_channels)):
        names += [(step, channel) for step in steps for channel in wanted]
    places = {name: number for number, name in enumerate(names)}
    turned = np.empty((TURNS, len(names)), np.int64)
    for turn in range(TURNS):
        channels = channel_images(turn)
        for number, (step, channel) in enumerate(names):
            image = channels[channel] if channel < len(channels) else channel
            turned[turn, places[image_of_cell(turn, *step), image]] = number
    return turned


def param_shapes(num_players: int, table_size: int, width: int) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of each parameter."""
    tables = Tables(num_players, table_size)
    patch = tables.turned.shape[1]
    shapes: dict[str, tuple[int, ...]] = {"patch.weight": (width, patch)}
    layers = {
        "globals.0": (width, tables.num_features),
        "context": (width, width),
        "deeper": (width, width),
        "place": (len(WORKER_KINDS), width),
        "late.0": (2 * width, 4 * width),
        "late.2": (LATE_ACTIONS, 2 * width),
        "value.0": (2 * width, 4 * width),
        "value.2": (1, 2 * width),
    }
    for name, shape in layers.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return shapes


class PolicyNet:
    """The network: observations (B, observation_size) in [0, 1] -> logits (B, N), values (B,).

    Threads may share it.
    """

    def __init__(self, params: Mapping[str, Array], num_players: int, table_size: int) -> None:
        self.params, self.tables = params, Tables(num_players, table_size)
        turned = params["patch.weight"][:, self.tables.turned]  # (width, TURNS, patch)
        self._patch = np.ascontiguousarray(turned.transpose(1, 0, 2).reshape(-1, turned.shape[2]).T)

    def __call__(self, observations: Array) -> tuple[Array, Array]:
        """Return unmasked logits, and values.  Logits of cells where no tile can be placed are 0."""
        t, count = self.tables, len(observations)
        common = _relu(self._linear("globals.0", observations[:, t.board_end :]))
        context = self._linear("context", common)
        board = observations[:, : t.board_end].reshape(count, *t.planes)
        is_open, own, last = (board[:, c][:, t.where] for c in (OPEN, OWN, LAST))
        # Own tiles are places too, once overbuilding has begun.
        over = observations[:, t.overbuilding : t.overbuilding + 1]
        games, cells = np.nonzero(is_open + own * over)
        rows = [  # a row of channels for each cell
            np.concatenate([board[:, part] for part in parts], 1).transpose(0, 2, 1)
            for parts in (JUNGLE_SLICES, WORKER_SLICES)
        ]
        hidden = self._look(rows, games, cells, context)
        by_kind = self._linear("place", hidden)
        logits = np.zeros((count, t.cells, NUM_VARIANTS), np.float32)
        turns = by_kind[:, :, 1:].transpose(0, 2, 1).reshape(len(games), -1)
        logits[games, cells] = np.concatenate([by_kind[:, :, :1].mean(1), turns], 1)
        # The best and the sum over places and directions.
        hidden = hidden.max(1, initial=0.0)
        most, total = np.zeros((2, count, hidden.shape[1]), np.float32)
        np.maximum.at(most, games, hidden)
        np.add.at(total, games, hidden * np.float32(TOTAL_SCALE))
        # Fills and actions are about the cell of the tile placed last.
        every = np.arange(count)
        here = self._look(rows, every, last.argmax(1), context) * last.max(1)[:, None, None]
        # Fills and actions have directions; a position's value has none.
        late = self._head("late", common, total, most, here[:, 0])
        value = self._head("value", common, total, most, here.mean(1))
        return np.concatenate([logits.reshape(count, -1), late], 1), value[:, 0]

    def _look(self, rows: list[Array], games: Array, cells: Array, context: Array) -> Array:
        """Return the description of M cells in all rotations: (M, TURNS, width), at least 0."""
        at, split = self.tables.places[cells], len(JUNGLE_STEPS)
        patches = np.concatenate(
            [
                of_kind[games[:, None], part].reshape(len(cells), -1)
                for of_kind, part in zip(rows, (at[:, :split], at[:, split:]))
            ],
            1,
        )
        hidden = (patches @ self._patch).reshape(len(cells), TURNS, -1)
        return _relu(self._linear("deeper", _relu(hidden + context[games][:, None])))

    def _head(self, name: str, *parts: Array) -> Array:
        return self._linear(
            f"{name}.2", _relu(self._linear(f"{name}.0", np.concatenate(parts, axis=1)))
        )

    def _linear(self, name: str, inputs: Array) -> Array:
        found: Array = inputs @ self.params[f"{name}.weight"].T + self.params[f"{name}.bias"]
        return found


def _relu(values: Array) -> Array:
    return np.maximum(values, np.float32(0))


class PolicyAgent(Agent):
    """A board network from a checkpoint; plays its most likely legal action."""

    def __init__(
        self, name: str, params: Mapping[str, Array], options: Options, manifest: dict[str, Any]
    ) -> None:
        self.name, self.options, self.manifest = name, options, manifest
        self.version = str(manifest.get("sha256", ""))
        self.players = (options.num_players,)
        self.net = PolicyNet(params, options.num_players, options.table_size)

    def supports(self, options: Options) -> bool:
        """Return whether the network was trained for such games, with a window of any size."""
        return super().supports(options) and options.volcanoes == self.options.volcanoes

    @property
    def plays(self) -> str:
        """The games it supports, in words."""
        return str(self.options)

    def act(self, games: Sequence[Game], memory: Sequence[RngArray]) -> list[int]:
        """Choose the most likely legal action for each game, in one forward pass for all."""
        views, logits, _ = self._look(games)
        return [
            view.action(int(row.argmax())) if row.max() > -np.inf else _any_action(view.game, rng)
            for view, row, rng in zip(views, logits, memory, strict=True)
        ]

    def analyze(self, game: Game, memory: RngArray) -> Analysis:
        """Report the probabilities of its policy, and the lead that its critic expects."""
        [view], logits, values = self._look([game])
        row = logits[0]
        if row.max() == -np.inf:
            return certain(_any_action(game, memory), "random: its window shows no legal placement")
        legal = np.flatnonzero(row > -np.inf)
        probabilities = np.exp(row[legal].astype(np.float64) - row.max())
        probabilities /= probabilities.sum()
        order = np.argsort(-probabilities, kind="stable")
        return Analysis(
            np.array([view.action(int(one)) for one in legal[order]], np.int64),
            probabilities[order],
            "probabilities of its policy",
            lead=self._lead(game, float(values[0])),
        )

    def _lead(self, game: Game, value: float) -> float | None:
        """Return the relative score at the end that a value means, by the reward of its training."""
        training = self.manifest.get("training", {})
        reward, unit = training.get("config", {}).get("reward"), training.get("reward_scale")
        if reward not in ("relative_score", "shaped") or unit is None:
            return None
        scores, seat = game.scores(), decider(game)
        others = (sum(scores) - scores[seat]) / (len(scores) - 1)
        now = (
            scores[seat] - others if reward == "shaped" else 0.0
        )  # the rewards to come, or all of them
        return now + unit * value

    def _look(self, games: Sequence[Game]) -> tuple[list[View], Array, Array]:
        """Return views (B), logits (B, N), minus infinity where illegal, and values (B,)."""
        for game in games:
            require(self, game.options)
        views = [View(game, self.options.table_size) for game in games]
        masks = np.stack([view.action_mask() for view in views])
        seen = np.stack([view.seen.observation(decider(view.game)) for view in views])
        factors = scale(self.options.num_players, self.options.table_size)
        logits, values = self.net(seen.astype(np.float32) * factors)
        return views, np.where(masks > 0, logits, -np.inf), values


def _any_action(game: Game, rng: Any) -> int:
    legal = game.legal_actions()
    return int(legal[int(below(rng, len(legal)))])


# --- Checkpoints ----------------------------------------------------------------------------


def feature_version(num_players: int, table_size: int) -> str:
    """Fingerprint the observation and action tables that the weights depend on."""
    rows = [(e.name, e.start, e.shape, e.high) for e in layout(num_players, table_size)]
    text = json.dumps([rows, int(num_actions(table_size))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def save_policy(
    folder: Path, name: str, params: Mapping[str, Array], rules: dict[str, Any], **more: Any
) -> None:
    """Write a checkpoint; ``rules`` has num_players, table_size, volcanoes and width."""
    features = feature_version(rules["num_players"], rules["table_size"])
    metadata = metadata_of({"rules": rules, "features": features, "network": CELL_NET})
    weights = pack_arrays(params, metadata)
    write_files(folder, name, CELL_NET, weights, rules=rules, features=features, **more)


def read_policy(folder: str | Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read (parameters, manifest); CheckpointError says why a folder can't be used."""
    folder = as_path(folder, CheckpointError)
    manifest, weights = read_files(folder, CELL_NET)
    try:
        rules = manifest["rules"]
        options = Options(rules["num_players"], rules["volcanoes"], table_size=rules["table_size"])
        if manifest["features"] != feature_version(options.num_players, options.table_size):
            raise CheckpointError(f"{folder}: made for other observation or action tables")
        shapes = param_shapes(options.num_players, options.table_size, rules["width"])
        params = unpack_arrays(folder, weights, shapes)
        check_metadata(folder, weights, manifest)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(
            f"{folder}: {MANIFEST} and {WEIGHTS} don't fit: {str(error)[:200]}"
        ) from None
    return params, manifest


def load_policy(folder: str | Path) -> PolicyAgent:
    """Load the agent of a checkpoint; CheckpointError says why a folder can't be used."""
    params, manifest = read_policy(folder)
    rules = manifest["rules"]
    options = Options(rules["num_players"], rules["volcanoes"], table_size=rules["table_size"])
    return PolicyAgent(manifest["name"], params, options, manifest)
