"""The charts of the report, by matplotlib as SVG: one row a label, one scale below.

A chart is about as wide as a phone (``WIDTH``) and as high as its rows need; the page scales it.  The
same figures give the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from typing import Any

WIDTH, ROW, TOP, BOTTOM = 400, 30, 8, 40
INK, FAINT, GRID, MAIN = "#222a33", "#5b6570", "#e3e7ec", "#2b6cb0"
_LONGEST = 20  # characters of a label that fit beside a chart
Bar = tuple[str, float, float | None, float | None]  # label, value, low end, high end; None: open


def intervals(title: str, rows: Sequence[Bar], at: float, room: float, what: str) -> str:
    """Draw values with their intervals and a dashed line ``at`` a value of note.

    An open end is dashed and runs to the rim.  ``room``: margin beyond the outermost end.
    """
    ends = [end for _, *values in rows for end in values if end is not None] + [at]
    low, high = min(ends) - room, max(ends) + room
    figure, axes = _axes([row[0] for row in rows], low, high, what)
    axes.axvline(at, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), clip_on=False)
    for number, (_, value, *both) in enumerate(rows):
        for end, rim in zip(both, (low, high)):
            style = (0, (1.2, 1.2)) if end is None else "-"
            ends = [value, rim if end is None else end]
            axes.plot(ends, [number] * 2, color=MAIN, linewidth=3, alpha=0.45, linestyle=style)
        axes.plot([value], [number], color=MAIN, marker="o", markersize=9)
    return _svg(figure, title)


def stacks(
    title: str, rows: Sequence[tuple[str, Sequence[float]]], colours: Sequence[str], what: str
) -> str:
    """Draw bars end to end from 0: amounts above 0 to the right, those below to the left."""
    low = min(sum(min(0, x) for x in amounts) for _, amounts in rows)
    high = max(sum(max(0, x) for x in amounts) for _, amounts in rows)
    figure, axes = _axes([label for label, _ in rows], low, high, what, 36)
    for number, (_, amounts) in enumerate(rows):
        ends = {True: 0.0, False: 0.0}
        for amount, colour in zip(amounts, colours, strict=True):
            begin = ends[amount >= 0]
            ends[amount >= 0] += amount
            axes.barh(number, amount, 0.64, begin, color=colour, edgecolor="white", linewidth=1)
            if abs(amount) / (high - low) > 0.08:
                middle = begin + amount / 2
                _write(axes, middle, number, f"{amount:.0f}", _ink_on(colour))
    axes.axvline(0, color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
    return _svg(figure, title)


def distributions(
    title: str, rows: Sequence[tuple[str, dict[int, int], Sequence[float]]], what: str
) -> str:
    """Draw (label, games by score, five quantiles): a smoothed histogram over its quantiles.

    The thick line is the middle half, the thin line goes from the first to the last quantile.
    """
    low = min(min(counts) for _, counts, _ in rows)
    high = max(max(counts) for _, counts, _ in rows)
    figure, axes = _axes([label for label, _, _ in rows], low, high, what, 54)
    scores = list(range(low, high + 1))
    curves = [_smooth(counts, scores) for _, counts, _ in rows]
    top = max(max(curve) for curve in curves)
    for number, ((_, _, quantiles), curve) in enumerate(zip(rows, curves, strict=True)):
        base = number + 0.42
        heights = [base - 0.84 * height / top for height in curve]
        axes.fill_between(scores, heights, base, color=MAIN, alpha=0.3, linewidth=0)
        axes.plot(scores, heights, color=MAIN, linewidth=1)
        axes.plot(quantiles[::4], [base] * 2, color=INK, linewidth=1.5)
        axes.plot(quantiles[1:4:2], [base] * 2, color=INK, linewidth=5)
        _write(axes, quantiles[2], base - 0.22, f"{quantiles[2]:.0f}", INK)
    return _svg(figure, title)


def _smooth(counts: dict[int, int], scores: Sequence[int]) -> list[float]:
    """Shares of games by score, each averaged with its neighbours (a triangle of five)."""
    total, weights = sum(counts.values()), (1, 2, 3, 2, 1)
    return [
        sum(w * counts.get(score + i - 2, 0) for i, w in enumerate(weights)) / 9 / total
        for score in scores
    ]


def _axes(
    labels: Sequence[str], low: float, high: float, what: str, row: int = ROW
) -> tuple[Any, Any]:
    """A figure, and axes whose row k is centred on y = k, the first at the top."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    high = high if high > low else low + 1
    short = [x if len(x) <= _LONGEST else "…" + x[1 - _LONGEST :] for x in labels]
    left = 14 + 7.6 * max(map(len, short))
    height = TOP + row * len(labels) + BOTTOM
    figure = Figure((WIDTH / 72, height / 72))  # a unit of the SVG is 1/72 inch
    width, tall = WIDTH - left - 12, height - TOP - BOTTOM
    axes = figure.add_axes((left / WIDTH, BOTTOM / height, width / WIDTH, tall / height))
    axes.set(xlim=(low, high), ylim=(len(labels) - 0.5, -0.5))
    axes.set_yticks(range(len(labels)), short, color=INK, fontsize=13)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(lambda tick, _: f"{tick:g}")
    axes.tick_params("x", labelcolor=FAINT, labelsize=12)
    axes.set_xlabel(what, loc="right", color=FAINT, fontsize=12)
    axes.tick_params(bottom=False, left=False)
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)
    return figure, axes


def _write(axes: Any, x: float, y: float, text: str, colour: str) -> None:
    axes.text(x, y, text, ha="center", va="center", color=colour, fontsize=12)


def _svg(figure: Any, title: str) -> str:
    """The figure as an element of a page, without what only a file of its own needs."""
    import matplotlib

    for artist in figure.findobj():
        artist.set_clip_on(False)
    figure.patch.set_visible(False)
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "cacao"}):
        figure.savefig(buffer, format="svg", metadata=nothing)
    text = buffer.getvalue()
    size = f'viewBox="0 0 {WIDTH} {round(72 * figure.get_figheight())}"'
    text = re.sub(r".*?<svg[^>]*>", "", text, count=1, flags=re.S)
    text = re.sub(r"<style.*?</style>|<metadata.*?</metadata>|<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r'<g id="[^"]*"', "<g", text).replace("xlink:href", "href")
    text = re.sub(r"(font: [0-9.]+px |font-family: )[^;\"]*", r"\1inherit", text)
    return f'<svg {size} role="img" aria-label="{escape(title)}">{text.strip()}'


def _ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return INK if 0.3 * red + 0.59 * green + 0.11 * blue > 110 else "#ffffff"
