"""Run folders and checkpoints are data: damaged or hostile, they get a sentence and run nothing."""

import hashlib
import importlib
import json
import re
import resource
import shutil
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import numpy as np
import pytest
import safetensors.numpy

from cacao_env.agent import AgentError
from cacao_env.agents.checkpoint import (
    FILES,
    MANIFEST,
    WEIGHTS,
    CheckpointError,
    add_to_manifest,
    read_manifest,
    settle,
    write_files,
)
from cacao_env.agents.loading import installed_agents
from cacao_env.agents.onnx import load_policy
from cacao_env.agents.value.checkpoint import save_value
from cacao_env.agents.value.net import param_shapes
from cacao_env.data.folder import GameFolder
from cacao_env.data.storage import DataError
from cacao_env.play.server import AgentServer, Refused
from cacao_env.registry import load_agent
from tests import kills
from tests.checkpoints import checkpoint, value_checkpoint

SHIPPED = {
    "forastero": "04cb0f14803aa0b9654ba283303c2f718dd29372f8a9119e0ebdda11d9b3d9bb",
    "trinitario": "9d806a45e794c5fb274c7f9f8b38287622cd883f4a61264705659a9e8c5486c5",
}

# --- Checkpoints --------------------------------------------------------------------------------


def test_a_kill_at_any_line_leaves_a_whole_checkpoint(tmp_path):
    net, found = tmp_path / "net", []
    kills.write(net, 1)
    for left in kills.left_behind(lambda: kills.write(net, 2), net, tmp_path):
        found.append(kills.read(left))
        kills.write(left, 3)
        assert kills.read(left) == 3
        assert {path.name for path in left.iterdir()} == {WEIGHTS, MANIFEST}
    assert len(found) > 7
    assert (found, set(found)) == (sorted(found), {1, 2})
    assert kills.read(net) == 2


@pytest.mark.parametrize(
    "name", ["a\x1b[2Jb", "a\nb", "\u202ecba", "a" * 101, 3, None, ["a"], "\x7f"]
)
def test_a_name_that_a_terminal_can_t_show_is_refused(tmp_path, name):
    folder = checkpoint(tmp_path)
    add_to_manifest(folder, name=name)
    for read in (load_agent, load_policy):
        with pytest.raises(CheckpointError, match=r"name is .*, expected text of 1 to 100") as e:
            read(str(folder))
        assert str(e.value).isprintable()
    with pytest.raises(CheckpointError, match=r"the name of a checkpoint is .*, expected text"):
        write_files(tmp_path / "new", name, "policy", b"")
    assert not (tmp_path / "new").exists()


def test_a_checkpoint_without_a_name_has_that_of_its_folder(tmp_path):
    folder = checkpoint(tmp_path, "mine")
    manifest = json.loads((folder / MANIFEST).read_text())
    del manifest["name"]
    (folder / MANIFEST).write_text(json.dumps(manifest))
    assert load_agent(str(folder)).name == read_manifest(folder)["name"] == "mine"
    folder.rename(tmp_path / "a\x1bb")
    with pytest.raises(CheckpointError, match="expected text of 1 to 100"):
        load_agent(str(tmp_path / "a\x1bb"))


def with_weights(folder, weights):
    """Write weights as a hostile author would: with the right checksum."""
    add_to_manifest(folder, sha256=hashlib.sha256(weights).hexdigest())
    (folder / WEIGHTS).write_bytes(weights)


HEADERS = [
    {"a": {"dtype": "F32", "shape": [10**9], "data_offsets": [0, 8]}},
    {"a": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}},
    {"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}},
    {"a": {"dtype": "F99", "shape": [2], "data_offsets": [0, 8]}},
    {"a": {"dtype": "F32", "shape": [True, 2], "data_offsets": [0, 8]}},
    {"a": []},
    [],
]


@pytest.mark.parametrize("data", [b"", b"\x80\x04N.", b"\0" * 8, b"\xff" * 100, *HEADERS])
def test_what_are_no_weights_is_refused(data, tmp_path):
    folder, _ = value_checkpoint(tmp_path)
    if not isinstance(data, bytes):
        text = json.dumps(data).encode()
        data = len(text).to_bytes(8, "little") + text + bytes(8)
    with_weights(folder, data)
    with pytest.raises(CheckpointError, match=r"weights.safetensors is not a safetensors file: "):
        load_agent(str(folder))
    (folder / WEIGHTS).write_bytes(data + b"x")
    with pytest.raises(CheckpointError, match="does not have the checksum"):
        load_agent(str(folder))


ARRAYS = [
    (lambda arrays: arrays.pop("bias"), "its arrays are not those"),
    (lambda arrays: arrays.update(new=np.zeros(1, np.float32)), "its arrays are not those"),
    (lambda arrays: arrays.update(bias=arrays["bias"][1:]), "its arrays are not those"),
    (lambda arrays: arrays.update(bias=arrays["bias"].astype(float)), "not all finite float32"),
    (lambda arrays: arrays["bias"].fill(np.nan), "not all finite float32"),
]


@pytest.mark.parametrize(("change", "message"), ARRAYS)
def test_arrays_that_are_not_the_network_s_are_refused(change, message, tmp_path):
    folder, arrays = value_checkpoint(tmp_path)
    change(arrays)
    with_weights(folder, safetensors.numpy.save(arrays))
    with pytest.raises(CheckpointError, match=message):
        load_agent(str(folder))


