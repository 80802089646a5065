"""What environments share: planes, the state for critics, results in infos, options of reset."""

import warnings
from functools import partial

import numpy as np
import pytest
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils import aec_to_parallel

from cacao_env import Game, cacao_v0
from cacao_env.engine.observation import decode, planes, scale
from cacao_env.envs.gym import CacaoEnv, CacaoVectorEnv
from cacao_env.envs.versus import VersusGames
from tests.games import played

DTYPES = ("float32", "uint8")
MASKS = ("observation", "info", "both")


def first_legal(mask):
    return int(np.argmax(mask))


def play_on(env, count=10**6):
    """Play the first legal actions of a PettingZoo environment, up to its end."""
    while not env.game.over and count:
        env.step(int(env.game.legal_actions()[0]))
        count -= 1


middle = partial(played, seed=3, plies=25)


def inside(seen):
    """What an observation shows beside its mask."""
    return seen.get("observation", seen) if isinstance(seen, dict) else seen


# --- Planes ---------------------------------------------------------------------------------


def test_planes_are_views_with_every_number_of_the_vector():
    batch = np.stack([middle().observation(seat) for seat in (0, 1)])
    parts = planes(batch, 2, 23)
    named = decode(batch, 2, 23)
    np.testing.assert_array_equal(parts["board"], named.pop("board"))
    rest = np.concatenate([part.reshape(2, -1) for part in named.values()], axis=1)
    np.testing.assert_array_equal(parts["features"], rest)
    for part in parts.values():
        assert np.shares_memory(part, batch)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mask_in", MASKS)
def test_all_environments_show_the_same_planes(dtype, mask_in):
    given = {"observation": "planes", "observation_dtype": dtype, "mask_in": mask_in}
    keys = {"board", "features"} if mask_in == "info" else {"observation", "action_mask"}
    aec = cacao_v0.raw_env(**given, table_size=15)
    single, batch = (
        make(**given, opponents="greedy", table_size=15)
        for make in (CacaoEnv, partial(CacaoVectorEnv, 1))
    )

    def check(seen, space, game, seat):
        assert space.contains(seen)
        assert set(seen) == keys
        vector = game.observation(seat, observation_dtype=dtype)
        np.testing.assert_equal(inside(seen), planes(vector, 2, 15))

    aec.reset(seed=1)
    while not aec.game.over:
        for seat, agent in enumerate(aec.possible_agents):
            check(aec.observe(agent), aec.observation_space(agent), aec.game, seat)
        play_on(aec, 7)
    seen, _ = single.reset(seed=4)
    many, _ = batch.reset(seed=4)
    over = False
    while not over:
        check(seen, single.observation_space, single.game, single.seat)
        assert batch.observation_space.contains(many)
        assert set(many) == keys
        for key in ("board", "features"):
            np.testing.assert_array_equal(inside(seen)[key], inside(many)[key][0])
        action = first_legal(single.action_masks())
        seen, _, over, _, _ = single.step(action)
        many, *_, infos = batch.step([action])
    np.testing.assert_equal(infos["final_obs"][0], seen)


@pytest.mark.parametrize(("dtype", "high"), [("float32", 1), ("uint8", 255)])
def test_a_vector_s_space_has_the_bounds_of_its_numbers(dtype, high):
    space = cacao_v0.raw_env(observation_dtype=dtype, mask_in="info").observation_space("player_0")
    assert space.dtype == dtype
    assert space.low.max() == 0
    assert space.high.min() == space.high.max() == high


def test_raw_planes_do_not_look_like_a_picture():
    """Stable-Baselines3 takes uint8 up to 255 for one and would resize its network to it."""
    given = {"observation": "planes", "mask_in": "info"}
    space = CacaoEnv(observation_dtype="uint8", **given).observation_space
    assert space["board"].high.max() == 4
    assert space["features"].high.max() < 255
    scaled = CacaoEnv(**given).observation_space
    assert scaled["board"].high.max() == scaled["features"].high.max() == 1


# --- The state for critics ------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ["flat", "planes"])
def test_the_state_is_what_all_seats_see(dtype, form):
    env = cacao_v0.env(num_players=3, table_size=15, observation_dtype=dtype, observation=form)
    env.reset(seed=2)
    raw = env.unwrapped
    for _ in range(3):
        play_on(raw, 12)
        state = env.state()
        assert env.state_space.contains(state)
        assert env.state_space.high.max() == (1 if state.dtype == np.float32 else 255)
        parts = np.split(state, 3)
        for seat, part in enumerate(parts):
            expected = raw.game.observation(seat)
            if dtype == "float32":
                expected = expected * scale(3, 15)
            np.testing.assert_allclose(part, expected, rtol=1e-6)
        hands = [decode(part, 3, 15)["hand"].tolist() for part in parts]
        assert hands == raw.game.state.hand[:3].tolist()
    assert env.state() is not env.state()
    for _ in env.agent_iter():
        observation, *over, _ = env.last()
        env.step(None if any(over[1:]) else int(np.argmax(observation["action_mask"])))
    assert not env.agents
    assert env.state_space.contains(env.state()), "of a finished game, too"


