"""PPO by self-play: advantages, learning, runs in one and in several processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

import torch
from cacao_env.agents.policy import load_policy
from training.ppo import learner as learner_module
from training.ppo.learner import Coefficients, PpoFitter
from training.ppo.rollout import SelfPlay, advantages_into
from training.processes import backend_for

from cacao_env.envs.vector import VectorGames
from tests.metrics import documented, logged
from tests.ppo_runs import SMALL, command, config, played, same
from training import train_ppo
from training.config import ConfigError, from_dict
from training.loop import Loop, Stopwatch
from training.networks import CellNet, RowNet
from training.run_folder import RunFolder, read_metrics
from training.state import read_state
from training.train_ppo import PpoConfig, PpoLearner, main

FINDING_TRAINING = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)}


# --- Advantages -----------------------------------------------------------------------------


def plain_advantages(seats, rewards, over, values, next_seats, next_values, gae_lambda):
    """The same for each seat's chain, written out: a list of its decisions in each episode."""
    length, count = seats.shape
    found = np.full(seats.shape, np.nan)
    for g in range(count):
        begin = 0
        ends = [t for t in range(length) if over[t, g]]
        for end in [*ends, length]:
            finished = end < length
            last = end if finished else length - 1
            for seat in range(rewards.shape[2]):
                mine = [t for t in range(begin, last + 1) if seats[t, g] == seat]
                ahead = 0.0
                for place in range(len(mine) - 1, -1, -1):
                    t = mine[place]
                    if place + 1 < len(mine):
                        until, later = mine[place + 1], values[mine[place + 1], g]
                    elif finished:
                        until, later = end + 1, 0.0
                    elif next_seats[g] == seat:
                        until, later = length, next_values[g]
                    else:
                        continue  # it has not decided again
                    earned = rewards[t:until, g, seat].sum()
                    ahead = earned + later - values[t, g] + gae_lambda * ahead
                    found[t, g] = ahead
            begin = end + 1
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("gae_lambda", [0.0, 0.9, 1.0])
def test_advantages_follow_each_seat_s_own_chain(players, gae_lambda):
    rng = np.random.default_rng(players)
    shape = (60, 5)
    seats = rng.integers(players, size=shape)
    rewards = rng.normal(size=(*shape, players)).astype(np.float32)
    over = rng.random(shape) < 0.08
    values = rng.normal(size=shape).astype(np.float32)
    next_seats, next_values = rng.integers(players, size=5), rng.normal(size=5).astype(np.float32)
    found = np.empty(shape, np.float32)
    advantages_into(seats, rewards, over, values, next_seats, next_values, gae_lambda, found)
    expected = plain_advantages(seats, rewards, over, values, next_seats, next_values, gae_lambda)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.isnan(found).any()


def test_a_rollout_holds_what_was_seen_and_done():
    torch.manual_seed(0)
    games = VectorGames(3, table_size=15, seed=1, reward="outcome")
    copy = VectorGames(3, table_size=15, seed=1, reward="outcome")
    net = CellNet(2, 15, 8)
    play = SelfPlay(games, played(rollout=150, gae_lambda=1.0), torch.device("cpu"))
    rollout, finished = play.collect(net, Stopwatch())
    seen = rollout.observations.view(150, 3, -1).numpy()
    masks = rollout.masks.view(150, 3, -1).numpy()
    actions = rollout.actions.view(150, 3).numpy()
    values = rollout.values.view(150, 3)
    advantages = rollout.advantages.view(150, 3).numpy()
    returns, copy_finished = {}, 0
    for t in range(150):
        np.testing.assert_array_equal(seen[t], copy.observations)
        np.testing.assert_array_equal(masks[t], copy.action_masks > 0)
        seats = copy.seats.copy()
        copy.step(actions[t])
        for g in range(3):
            returns.setdefault(g, []).append((t, int(seats[g])))
            if copy.terminations[g]:
                copy_finished += 1
                for when, seat in returns.pop(g):
                    got = advantages[when, g] + float(values[when, g])
                    assert got == pytest.approx(copy.rewards[g, seat], abs=1e-4)
    assert finished == copy_finished >= 3
    assert 0 < len(rollout.known) < 450


# --- Learning -------------------------------------------------------------------------------


