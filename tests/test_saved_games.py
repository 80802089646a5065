"""A saved game is options, deal and actions: what loads plays on the same, and nothing else loads."""

import copy
import json
import pickle
import re

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.bots import Bot
from cacao_env.engine.options import Options
from cacao_env.engine.rewards import REWARDS, SCORE_SCALE
from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames
from cacao_env.game import ELEMENTARY, LATE
from tests.agents_for_tests import First
from tests.games import played, random_legal

SIZE = 15


def vector(players: int = 3, seed: int = 1, **more) -> VectorGames:
    return VectorGames(
        4, num_players=players, seed=seed, **({"table_size": SIZE, "reward": "shaped"} | more)
    )


def versus(players: int = 3, seed: int = 1, opponents=None, **more) -> VersusGames:
    opponents = opponents or {"random": 1, "greedy": 1}
    options = {"table_size": SIZE, "reward": "shaped"} | more
    return VersusGames(4, opponents, num_players=players, seed=seed, **options)


def ended(games):
    return games.terminations if isinstance(games, VectorGames) else games.dones


def assert_same(one, other):
    """Two batches show the same, down to the actions that led there."""
    for name in ("observations", "action_masks", "rewards", "final_scores", "_potentials"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    np.testing.assert_array_equal(ended(one), ended(other))
    for number in range(one.num_games):
        assert one.game(number) == other.game(number)


def _restored(other, games):
    other.restore(games.arrays())
    return other


@pytest.mark.parametrize(
    "make",
    [
        vector,
        versus,
        lambda **more: versus(2, opponents="mc:sims=2,top=3", **more),
        lambda **more: vector(decisions="turn", observation="candidates", **more),
    ],
    ids=["vector", "versus", "a bot in Python", "rows"],
)
def test_a_restored_batch_plays_on_as_the_batch_itself(make):
    games, rng = make(volcanoes=True), np.random.default_rng(0)
    for _ in range(12):
        games.step(random_legal(games.action_masks, rng))
    other, ends, kept = _restored(make(volcanoes=True, seed=9), games), 0, games.arrays()
    before = copy.deepcopy(kept)
    for number in range(60):
        assert_same(games, other)
        if number % 2 and hasattr(games, "sample"):
            np.testing.assert_array_equal(games.sample(), other.sample())
        actions = random_legal(games.action_masks, rng)
        games.step(actions)
        other.step(actions)
        ends += int(ended(games).sum())
    assert ends >= 4
    np.testing.assert_equal(kept, before)  # a copy


@pytest.mark.parametrize("seat", [None, 1])
@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_are_counted_on_from_where_they_were(reward, seat):
    """Also in games that began in given positions, or whose learner has not decided yet."""
    games = versus(4, reward=reward, seat=seat, illegal="lose")
    rng, lead = np.random.default_rng(0), played(4, 0, 25, table_size=SIZE)
    for number in range(60):
        if number % 20 == 7:
            games.start(0, lead)
        other = _restored(versus(4, reward=reward, seat=seat, illegal="lose", seed=5), games)
        actions = random_legal(games.action_masks, rng)
        if number % 9 == 2:
            actions[1] = -1
        for batch in (games, other):
            batch.step(actions, deal=number % 2 == 0)
        assert_same(games, other)
        if number % 2:
            games.deal(games.dones)


def test_a_game_dealt_in_the_middle_of_another_is_rewarded_for_itself_alone():
    games, rng = versus(2), np.random.default_rng(3)
    for _ in range(9):
        games.step(random_legal(games.action_masks, rng))
    games.deal(np.ones(4, np.bool_))
    paid, over = np.zeros(4), np.zeros(4, np.bool_)
    while not over.all():
        games.step(random_legal(games.action_masks, rng))
        paid += np.where(over, 0, games.rewards)
        for number in np.flatnonzero(games.dones & ~over):
            own, other = games.final_scores[number]
            assert paid[number] == pytest.approx((own - other) / SCORE_SCALE, abs=1e-5)
        over |= games.dones


def test_elementary_actions_after_others_are_no_history():
    text = json.loads(played(2, 0, 20).to_json())
    text["actions"][9] += ELEMENTARY
    with pytest.raises(ValueError, match=f"action number 9: {LATE}"):
        Game.from_json(json.dumps(text))
    games, rng = vector(), np.random.default_rng(0)
    for _ in range(12):
        games.step(random_legal(games.action_masks, rng))
    arrays = games.arrays()
    arrays["actions"][1, 5] += ELEMENTARY
    arrays["_counted"][1] = 2  # actions are numbered from the deal on
    with pytest.raises(ValueError, match=f"game 1: action number 5: {LATE}"):
        vector().restore(arrays)


def test_games_that_cannot_be_saved_say_why():
    with pytest.raises(ValueError, match="games against First can't be saved: its memory is not"):
        versus(opponents=First(0)).arrays()
    with pytest.raises(ValueError, match="games against First can't be saved"):
        versus(3, opponents=["greedy", First(0)]).arrays()
    with pytest.raises(ValueError, match="these games have not been dealt"):
        versus(begin=False).arrays()
    pickle.loads(pickle.dumps(versus(begin=False))).reset(1)


# --- What does not load ------------------------------------------------------------------------


def refused(games, arrays, sentence):
    """Games stay as they are, with one sentence."""
    before = {name: array.copy() for name, array in games.arrays().items()}
    with pytest.raises(ValueError, match=f"saved games do not match: {sentence}") as error:
        games.restore(arrays)
    assert "\n" not in str(error.value)
    for name, array in games.arrays().items():
        np.testing.assert_array_equal(array, before[name], name)


@pytest.mark.parametrize("make", [vector, versus])
def test_games_with_other_options_are_refused(make):
    for options, name in (
        ({"players": 2}, "num_players"),
        ({"volcanoes": True}, "volcanoes"),
        ({"decisions": "explicit"}, "decisions"),
        ({"table_size": 19}, "table_size"),
    ):
        refused(make(), make(**options).arrays(), f"{name} differs")
    refused(make(), [], "what was saved is")


def _change(name, place, value):
    def change(arrays):
        arrays[name][place] = value

    return change


def _swap(arrays):
    """Exchange the first tiles of two seats' piles: each pile is then no supply of the box."""
    draws = arrays["worker_draws"][0]
    first, other = draws[0], draws[1]
    kind = next(k for k in range(4) if (first == k).sum() and (other != k).any())
    first[np.flatnonzero(first == kind)[0]] = (kind + 1) % 4


CHANGES = [
    (_swap, "game 0: worker_draws of player . has"),
    (_change("jungle_draws", (1, slice(0, 2)), 1), "game 1: jungle_draws has"),
    (_change("worker_draws", (0, 3, 0), 1), "game 0: the draws have tiles beyond"),
    (_change("actions", (1, 0), -5), "game 1: action number 0: illegal action -5: there is no"),
    (_change("actions", (1, 3), 0), r"game 1: action number 3: illegal action 0 \(place"),
    (_change("plies", 0, 10**9), "actions is int16"),
    (_change("plies", 0, -1), "plies has numbers below 0"),
    (_change("_counted", 0, 500), "a game has more actions than"),
    (_change("rewards", 0, np.nan), "rewards has numbers that are not"),
]


OF_OPPONENTS = [
    (_change("learners", 0, 3), "a learner has no seat"),
    (_change("learners", 0, -1), "a learner has no seat"),
    (
        lambda arrays: arrays.update(learners=(arrays["learners"] + 1) % 3),
        "another seat than the learner's decides",
    ),
    (_change("kinds", 0, 9), "a game has an opponent that there is not"),
    (_change("kinds", 0, -1), "a game has an opponent that there is not"),
]


@pytest.mark.parametrize(
    ("make", "change", "sentence"),
    [*((vector, *one) for one in CHANGES), *((versus, *one) for one in OF_OPPONENTS)],
)
def test_what_no_game_has_is_refused_in_one_sentence(make, change, sentence):
    games, rng = make(), np.random.default_rng(0)
    for _ in range(10):
        games.step(random_legal(games.action_masks, rng))
    arrays = games.arrays()
    change(arrays)
    refused(games, arrays, sentence)


def test_the_memory_of_a_seat_that_no_agent_in_python_plays_is_passed_over():
    games = versus()
    arrays = games.arrays()
    assert not arrays["memory"].any()
    games.restore(arrays | {"memory": np.ones_like(arrays["memory"])})
    assert not games.arrays()["memory"].any()


def test_actions_beyond_the_end_of_a_game_are_refused():
    game = played(2, 3, table_size=SIZE)
    games = VectorGames(1, num_players=2, table_size=SIZE, seed=1)
    arrays = games.arrays()
    for name in ("worker_draws", "jungle_draws"):
        arrays[name][0] = game.state[name]
    arrays |= {"actions": np.array([game.history], np.int16), "plies": np.array([game.ply])}
    refused(games, arrays, "a game is over, and a new one would have replaced it")
    arrays["actions"] = np.append(arrays["actions"], [[0]], 1).astype(np.int16)
    arrays["plies"] += 1
    refused(games, arrays, f"game 0: action number {game.ply}: .*the game is over")


def test_a_damaged_pickle_of_a_batch_is_refused():
    games = vector()
    games.actions[1, 0] = 32_000
    games.states["ply"][1] = 1
    with pytest.raises(ValueError, match="game 1: action number 0: illegal action 32000"):
        pickle.loads(pickle.dumps(games))


def test_a_pickled_game_has_no_state():
    game = played(2, 3)
    game.state.phase = 0
    assert pickle.loads(pickle.dumps(game)).over


# --- One game, and the environments ------------------------------------------------------------


def test_text_that_is_no_saved_game_gets_one_sentence():
    whole = Game.new(seed=1).to_json()
    for text in ("[" * 100_000, '{"format":' * 50_000, "[]," * 400_000, "[]", "{}", ""):
        with pytest.raises(ValueError, match="not a saved game") as error:
            Game.from_json(text)
        assert len(str(error.value)) <= 300
    data = json.loads(whole) | {"jungle_draws": ["x" * 5000]}
    with pytest.raises(ValueError, match="jungle_draws") as error:
        Game.from_json(json.dumps(data))
    assert len(str(error.value)) <= 300
    data = json.loads(whole) | {"actions": [0, 10**6]}
    with pytest.raises(ValueError, match=re.escape("action number 0: illegal action 0 (place")):
        Game.from_json(json.dumps(data))


@pytest.mark.parametrize("name", ["random", "greedy", "mc:sims=2"])
def test_a_bot_decides_nothing_in_a_game_that_was_never_dealt(name):
    game, bot = Game(Options().blank_states(), []), Bot(name)
    for door in (
        lambda: bot.act([game], [bot.begin(0)]),
        lambda: bot.analyze(game, bot.begin(0)),
        lambda: bot.player(0).act(game),
    ):
        with pytest.raises(ValueError, match="the game has not been dealt"):
            door()


# --- What ends in a batch -----------------------------------------------------------------------


def test_a_forfeit_costs_the_same_after_any_start():
    uneven = lambda game: len(set(game.scores())) > 1 and game.phase == "place"  # noqa: E731
    lead = played(2, 0, until=uneven, table_size=SIZE)
    games = VersusGames(1, "random", num_players=2, table_size=SIZE, illegal="lose", seed=0)
    games.start(0, lead)
    games.step(np.array([-1]))
    assert games.rewards.tolist() == [-1]
