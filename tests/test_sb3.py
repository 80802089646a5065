"""sb3-contrib's MaskablePPO on the single environment, on SB3's own batch of it, and on ours."""

import copy
import re

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy as plain_evaluation
from stable_baselines3.common.vec_env import VecMonitor

from cacao_env.engine.observation import decode, planes
from cacao_env.engine.state import OVER
from cacao_env.envs.sb3 import KEPT, CacaoVecEnv
from cacao_env.envs.versus import VersusGames
from cacao_env.greedy.candidates import Candidates
from tests.checkpoints import checkpoint
from tests.games import random_legal
from tests.sources import ROOT
from tests.test_agents import HERE
from training.train_sb3 import Sb3Config, Sb3Learner

ID = "cacao_env/Cacao-v0"
# An illegal action raises: that nothing does shows that masks are honoured.
OPTIONS = {"table_size": 15, "illegal": "raise"}


def single(**options):
    return gymnasium.make(ID, disable_env_checker=True, **OPTIONS, **options)


def learn(env, policy="MlpPolicy"):
    model = MaskablePPO(policy, env, n_steps=16, batch_size=16, n_epochs=1, seed=0, device="cpu")
    return model.learn(48)


PLANES = {"observation": "planes"}


@pytest.mark.parametrize(
    ("policy", "options"),
    [
        ("MultiInputPolicy", {"mask_in": "observation"}),
        ("MlpPolicy", {"mask_in": "info"}),
        ("MultiInputPolicy", {"mask_in": "info", "observation_dtype": "uint8", **PLANES}),
    ],
    ids=str,
)
def test_the_single_environment_trains(policy, options):
    env = single(**options)
    model = learn(env, policy)
    assert model.num_timesteps >= 48
    observation, _ = env.reset(seed=0)
    over = False
    while not over:
        action, _ = model.predict(observation, action_masks=get_action_masks(env))
        observation, _, over, _, _ = env.step(action)


def test_an_episode_s_length_counts_from_the_last_reset():
    env = CacaoVecEnv(VersusGames(3, "random", table_size=15, seed=0))
    for most in (5, 500):
        env.reset()
        for steps in range(1, most + 1):  # noqa: B007
            masks = env.env_method("action_masks")
            _, _, over, infos = env.step(np.array([np.flatnonzero(mask)[0] for mask in masks]))
            if over.any():
                break
    assert [info["episode"]["l"] for info in np.array(infos)[over]] == [steps] * over.sum()


def test_our_batch_trains():
    games = VersusGames(4, "random", table_size=15, seed=0, observation_dtype="uint8")
    assert learn(VecMonitor(CacaoVecEnv(games))).num_timesteps >= 48
    planes = VecMonitor(CacaoVecEnv(games, observation="planes"))
    assert planes.observation_space["board"].shape == (18, 15, 15)
    assert learn(planes, "MultiInputPolicy").num_timesteps >= 48


def test_the_time_in_the_games_is_counted(monkeypatch):
    env = CacaoVecEnv(VersusGames(2, "random", table_size=15, seed=0))
    env.reset()
    ticks = iter([10.0, 10.5, 20.0, 20.25])
    monkeypatch.setattr("cacao_env.envs.sb3.time.perf_counter", lambda: next(ticks))
    for _ in range(2):
        env.step(env.games.action_masks.argmax(axis=1))
    assert env.seconds == 0.75


def test_planes_feed_the_convolutions_of_the_guide():
    guide = (ROOT / "docs/guides/observations.md").read_text(encoding="utf-8")
    shown = {}
    exec(re.search(r"```python\n(import torch\n.*?)```", guide, re.S).group(1), shown)
    policy = {"features_extractor_class": shown["Convolutions"]}
    env = single(**PLANES, mask_in="info")
    model = MaskablePPO(
        "MultiInputPolicy", env, policy_kwargs=policy, n_steps=16, batch_size=16, device="cpu"
    )
    assert model.learn(16).num_timesteps >= 16


def test_an_unmasked_policy_is_caught():
    model = PPO("MlpPolicy", single(mask_in="info"), n_steps=32, batch_size=32, device="cpu")
    with pytest.raises(ValueError, match="illegal action"):
        plain_evaluation(model, model.get_env(), n_eval_episodes=1, warn=False)


def test_masks_are_the_games_own_and_stacking_them_makes_a_copy():
    games = VersusGames(4, "random", table_size=15, seed=0)
    env = CacaoVecEnv(games)
    env.reset()
    assert np.shares_memory(env.env_method("action_masks"), games.action_masks)
    stacked = get_action_masks(env)
    kept = stacked.copy()
    env.step(stacked.argmax(axis=1))
    np.testing.assert_array_equal(stacked, kept)
    np.testing.assert_array_equal(get_action_masks(env), games.action_masks == 1)
    one = env.env_method("action_masks", indices=2)
    np.testing.assert_array_equal(one, games.action_masks[2:3] == 1)
    env.set_options({})
    for options in ({"game": None}, [{}, {"game": None}, {}, {}]):
        with pytest.raises(ValueError, match=r"options of reset are .*, expected none"):
            env.set_options(options)


