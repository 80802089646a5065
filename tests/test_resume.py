"""What a run needs to be resumed, and what happens if something is missing or damaged."""

import json
import sys
from contextlib import closing
from dataclasses import asdict

import numpy as np
import pytest

pytest.importorskip("torch", reason="the training extra is not installed")

import torch

from cacao_env.agents.checkpoint import CheckpointError
from tests.test_loop import CountConfig, Counter, clock
from training import loop
from training.config import ConfigError
from training.loop import Loop, resumed
from training.run_folder import ABOUT, METRICS, RunFolder, read_metrics
from training.state import STATE, learner_arrays, read_state, restore_learner, write_state
from training.train_afterstate import AfterstateLearner


def state(folder, **changes):
    """Write a state of a run that counts."""
    folder.mkdir(exist_ok=True)
    config = asdict(CountConfig()) | changes
    counts = {"rounds": 1, "games": 10}
    (folder / METRICS).write_text('{"round": 1, "seconds": 2.0}\n')
    write_state(folder, {"value": np.array(1)}, config=config, counts=counts)


def test_a_missing_or_damaged_state_gets_one_sentence(tmp_path):
    state(tmp_path)
    path = tmp_path / STATE
    good = path.read_bytes()
    read_state(tmp_path)
    for data in (b"", good[:-1], good + b"x", good[:20], b"x" + good):
        path.write_bytes(data)
        with pytest.raises(CheckpointError, match="can't be read: ") as error:
            read_state(tmp_path)
        assert "\n" not in str(error.value)
    path.unlink()
    with pytest.raises(CheckpointError, match="can't be read"):
        read_state(tmp_path)


@pytest.mark.parametrize("about", [{}, {"config": {}}, {"version": 4, "config": {}, "counts": {}}])
def test_a_state_of_another_version_says_that_it_can_t_be_resumed(about, tmp_path):
    write_state(tmp_path, {"value": np.array(1)}, **about)
    with pytest.raises(CheckpointError, match=r"of another version .* can't be resumed"):
        read_state(tmp_path)


def test_a_resumed_run_reads_its_seconds_from_the_metrics(tmp_path):
    state(tmp_path)
    assert resumed(Counter, tmp_path).seconds == 2.0
    for row in ('{"round": 1}', '{"round": 2, "seconds": 3.0}', ""):
        (tmp_path / METRICS).write_text(row + "\n")
        with pytest.raises(CheckpointError, match=f"{METRICS} has no seconds of round 1"):
            resumed(Counter, tmp_path)


# --- Code ---------------------------------------------------------------------------------------

