"""The judge of decisions: fair to all candidates, blind to the deal, several networks in turn."""

import json
import math

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.utility import RELATIVE_SCORE
from cacao_env.engine.rng import new_rng

pytest.importorskip("choix", reason="the evaluate extra is not installed")

from cacao_env.agents.registry import load_agent
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.cli import main as cacao
from cacao_env.evaluation.judge import LOOK, Judge, new_gold, other_networks, play_out
from tests.checkpoints import value_checkpoint
from tests.test_endgame import near_end


@pytest.fixture
def playouts(monkeypatch):
    """The network and the candidates of each playout from now on."""
    found = []

    def noted(net, scratch, work, states, ids, alive, *rest):
        found.append((net, ids[:alive].tolist()))
        play_out(net, scratch, work, states, ids, alive, *rest)

    monkeypatch.setattr("cacao_env.evaluation.judge.play_out", noted)
    return found


def judged(game, action, rollouts, top, seed):
    judge, half = Judge(["trinitario"], game.options, top=top), rollouts // 2
    return judge.by_playouts(game, action, half, rollouts - half, seed).loss


def add_outcomes(game, ids, sums, passes):
    """Add outcomes of playouts by trinitario to ``sums``."""
    net, scratch, work = load_agent("trinitario").tools
    rng = new_rng(1)
    for _ in range(passes):
        about = game.states, ids, len(ids), net.inner, RELATIVE_SCORE, rng
        play_out(net, scratch, work, *about, sums, np.zeros(len(ids)), new_gold(len(ids)))


def test_all_actions_of_a_pass_meet_the_same_deal():
    game = Game.new(3, 2)
    sums = np.zeros(3)
    add_outcomes(game, np.array([int(game.legal_actions()[0])] * 3), sums, 4)
    assert sums[0] == sums[1] == sums[2] != 0


def test_playouts_do_not_know_the_deal():
    """Means over many deals are alike whatever the true one is; one known deal's would differ."""
    game = Game.new(2, 2)
    action = np.array([int(game.legal_actions()[0])])
    means = []
    for deal in range(4):
        sums = np.zeros(1)
        add_outcomes(game.determinise(0, deal), action, sums, 100)
        means.append(sums[0] / 100)
    assert np.ptp(means) < 5


def test_networks_take_turns(playouts, tmp_path):
    game = Game.new(2, 5)
    other = str(value_checkpoint(tmp_path)[0])
    judge = Judge(["trinitario", other], game.options, top=3)
    judge.by_playouts(game, int(game.legal_actions()[0]), 8, 8, 1)
    nets = [agent.net for agent in judge._agents]
    counts = [len(tried) for _, tried in playouts]
    # Half of the playouts choose among all candidates, the other half compares the chosen one.
    assert counts[-8:] == [2] * 8
    assert counts[0] >= 3
    assert 6 * counts[0] <= sum(counts[:-8]) <= 8 * counts[0]
    assert nets[0] is not nets[1]
    assert all(net is nets[i % 2] for i, (net, _) in enumerate(playouts))


def test_the_gain_of_a_choice_is_its_value_less_the_mean_of_all(monkeypatch):
    tried = []

    def fixed(net, scratch, work, states, ids, alive, inner, objective, rng, sums, *more):
        tried.append(ids[:alive].tolist())
        sums[:alive] += ids[:alive] / 1000  # the same in every playout

    monkeypatch.setattr("cacao_env.evaluation.judge.play_out", fixed)
    game = Game.new(2, 5)
    action = int(game.legal_actions()[0])
    verdict = Judge(["trinitario"], game.options, top=3).by_playouts(game, action, 8, 8, 1)
    assert verdict.gain == pytest.approx((action - np.mean(tried[0])) / 1000)
    assert verdict.best == max(tried[0])
    assert verdict.loss == pytest.approx((verdict.best - action) / 1000)


def test_the_interval_of_a_loss_is_that_of_its_playouts():
    """Judged again and again, a loss varies as much as its interval says."""
    game = near_end(2, 11, 8)
    judge = Judge(["trinitario"], game.options, top=4)
    some = game.legal_actions()[::8].tolist()
    worst = max(some, key=lambda action: judge.by_playouts(game, action, 4, 16, 1).loss)
    found = [judge.by_playouts(game, worst, 4, 24, seed) for seed in range(40)]
    spread = np.std([verdict.loss for verdict in found])
    assert min(verdict.loss for verdict in found) > 0
    assert 0.7 < np.mean([verdict.error for verdict in found]) / (1.96 * spread) < 1.5


def test_an_agent_is_judged_by_other_networks(tmp_path, capsys):
    assert other_networks(load_agent("greedy")) == ["trinitario"]
    path = tmp_path / "r.json"
    command = ["greedy", "--deals", "1", "--rollouts", "2", "--sample", "1", "--workers", "1"]
    assert cacao(["regret", *command, "--json", str(path)]) == 0
    data = json.loads(path.read_text())
    assert data["settings"]["referees"] == ["trinitario"]
    assert sum(row["decisions"] for row in data["rollouts_by_left"].values()) == 1
    assert data["rollouts"]["decisions"] == 1
    assert "judged: 2 playouts by trinitario" in capsys.readouterr().out


def test_comparing_ends_once_the_loss_is_settled(playouts):
    game = near_end(2, 11, 8)
    judge, asked = Judge(["trinitario"], game.options, top=2), []

    def settled(loss, error):
        asked.append((loss, error))
        return len(asked) == 2

    counts = []
    for until in (settled, lambda loss, error: False):
        playouts.clear()
        verdict = judge.by_playouts(game, int(game.legal_actions()[-1]), 2, 3 * LOOK, 1, until)
        assert until is not settled or (verdict.loss, verdict.error) == asked[-1]
        counts.append(len(playouts))
    assert len(asked) == 2
    assert counts[1] - counts[0] == LOOK


def test_what_the_network_finds_much_worse_is_not_tried(playouts):
    game, agent, tried = Game.new(2, 5), load_agent("trinitario"), {}
    for within in (math.inf, 0.05):
        playouts.clear()
        judge = Judge(["trinitario"], game.options, top=12, within=within)
        judge.by_playouts(game, int(game.legal_actions()[0]), 1, 1, 7)
        tried[within] = set(playouts[0][1])
    rng = new_rng(7)
    ids, values = agent.evaluate(game.determinise(0, rng).states, rng)
    near = set(ids[values >= values.max() - 0.05].tolist())
    assert tried[0.05] < tried[math.inf]
    assert tried[0.05] == (tried[math.inf] & near) | {int(game.legal_actions()[0])}


def test_networks_name_their_candidates_without_the_deal(monkeypatch):
    seen = []
    evaluate = ValueAgent.evaluate

    def noted(self, states, rng):
        seen.append(states[0].jungle_draws.copy())
        return evaluate(self, states, rng)

    monkeypatch.setattr(ValueAgent, "evaluate", noted)
    game = Game.new(2, 5)
    judged(game, int(game.legal_actions()[0]), 2, 2, 1)
    (draws,) = seen
    assert sorted(draws) == sorted(game.state.jungle_draws)
    assert not np.array_equal(draws, game.state.jungle_draws)
