"""Afterstate learning: samples, resumed runs, configurations, checkpoints."""

from __future__ import annotations

import errno
import json
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.actions import MAX_LEGAL
from cacao_env.rng import new_rng
from cacao_env.value.features import NO_ROW, PER_SEAT
from cacao_env.value.net import POINTS, new_scratch
from cacao_env.value.search import SearchAgent, search_choice
from cacao_env.value.turns import new_work
from training.agents import AgentError, load_agent
from training.checkpoint import CheckpointError, add_to_manifest
from training.config import ConfigError, from_dict
from training.run_folder import METRICS, read_metrics
from training.state import STATE
from training.train_afterstate import Run, Trainer, main
from training.value.checkpoint import load_value, read_value
from training.value.config import AfterstateConfig
from training.value.games import GREEDY_RIVAL, NET_RIVAL, NO_RIVAL, Behaviour
from training.value.learning import Players, join, play, share_out
from training.value.net import ValueNet
from training.value.rivals import rival_of

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
ITSELF = Behaviour(noise=0.02, random=0.02, top=4, decay=0.9, others=0.5)


def run_for(folder: Path, count: int, **changes) -> Run:
    """A run of so many rounds of the four that it is meant to have."""
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(from_dict(AfterstateConfig, SMALL | changes))
    go_on(run, folder, count)
    return run


def go_on(run: Run, folder: Path, count: int) -> None:
    trainer = Trainer(run, folder)
    for _ in range(count):
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
    assert "wins_greedy_2p" in rows[1]
    assert main(["--resume", str(folder), "--set", "rounds=3"]) == 0
    assert [row["round"] for row in read_metrics(folder)] == [1, 2, 3]
    assert json.loads((folder / "config.json").read_text())["rounds"] == 3
    begun = json.loads((folder / "run.json").read_text())
    assert [one["at_round"] for one in begun] == [0, 2]
    assert {"versions", "git_commit", "machine", "command", "time"} <= set(begun[0])
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert list((folder / "tensorboard").iterdir())
    agent = load_agent(str(folder))
    assert agent.name == "small"


