"""Work on a batch of games, shared out among threads.

Compiled functions run without the interpreter's lock, so plain threads use all cores.  The games
are cut into contiguous shares; every game has random numbers of its own, so the number of shares
changes nothing but the time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..engine.options import as_int

MAX_THREADS = 1024
WHOLE = slice(None)  # the only share: its arrays need no cutting, which would cost a microsecond


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """The threads of this process, shared by all batches."""
    return ThreadPoolExecutor(workers, thread_name_prefix="cacao_env")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


class Workers:
    """How ``num_games`` games are shared out among ``num_threads`` threads, this one included."""

    def __init__(self, num_games: int, num_threads: int) -> None:
        threads = as_int("num_threads", num_threads, f"1 to {MAX_THREADS}")
        if not 1 <= threads <= MAX_THREADS:
            raise ValueError(f"num_threads is {num_threads!r}, expected 1 to {MAX_THREADS}")
        cuts = np.linspace(0, num_games, min(threads, num_games) + 1).astype(int).tolist()
        self.slices = [slice(first, last) for first, last in pairwise(cuts)]
        self._cuts = self.slices if self.several else [WHOLE]

    @property
    def several(self) -> bool:
        """Whether there is more than one."""
        return len(self.slices) > 1

    def run(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Call ``work`` once a share, with that share of every array; returns what it returned."""
        first, *others = (
            [_cut(argument, number, share) for argument in arguments]
            for number, share in enumerate(self._cuts)
        )
        futures = [_pool(len(others)).submit(work, *cut) for cut in others]
        return [work(*first), *(future.result() for future in futures)]


def _cut(argument: Any, number: int, share: slice) -> Any:
    """What share ``number`` gets of an argument."""
    whole = share is WHOLE or not isinstance(argument, np.ndarray)
    return argument if whole else argument[share]
