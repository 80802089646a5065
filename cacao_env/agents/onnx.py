"""Policies as ONNX files: a policy of any library is measured, shipped and played by its file.

The network takes one observation, ``observation`` (1, ...), or ``board`` and ``features`` for planes,
as the environments hand them out: float32 in [0, 1], or raw uint8.  It may also take ``action_mask``
(1, choices).  It returns ``logits`` (1, choices), and perhaps ``value`` (1,) for the deciding seat.
:func:`describe` writes into the file which games the policy plays and what it observes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agent import decider
from ..checks import as_path, in_short, need, reason_of
from ..engine.observation import ObservationDtype
from ..engine.options import Options
from ..files import read_regular, write_whole
from ..game import Game
from ..greedy.candidates import Candidates, ObservationForm
from ..views import Form, look
from .checkpoint import POLICY, CheckpointError, is_name, read_files
from .policy import PolicyAgent, batch_of_one

Array = npt.NDArray[Any]
KEY = "cacao_policy"  # of the description in a file's metadata
MOST_BYTES = 500_000_000
_NAMED_ALIKE = ("double", "uint8", "int8", "bool", "int32", "int64")  # in ONNX and NumPy
_TYPES = {f"tensor({name})": np.dtype(name) for name in _NAMED_ALIKE}
_TYPES["tensor(float)"] = np.dtype("float32")


def description_of(about: Any, file: object) -> Form:
    """Return the description in plain data; CheckpointError names the file and what is wrong."""
    try:
        fields = about["num_players"], about["volcanoes"], about["decisions"]
        options = Options(*fields, about.get("table_size"))
        observation: ObservationForm = about["observation"]
        if observation == "candidates":
            observation = Candidates(about["rows"], about["replies"])
        found = Form(options, observation)
        features = about["features"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise CheckpointError(f"{file}: its description can't be used: {reason[:200]}") from None
    if features != found.features():
        raise CheckpointError(f"{file}: made for other tables of observations or actions")
    return found


def described(network: bytes, about: Form) -> bytes:
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
    path: str | Path, options: Options | None = None, observation: ObservationForm = "flat"
) -> None:
    """Write into an ONNX file which games its policy plays and what it observes, then load it.

    ``options``: those of the games that it learned.  ValueError says why the file can't be used, and
    the file stays as it was.
    """
    path = as_path(path, CheckpointError)
    network = described(
        read_regular(path, MOST_BYTES, CheckpointError), Form(options or Options(), observation)
    )
    OnnxAgent(path.stem, network, path, {})
    write_whole(path, network)


def _session(network: bytes, file: object) -> Any:
    """Open a network in one thread; CheckpointError in one sentence if that can't be done."""
    onnxruntime = need("onnxruntime", "onnxruntime", "onnx")
    if b"\n\x08location\x12" in network:  # a key of its tensors; it would be looked up elsewhere
        raise CheckpointError(
            f"{file} keeps weights in another file, expected all in one: export it with "
            "external_data=False, or save it by onnx.save"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 4  # errors are raised, not printed
    try:
        return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        reason = reason_of(error)
        raise CheckpointError(f"{file} is not an ONNX file that can be run: {reason}") from None


class OnnxAgent(PolicyAgent):
    """A policy of an ONNX file; plays its most likely legal action.

    It runs in one thread and takes one observation a call, so that the same observation always has the
    same logits, to the last bit.  ``manifest``: its checkpoint's, {} for a file alone.  CheckpointError
    says why a file can't be used.
    """

    def __init__(
        self, name: str, network: bytes, file: object, manifest: Mapping[str, Any]
    ) -> None:
        self._given = name, network, file, manifest
        self._file, self.manifest = file, manifest
        self._session = _session(network, file)
        kept = self._session.get_modelmeta().custom_metadata_map
        if KEY not in kept:
            raise CheckpointError(
                f"{file} does not say which games its policy plays: see cacao_env.agents.onnx.describe"
            )
        try:
            told = json.loads(kept[KEY])
        except (ValueError, RecursionError):
            raise CheckpointError(f"{file}: its description is not JSON") from None
        about, version = description_of(told, file), hashlib.sha256(network).hexdigest()
        self._inputs = {one.name: _TYPES.get(one.type) for one in self._session.get_inputs()}
        seen_as = about.observation, self._checked_dtype(about)
        run = self._session.run  # ``_answer`` calls it
        super().__init__(run, *seen_as, "info", name, version, **about.options.as_dict())
        seen = look(Game.deal(self.options, 0), self.about, 0)  # shows whether the shapes fit
        self._answer(batch_of_one(seen.observation), seen.action_mask[None])

    def __reduce__(self) -> Any:
        return OnnxAgent, self._given  # a session of onnxruntime can't be pickled

    def _checked_dtype(self, about: Form) -> ObservationDtype:
        """Return the type of observations.

        CheckpointError unless inputs and outputs have the names and types that are known.
        """
        parts = ("board", "features") if about.observation == "planes" else ("observation",)
        outputs = [one.name for one in self._session.get_outputs()]
        names = sorted(self._inputs)
        if not set(parts) <= set(names) <= {*parts, "action_mask"} or "logits" not in outputs:
            raise CheckpointError(
                f"{self._file} has inputs {in_short(names)} and outputs {in_short(outputs)}, expected "
                f"{' and '.join(parts)}, perhaps action_mask, and logits, perhaps value"
            )
        self._wanted = [name for name in ("logits", "value") if name in outputs]
        kinds = {self._inputs[part] for part in parts}
        numbers = [np.dtype(kind) for kind in ("f4", "u1")[: 1 if about.rows else 2]]
        if not kinds <= set(numbers) or len(kinds) > 1 or None in self._inputs.values():
            raise CheckpointError(
                f"{self._file}: its inputs have types that no observation has, expected all "
                f"{' or '.join(one.name for one in numbers)}"
            )
        return "uint8" if kinds == {np.dtype("u1")} else "float32"

    def _answer(self, observation: Any, mask: Array) -> tuple[Array, float | None]:
        """Return the logits of all choices, (1, choices), and the value if there is one."""
        given = observation if isinstance(observation, dict) else {"observation": observation}
        if "action_mask" in self._inputs:
            given = given | {"action_mask": mask}
        fed = {
            name: np.ascontiguousarray(array, self._inputs[name]) for name, array in given.items()
        }
        try:
            found = dict(zip(self._wanted, self._session.run(self._wanted, fed), strict=True))
        except Exception as error:  # onnxruntime's errors have no common class
            raise CheckpointError(f"{self._file} can't be run: {reason_of(error)}") from None
        logits = np.asarray(found["logits"])
        if logits.shape != (1, self.about.num_actions) or logits.dtype.kind != "f":
            raise CheckpointError(
                f"{self._file}: logits are {logits.dtype} of shape {logits.shape}, expected float32 "
                f"of shape {(1, self.about.num_actions)}"
            )
        value = np.asarray(found["value"]).reshape(-1) if "value" in found else np.empty(0)
        return logits, float(value[0]) if len(value) == 1 else None

    def _lead(self, game: Game, value: float | None) -> float | None:
        """Return the relative score at the end that a value means, by the reward of its training."""
        training = self.manifest.get("training", {})
        reward, unit = training.get("config", {}).get("reward"), training.get("reward_scale")
        known = reward in ("relative_score", "shaped") and isinstance(unit, int | float)
        if value is None or not known:
            return None
        scores, seat = game.scores(), decider(game)
        others = (sum(scores) - scores[seat]) / (len(scores) - 1)
        # The value is of the rewards to come, or of all of them.
        return (scores[seat] - others if reward == "shaped" else 0.0) + unit * value


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
    return OnnxAgent(path.stem, read_regular(path, MOST_BYTES, CheckpointError), path, {})
