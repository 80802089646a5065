"""Shipped checkpoints: complete, with a card that is true."""

import hashlib
import json
import shutil

import pytest

pytest.importorskip("torch", reason="the training extra is not installed")

from cacao_env import record
from cacao_env.agents.checkpoint import find, shipped_home, shipped_names
from cacao_env.engine.options import Options
from cacao_env.evaluation.run import measure
from cacao_env.registry import load_agent
from tests.tiers import mostly_slow
from training.card import CARD, EVALUATION, SUMS, card, main


def check_sums(path):
    lines = [line.split("  ") for line in (path / SUMS).read_text().splitlines()]
    files = {p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file()}
    assert {name for _, name in lines} == files - {SUMS}
    for digest, name in lines:
        assert hashlib.sha256((path / name).read_bytes()).hexdigest() == digest, name


def test_what_is_shipped_is_whole():
    home = shipped_home()
    assert sorted(path.name for path in home.iterdir() if path.is_dir()) == sorted(shipped_names())
    for name in shipped_names():
        check_sums(home / name)
        assert (home / name / CARD).read_text(encoding="utf-8") == card(home / name)
        files = [file for file in (home / name).rglob("*") if file.is_file()]
        assert sum(file.stat().st_size for file in files) < 20_000_000
        games = [record.check(record.load(file)) for file in (home / name / "records").iterdir()]
        assert games
        assert all(game.over for game in games)


@pytest.mark.parametrize("name", mostly_slow(shipped_names()))
def test_a_shipped_agent_plays_as_its_card_says(name):
    """The least that CI can hold the shipped networks to."""
    path, agent = find(name), load_agent(name)
    results = json.loads((path / EVALUATION).read_text())["results"]
    rows = [r for r in results if (r["agent"], r["opponent"]) == (name, "greedy")]
    assert rows
    for row in rows:
        games = Options(row["players"], row["volcanoes"])
        found = measure(agent, load_agent("greedy"), games, 30, 2_000_000_000, luck=False)
        assert found.high >= row["low"], found.line()


def test_the_command_writes_a_card_and_checksums(tmp_path, capsys):
    folder = shutil.copytree(find("forastero"), tmp_path / "mine")
    row = {"agent": "mine", "opponent": "greedy", "players": 3, "volcanoes": True, "blocks": 2000}
    row |= {"win_share": 0.5, "low": 0.4, "high": 0.6, "margin": 1.25}
    (folder / EVALUATION).write_text(json.dumps({"results": [row]}))
    assert main([str(folder)]) == 0
    text = (folder / CARD).read_text(encoding="utf-8")
    assert "# mine\n\nAn agent for the board game Cacao: a policy network for games of 2" in text
    row = "| mine | greedy | 3, volcanoes | 50.0% | 40.0% to 60.0% | +1.2 | 2,000 |"
    assert row in text
    assert "- algorithm: PPO by self-play\n- games: 176,384\n- decisions: 3,883,008\n" in text
    check_sums(folder)
    for wrong in ("{}", '{"results": [3]}'):
        (folder / EVALUATION).write_text(wrong)
        assert main([str(folder)]) == 1
        assert "has no results of an evaluation" in capsys.readouterr().err
    assert main(["nobody"]) == 1
    assert "there is no checkpoint 'nobody'" in capsys.readouterr().err
