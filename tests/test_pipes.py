"""What is no regular file is refused, or replaced, by everything that writes and reads folders."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from cacao_env import record
from cacao_env.agents.checkpoint import MANIFEST, ONNX
from cacao_env.cli import main
from cacao_env.data import storage
from cacao_env.data.folder import LINES, LOCK, GameFolder
from cacao_env.engine.jit import BY_NUMBA
from cacao_env.evaluation import run
from cacao_env.files import read_regular, write_whole, writing
from cacao_env.registry import load_agent
from cacao_env.tables import write_between
from tests.checkpoints import checkpoint
from tests.sources import ROOT

pytestmark = pytest.mark.usefixtures("no_luck")
NOT_REGULAR = "it is not a regular file"


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch):
    """An error instead of waiting for the other end of a pipe; no charts."""
    monkeypatch.setattr("cacao_env.evaluation.report.CHARTS", False)

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


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_a_standard_stream_that_is_closed_is_read_and_written_in_vain(closed, tmp_path):
    command = f'"{sys.executable}" -m cacao_env record --out {tmp_path / "r.json"} {closed}'
    assert subprocess.run(command, shell=True, cwd=ROOT).returncode == 0
    record.check(record.load(tmp_path / "r.json"))


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp1251"])
def test_a_console_that_lacks_a_character_shows_another(encoding):
    done = subprocess.run(
        [sys.executable, "-m", "cacao_env", "spec"],
        cwd=ROOT,
        env={**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding},
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"") or BY_NUMBA  # which is told
    assert b"?" in done.stdout


@pytest.mark.parametrize("name", ["evaluation.json", "report.html"])
def test_an_evaluation_writes_into_no_pipe(name, tmp_path, capsys):
    os.mkfifo(tmp_path / name)
    assert evaluate(tmp_path) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"{tmp_path / name} can't be written: {NOT_REGULAR}")
    (tmp_path / name).unlink()
    assert evaluate(tmp_path) == 0
    assert (tmp_path / name).is_file()


def test_a_lock_that_is_a_pipe_keeps_nobody_waiting(tmp_path, capsys):
    """One version of filelock refuses it, another locks it."""
    os.mkfifo(tmp_path / LOCK)
    if evaluate(tmp_path) == 1:
        assert f"{tmp_path} can't be written: " in capsys.readouterr().err.splitlines()[-1]


def test_records_are_no_pipes(tmp_path, capsys):
    export = ["data", "export", str(tmp_path), "--as", "records", "--out", str(tmp_path / "r")]
    assert evaluate(tmp_path) == 0
    assert main(export) == 0
    first = sorted((tmp_path / "r").glob("*.json"))[0]
    first.unlink()
    os.mkfifo(first)
    assert main(export) == 1
    assert f"{first.name} can't be written: {NOT_REGULAR}" in capsys.readouterr().err


def doors():
    """By the file that each reads: functions of the folder that has it."""
    yield "evaluation.json", lambda folder: run.loaded(folder / "evaluation.json")
    yield "page.md", lambda folder: write_between(folder / "page.md", "")
    yield "game.json", lambda folder: record.load(folder / "game.json")
    yield "net.onnx", lambda folder: load_agent(str(folder / "net.onnx"))
    for name in (MANIFEST, ONNX):
        yield f"net/{name}", lambda folder: load_agent(str(folder / "net"))
    yield LINES, lambda folder: GameFolder(folder, {"options": []})
    yield "games.parquet", lambda folder: read_regular(folder / "games.parquet", storage.MOST)
    with suppress(ImportError):  # the training extra
        from training import card, state
        from training.config import read
        from training.run_folder import ABOUT, METRICS, RunFolder
        from training.train_ppo import PpoConfig

        yield "ppo.toml", lambda folder: read(PpoConfig, folder / "ppo.toml")
        yield state.STATE, state.read_state
        for name in (ABOUT, METRICS):
            yield name, lambda folder: RunFolder(folder, {}, at=1)
        yield card.EVALUATION, lambda folder: card.strength(folder / card.EVALUATION)


@pytest.mark.parametrize("kind", ["pipe", "device", "sparse"])
@pytest.mark.parametrize(("name", "read"), list(doors()))
def test_what_never_ends_is_not_read(name, read, kind, tmp_path):
    file = tmp_path / name
    if file.parent != tmp_path:
        checkpoint(tmp_path)
        file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif name != LINES:  # may be as long as an evaluation
        with file.open("wb") as large:
            large.truncate(60_000_000_000)
    if file.exists():
        with pytest.raises((ValueError, OSError), match=f"{NOT_REGULAR}|not a regular|more than"):
            read(tmp_path)


def test_what_is_no_file_is_not_written_over(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=NOT_REGULAR):
        write_whole(tmp_path / "pipe", "text")
    pytest.importorskip("torch", reason="the training extra is not installed")
    from training.run_folder import CONFIG, RunFolder
    from training.state import STATE, write_state

    for name in (CONFIG, STATE):
        os.mkfifo(tmp_path / name)
    with pytest.raises(OSError, match=NOT_REGULAR):
        write_state(tmp_path, {}, config={})
    with pytest.raises(OSError, match=NOT_REGULAR):
        RunFolder(tmp_path, {}, at=1)


def test_a_pipe_without_a_name_is_written_to():
    end, begin = os.pipe()  # as in a shell: cacao record --out /dev/stdout | cat
    write_whole(Path(f"/dev/fd/{begin}"), "text", pipes=True)
    assert os.read(end, 9) == b"text"
    os.close(begin)
    os.close(end)


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def interrupted():
        with writing(path) as file:
            file.write(b"new")
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("file", "old")]


def test_processes_that_write_one_file_at_once_write_it_whole(tmp_path):
    path = tmp_path / "file"
    program = f"from cacao_env import files; files.write_whole(files.Path({str(path)!r}), 'short')"
    with writing(path) as file:
        file.write(b"the longer ")
        file.flush()
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
        assert path.read_text() == "short"
        file.write(b"text")
    assert path.read_text() == "the longer text"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_text_in_another_encoding_is_named(tmp_path):
    (tmp_path / "page.md").write_bytes("caf\u00e9".encode("latin-1"))
    with pytest.raises(ValueError, match=r"page\.md is not text in UTF-8"):
        write_between(tmp_path / "page.md", "text")
