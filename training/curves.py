"""Draw the metrics of a run as a picture: strength, losses and speed over time."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from cacao_env.files import write_whole

# Panels from left to right: title, pattern of the metrics that they show, lower and upper end.
_PANELS: tuple[tuple[str, str, tuple[float | None, float | None]], ...] = (
    ("win share (95 %)", "wins_(.+)", (0.0, 1.0)),
    ("margin, gold", "margin_(.+)", (None, None)),
    ("losses", "loss_(.+)", (None, None)),
    ("speed, per second", "(.+)_per_second", (0.0, None)),
)
_HALF = "_half_width"
# Distinct for colour-blind people and in print (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")


def draw(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write a PNG of all rows of ``metrics.jsonl``."""
    figure = Figure(figsize=(11, 6.2), layout="constrained")
    axes = figure.subplots(2, 2)
    for axis, (title, pattern, limits) in zip(axes.flat, _PANELS, strict=True):
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("minutes of training", fontsize=8)
        axis.tick_params(labelsize=8)
        axis.grid(alpha=0.3)
        names = dict.fromkeys(name for row in rows for name in row if not name.endswith(_HALF))
        found = [match for name in names if (match := re.fullmatch(pattern, name))]
        for match, colour in zip(found, COLOURS * 3):
            _line(axis, rows, match[0], match[1].replace("_", " "), colour)
        axis.set_ylim(*limits)
        if title == "losses":
            axis.set_yscale("symlog", linthresh=0.1)
        if found:
            axis.legend(fontsize=8, loc="best", framealpha=0.6)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=100)
    write_whole(path, picture.getvalue())


def _line(axis: Any, rows: Sequence[dict[str, Any]], name: str, label: str, colour: str) -> None:
    found = [row for row in rows if name in row]
    minutes = [row["seconds"] / 60 for row in found]
    values = [row[name] for row in found]
    axis.plot(minutes, values, label=label, color=colour, linewidth=1.4)
    if found and name + _HALF in found[0]:
        low = [value - row[name + _HALF] for value, row in zip(values, found, strict=True)]
        high = [value + row[name + _HALF] for value, row in zip(values, found, strict=True)]
        axis.fill_between(minutes, low, high, color=colour, alpha=0.15, linewidth=0)