BOT = """
import pathlib
pathlib.Path(__file__).with_name("ran").touch()
class Bot:
    def __init__(self, seed): pass
    def act(self, game): return int(game.legal_actions()[0])
"""


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A run folder that names a class of its own, in the folder where the command is called."""
    state(tmp_path, against=["hostile_bot:Bot"], rounds=1)
    (tmp_path / "hostile_bot.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("hostile_bot", None)


@pytest.mark.parametrize("override", ["name=x", "bars={random=0.5}", "eval_opponents=['random']"])
def test_a_resumed_run_runs_no_code_that_its_folder_names(hostile, override, capsys):
    assert loop.main(Counter, "", ["--resume", str(hostile), "--set", override]) == 1
    assert "bars is" in (error := capsys.readouterr().err) or "names code" in error
    assert not (hostile / "ran").exists()


def test_a_class_named_on_this_command_line_is_loaded(hostile):
    learner = resumed(Counter, hostile, ["against=['hostile_bot:Bot']"])
    with pytest.raises(ConfigError, match="names code, which only the command line may load"):
        Loop(resumed(Counter, hostile), hostile)
    assert not (hostile / "ran").exists()
    Loop(learner, hostile).close()
    assert (hostile / "ran").exists()


# --- Numbers that are not finite --------------------------------------------------------------------


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("wrong", ["value", "moments"])
def test_what_is_not_finite_stops_the_run_and_is_never_saved(tmp_path, wrong, number, monkeypatch):
    monkeypatch.setattr(loop.time, "monotonic", lambda: clock.now)  # a round takes 30 seconds
    learner = Counter(CountConfig(rounds=9, save_minutes=0.1, eval_opponents=[]))
    plain = learner.round

    def broken():
        metrics = plain()
        if learner.rounds == 2 and wrong == "value":
            learner.value = number
        elif learner.rounds == 2:
            learner.arrays = lambda: {"value": np.array(3), wrong: np.array([number])}
        return metrics

    learner.round = broken
    why = f"round 3: {wrong} has numbers that are not finite"
    with pytest.raises(CheckpointError, match=why) as e:
        Loop(learner, tmp_path).run()
    assert str(e.value).endswith(f"the run stops, and {tmp_path} keeps what was saved before")
    assert [training["rounds"] for training in learner.saved] == [1, 2]
    assert read_state(tmp_path)[1]["counts"]["rounds"] == 2
    rows = [row["round"] for row in read_metrics(tmp_path)]
    assert rows == ([1, 2] if wrong == "value" else [1, 2, 3])  # moments are looked at when saved


# --- What arrays must be ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("net.weight", np.zeros((2, 4), np.float32)),
        ("net.weight", np.zeros((2, 3))),
        ("net.weight", np.full((2, 3), np.nan, np.float32)),
        ("net.bias", None),
        ("optimizer.exp_avg.weight", np.zeros((2, 4), np.float32)),
        ("optimizer.exp_avg.weight", None),
        ("optimizer.exp_avg_sq.bias", np.full(2, np.inf, np.float32)),
    ],
)
def test_networks_and_optimizers_take_only_what_fits(name, value):
    net = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    arrays = learner_arrays(net, optimizer)
    restore_learner(net, optimizer, arrays)
    if value is None:
        del arrays[name]
    else:
        arrays[name] = value
    with pytest.raises(CheckpointError, match="the state does not fit its configuration"):
        restore_learner(net, optimizer, arrays)


def test_a_replay_takes_only_samples_that_fit(tiny):
    folder = tiny("afterstate").folder
    arrays, _ = read_state(folder)
    with closing(resumed(AfterstateLearner, folder)) as learner:
        before = learner.replay[0].points
        learner.restore(arrays)
        assert (learner.replay[-1].points == arrays["replay.000.points"]).all()
        assert (before == arrays["replay.000.points"]).all()
        for wrong in (before[:-1], before.astype(np.float64), before * np.nan, np.zeros(())):
            with pytest.raises(CheckpointError, match="points"):
                learner.restore(arrays | {"replay.000.points": wrong})
        del arrays["replay.000.stage"]
        with pytest.raises(CheckpointError, match="the state does not fit its configuration"):
            learner.restore(arrays)


# --- Files of a run folder --------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "{", "1"])
def test_a_damaged_run_json_gets_one_sentence_and_the_folder_back(text, tmp_path):
    RunFolder(tmp_path, {}).close()
    (tmp_path / ABOUT).write_text(text)
    kept = []  # errors, and with them what the failed attempts hold
    for _ in range(2):  # the lock has been released
        with pytest.raises(ValueError, match=f"{ABOUT} is .*, expected a list of the run") as e:
            RunFolder(tmp_path, {}, at=1)
        kept.append(e)
    (tmp_path / ABOUT).unlink()
    RunFolder(tmp_path, {}, at=1).close()


@pytest.mark.parametrize("line", ["[]", '{"round": "1"}', "{", "\x00"])
def test_a_damaged_row_of_metrics_gets_one_sentence(line, tmp_path):
    row = json.dumps({"round": 1})
    (tmp_path / METRICS).write_text(f"{row}\n{line}\n{row}\n")
    with pytest.raises(ConfigError, match="line 2 is not a round's row"):
        read_metrics(tmp_path)
    (tmp_path / METRICS).write_text(f"{row}\n{line}")
    assert read_metrics(tmp_path) == [{"round": 1}]