@pytest.mark.parametrize("form", ["flat", "planes"])
def test_finished_games_show_their_last_observation(form):
    games = VersusGames(4, "random", table_size=15, seed=0)
    env, rng = CacaoVecEnv(games, observation=form), np.random.default_rng(0)
    observations, finished = env.reset(), 0
    rewards, lengths = np.zeros(4), np.zeros(4, int)
    while finished < 12:
        actions = random_legal(get_action_masks(env), rng)
        kept, handed_out = copy.deepcopy(observations), observations
        observations, rewarded, dones, infos = env.step(actions)
        np.testing.assert_equal(handed_out, kept)  # each step returns new arrays
        rewards += rewarded
        lengths += 1
        for g, info in enumerate(infos):
            assert dones[g] == ("terminal_observation" in info)
            if dones[g]:
                finished += 1
                assert info["TimeLimit.truncated"] is False
                assert info["episode"] == {"r": rewards[g], "l": lengths[g], "t": 0.0}
                rewards[g] = lengths[g] = 0
                end = games.final_observations[g]
                assert decode(end, 2, 15)["phase"].tolist() == [0, 0, 0, 1]
                expected = end if form == "flat" else planes(end, 2, 15)
                np.testing.assert_equal(info["terminal_observation"], expected)
                assert env.observation_space.contains(info["terminal_observation"])
                assert games.states["phase"][g] != OVER


def test_a_finished_game_is_logged_with_its_win_share_and_margin():
    games = VersusGames(8, {"random": 1}, table_size=15, seed=2)
    env, expected = CacaoVecEnv(games), []
    env.reset()
    while len(expected) < 24:
        env.step(games.action_masks.argmax(axis=1))
        for own, other in games.final_scores[games.dones]:
            expected.append((own - other, float(own > other)))
    logged = env.take_ended()
    assert [margin for _, margin in logged] == [margin for margin, _ in expected]
    clear = [(share, won) for (share, margin), (_, won) in zip(logged, expected) if margin]
    assert all(share == won for share, won in clear)
    assert {share for share, _ in clear} == {0.0, 1.0}
    assert env.take_ended() == []  # each once
    env._ended.extend([(1.0, 5)] * 2 * KEPT)
    assert len(env.take_ended()) == KEPT  # who never asks fills no memory


def test_a_tied_game_is_no_win_in_the_metrics():
    learner = Sb3Learner(Sb3Config(games=8, rollout=64, batch=64, epochs=1, width=4, threads=1))
    games, step = learner.games, learner.games.step

    def tied(actions):
        step(actions)
        games.final_win_shares[games.dones] = 0.5
        games.final_scores[games.dones] = 40

    games.step = tied
    metrics = learner.round()
    assert learner.counts["games"] >= 8
    assert (metrics["wins_training"], metrics["margin_training"]) == (0.5, 0.0)


def test_resets_without_a_seed_go_on_with_other_deals_and_repeat():
    def deals(seed=None, first=0):
        env = CacaoVecEnv(VersusGames(2, "random", table_size=15, seed=first))
        if seed is not None:
            env.seed(seed)
        return [env.reset().tobytes() for _ in range(3)]

    assert deals() == deals()
    assert len(set(deals())) == 3
    assert deals(first=1) != deals()
    assert deals(5) == deals(5, first=1) != deals()
    assert len(set(deals(5))) == 3


@pytest.mark.parametrize(
    ("shown", "asked"),
    [("flat", "candidates"), ("candidates", "planes"), ("candidates", Candidates(4))],
)
def test_another_form_than_the_games_show_is_refused(shown, asked):
    games = VersusGames(2, "random", observation=shown, seed=0)
    with pytest.raises(ValueError, match="but the games show"):
        CacaoVecEnv(games, asked)


# --- Any agents as the opponents of the trainer ---------------------------------------------------


def test_opponents_share_what_earlier_selves_leave_by_their_weights():
    opponents = {"greedy": 3, "random": 1}
    small = {"games": 2, "rollout": 16, "batch": 32, "width": 8, "snapshot_fraction": 0.2}
    games = Sb3Learner(Sb3Config(**small, opponents=opponents)).games
    assert games._opponents.probabilities == pytest.approx([0.2, 0.6, 0.2])  # random is first


def test_a_run_against_agents_resumes_unless_one_has_a_memory_of_its_own(tmp_path):
    small = {"games": 4, "rollout": 16, "batch": 32, "steps": 64, "width": 8, "epochs": 1}
    net = str(checkpoint(tmp_path))
    for name, fine in ((net, True), (f"{HERE}:Half", False)):
        config = Sb3Config(**small, opponents={name: 1.0, "random": 1.0})
        learner = Sb3Learner(config)
        learner.round()
        learner.rounds = 1
        arrays, counts = learner.arrays(), learner.counts.copy()
        uninterrupted = learner.round()
        again = Sb3Learner(config)
        again.rounds, again.counts = 1, counts
        if fine:
            again.restore(arrays)
            assert again.round() == uninterrupted
        else:
            with pytest.raises(ValueError, match="an opponent's memory was not saved"):
                again.restore(arrays)
