"""The learning benchmark: runs, what it resumes, and its page."""

import csv
import json
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier
from types import SimpleNamespace

import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

from matplotlib.axes import Axes

from cacao_env.evaluation.summary import Result
from training import benchmark
from training.benchmark import RECIPES, Run, main, picture, recipe_of, runs_in
from training.clone import CloneLearner
from training.config import ConfigError, overridden, read
from training.state import STATE
from training.train_afterstate import AfterstateLearner
from training.train_ppo import PpoLearner
from training.train_sb3 import Sb3Learner

LEARNERS = {
    kind.command: kind for kind in (AfterstateLearner, CloneLearner, PpoLearner, Sb3Learner)
}


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_is_a_configuration_that_its_trainer_accepts(name, tmp_path):
    run = Run(RECIPES[name], 2, tmp_path / name / "seed2")
    command = run.command(3.0, 7)
    overrides = [command[k + 1] for k, word in enumerate(command) if word == "--set"]
    kind = LEARNERS[RECIPES[name].trainer]
    config = read(kind.config_type, command[command.index("--config") + 1], overrides)
    assert (config.seed, config.minutes, config.deals) == (2, 3.0, 7)
    assert config.against == config.eval_opponents == ["greedy"]
    assert overridden({}, overrides)["name"] == name


def test_seeds_come_one_after_the_other(tmp_path):
    runs = runs_in(tmp_path, ["ppo-rows", "sb3-rows"], 2)
    assert [(run.folder.parent.name, run.seed) for run in runs] == [
        ("ppo-rows", 0),
        ("sb3-rows", 0),
        ("ppo-rows", 1),
        ("sb3-rows", 1),
    ]


def test_a_recipe_may_set_keys(tmp_path):
    name = "ppo-rows:past_fraction=0:learning_rate=3e-4"
    usual, changed = runs_in(tmp_path, ["ppo-rows", name], 1)
    assert changed.recipe.title == f"{usual.recipe.title}, past_fraction=0, learning_rate=3e-4"
    assert usual.folder != changed.folder
    command = changed.command(3.0, 7)
    overrides = [command[k + 1] for k, word in enumerate(command) if word == "--set"]
    config = read(PpoLearner.config_type, command[command.index("--config") + 1], overrides)
    assert (config.past_fraction, config.learning_rate) == (0, 3e-4)
    with pytest.raises(ConfigError, match="sets 'seed=7', but the benchmark sets that key itself"):
        recipe_of("ppo-rows:seed=7")


def finish(folder, wins, games=True):
    """Write what a run that is done leaves; one that learned from a data set played no games."""
    folder.mkdir(parents=True)
    result = dict.fromkeys(Result.__dataclass_fields__, 0) | {
        **{"win_share": wins, "low": wins - 0.1, "high": wins + 0.1, "blocks": 7}
    }
    manifest = {"format": "cacao-checkpoint", "version": 1, "results": [result]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    rows = [
        {"round": n, "seconds": 60.0 * n, "decisions": 6000 * n, "wins_greedy_2p": wins * n / 3}
        | ({"games": 100 * n} if games else {})
        for n in (1, 2, 3)
    ]
    (folder / "metrics.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")


def test_what_is_done_is_read_and_what_was_begun_is_resumed(tmp_path, monkeypatch, capsys):
    for seed, wins in ((0, 0.5), (1, 0.7)):
        finish(tmp_path / "ppo-rows" / f"seed{seed}", wins)
    begun = tmp_path / "ppo-rows" / "seed2"
    begun.mkdir()
    (begun / STATE).write_bytes(b"")
    asked, confined = [], []

    def run(command, **more):
        asked.append(command)
        confined.append(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0])
        assert more["env"]["OMP_NUM_THREADS"] == "1"
        (begun / STATE).unlink()
        begun.rmdir()
        finish(begun, 0.6)
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr(benchmark, "subprocess", SimpleNamespace(run=run))
    monkeypatch.setattr(benchmark, "git_commit", lambda: "abc")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    arguments = ["--out", str(tmp_path), "--recipes", "ppo-rows", "--minutes", "3"]
    assert main(arguments) == 0
    assert [command[3:] for command in asked] == [["--resume", str(begun)]]
    assert [len(cores) for cores in confined] == [1]
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    seeds = "50.0% [40.0%, 60.0%], 70.0% [60.0%, 80.0%], 60.0% [50.0%, 70.0%]"
    assert f"| self-play PPO, candidate rows | 3 | 60.0% | {seeds} | 300 | 100 |" in page
    rows = list(csv.DictReader((tmp_path / "curves.csv").read_text().splitlines()))
    assert [(row["seed"], row["seconds"]) for row in rows[:4]] == [
        *(("0", f"{60.0 * n}") for n in (1, 2, 3)),
        ("1", "60.0"),
    ]
    assert [float(row["wins"]) for row in rows[::3]] == pytest.approx([0.5 / 3, 0.7 / 3, 0.6 / 3])
    curves = (tmp_path / "curves.svg").read_bytes()
    assert curves.startswith(b"<?xml")
    # Everything is done: nothing is run again, and the same page comes out.
    assert main(arguments) == 0
    assert len(asked) == 1
    assert (tmp_path / "curves.svg").read_bytes() == curves
    assert main([*arguments[:-2], "--page"]) == 0  # with the settings that are there
    assert "trained for 3 minutes" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert main([*arguments[:-1], "4"]) == 1
    assert "has a benchmark with {'minutes': 3.0" in capsys.readouterr().err


