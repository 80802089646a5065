"""Time rows in slices, beside a yardstick that never changes; a row's value is the median slice.

The machine may be shared and its clock may vary.  Seconds are therefore those of the thread, rows that
are compared take turns, slice by slice, and every slice follows a short one of the yardstick.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ...engine.jit import njit

YARDSTICK_SECONDS = 0.004
Work = Callable[[], int]  # does a piece of work and returns its amount


@dataclass
class Row:
    """A row of the table: ``value`` in ``unit``, and what is counted.

    ``yardstick``: rounds/s of the fixed workload while the row was timed, 0 if it was not timed.
    ``of_ceiling``: the share that it reaches of its ceiling, if it has one.  Bytes are for each thing
    that is counted.
    """

    name: str
    unit: str
    counts: str
    work: Work | None = None
    batch: int = 1
    threads: int = 1
    observation_bytes: int = 0
    mask_bytes: int = 0
    value: float = 0.0
    yardstick: float = 0.0
    of_ceiling: float | None = None

    @property
    def bytes_per_second(self) -> float:
        """Observations and masks written, bytes/s."""
        return self.value * (self.observation_bytes + self.mask_bytes)


def pieces(endless: Iterator[int], count: int) -> Work:
    """Return work whose pieces are the next ``count`` steps of a generator of amounts."""
    return lambda: sum(islice(endless, count))


@njit
def turn_yardstick(table, rounds):
    """A fixed workload that uses nothing of the engine: look-ups, branches and writes at random.

    ``table``: int64 (4096,), 32 KiB.  Never change it: comparisons over time rest on it.
    """
    x = np.int64(88172645463325252)
    total = 0
    for _ in range(rounds):
        x ^= x << 13
        x ^= (x >> 7) & 0x1FFFFFFFFFFFFFF
        x ^= x << 17
        place = x & 4095
        if table[place] & 1:
            table[place] += x & 255
        else:
            total += table[place]
            table[(place * 7) & 4095] ^= 1
    return total


_TABLE = np.arange(4096, dtype=np.int64)
_ROUNDS = 20_000


def yardstick() -> int:
    """A piece of the fixed workload; returns its rounds."""
    turn_yardstick(_TABLE, _ROUNDS)
    return _ROUNDS


def rate_once(work: Work, seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return what ``work`` does per second, over at least ``seconds``."""
    done, begin = 0, clock()
    while True:
        done += work()
        passed = clock() - begin
        if passed >= seconds:
            return done / passed


def measure(rows: Sequence[Row], seconds: float, slices: int) -> Sequence[Row]:
    """Write the rows' values, medians of slices taken in turns, and return them; each runs once before.

    Seconds are those of this thread, which a busy neighbour does not lengthen; or those on the wall as
    soon as one of the rows has several threads.
    """
    works = [row.work for row in rows if row.work is not None]
    for work in (*works, yardstick):
        work()
    clock = time.thread_time if all(row.threads == 1 for row in rows) else time.perf_counter
    rates: list[list[float]] = [[] for _ in rows]
    sticks: list[list[float]] = [[] for _ in rows]
    for _ in range(slices):
        for work, found, stick in zip(works, rates, sticks, strict=True):
            stick.append(rate_once(yardstick, YARDSTICK_SECONDS, time.thread_time))
            found.append(rate_once(work, seconds / slices, clock))
    for row, found, stick in zip(rows, rates, sticks, strict=True):
        row.value, row.yardstick = statistics.median(found), statistics.median(stick)
    return rows