def test_learning_makes_good_actions_likelier_and_values_right():
    torch.manual_seed(0)
    games = VectorGames(8, table_size=15, seed=1)
    play = SelfPlay(games, played(), torch.device("cpu"))
    learner = PpoFitter(CellNet(2, 15, 16))
    rollout, _ = play.collect(learner.net, Stopwatch())
    # The rewards are made up: an even action was good, an odd one bad.
    even = rollout.actions % 2 == 0
    rollout = rollout._replace(
        values=torch.zeros(len(even)),
        advantages=torch.where(even, 1.0, -1.0),
        known=torch.arange(len(even)),
    )

    def probability_of_even():
        with torch.no_grad():
            logits, values = learner.net(rollout.observations * play.factors)
            probabilities = logits.masked_fill(~rollout.masks, -torch.inf).softmax(1)
            return float(probabilities[:, ::2].sum(1).mean()), values

    before, _ = probability_of_even()
    coefficients = Coefficients(3e-3, 0.2, 0.0, 0.5, 0.5)
    for _ in range(6):
        metrics = learner.fit(rollout, play.factors, 2, 4, coefficients)
    after, values = probability_of_even()
    assert after > before + 0.05
    assert metrics["loss_value"] < 1.0
    assert values[even].mean() > values[~even].mean()
    legal = rollout.masks.sum(1).float()
    assert 0 < metrics["entropy_fraction"] <= 1 < metrics["entropy"] <= float(legal.log().mean())
    assert metrics["approx_kl"] >= 0
    # The values were 0 and the returns 1 or -1: nothing was explained.
    assert metrics["explained_variance"] == pytest.approx(0, abs=1e-5)


def test_the_ratio_is_clipped():
    """Once an action is likelier by the clip, there is nothing left to gain."""
    torch.manual_seed(0)
    games = VectorGames(8, table_size=15, seed=1)
    play = SelfPlay(games, played(), torch.device("cpu"))
    moved = {}
    for clip in (0.02, 10.0):
        torch.manual_seed(0)
        learner = PpoFitter(CellNet(2, 15, 16))
        rollout, _ = play.collect(learner.net, Stopwatch())
        advantages = torch.randn(len(rollout.actions))
        rollout = rollout._replace(advantages=advantages, known=torch.arange(len(advantages)))
        for _ in range(10):
            metrics = learner.fit(
                rollout, play.factors, 2, 1, Coefficients(3e-3, clip, 0.0, 0.0, 0.5)
            )
        moved[clip] = metrics["approx_kl"]
        assert (metrics["clip_fraction"] > 0) == (clip < 1)
    assert moved[0.02] < 0.5 * moved[10.0]


# --- Runs -----------------------------------------------------------------------------------


def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(tmp_path):
    assert Loop(PpoLearner(config()), tmp_path / "whole").run()
    with closing(Loop(PpoLearner(config()), tmp_path / "half")) as half:
        half.round()
        half.round()
        half.save()
    assert main(["--resume", str(tmp_path / "half")]) == 0
    assert same(tmp_path / "whole", tmp_path / "half")
    rows = [read_metrics(tmp_path / name) for name in ("whole", "half")]
    assert [row["round"] for row in rows[1]] == [1, 2, 3, 4]
    assert logged(rows[0]) == documented("P")
    for one, other in zip(*rows, strict=True):
        for key in ("games", "decisions", "loss_value", "loss_policy", "entropy", "learning_rate"):
            assert one[key] == other[key]
    assert Loop(PpoLearner(config(seed=1)), tmp_path / "other").run()
    assert not same(tmp_path / "whole", tmp_path / "other")


