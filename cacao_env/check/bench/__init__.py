"""Measure speed on this machine; each row says what it counts.  See docs/benchmark.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ...checks import as_path
from ...engine.progress import Bar
from ...files import read_json, write_whole
from ...provenance import machine, provenance, versions
from ...tables import DataTable, between_markers
from . import peers as others
from .rows import all_rows, bandwidth_row
from .timing import Row, measure, yardstick

SLOWER = 0.8  # of the earlier value, after normalising: less than this is marked
BEGIN, END = "<!-- bench -->", "<!-- end of bench -->"  # lines of a page around the table
HEAD = ("row", "value", "unit", "batch", "threads", "bytes", "GB/s", "share of write", "counted")


def run(
    seconds: float | None = None,
    quick: bool = False,
    compare_file: str | None = None,
    peers: bool = False,
    page: str | None = None,
) -> tuple[int, dict[str, Any]]:
    """Measure and print the table.

    Returns 1 if a row is slower than in an earlier file, else 0, and the rows as data.  ``seconds``:
    time a row.  ``quick``: less time and fewer decisions.  ``compare_file`` is read; the table between
    the markers of ``page`` is replaced.  ValueError for bad arguments, OSError for a page that can't be
    written.
    """
    if seconds is None:
        seconds = 0.25 if quick else 1.0
    if not 0 < seconds < float("inf"):
        raise ValueError(f"--seconds is {seconds}, expected more than 0")
    earlier = None if compare_file is None else read_rows(compare_file)
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
    with Bar(unit="row", leave=False) as bar:
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
    if page is not None:
        left_out = "".join(f" {name} was skipped: {reason}." for name, reason in skipped.items())
        text = f"{table(found, bandwidth).markdown()}\n\n{what_ran()}.{left_out}\n"
        write_whole(as_path(page), between_markers(page, BEGIN, END, text))
    lines, slow = ([], False) if earlier is None else compare(found, earlier)
    if earlier is not None:
        print("\n".join([f"\ncompared with {compare_file}, by the yardstick:", *lines]))
    return int(slow), as_json(found, skipped, bandwidth)


def what_ran() -> str:
    """Return the versions and the machine in one line."""
    about = ", ".join(f"{name} {found}" for name, found in versions().items())
    here = machine()
    return f"{about}; {here['processor']}, {here['cores']} cores, {here['system']}"


def table(rows: Sequence[Row], bandwidth: float) -> DataTable:
    """Return the table; ``bandwidth`` in bytes/s."""
    return DataTable(HEAD, [_cells(row, bandwidth) for row in rows], "lrlrrrrrl")


def _cells(row: Row, bandwidth: float) -> list[object]:
    value = f"{row.value:,.2f}" if row.unit == "times" else f"{row.value:,.0f}"
    sizes = ["", "", ""]
    if row.observation_bytes:
        sizes = [
            f"{row.observation_bytes:,}+{row.mask_bytes:,}",
            f"{row.bytes_per_second / 1e9:.1f}",
            f"{row.bytes_per_second / bandwidth:.0%}",
        ]
    share = "" if row.of_ceiling is None else f"{row.of_ceiling:.2f} of its ceiling; "
    return [row.name, value, row.unit, row.batch, row.threads, *sizes, share + row.counts]


def as_json(rows: Sequence[Row], skipped: dict[str, str], bandwidth: float) -> dict[str, Any]:
    """Return the rows, and what was skipped, as plain data."""
    found = []
    for row in rows:
        entry = asdict(row)
        del entry["work"]
        entry["bytes_per_second"] = row.bytes_per_second
        entry["bandwidth_share"] = row.bytes_per_second / bandwidth
        found.append(entry)
    return {"rows": found, "skipped": skipped, **provenance()}


def read_rows(path: str) -> dict[str, dict[str, Any]]:
    """Return the entries of an earlier run by name; ValueError for any other file."""
    data = read_json(as_path(path), "what bench --json wrote")
    try:
        found = {row["name"]: {**row, "value": float(row["value"])} for row in data["rows"]}
    except (ValueError, TypeError, KeyError):
        found = {}
    if not any(entry.get("yardstick") for entry in found.values()):
        raise ValueError(f"{path} has no rows with a yardstick, expected what bench --json wrote")
    return found


def compare(rows: Sequence[Row], earlier: dict[str, dict[str, Any]]) -> tuple[list[str], bool]:
    """Return lines that compare rows with an earlier run, and whether a row is too slow.

    Rates are divided by that of the yardstick, which is timed beside each of them, so a different or
    busy machine does not count as a change.  Rows of other units and of peers are left out.
    """
    lines, slow = [], False
    for row in rows:
        if not row.yardstick or not row.unit.endswith("/s") or row.name.startswith("peer."):
            continue
        if row.name in ("yardstick", "write_bandwidth"):
            continue
        old = earlier.get(row.name, {})
        if not old.get("yardstick") or not old["value"]:
            lines.append(f"{row.name:<30} not in the earlier file")
            continue
        ratio = row.value / row.yardstick / (old["value"] / old["yardstick"])
        mark = f"  SLOWER by more than {1 - SLOWER:.0%}" if ratio < SLOWER else ""
        slow = slow or bool(mark)
        lines.append(f"{row.name:<30} {ratio:>6.2f} times as fast{mark}")
    return lines, slow
