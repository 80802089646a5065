"""What decisions lose: by hand, by agents whose regret is known, and without luck counted in."""

import json

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.endgame import ALL, end_values, is_near_end, placements_left
from cacao_env.agents.utility import RELATIVE_SCORE, UTILITY
from cacao_env.engine.actions import MAX_LEGAL

pytest.importorskip("choix", reason="the evaluate extra is not installed")

from cacao_env.agents.registry import load_agent
from cacao_env.cli import main as cacao
from cacao_env.engine.options import Options
from cacao_env.evaluation import SEED, judge
from cacao_env.evaluation.judge import Verdict, solved
from cacao_env.evaluation.regret import (
    GAMES_AT_ONCE,
    DecisionRegret,
    GameRegret,
    RegretSettings,
    figures,
    game_regret,
    measure_regret,
)
from tests.checkpoints import checkpoint
from tests.games import STYLES, played
from tests.test_judge import judged

HERE = "tests.agents_for_tests"


class Nobody:
    def by_playouts(self, *_: object) -> Verdict:
        return Verdict(0, 0.0, 0.0, 0.0)


def exact_regret(game, action, objective=RELATIVE_SCORE):
    return solved(game, action, objective).loss


NOBODY = Nobody()


def regret(arguments):
    return cacao(["regret", *arguments])


def measured(spec, games=16, players=2, settings=None, volcanoes=False):
    agent, options = load_agent(spec, allow_code=True), Options(players, volcanoes)
    settings = settings or RegretSettings(rollouts=0)
    return measure_regret(spec, agent, options, games, 7, settings)


def last_sale() -> Game:
    """The last decision of a game: two workers of B at a market that pays 3, 5 cacao stored."""
    game = played(2, 78, until=lambda g: placements_left(g.state) == 0 and g.phase == "act")
    assert [game.text(a) for a in game.legal_actions()] == [
        "act -1,2 north with 0",
        "act -1,2 north with 1",
        "act -1,2 north with 2",
    ]
    return game


def test_by_hand_what_is_not_sold_is_lost():
    game = last_sale()
    none, one, two = (int(a) for a in game.legal_actions())
    for action, gold in ((none, 6), (one, 3), (two, 0)):
        assert exact_regret(game, action) == pytest.approx(gold)
        # Nothing is left to chance, so every playout says the same.
        assert judged(game, action, 6, 2, seed=1) == pytest.approx(gold)
        finished = game.clone()
        finished.play(action)
        found = game_regret(finished, 0, RegretSettings(1, 0), 0)
        (last,) = [one for one in found.exact if one.ply == game.ply]
        assert (last.placement, last.regret) == (False, pytest.approx(gold))


@pytest.mark.parametrize("players", [2, 4])
def test_who_plays_the_solution_loses_nothing(players):
    games = measured(f"{HERE}:Solver", 16, players, RegretSettings(2, 0), volcanoes=True)
    found = figures([game.exact for game in games])
    assert found["decisions"] > 40
    assert found["placements"] > 20
    assert found["regret"] == {"value": 0, "low": 0, "high": 0}
    assert found["best_share"]["value"] == found["best_share"]["high"] == 1
    # All games alike: that is as sure as 16 of 16 heads.
    assert found["best_share"]["low"] == pytest.approx(0.025 ** (1 / 16))
    assert found["blunders_over_1"]["high"] == pytest.approx(1 - 0.025 ** (1 / 16))


def test_means_shares_and_blunders_by_hand():
    first = [
        DecisionRegret(40, True, 3.5, 2),
        DecisionRegret(41, False, 0.0, 2),
        DecisionRegret(42, False, 1.0, 1),
    ]
    games = [
        GameRegret(0, first, [], 0),
        GameRegret(1, [DecisionRegret(40, True, 1.5, 2)], [], 0),
        GameRegret(2, [], [], 1),
    ]
    found = figures([game.exact for game in games])
    assert (found["decisions"], found["placements"]) == (4, 2)
    assert found["regret"]["value"] == pytest.approx(6 / 4)
    assert found["placement_regret"]["value"] == pytest.approx(5 / 2)
    assert found["best_share"]["value"] == 1 / 4
    assert found["blunders_over_1"]["value"] == 2 / 4  # more than 1, not 1 itself
    assert found["blunders_over_3"]["value"] == 1 / 4
    # Whole games are drawn: none lies outside of what a game's own mean can be.
    assert found["regret"]["low"] == pytest.approx(1.5)
    assert found["regret"]["high"] == pytest.approx(1.5)
    assert found["placement_regret"]["low"] == pytest.approx(1.5)
    assert found["placement_regret"]["high"] == pytest.approx(3.5)
    # One decision in one of three games: the exact bound is that of one.
    alone = figures([[DecisionRegret(5, True, 0.0, 6)], [], []])
    assert alone["best_share"]["low"] == pytest.approx(0.025)
    assert alone["blunders_over_1"]["high"] == pytest.approx(0.975)
    nothing = figures([game.rollouts for game in games])
    no_figure = {"value": None, "low": None, "high": None}
    assert (nothing["decisions"], nothing["regret"]) == (0, no_figure)
    assert nothing["best_share"] == no_figure


