"""The board network as RLlib's module, its actions masked."""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule

from .networks import PolicyNet, factors, new_net

ILLEGAL = -1e9  # as a logit: probability 0, and no infinities in what is computed with it


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A policy network on raw observations; ``model_config`` has ``about`` and ``width``."""

    net: PolicyNet
    factors: torch.Tensor

    def setup(self) -> None:
        """Build the network."""
        self.net = new_net(self.model_config["about"], self.model_config["width"])
        self.register_buffer("factors", factors(self.model_config["about"]), persistent=False)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        illegal = batch[Columns.OBS]["action_mask"] == 0
        return {Columns.ACTION_DIST_INPUTS: self._both(batch)[0].masked_fill(illegal, ILLEGAL)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the values of the deciding seats, (B,)."""
        return self._both(batch)[1]

    def _both(self, batch: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        return self.net(batch[Columns.OBS]["observation"].float() * self.factors)