def command(folder: Path, *more: str) -> list[str]:
    """Train as ``SMALL`` says, in a process of its own."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in SMALL.items()]
    config = folder.with_suffix(".toml")
    config.write_text("\n".join([*lines, 'against = ["random"]']))
    what = [sys.executable, "-m", "training.train_afterstate"]
    return [*what, "--config", str(config), "--out", str(folder), *more]


def wait_for_round(folder: Path, number: int, process: subprocess.Popen[str]) -> None:
    """Until a running command has saved that round."""
    for _ in range(1200):
        if (folder / STATE).exists() and any(r["round"] >= number for r in read_metrics(folder)):
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError("no round in two minutes")


def begun(folder: Path) -> subprocess.Popen[str]:
    """A long run that saves every round."""
    changes = ("rounds=100000", "minutes=1e12", "save_minutes=0.00001")
    what = command(folder, *(word for change in changes for word in ("--set", change)))
    return subprocess.Popen(what, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_stops_after_a_round_and_saves_it(tmp_path):
    folder = tmp_path / "run"
    process = begun(folder)
    wait_for_round(folder, 2, process)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopping after this round" in error
    assert f"interrupted; go on with --resume {folder}" in error
    assert Run.resume(folder).round == read_metrics(folder)[-1]["round"]


def test_a_killed_run_goes_on_as_if_it_had_not_been(tmp_path):
    folder = tmp_path / "run"
    process = begun(folder)
    wait_for_round(folder, 3, process)
    process.kill()
    process.communicate()
    run = Run.resume(folder)
    at = run.round
    assert at >= 1
    # The schedules go by rounds here: minutes would depend on the clock.
    whole = run_for(tmp_path / "whole", at + 2, rounds=100_000, minutes=1e12)
    go_on(run, folder, 2)
    assert same_weights(whole, run)
    rows = read_metrics(folder)
    assert [row["round"] for row in rows] == list(range(1, at + 3))


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    assert main(command(folder)[3:] + ["--set", "rounds=2"]) == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    true_write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name.startswith(STATE):
            true_write(path, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return true_write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    capsys.readouterr()
    assert main(["--resume", str(folder), "--set", "rounds=4"]) == 1
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error == f"{folder / STATE} can't be written: No space left on device"
    monkeypatch.undo()
    assert (folder / STATE).read_bytes() == before[STATE]
    assert not list(folder.glob("*.tmp"))
    assert Run.resume(folder).round == 2


def test_a_run_is_not_overwritten_unless_told_so(tmp_path, capsys):
    folder = tmp_path / "run"
    arguments = [*command(folder)[3:], "--set", "rounds=1"]
    assert main(arguments) == 0
    before = (folder / STATE).read_bytes()
    assert main(arguments) == 1
    assert f"{folder} has a run already; go on with --resume {folder}" in capsys.readouterr().err
    assert (folder / STATE).read_bytes() == before
    assert main([*arguments, "--set", "seed=1", "--overwrite"]) == 0
    assert (folder / STATE).read_bytes() != before


def test_a_line_that_a_stop_cut_off_is_left_out(tmp_path):
    run_for(tmp_path, 2)
    with (tmp_path / METRICS).open("a") as file:
        file.write('{"round": 3, "seco')
    run = Run.resume(tmp_path)
    go_on(run, tmp_path, 1)
    assert [row["round"] for row in read_metrics(tmp_path)] == [1, 2, 3]


def test_a_run_begins_from_a_checkpoint(tmp_path, capsys):
    run = run_for(tmp_path / "first", 2)
    learnt = run.learner.mean.learnt()
    config = tmp_path / "next.toml"
    changes = SMALL | {"start": str(tmp_path / "first"), "rounds": 1, "learning_rate": 1e-9}
    changes |= {"final_learning_rate": 1e-9, "greedy_rounds": 0}
    config.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in changes.items()))
    arguments = ["--config", str(config), "--set", 'against=["random"]']
    assert main([*arguments, "--out", str(tmp_path / "second")]) == 0
    went_on = read_value(tmp_path / "second")[0]
    for name, array in learnt.items():
        assert np.allclose(array, went_on[name], atol=1e-5), name
    more = ["--set", "units=5", "--out", str(tmp_path / "third")]
    assert main([*arguments, *more]) == 1
    assert "its network has another size" in capsys.readouterr().err
    assert main([*arguments, "--set", "start=nowhere", "--out", str(tmp_path / "third")]) == 1
    assert "there is no checkpoint 'nowhere'" in capsys.readouterr().err


def test_search_makes_the_share_of_decisions_that_it_is_given(tmp_path):
    net = run_for(tmp_path, 4).learner.mean.compiled()
    [games] = share_out(60, {"2": 1.0}, 0.0, [1])
    alone = ITSELF._replace(
        others=0.0, random=0.0, noise=0.0, decay=1.0, rival=GREEDY_RIVAL, rival_share=1.0
    )
    by_share = [
        play(games, net, alone._replace(searched=share, search_sims=16))
        for share in (0.0, 0.5, 1.0)
    ]
    ahead = [POINTS * (x.points[:, 0] - x.points[:, 1]).mean() for x in by_share]
    assert ahead[0] + 1 < ahead[1] < ahead[2] - 1


def test_search_begins_late_in_a_run(tmp_path):
    run = Run(from_dict(AfterstateConfig, SMALL | {"searched": 0.5, "search_from": 0.75}))
    shares = []
    for run.round in range(4):
        shares.append(run.behaviour().searched)
    assert shares == [0.0, 0.0, 0.0, 0.5]
    assert SMALL["greedy_rounds"] < 3


# --- Rivals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4])
def test_against_a_rival_only_the_learners_view_is_kept(players):
    [games] = share_out(80, {str(players): 1.0}, 0.0, [1])
    net = ValueNet(8, 4, 4).compiled()
    turns = {2: 22, 4: 36}[players] - 1
    everyone = ITSELF._replace(others=1.0, random=0.0, noise=0.0, decay=1.0)
    alone = play(games, net, everyone)
    assert len(alone.stage) == 80 * turns * players
    met = play(games, net, everyone._replace(rival=NET_RIVAL, rival_share=1.0))
    assert len(met.stage) == 80 * turns
    by_greedy = play(games, net, everyone._replace(rival=GREEDY_RIVAL, rival_share=1.0))
    assert len(by_greedy.stage) == 80 * turns
    # Greedy is better than a network that knows nothing: the learner's seat falls behind.
    assert by_greedy.shares[:, 0].mean() < 0.75 / players
    assert met.shares[:, 0].mean() > 0.75 / players
    half = play(games, net, everyone._replace(rival=GREEDY_RIVAL, rival_share=0.5))
    assert len(by_greedy.stage) < len(half.stage) < len(alone.stage)


def test_rivals_by_name(tmp_path):
    run_for(tmp_path, 1)
    assert rival_of("").kind == NO_RIVAL
    assert rival_of("greedy").kind == GREEDY_RIVAL
    found = rival_of(str(tmp_path))
    assert (found.kind, found.sims) == (NET_RIVAL, 0)
    assert rival_of(f"{tmp_path}+search:sims=24").sims == 24
    with pytest.raises(CheckpointError, match="there is no checkpoint 'nobody'"):
        run_for(tmp_path / "next", 1, anchors=["nobody"])
    for name, words in (
        ("nobody", "there is no checkpoint 'nobody'"),
        (f"{tmp_path}+search:ms=16", "expected \\+search:sims=N and nothing else"),
        (f"{tmp_path}+search:sims=8,width=4", "expected \\+search:sims=N and nothing else"),
        (f"{tmp_path}+search:sims=x", "sims"),
    ):
        with pytest.raises(ValueError, match=words):
            rival_of(name)


def test_a_rival_that_searches_plays_as_the_agent_does(tmp_path):
    run = run_for(tmp_path, 3)
    net = run.learner.mean.compiled()
    agent = SearchAgent(net, 5, sims=24)
    game, rng = Game.new(2, 3), new_rng(5)
    ids, values = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    scratch, work, compared = new_scratch(net), new_work(), 0
    while not game.over:
        seen = game.seen_by(game.seat, new_rng(1))
        action = agent.choose(seen.copy())
        same = search_choice(net, scratch, work, seen, 24, ids, values, rng)
        assert action == same
        compared += 1
        game.play(action)
    assert compared > 20


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rival_share": 2.0}, "rival_share is 2.0, expected a share"),
        ({"searched": -0.1}, "searched is -0.1, expected a share"),
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
        from_dict(AfterstateConfig, SMALL | change)
    assert words in str(error.value)


def test_what_can_t_be_resumed_is_named(tmp_path, capsys):
    assert main(["--resume", str(tmp_path / "nowhere")]) == 1
    assert "state.safetensors can't be read" in capsys.readouterr().err
    run_for(tmp_path / "run", 1)
    state = tmp_path / "run" / STATE
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
    from training.value.checkpoint import save_value

    learnt = ValueNet(8, 4, 4).learnt()
    learnt["bias"][0] = np.nan
    save_value(tmp_path, "nan", learnt, {"players": [2], "volcanoes": False})
    with pytest.raises(CheckpointError, match="not all finite"):
        load_value(tmp_path)
