"""Bots: how they are named, what greedy expects of a turn, and how well they play."""

import time

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agent import play_game
from cacao_env.agents.bots import BOTS, Bot
from cacao_env.agents.mc import run_passes
from cacao_env.agents.specs import Parameter, parse_values, split_names
from cacao_env.agents.utility import UTILITY, value_of
from cacao_env.engine.decisions import NONE
from cacao_env.engine.options import ASKED
from cacao_env.engine.rewards import SCORE_SCALE
from cacao_env.engine.rng import new_rng
from cacao_env.engine.tiles import VOLCANO
from cacao_env.greedy.choices import CHOICES, GREEDY_WEIGHTS, greedy_choice, score_actions
from cacao_env.greedy.turn import unasked
from cacao_env.greedy.values import Weights, gain_of_other, set_worths
from cacao_env.registry import load_agent
from tests.games import STYLES, continuations, game_after, greedy_values, played, positions
from tests.test_candidates import worth
from tests.tiers import mostly_slow

# --- Names and parameters -------------------------------------------------------------------


def test_names_are_split_where_they_end():
    assert split_names("greedy,mc:sims=64,top=8,random") == ["greedy", "mc:sims=64,top=8", "random"]
    assert split_names("random, a+search:ms=5,width=4") == ["random", "a+search:ms=5,width=4"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("greedy:sims=3", "bot greedy has no parameter 'sims'; it has: none"),
        ("mc:depth=3", "bot mc has no parameter 'depth'; it has: sims=..., ms=..."),
        ("mc:sims", "bot mc has no parameter 'sims'"),
        ("mc:sims=0", "sims of bot mc is '0', expected an integer from 1 to 1000000"),
        ("mc:sims=many", "sims of bot mc is 'many', expected an integer"),
        ("mc:sims=2.5", "sims of bot mc is '2.5', expected an integer"),
        ("mc:top=1", "top of bot mc is '1', expected an integer from 2"),
    ],
)
def test_a_wrong_parameter_is_named(spec, words):
    with pytest.raises(ValueError) as error:
        Bot(spec)
    assert words in str(error.value)


def test_a_parameter_may_be_a_number_with_a_point():
    known = {"heat": Parameter(1.0, 0.0, 2.0, "how hot")}
    assert parse_values("it", "heat=1.5", known) == {"heat": 1.5}
    for wrong in ("nan", "2.5", "1e0"):
        with pytest.raises(ValueError, match=f"heat of it is '{wrong}', expected a number from 0"):
            parse_values("it", f"heat={wrong}", known)


# --- Greedy ---------------------------------------------------------------------------------

# Only gold and temples are worth something: what an action adds to the score by the turn's end.
ONLY_SCORE = np.array(
    [float(name == "temple" or name.endswith("_fade")) for name in Weights._fields], np.float64
)


def best_gain(game: Game, action: int, seat: int) -> float:
    """The most a seat's score can rise in this turn after an action: all continuations are played."""
    ends = continuations(game_after(game, action), lambda p: p.turn != game.turn or p.seat != seat)
    return max(end.scores()[seat] for end in ends) - game.scores()[seat]


def test_values_of_a_position_depend_on_no_position_before():
    """The scratch space remembers what sums of edges are worth, to the stocks of one position."""
    shared = np.zeros(1, CHOICES)[0]
    for number in range(8):
        game = played(2, number, 3 * number + 2, style="greedy", decisions="turn")
        fresh = np.zeros(1, CHOICES)[0]
        for choices in (shared, fresh):
            score_actions(choices, game.state, GREEDY_WEIGHTS)
        count = fresh.count
        np.testing.assert_array_equal(shared.values[:count], fresh.values[:count])


@pytest.mark.parametrize("style", mostly_slow(sorted(STYLES)))
@pytest.mark.parametrize(("players", "volcanoes"), [(2, False), (2, True), (3, True), (4, False)])
def test_greedy_expects_of_a_placement_what_the_best_turn_brings(players, volcanoes, style):
    rng = np.random.default_rng(players)
    compared = above = 0
    for seed in range(3):
        game = Game.new(players, seed, volcanoes=volcanoes)
        for _ in positions(game, rng, STYLES[style]):
            if game.phase != "place":
                continue
            gains = greedy_values(game, ONLY_SCORE)
            assert sorted(gains) == game.legal_actions().tolist()
            for action in rng.choice(sorted(gains), 6):
                after = game_after(game, action)
                if after.phase == "fill" and bin(int(after.state.to_fill)).count("1") > 2:
                    continue  # the third tile is not known before it is drawn
                exact = best_gain(game, int(action), game.seat)
                assert gains[int(action)] >= exact - 1e-9
                compared += 1
                # Above only where an edge would have to sell on both sides of a harvest.
                above += gains[int(action)] > exact + 1e-9
    assert compared > 150
    assert above <= 0.01 * compared


