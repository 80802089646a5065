"""Curves of a training run as a picture: strength, losses, speed over time."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure

from cacao_env.agents.checkpoint import write_whole

# Panels from left to right: title, how the names of their lines begin, upper and lower end.
_PANELS: tuple[tuple[str, str, tuple[float | None, float | None]], ...] = (
    ("wins against an anchor (95 %)", "wins_", (0.0, 1.0)),
    ("margin, gold", "margin_", (None, None)),
    ("losses", "loss_", (None, None)),
    ("speed", "per_second_", (0.0, None)),
)
_HALF = "_half_width"
# Told apart by people who see colours differently, and in print (Okabe and Ito).
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")


def draw(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write a PNG of all rows of ``metrics.jsonl``."""
    figure = Figure(figsize=(11, 6.2), layout="constrained")
    axes = figure.subplots(2, 2)
    for axis, (title, start, limits) in zip(axes.flat, _PANELS, strict=True):
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("minutes of training", fontsize=8)
        axis.tick_params(labelsize=8)
        axis.grid(alpha=0.3)
        names = dict.fromkeys(
            name for row in rows for name in row if name.startswith(start) and _HALF not in name
        )
        for name, colour in zip(names, _COLOURS * 3):
            _line(axis, rows, name, name.removeprefix(start).replace("_", " "), colour)
        axis.set_ylim(*limits)
        if start == "loss_":
            axis.set_yscale("symlog", linthresh=0.1)
        if names:
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
