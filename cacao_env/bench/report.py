"""The table on the screen and in a page, the JSON file, and the comparison with an earlier one."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..files import read_text
from ..markdown import between_markers, table
from ..provenance import machine, versions
from .timing import Row

SLOWER = 0.8  # of the earlier value, after normalising: less than this is marked
BEGIN, END = "<!-- bench -->", "<!-- end of bench -->"  # lines of a page around the table


def what_ran() -> str:
    """Return the versions and the machine in one line."""
    about = ", ".join(f"{name} {found}" for name, found in versions().items())
    here = machine()
    return f"{about}; {here['processor']}, {here['cores']} cores, {here['system']}"


HEAD = (
    f"{'row':<30} {'value':>14} {'unit':<12} {'batch':>5} {'threads':>7} {'bytes':>13} "
    f"{'GB/s':>5} {'write':>6}  what is counted"
)


def line(row: Row, bandwidth: float) -> str:
    """Return a row as one line of the table, under ``HEAD``; ``bandwidth`` in bytes/s."""
    value, unit, batch, threads, size, speed, share, text = _cells(row, bandwidth)
    return (
        f"{row.name:<30} {value:>14} {unit:<12} {batch:>5} {threads:>7} {size:>13} "
        f"{speed:>5} {share:>6}  {text}"
    )


def _cells(row: Row, bandwidth: float) -> list[str]:
    """The cells of a row beside its name."""
    value = f"{row.value:,.2f}" if row.unit == "times" else f"{row.value:,.0f}"
    size = speed = share = ""
    if row.observation_bytes:
        size = f"{row.observation_bytes:,}+{row.mask_bytes:,}"
        speed = f"{row.bytes_per_second / 1e9:.1f}"
        share = f"{row.bytes_per_second / bandwidth:.0%}" if bandwidth else ""
    text = row.counts
    if row.of_ceiling is not None:
        text = f"{row.of_ceiling:.2f} of its ceiling; {text}"
    return [value, row.unit, str(row.batch), str(row.threads), size, speed, share, text]


def markdown(rows: Sequence[Row], skipped: dict[str, str], bandwidth: float) -> str:
    """Return the table for a page, with what ran below it."""
    head = [
        "row",
        "value",
        "unit",
        "batch",
        "threads",
        "bytes",
        "GB/s",
        "share of write",
        "counted",
    ]
    cells = [[f"`{row.name}`", *_cells(row, bandwidth)] for row in rows]
    left_out = "".join(f" {name} was skipped: {reason}." for name, reason in skipped.items())
    return f"{table(head, cells, 'lrlrrrrrl')}\n\n{what_ran()}.{left_out}\n"


def into_page(path: str, table: str) -> str:
    """Return a page with the table between its markers; ValueError if it has no markers."""
    return between_markers(path, BEGIN, END, table)


def as_json(rows: Sequence[Row], skipped: dict[str, str], bandwidth: float) -> list[dict[str, Any]]:
    """Return the rows as plain data; the first entry is about the run."""
    about = {
        "name": "versions",
        "value": os.cpu_count() or 0,
        "unit": "CPUs",
        "counts": "what ran, and what was left out",
        "versions": versions(),
        "machine": machine(),
        "skipped": skipped,
    }
    found: list[dict[str, Any]] = [about]
    for row in rows:
        entry = asdict(row)
        if row.observation_bytes:
            entry["bytes_per_second"] = row.bytes_per_second
            entry["bandwidth_share"] = row.bytes_per_second / bandwidth if bandwidth else None
        found.append(entry)
    return found


def read_json(path: str) -> dict[str, dict[str, Any]]:
    """Return the entries of an earlier run by name; ValueError for any other file."""
    try:
        entries = json.loads(read_text(Path(path)))
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from None
    except ValueError:
        raise ValueError(f"{path} is not JSON, expected what bench --json wrote") from None
    fine = isinstance(entries, list) and all(
        isinstance(entry, dict) and "name" in entry and isinstance(entry.get("value"), int | float)
        for entry in entries
    )
    if not fine or not any(entry.get("yardstick") for entry in entries):
        raise ValueError(f"{path} has no rows with a yardstick, expected what bench --json wrote")
    return {entry["name"]: entry for entry in entries}


def compare(rows: Sequence[Row], earlier: dict[str, dict[str, Any]]) -> tuple[list[str], bool]:
    """Return lines that compare rows with an earlier run, and whether a row is too slow.

    Rates are divided by that of the yardstick, which is timed beside each of them, so a different or
    busy machine does not count as a change.  Rows of other units and of peers are left out.
    """
    lines, slow = [], False
    for row in rows:
        old = earlier.get(row.name)
        if not row.yardstick or not row.unit.endswith("/s") or row.name.startswith("peer."):
            continue
        if row.name in ("yardstick", "write_bandwidth"):
            continue
        if old is None or not old.get("yardstick") or not old["value"]:
            lines.append(f"{row.name:<30} not in the earlier file")
            continue
        now, before = row.value / row.yardstick, old["value"] / old["yardstick"]
        mark = ""
        if now < SLOWER * before:
            mark, slow = f"  SLOWER by more than {1 - SLOWER:.0%}", True
        lines.append(f"{row.name:<30} {now / before:>6.2f} times as fast{mark}")
    return lines, slow
