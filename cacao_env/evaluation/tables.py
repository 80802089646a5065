"""Tables of an evaluation's figures as text, for the terminal and for Markdown pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .gold_sources import SOURCES

Row = Sequence[str]
Data = Mapping[str, Any]  # what campaign.document makes


def plain(head: Row, rows: Sequence[Row]) -> str:
    """Columns of equal width: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(head: Row, rows: Sequence[Row]) -> str:
    """The same for a Markdown page."""
    ruler = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ruler, *rows])


def ratings(data: Data, players: int) -> tuple[Row, list[Row]]:
    """Agents with their ratings, time a move and mean scores, best first."""
    scores = {r["agent"]: r for r in data["scores"] if r["players"] == players}
    rows: list[Row] = []
    for row in data["ratings"]:
        if row["players"] == players:
            time = [r for r in data["results"] if r["agent"] == row["agent"]]
            mean = [r["ms_per_move"] for r in time if r["players"] == players]
            rows.append(
                (
                    row["agent"],
                    f"{round(row['elo']):+d}",
                    elo_interval(row),
                    f"{scores[row['agent']]['score']:.1f}" if row["agent"] in scores else "",
                    milliseconds(sum(mean) / len(mean)) if mean else "",
                    f"{1000 * len(mean) / sum(mean):,.0f}" if mean and sum(mean) else "",
                )
            )
    return ("agent", "Elo", "95 %", "score", "ms a move", "decisions/s"), rows


def cross_table(data: Data, players: int) -> tuple[Row, list[Row]]:
    """Shares of wins of the row's agent against the column's, with their 95 % intervals."""
    found = {(r["agent"], r["field"]): r for r in data["results"] if r["players"] == players}
    agents = [r["agent"] for r in data["ratings"] if r["players"] == players]
    rows: list[Row] = []
    for agent in agents:
        cells: list[str] = [agent]
        for other in agents:
            result = found.get((agent, other))
            cells.append(share(result) if result else "·")
        rows.append(cells)
    return ("wins of … against", *agents), rows


def share(result: Data) -> str:
    """A share of wins with its interval, in percent."""
    return f"{result['win_share']:.1%} [{result['low']:.1%}, {result['high']:.1%}]"


def gold(data: Data, players: int) -> tuple[Row, list[Row]]:
    """Mean gold by source."""
    rows: list[Row] = [
        (r["agent"], *(gold_text(r["gold"][source]) for source in SOURCES), f"{r['score']:.1f}")
        for r in data["scores"]
        if r["players"] == players
    ]
    return ("gold from", *SOURCES, "score"), rows


def seats(data: Data, players: int) -> tuple[Row, list[Row]]:
    """What each seat is worth."""
    rows: list[Row] = [
        (
            str(r["seat"]),
            share(r),
            margin(r),
        )
        for r in data["seats"]
        if r["players"] == players
    ]
    return ("seat", "wins", "margin"), rows


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def signed(value: float) -> str:
    """A number with its sign and one decimal; what rounds to 0 is above it."""
    return f"{round(value, 1) + 0.0:+.1f}"


def gold_text(value: float) -> str:
    """Gold with one decimal; what rounds to 0 has no sign."""
    return f"{round(value, 1) + 0.0:.1f}"


def margin(row: Data) -> str:
    """A margin with its interval."""
    return f"{signed(row['margin'])} [{signed(row['margin_low'])}, {signed(row['margin_high'])}]"


def is_anchor(row: Data) -> bool:
    """Whether a rating is 0 because all others are counted from it."""
    return bool(row["low"] == row["high"] == 0)


def elo_interval(row: Data) -> str:
    """A rating's 95 % interval; open on the side where no game says how far it goes."""
    if is_anchor(row):
        return "fixed"
    if row["low"] is None:
        return f"below {round(row['high']):+d}"
    if row["high"] is None:
        return f"above {round(row['low']):+d}"
    return f"{round(row['low']):+d} to {round(row['high']):+d}"


def milliseconds(value: float) -> str:
    """A time with about three figures."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"
