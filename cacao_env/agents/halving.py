"""Sequential halving: each round of simulations drops the worse half of the candidates.

Source: Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits" (ICML 2013).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.jit import njit
from ..engine.types import f8x1, i8, i8x1

CHUNK_SECONDS = 0.002  # with a limit in time, the clock is read about this often

# (ids, how many of the first are alive, sums to add to, passes): one simulation of each in a pass.
RunPasses = Callable[[Any, int, Any, int], object]


@njit
def keep_best(ids: i8x1, sums: f8x1, alive: i8, keep: i8) -> None:
    """Move the ``keep`` candidates with the highest sums to the front, best first."""
    for place in range(keep):
        best = place
        for i in range(place + 1, alive):
            if sums[i] > sums[best]:
                best = i
        ids[place], ids[best] = ids[best], ids[place]
        sums[place], sums[best] = sums[best], sums[place]


def halve(
    run: RunPasses, ids: Any, sums: Any, alive: int, sims: int, begin: float, ms: float
) -> Any:
    """Move the best of the first ``alive`` candidates to the front; return their visits, (alive,).

    With about ``sims`` simulations in all, at least one of each, or until ``ms`` milliseconds after
    ``begin`` (``time.perf_counter``) when that is not 0.
    """
    visits = np.zeros(alive, np.int64)
    rounds = max(1, (alive - 1).bit_length())
    for number in range(rounds):
        if ms:
            if number > 0 and time.perf_counter() > begin + ms / 1000:
                break  # a pass can take longer than its round
            end = begin + ms / 1000 * (number + 1) / rounds
            visits[:alive] += _passes_until(run, end, ids, alive, sums)
        else:
            passes = max(1, sims // (rounds * alive))
            run(ids, alive, sums, passes)
            visits[:alive] += passes
        keep = max(1, (alive + 1) // 2)
        keep_best(ids, sums, alive, keep)  # all of a round have equally many visits
        alive = keep
    return visits


def _passes_until(run: RunPasses, end: float, ids: Any, alive: int, sums: Any) -> int:
    """Run passes until the time ``end``, at least one; return their number."""
    passes, done = 1, 0
    while True:
        begin = time.perf_counter()
        run(ids, alive, sums, passes)
        done += passes
        now = time.perf_counter()
        each = (now - begin) / passes
        if now + each > end:
            return done
        passes = max(1, int(min(CHUNK_SECONDS, end - now) / each))