def test_a_placement_is_worth_the_best_way_to_fill_after_it():
    rng, equal = np.random.default_rng(1), []
    for seed in range(6):
        game = Game.new(2 + seed % 3, seed, volcanoes=seed > 2, decisions="explicit")
        for _ in positions(game, rng, STYLES["crowd"]):
            for action, value in greedy_values(game).items() if game.phase == "place" else ():
                after = game_after(game, action)
                if after.phase == "fill" and bin(int(after.state.to_fill)).count("1") < 3:
                    equal.append(abs(max(greedy_values(after).values()) - value) < 1e-6)
    assert len(equal) > 1000
    assert np.mean(equal) > 0.8  # the sums of a placement differ from play now and then


@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_s_hopes_fade_with_the_placements_and_the_tiles_that_are_left(players):
    state = Game.new(players).states[0]
    look, weights = np.zeros(1, CHOICES)[0].look, np.array(Weights())

    def hopes(left):
        set_worths(look, state, 0, weights, left)
        return [round(float(look[name]), 6) for name in ("temple", "facing", "empty")]

    most, given = int(state.tiles_each), Weights()
    assert hopes(most) == [given.temple, given.facing, given.edge]
    assert hopes(0) == [1, 0, 0]
    assert hopes(1)[2] == given.edge / 2
    assert hopes(most - 1)[0] - given.temple == pytest.approx((1 - given.temple) / most, abs=1e-5)
    assert hopes(most - 1)[1] == pytest.approx(given.facing * (1 - 1 / most), abs=1e-5)
    state.jungle_drawn = state.num_jungle - 1
    assert hopes(most)[2] == pytest.approx(given.edge / 5)
    assert look.others == pytest.approx(given.others / (players - 1))


def test_an_edge_is_worth_the_gold_and_the_stock_that_it_leaves():
    rng, compared = np.random.default_rng(2), 0
    for seed in range(12):
        game = Game.new(2 + seed % 3, seed)
        for _ in positions(game, rng, STYLES["crowd"]):
            if game.phase != "act":
                continue
            values = greedy_values(game)
            left = int(game.state.tiles_each) - int(game.state.placed[game.seat])
            worths = []
            for action in values:
                after = game_after(game, action)
                if after.turn == game.turn:
                    break  # another edge follows, whose value counts as well
                worths.append(worth(after, game.seat, left))
            else:
                np.testing.assert_allclose(np.diff([*values.values()]), np.diff(worths), atol=1e-6)
                compared += len(worths) > 1
    assert compared > 20


def test_a_volcano_takes_no_more_than_a_seat_has():
    choices, game = np.zeros(1, CHOICES), Game.new(3, volcanoes=True)
    for gold, lost in ((0, 0), (1, -1), (9, -3)):
        game.state.gold[2] = gold
        assert gain_of_other(choices[0].look, game.state, 2, VOLCANO, 0, 3) == lost


def test_greedy_takes_each_of_equal_choices_as_often():
    game = Game.new(2, 0)
    choices, rng, values = np.zeros(1, CHOICES), new_rng(0), greedy_values(game, ONLY_SCORE)
    equal = [action for action, value in values.items() if value == max(values.values())]
    assert len(equal) > 3  # only the score counts
    trials = 100 * len(equal)  # interpreted, as its weights are not greedy's
    chosen = [greedy_choice(choices[0], game.states[0], ONLY_SCORE, rng) for _ in range(trials)]
    counts = np.array([chosen.count(action) for action in equal])
    assert counts.sum() == trials
    assert ((counts - 100) ** 2 / 100).mean() < 2.5  # chi-squared by its degrees of freedom


# --- Search ---------------------------------------------------------------------------------


