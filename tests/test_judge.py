"""The judge of decisions: exact near the end, fair to all candidates, blind to the deal."""

import math

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.endgame import end_values, is_near_end, placements_left
from cacao_env.agents.utility import RELATIVE_SCORE
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.engine.actions import MAX_LEGAL
from cacao_env.engine.options import Options
from cacao_env.engine.rng import new_rng
from cacao_env.evaluation.judge import LOOK, Judge, network_playout, new_gold, solved
from cacao_env.registry import load_agent
from tests.games import played
from tests.test_endgame import near_end, with_a_pile
from tests.tiers import slow


@pytest.fixture
def playouts(monkeypatch):
    """The network and the candidates of each playout from now on."""
    found = []

    def noted(net, scratch, work, states, ids, alive, *rest):
        found.append((net, ids[:alive].tolist()))
        network_playout(net, scratch, work, states, ids, alive, *rest)

    monkeypatch.setattr("cacao_env.evaluation.judge.network_playout", noted)
    return found


def judged(game, action, rollouts, top, seed):
    judge, half = Judge("trinitario", game.options, top=top), rollouts // 2
    return judge.by_playouts(game, action, half, rollouts - half, seed).loss


def add_outcomes(game, ids, sums, passes):
    """Add outcomes of playouts by trinitario to ``sums``."""
    net, scratch, work = load_agent("trinitario").tools
    rng = new_rng(1)
    for _ in range(passes):
        about = game.states, ids, len(ids), net.inner, rng
        network_playout(net, scratch, work, *about, sums, new_gold(len(ids)))


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


def test_half_of_the_playouts_choose_and_the_others_compare(playouts):
    game = Game.new(2, 5)
    judge = Judge("trinitario", game.options, top=3)
    judge.by_playouts(game, int(game.legal_actions()[0]), 8, 8, 1)
    counts = [len(tried) for _, tried in playouts]
    assert counts[-8:] == [2] * 8
    assert counts[0] >= 3
    assert 6 * counts[0] <= sum(counts[:-8]) <= 8 * counts[0]


def test_only_a_value_network_without_search_judges():
    for name in ("greedy", "trinitario+search"):
        with pytest.raises(ValueError, match="is not a value network without search"):
            Judge(name, Options())


def test_the_gain_of_a_choice_is_its_value_less_the_mean_of_all(monkeypatch):
    tried = []

    def fixed(net, scratch, work, states, ids, alive, inner, rng, sums, gold):
        tried.append(ids[:alive].tolist())
        sums[:alive] += ids[:alive] / 1000  # the same in every playout

    monkeypatch.setattr("cacao_env.evaluation.judge.network_playout", fixed)
    game = Game.new(2, 5)
    action = int(game.legal_actions()[0])
    verdict = Judge("trinitario", game.options, top=3).by_playouts(game, action, 8, 8, 1)
    assert verdict.gain == pytest.approx((action - np.mean(tried[0])) / 1000)
    assert verdict.best == max(tried[0])
    assert verdict.loss == pytest.approx((verdict.best - action) / 1000)


def test_a_loss_is_a_mean_with_its_interval(monkeypatch):
    game, lost = Game.new(2, 5), [0.0, 4.0, 1.0, 3.0]
    action, rest = int(game.legal_actions()[0]), iter(lost)

    def fixed(net, scratch, work, states, ids, alive, inner, rng, sums, gold):
        more = next(rest) if len(ids) == 2 else 1  # the best and the action are compared
        sums[:alive] += np.where(ids[:alive] == action, 0, more)

    monkeypatch.setattr("cacao_env.evaluation.judge.network_playout", fixed)
    judge = Judge("trinitario", game.options, top=3)
    verdict = judge.by_playouts(game, action, 8, 4, 1, lambda loss, error: False)
    assert verdict.loss == pytest.approx(2)
    assert verdict.error == pytest.approx(1.96 * np.std(lost, ddof=1) / 4**0.5)


@slow
def test_the_interval_of_a_loss_is_that_of_its_playouts():
    """Judged again and again, a loss varies as much as its interval says."""
    game = near_end(2, 11, 8)
    judge = Judge("trinitario", game.options, top=4)
    some = game.legal_actions()[::8].tolist()
    worst = max(some, key=lambda action: judge.by_playouts(game, action, 4, 16, 1).loss)
    found = [judge.by_playouts(game, worst, 4, 24, seed) for seed in range(40)]
    spread = np.std([verdict.loss for verdict in found])
    assert min(verdict.loss for verdict in found) > 0
    assert 0.7 < np.mean([verdict.error for verdict in found]) / (1.96 * spread) < 1.5


def test_comparing_ends_once_the_loss_is_settled(playouts):
    game = near_end(2, 11, 8)
    judge, asked = Judge("trinitario", game.options, top=2), []

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
        judge = Judge("trinitario", game.options, top=12, within=within)
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


# --- Near the end ---------------------------------------------------------------------------------


def test_by_hand_what_is_not_sold_is_lost():
    """The last decision of a game: two workers of B at a market that pays 3, 5 cacao stored."""
    game = played(2, 78, until=lambda g: placements_left(g.state) == 0 and g.phase == "act")
    assert [game.text(a) for a in game.legal_actions()] == [
        "act -1,2 north with 0",
        "act -1,2 north with 1",
        "act -1,2 north with 2",
    ]
    none, one, two = (int(a) for a in game.legal_actions())
    for action, gold in ((none, 6), (one, 3), (two, 0)):
        verdict = solved(game, action)
        assert verdict.loss == pytest.approx(gold)
        assert {name: by for name, by in verdict.sources.items() if by} == (
            {"sales": gold} if gold else {}
        )
        # Nothing is left to chance, so every playout says the same.
        assert judged(game, action, 6, 2, seed=1) == pytest.approx(gold)


@pytest.mark.parametrize(("players", "pile"), [(2, []), (3, []), (4, []), (2, [8, 8, 2])])
def test_the_sources_of_an_exact_loss_add_up_to_it(players, pile):
    game = near_end(players, 1, 2, "crowd")
    if pile:  # draws are weighed by their probability here
        game = with_a_pile(game, [2, 4], pile)
    verdicts = [solved(game, int(action)) for action in game.legal_actions()]
    assert len({one.loss for one in verdicts}) > 3
    for one in verdicts:
        assert sum(one.sources.values()) == pytest.approx(one.loss)


@pytest.mark.parametrize("players", [2, 3])
def test_an_action_s_loss_is_that_of_the_one_chosen(players):
    """Of every action, with the values that the solver finds for all of them."""
    near = lambda g: is_near_end(g.state, 2) and g.phase == "place" and g.seat == 1  # noqa: E731
    game = played(players, 5, until=near)
    ids, values = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    count = int(end_values(game.states, RELATIVE_SCORE, 10**6, True, ids, values))
    assert count == len(game.legal_actions()) > 5
    expected = {int(a): max(values[:count]) - v for a, v in zip(ids[:count], values)}
    assert {a: solved(game, a).loss for a in expected} == pytest.approx(expected)
