"""Tables that commands write into pages, between two marker lines."""

from __future__ import annotations

from pathlib import Path


def between_markers(page: str | Path, begin: str, end: str, text: str) -> str:
    """The page with ``text`` between its markers; ValueError if it has none or can't be read."""
    try:
        old = Path(page).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{page} can't be read: {error.strerror}") from None
    before, first, rest = old.partition(begin)
    _, last, after = rest.partition(end)
    if not first or not last:
        raise ValueError(f"{page} has not the lines {begin} and {end}, between which tables go")
    return f"{before}{begin}\n\n{text}\n{end}{after}"
