"""What agents say of a position: it agrees with what they do and what a seat may know."""

from dataclasses import replace

import numpy as np
import pytest

from cacao_env.agent import play_game
from cacao_env.agents.bots import BOTS, Bot
from cacao_env.agents.greedy import greedy_analyze
from cacao_env.agents.halving import halve
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.analysis import from_values, from_visits
from cacao_env.engine.decisions import NONE
from cacao_env.engine.observation import scale
from cacao_env.engine.rewards import SCORE_SCALE
from cacao_env.engine.rng import new_rng
from cacao_env.engine.state import AUTO
from cacao_env.game import Game
from cacao_env.greedy.turn import unasked
from cacao_env.registry import load_agent
from tests.games import played
from tests.test_endgame import near_end
from tests.test_value import some_net
from tests.tiers import mostly_slow

NAMES = [{"mc": "mc:sims=32,top=6"}.get(name, name) for name in BOTS]


def positions(count=6, **options):
    games = (played(2 + seed % 3, seed, 9 * seed, **options) for seed in range(count))
    return (game for game in games if not game.over)


def holds(analysis, game):
    """What is true of every thought."""
    assert set(analysis.actions.tolist()) <= set(game.legal_actions().tolist())
    assert len(set(analysis.actions.tolist())) == len(analysis.actions)
    assert analysis.weights.sum() == pytest.approx(1)
    assert (np.diff(analysis.weights) <= 1e-12).all()
    if analysis.visits is not None:
        assert analysis.visits.min() >= 1
        assert (np.diff(analysis.visits) <= 0).all()
    if analysis.win_shares is not None:
        assert analysis.win_shares.shape == analysis.scores.shape == (game.num_players,)
        assert analysis.win_shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", [*NAMES, "trinitario", "trinitario+search:sims=16"])
def test_an_agent_thinks_most_of_what_it_plays(name):
    agent = load_agent(name)
    for game in positions(volcanoes=name in NAMES):
        if agent.supports(game.options):
            before = game.state.tobytes()
            analysis, action = agent.player(5).analyze(game), agent.player(5).act(game)
            holds(analysis, game)
            assert game.state.tobytes() == before
            ranked = analysis.visits if analysis.visits is not None else analysis.weights
            place = analysis.actions.tolist().index(action)
            assert ranked[place] == pytest.approx(ranked.max(), abs=1e-6)
            if analysis.visits is not None:
                assert analysis.visits.sum() <= 64
                assert (abs(analysis.values) <= 1).all(), "mean utilities"


def test_playouts_choose_nothing_that_is_forced():
    forced = 0
    for game in positions(40, decisions="explicit"):
        action = unasked(game.state, AUTO)
        if action != NONE and len(game.legal_actions()) > 1:
            forced += 1
            assert {load_agent("mc:sims=4").player(seed).act(game) for seed in range(3)} == {action}
    assert forced > 5


def test_what_is_expected_after_an_action_depends_on_no_other():
    agent, game = load_agent("trinitario"), played(2, 4, 20)
    states = game.determinise(game.seat, 1).states
    asked = game.legal_actions()[::5].tolist()
    each = [load_agent("trinitario").expect(states, action, new_rng(0)) for action in asked]
    assert len({str(one) for one in each}) > len(asked) // 2
    for action, (win_shares, scores) in zip(reversed(asked), reversed(each)):
        found = agent.expect(states, action, new_rng(0))
        np.testing.assert_array_equal(found, (win_shares, scores))


def test_the_end_is_thought_out_exactly():
    ends = (near_end(2, seed, 2, "greedy") for seed in range(20))
    game = next(game for game in ends if len(game.legal_actions()) > 3)
    analysis = Bot("mc:exact=3").player(0).analyze(game)
    assert analysis.unit == "utility"
    best = analysis.actions[analysis.values >= analysis.values[0] - 1e-9]
    assert Bot("mc:exact=3").player(0).act(game) in best


def test_an_analysis_ends_when_its_time_does():
    game, few = Game.new(2, 1), 10**5  # of a million
    assert Bot("mc:sims=1000000,ms=1").player(0).analyze(game).visits.sum() < few


def test_the_prospects_are_those_of_play_by_greedy():
    game = next(iter(positions(1)))
    analysis = Bot("greedy").player(0).analyze(game)
    scores = np.zeros(2)
    for seed in range(100):
        players = [Bot("greedy").player(seed + seat) for seat in range(2)]
        scores += play_game(game.determinise(0, seed), players).scores()
    assert analysis.scores == pytest.approx(scores / 100, abs=4)


