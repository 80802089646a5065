"""95 % intervals by the bootstrap over deal blocks.

The games of a block share a deal and are no independent draws; blocks are.  So blocks are drawn anew,
with replacement, and what is asked of them is computed each time.
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
    """Means over blocks (the first axis) of ``samples`` sets of blocks drawn anew."""
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
    """95 % interval of the mean of one value a block."""
    low, high = np.percentile(resampled_means(values, seed=seed), LEVEL)
    return float(low), float(high)


def share_interval(values: npt.NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """The same for shares of wins.

    Where every block was won (or lost) the bootstrap can't tell anything; then the bound is the
    exact binomial one for as many blocks.
    """
    low, high = interval(values, seed)
    rest = 0.025 ** (1 / len(values))
    if values.min() == 1:
        low = rest
    if values.max() == 0:
        high = 1 - rest
    return low, high
