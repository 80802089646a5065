"""Ray: the same games as without, workers that are killed, checkpoints that all else can use."""

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from cacao_env.agent import require
from cacao_env.cli import main as cacao
from cacao_env.data import load
from cacao_env.engine.options import Options
from cacao_env.registry import load_agent
from tests.metrics import documented, logged
from training.config import ConfigError, read

pytest.importorskip("ray", reason="Ray is not installed")
# Ray's own warnings are not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

from cacao_env.evaluation import workers as on_ray
from training.networks import read_weights
from training.train_rllib import RllibConfig, RllibLearner, new_games
from training.train_rllib import main as train

CONFIG = str(Path(__file__).parent.parent / "configs" / "rllib_local.toml")
SMALL = [
    *("--set", "minutes=30", "--set", "games=2", "--set", "rollout=64", "--set", "batch=128"),
    *("--set", "width=16", "--set", "eval_games=20", "--set", "deals=3", "--set", "bars={}"),
]


@pytest.fixture(scope="module", autouse=True)
def cluster():
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def results(path):
    """An evaluation's figures without its times."""
    rows = json.loads(Path(path).read_text(encoding="utf-8"))["results"]
    return [
        {key: x for key, x in row.items() if "ms" not in key and "second" not in key}
        for row in rows
    ]


@pytest.fixture
def tasks(monkeypatch):
    """The tasks that Ray has played."""
    found, result = [], on_ray._result

    def noted(ray, ready, name):
        found.append(name)
        return result(ray, ready, name)

    monkeypatch.setattr(on_ray, "_result", noted)
    return found


def test_an_evaluation_on_ray_gives_the_same_figures(tmp_path, tasks):
    command = ["evaluate", "greedy", "random", "mc:sims=4", "--deals", "24", "--seed", "5"]
    command += ["--no-luck"]
    there, here = tmp_path / "there", tmp_path / "here"
    assert cacao([*command, "--ray", "--json", f"{there}.json", "--out", str(there)]) == 0
    played = len(tasks)
    assert played == len(set(tasks)) > 1
    assert cacao([*command, "--workers", "1", "--json", f"{here}.json", "--out", str(here)]) == 0
    assert len(tasks) == played
    assert results(f"{there}.json") == results(f"{here}.json")


def test_an_agent_s_mistake_on_ray_is_one_sentence(tmp_path, capsys):
    command = ["tests.agents_for_tests:Illegal", "random", "--deals", "2"]
    command += ["--out", str(tmp_path / "a")]
    assert cacao(["evaluate", *command, "--ray"]) == 1
    there = capsys.readouterr().err
    assert "illegal action" in there
    assert cacao(["evaluate", *command, "--workers", "1"]) == 1
    assert there == capsys.readouterr().err


def test_a_data_set_is_made_on_ray(tmp_path, tasks):
    command = ["data", "make", "random", "--deals", "60", "--luck", "--seed", "5"]
    made = []
    for name, where in (("there", ["--ray"]), ("here", ["--workers", "1"])):
        assert cacao([*command, *where, "--out", str(tmp_path / name)]) == 0
        made.append(load(tmp_path / name).table)
    assert made[0].equals(made[1])
    assert len(tasks) == 2


def processes(run):
    runners = run.rllib.env_runner_group
    return runners.foreach_env_runner(lambda worker: os.getpid(), local_env_runner=False)


def test_a_run_continues_when_a_runner_is_killed():
    config = read(RllibConfig, CONFIG, [text for text in SMALL if "=" in text])
    run = RllibLearner(config)
    try:
        run.rllib.train()
        before = run.weights()
        pids = processes(run)
        assert len(set(pids)) == config.runners == 2
        os.kill(pids[0], signal.SIGKILL)
        steps = []
        for _ in range(12):
            steps.append(run.rllib.train()["num_env_steps_sampled_lifetime"])
            if run.healthy_runners() == 2 and len(steps) > 2:
                break
            time.sleep(1)
        assert run.healthy_runners() == 2, "the runner that was killed is back"
        assert pids[0] not in processes(run)
        assert steps[-1] > steps[0]
        after = run.weights()
        assert any(not np.array_equal(before[name], after[name]) for name in before)
    finally:
        run.close()


