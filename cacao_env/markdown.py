"""Markdown tables, and pages whose tables stand between two marker lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path


def table(head: Sequence[object], rows: Iterable[Sequence[object]], left: int | None = None) -> str:
    """Return a table; the first ``left`` columns are left-aligned (None: all), the others right."""
    left = len(head) if left is None else left
    ruler = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ruler, *rows])


def between_markers(page: str | Path, begin: str, end: str, text: str) -> str:
    """Return a page with ``text`` between its markers; ValueError if it has none or can't be read."""
    try:
        old = Path(page).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{page} can't be read: {error.strerror}") from None
    before, first, rest = old.partition(begin)
    _, last, after = rest.partition(end)
    if not first or not last:
        raise ValueError(f"{page} has no lines {begin} and {end} to write a table between")
    return f"{before}{begin}\n\n{text}\n{end}{after}"
