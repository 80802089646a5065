"""Proximal policy optimisation (Schulman et al., 2017) on rollouts of self-play.

With several processes each has its own games and its own copy of the network; their gradients are
averaged, so all copies stay equal.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from ..processes import average_gradients
from .config import Net
from .masked import log_prob_and_entropy
from .rollout import Rollout

# What a step measures; ``fit`` returns the means over all steps.
_METRICS = (
    "loss_policy",
    "loss_value",
    "entropy",
    "entropy_fraction",
    "approx_kl",
    "clip_fraction",
)


class Coefficients(NamedTuple):
    """The coefficients of a round; most change over the run."""

    learning_rate: float
    clip_range: float
    entropy_coef: float  # of the entropy as a fraction of its largest value
    value_coef: float
    max_grad_norm: float


class PpoFitter:
    """Fits a network to rollouts.  Only one thread may use it at a time."""

    def __init__(self, net: Net) -> None:
        self.net = net
        net.make_actions_equally_likely()
        self.optimizer = torch.optim.Adam(net.parameters(), eps=1e-5)

    def fit(
        self,
        rollout: Rollout,
        factors: torch.Tensor,
        epochs: int,
        batches: int,
        coefficients: Coefficients,
    ) -> dict[str, float]:
        """Learn from a rollout in ``epochs`` passes of ``batches`` minibatches; return metrics."""
        for group in self.optimizer.param_groups:
            group["lr"] = coefficients.learning_rate
        sums = torch.zeros(len(_METRICS))
        for _ in range(epochs):
            order = rollout.known[torch.randperm(len(rollout.known)).to(rollout.known.device)]
            for rows in order.tensor_split(batches):
                sums += self._step(rollout, rows, factors, coefficients)
        metrics = dict(zip(_METRICS, (sums / (epochs * batches)).tolist()))
        errors = rollout.advantages[rollout.known]
        returns = errors + rollout.values[rollout.known]
        metrics["explained_variance"] = float(1 - errors.var() / returns.var().clamp(min=1e-12))
        return metrics

    def clone(
        self,
        rollout: Rollout,
        factors: torch.Tensor,
        epochs: int,
        batches: int,
        coefficients: Coefficients,
    ) -> dict[str, float]:
        """Learn to choose as greedy does, and the values of a rollout."""
        for group in self.optimizer.param_groups:
            group["lr"] = coefficients.learning_rate
        sums = torch.zeros(3)
        for _ in range(epochs):
            order = rollout.known[torch.randperm(len(rollout.known)).to(rollout.known.device)]
            for rows in order.tensor_split(batches):
                masks = rollout.masks[rows]
                logits, values = self.net(rollout.observations[rows] * factors)
                log_probs, entropy = log_prob_and_entropy(logits, masks, rollout.greedy[rows])
                returns = rollout.advantages[rows] + rollout.values[rows]
                policy = -log_probs.mean()
                value = torch.nn.functional.mse_loss(values, returns)
                self._descend(policy + coefficients.value_coef * value, coefficients)
                sums += torch.stack([policy, value, entropy.mean()]).detach().cpu()
        names = ("loss_policy", "loss_value", "entropy")
        return dict(zip(names, (sums / (epochs * batches)).tolist()))

    def _descend(self, loss: torch.Tensor, c: Coefficients) -> None:
        """Make one step of the optimizer."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        average_gradients(self.net)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), c.max_grad_norm)
        self.optimizer.step()

    def _step(
        self, rollout: Rollout, rows: torch.Tensor, factors: torch.Tensor, c: Coefficients
    ) -> torch.Tensor:
        masks = rollout.masks[rows]
        logits, values = self.net(rollout.observations[rows] * factors)
        log_probs, entropy = log_prob_and_entropy(logits, masks, rollout.actions[rows])
        advantages = rollout.advantages[rows]
        returns = advantages + rollout.values[rows]
        scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        log_ratio = log_probs - rollout.log_probs[rows]
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - c.clip_range, 1 + c.clip_range)
        policy = -torch.minimum(ratio * scaled, clipped * scaled).mean()
        value = torch.nn.functional.mse_loss(values, returns)
        # Many legal actions allow more entropy than few.  A bonus on the entropy itself would keep
        # the choice among hundreds of placements random and hardly count elsewhere.
        fraction = (entropy / masks.sum(1).clamp(min=2).log()).mean()
        self._descend(policy + c.value_coef * value - c.entropy_coef * fraction, c)
        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).mean()  # Schulman's estimate, never below 0
            outside = ((ratio - 1).abs() > c.clip_range).float().mean()
        return torch.stack([policy, value, entropy.mean(), fraction, kl, outside]).detach().cpu()
