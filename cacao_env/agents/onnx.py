"""Policies as ONNX files: a policy of any library is measured, shipped and played by its file.

The network takes one observation, ``observation`` (1, ...), or ``board`` and ``features`` for planes,
as the environments hand them out: float32 in [0, 1], or raw uint8.  It may also take ``action_mask``
(1, choices).  It returns ``logits`` (1, choices), and perhaps ``value`` (1,) for the deciding seat.
:func:`describe` writes into the file which games the policy plays and what it observes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import as_path, check_choice, in_short
from ..engine.actions import num_actions
from ..engine.decisions import NONE
from ..engine.observation import layout, planes, scale
from ..engine.options import Options
from ..engine.rng import RngArray, below
from ..engine.state import AUTO, EXPLICIT, TURN
from ..files import read_regular, write_whole
from ..game import Game
from ..greedy.candidates import Candidates, as_candidates, candidates_into
from ..greedy.columns import CONTEXT_COLUMNS, ROW_COLUMNS
from ..greedy.turn import next_unasked
from .agent import Agent, AgentError, decider, require
from .analysis import Analysis, certain
from .checkpoint import POLICY, CheckpointError, is_name, read_files
from .window import View

Array = npt.NDArray[Any]
KEY = "cacao_policy"  # of the description in a file's metadata
MOST_BYTES = 500_000_000
_ASKED = {"explicit": EXPLICIT, "auto": AUTO, "turn": TURN}
_TYPES = {
    f"tensor({name})": np.dtype(kind)
    for name, kind in (
        *(("float", "f4"), ("double", "f8"), ("uint8", "u1"), ("int8", "i1"), ("bool", "?")),
        *(("int32", "i4"), ("int64", "i8")),
    )
}


@dataclass(frozen=True)
class Description:
    """The games that a policy learned, and the form of its observations.

    ``options``: players and volcanoes are those that it plays with; it is asked what ``decisions``
    asks; the table size counts for ``"flat"`` and ``"planes"`` alone.
    """

    options: Options
    observation: str | Candidates = "flat"

    def __post_init__(self) -> None:
        if as_candidates(self.observation) is None:
            check_choice("observation", self.observation, ("flat", "planes", "candidates"))

    @property
    def rows(self) -> Candidates | None:
        """The candidate view, None for another form."""
        return as_candidates(self.observation)

    @property
    def choices(self) -> int:
        """How many logits there are."""
        return self.options.num_actions if self.rows is None else self.rows.rows

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, as files have it."""
        about: dict[str, Any] = self.options.as_dict()
        if self.rows is not None:
            del about["table_size"]
            about |= {"observation": "candidates", "rows": self.rows.rows}
            about |= {"replies": self.rows.replies}
        else:
            about["observation"] = self.observation
        return about | {"features": self.features()}

    def features(self) -> str:
        """Return a fingerprint of the tables that the numbers of observations and logits refer to."""
        if self.rows is not None:
            columns = [column[:3] for column in (*ROW_COLUMNS, *CONTEXT_COLUMNS)]
            tables: list[Any] = [1, columns]
        else:
            size = self.options.num_players, self.options.table_size
            rows = [(e.name, e.start, e.shape, e.high) for e in layout(*size)]
            tables = [rows, int(num_actions(size[1]))]
        return hashlib.sha256(json.dumps(tables).encode()).hexdigest()[:16]


def description_of(about: Any, file: object) -> Description:
    """Return the description in plain data; CheckpointError names the file and what is wrong."""
    try:
        options = Options(
            about["num_players"],
            about["volcanoes"],
            about["decisions"],
            about.get("table_size"),
        )
        observation: str | Candidates = about["observation"]
        if observation == "candidates":
            observation = Candidates(about["rows"], about["replies"])
        found = Description(options, observation)
        features = about["features"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise CheckpointError(f"{file}: its description can't be used: {reason[:200]}") from None
    if features != found.features():
        raise CheckpointError(f"{file}: made for other tables of observations or actions")
    return found


def described(network: bytes, about: Description) -> bytes:
    """Return an ONNX file with a description among its metadata."""
    # A file is one message of protocol buffers, to which fields may be appended: metadata_props, 14.
    parts = (_field(1, KEY.encode()), _field(2, json.dumps(about.as_dict()).encode()))
    return network + _field(14, b"".join(parts))


def _field(number: int, content: bytes) -> bytes:
    """Return a field of protocol buffers with some bytes."""
    size, length = b"", len(content)
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + content


def describe(
    path: str | Path, options: Options | None = None, observation: str | Candidates = "flat"
) -> None:
    """Write into an ONNX file which games its policy plays and what it observes, then load it.

    ``options``: those of the games that it learned.  ValueError says why the file can't be used, and
    the file stays as it was.
    """
    path = as_path(path, CheckpointError)
    network = described(_read(path), Description(options or Options(), observation))
    OnnxPolicy(network, path)
    write_whole(path, network)


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, MOST_BYTES)
    except OSError as error:
        raise CheckpointError(f"{path} can't be read: {error.strerror}") from None


