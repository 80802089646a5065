"""Policies as ONNX files: any library's policy plays, and what can't be used gets one sentence."""

import json
import re
import sys

import numpy as np
import pytest

from cacao_env.agents.checkpoint import CheckpointError, add_to_manifest, read_manifest
from cacao_env.agents.onnx import KEY, OnnxAgent, describe, described, load_policy
from cacao_env.checks import NotInstalled
from cacao_env.engine.observation import scale
from cacao_env.engine.options import Options
from cacao_env.greedy.candidates import Candidates
from cacao_env.registry import load_agent
from cacao_env.views import Form
from tests.checkpoints import checkpoint, network
from tests.games import played

onnx = pytest.importorskip("onnx", reason="the test extra is not installed")
SMALL = Options(table_size=15)
ABOUT = Form(SMALL)
ROWS = Form(Options(decisions="turn"), Candidates(12, 4))


def agent_of(about, **changes):
    return OnnxAgent("net", described(network(about, **changes), about), "net.onnx", {})


def weights(data):
    graph = onnx.load_from_string(data).graph
    return {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}


def by_hand(about, seen):
    """The logits of ``network(about)`` on a whole observation."""
    tables = weights(network(about))
    return np.tanh(seen.reshape(1, -1).astype(np.float32) @ tables["first"])[0] @ tables["second"]


def test_files_of_before_stay_usable():
    """A file has this fingerprint; a change of the tables that it is of must be meant."""
    assert (ABOUT.features(), ROWS.features()) == ("d8a86f9e96d2690b", "127ab1a084c4c316")


def some_games(count=20, **options):
    return [played(2, seed, seed % 15, **options) for seed in range(count)]


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("form", ["flat", "planes"])
def test_the_network_sees_what_the_environment_shows(form, dtype):
    about = Form(SMALL, form)
    agent = agent_of(about, dtype=dtype)
    for game in some_games(table_size=15):
        vector = game.observation(game.seat)
        if dtype == "float32":
            vector = vector * scale(2, 15)
        shown = Form(SMALL, form, dtype, "info").of(vector, game.action_mask())
        parts = [shown["board"], shown["features"]] if form == "planes" else [shown]
        logits = by_hand(about, np.concatenate([part.reshape(-1) for part in parts]))
        legal = game.legal_actions()
        assert agent.act([game], [agent.begin(0)]) == [legal[logits[legal].argmax()]]
        thought = agent.analyze(game, agent.begin(0))
        expected = np.exp(logits[thought.actions] - logits[legal].max())
        np.testing.assert_allclose(thought.weights, expected / expected.sum(), rtol=1e-3)
        assert sorted(thought.actions) == sorted(legal)
        assert thought.weighed == "probabilities of its policy"


@pytest.mark.parametrize("kind", ["bool", "int8", "float", "int64"])
def test_a_network_may_take_the_mask(kind):
    agent = agent_of(ABOUT, mask=kind)
    [game] = some_games(1, table_size=15)
    seen = game.observation(observation_dtype="float32")
    shown, _ = agent._answer(seen[None], game.action_mask()[None])
    np.testing.assert_allclose(shown[0], by_hand(ABOUT, seen) + game.action_mask(), atol=1e-3)


def test_a_lone_file_is_described_and_loaded(tmp_path):
    file = tmp_path / "mine.onnx"
    file.write_bytes(network(ROWS))
    with pytest.raises(CheckpointError, match=r"does not say which games .*onnx.describe"):
        load_agent(str(file))
    with pytest.raises(CheckpointError):
        describe(file, Options(table_size=17))  # the network does not fit: the file stays
    assert file.read_bytes() == network(ROWS)
    describe(file, ROWS.options, ROWS.rows)
    agent = load_agent(str(file))
    assert (agent.name, agent.players, agent.about.as_dict()) == ("mine", (2,), ROWS.as_dict())
    assert agent.version == load_agent(str(file)).version != agent_of(ABOUT).version
    describe(file, Options(), ROWS.rows)  # again: the last description counts
    assert load_agent(str(file)).options.decisions == "auto"


