"""How much of the outcome an agent foresees, and strength by time to think."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

pytest.importorskip("choix", reason="the evaluate extra is not installed")
pytest.importorskip("matplotlib", reason="the evaluate extra is not installed")

from matplotlib.figure import Figure

from cacao_env import Game
from cacao_env.agents.agent import Agent, decider
from cacao_env.agents.analysis import certain
from cacao_env.agents.endgame import placements_left
from cacao_env.agents.registry import load_agent
from cacao_env.cli import main as cacao
from cacao_env.engine.options import Options
from cacao_env.evaluation import curve, forecasts
from cacao_env.evaluation.forecasts import _foresight, measure_forecasts
from tests.agents_for_tests import Spy
from tests.checkpoints import value_checkpoint

SEED = 40


def forecast(monkeypatch, agents, players=2, games=3, replays=0):
    monkeypatch.setattr(forecasts, "load_versions", lambda versions: agents)
    names = [agent.name for agent in agents]
    return measure_forecasts(names, agents, Options(players), games, SEED, replays)


def test_the_figures_by_hand():
    # Of four games: squared errors, outcomes, their squares and noise; of win shares, then of gold.
    wins = [[0.01, 1, 1, 0.05], [0, 0, 0, 0], [0.09, 1, 1, 0.03], [0, 0, 0, 0]]
    gold = [[25, 10, 100, 8], [0, -4, 16, 0], [0, 2, 4, 4], [0, -8, 64, 0]]
    row = _foresight("x", 7, np.stack([wins, gold], 1).astype(float), True)
    assert (row["agent"], row["left"], row["games"]) == ("x", 7, 4)
    for of, noise, error, spread in (("wins", 0.02, 0.025, 0.25), ("gold", 3, 6.25, 46)):
        told = {"r2": 1 - error / spread, "ceiling": 1 - noise / spread}
        told["share"] = told["r2"] / told["ceiling"]
        for kind, expected in told.items():
            value, low, high = (row[f"{of}_{kind}{end}"] for end in ("", "_low", "_high"))
            assert value == pytest.approx(expected)
            assert low <= value <= high
    # Where all outcomes are the same there is nothing to foresee.
    row = _foresight("x", 7, np.array(2 * [[[0.2, 1, 1, 0], [9, 5, 25, 0]]]), True)
    assert set(row.values()) == {"x", 7, 2, 0.0}
    row = _foresight("x", 7, np.stack([wins, gold], 1).astype(float), False)
    assert [name for name in row if "low" in name] == ["wins_r2_low", "gold_r2_low"]


@cache
def of_first_actions(options, seed):
    """The finished game of a deal whose every seat plays its first action."""
    final = Game.deal(options, seed)
    while not final.over:
        final.play(int(final.legal_actions()[0]))
    return final


class Prophet(Agent):
    """Plays its first action and tells the result of a game whose every seat does so."""

    name, wrong = "prophet", 0.0

    def __init__(self, seed: int) -> None:
        self.seed, self.seen = seed, []

    def act(self, games, memory):
        return [int(game.legal_actions()[0]) for game in games]

    def analyze(self, game, memory):
        self.seen.append(game)
        final = of_first_actions(game.options, self.seed)
        found = certain(int(game.legal_actions()[0]))
        scores = np.array(final.scores(), float)
        scores[decider(game)] += self.wrong
        return replace(found, win_shares=np.array(final.win_shares()), scores=scores)


def test_forecasts_are_the_seat_s_own_and_of_its_own_game(monkeypatch):
    first = forecast(monkeypatch, [load_agent("trinitario")], games=4)
    assert first == forecast(monkeypatch, [load_agent("trinitario")], games=4)
    assert first[-1]["left"] == 0
    assert first[-1]["wins_r2"] == first[-1]["gold_r2"] == 1
    early, late = first[0]["gold_r2"], first[-3]["gold_r2"]
    assert late > 0.9 > early
    with pytest.raises(ValueError, match="spy does not tell the win shares and scores"):
        forecast(monkeypatch, [Spy()])


def test_replays_show_what_chance_allows(monkeypatch):
    """Early everything is chance, in the end nothing; a seat sees no more than it may."""
    agents = [load_agent("trinitario")]
    rows = {row["left"]: row for row in forecast(monkeypatch, agents, games=12, replays=6)}
    assert rows[0]["wins_ceiling"] == rows[0]["gold_share"] == 1
    assert rows[21]["gold_ceiling"] < 0.4 < 0.9 < rows[3]["gold_ceiling"]
    # The replays of a position differ although the game was played once: the tiles are dealt again.
    assert rows[12]["gold_ceiling"] < 0.95
    for replays, words in ((1, "expected 0, or 2 and more"), (2, "greedy is no value network")):
        with pytest.raises(ValueError, match=f"--ceiling.*{words}"):
            forecast(monkeypatch, [load_agent("greedy"), *agents], replays=replays)


def test_every_agent_is_judged_by_its_own_forecasts(monkeypatch):
    """Two agents tell other things about the games of the first; each R² computed by hand."""
    first, second = Prophet(SEED), Prophet(SEED + 1)
    second.wrong, second.name = 7.0, "other"
    games, players = 3, 3
    rows = forecast(monkeypatch, [first, second], players, games)
    assert [row["agent"] for row in rows[:2]] == ["prophet", "other"]
    assert [row["left"] for row in rows[::2]] == [*range(29, -1, -1)]
    # Every copy that an agent sees has its hidden tiles dealt again.
    assert len(first.seen) == games * 30
    truth = Game.deal(Options(players), SEED)
    assert any(game.draws != truth.draws for game in first.seen[:30] if game.ply < 4)
    told = {agent.name: of_first_actions(Options(players), agent.seed) for agent in (first, second)}
    for row in rows:
        errors, outcomes = [], []
        for number in range(games):
            game, seat = Game.deal(Options(players), SEED + number), None
            while not game.over:
                if game.phase == "place" and placements_left(game.state) - 1 == row["left"]:
                    seat = game.seat
                game.play(int(game.legal_actions()[0]))
            ahead = [s - (sum(game.scores()) - s) / (players - 1) for s in game.scores()]
            scores = told[row["agent"]].scores()
            scores[seat] += 7.0 if row["agent"] == "other" else 0.0
            foreseen = scores[seat] - (sum(scores) - scores[seat]) / (players - 1)
            errors.append((foreseen - ahead[seat]) ** 2)
            outcomes.append(ahead[seat])
        assert row["gold_r2"] == pytest.approx(1 - np.mean(errors) / np.var(outcomes))
    cells = forecasts.show(rows).splitlines()
    head = [cell.strip() for cell in cells[0].split("|")[2:-1]]
    assert head == ["prophet: wins", "prophet: gold", "other: wins", "other: gold"]
    for line, one, other in zip(cells[2:], rows[::2], rows[1::2], strict=True):
        found = [cell.split(" [")[0].strip() for cell in line.split("|")[2:6]]
        figures = (row[f"{of}_r2"] for row in (one, other) for of in ("wins", "gold"))
        assert found == [f"{x:.3f}" for x in figures]


def test_the_command_prints_and_writes(tmp_path, capsys):
    file = tmp_path / "f.json"
    other = str(value_checkpoint(tmp_path / "value")[0])
    command = ["forecasts", "trinitario", other, "--deals", "2", "--ceiling", "2", "--seed", "3"]
    assert cacao([*command, "--json", str(file)]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    ceilings = "wins: ceiling | trinitario: share | trinitario: gold | gold: ceiling"
    assert f"trinitario: wins | {ceilings} | trinitario: share | value: wins | value: share" in head
    data = json.loads(file.read_text())
    assert (data["format"], len(data["rows"])) == ("cacao-forecasts", 44)


# --- Strength by time -----------------------------------------------------------------------


@pytest.mark.usefixtures("no_luck")
def test_a_curve_is_played_once_and_drawn(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["curve", "trinitario", "--ms", "1,2", "--against", "greedy", "--deals", "1"]
    command += ["--workers", "1", "--out", "c.svg", "--json", "c.json"]
    assert cacao(command) == 0
    told = capsys.readouterr().out
    assert "| trinitario+search:ms=1 | greedy |" in told
    rows = json.loads((tmp_path / "c.json").read_text())
    assert [row["agent"] for row in rows] == ["trinitario+search:ms=1", "trinitario+search:ms=2"]
    assert {row["blocks"] for row in rows} == {1}
    assert "<svg" in (tmp_path / "c.svg").read_text()
    games = sorted((tmp_path / "runs" / "curve").glob("*/games.jsonl"))
    before = [file.read_bytes() for file in games]
    assert len(before) == 2
    assert cacao(command) == 0
    assert capsys.readouterr().out == told
    assert [file.read_bytes() for file in games] == before


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_curve_is_drawn_beside_even_chances(players, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure.axes[0]))
    shares = [0.3, 0.5, 0.62]
    found = [
        {
            **{"agent": f"a+search:ms={ms}", "opponent": "a", "players": players},
            **{"ms_per_placement": ms, "adjusted_win_share": share},
            **{"adjusted_low": share - 0.02, "adjusted_high": share + 0.03},
        }
        for ms, share in zip((1.0, 4.0, 16.0), shares)
    ]
    curve.draw(found, tmp_path / "c.png")
    lines = [line.get_xydata() for line in drawn[0].lines]
    assert lines[0][:, 1] == pytest.approx([100 / players] * 2)
    assert lines[1].tolist() == [[1, 30], [4, 50], [16, pytest.approx(62)]]
    for line, ms, share in zip(lines[2:], (1, 4, 16), shares, strict=True):
        assert line.T.tolist() == [
            [ms, ms],
            [pytest.approx(100 * share - 2), pytest.approx(100 * share + 3)],
        ]