def test_search_beats_greedy():
    pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")
    from cacao_env.evaluation.run import measure

    result = measure(Bot("mc:sims=64,top=8"), Bot("greedy"), blocks=12, seed=0, luck=False)
    assert result.win_share >= 0.75


NETWORKS = ("trinitario", "trinitario+search:sims=4,width=2,inner=2,exact=2")


@pytest.mark.parametrize("spec", [*sorted(BOTS), "mc:ms=5", *NETWORKS])
@pytest.mark.parametrize("decisions", ["auto", "explicit"])
def test_every_agent_plays_whole_games_with_all_options(spec, decisions):
    agent = load_agent("mc:sims=8,top=4" if spec == "mc" else spec)
    for players in (2, 3, 4):
        game = Game.new(players, 3, volcanoes=players != 3, decisions=decisions)
        play_game(game, [agent.player(n) for n in range(players)])
        assert game.over


def test_time_is_kept():
    game, bot = Game.new(2, 0), Bot("mc:ms=60").player(0)
    bot.act(game)
    begin = time.perf_counter()
    bot.act(game)
    assert time.perf_counter() - begin > 0.02  # a busy machine may be late, not early


def test_greedy_expects_of_fills_and_actions_what_the_best_turn_brings():
    rng = np.random.default_rng(1)
    compared = {"fill": 0, "act": 0}
    for seed in range(60):
        game = Game.new(2 + seed % 3, seed, volcanoes=seed % 2 == 1)
        for _ in positions(game, rng):
            if game.phase not in compared or bin(int(game.state.to_fill)).count("1") > 2:
                continue
            gains = greedy_values(game, ONLY_SCORE)
            exact = {a: best_gain(game, a, game.seat) for a in game.legal_actions().tolist()}
            assert sorted(gains) == sorted(exact)
            best, first = max(exact.values()), next(iter(exact))
            if game.phase == "act":
                offset = gains[first] - exact[first]
                for action, gain in exact.items():
                    assert gains[action] - offset == pytest.approx(gain)
            else:
                assert exact[max(gains, key=gains.__getitem__)] == best
            compared[game.phase] += 1
    assert min(compared.values()) > 300


@pytest.mark.parametrize("spec", ["greedy", "mc:sims=8"])
def test_an_explicit_game_s_move_that_can_not_matter_is_the_analysis(spec):
    game, seen = Game.new(2, 0, decisions="explicit"), 0
    bot, rng = Bot(spec), new_rng(1)
    while seen < 3:
        forced = unasked(game.state, ASKED.index("auto"))
        if forced != NONE and len(game.legal_actions()) > 1:
            assert bot.analyze(game, rng).actions.tolist() == [forced]
            assert bot.act([game], [rng]) == [forced]
            seen += 1
        game.play(int(game.legal_actions()[0]))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_utility_is_half_the_win_and_half_the_margins(players):
    shared = 0
    for seed in range(60):
        game = played(players, seed)
        if seed % 3 == 0:  # a tie
            game.state.gold[:players] += max(game.scores()) - np.array(game.scores())
            game.state.cacao[:players] = 0
        scores, winners = game.scores(), game.winners()
        shared += len(winners) > 1
        found = [value_of(game.state, seat, UTILITY) for seat in range(players)]
        for seat, own in enumerate(scores):
            share = (seat in winners) / len(winners)
            win = (players * share - 1) / (players - 1)
            others = [own - other for n, other in enumerate(scores) if n != seat]
            margin = np.mean(np.tanh(np.array(others) / SCORE_SCALE))
            assert found[seat] == pytest.approx(0.5 * win + 0.5 * margin)
        assert sum(found) == pytest.approx(0)
    assert shared >= 20


def test_candidates_meet_the_same_deals_and_luck():
    game = played(2, 7, until=lambda game: game.ply >= 12 and game.phase == "place")
    before = game.states.tobytes()
    action = int(game.legal_actions()[0])
    ids, sums = np.full(3, action), np.zeros(3)
    run_passes(game.states, ids, 3, sums, 20, new_rng(1), UTILITY)
    assert sums[0] == sums[1] == sums[2] != 0
    again = np.zeros(3)
    run_passes(game.states, ids, 3, again, 20, new_rng(2), UTILITY)
    assert again[0] != sums[0]
    assert game.states.tobytes() == before
