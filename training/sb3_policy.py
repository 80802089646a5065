"""Policy networks and a lean masked distribution as sb3-contrib's classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from .masked import log_prob_and_entropy, sample
from .networks import PolicyNet


class LeanMaskable(MaskableCategoricalDistribution):
    """A categorical distribution over ``action_dim`` actions, some of them masked."""

    _logits: Any
    _masks: Any
    _computed: Any  # (actions, log-probabilities, entropies)

    def proba_distribution(self, action_logits: Any) -> LeanMaskable:
        """The distribution with these logits, (B, N), nothing masked."""
        self._logits = action_logits.view(-1, self.action_dim)
        self._masks = self._computed = None
        return self

    def apply_masking(self, masks: Any) -> None:
        """Legal actions, bool (B, N); None for all."""
        if masks is not None:
            if isinstance(masks, np.ndarray):
                masks = torch.from_numpy(masks)
            masks = masks.to(self._logits.device, torch.bool).view(self._logits.shape)
        self._masks, self._computed = masks, None

    def _both(self, actions: Any) -> Any:
        """Log-probabilities of actions, and entropies, computed together and once."""
        if self._computed is None or self._computed[0] is not actions:
            found = log_prob_and_entropy(self._logits, self._masks, actions.long().view(-1))
            self._computed = (actions, *found)
        return self._computed

    def log_prob(self, actions: Any) -> torch.Tensor:
        """Of each row's action, (B,)."""
        return self._both(actions)[1]

    def entropy(self) -> torch.Tensor:
        """Of each row, (B,)."""
        if self._computed is None:
            self._both(self._logits.new_zeros(len(self._logits), dtype=torch.long))
        return self._computed[2]

    def sample(self) -> torch.Tensor:
        """One action a row, (B,)."""
        return sample(self._logits, self._masks)

    def mode(self) -> torch.Tensor:
        """The most likely action of each row."""
        if self._masks is None:
            return self._logits.argmax(1)
        return torch.where(self._masks, self._logits, -torch.inf).argmax(1)


class _Both(nn.Module):
    """A policy network in place of SB3's two towers: its logits are the policy's latent."""

    def __init__(self, net: PolicyNet, num_actions: int) -> None:
        super().__init__()
        self.net = net
        self.latent_dim_pi, self.latent_dim_vf = num_actions, 1

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits, value = self.net(features)
        return logits, value.unsqueeze(1)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        return self.net(features)[0]

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        return self.net(features)[1].unsqueeze(1)


class CellPolicy(MaskableActorCriticPolicy):
    """sb3-contrib's masked actor-critic policy around a policy network."""

    def __init__(self, *args: Any, make_net: Callable[[], PolicyNet], **kwargs: Any) -> None:
        self._make_net = make_net
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        net = self._make_net()
        net.make_actions_equally_likely()
        self.mlp_extractor = _Both(net, int(self.action_space.n))
        self.action_dist = LeanMaskable(int(self.action_space.n))
        self.action_net = nn.Identity()
        self.value_net = nn.Identity()
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    @property
    def net(self) -> PolicyNet:
        """The network alone, which a checkpoint saves."""
        return self.mlp_extractor.net
