"""Measure speed on this machine; each row says what it counts.  See docs/benchmark.md."""

from __future__ import annotations

from pathlib import Path

from tqdm import tqdm

from ..files import write_json, write_whole
from ..tables import between_markers
from . import peers as others
from .report import BEGIN, END, as_json, compare, read_json, table, what_ran
from .rows import all_rows, bandwidth_row
from .timing import Row, measure, yardstick


def run(
    seconds: float | None = None,
    json_file: str | None = None,
    quick: bool = False,
    compare_file: str | None = None,
    peers: bool = False,
    page: str | None = None,
) -> int:
    """Measure and print the table; returns 1 if a row is slower than in an earlier file, else 0.

    ``seconds``: time a row.  ``quick``: less time and fewer decisions.  ``json_file`` is written and
    ``compare_file`` read; the table between the markers of ``page`` is replaced.  ValueError for bad
    arguments, OSError for a file that can't be written.
    """
    if seconds is None:
        seconds = 0.25 if quick else 1.0
    if seconds <= 0:
        raise ValueError(f"--seconds is {seconds}, expected more than 0")
    earlier = None if compare_file is None else read_json(compare_file)
    if page is not None:
        between_markers(page, BEGIN, END, "")  # before anything is timed
    slices = 5 if quick else 9
    print(what_ran())
    print(
        f"medians of {slices} slices, {seconds:g} s a row; bytes: observation + mask, GB/s: of them"
    )
    yard = Row("yardstick", "rounds/s", "a fixed workload, to compare runs by", yardstick)
    found = [*measure([bandwidth_row(), yard], seconds, slices)]
    bandwidth = found[0].value
    skipped: dict[str, str] = {}
    with tqdm(unit="row", disable=None, leave=False) as bar:
        for row in all_rows(seconds, slices, quick):
            found.append(row)
            bar.set_description(row.name)
            bar.update()
    if peers:
        more, skipped = others.rows(seconds)
        found += more
    print(f"\n{table(found, bandwidth).text()}")
    for name, reason in skipped.items():
        print(f"{name} skipped: {reason}")
    if json_file is not None:
        write_json(Path(json_file), as_json(found, skipped, bandwidth), pipes=True)
    if page is not None:
        left_out = "".join(f" {name} was skipped: {reason}." for name, reason in skipped.items())
        text = f"{table(found, bandwidth).markdown()}\n\n{what_ran()}.{left_out}\n"
        write_whole(Path(page), between_markers(page, BEGIN, END, text))
    if earlier is None:
        return 0
    lines, slow = compare(found, earlier)
    print("\n".join([f"\ncompared with {compare_file}, by the yardstick:", *lines]))
    return int(slow)
