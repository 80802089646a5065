"""Afterstate learning: resumed runs, configurations, checkpoints."""

import errno
import json
import shutil
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from cacao_env import files
from cacao_env.agent import AgentError, require
from cacao_env.agents.checkpoint import MANIFEST, WEIGHTS
from cacao_env.agents.value.checkpoint import read_value
from cacao_env.data import load
from cacao_env.engine.options import Options
from cacao_env.registry import load_agent
from tests.checkpoints import value_checkpoint
from tests.golden.runs import RUNS
from training.config import ConfigError, from_dict
from training.loop import Loop, resumed
from training.run_folder import RunFolder, clear
from training.state import STATE, part, read_state
from training.train_afterstate import AfterstateConfig, AfterstateLearner, main

SMALL = RUNS["afterstate"][2] | {
    **{"name": "small", "minutes": 1000.0, "greedy_games": 40, "games": 16},
    **{"eval_rounds": 2, "eval_games": 4, "deals": 2},
}
RULES_OF_SMALL = {"players": [2], "volcanoes": False}


def run_for(folder: Path, count: int, **changes) -> None:
    """A run of so many rounds of the four that it is meant to have."""
    train_on(AfterstateLearner(from_dict(AfterstateConfig, SMALL | changes)), folder, count)


def train_on(learner: AfterstateLearner, folder: Path, count: int) -> None:
    with closing(learner), closing(Loop(learner, folder)) as loop:
        for _ in range(count):
            loop.round()
        loop.save()


def test_a_round_that_keeps_no_position_says_so():
    changes = {"greedy_kept": 0.0, "others": 1e-6, "greedy_games": 2}
    with closing(AfterstateLearner(from_dict(AfterstateConfig, SMALL | changes))) as learner:
        learner.start()
        with pytest.raises(ConfigError, match="no position of a round was kept, expected"):
            learner.round()


@pytest.fixture
def folder(tiny, tmp_path):
    """A copy of the session's finished run."""
    return Path(shutil.copytree(tiny("afterstate").folder, tmp_path / "run"))


