"""The figures of an evaluation as tables, for terminal, page and Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..gold_sources import SOURCES
from ..tables import DataTable
from .intervals import percent, ranged
from .summary import Result, kind_of_game

Data = Mapping[str, Any]  # what run.run_evaluation returns, or a part of it
GOLD = "z.1f"  # the format of gold, never -0.0
MANY_RESULTS = 6  # more are shown only as a cross-table


def show(data: Data) -> str:
    """Return the figures as text for the terminal."""
    results = data["results"]
    parts = []
    if len(results) <= MANY_RESULTS:
        parts = [Result(**row).line() for row in results]
    kinds = [cross_table] * (len(results) > MANY_RESULTS) + [ratings, gold, seats]
    for own in by_players(data):
        parts.append(f"\n{heading(own)}")
        parts += [kind(own).text() + "\n" for kind in kinds]
        parts += helped(own)
    if data["sprt"]:
        parts.append(data["sprt"]["text"])
    return "\n".join(parts)


def by_players(data: Data) -> list[Data]:
    """Return the figures of each number of ``players``, ascending; the tables below take one."""
    kinds = ("results", "ratings", "seats", "scores")
    return [
        {
            **data,
            "players": players,
            **{kind: [row for row in data[kind] if row["players"] == players] for kind in kinds},
        }
        for players in sorted({row["players"] for row in data["results"]})
    ]


def heading(own: Data) -> str:
    """Return what was played, of the figures of one number of players."""
    return kind_of_game(own["players"], own["results"][0]["decisions"])


def helped(data: Data) -> list[str]:
    """Return a sentence for each result in which an agent was helped or forfeited games."""
    results = [Result(**row) for row in data["results"]]
    return [
        f"{r.agent} against {r.opponent}: {'; '.join(r.helped())}." for r in results if r.helped()
    ]


def ratings(data: Data) -> DataTable:
    """Return agents with their ratings, mean scores and time a move, best first."""
    scores = {r["agent"]: f"{r['score']:{GOLD}}" for r in data["scores"]}
    rows, counts = [], counted_names(data["results"])
    for row in data["ratings"]:
        agent = row["agent"]
        own = [r for r in data["results"] if r["agent"] == agent]
        mean = sum(r["ms_per_move"] for r in own) / max(1, len(own))
        cells = [agent, f"{round(row['elo']):+d}", elo_interval(row), scores.get(agent, "")]
        cells.append(milliseconds(mean) if own else "")
        cells.append(f"{1000 / mean:,.0f}" if mean else "")
        rows.append([*cells, *counted_cells(own, counts)])
    head = ("agent", "Elo", "95 %", "score", "ms a move", "decisions/s")
    return DataTable((*head, *(f"{name} a move" for name in counts)), rows)


def counted_names(results: Sequence[Data]) -> list[str]:
    """Return the names of what the agents of some results counted, such as tokens."""
    return list(dict.fromkeys(name for r in results for name in r.get("counts", {})))


def counted_cells(results: Sequence[Data], names: Sequence[str]) -> list[str]:
    """Return the mean of each count over an agent's results, ``""`` if it does not count that."""
    found = ([r["counts"][name] for r in results if name in r.get("counts", {})] for name in names)
    return [f"{sum(some) / len(some):.3g}" if some else "" for some in found]


def cross_table(data: Data) -> DataTable:
    """Return the win shares of the row's agent against the column's, with their intervals."""
    found = {(r["agent"], r["opponent"]): share(r) for r in data["results"]}
    agents = [r["agent"] for r in data["ratings"]]
    rows = [[agent, *(found.get((agent, other), "·") for other in agents)] for agent in agents]
    return DataTable(("wins of … against", *agents), rows)


def pairings(data: Data) -> DataTable:
    """Return everything about each pairing, agents in the order of their ratings."""
    order = [row["agent"] for row in data["ratings"]]
    results = sorted(
        data["results"], key=lambda r: (order.index(r["agent"]), order.index(r["opponent"]))
    )
    rows = [
        (
            *(r["agent"], r["opponent"], share(r), margin(r)),
            margin(r, "adjusted_margin") if r["luck"] else "–",
            *(f"{r['score']:{GOLD}}", milliseconds(r["ms_per_move"])),
            *(milliseconds(r["ms_per_placement"]), r["blocks"]),
        )
        for r in results
    ]
    names = ("wins", "margin", "margin less luck", "score", "ms a move", "ms a placement", "deals")
    return DataTable(("agent", "against", *names), rows)


def gold(data: Data, sources: Sequence[str] = SOURCES) -> DataTable:
    """Return the mean gold by source."""
    rows = [
        [r["agent"], *(f"{x:{GOLD}}" for x in (*(r["gold"][s] for s in sources), r["score"]))]
        for r in data["scores"]
    ]
    return DataTable(("gold from", *sources, "score"), rows)


def quantiles(data: Data) -> DataTable:
    """Return the quantiles of the final scores."""
    rows = [[r["agent"], *(f"{q:.0f}" for q in r["quantiles"])] for r in data["scores"]]
    return DataTable(("scores", "5 %", "25 %", "median", "75 %", "95 %"), rows)


def seats(data: Data) -> DataTable:
    """Return the results of each seat."""
    rows = [(r["seat"], share(r), margin(r)) for r in data["seats"]]
    return DataTable(("seat", "wins", "margin"), rows)


def share(row: Data) -> str:
    """Return a win share with its interval, in percent."""
    return percent(row["win_share"], row["low"], row["high"])


def margin(row: Data, name: str = "margin") -> str:
    """Return a margin with its interval."""
    return ranged(row[name], row[f"{name}_low"], row[f"{name}_high"])


def is_anchor(row: Data) -> bool:
    """Whether a rating is 0 because it is the anchor of all others."""
    return bool(row["low"] == row["high"] == 0)


def elo_interval(row: Data) -> str:
    """Return a rating's 95 % interval, which may be open at either end."""
    if is_anchor(row):
        return "fixed"
    if row["low"] is row["high"] is None:
        return "open"
    if row["low"] is None:
        return f"below {round(row['high']):+d}"
    if row["high"] is None:
        return f"above {round(row['low']):+d}"
    return f"{round(row['low']):+d} to {round(row['high']):+d}"


def milliseconds(value: float) -> str:
    """Return a time with about three figures."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"
