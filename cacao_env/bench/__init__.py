"""Measure speed on this machine; each row says what it counts.  See docs/benchmark.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..files import write_json, write_whole
from .aec import groups as aec_groups
from .batch import gym_group, playout_group, search_group, step_groups, threads_group
from .memory import allocations, bandwidth_task, growth
from .peers import rows as peer_rows
from .report import (
    HEAD,
    as_json,
    compare,
    into_page,
    line,
    markdown,
    read_json,
    what_ran,
)
from .timing import Row, Task, measure, yardstick

SECONDS, SLICES = 1.0, 9
QUICK_SECONDS, QUICK_SLICES = 0.25, 5


def run(
    seconds: float | None = None,
    json_file: str | None = None,
    quick: bool = False,
    compare_file: str | None = None,
    peers: bool = False,
    page: str | None = None,
) -> int:
    """Print the table row by row; returns 1 if a row is slower than in an earlier file, else 0.

    ``seconds``: time a row.  ``quick``: less time and fewer decisions.  ``json_file`` is written and
    ``compare_file`` read; the table between the markers of ``page`` is replaced.  ValueError for bad
    arguments, OSError for a file that can't be written.
    """
    if seconds is None:
        seconds = QUICK_SECONDS if quick else SECONDS
    if seconds <= 0:
        raise ValueError(f"--seconds is {seconds}, expected more than 0")
    earlier = None if compare_file is None else read_json(compare_file)
    if page is not None:
        into_page(page, "")  # before anything is timed
    slices = QUICK_SLICES if quick else SLICES
    print(what_ran())
    print(
        f"medians of {slices} slices, {seconds:g} s a row; bytes: observation + mask, GB/s: of them"
    )
    print(f"write: share of write_bandwidth\n\n{HEAD}")
    yard = Task("yardstick", "rounds/s", "a fixed workload, to compare runs by", yardstick)
    found = measure([bandwidth_task(), yard], seconds, slices)
    bandwidth = found[0].value
    for row in found:
        print(line(row, bandwidth))
    skipped: dict[str, str] = {}
    for row in _rows(seconds, slices, quick):
        print(line(row, bandwidth), flush=True)
        found.append(row)
    if peers:
        others, why_not = peer_rows(seconds)
        skipped.update(why_not)
        for row in others:
            print(line(row, bandwidth))
        found += others
    for name, reason in skipped.items():
        print(f"{name:<30} skipped: {reason}")
    if json_file is not None:
        write_json(Path(json_file), as_json(found, skipped, bandwidth), pipes=True)
    if page is not None:
        write_whole(Path(page), into_page(page, markdown(found, skipped, bandwidth)))
    if earlier is None:
        return 0
    lines, slow = compare(found, earlier)
    print(f"\ncompared with {compare_file}, by the yardstick:")
    print("\n".join(lines))
    return int(slow)


def _rows(seconds: float, slices: int, quick: bool) -> Iterator[Row]:
    """Yield all rows of this package, each when it is ready."""
    for group in step_groups():
        yield from measure(group, seconds, slices)
    yield from measure(playout_group(), seconds, slices)
    yield from measure(search_group(), seconds, slices)
    one, two = measure(threads_group(), seconds, slices)
    yield from (one, two)
    text = f"threads.2 over threads.1: the same batch of {two.batch:,} games stepped by two threads"
    speedup = Row("threads_speedup.p2.t15", two.value / one.value, "times", text)
    speedup.batch, speedup.threads = two.batch, two.threads
    yield speedup
    for group in aec_groups():
        ours, ceiling = measure(group, 2 * seconds, slices)
        ours.of_ceiling = ours.value / ceiling.value
        yield from (ours, ceiling)
    yield from measure(gym_group(), seconds, slices)
    yield allocations(10_000 if quick else 100_000)
    yield growth(1_000_000 if quick else 10_000_000)