def arguments(folder: Path) -> list[str]:
    """Of the command, to train as ``SMALL`` says."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in SMALL.items()]
    config = folder.with_suffix(".toml")
    config.write_text("\n".join([*lines, 'against = ["random"]']))
    return ["--config", str(config), "--out", str(folder)]


@pytest.mark.parametrize("full_at", [STATE, WEIGHTS, MANIFEST])
def test_a_full_disk_loses_nothing(full_at, folder, monkeypatch, capsys):
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    true_write, beginning = files.write_through, full_at.partition(".")[0]

    @contextmanager
    def full(path: Path):
        with true_write(path) as file:
            if path.name.startswith(beginning):
                file.write(b"half")
                raise OSError(errno.ENOSPC, "No space left on device")
            yield file

    monkeypatch.setattr(files, "write_through", full)
    capsys.readouterr()
    assert main(["--resume", str(folder), "--set", "rounds=3"]) == 1
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith(str(folder / beginning))
    assert error.endswith(" can't be written: No space left on device")
    monkeypatch.undo()
    assert (folder / STATE).read_bytes() == before[STATE]
    if full_at != STATE:  # those are written before it
        assert (folder / WEIGHTS).read_bytes() == before[WEIGHTS]
        assert (folder / MANIFEST).read_bytes() == before[MANIFEST]
    read_value(folder)
    assert not [*folder.glob("*.tmp"), *folder.glob("weights-*")]
    assert resumed(AfterstateLearner, folder).rounds == 2


def test_a_run_is_not_overwritten_unless_told_so(folder, capsys, no_luck):
    command = [*arguments(folder), "--set", "rounds=1"]
    before = (folder / STATE).read_bytes()
    assert main(command) == 1
    words = f"{folder} has a run already; resume it with --resume {folder}"
    assert words in capsys.readouterr().err
    assert (folder / STATE).read_bytes() == before
    (folder / STATE).unlink()  # as in a checkpoint that is shipped
    assert main(command) == 1
    assert f"{folder} has a checkpoint already" in capsys.readouterr().err
    (folder / STATE).write_bytes(before)
    training = RunFolder(folder, {}, at=1)  # keeps others out
    for more in ([], ["--overwrite"]):
        assert main([*command, *more]) == 1
        assert f"another process is training in {folder}" in capsys.readouterr().err
    assert (folder / STATE).read_bytes() == before
    training.close()
    assert main([*command, "--overwrite"]) == 0
    assert len(list((folder / "tensorboard").glob("events*"))) == 1
    assert (folder / STATE).read_bytes() != before


def test_a_run_keeps_its_games(tmp_path):
    pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")
    folder = tmp_path / "run"
    run_for(folder, 2, keep_games=True)
    state = (folder / STATE).read_bytes()
    again = resumed(AfterstateLearner, folder)
    train_on(again, folder, 1)
    (folder / STATE).write_bytes(state)  # the disk was full after the games
    again = resumed(AfterstateLearner, folder)
    train_on(again, folder, 2)
    games = load(folder / "games")
    games.check()
    rounds = [versions[0] for versions in games.table.column("versions").to_pylist()]
    played = [40] * again.config.greedy_rounds + [16] * 4
    assert Counter(rounds) == {f"round {k}": count for k, count in enumerate(played[:4])}
    assert len(games) == again.counts["games"]
    assert len(set(games.deals.tolist())) == len(games)
    listed = {entry["name"] for entry in games.manifest["files"]}
    assert {path.name for path in (folder / "games").glob("*.parquet")} == listed
    clear(folder)  # another run's games would be mixed with these
    assert not (folder / "games").exists()


def test_games_of_several_kinds_are_not_kept():
    for change in ({"players": {"2": 1, "3": 1}}, {"volcanoes": 0.5}):
        with pytest.raises(ConfigError, match="keep_games is true"):
            from_dict(AfterstateConfig, SMALL | change | {"keep_games": True})


def test_what_can_t_be_resumed_is_named(folder, tmp_path, capsys):
    assert main(["--resume", str(tmp_path / "nowhere")]) == 1
    assert "state.safetensors can't be read" in capsys.readouterr().err
    assert main(["--resume", str(folder), "--set", "sums=9"]) == 1
    assert "does not fit its configuration: acting.bias is" in capsys.readouterr().err


def test_a_checkpoint_has_the_running_mean_of_the_weights(tmp_path):
    run_for(tmp_path, 2)
    saved, state = read_value(tmp_path)[0], read_state(tmp_path)[0]
    for name, array in part("mean", state).items():
        np.testing.assert_array_equal(saved[name], array)
    assert any((saved[name] != array).any() for name, array in part("net", state).items())


def test_a_checkpoint_says_what_it_is_for(tmp_path):
    checkpoint, _ = value_checkpoint(tmp_path / "net")
    agent = load_agent(str(checkpoint))
    require(agent, Options(2))
    for other in (Options(3), Options(2, True)):
        with pytest.raises(AgentError, match="value plays with 2 players without volcanoes, not"):
            require(agent, other)
    assert load_agent(f"{checkpoint}+search:ms=5").name == "value+search:ms=5"
    for wrong, words in (
        ("+search:depth=3", "no parameter 'depth'"),
        ("+search:ms=-1", "ms of"),
        ("+search:ms=0", "has ms=0 and sims=0, expected one of them"),
        ("+search:ms=5,sims=8", "has ms=5 and sims=8, expected one of them"),
        ("+searchX", "expected \\+search or \\+search:ms="),
        ("+search=ms=5", "expected \\+search or \\+search:ms="),
    ):
        with pytest.raises((AgentError, ValueError), match=words):
            load_agent(f"{checkpoint}{wrong}")


def test_a_folder_that_is_no_run_is_left_alone_and_a_run_until_another_can_begin(folder, tmp_path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "mine.json").write_text("{}")
    clear(tmp_path)
    assert (tmp_path / "games" / "mine.json").exists()
    before = (folder / STATE).read_bytes()
    for wrong in ("opponent=gredy", "eval_opponents=['gredy']", "against=['greedy', 'greedy']"):
        assert main([*arguments(folder), "--overwrite", "--set", wrong]) == 1
        assert (folder / STATE).read_bytes() == before


def test_a_run_goes_on_with_a_shorter_replay(tmp_path):
    folder = tmp_path / "run"
    run_for(folder, 4)
    assert len(resumed(AfterstateLearner, folder).replay) > 1
    assert len(resumed(AfterstateLearner, folder, ["replay=1"]).replay) == 1


def test_games_are_measured_as_they_were_learned():
    config = from_dict(AfterstateConfig, SMALL | {"volcanoes": 1.0, "players": {"2": 1, "3": 0}})
    assert config.games_played == [Options(2, True)]
    mixed = from_dict(AfterstateConfig, SMALL | {"volcanoes": 0.5, "players": {"2": 1, "4": 1}})
    assert mixed.games_played == [Options(2), Options(4)]
