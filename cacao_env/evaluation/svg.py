"""The few charts of the report, as SVG: one row a label, one scale below.

All are ``WIDTH`` units wide, about a phone's, and as high as their rows need; a page scales them to its
columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

WIDTH, ROW, TOP, BOTTOM = 400, 30, 8, 36
INK, FAINT, GRID, MAIN = "#222a33", "#66707c", "#e3e7ec", "#2b6cb0"
_LEFT_MOST, _CHARACTER = 160, 8.3  # wide letters of wide fonts must fit
Bar = tuple[str, float, str]  # source, length, colour


class Chart:
    """Rows with a label each over a linear scale from ``low`` to ``high``."""

    def __init__(
        self, labels: Sequence[str], low: float, high: float, what: str, row: int = ROW
    ) -> None:
        self._labels, self._row = labels, row
        longest = max(len(_short(label)) for label in labels)
        self.left = min(_LEFT_MOST, 14 + longest * _CHARACTER)
        self.low, self.high = low, high if high > low else low + 1
        self._parts: list[str] = []
        self._height = TOP + row * len(labels) + BOTTOM
        self._frame(what)

    def x(self, value: float) -> float:
        """Where a value stands."""
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        return self.left + share * (WIDTH - self.left - 12)

    def y(self, row: int) -> float:
        """The middle of a row."""
        return TOP + self._row * (row + 0.5)

    def _frame(self, what: str) -> None:
        bottom = self._height - BOTTOM
        for tick in ticks(self.low, self.high):
            at = self.x(tick)
            self.line(at, TOP, at, bottom, GRID)
            self.text(at, bottom + 15, f"{tick:g}", "middle", FAINT, 12)
        self.text(WIDTH - 12, bottom + 29, what, "end", FAINT, 12)
        for number, label in enumerate(self._labels):
            self.text(self.left - 8, self.y(number) + 4, _short(label), "end", INK, 13, label)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1
    ) -> None:
        """A straight line."""
        self._parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>'
        )

    def text(
        self, x: float, y: float, text: str, anchor: str, colour: str, size: int, title: str = ""
    ) -> None:
        """Words."""
        hint = f"<title>{escape(title)}</title>" if title and title != text else ""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
            f'font-size="{size}">{escape(text)}{hint}</text>'
        )

    def dot(self, row: int, value: float, low: float | None, high: float | None, hint: str) -> None:
        """A value with its interval; an open end runs to the rim as a dashed line."""
        y = self.y(row)
        for end, rim in ((low, self.low), (high, self.high)):
            dashes = ' stroke-dasharray="3 3"' if end is None else ""
            at = self.x(rim if end is None else end)
            self._parts.append(
                f'<line x1="{self.x(value):.1f}" y1="{y:.1f}" x2="{at:.1f}" y2="{y:.1f}" '
                f'stroke="{MAIN}" stroke-width="3" stroke-opacity=".45"{dashes}/>'
            )
        self._parts.append(
            f'<circle cx="{self.x(value):.1f}" cy="{y:.1f}" r="5" fill="{MAIN}">'
            f"<title>{escape(hint)}</title></circle>"
        )

    def mark(self, value: float) -> None:
        """A dashed line across all rows at a value of note."""
        at, bottom = self.x(value), self._height - BOTTOM
        self._parts.append(
            f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{bottom}" stroke="{FAINT}" '
            'stroke-dasharray="4 3"/>'
        )

    def stack(self, row: int, bars: Sequence[Bar]) -> None:
        """Bars end to end from 0: to the right those above 0, to the left those below."""
        y = self.y(row) - self._row * 0.32
        ends = {True: 0.0, False: 0.0}
        for name, length, colour in bars:
            begin = ends[length >= 0]
            ends[length >= 0] = begin + length
            x1, x2 = sorted((self.x(begin), self.x(begin + length)))
            self._parts.append(
                f'<rect x="{x1:.1f}" y="{y:.1f}" width="{x2 - x1:.1f}" '
                f'height="{self._row * 0.64:.1f}" fill="{colour}" stroke="#fff">'
                f"<title>{escape(name)}: {length:.1f}</title></rect>"
            )
            if x2 - x1 > 22:
                self.text(
                    (x1 + x2) / 2, self.y(row) + 4, f"{length:.0f}", "middle", _on(colour), 12
                )

    def hill(self, row: int, heights: Sequence[tuple[float, float]], top: float) -> None:
        """A filled curve over a row: (value, height) from left to right, ``top`` as high as a row."""
        base = self.y(row) + self._row * 0.42
        points = [
            f"{self.x(value):.1f},{base - height / top * self._row * 0.84:.1f}"
            for value, height in heights
        ]
        first, last = self.x(heights[0][0]), self.x(heights[-1][0])
        self._parts.append(
            f'<polygon points="{first:.1f},{base:.1f} {" ".join(points)} {last:.1f},{base:.1f}" '
            f'fill="{MAIN}" fill-opacity=".3" stroke="{MAIN}" stroke-width="1"/>'
        )

    def whole(self, title: str) -> str:
        """The chart as an element of a page."""
        return (
            f'<svg viewBox="0 0 {WIDTH} {self._height}" role="img" aria-label="{escape(title)}">'
            f"{''.join(self._parts)}</svg>"
        )


def ticks(low: float, high: float) -> list[float]:
    """A few round values between two."""
    span = high - low
    step = 10.0 ** len(str(int(span))) / 1000 if span >= 1 else 0.01
    while span / step > 6:
        for factor in (2, 2.5, 2):
            step *= factor
            if span / step <= 6:
                break
    first = -(-low // step)
    return [round((first + i) * step, 6) for i in range(8) if (first + i) * step <= high + 1e-9]


def _on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return INK if 0.3 * red + 0.59 * green + 0.11 * blue > 110 else "#fff"


def _short(label: str) -> str:
    """A label that fits its column: the end is what tells long names apart."""
    most = int((_LEFT_MOST - 14) / _CHARACTER)
    return label if len(label) <= most else "…" + label[-most + 1 :]