def test_pettingzoo_s_state_test_passes():
    for options in ({}, {"num_players": 4, "observation_dtype": "uint8", "observation": "planes"}):
        env = cacao_v0.env(**options)
        check_state_space(env)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it plays an illegal action
            check_state(env, num_cycles=2)


def test_the_converter_of_simultaneous_games_is_refused():
    """The one of turn-based games is tried in test_pettingzoo."""
    assert cacao_v0.env().metadata["is_parallelizable"] is False
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(cacao_v0.env())


# --- Results --------------------------------------------------------------------------------


def test_a_forfeited_game_is_no_win():
    env = CacaoEnv(table_size=15, seat=0)
    seen, _ = env.reset(seed=0)
    env.games.states["gold"][0] = 90, 0, 0, 0  # it leads
    *_, over, _, info = env.step(int(np.flatnonzero(seen["action_mask"] == 0)[0]))
    assert over
    assert info["score"] > info["best_other_score"]
    assert info["win_share"] == 0


# --- Options of reset -----------------------------------------------------------------------


def test_unknown_options_of_reset_are_refused():
    for env, names in (
        (cacao_v0.env(), "'game'"),
        (CacaoEnv(), "'game'"),
        (CacaoVectorEnv(2), "'reset_mask'"),
    ):
        env.reset(seed=0, options={})
        with pytest.raises(ValueError, match=f"options of reset have 'gmae', expected {names}"):
            env.reset(options={"gmae": 1})
    with pytest.raises(ValueError, match="options of reset have 'game', expected 'reset_mask'"):
        CacaoVectorEnv(2).reset(options={"game": Game.new()})


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (3, r"the game to start from is 3 \(int\), expected a Game"),
        (Game.new(3), "has num_players 3, expected 2 as in the environment"),
        (Game.new(volcanoes=True), "has volcanoes True, expected False as in the environment"),
        (played(), "the game to start from has no decision left with decisions='auto', expected"),
    ],
)
def test_a_game_that_does_not_fit_is_refused_and_nothing_has_changed(game, message):
    for env in (cacao_v0.raw_env(), CacaoEnv()):
        env.reset(seed=7)
        before = env.game
        with pytest.raises(ValueError, match=message):
            env.reset(options={"game": game})
        assert env.game == before
        env.step(int(env.game.legal_actions()[0]))


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_game_starts_from_a_position(seat):
    """Rewards count from there, and the given game stays as it is."""
    for plies in range(20, 30):
        game = middle(plies=plies)
        kept, options = game.clone(), {"game": game}
        env = CacaoEnv("greedy", seat=seat, reward="shaped")
        seen, info = env.reset(seed=5, options=options)
        assert info["seat"] == env.seat == env.game.seat == (game.seat if seat is None else seat)
        np.testing.assert_array_equal(seen["action_mask"], env.game.action_mask())
        assert env.game.draws == game.draws
        assert (env.game.ply == game.ply) == (env.seat == game.seat)
        total, over = 0.0, False
        while not over:
            seen, reward, over, _, info = env.step(first_legal(seen["action_mask"]))
            total += reward
        aec, same = cacao_v0.raw_env(reward="shaped"), 0.0
        aec.reset(seed=1, options=options)
        assert aec.game == game == kept
        np.testing.assert_array_equal(aec.last()[0]["action_mask"], game.action_mask())
        for action in env.game.history[game.ply :]:
            assert aec.agent_selection == f"player_{aec.game.seat}"
            aec.step(action)
            same += aec.rewards[f"player_{env.seat}"]
        assert aec.game == env.game
        change = np.subtract(env.game.scores(), game.scores())
        earned = (change[env.seat] - change[1 - env.seat]) / 15
        assert (total, same) == pytest.approx((earned, earned), abs=1e-5)
        assert game == kept
        env.reset(seed=5)
        aec.reset()
        assert env.game.draws != game.draws != aec.game.draws


def test_a_seat_without_a_decision_left_is_refused():
    game = Game.new(seed=0)
    while True:
        rest = game.clone()
        seats = set()
        while not rest.over:
            seats.add(rest.seat)
            rest.play(int(rest.legal_actions()[0]))
        if len(seats) == 1:
            break
        game.play(int(game.legal_actions()[0]))
    (last,) = seats
    env = CacaoEnv("random", seat=1 - last)
    env.reset(seed=3)
    words = f"seat {1 - last} has no decision left in the game to start"
    with pytest.raises(ValueError, match=words):
        env.reset(options={"game": game})
    with pytest.raises(ValueError, match=r"call reset\(\) first"):  # nobody has seen what was dealt
        env.step(first_legal(env.action_masks()))
    env.reset()
    env.step(first_legal(env.action_masks()))


def test_several_games_of_a_batch_start_from_positions_one_by_one():
    games = VersusGames(3, "greedy", reward="shaped", seed=0)
    states = games.states.copy()
    game = middle()
    games.start(1, game)
    assert games.game(1).draws == game.draws
    assert games.learners[1] == game.seat
    for g in (0, 2):
        assert games.states[g] == states[g]
    np.testing.assert_array_equal(games.action_masks[1], game.action_mask())
