"""A test that stops as soon as the games played decide it.

A sequential probability ratio test on the scores of deal blocks (the candidate's win share, mean over
a block), as chess engines are tested.  H0: the candidate is ``elo0`` stronger than its opponent; H1:
it is ``elo1`` stronger.  Neither fixes the variance of the scores, so the likelihoods are those of
normal scores with the best variance under each hypothesis (a generalised test).  The test stops when
the likelihood ratio leaves (beta / (1 - alpha), (1 - beta) / alpha).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import as_float

LEAST_BLOCKS = 32  # with fewer the variance is not known well enough


@dataclass(frozen=True)
class SequentialTest:
    """Two hypotheses in Elo, and how often each may be rejected although it holds."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Check the order of the hypotheses."""
        for name in ("elo0", "elo1"):
            as_float(f"--{name}", getattr(self, name), -10_000, 10_000)
        if not self.elo0 < self.elo1:
            raise ValueError(f"--elo0 is {self.elo0:g}, expected less than --elo1, {self.elo1:g}")

    def log_ratio(self, count: Any, total: Any, squares: Any, players: int = 2) -> Any:
        """Return the log likelihood ratio, H1 to H0, of ``count`` scores with these sums.

        The arguments are numbers or arrays of them.
        """
        zero, one = expected_share(self.elo0, players), expected_share(self.elo1, players)
        mean = total / count
        variance = np.maximum(squares / count - mean * mean, 1e-6)
        return count / 2 * np.log((variance + (mean - zero) ** 2) / (variance + (mean - one) ** 2))

    def verdict(self, log_ratio: Any, count: Any) -> Any:
        """Return 1 where H1 is accepted, -1 where H0 is, 0 where the test is not decided."""
        upper = np.log((1 - self.beta) / self.alpha)
        lower = np.log(self.beta / (1 - self.alpha))
        decided = np.where(log_ratio >= upper, 1, np.where(log_ratio <= lower, -1, 0))
        return np.where(np.asarray(count) >= LEAST_BLOCKS, decided, 0)

    def run(self, scores: Iterable[npt.NDArray[np.float64]], players: int) -> SprtResult:
        """Run the test on the block scores of one chunk after the other until it is decided."""
        count, total, squares, ratio = 0, 0.0, 0.0, 0.0
        for part in scores:
            count += len(part)
            total += float(part.sum())
            squares += float((part * part).sum())
            ratio = float(self.log_ratio(count, total, squares, players))
            if accepted := int(self.verdict(ratio, count)):
                return SprtResult("H1" if accepted > 0 else "H0", count, ratio, self)
        return SprtResult("", count, ratio, self)


@dataclass(frozen=True)
class SprtResult:
    """The result of a sequential test."""

    accepted: str  # "H0", "H1", or "" if the test is not decided
    blocks: int
    log_ratio: float
    test: SequentialTest

    def line(self) -> str:
        """Return the result as one line for people."""
        zero, one = f"{self.test.elo0:+g} Elo", f"{self.test.elo1:+g} Elo"
        if not self.accepted:
            return f"not decided between {zero} and {one} after {self.blocks} blocks"
        kept, other = (one, zero) if self.accepted == "H1" else (zero, one)
        return f"decided after {self.blocks} blocks: {self.accepted}, {kept} rather than {other}"


def expected_share(elo: float, players: int) -> float:
    """Return the win share, under Plackett-Luce, of an agent ``elo`` above all others."""
    strength: float = 10 ** (elo / 400)
    return strength / (strength + players - 1)
