"""Work on a batch of games by several threads.

Compiled functions run without the interpreter's lock, so plain threads use all cores.  Each thread
gets a contiguous part of the games.  Every game has random numbers of its own, so the number of parts
changes only the time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, wraps
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from ..checks import as_int

F = TypeVar("F", bound=Callable[..., Any])
MAX_THREADS = 1024


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Return the threads of this process, which all batches share."""
    return ThreadPoolExecutor(workers, thread_name_prefix="cacao_env")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


class Workers:
    """The parts of ``num_games`` games for ``num_threads`` threads, this one included.

    ``several``: whether there is more than one part.  Threads may share it.
    """

    def __init__(self, num_games: int, num_threads: int) -> None:
        threads = as_int("num_threads", num_threads, 1, MAX_THREADS)
        cuts = np.linspace(0, num_games, min(threads, num_games) + 1).astype(int).tolist()
        self.slices = [slice(first, last) for first, last in pairwise(cuts)]
        self.several = len(self.slices) > 1

    def run(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Call ``work`` with each part of every array; return its results."""
        if not self.several:  # slicing the arrays would cost a microsecond
            return [work(*arguments)]
        first, *others = (
            [_cut(argument, share) for argument in arguments] for share in self.slices
        )
        futures = [_pool(len(others)).submit(work, *cut) for cut in others]
        return [work(*first), *(future.result() for future in futures)]


def _cut(argument: Any, share: slice) -> Any:
    """Return a part of an argument, if it is an array."""
    return argument[share] if isinstance(argument, np.ndarray) else argument


def alone(method: F) -> F:
    """Let a method refuse, with RuntimeError, while another such method of its object is at work.

    Another thread may be at work, or this one, if a signal handler or an opponent calls.  Methods call
    each other by their plain names, without this decorator.
    """

    @wraps(method)
    def guarded(self: Any, *arguments: Any, **named: Any) -> Any:
        token, attributes = object(), vars(self)
        try:  # one operation both asks and takes, so an interruption leaves nothing half done
            if attributes.setdefault("_at_work", token) is not token:
                raise RuntimeError(
                    f"{type(self).__name__}.{method.__name__} was called while another call is at work "
                    "on these games: use them from one thread, and not from a signal handler"
                )
            return method(self, *arguments, **named)
        finally:
            if attributes.get("_at_work") is token:
                del attributes["_at_work"]

    return guarded  # type: ignore[return-value]
