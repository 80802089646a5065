"""One kind of table, printed as text, Markdown or HTML, and pages with tables between two markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .checks import as_path
from .files import read_text, write_whole

BEGIN, END = "<!-- results -->", "<!-- end of results -->"  # lines of a page around its tables


@dataclass(frozen=True)
class DataTable:
    """Cells of text, row by row; ``align`` has "l" or "r" a column, the last letter for all others."""

    head: Sequence[object]
    rows: Sequence[Sequence[object]]
    align: str = "lr"

    def text(self) -> str:
        """Return the table for the terminal."""
        every = [[str(cell) for cell in cells] for cells in (self.head, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*every, strict=True)]
        lines = []
        for one in every:
            pads = zip(one, widths, self._letters(), strict=True)
            cells = [cell.ljust(n) if letter == "l" else cell.rjust(n) for cell, n, letter in pads]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the table for a page in Markdown."""
        ruler = [{"l": "---", "r": "---:"}[letter] for letter in self._letters()]
        return "\n".join(map(row, (self.head, ruler, *self.rows)))

    def html(self, kind: str = "", colours: Mapping[tuple[int, int], str] | None = None) -> str:
        """Return the table for a page in HTML.

        Further lines of a cell are small.  ``colours``: the background of cells, by (row, column).
        """
        top = "".join(f"<th>{escape(str(cell))}</th>" for cell in self.head)
        body = []
        for number, given in enumerate(self.rows):
            cells = []
            for column, cell in enumerate(given):
                colour = (colours or {}).get((number, column))
                style = f' style="background:{colour}"' if colour else ""
                first, *others = escape(str(cell)).split("\n")
                small = "".join(f"<small>{line}</small>" for line in others)
                cells.append(f"<td{style}>{first}{small}</td>")
            body.append(f"<tr>{''.join(cells)}</tr>")
        named = f' class="{kind}"' if kind else ""
        return (
            f'<div class="scroll"><table{named}><thead><tr>{top}</tr></thead>'
            f"<tbody>{''.join(body)}</tbody></table></div>"
        )

    def _letters(self) -> str:
        return self.align.ljust(len(self.head), self.align[-1])


def row(cells: Sequence[object]) -> str:
    """Return one row of a table in Markdown."""
    return f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


def write_between(page: str | Path, text: str) -> None:
    """Write ``text`` between the markers of a page; ValueError if it has none or can't be read."""
    before, _, after = _parts(page)
    write_whole(as_path(page), f"{before}{BEGIN}\n\n{text}\n{END}{after}")


def read_between(page: str | Path) -> str:
    """Return what stands between the markers of a page; ValueError as for :func:`write_between`."""
    return _parts(page)[1]


def _parts(page: str | Path) -> tuple[str, str, str]:
    before, first, rest = read_text(as_path(page), ValueError).partition(BEGIN)
    within, last, after = rest.partition(END)
    if not first or not last:
        raise ValueError(f"{page} has no lines {BEGIN} and {END} to write a table between")
    return before, within, after
