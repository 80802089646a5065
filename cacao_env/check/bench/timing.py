"""Time rows in slices; a row's value is the median slice.

The machine may be shared.  Seconds are therefore those of the thread, and rows that are compared take
turns, slice by slice.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

Work = Callable[[], int]  # does a piece of work and returns its amount


@dataclass
class Row:
    """A row of the table: ``value`` in ``unit``.

    ``of_ceiling``: the share that it reaches of its ceiling, if it has one.  Bytes are for each thing
    that is counted.
    """

    name: str
    unit: str
    work: Work | None = None
    batch: int = 1
    threads: int = 1
    observation_bytes: int = 0
    mask_bytes: int = 0
    value: float = 0.0
    of_ceiling: float | None = None

    @property
    def bytes_per_second(self) -> float:
        """Observations and masks written, bytes/s."""
        return self.value * (self.observation_bytes + self.mask_bytes)


def pieces(endless: Iterator[int], count: int) -> Work:
    """Return work whose pieces are the next ``count`` steps of a generator of amounts."""
    return lambda: sum(islice(endless, count))


def rate_once(work: Work, seconds: float, clock: Callable[[], float]) -> float:
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
    for work in works:
        work()
    clock = time.thread_time if all(row.threads == 1 for row in rows) else time.perf_counter
    rates: list[list[float]] = [[] for _ in rows]
    for _ in range(slices):
        for work, found in zip(works, rates, strict=True):
            found.append(rate_once(work, seconds / slices, clock))
    for row, found in zip(rows, rates, strict=True):
        row.value = statistics.median(found)
    return rows