def test_a_run_its_checkpoint_and_resuming(tmp_path, capsys):
    out = tmp_path / "run"
    assert train(["--config", CONFIG, *SMALL, "--set", "steps=600", "--out", str(out)]) == 0
    assert "against random" in capsys.readouterr().out
    rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert rows[-1]["decisions"] >= 600
    assert rows[0]["runners"] == 2
    assert rows[0]["decisions"] == pytest.approx(
        rows[0]["decisions_per_second"] * rows[0]["seconds"], rel=0.2
    )
    assert logged(rows) == documented("R")
    # Everything else uses it like any other checkpoint of this project.
    require(load_agent(str(out)), Options(2))
    command = [str(out), "random", "--deals", "2", "--workers", "1"]
    assert cacao(["evaluate", *command, "--out", str(tmp_path / "evaluation")]) == 0
    first = read_weights(out)
    # The limit is reached already, so nothing is learned.
    assert train(["--resume", str(out)]) == 0
    same = read_weights(out)
    assert all(bool((first[name] == same[name]).all()) for name in first)
    before = rows
    assert train(["--resume", str(out), "--set", "steps=1200"]) == 0
    rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert rows[: len(before)] == before
    assert [row["round"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1]["decisions"] >= 1200
    second = read_weights(out)
    assert any(bool((first[name] != second[name]).any()) for name in first)


def test_illegal_actions_have_no_probability():
    import torch
    from ray.rllib.core.columns import Columns

    from training.rllib_module import MaskedModule

    table = new_games({"num_players": 3, "table_size": 15})
    seen, _ = table.reset(seed=3)
    ((name, observation),) = seen.items()
    config = RllibConfig(num_players=3, width=8)
    module = MaskedModule(
        observation_space=table.observation_spaces[name],
        action_space=table.action_spaces[name],
        model_config={"about": config.about, "width": 8},
    )
    batch = {Columns.OBS: {key: torch.as_tensor(x)[None] for key, x in observation.items()}}
    logits = module._forward(batch)[Columns.ACTION_DIST_INPUTS][0]
    legal = observation["action_mask"] == 1
    assert (logits[legal] > -100).all()
    assert (torch.softmax(logits, 0)[~legal] == 0).all()
    scaled = torch.from_numpy(observation["observation"]).float() * module.factors
    plain, _ = module.net(scaled[None])
    assert torch.equal(logits[legal], plain[0][legal])


@pytest.mark.parametrize("decisions", ["explicit", "turn"])
def test_games_ask_what_the_configuration_says_and_pay_everybody(decisions):
    config = RllibConfig(num_players=3, reward="outcome", decisions=decisions)
    table = new_games({**config.about.options.as_dict(), "reward": config.reward})
    rng, phases = np.random.default_rng(0), set()
    for seed in range(2):
        seen, _ = table.reset(seed=seed)
        totals = dict.fromkeys(table.possible_agents, 0.0)
        over = False
        while not over:
            ((name, observation),) = seen.items()
            assert table.observation_spaces[name].contains(observation)
            phases.add(table.env.unwrapped.game.phase)
            action = rng.choice(np.flatnonzero(observation["action_mask"]))
            seen, rewards, done, truncated, _ = table.step({name: action})
            for who, reward in rewards.items():
                totals[who] += reward
            over = done["__all__"]
            assert not truncated["__all__"]
        assert sum(totals.values()) == pytest.approx(0)
        assert max(totals.values()) > 0
    assert phases == ({"place"} if decisions == "turn" else {"place", "fill", "act"})


def test_keys_that_rllib_can_t_obey_are_refused(tmp_path, capsys):
    most = 2 * 8 * 128 // 2
    for given, message in (
        ("final_learning_rate=0.1", "there is no key 'final_learning_rate'"),
        ("final_entropy_coef=0.1", "there is no key 'final_entropy_coef'"),
        ("observation=candidates", "observation is 'candidates', expected 'flat'"),
        ("start=x", "start is 'x', expected ''"),
        ("runners=-1", "runners is -1, expected 0 or more"),
        (f"batch={most + 1}", f"batch is {most + 1}, more than the {most} decisions"),
    ):
        with pytest.raises(ConfigError, match=message):
            read(RllibConfig, CONFIG, ["learners=2", given])
    assert read(RllibConfig, CONFIG, ["learners=2", f"batch={most}"]).batch == most
    assert train(["--config", CONFIG, "--set", "nothing=1", "--out", str(tmp_path / "x")]) == 1
    assert "nothing" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
