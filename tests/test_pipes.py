"""What is no regular file is refused, or replaced, by everything that writes and reads folders."""

from __future__ import annotations

import json
import os
import signal

import pytest

from cacao_env.agents.checkpoint import MANIFEST, add_to_manifest
from cacao_env.check.bench import read_rows
from cacao_env.cli import main
from cacao_env.evaluation import leaderboard, run
from cacao_env.evaluation.store import LOCK
from cacao_env.files import write_whole
from cacao_env.tables import between_markers
from tests.checkpoints import checkpoint

pytestmark = pytest.mark.usefixtures("no_luck")
NOT_REGULAR = "it is not a regular file"


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch):
    """An error instead of waiting for the other end of a pipe; no charts."""
    monkeypatch.setattr("cacao_env.evaluation.charts.available", lambda: False)

    def waited(number, frame):
        raise AssertionError("it waits for the other end of a pipe")

    before = signal.signal(signal.SIGALRM, waited)
    signal.setitimer(signal.ITIMER_REAL, 120, 5)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def evaluate(folder, *more):
    players = ["random", "greedy", "--players", "2", "--deals", "1", "--workers", "1"]
    return main(["evaluate", *players, "--out", str(folder), *more])


@pytest.mark.parametrize("name", ["evaluation.json", "report.html"])
def test_an_evaluation_writes_into_no_pipe(name, tmp_path, capsys):
    os.mkfifo(tmp_path / name)
    assert evaluate(tmp_path) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"{tmp_path / name} can't be written: {NOT_REGULAR}")
    (tmp_path / name).unlink()
    assert evaluate(tmp_path) == 0
    assert (tmp_path / name).is_file()


@pytest.mark.parametrize("name", ["evaluation.json.tmp", "report.html.tmp"])
def test_pipes_beside_the_files_are_in_nobody_s_way(name, tmp_path):
    os.mkfifo(tmp_path / name)
    assert evaluate(tmp_path) == 0
    assert json.loads((tmp_path / "evaluation.json").read_text())["results"]


def test_a_lock_is_no_pipe(tmp_path, capsys):
    os.mkfifo(tmp_path / LOCK)
    assert evaluate(tmp_path) == 1
    assert f"{tmp_path} can't be written: " in capsys.readouterr().err.splitlines()[-1]


def test_records_are_no_pipes(tmp_path, capsys):
    records = tmp_path / "records"
    records.mkdir()
    assert evaluate(tmp_path / "run", "--records", str(records)) == 0
    first = sorted(records.glob("*.json"))[0]
    first.unlink()
    os.mkfifo(first)
    assert evaluate(tmp_path / "run", "--records", str(records)) == 0
    assert first.is_file()
    (records / "games.csv").unlink()
    os.mkfifo(records / "games.csv")
    assert evaluate(tmp_path / "run", "--records", str(records)) == 1
    assert f"games.csv can't be written: {NOT_REGULAR}" in capsys.readouterr().err


def test_what_reads_files_reads_no_pipes(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for read in (
        read_rows,
        run.loaded,
        lambda path: between_markers(path, "a", "b", ""),
    ):
        with pytest.raises(ValueError, match=NOT_REGULAR):
            read(pipe)
    with pytest.raises(OSError, match=NOT_REGULAR):
        write_whole(pipe, "text")
    folder = checkpoint(tmp_path)
    (folder / MANIFEST).unlink()
    os.mkfifo(folder / MANIFEST)
    with pytest.raises(ValueError, match=NOT_REGULAR):
        add_to_manifest(folder, results=[])


def test_trainers_files_are_no_pipes(tmp_path):
    pytest.importorskip("torch", reason="the training extra is not installed")
    from training.benchmark import _same_settings
    from training.run_folder import ABOUT, CONFIG, CURVES, METRICS, RunFolder
    from training.ship import EVALUATION, _evaluation, results
    from training.state import STATE, write_state

    for name in (CONFIG, ABOUT, METRICS):
        run = tmp_path / f"with {name}"
        run.mkdir()
        os.mkfifo(run / name)
        with pytest.raises((ValueError, OSError), match=NOT_REGULAR):
            RunFolder(run, {}, at=1)
    os.mkfifo(tmp_path / STATE)
    with pytest.raises(OSError, match=NOT_REGULAR):
        write_state(tmp_path, {}, config={})
    os.mkfifo(tmp_path / CURVES)
    folder = RunFolder(tmp_path, {})
    folder.rows = [{"round": 1, "seconds": 1.0}, {"round": 2, "seconds": 2.0}]
    with pytest.raises(OSError, match=NOT_REGULAR):
        folder.draw()
    folder.close()
    os.mkfifo(tmp_path / EVALUATION)
    for read in (
        lambda: _same_settings(tmp_path / STATE, {}),
        lambda: _evaluation(tmp_path / STATE, {}),
        lambda: results(tmp_path),
    ):
        with pytest.raises(ValueError, match=NOT_REGULAR):
            read()


def test_configurations_are_not_read_from_pipes(tmp_path):
    pipe = tmp_path / "plan.toml"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match=f"plan.toml can't be read: {NOT_REGULAR}"):
        leaderboard.plans(pipe)
    pytest.importorskip("torch", reason="the training extra is not installed")
    from training.config import ConfigError, read
    from training.train_ppo import PpoConfig

    with pytest.raises(ConfigError, match=f"plan.toml can't be read: {NOT_REGULAR}"):
        read(PpoConfig, pipe)
