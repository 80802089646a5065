"""Masked categorical distributions that cost little beyond a thousand actions.

The same log-probabilities, entropies and gradients as sb3-contrib's ``MaskableCategorical``, from one
forward pass and one backward pass over the logits, written by hand.  Illegal actions get the
logit FLOOR below the best legal one: ``exp`` of much smaller numbers is ten times as slow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from torch import nn

FLOOR = -60.0  # exp(FLOOR) is nothing beside 1 in float32


class _LogProbAndEntropy(torch.autograd.Function):
    """(log-probability of the chosen action, entropy), both (B,), from logits and masks (B, N)."""

    @staticmethod
    def forward(ctx: Any, logits: Any, masks: Any, actions: Any) -> Any:
        odds, chances = _softmax(logits, masks)
        log_total = odds[0]
        log_chances = odds[1] - log_total
        entropy = -(chances * log_chances).sum(1)
        chosen = log_chances.gather(1, actions[:, None]).squeeze(1)
        ctx.save_for_backward(chances, log_chances, entropy, actions)
        return chosen, entropy

    @staticmethod
    def backward(ctx: Any, of_chosen: Any, of_entropy: Any) -> Any:
        chances, log_chances, entropy, actions = ctx.saved_tensors
        # d log p_a / d z = [a] - p;  d H / d z = -p (log p + H).
        slope = (log_chances + entropy[:, None]).mul_(of_entropy[:, None]).add_(of_chosen[:, None])
        slope.mul_(chances).neg_()
        slope.scatter_add_(1, actions[:, None], of_chosen[:, None])
        return slope, None, None


def log_prob_and_entropy(logits: Any, masks: Any, actions: Any) -> tuple[Any, Any]:
    """(log-probability of each row's action, entropy), (B,), of logits (B, N) and masks or None."""
    found: tuple[Any, Any] = _LogProbAndEntropy.apply(logits, masks, actions)
    return found


@torch.no_grad()
def sample(logits: Any, masks: Any) -> torch.Tensor:
    """One action a row: where a uniform number falls in the cumulated probabilities."""
    _, chances = _softmax(logits, masks)
    reached = chances.cumsum(1)
    # Less than the last sum, so that what is found has a probability above 0.
    drawn = torch.rand(len(chances), 1, device=chances.device) * reached[:, -1:]
    drawn = torch.minimum(drawn, reached[:, -1:] * (1 - 1e-7))
    return torch.searchsorted(reached, drawn, right=True).squeeze(1)


def _softmax(logits: Any, masks: Any) -> Any:
    """((log of the sum, logits less the best legal one), probabilities)."""
    if masks is None:
        shifted = logits - logits.amax(1, keepdim=True)
    else:
        legal = torch.where(masks, logits, -torch.inf)
        shifted = (legal - legal.amax(1, keepdim=True)).clamp_(min=FLOOR)
    chances = shifted.exp()
    if masks is not None:
        chances = chances * masks
    total = chances.sum(1, keepdim=True)
    return (total.log(), shifted), chances / total


class LeanMaskable(MaskableDistribution):
    """A categorical distribution over ``action_dim`` actions, some of them masked."""

    def __init__(self, action_dim: int) -> None:
        super().__init__()
        self.action_dim = action_dim
        self._logits: Any = None
        self._masks: Any = None
        self._kept: Any = None  # (actions, log-probabilities, entropies)

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """A layer of logits."""
        return nn.Linear(latent_dim, self.action_dim)

    def proba_distribution(self, action_logits: Any) -> LeanMaskable:
        """The distribution with these logits, (B, N), nothing masked."""
        self._logits = action_logits.view(-1, self.action_dim)
        self._masks = self._kept = None
        return self

    def apply_masking(self, masks: Any) -> None:
        """Legal actions, bool (B, N); None for all."""
        if masks is not None:
            if isinstance(masks, np.ndarray):
                masks = torch.from_numpy(masks)
            masks = masks.to(self._logits.device, torch.bool).view(self._logits.shape)
        self._masks, self._kept = masks, None

    def _both(self, actions: Any) -> Any:
        """Log-probabilities of actions, and entropies: computed together, once."""
        if self._kept is None or self._kept[0] is not actions:
            found = log_prob_and_entropy(self._logits, self._masks, actions.long().view(-1))
            self._kept = (actions, *found)
        return self._kept

    def log_prob(self, actions: Any) -> torch.Tensor:
        """Of each row's action, (B,)."""
        found: torch.Tensor = self._both(actions)[1]
        return found

    def entropy(self) -> torch.Tensor:
        """Of each row, (B,)."""
        if self._kept is None:
            self._both(self._logits.new_zeros(len(self._logits), dtype=torch.long))
        found: torch.Tensor = self._kept[2]
        return found

    def sample(self) -> torch.Tensor:
        """One action a row, (B,)."""
        return sample(self._logits, self._masks)

    def mode(self) -> torch.Tensor:
        """The most likely action of each row."""
        if self._masks is None:
            return self._logits.argmax(1)
        return torch.where(self._masks, self._logits, -torch.inf).argmax(1)

    def actions_from_params(self, action_logits: Any, deterministic: bool = False) -> torch.Tensor:
        """An action for each row of logits."""
        self.proba_distribution(action_logits)
        return self.get_actions(deterministic)

    def log_prob_from_params(self, action_logits: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Sampled actions and their log-probabilities."""
        actions = self.actions_from_params(action_logits)
        return actions, self.log_prob(actions)
