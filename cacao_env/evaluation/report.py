"""An evaluation as one HTML page: no script, nothing loaded, readable on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from importlib.util import find_spec

from ..tables import DataTable
from . import charts, figures
from .figures import Data
from .intervals import counted

# Okabe and Ito's colours, adjusted to differ in lightness too, for any kind of colour vision.
COLOURS = {
    "sales": "#5a3a22",
    "mines": "#e69f00",
    "volcanoes": "#c44601",
    "water": "#56b4e9",
    "sun": "#f0e442",
    "temples": "#00835f",
}
SIDE_BY_SIDE = 4  # agents; a larger table of who beats whom takes the page's width
CHARTS = find_spec("matplotlib") is not None
NO_CHARTS = "Charts need matplotlib: pip install 'cacao-env[evaluate]'."


def page(data: Data) -> str:
    """Return the whole page; without matplotlib it has only tables and says so."""
    agents = ", ".join(data["settings"]["agents"])
    parts = [
        "<h1>Evaluation</h1>",
        f"<p>{escape(agents)}</p>",
        f'<p class="faint">{escape(_about(data))}</p>',
    ]
    if data["sprt"]:
        parts.append(f"<p><b>{escape(data['sprt']['text'])}</b></p>")
    if not CHARTS:
        parts.append(f'<p class="faint">{escape(NO_CHARTS)}</p>')
    for own in figures.by_players(data):
        parts.append(f"<h2>{figures.heading(own)}</h2>")
        parts.append(f'<div class="grid">{_cards(own)}</div>')
    parts.append(f"<h2>Made with</h2>{_made_with(data)}")
    style = (files(__package__) / "report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Evaluation: {escape(agents)}</title><style>\n{style}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _about(data: Data) -> str:
    settings = data["settings"]
    blocks = max(row["blocks"] for row in data["results"])
    # With 2 players a game has two candidates.
    games = sum(r["games"] if r["players"] > 2 else r["games"] / 2 for r in data["scores"])
    with_or_without = "with" if settings["options"][0]["volcanoes"] else "without"
    return (
        f"{counted(round(games), 'game')}; {counted(blocks, 'deal')} a pairing, "
        "each played with the candidate in every seat; "
        f"{with_or_without} volcanoes; seed {settings['seed']}; intervals are 95 %, "
        "by bootstrap over deals."
    )


def _cards(data: Data) -> str:
    """Return the figures of one number of players, tables with charts above them."""
    players, agents = data["players"], [row["agent"] for row in data["ratings"]]
    rows = sorted(data["scores"], key=lambda row: agents.index(row["agent"]))
    ranked = {**data, "scores": rows}
    sources = [s for s in COLOURS if any(abs(row["gold"][s]) > 0.05 for row in rows)]
    gold = ratings = scores = seats = ""
    if CHARTS:
        gold, ratings = _gold_chart(rows, sources), _rating_chart(data)
        scores, seats = _score_chart(rows), _seat_chart(data)
    anchor = [r["agent"] for r in data["ratings"] if figures.is_anchor(r)]
    fair = "" if players == 2 else f" Equal agents would win {1 / players:.0%}."
    return "".join(
        (
            _card(
                "Who beats whom",
                "Win share of the row's agent in one seat against the column's agent in all "
                f"others.{fair}",
                _heat_table(data, agents),
                "" if len(agents) <= SIDE_BY_SIDE else "wide",
            ),
            _card(
                "Ratings",
                " ".join(
                    (f"Plackett-Luce, in Elo; {', '.join(anchor)} is at 0.", *figures.helped(data))
                ),
                ratings + figures.ratings(data).html(),
            ),
            _card("Gold by source", "Mean a game.", gold + figures.gold(ranked, sources).html()),
            _card(
                "Final scores",
                "Thick: the middle half; thin: 5 to 95 % of the games.",
                scores + figures.quantiles(ranked).html(),
            ),
            _card(
                "Seats",
                f"Win share on each seat, over all agents; dashed: one in {players}.",
                seats + figures.seats(data).html(),
            ),
            _card("Every pairing", "", figures.pairings(data).html(), "wide"),
        )
    )


def _card(title: str, words: str, content: str, kind: str = "") -> str:
    note = f'<p class="faint">{escape(words)}</p>' if words else ""
    return f'<section class="card {kind}"><h3>{escape(title)}</h3>{note}{content}</section>'


def _rating_chart(data: Data) -> str:
    rows = data["ratings"]
    ends = [row[key] for row in rows for key in ("elo", "low", "high") if row[key] is not None]
    room = 0.06 * (max(ends) - min(ends)) + 5
    bars = [(row["agent"], row["elo"], row["low"], row["high"]) for row in rows]
    return charts.intervals("ratings with intervals", bars, 0, room, "Elo")


def _seat_chart(data: Data) -> str:
    bars = [
        (f"seat {row['seat']}", *(100 * row[key] for key in ("win_share", "low", "high")))
        for row in data["seats"]
    ]
    return charts.intervals("win share by seat", bars, 100 / data["players"], 2, "% of wins")


def _gold_chart(rows: Sequence[Data], sources: Sequence[str]) -> str:
    bars = [(row["agent"], [row["gold"][source] for source in sources]) for row in rows]
    key = "".join(f'<span><i style="background:{COLOURS[s]}"></i>{s}</span>' for s in sources)
    colours = [COLOURS[source] for source in sources]
    return f'<div class="key">{key}</div>' + charts.stacks(
        "gold by source", bars, colours, "gold a game"
    )


def _score_chart(rows: Sequence[Data]) -> str:
    curves = [
        (row["agent"], {int(k): n for k, n in row["counts"].items()}, row["quantiles"])
        for row in rows
    ]
    return charts.distributions("distribution of final scores", curves, "gold")


def _heat_table(data: Data, agents: Sequence[str]) -> str:
    found = {(r["agent"], r["opponent"]): r for r in data["results"]}
    rows, colours = [[agent] for agent in agents], {}
    for number, agent in enumerate(agents):
        for column, other in enumerate(agents, 1):
            if result := found.get((agent, other)):
                colours[number, column] = heat(result["win_share"], data["players"])
                ends = f"{result['low']:.1%} – {result['high']:.1%}"
                margin = f"{result['margin']:+{figures.GOLD}} gold"
                rows[number].append(f"{result['win_share']:.1%}\n{ends}\n{margin}")
            else:
                rows[number].append("·")
    return DataTable(("", *agents), rows).html("heat", colours)


def heat(share: float, players: int) -> str:
    """Return a colour: white for a fair win share, blue above, orange below."""
    fair = 1 / players
    far = (share - fair) / (1 - fair) if share >= fair else (fair - share) / fair
    full = (143, 190, 232) if share >= fair else (246, 183, 133)
    return "#" + "".join(f"{round(255 + (part - 255) * far):02x}" for part in full)


def _made_with(data: Data) -> str:
    machine = data["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in data["versions"].items())
    commit = data["git_commit"] or "unknown"
    changed = ", changed since" if commit.endswith("+") else ""
    lines = [
        f"Commit {commit[:12]}{changed}; {data['created']}.",
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}.",
        versions,
    ]
    return "".join(f'<p class="faint">{escape(line)}</p>' for line in lines)
