"""The report's charts show the figures, and the page does without matplotlib."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="the evaluate extra is not installed")

from cacao_env.evaluation import charts, report
from cacao_env.gold_sources import SOURCES

BLUE, BLACK = charts.MAIN, charts.INK


def lines_of(svg, colour, width):
    """The ends (x1, y1, x2, y2), and whether it is dashed, of straight lines of a style."""
    found = []
    for path in ElementTree.fromstring(svg).iter("path"):
        style = path.get("style") or ""
        numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.get("d"))]
        has_width = f"stroke-width: {width:g};" in f"{style};" or (
            width == 1 and "stroke-width" not in style
        )
        if f"stroke: {colour}" in style and has_width and len(numbers) == 4:
            found.append((*numbers, "dasharray" in style))
    return found


def scale_of(svg):
    """Pixels of a value, from two tick labels: value -> x."""
    found = {}
    for text in ElementTree.fromstring(svg).iter("text"):
        place = re.search(r"translate\(([-0-9.]+)", text.get("transform") or "")
        x = float(text.get("x") or (place and place[1]))
        if re.fullmatch(r"-?\d+", (text.text or "").replace("−", "-")):
            found[float(text.text.replace("−", "-"))] = x
    (a, xa), *_, (b, xb) = sorted(found.items())
    return lambda value: xa + (value - a) * (xb - xa) / (b - a)


def test_an_interval_goes_from_its_low_to_its_high_end_and_an_open_one_to_the_rim():
    rows = [("a", 100.0, 40.0, 120.0), ("b", 0.0, 0.0, 0.0), ("c", -50.0, None, -20.0)]
    svg = charts.intervals("some", rows, 0, 10, "Elo")
    x = scale_of(svg)
    drawn = lines_of(svg, BLUE, 3)
    assert len(drawn) == 6  # from each value to each of its ends
    expected = [(100, 40, False), (100, 120, False), (0, 0, False), (0, 0, False)]
    expected += [(-50, -60, True), (-50, -20, False)]  # the rim is 10 beyond the outermost end
    for (x1, y1, x2, y2, dashed), (value, end, is_open) in zip(drawn, expected, strict=True):
        assert (x1, x2) == (pytest.approx(x(value), abs=0.2), pytest.approx(x(end), abs=0.2))
        assert y1 == y2
        assert dashed == is_open
    heights = [line[1] for line in drawn[::2]]
    assert heights == sorted(heights)  # the first row is at the top


def test_bars_are_stacked_from_zero_to_both_sides():
    svg = charts.stacks("gold", [("a", [30.0, -5.0, 10.0])], ["#5a3a22", "#e69f00", "#56b4e9"], "g")
    x = scale_of_bars(svg)
    boxes = []
    for path in ElementTree.fromstring(svg).iter("path"):
        style = path.get("style") or ""
        if "fill: #" in style and "stroke: #ffffff" in style:
            numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.get("d"))]
            boxes.append((min(numbers[::2]), max(numbers[::2])))
    for box, (low, high) in zip(boxes, ((0, 30), (-5, 0), (30, 40)), strict=True):
        assert box == (pytest.approx(x(low), abs=0.2), pytest.approx(x(high), abs=0.2))
    words = [text.text for text in ElementTree.fromstring(svg).iter("text")]
    assert {"30", "10"} <= set(words)  # on the bars that are wide enough


def scale_of_bars(svg):
    """The same from the axis alone: the numbers on bars are no ticks."""
    axis = re.sub(r'<text style="[^"]*fill: #(?!5b6570)[^"]*"[^>]*>[^<]*</text>', "", svg)
    return scale_of(axis)


def test_a_distribution_has_its_quantiles():
    counts = dict.fromkeys(range(40, 61), 2)
    svg = charts.distributions("scores", [("a", counts, [41.0, 45.0, 50.0, 55.0, 59.0])], "gold")
    x = scale_of_bars(svg)
    ((thin, _, thin_end, _, _),) = lines_of(svg, BLACK, 1.5)
    ((thick, _, thick_end, _, _),) = lines_of(svg, BLACK, 5)
    assert (thin, thin_end) == (pytest.approx(x(41), abs=0.2), pytest.approx(x(59), abs=0.2))
    assert (thick, thick_end) == (pytest.approx(x(45), abs=0.2), pytest.approx(x(55), abs=0.2))
    assert ">50<" in svg


def small_data():
    """An evaluation's figures, made up."""
    result = {
        **{"players": 2, "volcanoes": False, "blocks": 4, "ms_per_move": 1.0},
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
            result | {"agent": "a", "opponent": "b<"},
            result | {"agent": "b<", "opponent": "a", "win_share": 0.25},
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


def test_without_matplotlib_the_page_has_its_tables_and_says_so(monkeypatch):
    whole = report.page(small_data())
    assert len(list(body_of(whole).iter("svg"))) == 4
    monkeypatch.setattr(charts, "available", lambda: False)
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
        names = [row[0].text for row in table.find("tbody")]
        assert names == ["a", "b<"]
