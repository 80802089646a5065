"""The training loop, driven with a learner that only counts."""

from __future__ import annotations

import json
import os
import signal
from contextlib import closing
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch", reason="the training extra is not installed")

from cacao_env.agent import Agent
from cacao_env.agents.checkpoint import CheckpointError
from cacao_env.engine.options import Options
from cacao_env.evaluation.summary import Result
from tests import kills
from training import loop as loop_module
from training.config import RunConfig, from_dict
from training.loop import Learner, Loop, resumed, run_command
from training.run_folder import read_metrics
from training.state import STATE, read_state, write_state


@dataclass(frozen=True)
class CountConfig(RunConfig):
    rounds: int = 4
    players: int = 2
    rate: float = 1.0
    final_rate: float = 0.0
    against: list[str] = field(default_factory=lambda: ["random"])

    @property
    def games_played(self):
        return [Options(self.players)]


class Counter(Learner):
    command = "count"
    config_type = CountConfig
    algorithm = "counting"
    unit = "games"

    def __init__(self, config):
        super().__init__(config)
        self.counts = {"games": 0}
        self.value, self.saved, self.rates = 0, [], []

    def fraction_done(self):
        return self.rounds / self.config.rounds

    def round(self):
        clock.now += 30.0
        with self.watch("learning"):
            self.value += 1
        self.counts["games"] += 10
        self.rates.append(self.scheduled("rate"))
        return {"loss_value": float(self.value)}

    def weights(self):
        return {"value": np.array([float(self.value)])}

    def arrays(self):
        return {"value": np.array(self.value)}

    def restore(self, arrays):
        self.value = int(arrays["value"])

    def save_checkpoint(self, folder, training):
        self.saved.append(training)

    def agent(self):
        clock.now += 1000.0  # does not count
        return Named(self.name)


class Named(Agent):
    def __init__(self, name):
        self.name = name

    def act(self, games, memory):
        raise AssertionError


clock = SimpleNamespace(now=0.0)  # passes in rounds and evaluations alone
MEASURED = []  # what was asked


def measured(agent, opponent, options, blocks, seed, luck):
    """Results that nobody played: more deals, more wins."""
    MEASURED.append((agent.name, opponent.name, options.num_players, blocks, seed))
    assert not luck
    margin = 1.5 if opponent.name == "greedy" else 20.0
    return Result(
        *(agent.name, opponent.name, options.num_players, False, blocks, 0.75, 0.6, 0.8),
        *(margin, 0.0, 3.0, 50.0),
    )


@pytest.fixture(autouse=True)
def clocked(monkeypatch):
    clock.now = 0.0
    monkeypatch.setattr(loop_module.time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(loop_module, "measure", measured)


def counter(**changes):
    return Counter(from_dict(CountConfig, changes))


def test_a_bar_shows_what_is_done_in_percent(tmp_path, monkeypatch):
    shown = []

    class Noted(loop_module.Bar):
        def set_postfix_str(self, text, *rest):
            shown.append((self.n, text.partition(" games")[0]))

    monkeypatch.setattr(loop_module, "Bar", Noted)
    assert Loop(counter(), tmp_path).run()
    assert shown == [(25, "10"), (50, "20"), (75, "30"), (100, "40")]


def test_a_row_has_the_totals_the_speed_and_the_learner_s_metrics(tmp_path):
    assert Loop(counter(), tmp_path).run()
    rows = read_metrics(tmp_path)
    assert [row["round"] for row in rows] == [1, 2, 3, 4]
    assert [row["games"] for row in rows] == [10, 20, 30, 40]
    assert [row["seconds"] for row in rows] == [30, 60, 90, 120]
    assert [row["loss_value"] for row in rows] == [1, 2, 3, 4]
    assert all(row["games_per_second"] == pytest.approx(1 / 3) for row in rows)
    assert all(row["seconds_learning"] >= 0 for row in rows)


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ({"eval_rounds": 2}, [2, 4, 6, 8]),
        ({"eval_minutes": 1.0}, [1, 3, 5, 7]),
        ({"eval_minutes": 1.6}, [1, 5]),
        ({"eval_opponents": []}, []),
    ],
)
def test_the_periodic_evaluation_comes_by_rounds_or_by_minutes(tmp_path, period, expected):
    assert Loop(counter(rounds=8, **period), tmp_path).run()
    rows = [row for row in read_metrics(tmp_path) if "wins_greedy_2p" in row]
    assert [row["round"] for row in rows] == expected
    for row in rows:
        assert row["wins_greedy_2p"] == 0.75
        assert row["wins_greedy_2p_half_width"] == pytest.approx(0.1)
        assert row["margin_greedy_2p"] == 1.5


def test_the_periodic_evaluation_plays_each_opponent_on_deals_of_its_own(tmp_path):
    MEASURED.clear()
    keys = {"eval_games": 100, "evaluation_seed": 77, "eval_opponents": ["greedy", "random"]}
    assert Loop(counter(rounds=1, players=3, against=["random"], **keys), tmp_path).run()
    of = "the learner"
    assert [(of, "greedy", 3, 33, 77 + 2**31), (of, "random", 3, 33, 77 + 2**31)] == MEASURED
    [row] = read_metrics(tmp_path)
    assert (row["margin_greedy_3p"], row["margin_random_3p"]) == (1.5, 20.0)


def test_a_run_ends_at_the_limit_that_comes_first(tmp_path):
    by_time = counter(rounds=100, minutes=2.5)
    assert Loop(by_time, tmp_path / "time").run()
    assert (by_time.rounds, by_time.seconds) == (5, 150)
    assert by_time.rates == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2])
    by_rounds = counter(rounds=2)
    assert Loop(by_rounds, tmp_path / "rounds").run()
    assert by_rounds.rounds == 2
    assert by_rounds.rates == [1.0, 0.5]


