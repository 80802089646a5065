"""The referee of decisions: fair to all candidates, blind to the deal, several networks in turn."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.endgame import placements_left
from cacao_env.agents.mc import candidates_into, run_passes
from cacao_env.agents.playout import RELATIVE_SCORE, UTILITY
from cacao_env.engine.rng import new_rng

pytest.importorskip("choix", reason="the evaluate extra is not installed")

from cacao_env.agents.registry import load_agent
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.cli import main as cacao
from cacao_env.evaluation.referee import Referee, other_networks, play_out
from tests.games import STYLES


def judged(game, action, rollouts, top, seed):
    referee = Referee(["criollo"], game.options)
    return referee.regret(game, action, rollouts, top, seed, RELATIVE_SCORE)


def test_few_playouts_do_not_make_a_loss_larger():
    """The rival is chosen by other playouts than those that it is compared by."""
    game, rng = Game.new(2, 11), np.random.default_rng(11)
    while placements_left(game.state) > 8 or game.phase != "place":
        game.play(STYLES["random"](game, rng))
    ids = np.zeros(8, np.int64)
    candidates_into(game.states, 8, ids)
    action = int(ids[0])
    few = [judged(game, action, 2, 8, seed) for seed in range(200)]
    many = [judged(game, action, 200, 8, seed) for seed in range(3)]
    assert np.mean(few) < np.mean(many) + 1


@pytest.mark.parametrize("by", ["greedy", "criollo"])
def test_all_actions_of_a_pass_meet_the_same_deal_and_dice(by):
    game = Game.new(3, 2)
    first = int(game.legal_actions()[0])
    sums = np.zeros(3)
    _add_outcomes(by, game, np.array([first] * 3), sums, 4)
    assert sums[0] == sums[1] == sums[2] != 0


def _add_outcomes(by, game, ids, sums, passes):
    """Add outcomes of playouts by greedy, or by a network, to ``sums``."""
    rng = new_rng(1)
    if by == "greedy":
        run_passes(game.states, ids, len(ids), sums, passes, rng, RELATIVE_SCORE)
        return
    net, scratch, work = Referee([by], game.options)._nets[0]
    for _ in range(passes):
        play_out(
            net, scratch, work, game.states, ids, len(ids), sums, net.inner, RELATIVE_SCORE, rng
        )


@pytest.mark.parametrize("by", ["greedy", "criollo"])
def test_playouts_do_not_know_the_deal(by):
    """Means over many deals are alike whatever the true one is; one known deal's would differ."""
    game = Game.new(2, 2)
    action = np.array([int(game.legal_actions()[0])])
    means = []
    for deal in range(8):
        sums = np.zeros(1)
        _add_outcomes(by, game.determinise(0, deal), action, sums, 200)
        means.append(sums[0] / 200)
    assert np.ptp(means) < 5


def test_referees_take_turns(monkeypatch):
    played, counts = [], []

    def noted(net, scratch, work, states, ids, alive, *rest):
        played.append(net)
        counts.append(alive)
        play_out(net, scratch, work, states, ids, alive, *rest)

    monkeypatch.setattr("cacao_env.evaluation.referee.play_out", noted)
    game = Game.new(2, 5)
    referee = Referee(["criollo", "trinitario"], game.options)
    referee.regret(game, int(game.legal_actions()[0]), 16, 3, 1, UTILITY)
    criollo, trinitario = (net for net, _, _ in referee._nets)
    # Half of the playouts choose among all candidates, the other half compares the chosen one.
    assert counts[-8:] == [2] * 8
    assert counts[0] >= 3
    assert 6 * counts[0] <= sum(counts[:-8]) <= 8 * counts[0]
    assert all(net is (criollo, trinitario)[i % 2] for i, net in enumerate(played))


def test_an_agent_is_judged_by_other_networks(tmp_path, capsys):
    assert "criollo" in other_networks(load_agent("greedy"))
    assert "criollo" not in other_networks(load_agent("criollo+search:ms=5"))
    assert "forastero" not in other_networks(load_agent("greedy"))
    path = tmp_path / "r.json"
    command = ["criollo", "--games", "1", "--rollouts", "2", "--sample", "1", "--workers", "1"]
    assert cacao(["regret", *command, "--json", str(path)]) == 0
    data = json.loads(path.read_text())
    assert data["settings"]["referees"] == other_networks(load_agent("criollo"))
    assert sum(row["decisions"] for row in data["rollouts_by_left"].values()) == 1
    assert data["rollouts"]["decisions"] == 1
    assert "judged: 2 playouts by trinitario" in capsys.readouterr().out


def test_networks_name_their_candidates_without_the_deal(monkeypatch):
    seen = []
    choose = ValueAgent.choose

    def noted(self, states, rng):
        seen.append(states[0].jungle_draws.copy())
        return choose(self, states, rng)

    monkeypatch.setattr(ValueAgent, "choose", noted)
    game = Game.new(2, 5)
    Referee(["criollo"], game.options).regret(game, int(game.legal_actions()[0]), 2, 2, 1, UTILITY)
    (draws,) = seen
    assert sorted(draws) == sorted(game.state.jungle_draws)
    assert not np.array_equal(draws, game.state.jungle_draws)
