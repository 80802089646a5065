"""Fitting the value network to samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from cacao_env.agents.value.features import NO_ROW
from cacao_env.engine.tiles import MAX_PLAYERS

from ..state import learner_arrays, load_weights, named, part, restore_learner
from .games import Samples
from .net import ValueNet
from .players import join

FOLLOWED = 1000  # steps after which the running mean has forgotten how it started
_BATCHES = 1  # tells random numbers for batches from those for games


class Fitter:
    """Fits a network to samples; ``mean``, the running mean of its weights, is what plays."""

    def __init__(self, size: dict[str, int], seed: int, average: float) -> None:
        torch.manual_seed(seed)
        self.net, self.mean = ValueNet(**size), ValueNet(**size)
        self.mean.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self._average = average
        self.steps = 0

    def start_from(self, params: Mapping[str, Any]) -> None:
        """Copy the weights of a network; raise ValueError if it has another size."""
        for net in (self.net, self.mean):
            load_weights(net, params, "sums, maxima and units must be the same")
        self.steps = FOLLOWED  # there is no random start to forget

    def fit(
        self, parts: Sequence[Samples], steps: int, batch: int, rate: float, key: Sequence[int]
    ) -> Any:
        """Take Adam steps on random batches from all parts; return the mean losses (wins, points)."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        rng = np.random.default_rng([*key, _BATCHES])
        losses = np.zeros(2)
        samples = parts[0] if len(parts) == 1 else join(parts)
        for _ in range(steps):
            chosen = rng.integers(0, len(samples.stage), batch)
            of_wins, of_points = self._losses(Samples(*(array[chosen] for array in samples)))
            self.optimizer.zero_grad(set_to_none=True)
            (of_wins + of_points).backward()
            self.optimizer.step()
            self.steps += 1
            self._follow()
            losses += [of_wins.item(), of_points.item()]
        return losses / max(1, steps)

    def _losses(self, samples: Samples) -> tuple[torch.Tensor, torch.Tensor]:
        """Cross-entropy of the win shares, mean squared error of the points."""
        out = self.net(
            torch.from_numpy(samples.numbers),
            torch.from_numpy(samples.rows),
            torch.from_numpy((samples.rows != NO_ROW).sum(1)),
            torch.from_numpy(samples.patterns.astype(np.int64)),
            torch.from_numpy(samples.open_cells.astype(np.int64)),
            torch.from_numpy(samples.stage.astype(np.int64)),
        )
        players = torch.from_numpy(samples.players.astype(np.int64))[:, None]
        there = torch.arange(MAX_PLAYERS)[None] < players
        logits = out[:, :MAX_PLAYERS].masked_fill(~there, -1e9)
        log_probs = F.log_softmax(logits, 1).masked_fill(~there, 0)
        of_wins = -(torch.from_numpy(samples.win_shares) * log_probs).sum(1).mean()
        wrong = (out[:, MAX_PLAYERS:] - torch.from_numpy(samples.points)) ** 2
        return of_wins, ((wrong * there).sum(1) / players[:, 0]).mean()

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the running mean; fast at first, so that it forgets the random start."""
        weight = max(self._average, 1 / (1 + self.steps / 4))
        torch._foreach_lerp_(list(self.mean.parameters()), list(self.net.parameters()), weight)

    def arrays(self) -> dict[str, Any]:
        """Weights, running mean and the optimizer's moments, by name."""
        return learner_arrays(self.net, self.optimizer) | named("mean", self.mean.params())

    def restore(self, arrays: Mapping[str, Any], steps: int) -> None:
        """Resume from ``arrays`` after so many steps."""
        self.steps = steps
        restore_learner(self.net, self.optimizer, arrays)
        load_weights(self.mean, part("mean", arrays))
