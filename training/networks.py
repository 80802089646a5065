"""The policy networks: a policy and a critic, in torch and as ONNX files.

:class:`CellNet` reads the table cell by cell.  The surroundings describe every cell where a tile could
be placed, in the four rotations of a tile, and the same weights score all of them.  These descriptions
give a logit for each placement (cell * variant).  Pooled over the table, they give the logits of fills
and actions and the value.  :class:`RowNet` scores the rows of the candidate view, all with the same
weights, with the context and the best of each feature over all rows beside it.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from cacao_env.agents.checkpoint import POLICY, CheckpointError, read_files
from cacao_env.agents.onnx import described
from cacao_env.checks import as_path, reason_of
from cacao_env.engine.actions import ACT_ACTIONS, FILL_ACTIONS
from cacao_env.engine.geometry import OFFSETS, window_cell
from cacao_env.engine.observation import CHANNELS, layout, scale
from cacao_env.engine.symmetry import channel_images, image_of_cell
from cacao_env.engine.tiles import NUM_VARIANTS, WORKER_KINDS
from cacao_env.greedy.columns import COLUMNS
from cacao_env.views import Form

Array = npt.NDArray[Any]
LATE_ACTIONS = FILL_ACTIONS + ACT_ACTIONS
TURNS = 4
# The cells read around a worker cell: the jungle cells beside it, the worker cells beyond those.
JUNGLE_STEPS = OFFSETS
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
OPSET = 18


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


class PolicyNet(nn.Module):
    """A network of observations -> logits (B, N), not masked, and values (B,).

    Only one thread may train it at a time.
    """

    last_layers: tuple[Any, ...]  # whose outputs are logits

    def make_actions_equally_likely(self) -> None:
        """Scale down the last layers: PPO starts with every legal action about equally likely."""
        for layer in self.last_layers:
            nn.init.orthogonal_(layer.weight, 0.01)
            nn.init.zeros_(layer.bias)


class CellNet(PolicyNet):
    """Observation (B, observation_size) in [0, 1] -> logits of all actions and values.

    Logits of cells where no tile can be placed are 0.  Only one thread may train it at a time.
    """

    def __init__(self, num_players: int, table_size: int, width: int = 64) -> None:
        super().__init__()
        entries = layout(num_players, table_size)
        board = entries[0]
        self.board_end = board.stop
        self.overbuilding = next(e.start for e in entries if e.name == "overbuilding")
        self.cells, self.planes = table_size**2 // 2, (board.shape[0], table_size**2)
        turned = turned_patches([c for c in range(board.shape[0]) if c not in _JUNGLE_CHANNELS])
        cells = np.array([window_cell(k, table_size) for k in range(self.cells)])
        self.places: torch.Tensor
        self.turned: torch.Tensor
        self.where: torch.Tensor
        for name, table in (
            ("places", patch_places(table_size)),
            ("turned", turned),
            ("where", cells[:, 0] * table_size + cells[:, 1]),
        ):
            self.register_buffer(name, torch.from_numpy(table).long(), persistent=False)
        self.globals = nn.Sequential(nn.Linear(entries[-1].stop - board.stop, width), nn.ReLU())
        self.patch = nn.Linear(turned.shape[1], width, bias=False)
        self.context = nn.Linear(width, width)
        self.deeper = nn.Linear(width, width)
        self.place = nn.Linear(width, len(WORKER_KINDS))
        self.late = nn.Sequential(
            nn.Linear(4 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, LATE_ACTIONS)
        )
        self.value = nn.Sequential(
            nn.Linear(4 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 1)
        )
        self.last_layers = self.place, self.late[-1]

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, N), not masked, and values (B,)."""
        count = observation.shape[0]
        common = self.globals(observation[:, self.board_end :])
        context = self.context(common)
        board = observation[:, : self.board_end].view(count, *self.planes)
        open_, own, last = (board[:, c].index_select(1, self.where) for c in (OPEN, OWN, LAST))
        # Tiles of one's own are places too, once overbuilding has begun.
        over = observation[:, self.overbuilding : self.overbuilding + 1]
        games, cells = torch.nonzero(open_ + own * over, as_tuple=True)
        rows = [  # a row of channels for each cell
            torch.cat([board[:, part] for part in parts], 1).transpose(1, 2).flatten(0, 1)
            for parts in (JUNGLE_SLICES, WORKER_SLICES)
        ]
        weights = self.patch.weight[:, self.turned].transpose(0, 1).flatten(0, 1)
        hidden = self._look(rows, weights, games, cells, context)
        by_kind = self.place(hidden)
        variants = (
            by_kind[:, :, 0].mean(1, keepdim=True),
            by_kind[:, :, 1:].transpose(1, 2).flatten(1),
        )
        logits = observation.new_zeros(count, self.cells, NUM_VARIANTS)
        logits = logits.index_put((games, cells), torch.cat(variants, 1))
        # The best and the sum over places and directions.
        hidden = hidden.max(1).values  # (``amax`` takes its time to share gradients out to ties)
        of_game = games[:, None].expand_as(hidden)
        empty = hidden.new_zeros(count, hidden.shape[1])
        most = empty.scatter_reduce(0, of_game, hidden, "amax")
        total = empty.scatter_add(0, of_game, hidden) * TOTAL_SCALE
        # The cell of the tile placed last is what fills and actions are about.
        there, where = last.max(1)
        all_games = torch.arange(count, device=last.device)
        here = self._look(rows, weights, all_games, where, context) * there[:, None, None]
        # Fills and actions have directions, a position's value has none.
        late = self.late(torch.cat((common, total, most, here[:, 0]), dim=1))
        value = self.value(torch.cat((common, total, most, here.mean(1)), dim=1)).squeeze(1)
        return torch.cat((logits.flatten(1), late), dim=1), value

    def _look(
        self,
        rows: list[torch.Tensor],
        weights: torch.Tensor,
        games: torch.Tensor,
        cells: torch.Tensor,
        context: torch.Tensor,
    ) -> torch.Tensor:
        """What M cells of the table look like, turned all ways: (M, TURNS, width), at least 0."""
        at = self.places[cells] + games[:, None] * self.planes[1]
        split = len(JUNGLE_STEPS)
        patches = torch.cat(
            [
                of_kind.index_select(0, part.flatten()).view(
                    at.shape[0], part.shape[1] * of_kind.shape[1]
                )
                for of_kind, part in zip(rows, (at[:, :split], at[:, split:]))
            ],
            1,
        )
        hidden = (patches @ weights.T).unflatten(1, (TURNS, -1))
        hidden = torch.relu(hidden + context[games].unsqueeze(1))
        return torch.relu(self.deeper(hidden))


