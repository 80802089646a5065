"""Tables go between the markers of a page, section by section."""

import pytest

from tests.sources import ROOT

pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")
pytestmark = pytest.mark.usefixtures("no_luck")

from cacao_env.cli import main as cacao
from cacao_env.evaluation.figures import elo_interval, milliseconds
from cacao_env.evaluation.pages import sections_of
from cacao_env.tables import BEGIN, END, DataTable, read_between
from tests.test_report import small_data


def test_an_evaluation_replaces_its_sections_of_a_page_and_no_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        f"before\n{BEGIN}\n\n### 3 players\n\nold\n\n### 4 players\n\nkept\n{END}\nafter\n"
    )
    few = ["--deals", "4", "--seed", "5", "--workers", "1", "--page", str(page)]
    for more in (["--players", "2"], ["--players", "3", "--volcanoes"], ["--players", "3"]):
        assert cacao(["evaluate", "random", "greedy", *more, *few]) == 0
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    headings = [line[4:] for line in text.splitlines() if line.startswith("### ")]
    assert headings == ["3 players", "4 players", "2 players", "3 players, with volcanoes"]
    assert text.count("| greedy | +0 | fixed |") == text.count("4 deals a pairing") == 3
    assert "\n### 4 players\n\nkept\n" in text
    assert cacao(["evaluate", "random", "greedy", "--players", "2", *few]) == 0
    assert sorted(page.read_text().splitlines()) == sorted(text.splitlines())


def test_a_section_tells_the_deals_that_were_played():
    """A test may be decided before those that were planned."""
    data = small_data()
    data["settings"] |= {"task": None, "blocks": 9}
    [text] = sections_of([data]).values()
    assert "4 deals a pairing" in text


@pytest.mark.parametrize("name", ["agents", "benchmark", "positions", "tasks"])
def test_the_shipped_pages_have_markers(name):
    assert "| --- |" in read_between(ROOT / "docs" / f"{name}.md")


def test_tables_and_numbers_read_well():
    assert DataTable(("x", "y"), [("a|b", 1)]).markdown().endswith("| a&#124;b | 1 |")
    table = DataTable(("x", "y"), [("a<", 1), ("long", "22\nb")])
    assert DataTable(("x", "y", "z"), [("a", 1, ""), ("long", "22", "c")], "lrl").text() == (
        "x      y  z\na      1\nlong  22  c"
    )
    assert table.markdown().splitlines()[1:3] == ["| --- | ---: |", "| a< | 1 |"]
    html = table.html("heat", {(1, 1): "#fff"})
    assert '<table class="heat"><thead><tr><th>x</th><th>y</th></tr></thead>' in html
    assert "<tr><td>a&lt;</td><td>1</td></tr>" in html
    assert '<td style="background:#fff">22<small>b</small></td>' in html
    shown = ["0.021", "0.990", "1.00", "9.99", "10.0", "99.4", "100"]
    assert [milliseconds(v) for v in (0.0213, 0.99, 1, 9.99, 10, 99.4, 100)] == shown
    assert elo_interval({"low": None, "high": -5.2}) == "below -5"
    assert elo_interval({"low": None, "high": None}) == "open"
    assert elo_interval({"low": 7.0, "high": None}) == "above +7"
    assert elo_interval({"low": 0.0, "high": 0.0}) == "fixed"  # others are counted from it
    assert elo_interval({"low": -0.3, "high": 7.6}) == "+0 to +8"