def test_every_decision_near_the_end_is_solved_and_no_other():
    game, rng = Game.new(2, 3), np.random.default_rng(3)
    expected = set()
    while not game.over:
        assert len(game.legal_actions()) > 1
        if is_near_end(game.state, 2):
            expected.add((game.ply, game.phase == "place"))
        game.play(STYLES["crowd"](game, rng))
    found = game_regret(game, 0, RegretSettings(2, 2, 100, referees=("trinitario",)), 0, NOBODY)
    assert {(loss.ply, loss.placement) for loss in found.exact} == expected
    for loss in found.exact:
        then = Game.new(2, 3)
        for action in game.history[: loss.ply]:
            then.play(action)
        assert loss.left == min(left for left in (1, 2) if is_near_end(then.state, left))
    assert len(found.rollouts) > 15
    assert not {x.ply for x in found.rollouts} & {x.ply for x in found.exact}
    assert max(x.ply for x in found.rollouts) < min(ply for ply, _ in expected)


def test_earlier_decisions_are_drawn_from_all():
    game = played(2, 3, style="crowd")

    def drawn(number, sample):
        settings = RegretSettings(2, 2, sample, referees=("trinitario",))
        return {loss.ply for loss in game_regret(game, number, settings, 0, NOBODY).rollouts}

    some = [drawn(number, 6) for number in range(70)]
    assert all(len(plies) == 6 for plies in some)
    assert set().union(*some) == drawn(0, 100)


def test_what_is_not_solved_is_counted(monkeypatch):
    monkeypatch.setattr(judge, "NODES_TO_JUDGE", 1)
    game = played(2, 3, style="crowd")
    few = game_regret(game, 0, RegretSettings(3, 0), 0)
    monkeypatch.undo()
    every = game_regret(game, 0, RegretSettings(3, 0), 0)
    assert every.unsolved == 0
    assert few.unsolved > 0
    assert len(few.exact) + few.unsolved == len(every.exact)


@pytest.mark.parametrize("objective", [RELATIVE_SCORE, UTILITY])
@pytest.mark.parametrize("players", [2, 3])
def test_an_action_s_loss_is_that_of_the_one_chosen(players, objective):
    """Of every action, with the values that the solver finds for all of them."""
    near = lambda g: is_near_end(g.state, 2) and g.phase == "place" and g.seat == 1  # noqa: E731
    game = played(players, 5, until=near)
    ids, values = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    count = int(end_values(game.states, objective, 10**6, True, ALL, ids, values))
    assert count == len(game.legal_actions()) > 5
    expected = {int(a): max(values[:count]) - v for a, v in zip(ids[:count], values)}
    assert {a: exact_regret(game, a, objective) for a in expected} == pytest.approx(expected)


def test_results_do_not_depend_on_workers(tmp_path, capsys):
    net = str(checkpoint(tmp_path))
    found = []
    for number in ("1", "2"):
        path = tmp_path / f"{number}.json"
        command = [net, "--deals", str(GAMES_AT_ONCE + 4), "--rollouts", "4", "--sample", "1"]
        assert regret([*command, "--workers", number, "--json", str(path)]) == 0
        data = json.loads(path.read_text())
        for key in ("created", "seconds"):
            del data[key]
        found.append(data)
    assert found[0] == found[1]
    data = found[0]
    assert [game["block"] for game in data["games"]] == list(range(GAMES_AT_ONCE + 4))
    assert data["settings"]["seed"] == SEED
    assert list(data["settings"]["agent"]) == ["net"]
    assert data["versions"]["numpy"] == np.__version__
    assert {"git_commit", "machine", "unsolved"} <= set(data)
    assert set(data["exact_by_left"]) == {"1", "2"}
    for kind in ("exact", "rollouts"):
        count = sum(len(game[kind]) for game in data["games"])
        by_left = data[f"{kind}_by_left"].values()
        assert sum(row["decisions"] for row in by_left) == data[kind]["decisions"] == count
    out = capsys.readouterr().out
    assert f"net against itself, 2 players, without volcanoes, {GAMES_AT_ONCE + 4} games" in out
    assert f"{data['exact']['regret']['value']:.3f} [" in out
    assert f"{data['rollouts']['placement_regret']['value']:.3f} [" in out
    sources = ", ".join(f"{name} {lost:+.3f}" for name, lost in data["sources"].items())
    assert f"gold lost a judged decision, by source: {sources}" in out


def test_regrets_are_in_utility_if_asked(tmp_path, capsys):
    found = []
    for more in ([], ["--utility"]):
        path = tmp_path / "r.json"
        command = ["random", "--deals", "6", "--rollouts", "4", "--workers", "1", *more]
        assert regret([*command, "--json", str(path)]) == 0
        found.append(json.loads(path.read_text()))
    gold, utility = found
    assert [row["settings"]["unit"] for row in found] == ["gold", "utility"]
    assert 0 < utility["exact"]["regret"]["value"] < 0.2 * gold["exact"]["regret"]["value"]
    assert abs(utility["rollouts"]["regret"]["value"]) < 0.2 * gold["rollouts"]["regret"]["value"]
    assert {"blunders_over_0.01", "blunders_over_0.1"} <= set(utility["exact"])
    out = capsys.readouterr().out
    assert "gold lost" in out
    assert "utility lost" in out
    assert "2 left" in out
