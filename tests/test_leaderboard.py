"""The leaderboard's tables go between its markers, from a list or from evaluations."""

import json

import pytest

from tests.sources import ROOT

pytest.importorskip("choix", reason="the evaluate extra is not installed")
pytestmark = pytest.mark.usefixtures("no_luck")

from cacao_env.cli import main as cacao
from cacao_env.evaluation import leaderboard
from cacao_env.evaluation.figures import elo_interval, milliseconds
from cacao_env.tables import DataTable, between_markers

PAGE = f"before\n{leaderboard.BEGIN}\nold\n{leaderboard.END}\nafter\n"
TABLE = '[[tables]]\nplayers = 2\nagents = ["random", "greedy"]\ndeals = 4\n'


def test_one_command_plays_the_list_and_writes_the_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page, config = tmp_path / "page.md", tmp_path / "list.toml"
    page.write_text(PAGE)
    config.write_text("seed = 5\n" + TABLE + TABLE.replace("2", "3") + "volcanoes = true\n")
    command = ["--config", str(config), "--page", str(page), "--workers", "1"]
    assert cacao(["leaderboard", *command]) == 0
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith(f"{leaderboard.END}\nafter\n")
    assert "old" not in text
    assert "## 2 players\n" in text
    assert "## 3 players, with volcanoes\n" in text
    assert "| greedy | +0 | fixed |" in text
    assert text.count("4 deals a pairing") == 2
    # Again, from the evaluations that it kept: the same tables.
    kept = sorted((tmp_path / "runs" / "leaderboard").glob("*/evaluation.json"))
    assert len(kept) == 2
    for options in (["--json", *map(str, kept)], [f"--json={one}" for one in kept]):
        assert cacao(["leaderboard", "--page", str(page), *options]) == 0
        assert sorted(page.read_text().splitlines()) == sorted(text.splitlines())
    data = json.loads(kept[0].read_text())
    data["settings"]["task"] = "2p-greedy"
    kept[0].write_text(json.dumps(data))
    assert cacao(["leaderboard", "--page", str(page), "--json", str(kept[0])]) == 1
    assert "an evaluation is of the task 2p-greedy, expected agents" in capsys.readouterr().err


def test_the_shipped_list_and_page_are_valid():
    assert {
        tuple(options.num_players for options in plan.options)
        for plan in leaderboard.plans(ROOT / "configs" / "leaderboard.toml")
    } == {(2,), (3,), (4,)}
    between_markers(ROOT / "docs/agents.md", leaderboard.BEGIN, leaderboard.END, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed = = 1", "list.toml is not TOML"),
        (TABLE, "has the keys tables, expected seed and tables"),
        ('seed = "x"\n' + TABLE, "seed is 'x', expected an integer"),
        ("seed = 1\n" + TABLE + "depth = 3\n", "table 1: there is no key 'depth'"),
        ("seed = 1\n" + TABLE.replace("4", '"4"'), "table 1: deals is '4', expected int"),
        ("seed = 1\n" + TABLE.replace("deals = 4", ""), "table 1: deals is missing"),
        ("seed = 1\n" + TABLE.replace("random", "nobody"), "table 1: there is no agent 'nobody'"),
        ("seed = 1\n" + TABLE.replace("random", "evil:Bot"), "'evil:Bot' names code"),
        ("seed = 1\n" + TABLE + TABLE.replace("2", "7"), "table 2: --players is 7"),
    ],
)
def test_a_bad_list_is_one_sentence(text, message, tmp_path, capsys):
    page, config = tmp_path / "page.md", tmp_path / "list.toml"
    page.write_text(PAGE)
    config.write_text(text)
    assert cacao(["leaderboard", "--config", str(config), "--page", str(page)]) == 1
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1
    assert page.read_text() == PAGE


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
