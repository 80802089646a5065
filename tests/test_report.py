"""The report's charts show the figures, and the page does without matplotlib."""

from dataclasses import asdict
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="the evaluate extra is not installed")

from cacao_env.evaluation import charts, report
from cacao_env.evaluation.summary import Result
from cacao_env.gold_sources import SOURCES


@pytest.fixture
def drawn(monkeypatch):
    """The axes of all charts that are drawn."""
    found, svg = [], charts._svg

    def noted(figure, title):
        found.append(figure.axes[0])
        return svg(figure, title)

    monkeypatch.setattr(charts, "_svg", noted)
    return found


def lines_of(axes, width):
    """Both ends, row and whether it is dashed, of the lines of a width."""
    lines = [line for line in axes.lines if line.get_linewidth() == width]
    return [(list(one.get_xdata()), one.get_ydata()[0], one.is_dashed()) for one in lines]


def test_an_interval_goes_from_its_low_to_its_high_end_and_an_open_one_to_the_rim(drawn):
    rows = [("a", 100.0, 40.0, 120.0), ("b", 0.0, 0.0, 0.0), ("c", -50.0, None, -20.0)]
    rows.append(("d", 90.0, 80.0, None))
    charts.intervals("some", rows, 0, 10, "Elo")
    assert lines_of(drawn[0], 3) == [
        *(([100, 40], 0, False), ([100, 120], 0, False), ([0, 0], 1, False), ([0, 0], 1, False)),
        *(([-50, -60], 2, True), ([-50, -20], 2, False)),
        *(([90, 80], 3, False), ([90, 130], 3, True)),  # the rim is 10 beyond the outermost end
    ]
    assert [label.get_text() for label in drawn[0].get_yticklabels()] == ["a", "b", "c", "d"]
    assert drawn[0].yaxis_inverted(), "the first row is at the top"
    charts.intervals("level", rows[1:2], 0, 0, "Elo")
    assert drawn[1].get_xlim() == (0, 1)


def test_bars_are_stacked_from_zero_to_both_sides(drawn):
    charts.stacks("gold", [("a", [30.0, -5.0, 10.0])], ["#5a3a22", "#e69f00", "#56b4e9"], "g")
    boxes = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in drawn[0].patches]
    assert sorted(map(sorted, boxes)) == [[-5, 0], [0, 30], [30, 40]]
    assert drawn[0].get_xlim() == (-5, 40)
    words = {text.get_text() for text in drawn[0].texts}
    assert {"30", "10"} <= words  # on the bars that are wide enough


def test_a_distribution_has_its_quantiles(drawn):
    counts = dict.fromkeys(range(40, 61), 2)
    charts.distributions("scores", [("a", counts, [41.0, 45.0, 50.0, 55.0, 59.0])], "gold")
    [(thin, *_)], [(thick, *_)] = (lines_of(drawn[0], width) for width in (1.5, 5))
    assert (thin, thick) == ([41, 59], [45, 55])
    assert [text.get_text() for text in drawn[0].texts] == ["50"]
    smooth = charts._smooth({10: 6, 20: 2}, range(7, 14))
    assert smooth == pytest.approx([x / 12 for x in (0, 1, 2, 3, 2, 1, 0)])


def small_data():
    """An evaluation's figures, made up."""
    result = {
        **{"players": 2, "volcanoes": False, "blocks": 4, "ms_per_move": 1.0, "luck": True},
        **{"ms_per_placement": 2.0, "score": 50.0},
        **{"win_share": 0.75, "low": 0.5, "high": 1.0},
        **{"margin": 3.0, "margin_low": 1.0, "margin_high": 5.0},
        **{f"adjusted_margin{end}": 2.0 for end in ("", "_low", "_high")},
    }
    rating = {"players": 2, "elo": 0.0, "low": 0.0, "high": 0.0}
    score = {
        **{"players": 2, "games": 8, "score": 50.0, "quantiles": [40, 45, 50, 55, 60]},
        **{"counts": {"40": 4, "60": 4}, "gold": dict.fromkeys(SOURCES, 8.0) | {"water": -5.0}},
    }
    return {
        "settings": {"agents": {"a": "", "b<": ""}, "options": [{"volcanoes": False}], "seed": 3},
        "results": [
            asdict(Result("a", "b<", **result)),
            asdict(Result("b<", "a", **result | {"win_share": 0.25})),
        ],
        "ratings": [rating | {"agent": "a", "elo": 90.0, "high": None}, rating | {"agent": "b<"}],
        "seats": [result | {"seat": 0}, result | {"seat": 1}],
        "scores": [score | {"agent": "b<"}, score | {"agent": "a"}],
        "sprt": None,
        "created": "2026-01-01",
        "versions": {"numpy": "2"},
        "git_commit": None,
        "machine": {"processor": "some", "cores": 2, "system": "Linux"},
    }


def body_of(text):
    body = text[text.index("<body>") : text.index("</body>")] + "</body>"
    return ElementTree.fromstring(body)


def test_even_chances_are_marked_in_the_charts(monkeypatch):
    marks = {}
    monkeypatch.setattr(charts, "intervals", lambda title, rows, at, *_: marks.update({title: at}))
    report._seat_chart({"players": 4, "seats": small_data()["seats"]})
    assert marks == {"win share by seat": 25}
    data = small_data()
    for rows in ("results", "ratings", "scores", "seats"):
        data[rows] = [row | {"players": 4} for row in data[rows]]
    monkeypatch.setattr(report, "CHARTS", False)
    page = report.page(data)
    assert "Equal agents would win 25%." in page
    assert "16 games; 4 deals a pairing" in page, "each has one candidate"


def test_without_matplotlib_the_page_has_its_tables_and_says_so(monkeypatch):
    whole = report.page(small_data())
    assert len(list(body_of(whole).iter("svg"))) == 4
    monkeypatch.setattr(report, "CHARTS", False)
    plain = report.page(small_data())
    assert report.NO_CHARTS not in whole
    assert report.NO_CHARTS in "".join(body_of(plain).itertext())
    assert not list(body_of(plain).iter("svg"))
    tables = [list(body_of(text).iter("table")) for text in (whole, plain)]
    assert len(tables[0]) == len(tables[1]) == 6
    assert "8 games; 4 deals a pairing" in whole


def test_tables_beside_charts_are_in_the_order_of_the_ratings():
    tables = list(body_of(report.page(small_data())).iter("table"))
    for table in tables[:4]:
        assert [row[0].text for row in table.find("tbody")] == ["a", "b<"]


def test_who_beats_whom_has_shares_margins_and_colours():
    body = body_of(report.page(small_data()))
    [rows] = [table.find("tbody") for table in body.iter("table") if table.get("class") == "heat"]
    assert [["\n".join(cell.itertext()) for cell in row] for row in rows] == [
        ["a", "·", "75.0%\n50.0% – 100.0%\n+3.0 gold"],
        ["b<", "25.0%\n50.0% – 100.0%\n+3.0 gold", "·"],
    ]
    assert [report.heat(share, 4) for share in (0, 0.25, 1)] == ["#f6b785", "#ffffff", "#8fbee8"]
    assert report.heat(0.75, 2) in rows[0][2].get("style")
    assert report.heat(0.25, 2) in rows[1][1].get("style")
