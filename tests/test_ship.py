"""Shipped checkpoints: made, measured, exported."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cacao_env import record
from cacao_env.agents import checkpoint
from cacao_env.agents.checkpoint import (
    ONNX,
    ORDER,
    CheckpointError,
    find,
    read_manifest,
    shipped_home,
    shipped_names,
)
from cacao_env.agents.registry import load_agent
from cacao_env.agents.value.checkpoint import read_value, save_value
from cacao_env.agents.value.net import from_params
from cacao_env.engine.options import Options
from cacao_env.evaluation.run import FORMAT, VERSION, measure
from tests import checkpoints

torch = pytest.importorskip("torch", reason="the training extra is not installed")

from tests.test_value import outputs, some_samples
from training.ship import EVALUATION, SAMPLES, SUMS, add, export, finish, main, measured, results
from training.values.net import ValueNet

RULES = {"players": [2, 3], "volcanoes": False}


def check_sums(path):
    lines = [line.split("  ") for line in (path / SUMS).read_text().splitlines()]
    files = {p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file()}
    assert {name for _, name in lines} == files - {SUMS}
    for digest, name in lines:
        assert hashlib.sha256((path / name).read_bytes()).hexdigest() == digest, name


@pytest.fixture
def home(tmp_path, monkeypatch):
    place = tmp_path / "checkpoints"
    place.mkdir()
    (place / ORDER).write_text("[]")
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


def figures(path, agent, version, **row):
    row = {"agent": agent, "opponent": "greedy", "players": 2, "volcanoes": False, **row}
    row |= {"win_share": 0.5, "low": 0.4, "high": 0.6, "margin": 1.25, "blocks": 2000}
    settings = {"agents": {agent: version}, "seed": 7}
    about = {"format": FORMAT, "version": VERSION, "settings": settings}
    data = about | {"results": [row | {"ms_per_move": 0.125}]}
    path.write_text(json.dumps(data))
    return path


def test_a_checkpoint_is_made_measured_and_listed(home, run, tmp_path, capsys):
    for name in ("first", "second"):
        assert main(["add", str(run), name]) == 0
    assert main(["add", str(run), "third", "--home", str(tmp_path / "elsewhere")]) == 0
    assert (tmp_path / "elsewhere" / "third" / "manifest.json").exists()
    shutil.rmtree(home / "first")  # made again, it is still the recommended one
    path = add(run, home, "first")
    assert shipped_names() == ["first", "second"]
    files = {file.name for file in path.iterdir()}
    copied = {"weights.safetensors", "manifest.json", "metrics.jsonl"}
    assert files == copied | {"model.onnx", "records", "README.md", SUMS}
    files = sorted((path / "records").iterdir())
    assert [file.stem for file in files] == ["2p-0", "2p-1", "3p-0", "3p-1"]
    assert all(record.check(record.load(file)).over for file in files)
    assert "It has not been measured" in (path / "README.md").read_text()
    assert load_agent("first").name == "first"
    check_sums(path)
    version = load_agent("first").version
    out = figures(tmp_path / "figures.json", "first", version)
    capsys.readouterr()
    assert main(["card", "first", str(out)]) == 0
    assert "1 rows" in capsys.readouterr().out
    text = (path / "README.md").read_text()
    assert "| first | greedy | 2 | 50.0% | 40.0% to 60.0% | +1.2 | 2,000 | 0.12 |" in text
    assert "- games: 1,234\n" in text
    assert "- hours: 2.0\n" in text
    assert "games of 2, 3 players without volcanoes" in text
    check_sums(path)
    # Results with volcanoes or with search do not replace those without; a new one replaces its own.
    measured(path, [figures(out, "first", version, volcanoes=True)])
    measured(path, [figures(out, "first+search:ms=1", version)])
    measured(path, [figures(out, "first", version, score=3)])
    assert [(r["agent"], r["volcanoes"], r.get("score")) for r in results(path)] == [
        ("first", False, 3),
        ("first", True, None),
        ("first+search:ms=1", False, None),
    ]
    assert results(path)[0]["seed"] == 7


def test_what_can_t_be_is_refused(home, run, tmp_path, capsys):
    add(run, home, "first")
    for arguments, words in (
        (["add", str(run), "first", "--home", str(home)], "first is there already"),
        (["add", str(run / "x"), "y", "--home", str(home)], "manifest.json can't be read"),
        (["add", str(run), "../y", "--home", str(home)], "the name is '../y', expected text of 1"),
        (["card", "nobody"], "there is no checkpoint 'nobody'; there are: first"),
        (["export", "nobody", "x.onnx"], "there is no checkpoint 'nobody'"),
    ):
        assert main(arguments) == 1
        assert words in capsys.readouterr().err
    assert not (home / "y").exists()
    other = tmp_path / "other.json"
    kind = f'"format": "{FORMAT}", "version": {VERSION}'
    plain, version = "has no settings and results of agents", load_agent("first").version
    hostile = figures(other, "first", "0" * 64).read_text()
    for text, words in (
        ("{", "is not JSON"),
        ("[]", f"is not a {FORMAT} file"),
        (f'{{{kind}, "results": []}}', plain),
        (f'{{{kind}, "settings": {{"agents": []}}, "results": [3]}}', plain),
        (f'{{{kind}, "settings": {{"agents": []}}, "results": [{{"agent": "first"}}]}}', plain),
        (hostile, "weights"),
        (hostile.replace("ms_per_move", "x").replace("0" * 64, version), plain),
    ):
        other.write_text(text)
        assert main(["card", "first", str(other)]) == 1
        error = capsys.readouterr().err
        assert str(other) in error
        assert words in error
    assert results(home / "first") == []
    (home / "first" / EVALUATION).write_text("[]")
    with pytest.raises(CheckpointError, match="has no results"):
        finish(home / "first")


def test_a_policy_is_shipped_with_its_file(home, tmp_path, monkeypatch):
    net = checkpoints.checkpoint(tmp_path, "greedy", algorithm="PPO", decisions=5000)
    monkeypatch.chdir(tmp_path)
    path = add(Path("greedy"), home, "mine")  # the folder, not the bot
    samples = {game.name for game in path.rglob("*p-?.json")}
    assert samples == {f"2p-{n}.json" for n in range(SAMPLES)}
    assert load_agent("mine").version == load_agent(str(net)).version
    assert (path / ONNX).read_bytes() == (net / ONNX).read_bytes()
    text = (path / "README.md").read_text()
    assert "- decisions: 5,000\n" in text
    assert "weights.safetensors" not in text
    export(path, tmp_path / "copy.onnx")
    assert load_agent(str(tmp_path / "copy.onnx")).version == load_agent("mine").version


def session(path):
    onnxruntime = pytest.importorskip("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def test_the_value_network_s_onnx_file_computes_what_compiled_code_does(tmp_path):
    torch.manual_seed(1)
    save_value(tmp_path / "net", "net", ValueNet(16, 8, 8).params(), RULES)
    export(tmp_path / "net", tmp_path / "net.onnx")
    net = from_params(*read_value(tmp_path / "net")[:2])
    samples = some_samples()
    expected = outputs(net, samples)
    numbers, rows, *counts = map(np.array, zip(*samples))
    columns = (numbers, *(array.astype(np.int64) for array in (rows[:, :160], *counts)))
    names = ("numbers", "rows", "counts", "num_patterns", "open_cells", "stage")
    feed = dict(zip(names, columns, strict=True))
    [found] = session(tmp_path / "net.onnx").run(None, feed)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(found, expected, atol=2e-4)


def test_what_is_shipped_is_whole():
    home = shipped_home()
    assert sorted(path.name for path in home.iterdir() if path.is_dir()) == sorted(shipped_names())
    for name in shipped_names():
        check_sums(home / name)
        files = [file for file in (home / name).rglob("*") if file.is_file()]
        assert sum(file.stat().st_size for file in files) < 20_000_000


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_agent_plays_as_its_card_says(name):
    """The least that CI can hold the shipped networks to."""
    path, agent = find(name), load_agent(name)
    rows = [r for r in results(path) if (r["agent"], r["opponent"]) == (name, "greedy")]
    assert rows
    for row in rows:
        games = Options(row["players"], row["volcanoes"])
        found = measure(agent, load_agent("greedy"), games, 30, 2_000_000_000, luck=False)
        assert found.high >= row["low"], found.line()


@pytest.mark.parametrize("name", [n for n in shipped_names() if n != "forastero"])
def test_a_shipped_onnx_file_is_that_of_the_shipped_weights(name, tmp_path):
    path = Path(find(name))
    assert read_manifest(path)["network"] == "value-net"
    export(path, tmp_path / "again.onnx")
    rng = np.random.default_rng(0)
    shipped, again = session(path / ONNX), session(tmp_path / "again.onnx")
    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64}
    told = {}
    for one in shipped.get_inputs():
        shape = [d if isinstance(d, int) else 3 for d in one.shape]
        told[one.name] = rng.integers(0, 2, shape).astype(kinds[one.type])
    for one, other in zip(shipped.run(None, told), again.run(None, told), strict=True):
        assert one == pytest.approx(other, abs=1e-4)
