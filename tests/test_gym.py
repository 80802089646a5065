"""Gymnasium: what its checkers ask, what they don't, and many games beside one."""

import site
import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from cacao_env.engine.observation import HIGH_SCORE
from cacao_env.engine.rewards import REWARDS, SCORE_SCALE
from cacao_env.envs.gym import CacaoEnv, CacaoVectorEnv
from cacao_env.greedy.candidates import FORMS
from tests.agents_for_tests import First

ID = "cacao_env/Cacao-v0"
OPTIONS = [
    {},
    {"mask_in": "info", "table_size": 15, "opponents": "greedy", "illegal": "lose"},
    {
        "num_players": 3,
        "mask_in": "both",
        "observation_dtype": "uint8",
        "reward": "shaped",
        "opponents": ["greedy", "random"],
    },
    {
        "num_players": 4,
        "volcanoes": True,
        "decisions": "explicit",
        "reward": "relative_score",
        "seat": 2,
    },
]


def mask_of(observation, info):
    return observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]


def legal(mask, rng) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def episode(env, seed, rng):
    """An episode of random legal play: everything that was given, and its actions."""
    observation, info = env.reset(seed=seed)
    log = [(observation, info)]
    over = False
    while not over:
        action = legal(mask_of(observation, info), rng)
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
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
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


def test_bad_calls_get_one_sentence():
    env = CacaoEnv(table_size=15)
    with pytest.raises(ValueError, match=r"call reset\(\) first"):
        env.step(0)
    with pytest.raises(ValueError, match=r"call reset\(\) first"):
        CacaoVectorEnv(1).step(np.zeros(1, int))
    for early in (CacaoEnv(render_mode="svg"), CacaoVectorEnv(2, render_mode="ansi")):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            early.render()
    with pytest.raises(ValueError, match=r"copy is 'no'"):
        CacaoVectorEnv(1, copy="no")
    for seed in (-1, "1", 1.5, True):
        with pytest.raises(ValueError, match=r"seed is .*, expected (an integer \()?at least 0"):
            env.reset(seed=seed)
    env.reset(seed=0)
    for action in ("north", 1.0, None, True):
        with pytest.raises(ValueError, match=r"action is .* \(\w+\), expected an integer$"):
            env.step(action)
    with pytest.raises(ValueError, match="num_envs is 0, expected at least 1"):
        CacaoVectorEnv(0)


# --- Opponents ------------------------------------------------------------------------------


class _Point:
    value = "somewhere:Mine"
    dist = SimpleNamespace(locate_file=lambda _: site.getsitepackages()[0])

    def __init__(self, name, thing):
        self.name, self._thing = name, thing

    def load(self):
        if isinstance(self._thing, Exception):
            raise self._thing
        return self._thing


def test_other_names_are_asked_of_installed_packages(monkeypatch):
    from cacao_env.agents import registry

    def install(**found):
        points = [_Point(name, thing) for name, thing in found.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: points)

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
