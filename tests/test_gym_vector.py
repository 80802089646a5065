"""Gymnasium: many games at once."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from cacao_env.envs.gym import CacaoEnv, CacaoVectorEnv
from tests.test_gym import ID, legal

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


def test_episode_statistics_are_recorded():
    envs = RecordEpisodeStatistics(gymnasium.make_vec(ID, num_envs=8, opponents="greedy"))
    observations, _ = envs.reset(seed=0)
    rng = np.random.default_rng(0)
    while envs.episode_count < 20:
        chosen = np.array([legal(mask, rng) for mask in observations["action_mask"]])
        observations, rewards, overs, _, infos = envs.step(chosen)
        if overs.any():
            np.testing.assert_array_equal(infos["episode"]["r"][overs], rewards[overs])
            assert (infos["episode"]["l"][overs] > 10).all()
    assert set(envs.return_queue) <= {-1.0, 0.0, 1.0}


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
        same = np.array_equal(again["observation"][g], observations["observation"][g])
        assert same != which[g]
    with pytest.raises(
        ValueError, match=r"reset_mask has shape \(2,\) and type bool, expected \(4,\)"
    ):
        envs.reset(options={"reset_mask": which[:2]})
    with pytest.raises(ValueError, match="expected None with a reset_mask"):
        envs.reset(seed=1, options={"reset_mask": which})


def test_an_illegal_action_in_a_batch_loses_that_game_alone():
    envs = CacaoVectorEnv(4, table_size=15, reward="shaped")
    envs.reset(seed=0)
    twin = CacaoVectorEnv(4, table_size=15, reward="shaped")
    twin.reset(seed=0)
    chosen = envs.action_masks().argmax(axis=1)
    _, fair, *_ = twin.step(chosen)
    chosen[2] = np.flatnonzero(~envs.action_masks()[2])[0]
    _, rewards, overs, _, infos = envs.step(chosen)
    assert (
        overs.tolist()
        == infos["final_info"]["illegal_action"].tolist()
        == [False, False, True, False]
    )
    assert rewards[2] < -4
    others = [0, 1, 3]
    np.testing.assert_array_equal(rewards[others], fair[others])
    np.testing.assert_array_equal(envs.games.states[others], twin.games.states[others])


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
