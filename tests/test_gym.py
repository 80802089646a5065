"""Gymnasium: what its checkers ask, what they don't, and many games beside one."""

import copy
import site
import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import iterate

from cacao_env import Game, cacao_v0
from cacao_env.agent import Player
from cacao_env.agents import loading
from cacao_env.engine.observation import HIGH_SCORE
from cacao_env.engine.rewards import REWARDS, SCORE_SCALE
from cacao_env.envs.gym import CacaoEnv, CacaoVectorEnv
from cacao_env.envs.vector import VectorGames
from cacao_env.greedy.candidates import FORMS
from cacao_env.registry import load_agent
from cacao_env.text.table import TextTable
from tests.agents_for_tests import First

ID = "cacao_env/Cacao-v0"
OPTIONS = [
    {},
    {"mask_in": "info", "table_size": 15, "opponents": "greedy", "illegal": "lose"},
    {
        **{"num_players": 3, "mask_in": "both", "observation_dtype": "uint8", "reward": "shaped"},
        "opponents": ["greedy", "random"],
    },
    {
        **{"num_players": 4, "volcanoes": True, "decisions": "explicit", "seat": 2},
        "reward": "relative_score",
    },
]


def legal(mask, rng) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def episode(env, seed, rng):
    """An episode of random legal play: everything that was given, and its actions."""
    observation, info = env.reset(seed=seed)
    log = [(observation, info)]
    over = False
    while not over:
        shown = observation if isinstance(observation, dict) else info
        action = legal(shown["action_mask"], rng)
        observation, reward, over, truncated, info = env.step(action)
        assert not truncated
        log.append((observation, reward, over, info, action))
    return log


# --- Checkers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [*OPTIONS, *({"observation": form, "table_size": 15} for form in FORMS)], ids=str
)
def test_gymnasium_s_checker_passes_without_a_warning(options, capsys):
    check_env(gymnasium.make(ID, **options).unwrapped, skip_render_check="observation" in options)


PLANES = {"observation": "planes", "table_size": 15, "mask_in": "info"}


@pytest.mark.filterwarnings("ignore:.*image.*:UserWarning")  # a board is none
@pytest.mark.parametrize(
    "options", [*OPTIONS, PLANES, PLANES | {"observation_dtype": "uint8"}], ids=str
)
def test_stable_baselines3_s_checker_passes(options):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(ID, **options).unwrapped)


