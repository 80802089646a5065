"""Whole runs of every learner: what they leave behind, and that a resumed one is the same."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agent import play_game
from cacao_env.agents.checkpoint import FILES, read_manifest
from cacao_env.engine.options import DECISIONS
from cacao_env.registry import load_agent

runs = pytest.importorskip("tests.tiny_runs", reason="the training extra is not installed")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.tiers import mostly_slow
from training.networks import read_weights
from training.state import STATE, part, read_state

NAMES = ("afterstate", "ppo-rows", "sb3")  # each learner, and both forms of observations


def timeless(rows):
    return [{key: x for key, x in row.items() if "second" not in key} for row in rows]


@pytest.mark.parametrize("name", mostly_slow(NAMES))
def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(name, tiny, tmp_path, no_luck):
    whole, part = tiny(name), runs.resumed(name, tmp_path)
    states = [read_state(one.folder)[0] for one in (whole, part)]
    assert states[0].keys() == states[1].keys()
    for key, array in states[0].items():
        np.testing.assert_array_equal(array, states[1][key], key)
    assert timeless(whole.rows) == timeless(part.rows)
    assert ["wins_greedy_2p" in row for row in whole.rows] == [False, True]
    for one in (whole, part):
        board = EventAccumulator(str(one.folder / "tensorboard")).Reload()
        assert [shown.step for shown in board.Scalars("seconds")] == [1, 2]
    about = read_manifest(whole.folder)
    assert about["training"]["config"] == asdict(whole.config)
    assert json.loads((whole.folder / "config.json").read_text()) == asdict(whole.config)
    for file in (FILES[about["network"]], STATE):
        assert (whole.folder / file).read_bytes() == (part.folder / file).read_bytes(), file
    starts = json.loads((part.folder / "run.json").read_text())
    assert [one["at_round"] for one in starts] == [0, 1]
    assert {"versions", "git_commit", "machine", "command", "created"} <= set(starts[0])


@pytest.mark.parametrize("name", mostly_slow(["ppo-rows", "sb3"]))
def test_a_checkpoint_has_the_network_that_was_trained(name, tiny):
    one, prefix = tiny(name), "net" if name == "ppo-rows" else "net.mlp_extractor.net"
    trained, written = part(prefix, read_state(one.folder)[0]), read_weights(one.folder)
    assert len(trained) > 4
    for key, array in trained.items():
        np.testing.assert_array_equal(array, written[key], key)


@pytest.mark.parametrize("name", mostly_slow(NAMES))
def test_a_run_s_checkpoint_plays_every_game_that_it_should(name, tiny):
    agent = load_agent(str(tiny(name).folder))
    assert agent.name == "golden"
    for decisions in DECISIONS:
        game = Game.new(2, 1, decisions=decisions)
        play_game(game, [agent.player(seat) for seat in range(2)])
        assert game.over
