"""An evaluation as one HTML page: no script, nothing loaded, readable on a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from . import tables
from .svg import Chart

Data = Mapping[str, Any]  # what campaign.document makes
# Told apart with any kind of colour vision: they differ in lightness, too (after Okabe and Ito).
COLOURS = {
    "sales": "#5a3a22",
    "mines": "#e69f00",
    "volcanoes": "#c44601",
    "water": "#56b4e9",
    "sun": "#f0e442",
    "temples": "#00835f",
}
SIDE_BY_SIDE = 4  # agents; a larger table of who beats whom has the page's width
_STYLE = """
:root{color-scheme:light}
body{margin:0;background:#fbfbfa;color:#222a33;font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
main{max-width:1160px;margin:0 auto;padding:20px 16px 40px}
h1{font-size:1.6rem;margin:.2em 0}
h2{font-size:1.25rem;margin:1.6em 0 .4em;border-bottom:2px solid #2b6cb0}
h3{font-size:1rem;margin:0 0 .4em}p{margin:.3em 0 .8em}.faint{color:#5b6570;font-size:.88rem}
p,h1{overflow-wrap:anywhere}
.grid{display:flex;flex-wrap:wrap;gap:16px}
.card{flex:1 1 400px;box-sizing:border-box;background:#fff;border:1px solid #e3e7ec;border-radius:8px;
padding:14px;min-width:0}
.wide{flex-basis:100%}
.scroll{overflow-x:auto;max-width:100%}
.scroll{background:linear-gradient(90deg,#fff0,#fff 60%) right/36px 100% no-repeat local,
linear-gradient(90deg,#0000,#0003) right/14px 100% no-repeat #fff}
svg{display:block;width:100%;max-width:500px;height:auto;margin:0 auto 8px;font-family:inherit;
overflow:visible}
table{border-collapse:collapse;font-size:.88rem;width:100%}
th,td{padding:5px 9px;text-align:right;white-space:nowrap}
th{font-weight:600}tr>:first-child{text-align:left;position:sticky;left:0;background:#fff}
tbody tr{border-top:1px solid #e3e7ec}td small{display:block;color:#3c4650;font-size:.78em}
.heat td,.heat thead th{text-align:center}.heat .self{color:#9aa3ad}
.heat td{min-width:72px}
.key{display:flex;flex-wrap:wrap;gap:4px 14px;font-size:.82rem}.key i{display:inline-block;width:11px;
height:11px;border-radius:2px;margin-right:5px}
@media(max-width:520px){main{padding:12px 8px 30px}.card{padding:10px}table{font-size:.76rem}
th,td{padding:4px 3px}tr>:first-child{white-space:normal;overflow-wrap:anywhere;min-width:5.5em}}
"""


def page(data: Data) -> str:
    """The whole page."""
    settings = data["settings"]
    agents = ", ".join(settings["agents"])
    parts = [
        "<h1>Evaluation</h1>",
        f"<p>{escape(agents)}</p>",
        f'<p class="faint">{escape(_about(data))}</p>',
    ]
    if data["verdict"]:
        parts.append(f"<p><b>{escape(data['verdict']['text'])}</b></p>")
    for players in sorted({row["players"] for row in data["results"]}):
        parts.append(f"<h2>{players} players</h2>")
        parts.append(f'<div class="grid">{_cards(data, players)}</div>')
    parts.append(f"<h2>Made with</h2>{_made_with(data)}")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Evaluation: {escape(agents)}</title><style>{_STYLE}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _about(data: Data) -> str:
    settings = data["settings"]
    games = sum(r["games"] for r in data["scores"] if r["players"] > 2)
    games += sum(r["games"] for r in data["scores"] if r["players"] == 2) // 2
    blocks = max(row["blocks"] for row in data["results"])
    with_or_without = "with" if settings["volcanoes"] else "without"
    return (
        f"{tables.counted(games, 'game')}; {tables.counted(blocks, 'deal')} a pairing, "
        "each played with the candidate in every seat; "
        f"{with_or_without} volcanoes; seed {settings['seed']}; intervals are 95 %, "
        "by bootstrap over deals."
    )


def _cards(data: Data, players: int) -> str:
    size = "" if len(_of(data, "ratings", players)) <= SIDE_BY_SIDE else "wide"
    cards = [
        _card("Who beats whom", _heat(data, players), size, _heat_words(players)),
        _card("Ratings", _ratings(data, players), words=_rating_words(data, players)),
        _card("Gold by source", _gold(data, players), words="Mean a game."),
        _card(
            "Final scores",
            _scores(data, players),
            words="Thick: the middle half; line: 5 to 95 % of the games.",
        ),
        _card("Seats", _seats(data, players), words=_seat_words(players)),
        _card("Every pairing", _pairings(data, players), "wide"),
    ]
    return "".join(cards)


def _card(title: str, content: str, kind: str = "", words: str = "") -> str:
    note = f'<p class="faint">{escape(words)}</p>' if words else ""
    return f'<section class="card {kind}"><h3>{escape(title)}</h3>{note}{content}</section>'


def _of(data: Data, key: str, players: int) -> list[Data]:
    return [row for row in data[key] if row["players"] == players]


def _heat_words(players: int) -> str:
    fair = "" if players == 2 else f" Equal agents would win {1 / players:.0%}."
    return f"Share of wins of the row's agent in one seat against the column's in all others.{fair}"


def _rating_words(data: Data, players: int) -> str:
    zero = [row["agent"] for row in _of(data, "ratings", players) if tables.is_anchor(row)]
    return f"Plackett-Luce, in Elo; {', '.join(zero)} is at 0."


def _seat_words(players: int) -> str:
    return f"Share of wins on each seat, whoever sits there; dashed: one in {players}."


def _heat(data: Data, players: int) -> str:
    found = {(r["agent"], r["field"]): r for r in _of(data, "results", players)}
    agents = [row["agent"] for row in _of(data, "ratings", players)]
    head = "".join(f"<th>{escape(agent)}</th>" for agent in agents)
    rows = []
    for agent in agents:
        cells = [f"<th>{escape(agent)}</th>"]
        for other in agents:
            result = found.get((agent, other))
            if result is None:
                cells.append('<td class="self">·</td>')
                continue
            cells.append(
                f'<td style="background:{heat(result["win_share"], players)}">'
                f"{result['win_share']:.1%}<small>{result['low']:.1%} – {result['high']:.1%}</small>"
                f"<small>{tables.signed(result['margin'])} gold</small></td>"
            )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    table = f"<thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<div class="scroll"><table class="heat">{table}</table></div>'


def heat(share: float, players: int) -> str:
    """White for a fair share of wins, blue above, orange below."""
    fair = 1 / players
    far = (share - fair) / (1 - fair) if share >= fair else (fair - share) / fair
    full = (143, 190, 232) if share >= fair else (246, 183, 133)
    return "#" + "".join(f"{round(255 + (part - 255) * far):02x}" for part in full)


def _ratings(data: Data, players: int) -> str:
    rows = _of(data, "ratings", players)
    ends = [row[key] for row in rows for key in ("elo", "low", "high") if row[key] is not None]
    room = 0.06 * (max(ends) - min(ends)) + 5
    chart = Chart([row["agent"] for row in rows], min(ends) - room, max(ends) + room, "Elo")
    chart.mark(0)
    for number, row in enumerate(rows):
        words = f"{row['agent']}: {round(row['elo']):+d}, {tables.elo_interval(row)}"
        chart.dot(number, row["elo"], row["low"], row["high"], words)
    return chart.whole("ratings with intervals") + _table(*tables.ratings(data, players))


def _ranked(data: Data, players: int) -> list[Data]:
    """Rows of scores in the order of the ratings."""
    order = [row["agent"] for row in _of(data, "ratings", players)]
    return sorted(_of(data, "scores", players), key=lambda row: order.index(row["agent"]))


def _gold(data: Data, players: int) -> str:
    rows = _ranked(data, players)
    shown = [s for s in COLOURS if any(abs(row["gold"][s]) > 0.05 for row in rows)]
    low = min(sum(min(0, g) for g in row["gold"].values()) for row in rows)
    high = max(sum(max(0, g) for g in row["gold"].values()) for row in rows)
    chart = Chart([row["agent"] for row in rows], low, high, "gold a game", row=36)
    for number, row in enumerate(rows):
        chart.stack(number, [(source, row["gold"][source], COLOURS[source]) for source in shown])
    chart.mark(0)
    key = "".join(f'<span><i style="background:{COLOURS[s]}"></i>{s}</span>' for s in shown)
    return (
        f'<div class="key">{key}</div>'
        + chart.whole("gold by source")
        + _table(*_gold_table(rows, shown))
    )


def _gold_table(rows: Sequence[Data], shown: Sequence[str]) -> tuple[tables.Row, list[tables.Row]]:
    head = ("agent", *shown, "score")
    return head, [
        (row["agent"], *(tables.gold_text(row["gold"][s]) for s in shown), f"{row['score']:.1f}")
        for row in rows
    ]


def _scores(data: Data, players: int) -> str:
    rows = _ranked(data, players)
    counts = [{int(k): n for k, n in row["counts"].items()} for row in rows]
    low, high = min(min(c) for c in counts), max(max(c) for c in counts)
    chart = Chart([row["agent"] for row in rows], low, high, "gold", row=54)
    curves = [_smooth(c, low, high) for c in counts]
    top = max(height for curve in curves for _, height in curve)
    for number, (row, curve) in enumerate(zip(rows, curves, strict=True)):
        chart.hill(number, curve, top)
        y, at = chart.y(number) + 54 * 0.42, [chart.x(q) for q in row["quantiles"]]
        chart.line(at[0], y, at[4], y, "#222a33", 1.5)
        chart.line(at[1], y, at[3], y, "#222a33", 5)
        chart.text(at[2], y - 8, f"{row['quantiles'][2]:.0f}", "middle", "#222a33", 12)
    return chart.whole("distribution of final scores")


def _smooth(counts: Mapping[int, int], low: int, high: int) -> list[tuple[float, float]]:
    """Shares of games by score, each the mean of its neighbours (a triangle of five)."""
    total, weights = sum(counts.values()), (1, 2, 3, 2, 1)
    return [
        (
            float(score),
            sum(w * counts.get(score + i - 2, 0) for i, w in enumerate(weights)) / 9 / total,
        )
        for score in range(low, high + 1)
    ]


def _seats(data: Data, players: int) -> str:
    rows = _of(data, "seats", players)
    ends = [100 * row[key] for row in rows for key in ("low", "high")] + [100 / players]
    chart = Chart(
        [f"seat {row['seat']}" for row in rows], min(ends) - 2, max(ends) + 2, "% of wins"
    )
    chart.mark(100 / players)
    for number, row in enumerate(rows):
        share, low, high = (100 * row[key] for key in ("win_share", "low", "high"))
        chart.dot(
            number, share, low, high, f"{tables.share(row)}, margin {tables.signed(row['margin'])}"
        )
    return chart.whole("seat effect") + _table(*tables.seats(data, players))


def _pairings(data: Data, players: int) -> str:
    head = ("agent", "against", "wins", "margin", "score", "ms a move", "ms a placement", "deals")
    order = [row["agent"] for row in _of(data, "ratings", players)]
    results = sorted(
        _of(data, "results", players),
        key=lambda r: (order.index(r["agent"]), order.index(r["field"])),
    )
    rows = [
        (
            r["agent"],
            r["field"],
            tables.share(r),
            tables.margin(r),
            f"{r['score']:.1f}",
            tables.milliseconds(r["ms_per_move"]),
            tables.milliseconds(r["ms_per_placement"]),
            str(r["blocks"]),
        )
        for r in results
    ]
    return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


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
