"""Rows about memory: how fast this machine writes it, and whether steps use any more of it."""

from __future__ import annotations

import os
import statistics
import sys
import tracemalloc
from pathlib import Path

import numpy as np

from ..envs.vector import VectorGames
from .batch import BATCH, stepping
from .timing import Row, Task

BUFFER = 2**27  # bytes, more than any cache holds


def bandwidth_task() -> Task:
    """Return the task that fills a large array, one thread."""
    buffer = np.zeros(BUFFER, np.uint8)

    def work() -> int:
        buffer.fill(1)
        return BUFFER

    return Task("write_bandwidth", "bytes/s", f"filling {BUFFER >> 20} MiB, one thread", work)


def allocations(steps: int) -> Row:
    """Measure the most memory that a batched step allocates (Python and NumPy)."""
    games = VectorGames(BATCH, table_size=15, seed=0)
    games.step(games.sample())
    held = []
    tracemalloc.start()
    try:
        for _ in range(steps):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            games.step(games.sample())
            held.append(tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()
    text = (
        f"most memory a step holds beyond before, mean of {steps:,} steps "
        f"(the batch's observations are {games.observations.nbytes:,} bytes); tracemalloc"
    )
    return Row("allocations_per_step", statistics.fmean(held), "bytes/step", text, BATCH)


def growth(decisions: int) -> Row:
    """Measure how much the process grows over many decisions."""
    games = VectorGames(BATCH, table_size=15, seed=0)
    work = stepping(games)
    work()
    before, done = _resident(), 0
    while done < decisions:
        done += work()
    text = f"resident memory after {done:,} decisions less that before them"
    return Row("memory_growth", float(_resident() - before), "bytes", text, BATCH)


def _resident() -> int:
    """Bytes of memory in use; the most so far where the system does not tell the present use."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource  # not on every system

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