class OnnxPolicy:
    """The network of a file: one observation -> logits and value.

    It runs in one thread and takes one observation a call, so that the same observation always has the
    same logits, to the last bit.  CheckpointError says why a file can't be used.
    """

    def __init__(self, network: bytes, file: object) -> None:
        self._network, self._file = network, file
        self._session = _session(network, file)
        kept = self._session.get_modelmeta().custom_metadata_map
        if KEY not in kept:
            raise CheckpointError(
                f"{file} does not say which games its policy plays: see cacao_env.agents.onnx.describe"
            )
        try:
            about = json.loads(kept[KEY])
        except (ValueError, RecursionError):
            raise CheckpointError(f"{file}: its description is not JSON") from None
        self.about = description_of(about, file)
        self._inputs = {one.name: _TYPES.get(one.type) for one in self._session.get_inputs()}
        self._check_names()
        options = self.about.options
        self._size = options.num_players, options.table_size
        self._scale = None
        if self.about.rows is None and self._kind == np.float32:
            self._scale = scale(*self._size)
        self.look(Game.deal(options, 0))  # shows whether the shapes fit

    def __reduce__(self) -> Any:
        return OnnxPolicy, (self._network, self._file)  # a session of onnxruntime can't be pickled

    def _check_names(self) -> None:
        """Raise CheckpointError unless inputs and outputs have the names and types that are known."""
        parts = ("board", "features") if self.about.observation == "planes" else ("observation",)
        outputs = [one.name for one in self._session.get_outputs()]
        names = sorted(self._inputs)
        if not set(parts) <= set(names) <= {*parts, "action_mask"} or "logits" not in outputs:
            raise CheckpointError(
                f"{self._file} has inputs {in_short(names)} and outputs {in_short(outputs)}, expected "
                f"{' and '.join(parts)}, perhaps action_mask, and logits, perhaps value"
            )
        self._wanted = [name for name in ("logits", "value") if name in outputs]
        self._kind = self._inputs[parts[0]]
        numbers = (np.float32,) if self.about.rows else (np.float32, np.uint8)
        if (
            any(self._inputs[part] not in numbers for part in parts)
            or None in self._inputs.values()
        ):
            raise CheckpointError(
                f"{self._file}: its inputs have types that no observation has, expected "
                f"{' or '.join(np.dtype(one).name for one in numbers)}"
            )

    def look(self, game: Game) -> tuple[Array, Array, float | None]:
        """Return the legal actions that it sees, int64 (K,), their logits, and the position's value."""
        seat, rows = decider(game), self.about.rows
        if rows is not None:
            seen = np.zeros((1, *rows.shape), np.float32)
            mask, ids = np.zeros((1, rows.rows), np.int8), np.zeros((1, rows.rows), np.int64)
            viewers = np.array([seat])
            candidates_into(game.states, viewers, rows.rows, rows.replies, seen, mask, ids)
            logits, value = self(seen[0], mask[0])
            legal = np.flatnonzero(mask[0])
            return ids[0][legal], logits[legal], value
        view = View(game, self.about.options.table_size)
        of_window = view.action_mask()
        logits, value = self(view.seen.observation(seat), of_window)
        legal = np.flatnonzero(of_window)
        actions = np.array([view.action(int(one)) for one in legal], np.int64)
        return actions, logits[legal], value

    def __call__(self, seen: Array, mask: Array) -> tuple[Array, float | None]:
        """Return the logits of all choices, float64 (choices,), and the value if there is one.

        ``seen``: rows, or a raw vector of the flat form; ``mask``: int8 (choices,).
        """
        if self._scale is not None:
            seen = seen.astype(np.float32) * self._scale
        given = {"observation": seen}
        if self.about.observation == "planes":
            given = planes(seen, *self._size)
        if "action_mask" in self._inputs:
            given["action_mask"] = mask
        fed = {
            name: np.ascontiguousarray(array[None], self._inputs[name])
            for name, array in given.items()
        }
        try:
            found = dict(zip(self._wanted, self._session.run(self._wanted, fed), strict=True))
        except Exception as error:  # onnxruntime's errors have no common class
            raise CheckpointError(
                f"{self._file} can't be run: {' '.join(str(error).split())[:300]}"
            ) from None
        logits = np.asarray(found["logits"])
        if logits.shape != (1, self.about.choices) or logits.dtype.kind != "f":
            raise CheckpointError(
                f"{self._file}: logits are {logits.dtype} of shape {logits.shape}, expected float32 "
                f"of shape {(1, self.about.choices)}"
            )
        value = np.asarray(found["value"]).reshape(-1) if "value" in found else np.empty(0)
        return logits[0].astype(np.float64), float(value[0]) if len(value) == 1 else None