def test_without_onnxruntime_one_sentence_says_how_to_install_it(tmp_path, monkeypatch):
    folder = checkpoint(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(NotInstalled, match=r"onnxruntime is not installed: .*cacao-env\[onnx\]'"):
        load_agent(str(folder))


# --- What can't be used -------------------------------------------------------------------------


def refused(data, message):
    with pytest.raises(CheckpointError, match=message) as caught:
        OnnxAgent("net", data, "net.onnx", {})
    text = str(caught.value)
    assert text.startswith("net.onnx")
    assert "\n" not in text
    assert len(text) < 500


@pytest.mark.parametrize("about", [ABOUT, ROWS], ids=["flat", "rows"])
def test_a_network_of_another_shape_is_refused(about):
    good = network(about)
    refused(described(network(about, choices=5), about), r"logits are float32 of shape \(1, 5\)")
    other = Form(Options(table_size=17), (about.rows and Candidates(20, 4)) or "flat")
    refused(described(good, other), "can't be run: .*|logits are")
    renamed = described(network(about, output="chances"), about)
    refused(renamed, "has inputs .* expected observation")
    if about is ROWS:
        refused(described(network(about, dtype="uint8"), about), "types that no observation has")
    planes_too = Form(SMALL, "planes")
    if about is ABOUT:
        mixed = onnx.load_from_string(network(planes_too))
        [features] = [one for one in mixed.graph.input if one.name == "features"]
        features.type.tensor_type.elem_type = onnx.TensorProto.UINT8
        data = described(mixed.SerializeToString(), planes_too)
        refused(data, "types that no observation has, expected all float32 or uint8")
    refused(described(good, planes_too), "expected board and features")


@pytest.mark.parametrize("cut", [0, 1, 100, 5000])
def test_a_cut_file_is_refused(cut):
    refused(network(ABOUT)[:cut], "is not an ONNX file that can be run|does not say which games")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 5}, "num_players is 5"),
        ({"decisions": "some"}, "decisions is 'some'"),
        ({"observation": "picture"}, "observation is 'picture'"),
        ({"table_size": 10**9}, "table_size is 1000000000"),
        ({"observation": "candidates"}, "'rows' is missing"),
        ({"features": "0" * 16}, "made for other tables"),
    ],
)
def test_a_wrong_description_is_refused(changes, message):
    model = onnx.load_from_string(network(ABOUT))
    for about in (json.dumps(ABOUT.as_dict() | changes), "[" * 10_000, "3", "null"):
        del model.metadata_props[:]
        model.metadata_props.add(key=KEY, value=about)
        expected = message if about.startswith("{") else "its description"
        refused(model.SerializeToString(), re.escape(expected))


def test_a_folder_s_manifest_and_file_must_agree(tmp_path):
    folder = checkpoint(tmp_path)
    assert load_policy(folder).name == "net"
    add_to_manifest(folder, rules=read_manifest(folder)["rules"] | {"volcanoes": True})
    with pytest.raises(CheckpointError, match="described otherwise than its manifest says"):
        load_agent(str(folder))


@pytest.mark.parametrize("training", [None, [], {"config": None}, {"config": "fast"}])
def test_what_a_manifest_says_of_the_training_is_an_object(training, tmp_path):
    folder = checkpoint(tmp_path)
    add_to_manifest(folder, training=training)
    with pytest.raises(CheckpointError, match=r"training is .*, expected an object whose config"):
        load_policy(folder)


def test_weights_in_another_file_are_refused(tmp_path):
    """The runtime would look for them in the current folder, and no version would name them."""
    model = onnx.load_from_string(described(network(ABOUT), ABOUT))
    onnx.external_data_helper.convert_model_to_external_data(model, location="w", size_threshold=0)
    onnx.save(model, tmp_path / "mine.onnx")
    with pytest.raises(CheckpointError, match=r"mine\.onnx keeps weights in another file"):
        load_policy(tmp_path / "mine.onnx")
