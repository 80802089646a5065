"""Masked categorical distributions that cost little beyond a thousand actions.

The same log-probabilities, entropies and gradients as sb3-contrib's ``MaskableCategorical``, from one
forward pass and one backward pass over the logits, written by hand.  Illegal actions get the
logit FLOOR below the best legal one: ``exp`` of much smaller numbers is ten times as slow.
"""

from __future__ import annotations

from typing import Any

import torch

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
