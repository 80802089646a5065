"""95 % intervals by the bootstrap over deal blocks.

The games of a block share a deal and are not independent; blocks are.  So whole blocks are resampled
with replacement, and the statistic is computed for each sample.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BOOTSTRAP = 2000
LEVEL = (2.5, 97.5)
_AT_ONCE = 4_000_000  # numbers drawn at once


def resampled_means(
    values: npt.NDArray[np.float64], samples: int = BOOTSTRAP, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Return the means over blocks (the first axis) of ``samples`` resampled sets of blocks."""
    rng = np.random.default_rng(seed)
    blocks = len(values)
    flat = values.reshape(blocks, -1)
    means = np.empty((samples, flat.shape[1]))
    step = max(1, _AT_ONCE // blocks)
    for first in range(0, samples, step):
        count = min(step, samples - first)
        picks = rng.integers(0, blocks, (count, blocks))
        times = np.zeros((count, blocks))
        for row, pick in zip(times, picks):
            row += np.bincount(pick, minlength=blocks)
        means[first : first + count] = times @ flat / blocks
    return means.reshape(samples, *values.shape[1:])


def interval(values: npt.NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of the mean of ``values``, one a block."""
    low, high = np.percentile(resampled_means(values, seed=seed), LEVEL)
    return float(low), float(high)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def percent(share: float, low: float, high: float) -> str:
    """Return a win share with its interval in percent.

    A share less luck is not a share of games and may lie below 0 or above 100 %, which a word says.
    """
    word = "" if min(share, low) >= 0 and max(share, high) <= 1 else " (unbounded)"
    return f"{share:z.1%} [{low:z.1%}, {high:z.1%}]{word}"


def ranged(value: float, low: float, high: float, form: str = "+z.1f") -> str:
    """Return a value with its interval."""
    return f"{value:{form}} [{low:{form}}, {high:{form}}]"


def share_interval(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % interval of a mean win share.

    If all blocks have the same share, all samples are equal.  The bounds are then those of other blocks
    that were all lost, or all won, and are too rare to have come up: the exact binomial ones.
    """
    if values.min() < values.max():
        return interval(values)
    same, rest = float(values[0]), 0.025 ** (1 / len(values))
    return same * rest, 1 - (1 - same) * rest