def test_a_wrong_size_is_refused_before_anything_large_is_made(tmp_path):
    folder, _ = value_checkpoint(tmp_path)
    add_to_manifest(folder, size=read_manifest(folder)["size"] | {"sums": 8000})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CheckpointError, match="its arrays are not those of such a network"):
        load_agent(str(folder))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_the_shipped_weights_are_those_that_were_released():
    """Their checksums are in figures of the pages: they may not change."""
    for name, digest in SHIPPED.items():
        manifest = read_manifest(Path("checkpoints") / name)
        assert manifest["sha256"] == digest
        file = Path("checkpoints") / name / FILES[manifest["network"]]
        assert hashlib.sha256(file.read_bytes()).hexdigest() == digest


def test_a_manifest_s_checksum_leads_to_no_other_folder(tmp_path):
    write_files(tmp_path / "net", "x", "value-net", b"data")
    add_to_manifest(tmp_path / "net", sha256="../../../x")
    with pytest.raises(CheckpointError, match="does not have the checksum"):
        load_agent(str(tmp_path / "net"))


# --- Names from requests and files ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["trinitario:Foo", "os:system", "a.b:C", "trinitario:ms=1", "x:y:z"]
)
def test_a_request_s_name_imports_no_module(name, monkeypatch):
    imported = []
    monkeypatch.setattr(importlib, "import_module", lambda *names: imported.append(names))
    server = AgentServer({}, "", 0)
    with server, pytest.raises(Refused, match=re.escape(name)) as error:
        server.answer("/api/choose", {"agent": name, "seed": 0})
    assert "\n" not in str(error.value)
    with pytest.raises(AgentError):
        load_agent(name)
    assert imported == []


def test_a_package_in_the_current_folder_is_not_installed(tmp_path, monkeypatch):
    """The folder of a run may bring one; its agents are code that nobody has named."""
    (tmp_path / "hostile_one.py").write_text("raise SystemExit('it ran')\n")
    (tmp_path / "evil-1.0.dist-info").mkdir()
    (tmp_path / "evil-1.0.dist-info" / "METADATA").write_text("Name: evil\nVersion: 1.0\n")
    points = "[cacao_env.agents]\nevilbot = hostile_one:Bot\n"
    (tmp_path / "evil-1.0.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AgentError, match="there is no agent 'evilbot'"):
        load_agent("evilbot")
    assert "evilbot" not in dict(installed_agents())
    with pytest.raises(SystemExit, match="it ran"):
        load_agent("evilbot", allow_code=True)


# --- Evaluations ----------------------------------------------------------------------------------


def test_two_evaluations_do_not_share_a_folder(tmp_path):
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from cacao_env.data.folder import GameFolder\n"
        "games = GameFolder(Path(sys.argv[1]), {'options': []})\n"
        "print('ready', flush=True)\nsys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdout.readline() == "ready\n"
        with pytest.raises(DataError, match="another process is adding games to"):
            GameFolder(tmp_path, {"options": []})
        other.stdin.close()
    GameFolder(tmp_path, {"options": []}).close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(
            ({"rules": {"players": players, "volcanoes": False}}, "expected players of 2, 3, 4 and")
            for players in ([], [5], "ab", [2, "3"])
        ),
        ({"rules": []}, "manifest and weights don't fit: list indices"),
        ({"features": "0000"}, "made for other features"),
        ({"size": {"sums": 16}}, "manifest and weights don't fit: .*missing"),
    ],
)
def test_a_manifest_that_does_not_fit_its_network_is_refused(change, message, tmp_path):
    folder, _ = value_checkpoint(tmp_path)
    add_to_manifest(folder, **change)
    with pytest.raises(CheckpointError, match=message):
        load_agent(str(folder))


def test_a_folder_may_be_called_as_if_it_searched(tmp_path):
    assert load_agent(str(checkpoint(tmp_path, "mine+search"))).name == "mine+search"


def test_files_of_the_user_beside_a_network_stay(tmp_path):
    folder = checkpoint(tmp_path / "net")
    names = "weights-best.safetensors", "model-old.onnx", "weights-1.tmp"
    kept = [folder / name for name in names]
    rest = [folder / f"weights-{'0a' * 8}.safetensors", folder / f"model-{'0a' * 8}.onnx.123.tmp"]
    for path in (*kept, *rest):
        path.write_bytes(b"")
    settle(folder)
    assert [path.exists() for path in (*kept, *rest)] == [True] * 3 + [False] * 2


def test_a_checkpoint_that_is_being_written_is_read_again(tmp_path, monkeypatch):
    kills.write(tmp_path, 1)
    (tmp_path / WEIGHTS).write_bytes(b"of another one, which is being written")
    monkeypatch.setattr("time.sleep", lambda seconds: kills.write(tmp_path, 2))
    assert kills.read(tmp_path) == 2


def test_a_checkpoint_written_again_under_its_name_is_loaded_again_and_copies_share_it(tmp_path):
    folder, found = tmp_path / "net", []
    for number in (1, 2):
        params = {n: np.full(s, number, np.float32) for n, s in param_shapes(4, 4, 4).items()}
        save_value(folder, "same", params, {"players": [2], "volcanoes": False})
        found.append(load_agent(str(folder)))
    assert [int(agent.net.bias[0]) for agent in found] == [1, 2]
    copy = load_agent(str(shutil.copytree(folder, tmp_path / "copy")))
    assert copy.net.numbers is found[1].net.numbers
