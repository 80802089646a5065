"""Shipped checkpoints: made, measured, checked, exported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch

from cacao_env import Game, record
from cacao_env.agents import checkpoint
from cacao_env.agents.checkpoint import ORDER, CheckpointError, shipped_names
from cacao_env.agents.policy import load_policy, save_policy
from cacao_env.agents.registry import load_agent
from cacao_env.agents.value import net as compiled
from cacao_env.agents.value.checkpoint import load_value, save_value
from cacao_env.agents.value.features import LAYOUT, features_into
from cacao_env.cli import main as cacao
from cacao_env.engine.observation import scale
from cacao_env.evaluation.luck import luck_of
from training.afterstate.net import ValueNet
from training.ppo.network import CellNet, load_net
from training.zoo import folder
from training.zoo.__main__ import main
from training.zoo.add import add
from training.zoo.onnx import export

RULES = {"players": [2, 3], "volcanoes": False}
BOARD = {"num_players": 2, "table_size": 15, "volcanoes": False, "width": 8}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty home of checkpoints."""
    place = tmp_path / "checkpoints"
    place.mkdir()
    (place / ORDER).write_text("[]")
    luck_of(Game.new(seed=0))  # its network is loaded once, from the home that is hidden now
    monkeypatch.setattr(checkpoint, "_HOMES", (place,))
    monkeypatch.chdir(tmp_path)
    return place


@pytest.fixture
def run(tmp_path):
    """A run's folder with a value network that knows nothing."""
    torch.manual_seed(0)
    trained = {"algorithm": "none", "games": 1234, "seconds": 7200.0, "config": {"seed": 3}}
    place = tmp_path / "run"
    save_value(place, "afterstate", ValueNet(8, 4, 4).params(), RULES, training=trained)
    (place / "metrics.jsonl").write_text('{"round": 1}\n')
    (place / "state.safetensors").write_bytes(b"large")
    return place


def test_a_checkpoint_is_made_measured_and_listed(home, run, tmp_path, capsys):
    assert main(["add", str(run), "first", "--home", str(home)]) == 0
    assert main(["add", str(run), "second", "--home", str(home)]) == 0
    shutil.rmtree(home / "first")  # made again, it is still the recommended one
    assert main(["add", str(run), "first", "--home", str(home)]) == 0
    path = home / "first"
    files = {file.name for file in path.iterdir()}
    assert files == {
        "weights.safetensors",
        "manifest.json",
        "metrics.jsonl",
        "model.onnx",
        "records",
        "README.md",
        "SHA256SUMS",
    }
    for file in (path / "records").iterdir():
        game = record.check(record.load(file))
        assert game.over
    assert "It has not been measured" in (path / "README.md").read_text()
    assert load_agent("first").name == "first"
    folder.check_sums(path)
    # Measured by the command that measures all agents.
    out = str(tmp_path / "figures.json")
    assert (
        cacao(["evaluate", "first", "greedy", "--players", "2,3", "--blocks", "2", "--json", out])
        == 0
    )
    capsys.readouterr()
    assert main(["card", "first", out]) == 0
    assert "2 rows" in capsys.readouterr().out
    text = (path / "README.md").read_text()
    assert "| first | greedy | 2 | " in text
    assert "| first | greedy | 3 | " in text
    assert "1,234" in text
    assert "hours: 2.0" in text
    assert "games of 2, 3 players" in text.lower()
    folder.check_sums(path)
    # Results with volcanoes do not replace those without.
    data = json.loads(Path(out).read_text())
    for row in data["results"]:
        row["volcanoes"] = True
    Path(out).write_text(json.dumps(data))
    assert main(["card", "first", out]) == 0
    assert "4 rows" in capsys.readouterr().out
    assert main(["list", "--names"]) == 0
    assert capsys.readouterr().out == "first\nsecond\n"
    assert main(["list"]) == 0
    assert "first (recommended): none\n    2 players against greedy: wins " in (
        capsys.readouterr().out
    )


def test_a_checkpoint_is_held_to_its_card(home, run, tmp_path, capsys):
    assert main(["add", str(run), "first", "--home", str(home)]) == 0
    assert main(["eval", "first"]) == 1
    assert "its card has no row against random, greedy" in capsys.readouterr().err
    out = str(tmp_path / "figures.json")
    assert cacao(["evaluate", "first", "random", "--blocks", "4", "--json", out]) == 0
    assert main(["card", "first", out]) == 0
    capsys.readouterr()
    assert main(["eval", "first", "--blocks", "4"]) == 0
    assert "as its card says" in capsys.readouterr().out
    # A card that says more than is true.
    rows = json.loads((home / "first" / folder.EVALUATION).read_text())
    rows["results"][0] |= {"opponent": "greedy", "win_share": 0.95, "low": 0.9}
    (home / "first" / folder.EVALUATION).write_text(json.dumps(rows))
    assert main(["eval", "first", "--blocks", "4"]) == 1
    assert f"{folder.EVALUATION} does not have the checksum" in capsys.readouterr().err
    folder.write_sums(home / "first")
    assert main(["eval", "first", "--blocks", "10"]) == 1
    assert "WEAKER THAN its card says: 95.0%" in capsys.readouterr().out


