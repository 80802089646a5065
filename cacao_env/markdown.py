"""Markdown tables, and pages whose tables stand between two marker lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from .files import read_text


def table(head: Sequence[object], rows: Iterable[Sequence[object]], align: str = "l") -> str:
    """Return a table; ``align`` has "l" or "r" for each column, the last letter for all others."""
    letters = align.ljust(len(head), align[-1])
    ruler = [{"l": "---", "r": "---:"}[letter] for letter in letters]
    return "\n".join(map(row, [head, ruler, *rows]))


def row(cells: Sequence[object]) -> str:
    """Return one row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def between_markers(page: str | Path, begin: str, end: str, text: str) -> str:
    """Return a page with ``text`` between its markers; ValueError if it has none or can't be read."""
    try:
        old = read_text(Path(page))
    except OSError as error:
        raise ValueError(f"{page} can't be read: {error.strerror}") from None
    before, first, rest = old.partition(begin)
    _, last, after = rest.partition(end)
    if not first or not last:
        raise ValueError(f"{page} has no lines {begin} and {end} to write a table between")
    return f"{before}{begin}\n\n{text}\n{end}{after}"
