"""Policies of Stable-Baselines3 and sb3-contrib as agents."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agent import AgentError, one_line
from ..checks import as_path, in_short, keywords_of, need
from ..engine.options import Options
from ..greedy.candidates import ObservationForm
from .policy import PolicyAgent

_KNOWN = ("stable_baselines3", "sb3_contrib", "torch")  # the file says nothing of other code


@keywords_of(Options)
def sb3_agent(
    model: Any, observation: ObservationForm = "flat", name: str = "", **options: Any
) -> PolicyAgent:
    """Return the agent of a model of Stable-Baselines3 or sb3-contrib, or of the ``.zip`` it saved.

    ``observation`` and ``options`` are those of the environment that it learned in.  It plays the
    legal action of the largest logit or Q-value.  The space of the model's observations tells their
    type, and whether they have the mask.  ``name``: by default the file's, or the class of the model.
    The agent of a file has its checksum as version, or none if parts of the network are classes of
    your own.  AgentError says why a model can't be used.

    A ``.zip`` has pickles in it: loading one runs its code, so load only files that you trust.
    """
    version = ""
    if isinstance(model, str | Path):
        path = as_path(model, AgentError)
        policy, data = _policy_of(path)
        name = name or path.stem
        if all(type(part).__module__.partition(".")[0] in _KNOWN for part in policy.modules()):
            version = hashlib.sha256(data).hexdigest()
    else:
        policy, name = getattr(model, "policy", None), name or type(model).__name__
        if policy is None:
            raise AgentError(
                f"model is {in_short(model)}, expected a model or the path of its .zip"
            )
    policy.set_training_mode(False)
    space = policy.observation_space
    masked = "action_mask" in getattr(space, "spaces", {})
    if masked:
        space = space["observation"]
    parts = list(getattr(space, "spaces", {"": space}).values())

    def choose(observations: Any, action_masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        seen, _ = policy.obs_to_tensor(observations)
        if hasattr(policy, "get_distribution"):
            found = policy.get_distribution(seen).distribution.logits
        else:
            found = policy.q_net(seen)
        return np.asarray(found.detach().cpu())

    return PolicyAgent(
        choose,
        observation,
        parts[0].dtype.name,
        "observation" if masked else "info",
        name,
        version and f"{version} {observation} {Options(**options)} {options}",
        **options,
    )


def _policy_of(path: Path) -> tuple[Any, bytes]:
    """Return the policy of a model that was saved, and the bytes of the file."""
    saved = need("stable_baselines3.common.save_util", "Stable-Baselines3", "train")
    try:
        content = path.read_bytes()
        data, parameters, _ = saved.load_from_zip_file(path, device="cpu")
        policy = data["policy_class"](
            data["observation_space"], data["action_space"], lambda _: 0.0, **data["policy_kwargs"]
        )
        policy.load_state_dict(parameters["policy"])
    except OSError as error:
        raise AgentError(f"{path} can't be read: {error.strerror}") from None
    except Exception as error:  # whatever is wrong with the file
        raise AgentError(f"{path} is not a saved model: {one_line(error)}") from error
    return policy, content
