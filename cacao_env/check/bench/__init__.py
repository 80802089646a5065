"""Measure speed on this machine.  docs/benchmark.md tells what each row counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ...engine.progress import Bar
from ...provenance import machine, provenance, versions
from ...tables import DataTable, read_between, write_between
from .rows import all_rows, bandwidth_row
from .timing import Row, measure

HEAD = ("row", "value", "unit", "batch", "threads", "bytes", "GB/s", "share of write", "of ceiling")


def run(
    seconds: float | None = None, quick: bool = False, page: str | None = None
) -> dict[str, Any]:
    """Measure and print the table; return the rows as data.

    ``seconds``: time a row.  ``quick``: less time.  The table between the markers of ``page`` is
    replaced.  ValueError for bad arguments, OSError for a page that can't be written.
    """
    if seconds is None:
        seconds = 0.25 if quick else 1.0
    if not 0 < seconds < float("inf"):
        raise ValueError(f"--seconds is {seconds}, expected more than 0")
    if page is not None:
        read_between(page)  # before anything is timed
    slices = 5 if quick else 9
    print(what_ran())
    print(
        f"medians of {slices} slices, {seconds:g} s a row; bytes: observation + mask, GB/s: of them"
    )
    found = [*measure([bandwidth_row()], seconds, slices)]
    bandwidth = found[0].value
    with Bar(unit="row", leave=False) as bar:
        for row in all_rows(seconds, slices):
            found.append(row)
            bar.set_description(row.name)
            bar.update()
    print(f"\n{table(found, bandwidth).text()}")
    if page is not None:
        write_between(page, f"{table(found, bandwidth).markdown()}\n\n{what_ran()}.\n")
    return as_json(found, bandwidth)


def what_ran() -> str:
    """Return the versions and the machine in one line."""
    about = ", ".join(f"{name} {found}" for name, found in versions().items())
    here = machine()
    return f"{about}; {here['processor']}, {here['cores']} cores, {here['system']}"


def table(rows: Sequence[Row], bandwidth: float) -> DataTable:
    """Return the table; ``bandwidth`` in bytes/s."""
    return DataTable(HEAD, [_cells(row, bandwidth) for row in rows], "lrlr")


def _cells(row: Row, bandwidth: float) -> list[object]:
    value = f"{row.value:,.2f}" if row.unit == "times" else f"{row.value:,.0f}"
    sizes = ["", "", ""]
    if row.observation_bytes:
        sizes = [
            f"{row.observation_bytes:,}+{row.mask_bytes:,}",
            f"{row.bytes_per_second / 1e9:.1f}",
            f"{row.bytes_per_second / bandwidth:.0%}",
        ]
    share = "" if row.of_ceiling is None else f"{row.of_ceiling:.2f}"
    return [row.name, value, row.unit, row.batch, row.threads, *sizes, share]


def as_json(rows: Sequence[Row], bandwidth: float) -> dict[str, Any]:
    """Return the rows as plain data."""
    found = []
    for row in rows:
        entry = asdict(row)
        del entry["work"]
        entry["bytes_per_second"] = row.bytes_per_second
        entry["bandwidth_share"] = row.bytes_per_second / bandwidth
        found.append(entry)
    return {"rows": found, **provenance()}