def test_two_processes_learn_as_one_and_resume(tmp_path):
    """Their copies of the network stay the same, and a resumed run is the uninterrupted one."""
    constant = {"final_learning_rate": 1e-3, "final_clip_range": 0.2, "final_entropy_coef": 0.03}
    for name, steps in (("whole", 1024), ("part", 512)):
        more = command(tmp_path, name, processes=2, steps=steps, **constant)
        done = subprocess.run(
            [sys.executable, "-m", "training.train_ppo", *more], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "trained" in done.stdout
    arrays, _ = read_state(tmp_path / "part")
    assert "rank1.games.states" in arrays
    assert not np.array_equal(arrays["rank0.games.states"], arrays["rank1.games.states"])
    assert read_metrics(tmp_path / "part")[-1]["decisions"] == 512
    assert load_policy(tmp_path / "part").players == (2,)
    with pytest.raises(ValueError, match="the state is not that of 1 processes"):
        PpoLearner(config()).restore(arrays)
    more = ["--resume", str(tmp_path / "part"), "--set", "steps=1024"]
    done = subprocess.run(
        [sys.executable, "-m", "training.train_ppo", *more], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    unused = [f"rank{rank}.generators.numpy" for rank in (0, 1)]  # each process has its own
    assert same(tmp_path / "whole", tmp_path / "part", but=unused)


def test_averaged_gradients_are_those_of_all_processes(tmp_path):
    script = tmp_path / "average.py"
    script.write_text(
        "import numpy as np, torch\n"
        "from training.processes import any_process, average_gradients, from_first, gather\n"
        "from training.processes import rank, run\n"
        "def work(start):\n"
        "    net = torch.nn.Linear(3, 2)\n"
        "    for parameter in net.parameters():\n"
        "        parameter.grad = torch.full_like(parameter, float(start + rank()))\n"
        "    average_gradients(net)\n"
        "    assert all((p.grad == 1.5).all() for p in net.parameters())\n"
        "    found = gather({'a': np.array([rank(), 7]), 'b': np.array([True])})\n"
        "    assert [x['a'].tolist() for x in found] == [[0, 7], [1, 7]]\n"
        "    assert any_process(rank() == 1) and not any_process(False)\n"
        "    assert from_first(float(rank())) == 0.0\n"
        "    return 5 + rank()\n"
        "if __name__ == '__main__':\n"
        "    assert run(2, work, 1) == 5\n"
        "    print('good')\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=FINDING_TRAINING
    )
    assert done.stdout == "good\n", done.stderr


def test_processes_share_a_network_and_no_deal(monkeypatch):
    weights, deals = [], []
    for number in range(2):
        monkeypatch.setattr(train_ppo, "rank", lambda number=number: number)
        with closing(PpoLearner(from_dict(PpoConfig, SMALL))) as learner:
            weights.append([x.detach().clone() for x in learner.net.parameters()])
            deals.append({state.tobytes() for state in learner.play.games.states})
    assert all(torch.equal(one, other) for one, other in zip(*weights, strict=True))
    assert not deals[0] & deals[1]


def test_an_earlier_self_is_drawn_in_every_round(monkeypatch):
    config = from_dict(PpoConfig, SMALL | {"past_fraction": 0.5, "past_rounds": 1})
    drawn: list[float] = []
    with closing(PpoLearner(config)) as learner:
        assert learner.past is not None
        monkeypatch.setattr(learner.past, "pick", drawn.append)
        for learner.rounds in range(4):
            learner.round()
    assert len(set(drawn)) == 4


def test_the_mean_of_all_gradients_is_clipped(monkeypatch):
    """Each process clipping its own would weigh processes with small gradients more."""
    fitter = PpoFitter(RowNet(4))

    def average(net):
        for parameter in net.parameters():
            parameter.grad = 0.5 * (parameter.grad + 100.0)  # another process has gradients of 100

    monkeypatch.setattr(learner_module, "average_gradients", average)
    loss = sum((1 + parameter).sum() for parameter in fitter.net.parameters())
    fitter._descend(loss, Coefficients(1e-3, 0.2, 0.0, 0.5, max_grad_norm=0.25))
    norms = [parameter.grad.norm() for parameter in fitter.net.parameters()]
    assert torch.stack(norms).norm().item() == pytest.approx(0.25, rel=1e-3)


def test_a_process_that_fails_ends_the_others_and_names_its_error(tmp_path):
    script = tmp_path / "fail.py"
    script.write_text(
        "from training.processes import any_process, rank, run\n"
        "def work():\n"
        "    if rank() == 1:\n"
        "        raise OverflowError('too much')\n"
        "    return any_process(True)\n"
        "if __name__ == '__main__':\n"
        "    run(2, work)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=900,
        env=FINDING_TRAINING,
    )
    assert done.returncode != 0
    assert "OverflowError: too much" in done.stderr


def test_ctrl_c_stops_all_processes_after_a_round_and_saves_it(tmp_path):
    more = command(tmp_path, "run", processes=2, steps=10**9, save_minutes=1e-6)
    process = subprocess.Popen(
        [sys.executable, "-m", "training.train_ppo", *more], stderr=subprocess.PIPE, text=True
    )
    for _ in range(9000):
        if len(read_metrics(tmp_path / "run")) >= 2:
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=900)
    assert process.returncode == 130, error
    assert error.count("stopping after this round") == 1
    assert (
        f"interrupted; resume with: python -m training.train_ppo --resume {tmp_path / 'run'}"
        in error
    )
    _, about = read_state(tmp_path / "run")
    assert about["counts"]["rounds"] == read_metrics(tmp_path / "run")[-1]["round"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"processes": 0}, "processes is 0, expected 1 to 1024"),
        ({"entropy_coef": -1.0}, "entropy_coef is -1.0, expected 0 or more"),
        ({"gae_lambda": 1.5}, "gae_lambda is 1.5, expected a fraction from 0 to 1"),
        ({"opponents": {"random": 1}}, "there is no key 'opponents'"),
        ({"batch": 1000}, "batch is 1000, more than the 128 decisions that games and rollout give"),
    ],
)
def test_a_wrong_configuration_is_named(change, words):
    with pytest.raises(ConfigError, match=words):
        config(**change)


def test_processes_that_share_a_gpu_do_without_nccl():
    found = [backend_for(processes, gpus) for processes, gpus in ((2, 0), (1, 1), (2, 1), (4, 4))]
    assert found == ["gloo", "cpu:gloo,cuda:nccl", "cpu:gloo,cuda:gloo", "cpu:gloo,cuda:nccl"]


def test_a_device_that_is_not_there_is_named(tmp_path, capsys):
    assert main([*command(tmp_path, "gone", device="cuda:7")]) == 1
    assert "device 'cuda:7' can't be used" in capsys.readouterr().err


def test_a_folder_in_use_is_left_alone(tmp_path, capsys):
    used = RunFolder(tmp_path / "used", {})
    assert main(command(tmp_path, "used")) == 1
    assert f"another process is training in {tmp_path / 'used'}" in capsys.readouterr().err
    used.close()
    assert main([*command(tmp_path, "used"), "--set", "steps=128"]) == 0