def test_it_saves_every_so_often_and_at_the_end(tmp_path):
    learner = counter(rounds=7, save_minutes=0.9)
    assert Loop(learner, tmp_path).run()
    assert [one["rounds"] for one in learner.saved] == [2, 4, 6, 7]
    assert learner.saved[-1]["games"] == 70
    assert learner.saved[-1]["algorithm"] == "counting"
    assert learner.saved[-1]["config"] == asdict(learner.config)


def test_a_resumed_run_has_all_that_the_loop_counts(tmp_path):
    with closing(Loop(counter(), tmp_path)) as loop:
        for _ in range(3):
            loop.round()
            loop.save() if loop.learner.rounds == 2 else None
    learner = resumed(Counter, tmp_path, ["name=again"])
    assert (learner.rounds, learner.seconds, learner.counts) == (2, 60.0, {"games": 20})
    assert learner.value == 2
    assert learner.config.name == "again"
    assert Loop(learner, tmp_path).run()
    assert [row["round"] for row in read_metrics(tmp_path)] == [1, 2, 3, 4]
    assert learner.rates == [0.5, 0.25]
    assert [one["at_round"] for one in json.loads((tmp_path / "run.json").read_text())] == [0, 2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_after_the_round_with_all_saved(tmp_path, capsys, number):
    learner, plain = counter(), Counter.round

    def interrupted():
        metrics = plain(learner)
        if learner.value == 3:
            os.kill(os.getpid(), number)
        return metrics

    learner.round = interrupted
    before = signal.getsignal(number)
    assert loop_module.train(learner, tmp_path) == 130
    assert signal.getsignal(number) is before
    arrays, about = read_state(tmp_path)
    assert arrays["value"] == 3
    assert about["counts"] == {"rounds": 3, "games": 30}
    error = capsys.readouterr().err
    assert "stopping after this round" in error
    assert f"interrupted; resume with: python -m training.count --resume {tmp_path}" in error
    Loop(counter(), tmp_path).close()  # the folder is free


def test_a_second_signal_stops_at_once(tmp_path):
    # A shell starts background jobs with SIGINT ignored, and Python keeps that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    learner = counter()

    def interrupted():
        for _ in range(2):  # unlike os.kill, this calls the handler before it returns
            signal.raise_signal(signal.SIGINT)
        raise AssertionError

    learner.round = interrupted
    with pytest.raises(KeyboardInterrupt):
        Loop(learner, tmp_path).run()
    assert learner.saved == []
    Loop(counter(), tmp_path).close()


def test_a_run_that_is_killed_at_any_line_resumes(tmp_path):
    class Saving(Counter):
        def save_checkpoint(self, folder, training):
            kills.write(folder, self.value)

    learner, folder, reached = Saving(counter(save_minutes=0.1).config), tmp_path / "run", []
    for left in kills.left_behind(lambda: Loop(learner, folder).run(), folder, tmp_path):
        if not (left / STATE).exists():
            continue
        again = resumed(Saving, left)
        assert again.value == again.rounds
        assert kills.read(left) - again.rounds in (0, 1)  # it is written before the state
        logged = [row["round"] for row in read_metrics(left)]
        assert logged[: again.rounds] == list(range(1, again.rounds + 1))
        reached.append(again.rounds)
    assert (reached, set(reached)) == (sorted(reached), {1, 2, 3, 4})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"against": ["random", "nobody"]}, "against: there is no agent 'nobody'"),
        ({"eval_opponents": ["random", "nobody"]}, "eval_opponents: there is no agent 'nobody'"),
        ({"against": ["forastero"], "players": 4}, "forastero plays with"),
        ({"against": ["random"], "name": "random"}, "one with the name of the run"),
        ({"against": ["random", "random"]}, "an agent twice, or one"),
    ],
)
def test_an_agent_that_can_t_be_met_is_found_out_before_the_training(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        Loop(counter(**changes), tmp_path)
    assert not (tmp_path / "config.json").exists()


@pytest.mark.parametrize("more", [["--out", "elsewhere"], ["--overwrite"]])
def test_a_resumed_run_keeps_its_folder(more, tmp_path, capsys):
    assert loop_module.main(Counter, "", ["--resume", str(tmp_path), *more]) == 1
    assert "expected no --out or --overwrite" in capsys.readouterr().err


def test_a_state_without_counts_is_refused(tmp_path):
    write_state(tmp_path, {}, config={}, counts={"numbers": 2})
    with pytest.raises(CheckpointError, match="another version of this program"):
        resumed(Counter, tmp_path)


def test_what_goes_on_beside_a_round_is_finished_on_the_clock(tmp_path, monkeypatch):
    learner = counter(rounds=4, eval_rounds=2, against=["random"])
    settled = []
    learner.settle = lambda: settled.append(learner.rounds)
    assert Loop(learner, tmp_path).run()
    assert set(settled) >= {2, 4}
    assert [row["round"] for row in read_metrics(tmp_path) if "wins_greedy_2p" in row] == [2, 4]


def test_a_command_says_bad_input_in_a_sentence_and_shows_an_error_of_its_own(capsys):
    def failing(error):
        def work():
            raise error

        return work

    assert run_command(failing(FileNotFoundError(2, "No such file or directory", "/a/b"))) == 1
    assert run_command(failing(RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"))) == 1
    assert capsys.readouterr().err.splitlines() == [
        "/a/b: No such file or directory",
        "there is not enough memory for this configuration",
    ]
    with pytest.raises(RuntimeError, match="single memory location"):
        run_command(failing(RuntimeError("some elements refer to a single memory location")))
