"""A test that stops as soon as the games played are enough to tell.

A sequential probability ratio test on the scores of deal blocks (the candidate's share of wins, mean
over a block), as chess engines are tested: H0 says that the candidate is ``elo0`` stronger than its
opponent, H1 that it is ``elo1``.  Neither says how scores scatter, so the likelihoods are those of
normal scores at their best variance under each (a generalised test).  It stops when their ratio
leaves (beta / (1 - alpha), (1 - beta) / alpha).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

LEAST_BLOCKS = 32  # below, a variance is not known well enough


@dataclass(frozen=True)
class Test:
    """Two hypotheses in Elo and how often each may be rejected although it holds."""

    __test__ = False  # no test of pytest's

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what is no test."""
        if not self.elo0 < self.elo1:
            raise ValueError(f"--elo0 is {self.elo0:g}, expected less than --elo1, {self.elo1:g}")

    def shares(self, players: int) -> tuple[float, float]:
        """Expected shares of wins under H0 and H1."""
        return expected_share(self.elo0, players), expected_share(self.elo1, players)

    def log_ratio(self, count: Any, total: Any, squares: Any, players: int = 2) -> Any:
        """Log of the ratio of likelihoods, H1 to H0, of ``count`` scores with these sums.

        Numbers or arrays of them.
        """
        zero, one = self.shares(players)
        mean = total / count
        variance = np.maximum(squares / count - mean * mean, 1e-6)
        return count / 2 * np.log((variance + (mean - zero) ** 2) / (variance + (mean - one) ** 2))

    def verdict(self, log_ratio: Any, count: Any) -> Any:
        """1 where H1 is accepted, -1 where H0 is, 0 where it is not decided."""
        upper = np.log((1 - self.beta) / self.alpha)
        lower = np.log(self.beta / (1 - self.alpha))
        decided = np.where(log_ratio >= upper, 1, np.where(log_ratio <= lower, -1, 0))
        return np.where(np.asarray(count) >= LEAST_BLOCKS, decided, 0)


def expected_share(elo: float, players: int) -> float:
    """The share of wins, under Plackett-Luce, of one agent ``elo`` above all others at its table."""
    strength: float = 10 ** (elo / 400)
    return strength / (strength + players - 1)