def test_what_can_t_be_is_refused(home, run, capsys):
    add(run, home, "first")
    for arguments, words in (
        (["add", str(run), "first", "--home", str(home)], "first is there already"),
        (["add", str(run / "x"), "y", "--home", str(home)], "manifest.json can't be read"),
        (["eval", "nobody"], "there is no checkpoint 'nobody'; there are: first"),
    ):
        assert main(arguments) == 1
        assert words in capsys.readouterr().err
    assert not (home / "y").exists()
    other = run / "other.json"
    row = {"agent": "first", "opponent": "greedy", "players": 2, "volcanoes": False}
    for text, words in (
        ("{", "is not what `cacao evaluate --json` writes"),
        ('{"results": []}', "is not what `cacao evaluate --json` writes"),
        ("[]", "is not what `cacao evaluate --json` writes"),
        (
            json.dumps({"settings": {"agents": {"first": "0" * 64}}, "results": [row]}),
            "first had other weights there",
        ),
    ):
        other.write_text(text)
        assert main(["card", "first", str(other)]) == 1
        error = capsys.readouterr().err
        assert str(other) in error
        assert words in error
    assert folder.shipped("first").results() == []
    (home / "first" / "records" / "2p-0.json").write_text("{}")
    with pytest.raises(CheckpointError, match="2p-0\\.json does not have the checksum"):
        folder.check_sums(home / "first")
    (home / "first" / "records" / "2p-0.json").unlink()
    with pytest.raises(CheckpointError, match="2p-0\\.json does not have the checksum"):
        folder.check_sums(home / "first")


def session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def some_positions(players, count, volcanoes=False):
    rng = np.random.default_rng(players)
    for seed in range(count):
        game = Game.new(players, seed, volcanoes=volcanoes, table_size=15 if players == 2 else None)
        for _ in range(int(rng.integers(1, 60))):
            if game.over:
                break
            game.play(int(rng.choice(game.legal_actions())))
        if not game.over:
            yield game


def test_the_value_network_s_onnx_file_computes_what_compiled_code_does(tmp_path):
    torch.manual_seed(1)
    save_value(tmp_path / "net", "net", ValueNet(16, 8, 8).params(), RULES)
    export(tmp_path / "net", tmp_path / "net.onnx")
    net, _ = load_value(tmp_path / "net")
    scratch = compiled.new_scratch(net)
    columns, expected = [[] for _ in range(6)], []
    for players in (2, 3, 4):
        for game in some_positions(players, 25, volcanoes=players == 3):
            counts = features_into(
                game.state, 0, net.prospects, scratch.room, scratch.numbers, scratch.rows
            )
            stage = LAYOUT.stages[int(game.state.tiles_each) - int(game.state.placed[0])]
            compiled.forward(net, scratch, *counts, stage)
            expected.append(scratch.out.copy())
            row = (scratch.numbers.copy(), scratch.rows[:160].astype(np.int64), *counts, stage)
            for column, value in zip(columns, row, strict=True):
                column.append(value)
    names = ("numbers", "rows", "counts", "num_patterns", "open_cells", "stage")
    feed = {name: np.array(column) for name, column in zip(names, columns, strict=True)}
    [found] = session(tmp_path / "net.onnx").run(None, feed)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(found, np.array(expected), atol=2e-4)


def test_the_board_network_s_onnx_file_computes_what_torch_does(tmp_path):
    torch.manual_seed(1)
    save_policy(tmp_path / "net", "net", CellNet(2, 15, 8).params(), BOARD)
    export(tmp_path / "net", tmp_path / "net.onnx")
    agent, net = load_policy(tmp_path / "net"), load_net(tmp_path / "net")
    games = list(some_positions(2, 20))
    seen = np.stack([game.observation(game.seat) for game in games])
    masks = np.stack([game.action_mask() for game in games])
    scaled = seen.astype(np.float32) * scale(2, 15)
    logits, values = session(tmp_path / "net.onnx").run(None, {"observation": scaled})
    with torch.no_grad():
        expected, expected_values = net(torch.from_numpy(scaled))
    np.testing.assert_allclose(logits, expected.numpy(), atol=1e-4)
    np.testing.assert_allclose(values, expected_values.numpy(), atol=1e-4)
    chosen = np.where(masks > 0, logits, -np.inf).argmax(1)
    assert chosen.tolist() == agent.act(games, [agent.begin(0) for _ in games])


def test_every_shipped_checkpoint_plays_as_its_card_says(capsys):
    """The shipped networks against their cards: the least that CI can hold them to."""
    for name in shipped_names():
        assert main(["eval", name, "--blocks", "50"]) == 0, capsys.readouterr().out


def test_what_is_shipped_is_listed_and_whole():
    home = folder.home()
    found = [path.name for path in home.iterdir() if path.is_dir()]
    assert sorted(found) == sorted(shipped_names())
    for name in shipped_names():
        folder.check_sums(home / name)
        size = sum(file.stat().st_size for file in (home / name).rglob("*") if file.is_file())
        assert size < 20_000_000


@pytest.mark.parametrize("name", shipped_names())
def test_the_shipped_onnx_files_are_those_of_the_shipped_weights(name, tmp_path):
    path = folder.home() / name
    export(path, tmp_path / "again.onnx")
    rng = np.random.default_rng(0)
    shipped, again = session(path / folder.ONNX), session(tmp_path / "again.onnx")
    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
    told = {
        one.name: rng.integers(0, 2, [d if isinstance(d, int) else 3 for d in one.shape]).astype(
            kinds[one.type]
        )
        for one in shipped.get_inputs()
    }
    for one, other in zip(shipped.run(None, told), again.run(None, told), strict=True):
        assert one == pytest.approx(other, abs=1e-4)


def test_a_manifest_that_asks_for_another_file_gets_nothing(home, run, tmp_path):
    """Names in the checksums or the manifest lead nowhere outside the folder."""
    path = add(run, home, "first").path
    shutil.copy(path / "manifest.json", tmp_path / "manifest.json")
    sums = (path / folder.SUMS).read_text()
    (path / folder.SUMS).write_text(sums + "0" * 64 + "  ../../manifest.json\n")
    with pytest.raises(CheckpointError, match="does not have the checksum"):
        folder.check_sums(path)
