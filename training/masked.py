"""Masked categorical distributions that cost little beyond a thousand actions.

The same log-probabilities, entropies and gradients as sb3-contrib's ``MaskableCategorical``, from one
hand-written forward pass and backward pass over the logits.  Illegal actions get a logit FLOOR below
the best legal one, because ``exp`` of much smaller numbers is ten times as slow.
"""

from __future__ import annotations

from typing import Any

import torch

FLOOR = -60.0  # exp(FLOOR) is nothing beside 1 in float32


class _LogProbAndEntropy(torch.autograd.Function):
    """(log-probability of the chosen action, entropy), both (B,), from logits and masks (B, N)."""

    @staticmethod
    def forward(ctx: Any, logits: Any, masks: Any, actions: Any) -> Any:
        (log_total, shifted), probs = _softmax(logits, masks)
        log_probs = shifted - log_total
        entropy = -(probs * log_probs).sum(1)
        chosen = log_probs.gather(1, actions[:, None]).squeeze(1)
        ctx.save_for_backward(probs, log_probs, entropy, actions)
        return chosen, entropy

    @staticmethod
    def backward(ctx: Any, of_chosen: Any, of_entropy: Any) -> Any:
        probs, log_probs, entropy, actions = ctx.saved_tensors
        # d log p_a / d z = [a] - p;  d H / d z = -p (log p + H).
        slope = (log_probs + entropy[:, None]).mul_(of_entropy[:, None]).add_(of_chosen[:, None])
        slope.mul_(probs).neg_()
        slope.scatter_add_(1, actions[:, None], of_chosen[:, None])
        return slope, None, None


def log_prob_and_entropy(logits: Any, masks: Any, actions: Any) -> tuple[Any, Any]:
    """(log-probability of each row's action, entropy), (B,), of logits (B, N) and masks or None."""
    return _LogProbAndEntropy.apply(logits, masks, actions)


@torch.no_grad()
def sample(logits: Any, masks: Any, draws: Any = None) -> torch.Tensor:
    """Draw one action a row: where a uniform number falls in the cumulative probabilities.

    ``draws``: those numbers, (B,); None draws them from torch's generator.
    """
    _, probs = _softmax(logits, masks)
    reached = probs.cumsum(1)
    # Below the last sum, so that the action found has a probability above 0.
    if draws is None:
        draws = torch.rand(len(probs), device=probs.device)
    drawn = draws[:, None] * reached[:, -1:]
    drawn = torch.minimum(drawn, reached[:, -1:] * (1 - 1e-7))
    return torch.searchsorted(reached, drawn, right=True).squeeze(1)


def _softmax(logits: Any, masks: Any) -> Any:
    """((log of the sum, logits minus the best legal one), probabilities)."""
    if masks is None:
        shifted = logits - logits.amax(1, keepdim=True)
    else:
        legal = torch.where(masks, logits, -torch.inf)
        shifted = (legal - legal.amax(1, keepdim=True)).clamp_(min=FLOOR)
    probs = shifted.exp()
    if masks is not None:
        probs = probs * masks
    total = probs.sum(1, keepdim=True)
    return (total.log(), shifted), probs / total
