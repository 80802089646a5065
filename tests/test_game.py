"""``Game``: making, copying, undoing, keeping and naming games, in every phase."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine.notation import from_text
from cacao_env.engine.rewards import OUTCOME, rewards_into
from cacao_env.engine.rng import new_rng, shuffle
from cacao_env.engine.scoring import win_shares_into
from cacao_env.engine.state import OVER
from cacao_env.engine.tiles import MAX_PLAYERS
from cacao_env.render.text import picture
from tests.games import STYLES, played, positions

KINDS = [
    (2, False, "auto", None),
    (3, True, "explicit", None),
    (4, False, "auto", 15),
    (2, True, "explicit", 11),
]


@pytest.mark.parametrize(("players", "volcanoes", "decisions", "size"), KINDS)
def test_copies_of_every_kind_are_equal_and_independent(players, volcanoes, decisions, size):
    rng = np.random.default_rng(0)
    phases = set()
    for seed in range(3):
        game = Game.new(players, seed, volcanoes=volcanoes, decisions=decisions, table_size=size)
        for _ in positions(game, rng, STYLES["overbuild"]):
            phases.add(game.phase)
            copies = [
                game.clone(),
                copy.copy(game),
                copy.deepcopy(game),
                pickle.loads(pickle.dumps(game)),
                Game.from_json(game.to_json()),
            ]
            for other in copies:
                assert other == game
                assert other.history == game.history
                np.testing.assert_array_equal(other.action_mask(), game.action_mask())
            if not game.over:
                action = int(game.legal_actions()[0])
                before = game.clone()
                for other in copies:
                    other.play(action)
                    assert other == copies[0]
                    assert other != game
                assert game == before
    assert phases == {"place", "fill", "act", "over"}


def test_games_that_came_to_one_position_by_other_ways_differ():
    game = played(2, 4, 4, decisions="explicit")
    first, *_, second = game.legal_actions().tolist()  # of two edges
    one, other = game.clone(), game.clone()
    for action, reverse in ((first, second), (second, first)):
        one.play(action)
        other.play(reverse)
    assert one.states.tobytes() == other.states.tobytes()
    assert one != other


@pytest.mark.parametrize(("players", "volcanoes", "decisions", "size"), KINDS)
def test_undo_takes_back_exactly_one_decision(players, volcanoes, decisions, size):
    rng = np.random.default_rng(1)
    game = Game.new(players, 1, volcanoes=volcanoes, decisions=decisions, table_size=size)
    *before, _ = (position.clone() for position in positions(game, rng))
    for earlier in reversed(before):
        game.undo()
        assert game == earlier
    with pytest.raises(ValueError, match="no action to undo"):
        game.undo()


def test_undo_after_other_options_takes_back_what_was_asked():
    """The last move of the game may be one that nobody was asked about: it is not played again."""
    for seed in range(12):
        *_, game = positions(Game.new(2, seed), np.random.default_rng(seed))
        game = game.with_options("turn")
        while game.history:
            before = [move for *_, move in game.elementary_moves()]
            game.undo()
            after = [move for *_, move in game.elementary_moves()]
            assert len(after) < len(before)
            assert after == before[: len(after)]


def test_the_deal_depends_on_the_seed_and_the_rules_only():
    deals = {seed: Game.new(4, seed).draws for seed in range(20)}
    assert len({str(deal) for deal in deals.values()}) == 20
    assert Game.new(4, 0).draws == deals[0]
    assert Game.new(4, 0, decisions="explicit", table_size=15).draws == deals[0]
    assert Game.new(4).draws != Game.new(4).draws


def test_a_wrong_supply_of_tiles_is_named():
    workers, jungle = Game.new(2, 0).draws
    with pytest.raises(ValueError, match="jungle_draws has 3 of temple, expected 4"):
        Game.from_draws(workers, [*[k for k in jungle if k != "temple"], *["temple"] * 3])
    with pytest.raises(ValueError, match="player 1 has '1112', which is not a kind"):
        Game.from_draws([workers[0], ["1112", *workers[1][1:]]], jungle)
    with pytest.raises(ValueError, match="num_players is 1"):
        Game.from_draws(workers[:1], jungle)


def test_illegal_actions_are_explained():
    game = Game.new(2, 0, decisions="explicit")
    place = int(game.legal_actions()[0])
    with pytest.raises(ValueError, match="decision to make now is to place"):
        game.play(game.num_actions - 1)
    with pytest.raises(ValueError, match="no such action id"):
        game.play(game.num_actions)
    missing = next(k for k in range(4) if game.state.hand[0, k] == 0)
    wrong = place - place % 13 + [0, 1, 5, 9][missing]
    with pytest.raises(ValueError, match=r"place .* the tile is not in hand"):
        game.play(wrong)
    with pytest.raises(ValueError, match="game is over"):
        played(2, 0, decisions="explicit").play(place)


def test_text_names_an_action_both_ways_and_nonsense_is_refused():
    game = Game.new(2, 0)
    text = game.text(int(game.legal_actions()[0]))
    assert game.action(text.replace(" ", "   ")) == game.legal_actions()[0]
    assert from_text("act -1,20 west with 3") == ("act", (-1, 20), 3, 3)
    assert from_text("fill volcano/1 at 0,2") == ("fill", "volcano", 1, (0, 2))
    texts = ("", "place", "place 2101/1 at 0", "act 0,1 up with 1", "pass")
    cell = (0.0, 1.0)
    shapeless = ([], None, (), ("place",), ("place", "1111", 0, (0,)), ("place", "1111", 0, cell))
    far = "place 1111 at 0,99999999999999"
    for nonsense in (*texts, *shapeless, ("act", ("a", 1), 0, 0), far):
        with pytest.raises(ValueError, match="is not a move"):
            game.action(nonsense)
    for illegal in ("place 9999/0 at 0,1", "place 1111/1 at 0,1", "place 1111/0 at 900,901"):
        with pytest.raises(ValueError):
            game.action(illegal)


def test_the_picture_shows_the_table_and_hides_hands():
    game = played(2, 3, 12)
    spectator, seat = picture(game), picture(game, viewer=0)
    assert "P1" in spectator
    assert "M2" in spectator
    assert "????" not in spectator
    assert seat.count("????") == int(game.state.hand[1].sum())
    assert "\x1b[" not in spectator
    assert "\x1b[" in picture(game, colour=True)
    assert max(map(len, spectator.splitlines())) <= 130
    assert str(game) == spectator


def test_action_numbers_are_checked():
    game = Game.new(2, 0)
    for number in (2**31, 2**70, -(2**70), np.uint64(2**63 + 1)):
        with pytest.raises(ValueError, match=f"illegal action {number}: there is no such action"):
            game.play(number)
    for nonsense in (np.array([3]), None, 2.5, True, [1]):
        for call in (game.play, game.text, game.move):
            with pytest.raises(ValueError, match=r"action is .* \(\w+\), expected an integer$"):
                call(nonsense)
    assert game == Game.new(2, 0)


@pytest.mark.parametrize(
    ("scores", "cacao", "shares"),
    [
        ((30, 29), (0, 5), (1, 0)),
        ((29, 30), (5, 0), (0, 1)),
        ((30, 30), (4, 5), (0, 1)),
        ((30, 30), (5, 5), (0.5, 0.5)),
        ((0, 0, 0), (1, 0, 1), (0.5, 0, 0.5)),
        ((10, 12, 12, 12), (5, 1, 3, 3), (0, 0, 0.5, 0.5)),
        ((-5, -6, -6, -6), (0, 5, 5, 5), (1, 0, 0, 0)),
    ],
)
def test_stored_cacao_decides_between_equal_scores_and_wins_are_shared(scores, cacao, shares):
    state, players = Game.new(len(scores)).state, len(scores)
    state.gold[:players] = np.array(scores) + 10  # the water carriers owe 10
    state.cacao[:players], state.phase = cacao, OVER
    rewards, found, counted = np.zeros(players), np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS, int)
    rewards_into(state, OUTCOME, np.zeros(MAX_PLAYERS), counted, found, rewards)
    assert (counted[:players].tolist(), found[:players].tolist()) == (list(scores), list(shares))
    assert rewards == pytest.approx((players * np.array(shares) - 1) / (players - 1))


def test_an_observation_has_the_game_s_own_window():
    game = Game.new(2, 1, table_size=15)
    seen = game.observation(mask_in="observation")
    assert seen["action_mask"].shape == (game.num_actions,)
    assert set(np.flatnonzero(seen["action_mask"])) == set(game.legal_actions().tolist())
    assert game.observation(observation="planes")["board"].shape[1:] == (15, 15)
    for options in ({"table_size": 0}, {"decisions": ""}):
        with pytest.raises(ValueError, match=next(iter(options))):
            game.with_options(**options)


def test_every_order_of_a_pile_is_equally_likely():
    rng, found = new_rng(1), Counter()
    for _ in range(6000):
        pile = np.arange(3)
        shuffle(rng, pile, 3)
        found[tuple(pile)] += 1
    assert len(found) == 6
    assert all(850 < times < 1150 for times in found.values()), found  # five standard deviations


@pytest.mark.parametrize("cacao", range(1, 6))
def test_a_gold_more_wins_against_any_cacao(cacao):
    game, shares = Game.new(seed=0), np.zeros(MAX_PLAYERS)
    game.state.cacao[:2] = 0, cacao
    win_shares_into(game.state, np.array([1, 0, 0, 0]), shares)
    assert shares[:2].tolist() == [1, 0]
