"""Afterstate learning: samples, resumed runs, configurations, checkpoints."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from cacao_env.value.features import NO_ROW, PER_SEAT
from cacao_env.value.net import POINTS
from training import train_afterstate
from training.afterstate_config import AfterstateConfig
from training.agents import AgentError, load_agent
from training.checkpoint import CheckpointError, add_to_manifest
from training.config import ConfigError, from_dict
from training.selfplay import Behaviour
from training.train_afterstate import Run, Trainer, main
from training.value_checkpoint import load_value
from training.value_learning import Players, join, play, share_out
from training.value_net import ValueNet

SMALL = {
    "name": "small",
    "greedy_rounds": 1,
    "greedy_games": 40,
    "games": 16,
    "rounds": 4,
    "minutes": 1000.0,
    "threads": 1,
    "batch": 32,
    "replay": 2,
    "sums": 8,
    "maxima": 4,
    "units": 4,
    "top": 4,
    "watch_rounds": 2,
    "watch_blocks": 2,
    "blocks": 2,
}
ITSELF = Behaviour(0.0, 0.02, 0.0, 0.02, 4, 0.9, 1.0, 0.5)


def run_for(folder: Path, rounds: int, **changes) -> Run:
    """A run of so many rounds of the four that it is meant to have."""
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(from_dict(SMALL | changes, AfterstateConfig))
    go_on(run, folder, rounds)
    return run


def go_on(run: Run, folder: Path, rounds: int) -> None:
    trainer = Trainer(run, folder)
    for _ in range(rounds):
        trainer.round()
    trainer.save()
    trainer.close()


def same_weights(one: Run, other: Run) -> bool:
    a, b = one.learner.arrays(), other.learner.arrays()
    assert sorted(a) == sorted(b)
    return all(np.array_equal(a[name], b[name]) for name in a)


# --- Samples --------------------------------------------------------------------------------


def test_samples_hold_what_came_of_their_games():
    net = ValueNet(8, 4, 4).compiled()
    whole = ITSELF._replace(decay=1.0, others=1.0)
    for players in (2, 3, 4):
        [games] = share_out(30, {str(players): 1.0}, 0.0, [players])
        samples = play(games, net, whole)
        shares = samples.shares[:, :players]
        assert (samples.players == players).all()
        assert shares.sum(axis=1) == pytest.approx(1)
        assert set(np.unique(shares)) <= {0, 0.25, 1 / 3, 0.5, 1} | {np.float32(1 / 3)}
        assert (samples.shares[:, players:] == 0).all()
        assert (samples.points[:, players:] == 0).all()
        turns = {2: 22, 3: 30, 4: 36}[players] - 1
        assert len(samples.stage) == 30 * turns * players
        # Who is ahead once the points to come are added has won.
        for i in range(1, players):
            lead = 15 * samples.numbers[:, i * PER_SEAT + 3]
            lead += POINTS * (samples.points[:, 0] - samples.points[:, i])
            assert (samples.shares[lead < -0.5, 0] == 0).all()
            assert (samples.shares[lead > 0.5, i] == 0).all()
            assert (np.abs(lead - np.round(lead)) < 1e-3).all()


def test_lambda_mixes_what_was_expected_into_what_came():
    net = ValueNet(8, 4, 4).compiled()
    [games] = share_out(20, {"2": 1.0}, 0.0, [1])
    by_decay = [play(games, net, ITSELF._replace(decay=d, others=1.0)) for d in (1.0, 0.5, 0.0)]
    assert all(np.array_equal(s.numbers, by_decay[0].numbers) for s in by_decay)
    # 21 turns have another after them, seen by two; the last is followed by nothing but the result.
    assert len(by_decay[0].stage) == 20 * 42
    turn = np.arange(20 * 42) // 2 % 21
    last = turn == 20
    assert np.array_equal(by_decay[0].shares[last], by_decay[2].shares[last])
    assert not np.array_equal(by_decay[0].shares[turn == 19], by_decay[2].shares[turn == 19])
    # Before that: a share of what was expected at the next turn, the rest from its own target.
    later = by_decay[2].shares[turn == 19]
    half = by_decay[1].shares[turn == 19]
    assert half == pytest.approx(0.5 * later + 0.5 * by_decay[0].shares[last], abs=1e-5)


def test_games_do_not_depend_on_who_plays_them():
    net = ValueNet(8, 4, 4).compiled()
    chunks = share_out(260, {"2": 0.7, "3": 0.3}, 0.25, [9])
    assert len(chunks) > 3
    assert sum(len(chunk.seeds) for chunk in chunks) == 260
    assert {(chunk.num_players, chunk.volcanoes) for chunk in chunks} == {
        (2, False),
        (2, True),
        (3, False),
        (3, True),
    }
    found = []
    for threads in (1, 3):
        players = Players(threads)
        found.append(players.collect(players.begin(chunks, net, ITSELF)))
        players.close()
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_no_sample_has_more_rows_than_are_kept():
    net = ValueNet(8, 4, 4).compiled()
    samples = join([play(games, net, ITSELF) for games in share_out(20, {"4": 1.0}, 0.5, [2])])
    assert (samples.rows[:, -20:] == NO_ROW).all()


# --- Runs -----------------------------------------------------------------------------------


def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(tmp_path):
    whole = run_for(tmp_path / "whole", 4)
    run_for(tmp_path / "part", 2)
    resumed = Run.resume(tmp_path / "part")
    assert resumed.round == 2
    go_on(resumed, tmp_path / "part", 2)
    assert same_weights(whole, resumed)
    assert (whole.games, whole.samples) == (resumed.games, resumed.samples)
    other = run_for(tmp_path / "other", 4, seed=1)
    assert not same_weights(whole, other)


def test_the_command_trains_measures_and_goes_on(tmp_path, capsys):
    config = tmp_path / "small.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in SMALL.items()]
    config.write_text("\n".join(lines) + '\nagainst = ["random"]\n')
    folder = tmp_path / "run"
    assert main(["--config", str(config), "--set", "rounds=2", "--out", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "trained 56 games" in printed
    assert "small against random, 2 players: wins" in printed
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["round"] for row in rows] == [1, 2]
    assert [row["by"] for row in rows] == ["greedy", "network"]
    assert "wins_2p" in rows[1]
    assert main(["--resume", str(folder), "--set", "rounds=3"]) == 0
    assert len((folder / "metrics.jsonl").read_text().splitlines()) == 3
    assert json.loads((folder / "config.json").read_text())["rounds"] == 3
    agent = load_agent(str(folder))
    assert agent.name == "small"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"colour": 1}, "there is no key 'colour'"),
        ({"games": "many"}, "games is 'many', expected int"),
        ({"players": {"5": 1.0}}, "players is {'5': 1.0}, expected odds of 2, 3, 4"),
        ({"players": {"2": 0.0}}, "expected odds of 2, 3, 4"),
        ({"volcanoes": 1.5}, "volcanoes is 1.5, expected a share"),
        ({"batch": 0}, "batch is 0, expected more than 0"),
        ({"noise": -1.0}, "noise is -1.0, expected 0 or more"),
        ({"bars": {"greedy": 2}}, "bars is {'greedy': 2}"),
    ],
)
def test_a_wrong_configuration_is_named(change, words):
    with pytest.raises(ConfigError) as error:
        from_dict(SMALL | change, AfterstateConfig)
    assert words in str(error.value)


def test_what_can_t_be_resumed_is_named(tmp_path, capsys):
    assert main(["--resume", str(tmp_path / "nowhere")]) == 1
    assert "state.safetensors can't be read" in capsys.readouterr().err
    run_for(tmp_path / "run", 1)
    state = tmp_path / "run" / train_afterstate.STATE
    state.write_bytes(state.read_bytes()[:1000])
    assert main(["--resume", str(tmp_path / "run")]) == 1
    assert "can't be read" in capsys.readouterr().err
    assert main(["--resume", str(tmp_path / "run"), "--set", "sums=9"]) == 1


# --- Checkpoints ----------------------------------------------------------------------------


@pytest.fixture
def checkpoint(tmp_path):
    run_for(tmp_path / "net", 1, players={"2": 1.0})
    return tmp_path / "net"


def test_a_checkpoint_says_what_it_is_for(checkpoint):
    agent = load_agent(str(checkpoint))
    agent.check(2, False)
    with pytest.raises(CheckpointError, match="small is for 2 players, not for 3"):
        agent.check(3, False)
    with pytest.raises(CheckpointError, match="has not met volcanoes"):
        agent.check(2, True)
    assert load_agent(f"{checkpoint}+search:ms=5").name == "small+search:ms=5"
    for wrong, words in (("+search:depth=3", "no parameter 'depth=3'"), ("+search:ms=-1", "ms of")):
        with pytest.raises((AgentError, ValueError), match=words):
            load_agent(f"{checkpoint}{wrong}")


def test_what_is_no_checkpoint_is_refused_with_a_reason(checkpoint):
    weights = checkpoint / "weights.safetensors"
    good = weights.read_bytes()

    def refused(words: str) -> None:
        with pytest.raises(CheckpointError, match=words):
            load_value(checkpoint)

    weights.write_bytes(good[:-10])
    refused("does not have the checksum")
    import hashlib

    for data in (pickle.dumps({"bias": 1}), b"", good[:-10]):
        weights.write_bytes(data)
        add_to_manifest(checkpoint, sha256=hashlib.sha256(data).hexdigest())
        refused("don't fit")
    weights.write_bytes(good)
    add_to_manifest(checkpoint, sha256=hashlib.sha256(good).hexdigest())
    load_value(checkpoint)
    size = json.loads((checkpoint / "manifest.json").read_text())["size"]
    add_to_manifest(checkpoint, size=size | {"sums": 9})
    refused("not those of such a network")
    add_to_manifest(checkpoint, size=size, features="0000")
    refused("made for other features")


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    from training.value_checkpoint import save_value

    learnt = ValueNet(8, 4, 4).learnt()
    learnt["bias"][0] = np.nan
    save_value(tmp_path, "nan", learnt, {"players": [2], "volcanoes": False})
    with pytest.raises(CheckpointError, match="not all finite"):
        load_value(tmp_path)
