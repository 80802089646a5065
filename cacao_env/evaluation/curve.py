"""Strength by time to think: an agent's search with several times, each against the same opponent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..tables import DataTable
from . import figures
from .charts import FAINT, GRID, INK, MAIN
from .run import Plan, make_plan

HOME = Path("runs/curve")
TIMES = (1, 4, 16, 64)  # milliseconds a placement


def plans(agent: str, opponent: str, times: Sequence[int], **more: Any) -> list[Plan]:
    """Return the plan of each time, in milliseconds; ``more`` as for ``make_plan``."""
    if not times or min(times) < 1:
        raise ValueError(f"--ms is {','.join(map(str, times))}, expected numbers of at least 1")
    if "+" in agent:
        raise ValueError(f"{agent!r} has a search already, expected the name of a value network")
    return [make_plan([f"{agent}+search:ms={ms}"], against=[opponent], **more) for ms in times]


def show(found: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table."""
    head = ("agent", "against", "ms a placement", "wins", "less luck", "margin less luck", "deals")
    rows = [
        (
            *(one["agent"], one["opponent"], f"{one['ms_per_placement']:.1f}"),
            *(figures.share(one), figures.share(one, "adjusted_")),
            *(figures.margin(one, "adjusted_margin"), one["blocks"]),
        )
        for one in found
    ]
    return DataTable(head, rows, "llr").markdown()


def draw(found: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write a picture: win shares less luck, with 95 % intervals, over milliseconds a placement."""
    from matplotlib.figure import Figure

    times = [max(0.01, one["ms_per_placement"]) for one in found]
    middle = [100 * one["adjusted_win_share"] for one in found]
    ends = [(100 * one["adjusted_low"], 100 * one["adjusted_high"]) for one in found]
    figure = Figure((6.4, 4.0))
    axes = figure.add_subplot()
    axes.set_xscale("log")
    axes.axhline(100 / found[0]["players"], color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
    axes.plot(times, middle, color=MAIN, marker="o", markersize=7)
    for at, (low, high) in zip(times, ends, strict=True):
        axes.plot([at, at], [low, high], color=MAIN, linewidth=3, alpha=0.45)
    for at, value, (_, high) in zip(times, middle, ends, strict=True):
        axes.annotate(
            f"{value:.1f} %", (at, high), (0, 6), textcoords="offset points", ha="center", color=INK
        )
    axes.margins(x=0.12, y=0.15)
    axes.set_xticks(times, [f"{at:,.0f}" if at >= 10 else f"{at:.1f}" for at in times], color=FAINT)
    axes.set_xticks([], minor=True)
    axes.tick_params(colors=FAINT, length=0)
    axes.set_xlabel("milliseconds a placement", color=FAINT)
    axes.set_ylabel("win share less luck, %", color=FAINT)
    base, against = found[0]["agent"].partition("+")[0], found[0]["opponent"]
    axes.set_title(f"{base} with search against {against}", color=INK)
    axes.grid(axis="y", color=GRID)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