def test_a_bot_analyses_a_deal_of_its_own(monkeypatch):
    shown = []

    def analyze(states, rng):
        shown.append(Game(states.copy(), []))
        return greedy_analyze(states, rng)

    monkeypatch.setattr("cacao_env.agents.bots.FORECAST", 1)
    monkeypatch.setitem(BOTS, "greedy", replace(BOTS["greedy"], analyze=analyze))
    game = Game.new(3, seed=5)
    bot = Bot("greedy")
    bot.analyze(game, bot.begin(8))
    assert (shown[0].observation(game.seat) == game.observation(game.seat)).all()
    for true, own in zip(game.draws, shown[0].draws, strict=True):
        assert np.any(np.asarray(true) != np.asarray(own))


@pytest.mark.parametrize("count", range(2, 10))
@pytest.mark.parametrize("best", ["first", "last"])
def test_every_round_drops_the_worse_half(count, best):
    """By hand, for odd numbers too: the middle one stays, and rounds go on until one is left."""
    worth = np.arange(count)[:: 1 if best == "last" else -1].astype(float)
    asked = []

    def run(ids, alive, sums, passes):
        asked.append((sorted(ids[:alive].tolist()), passes))
        sums[:alive] += passes * worth[ids[:alive]]

    ids, sums, sims = np.arange(count), np.zeros(count), 60 * count
    visits = halve(run, ids, sums, count, sims, 0.0, 0)
    left, expected, made = list(np.argsort(-worth)), [], np.zeros(count, int)
    rounds = len(bin(count - 1)) - 2  # halvings, each rounded up, until one is left
    while len(left) > 1:
        passes = sims // (rounds * len(left))
        expected.append((sorted(left), passes))
        made[left] += passes
        left = left[: (len(left) + 1) // 2]
    assert asked == expected
    assert ids[0] == worth.argmax()
    assert visits.tolist() == made[ids].tolist()
    np.testing.assert_allclose(sums / visits, worth[ids])


def test_rounds_of_halving_share_the_time_and_end_with_it(monkeypatch):
    now = [5.0]
    monkeypatch.setattr("cacao_env.agents.halving.time.perf_counter", lambda: now[0])

    def run(ids, alive, sums, passes):
        now[0] += 0.001 * alive * passes
        sums[:alive] -= passes * ids[:alive]

    visits = halve(run, np.arange(4), np.zeros(4), 4, 0, 5.0, 82)
    assert visits.tolist() == [31, 31, 10, 10]  # 41 milliseconds for four, then for two
    assert halve(run, np.arange(8), np.zeros(8), 8, 0, now[0], 5).tolist() == [1] * 8


def test_weights_of_values_and_visits():
    analysis = from_values([5, 6, 7], [0.0, 2.0, 1.0], 0.5, "gold")
    assert analysis.actions.tolist() == [6, 7, 5]
    assert analysis.weights[0] / analysis.weights[1] == pytest.approx(np.e**2)
    analysis = from_visits([5, 6, 7], [0.3, 0.1, 0.2], [2, 6, 2], "utility")
    assert analysis.actions.tolist() == [6, 5, 7]
    assert analysis.weights.tolist() == [0.6, 0.2, 0.2]


def test_nothing_is_thought_of_a_finished_game():
    game = played()
    with pytest.raises(ValueError, match="the game is over"):
        Bot("greedy").player(0).analyze(game)
    with pytest.raises(ValueError, match="the game is over"):
        ValueAgent(some_net().compiled()).player(0).analyze(game)


@pytest.mark.parametrize("players", mostly_slow([2, 3]))
def test_a_policy_s_critic_expects_a_lead_by_the_reward_of_its_training(tmp_path, players):
    torch = pytest.importorskip("torch", reason="the training extra is not installed")
    from cacao_env.agents.checkpoint import POLICY, write_files
    from cacao_env.agents.onnx import load_policy
    from cacao_env.engine.options import Options
    from cacao_env.views import Form
    from training.networks import CellNet, export

    torch.manual_seed(0)
    net, about = CellNet(players, 15, 8), Form(Options(players, table_size=15))
    game = played(players, 3, 12, table_size=15)
    scores, seat = game.scores(), game.seat
    seen = torch.from_numpy(game.observation(seat) * scale(players, 15).copy())[None]
    value = SCORE_SCALE * float(net(seen)[1].detach())
    now = scores[seat] - (sum(scores) - scores[seat]) / (players - 1)
    for reward, unit, lead in (
        ("shaped", SCORE_SCALE, now + value),
        ("relative_score", SCORE_SCALE, value),
        ("outcome", SCORE_SCALE, None),
        ("shaped", "15", None),
    ):
        trained = {"config": {"reward": reward}, "reward_scale": unit}
        data, rules = export(net, about), about.as_dict()
        folder = tmp_path / f"{reward}{unit}"
        write_files(folder, "x", POLICY, data, rules=rules, training=trained)
        agent = load_policy(folder).player(0)
        analysis = agent.analyze(game)
        holds(analysis, game)
        assert analysis.actions[0] == agent.act(game)
        assert len(analysis.actions) == len(game.legal_actions())
        assert analysis.lead == (None if lead is None else pytest.approx(lead, abs=1e-3))
