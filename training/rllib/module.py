"""The board network as RLlib's module, its actions masked."""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule

from cacao_env.engine.observation import scale

from ..ppo.network import CellNet

ILLEGAL = -1e9  # as a logit: probability 0, and no infinities in what is computed with it


class CellModule(TorchRLModule, ValueFunctionAPI):
    """:class:`training.ppo.network.CellNet` on the observations of :class:`.env.CacaoTable`.

    ``model_config`` has num_players, table_size and width.  Only one thread may use it at a time.
    """

    net: CellNet
    factors: torch.Tensor

    def setup(self) -> None:
        """Build the network."""
        config = self.model_config
        players, size = config["num_players"], config["table_size"]
        self.net = CellNet(players, size, config["width"])
        self.register_buffer(
            "factors", torch.from_numpy(scale(players, size).copy()), persistent=False
        )

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return masked logits."""
        logits, _ = self._both(batch)
        illegal = batch[Columns.OBS]["action_mask"] == 0
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(illegal, ILLEGAL)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the values of the deciding seats, (B,)."""
        return self._both(batch)[1]

    def _both(self, batch: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        seen = batch[Columns.OBS]["observations"].float() * self.factors
        logits, values = self.net(seen)
        return logits, values
