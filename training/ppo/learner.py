"""Proximal policy optimisation (Schulman and others, 2017) on rollouts of self-play.

With several processes each has games and a copy of the network of its own; their gradients are
averaged, so all copies stay the same.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.distributed as dist

from .masked import log_prob_and_entropy
from .network import CellNet
from .rollout import Rollout


class Coefficients(NamedTuple):
    """What a round of learning goes by; most change in the course of a run."""

    learning_rate: float
    clip: float
    entropy: float  # of the entropy as a share of its largest value with as many legal actions
    value: float
    max_norm: float  # of the gradient


class Losses(NamedTuple):
    """Means over a round of learning."""

    policy: float
    value: float
    entropy: float  # share of the largest
    kl: float  # of the policy before from the policy after, estimated
    clipped: float  # share of samples


class PpoLearner:
    """Network and optimizer."""

    def __init__(self, net: CellNet) -> None:
        self.net = net
        for layer in (net.place, net.late[-1]):  # every legal action about equally likely at first
            assert isinstance(layer, torch.nn.Linear)
            torch.nn.init.orthogonal_(layer.weight, 0.01)
            torch.nn.init.zeros_(layer.bias)
        self.optimizer = torch.optim.Adam(net.parameters(), eps=1e-5)

    def fit(
        self,
        rollout: Rollout,
        factors: torch.Tensor,
        epochs: int,
        parts: int,
        coefficients: Coefficients,
    ) -> Losses:
        """Go over a rollout ``epochs`` times in ``parts`` minibatches each."""
        for group in self.optimizer.param_groups:
            group["lr"] = coefficients.learning_rate
        sums = torch.zeros(len(Losses._fields))
        for _ in range(epochs):
            order = rollout.known[torch.randperm(len(rollout.known)).to(rollout.known.device)]
            for rows in order.tensor_split(parts):
                sums += self._step(rollout, rows, factors, coefficients)
        return Losses(*(sums / (epochs * parts)).tolist())

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
        clipped = ratio.clamp(1 - c.clip, 1 + c.clip)
        policy = -torch.minimum(ratio * scaled, clipped * scaled).mean()
        value = torch.nn.functional.mse_loss(values, returns)
        # Many legal actions allow more entropy than few: without this the choice among hundreds of
        # placements would be kept random for the sake of a bonus that counts nothing elsewhere.
        share = (entropy / masks.sum(1).clamp(min=2).log()).mean()
        self.optimizer.zero_grad(set_to_none=True)
        (policy + c.value * value - c.entropy * share).backward()
        average_gradients(self.net)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), c.max_norm)
        self.optimizer.step()
        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).mean()  # Schulman's estimate: never below 0
            outside = ((ratio - 1).abs() > c.clip).float().mean()
        return torch.stack([policy, value, share, kl, outside]).detach().cpu()


def average_gradients(net: torch.nn.Module) -> None:
    """The mean over all processes, where there are several."""
    if not dist.is_initialized():
        return
    gradients = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients])):
        gradient.copy_(part.view_as(gradient))