def _session(network: bytes, file: object) -> Any:
    """Open a network in one thread; CheckpointError in one sentence if that can't be done."""
    try:
        import onnxruntime
    except ImportError:
        raise CheckpointError(f"{file} needs onnxruntime: pip install 'cacao-env[onnx]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 4  # errors are raised, not printed
    try:
        return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise CheckpointError(f"{file} is not an ONNX file that can be run: {reason}") from None


class OnnxAgent(Agent):
    """A policy of an ONNX file; plays its most likely legal action.

    In games that ask more than those that it learned, it plays what they would not have asked as they
    would have.
    """

    def __init__(
        self, name: str, network: bytes, file: object, manifest: Mapping[str, Any]
    ) -> None:
        self.name, self.manifest = name, manifest
        self.version = hashlib.sha256(network).hexdigest()
        self.net = OnnxPolicy(network, file)
        self.about = self.net.about
        self.options = self.about.options
        self.players = (self.options.num_players,)

    def supports(self, options: Options) -> bool:
        """Return whether it learned such games, whichever decisions are asked on whichever table."""
        return super().supports(options) and options.volcanoes == self.options.volcanoes

    @property
    def plays(self) -> str:
        """The games it supports, in words."""
        return str(self.options)

    def act(self, games: Sequence[Game], memory: Sequence[RngArray]) -> list[int]:
        """Choose the most likely legal action for each game, one after the other."""
        chosen = []
        for game, rng in zip(games, memory, strict=True):
            require(self, game.options)
            action = self._unasked(game)
            if action == NONE:
                actions, logits, _ = self._look(game)
                action = actions[logits.argmax()] if len(actions) else _any_action(game, rng)
            chosen.append(int(action))
        return chosen

    def analyze(self, game: Game, memory: RngArray) -> Analysis:
        """Report the probabilities of its policy, and the lead that its critic expects."""
        require(self, game.options)
        action = self._unasked(game)
        if action != NONE:
            return certain(action, "what the games that it learned play without asking")
        actions, logits, value = self._look(game)
        if not len(actions):
            return certain(_any_action(game, memory), "random: its window shows no legal placement")
        probabilities = np.exp(logits - logits.max())
        probabilities /= probabilities.sum()
        order = np.argsort(-probabilities, kind="stable")
        return Analysis(
            actions[order],
            probabilities[order],
            "probabilities of its policy",
            lead=self._lead(game, value),
        )

    def _unasked(self, game: Game) -> int:
        """Return what the games that it learned play without asking, or NONE."""
        decider(game)
        return next_unasked(game.state, _ASKED[self.options.decisions])

    def _look(self, game: Game) -> tuple[Array, Array, float | None]:
        """Ask the network; AgentError if a logit of a legal action is not finite."""
        actions, logits, value = self.net.look(game)
        if not np.isfinite(logits).all():
            raise AgentError(f"{self.name}: a logit of a legal action is not a finite number")
        return actions, logits, value

    def _lead(self, game: Game, value: float | None) -> float | None:
        """Return the relative score at the end that a value means, by the reward of its training."""
        training = self.manifest.get("training", {})
        reward, unit = training.get("config", {}).get("reward"), training.get("reward_scale")
        if value is None or reward not in ("relative_score", "shaped") or unit is None:
            return None
        scores, seat = game.scores(), decider(game)
        others = (sum(scores) - scores[seat]) / (len(scores) - 1)
        # The value is of the rewards to come, or of all of them.
        return (scores[seat] - others if reward == "shaped" else 0.0) + unit * value


def _any_action(game: Game, rng: RngArray) -> int:
    legal = game.legal_actions()
    return int(legal[int(below(rng, len(legal)))])


def load_policy(path: str | Path) -> OnnxAgent:
    """Load the agent of an ONNX file, or of a checkpoint's folder; CheckpointError says why not."""
    path = as_path(path, CheckpointError)
    if path.is_dir():
        manifest, network = read_files(path, POLICY)
        agent = OnnxAgent(manifest["name"], network, path, manifest)
        if manifest.get("rules") != agent.about.as_dict():
            raise CheckpointError(
                f"{path}: its network is described otherwise than its manifest says"
            )
        return agent
    if not is_name(path.stem):
        raise CheckpointError(f"{in_short(path.name)}: an agent can't have the name of this file")
    return OnnxAgent(path.stem, _read(path), path, {})