# --- Registration ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        f"import gymnasium; gymnasium.make('cacao_env:{ID}')",
        f"import gymnasium, cacao_env; gymnasium.make('{ID}'); gymnasium.make_vec('{ID}', num_envs=2)",
        "import importlib, cacao_env; importlib.reload(cacao_env)",
    ],
)
def test_it_is_registered_once_in_a_fresh_interpreter(code):
    command = [sys.executable, "-W", "error", "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "already in registry" not in ran.stderr


# --- Episodes -------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_seed_repeats_its_episode_and_the_next_and_none_gives_new_ones(options):
    one, two = (gymnasium.make(ID, **options) for _ in range(2))
    logs = []
    for env in (one, two, one):
        rng = np.random.default_rng(3)
        logs.append([episode(env, 7, rng), episode(env, None, rng)])
    np.testing.assert_equal(logs[0], logs[1])
    np.testing.assert_equal(logs[0], logs[2])
    assert [step[-1] for step in logs[0][0][1:]] != [step[-1] for step in logs[0][1][1:]]
    fresh = [gymnasium.make(ID, **options) for _ in range(2)]
    for env in fresh:
        env.reset()
    assert fresh[0].unwrapped.game.draws != fresh[1].unwrapped.game.draws


def test_the_learner_s_seat_rotates_or_is_fixed():
    env = gymnasium.make(ID, num_players=3, table_size=15)
    seats = []
    env.reset(seed=0)
    for _ in range(7):
        seats.append(env.unwrapped.seat)
        _, info = env.reset()
        assert info["seat"] == env.unwrapped.seat == env.unwrapped.game.seat
    assert all(after == (before + 1) % 3 for before, after in pairwise(seats))
    assert len({env.reset(seed=s)[1]["seat"] for s in range(20)}) == 3
    fixed = gymnasium.make(ID, num_players=3, seat=2, table_size=15)
    assert {fixed.reset(seed=s)[1]["seat"] for s in (1, 2, 3, None, None)} == {2}


# --- Illegal actions and other bad input ----------------------------------------------------


@pytest.mark.parametrize("reward", REWARDS)
def test_an_illegal_action_loses_the_episode_with_the_worst_return(reward):
    for action in (99_999, -1, 2**70, None):
        env = gymnasium.make(ID, reward=reward, table_size=15).unwrapped
        observation, _ = env.reset(seed=2)
        total, rng = 0.0, np.random.default_rng(0)
        for _ in range(10):
            observation, gained, *_ = env.step(legal(observation["action_mask"], rng))
            total += gained
        if action is None:
            action = int(np.flatnonzero(observation["action_mask"] == 0)[0])
        observation, gained, over, truncated, info = env.step(action)
        assert (over, truncated, info["illegal_action"]) == (True, False, True)
        worst = -1 if reward == "outcome" else -HIGH_SCORE / SCORE_SCALE
        assert total + gained == pytest.approx(worst, abs=1e-5)
        assert (total != 0) == (reward == "shaped")
        assert not observation["action_mask"].any()
        assert not env.action_masks().any()
        with pytest.raises(ValueError, match=r"the episode is over: call reset\(\)"):
            env.step(0)
        assert env.reset()[1]["illegal_action"] is False


def test_an_illegal_action_is_explained_if_wanted_and_nothing_has_changed():
    env = gymnasium.make(ID, illegal="raise").unwrapped
    observation, info = env.reset(seed=0)
    before = env.game
    action = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    with pytest.raises(ValueError, match=rf"seat {info['seat']}: illegal action {action} \(place"):
        env.step(action)
    assert env.game == before
    env.step(legal(env.action_masks(), np.random.default_rng(0)))


def test_a_window_shows_every_position(monkeypatch):
    shown = []
    monkeypatch.setattr(CacaoEnv, "render", lambda env: shown.append(env.game.ply))
    env = CacaoEnv(render_mode="human", opponents="random")
    env.reset(seed=0)
    assert shown == [env.game.ply]
    env.step(int(env.action_masks().argmax()))
    assert len(shown) == 2


def test_bad_calls_get_one_sentence():
    env = CacaoEnv(table_size=15)
    for early in (lambda: env.step(0), lambda: env.game, lambda: env.seat):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            early()
    with pytest.raises(ValueError, match=r"call reset\(\) first"):
        CacaoVectorEnv(1).step(np.zeros(1, int))
    for early in (CacaoEnv(render_mode="svg"), CacaoVectorEnv(2, render_mode="ansi")):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            early.render()
    with pytest.raises(ValueError, match=r"copy is 'no'"):
        CacaoVectorEnv(1, copy="no")
    env.reset(seed=0)
    for action in ("north", 1.0, None, True):
        with pytest.raises(ValueError, match=r"action is .* \(\w+\), expected an integer$"):
            env.step(action)
    with pytest.raises(ValueError, match="num_envs is 0, expected at least 1"):
        CacaoVectorEnv(0)


# --- Opponents ------------------------------------------------------------------------------


def test_other_names_are_asked_of_installed_packages(monkeypatch):
    dist = SimpleNamespace(locate_file=lambda _: site.getsitepackages()[0])

    def point(name, thing):
        failure = thing if isinstance(thing, Exception) else None
        load = Mock(side_effect=failure, return_value=thing)
        return SimpleNamespace(name=name, value="somewhere:Mine", dist=dist, load=load)

    def install(**found):
        points = [point(name, thing) for name, thing in found.items()]
        monkeypatch.setattr(loading, "entry_points", lambda group: points)

    install()
    with pytest.raises(ValueError, match=r"nor an entry point in the group cacao_env\.agents"):
        CacaoEnv("mine")
    seeds = []

    class Mine(First):
        def __init__(self, seed):
            seeds.append(seed)

    install(mine=Mine)
    env = CacaoEnv({"mine": 1, "greedy": 1}, table_size=15)
    for seed in range(4):
        episode(env, seed, np.random.default_rng(0))
    assert len(set(seeds)) > 2  # one for each game that it plays in, and the first to try it
    with pytest.raises(ValueError, match="there is no agent 'yours'"):
        CacaoEnv("yours")
    install(mine=ModuleNotFoundError("No module named 'torch'"))
    with pytest.raises(ValueError, match="mine: somewhere:Mine can't be loaded: ModuleNotFoundE"):
        CacaoEnv("mine")
    install(mine=lambda seed: 3)
    with pytest.raises(ValueError, match=r"mine has no method act\(game\)"):
        CacaoEnv("mine")


# --- Many at once ---------------------------------------------------------------------------


def test_infos_have_the_form_of_gymnasium_s_own_vector_environments():
    ours = gymnasium.make_vec(ID, num_envs=3, table_size=15, mask_in="both")
    theirs = SyncVectorEnv(
        [lambda: gymnasium.make(ID, table_size=15, mask_in="both")] * 3,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    rng = np.random.default_rng(0)
    forms = []
    for envs in (ours, theirs):
        observations, infos = envs.reset(seed=0)
        form = {"reset": shape(infos)}
        while len(form) < 3:
            chosen = [legal(mask, rng) for mask in observations["action_mask"]]
            observations, _, overs, _, infos = envs.step(np.array(chosen))
            form["end" if overs.any() else "step"] = shape(infos)
            if overs.any():
                np.testing.assert_array_equal(infos["_final_obs"], overs)
                np.testing.assert_array_equal(infos["_final_info"], overs)
                for g in range(3):
                    assert (infos["final_obs"][g] is not None) == overs[g]
        forms.append(form)
    assert forms[0] == forms[1]


def shape(infos):
    """The keys of infos and the kinds of their arrays, in no order."""
    return {
        key: shape(value) if isinstance(value, dict) else (value.shape, value.dtype.kind)
        for key, value in infos.items()
    }


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("form", ["flat", "planes"])
def test_arrays_are_new_ones_unless_the_same_are_wanted(form, same):
    envs = CacaoVectorEnv(4, table_size=15, mask_in="both", observation=form, copy=not same)
    observations, infos = envs.reset(seed=0)
    seen = observations["observation"]["board"] if form == "planes" else observations["observation"]
    given = {"seen": seen, "mask": observations["action_mask"], "info": infos["action_mask"]}
    given |= {"masks": envs.action_masks()}
    kept = {name: array.copy() for name, array in given.items()}
    envs.step(envs.action_masks().argmax(axis=1))
    for name, array in given.items():
        assert np.array_equal(array, kept[name]) != same, name
    assert np.shares_memory(seen, envs.games.observations) == same
    assert envs.action_masks().dtype == np.bool_


def test_some_games_alone_can_begin_anew():
    envs = CacaoVectorEnv(4, table_size=15)
    observations, _ = envs.reset(seed=0)
    which = np.array([False, True, False, True])
    again, _ = envs.reset(options={"reset_mask": which})
    for g in range(4):
        assert np.array_equal(again["observation"][g], observations["observation"][g]) != which[g]
    words = r"reset_mask has shape \(2,\) and type bool, expected \(4,\)"
    with pytest.raises(ValueError, match=words):
        envs.reset(options={"reset_mask": which[:2]})
    before = envs.np_random.bit_generator.state
    with pytest.raises(ValueError, match="expected None with a reset_mask"):
        envs.reset(seed=1, options={"reset_mask": which})
    assert envs.np_random.bit_generator.state == before


def test_an_illegal_action_in_a_batch_loses_that_game_alone():
    envs = CacaoVectorEnv(4, table_size=15, reward="shaped")
    envs.reset(seed=0)
    twin = CacaoVectorEnv(4, table_size=15, reward="shaped")
    twin.reset(seed=0)
    chosen = envs.action_masks().argmax(axis=1)
    _, fair, *_ = twin.step(chosen)
    chosen[2] = np.flatnonzero(~envs.action_masks()[2])[0]
    _, rewards, overs, _, infos = envs.step(chosen)
    assert overs.tolist() == [False, False, True, False]
    assert infos["final_info"]["illegal_action"].tolist() == overs.tolist()
    assert not infos["illegal_action"].any(), "the new game has the forfeit of the one before"
    assert rewards[2] < -4
    others = [0, 1, 3]
    np.testing.assert_array_equal(rewards[others], fair[others])
    np.testing.assert_array_equal(envs.games.states[others], twin.games.states[others])


@pytest.mark.parametrize("form", FORMS)
def test_a_forfeited_game_shows_the_same_end_at_every_door(form):
    given = {"observation": form, "decisions": "turn", "table_size": 15}
    env = CacaoEnv(**given)
    env.reset(seed=1)
    end = env.step(9999)[0]
    for mode in AutoresetMode:
        envs = CacaoVectorEnv(1, autoreset_mode=mode, **given)
        envs.reset(seed=1)
        seen, *_, infos = envs.step(np.array([9999]))
        if mode is AutoresetMode.SAME_STEP:
            np.testing.assert_equal(infos["final_obs"][0], end)
        else:
            np.testing.assert_equal(next(iterate(envs.observation_space, seen)), end)


def test_rendering_returns_every_table():
    envs = gymnasium.make_vec(ID, num_envs=2, render_mode="ansi")
    envs.reset(seed=0)
    assert ["display:" in text for text in envs.render()] == [True, True]


@pytest.mark.parametrize("form", ["flat", "planes"])
def test_a_single_environment_hands_out_new_arrays(form):
    env = CacaoEnv(table_size=15, mask_in="both", observation=form)
    observation, info = env.reset(seed=0)
    kept = copy.deepcopy((observation, info))
    masks = env.action_masks()
    assert not np.shares_memory(masks, env.games.action_masks)
    env.step(int(masks.argmax()))
    np.testing.assert_equal((observation, info), kept)


def test_a_list_of_seeds_begins_the_episode_of_each_seed():
    batch = CacaoVectorEnv(3, "greedy")
    seen, infos = batch.reset(seed=[1, 5, 2**64 - 1])
    envs = [CacaoEnv("greedy") for _ in range(3)]
    firsts = [env.reset(seed=seed) for env, seed in zip(envs, (1, 5, 2**64 - 1))]
    for number, (own, info) in enumerate(firsts):
        assert infos["seat"][number] == info["seat"]
        np.testing.assert_equal({key: part[number] for key, part in seen.items()}, own)
    actions = batch.action_masks().argmax(1)
    seen, *_ = batch.step(actions)
    for number, env in enumerate(envs):
        own, *_ = env.step(actions[number])
        np.testing.assert_equal(seen["observation"][number], own["observation"])
    with pytest.raises(ValueError, match="seed has 2 seeds, expected 3"):
        batch.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="seed is -1, expected 0 to 18446744073709551615"):
        batch.reset(seed=[1, 2, -1])


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_limit_of_steps_truncates_an_episode_without_a_result(mode):
    env = gymnasium.make_vec(ID, num_envs=2, max_episode_steps=3, autoreset_mode=mode.value)
    env.reset(seed=1)
    for step in range(1, 4):
        before = env.unwrapped.games.deals.copy()
        seen, rewards, over, truncated, infos = env.step(env.unwrapped.action_masks().argmax(1))
        assert truncated.tolist() == [step == 3] * 2
        assert not np.any([over, rewards])
    assert "win_share" not in infos
    after = env.unwrapped.games.deals
    if mode == AutoresetMode.SAME_STEP:
        assert (after != before).all()
        assert infos["_final_obs"].all()
        assert not infos["final_obs"][0]["action_mask"].any()
        assert infos["final_obs"][0]["observation"].sum() > seen["observation"][0].sum()
        assert seen["action_mask"].any(1).all()
        assert not infos["final_info"]["win_share"].any()
        return
    assert (after == before).all()
    assert not seen["action_mask"].any()
    if mode == AutoresetMode.DISABLED:
        with pytest.raises(ValueError, match="game 0 is over"):
            env.step(np.zeros(2, np.int64))
        env.reset(options={"reset_mask": np.array([True, False])})
        assert (after != before).tolist() == [True, False]
        return
    seen, rewards, over, truncated, infos = env.step(np.zeros(2, np.int64))
    assert not np.any([over, truncated, rewards])
    assert seen["action_mask"].any(1).all()
    assert (after != before).all()
    for step in range(1, 4):  # the call that dealt is no step of the next episode
        *_, truncated, _ = env.step(env.unwrapped.action_masks().argmax(1))
        assert truncated.tolist() == [step == 3] * 2


def test_a_limit_of_steps_counts_those_of_an_episode():
    env = gymnasium.make_vec(ID, 2, max_episode_steps=60, autoreset_mode="SameStep", seat=0)
    env.reset(seed=1)
    ended = 0
    while ended < 6:  # a game has fewer decisions of a seat than that
        *_, terminated, truncated, _ = env.step(env.unwrapped.action_masks().argmax(1))
        assert not truncated.any()
        ended += terminated.sum()


def test_a_game_that_begins_anew_leaves_the_steps_of_others():
    envs = CacaoVectorEnv(2, max_episode_steps=3, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1)
    for step in range(3):
        envs.reset(options={"reset_mask": np.array([step == 1, False])})
        *_, truncated, _ = envs.step(envs.action_masks().argmax(1))
    assert truncated.tolist() == [False, True]


@pytest.mark.parametrize("seed", [-1, 2**64, True, 1.5, "1"])
def test_a_seed_is_in_one_range_at_every_door(seed):
    """Elsewhere it was taken modulo 2**64, so 1 and 2**64 + 1 dealt the same game."""
    doors = (
        lambda: CacaoEnv().reset(seed=seed),
        lambda: CacaoVectorEnv(2).reset(seed=seed),
        lambda: cacao_v0.env().reset(seed=seed),
        lambda: VectorGames(2, seed=seed),
        lambda: Game.new(2, seed),
        lambda: TextTable(seed),
        lambda: Player(load_agent("greedy"), seed),
    )
    words = r"^seed is .*, expected .*0 to 18446744073709551615\)?$"
    for door in doors:
        with pytest.raises(ValueError, match=words):
            door()