class RowNet(PolicyNet):
    """Observation (B, rows + 1, COLUMNS) -> logits of the rows (B, rows) and values (B,).

    Threads may share it.
    """

    def __init__(self, width: int = 128) -> None:
        super().__init__()
        self.context = nn.Linear(COLUMNS, width)
        self.rows = nn.Linear(COLUMNS, width, bias=False)
        self.pooled = nn.Linear(width, width, bias=False)
        self.deeper = nn.Linear(width, width)
        self.score = nn.Linear(width, 1)
        self.value = nn.Sequential(nn.Linear(3 * width, width), nn.ReLU(), nn.Linear(width, 1))
        self.last_layers = (self.score,)

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, rows), not masked, and values (B,)."""
        observation = observation.reshape(observation.shape[0], -1, COLUMNS)  # SB3 flattens it
        rows = observation[:, :-1]
        legal = rows[..., :1]
        context = self.context(observation[:, -1])
        hidden = torch.relu(self.rows(rows) + context[:, None]) * legal
        pooled = self.pooled(hidden.max(1).values)
        hidden = torch.relu(self.deeper(hidden) + pooled[:, None]) * legal
        logits = self.score(hidden).squeeze(2)
        mean = hidden.sum(1) / legal.sum(1).clamp(min=1)
        common = torch.cat((torch.relu(context), hidden.max(1).values, mean), 1)
        return logits, self.value(common).squeeze(1)


def new_net(about: Form, width: int) -> PolicyNet:
    """Make a network of random weights for such games and observations."""
    if about.rows is not None:
        return RowNet(width)
    return CellNet(about.options.num_players, about.options.table_size, width)


def factors(about: Form) -> torch.Tensor:
    """Return what an observation is multiplied with before the network reads it."""
    if about.rows is not None:
        return torch.ones(1)
    return torch.from_numpy(scale(about.options.num_players, about.options.table_size).copy())


def device(name: str) -> torch.device:
    """Return the device to compute on; ValueError if it can't be used."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        found = torch.device(name)
        torch.zeros(1, device=found)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {name!r} can't be used: {str(error).splitlines()[0]}") from None
    return found


def export(net: PolicyNet, about: Form) -> bytes:
    """Return a network as the ONNX file that :mod:`cacao_env.agents.onnx` plays.

    The weights keep their names.
    """
    from onnx import numpy_helper

    shape = about.rows.shape if about.rows is not None else (about.options.observation_size,)
    weights = {name: weight.cpu().numpy() for name, weight in net.state_dict().items()}
    key = shape, *(weight.shape for weight in weights.values())
    if key not in _GRAPHS:
        _GRAPHS[key] = _graph(net, shape)
    for tensor in _GRAPHS[key].graph.initializer:
        if tensor.name in weights:
            tensor.CopyFrom(numpy_helper.from_array(weights[tensor.name], tensor.name))
    return described(_GRAPHS[key].SerializeToString(), about)


_GRAPHS: dict[Any, Any] = {}  # by the sizes of networks: torch takes seconds to make one


def _graph(net: PolicyNet, shape: tuple[int, ...]) -> Any:
    """Return the ONNX model of a network, in evaluation mode."""
    example = torch.rand(2, *shape, device=next(net.parameters()).device)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of packages not needed here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from parts of torch about others
        program = torch.onnx.export(
            net.eval(),
            (example,),
            input_names=["observation"],
            output_names=["logits", "value"],
            dynamic_shapes=({0: "batch"},),
            opset_version=OPSET,
            dynamo=True,
            optimize=False,  # it would fold weights into constants
            verbose=False,
        )
    assert program is not None  # only the old exporter returns none
    return program.model_proto


def read_weights(folder: str | Path) -> dict[str, Array]:
    """Read the weights of a policy's checkpoint by name; CheckpointError says why not."""
    import onnx

    _, network = read_files(as_path(folder, CheckpointError), POLICY)
    try:
        graph = onnx.load_from_string(network).graph
        return {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    except Exception as error:  # onnx raises errors of protocol buffers and its own
        reason = reason_of(error)
        raise CheckpointError(f"{folder}: its ONNX file can't be read: {reason}") from None