def test_runs_without_games_are_drawn_over_minutes_alone(tmp_path):
    finish(tmp_path / "clone" / "seed0", 0.5, games=False)
    arguments = ["--out", str(tmp_path), "--recipes", "clone", "--seeds", "1", "--minutes", "3"]
    assert main(arguments) == 0
    assert "| learning from a data set | 1 | 50.0% |" in (tmp_path / "README.md").read_text()
    rows = list(csv.DictReader((tmp_path / "curves.csv").read_text().splitlines()))
    assert [(row["seconds"], row["games"]) for row in rows] == [
        (f"{60.0 * n}", "") for n in (1, 2, 3)
    ]


def test_curves_are_drawn_over_minutes_and_over_games(tmp_path, monkeypatch):
    finish(tmp_path / "clone" / "seed0", 0.6, games=False)
    finish(tmp_path / "ppo-rows" / "seed0", 0.3)
    plot, drawn = Axes.plot, []

    def noted(axis, along, wins, **look):
        drawn.append((axis.get_xlabel(), list(along), [round(x, 6) for x in wins], look["label"]))
        return plot(axis, along, wins, **look)

    monkeypatch.setattr(Axes, "plot", noted)
    picture(runs_in(tmp_path, ["clone", "ppo-rows"], 1))
    assert drawn == [
        ("minutes", [1, 2, 3], [0.2, 0.4, 0.6], RECIPES["clone"].title),
        ("minutes", [1, 2, 3], [0.1, 0.2, 0.3], RECIPES["ppo-rows"].title),
        ("games", [100, 200, 300], [0.1, 0.2, 0.3], RECIPES["ppo-rows"].title),
    ]


@pytest.mark.parametrize("key", ["seeds", "deals", "jobs", "minutes"])
def test_numbers_below_their_bounds_are_refused(key, tmp_path, capsys):
    assert main(["--out", str(tmp_path), f"--{key}", "0"]) == 1
    assert f"{key} is 0" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores can't be chosen here")
def test_runs_at_once_have_a_core_each():
    here, both = os.sched_getaffinity(0), Barrier(2)

    def core(_):
        both.wait(60)
        return os.sched_getaffinity(0)

    with ThreadPoolExecutor(2, initializer=benchmark._take_core, initargs=(count(),)) as pool:
        one, other = pool.map(core, range(2))
    assert len(one) == len(other) == 1
    assert len(one | other) == min(2, len(here))
    assert os.sched_getaffinity(0) == here


def test_a_run_that_fails_and_bad_options_are_one_sentence(tmp_path, monkeypatch, capsys):
    failed = SimpleNamespace(returncode=1, stderr="so far\nthe disk is full\n")
    monkeypatch.setattr(benchmark, "subprocess", SimpleNamespace(run=lambda *_, **__: failed))
    assert main(["--out", str(tmp_path), "--recipes", "ppo-rows"]) == 1
    assert capsys.readouterr().err == "ppo-rows, seed 0: the disk is full\n"
    for bad, words in (
        (["--recipes", "alchemy"], "there is no recipe 'alchemy'; there are: afterstate"),
        (["--recipes", "ppo-rows:alchemy"], "sets 'alchemy', expected key=value"),
        (["--recipes", "clone,clone"], "recipes is 'clone,clone', which has a recipe twice"),
        (["--seeds", "0"], "seeds is 0, expected more than 0"),
    ):
        assert main(["--out", str(tmp_path), *bad]) == 1
        assert words in capsys.readouterr().err
