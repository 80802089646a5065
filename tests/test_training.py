"""Training end to end on a very small run, and what configurations and checkpoints refuse."""

from __future__ import annotations

import hashlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

import torch
from cacao_env.agents.policy import (
    JUNGLE_STEPS,
    WORKER_STEPS,
    load_policy,
    read_policy,
    save_policy,
)
from safetensors.torch import save as save_tensors
from training.ppo.config import PpoConfig, RllibConfig, Sb3Config

from cacao_env import Game
from cacao_env.agents.agent import AgentError, require
from cacao_env.agents.checkpoint import MANIFEST, WEIGHTS, CheckpointError
from cacao_env.agents.registry import load_agent
from cacao_env.cli import main as cacao
from cacao_env.engine.observation import scale
from cacao_env.engine.options import Options
from cacao_env.engine.symmetry import transform_mask, transform_observation
from cacao_env.envs.sb3 import CacaoVecEnv
from cacao_env.envs.versus import VersusGames
from cacao_env.evaluation.run import measure
from tests.metrics import documented, logged
from training import train_sb3
from training.config import ConfigError, from_dict, read
from training.loop import Loop, final_evaluation
from training.networks import CellNet, load_net
from training.run_folder import read_metrics
from training.state import read_state
from training.train_sb3 import Sb3Learner
from training.values.config import AfterstateConfig

ROOT = Path(__file__).parent.parent
SMALL = {"steps": 1024, "games": 8, "rollout": 32, "batch": 64, "blocks": 3, "width": 8}
RULES = {"num_players": 2, "table_size": 15, "volcanoes": False, "width": 8}


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    learner = Sb3Learner(Sb3Config(**SMALL, name="small"))
    assert Loop(learner, folder).run()
    assert learner.counts["decisions"] == learner.model.num_timesteps == 1024
    return folder


def test_a_run_leaves_config_metrics_and_a_checkpoint_that_plays(
    run_folder, capsys, tmp_path, monkeypatch
):
    config = json.loads((run_folder / "config.json").read_text())
    assert from_dict(Sb3Config, config) == Sb3Config(**SMALL, name="small")
    rows = [json.loads(line) for line in (run_folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["decisions"] for row in rows] == [256, 512, 768, 1024]
    assert {"wins_greedy_2p", "wins_greedy_2p_half_width", "margin_greedy_2p"} <= set(rows[0])
    parts = ("environment", "network", "learning")
    assert all(r[f"seconds_{part}"] > 0 for r in rows for part in parts)
    spent = sum(r[f"seconds_{part}"] for r in rows for part in parts)
    total = rows[-1]["seconds"]  # some of it is between the parts
    assert 0.3 * total - 0.1 < spent < total + 0.1
    assert (run_folder / "curves.png").exists()
    assert logged(rows) == documented("S")
    assert list((run_folder / "tensorboard").iterdir())
    results = final_evaluation(from_dict(Sb3Config, config), run_folder)
    assert [r.opponent for r in results] == ["random", "greedy"]
    fresh = measure(
        load_agent(str(run_folder)),
        load_agent("random"),
        Sb3Config(**SMALL).options,
        3,
        config["evaluation_seed"],
    )
    assert (results[0].margin, results[0].score) == (fresh.margin, fresh.score)
    assert all(r.blocks == 3 and 0 <= r.low <= r.win_share <= r.high <= 1 for r in results)
    manifest = json.loads((run_folder / MANIFEST).read_text())
    assert manifest["results"][0]["agent"] == "small"
    assert manifest["training"]["decisions"] == 1024
    monkeypatch.chdir(tmp_path)
    assert cacao(["evaluate", str(run_folder), "random", "--blocks", "2"]) == 0
    assert "small against random, 2 players: wins" in capsys.readouterr().out


def test_the_same_seed_trains_the_same_network(tmp_path):
    nets = []
    for name in ("one", "two"):
        Loop(Sb3Learner(Sb3Config(**{**SMALL, "steps": 512}, name="same")), tmp_path / name).run()
        nets.append(read_policy(tmp_path / name)[0])
    for key, value in nets[0].items():
        assert np.array_equal(value, nets[1][key]), key
    files = [(tmp_path / name / WEIGHTS).read_bytes() for name in ("one", "two")]
    assert files[0] == files[1]


EXACT = SMALL | {
    "minutes": 1e9,
    "snapshot_fraction": 0.5,
    "snapshot_rounds": 1,
    "final_entropy_coef": 0.001,
}


def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(tmp_path):
    config = Sb3Config(**EXACT, name="exact")
    assert Loop(Sb3Learner(config), tmp_path / "whole").run()
    part = Loop(Sb3Learner(config), tmp_path / "part")
    stop_after(part, 2)
    assert not part.run()
    arguments = ["--resume", str(tmp_path / "part"), "--set", "blocks=1"]
    assert train_sb3.main(arguments) == 0
    nets = [read_policy(tmp_path / name)[0] for name in ("whole", "part")]
    for key, value in nets[0].items():
        assert np.array_equal(value, nets[1][key]), key
    states = [read_state(tmp_path / name)[0] for name in ("whole", "part")]
    assert sorted(states[0]) == sorted(states[1])
    for name, array in states[0].items():
        assert np.array_equal(array, states[1][name]), name
    rows = [read_metrics(tmp_path / name) for name in ("whole", "part")]
    for one, other in zip(*rows, strict=True):
        for key in ("round", "games", "loss_value", "loss_policy", "wins_training"):
            assert one.get(key) == other.get(key)


def test_maskable_ppo_learns_on_rows_and_resumes_bit_for_bit(tmp_path):
    rows = {"observation": "candidates", "decisions": "turn", "rows": 6, "replies": 1}
    config = Sb3Config(**EXACT | rows, name="rows")
    assert Loop(Sb3Learner(config), tmp_path / "whole").run()
    part = Loop(Sb3Learner(config), tmp_path / "part")
    stop_after(part, 2)
    assert not part.run()
    arguments = ["--resume", str(tmp_path / "part"), "--set", "blocks=1"]
    assert train_sb3.main(arguments) == 0
    files = [(tmp_path / name / WEIGHTS).read_bytes() for name in ("whole", "part")]
    assert files[0] == files[1]


def stop_after(loop, rounds):
    """Interrupt a run after so many rounds."""
    plain = loop.learner.round

    def played():
        metrics = plain()
        loop.interrupt.asked = loop.learner.rounds + 1 == rounds
        return metrics

    loop.learner.round = played


def test_training_moves_the_weights_and_never_plays_an_illegal_action(run_folder):
    fresh = Sb3Learner(Sb3Config(**SMALL, name="small")).net.params()
    trained, _ = read_policy(run_folder)
    assert any(not np.array_equal(fresh[key], trained[key]) for key in trained)
    agent = load_policy(run_folder)
    game = Game.new(2, 5, table_size=15)
    memory = agent.begin(0)
    while not game.over:
        action = agent.act([game], [memory])[0]
        assert game.action_mask()[action]
        game.play(action)


RUNS = {
    "afterstate": AfterstateConfig,
    "quickstart": AfterstateConfig,
    "greedy_clone": PpoConfig,
    "nacional": AfterstateConfig,
    "maskable_ppo": Sb3Config,
    "maskable_ppo_cloned": Sb3Config,
    "maskable_ppo_candidates": Sb3Config,
    "ppo": PpoConfig,
    "ppo_candidates": PpoConfig,
    "rllib_local": RllibConfig,
    "rllib_cluster": RllibConfig,
}


@pytest.mark.parametrize("name", sorted(RUNS))
def test_every_shipped_configuration_is_valid(name):
    assert read(RUNS[name], ROOT / "configs" / f"{name}.toml").name == name


def test_no_shipped_configuration_is_left_out():
    found = {path.stem for path in (ROOT / "configs").glob("*.toml")}
    assert found == {*RUNS, "leaderboard"}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            ["stepz=3"],
            "there is no key 'stepz'; there are: against, bars, batch, blocks, clip_range",
        ),
        (["steps=many"], "steps is 'many', expected int"),
        (["volcanoes=1"], "volcanoes is 1, expected bool"),
        (["seed=true"], "seed is True, expected int"),
        (["reward=gold"], "reward is 'gold', expected one of outcome, relative_score, shaped"),
        (["num_players=5"], "num_players is 5"),
        (["table_size=40"], "table_size is 40"),
        (["opponents={random=0}"], "opponents is {'random': 0}, expected weights above 0"),
        (["against=[]"], r"against is \[\], expected at least one agent"),
        (["steps=0"], "steps is 0, expected more than 0"),
        (
            ["batch=100000"],
            "batch is 100000, more than the 8192 decisions that games and rollout give",
        ),
        (["bars={random=2}"], "bars is {'random': 2}, expected win shares"),
        (["bars={genius=0.5}"], "bars is {'genius': 0.5}, expected win shares"),
        (["steps"], "'steps' is not of the form key=value"),
        (["minutes=nan"], "minutes is nan, expected finite numbers"),
        (["bars={random=nan}"], "bars is {'random': nan}, expected finite numbers"),
        (["eval_opponents=[1]"], r"eval_opponents is \[1\], expected list"),
        (["against=[['greedy']]"], r"against is \[\['greedy'\]\], expected list"),
        (["seed=-1"], "seed is -1, expected 0 to 4294967295"),
        (["evaluation_seed=0"], "evaluation_seed is 0, expected 1 to 4294967295"),
        (["batch=1"], "batch is 1, expected 2 or more"),
    ],
)
def test_a_bad_configuration_names_the_key(overrides, message):
    with pytest.raises(ConfigError, match=message):
        read(Sb3Config, ROOT / "configs" / "maskable_ppo.toml", overrides)


def test_overrides_replace_values(tmp_path):
    config = read(
        Sb3Config, ROOT / "configs" / "maskable_ppo.toml", ["steps=7", "name=x", "minutes=2"]
    )
    assert (config.steps, config.name, config.minutes) == (7, "x", 2)
    with pytest.raises(ConfigError, match=r"missing.toml can't be read"):
        read(Sb3Config, tmp_path / "missing.toml")
    (tmp_path / "bad.toml").write_text("steps = = 3")
    with pytest.raises(ConfigError, match=r"bad.toml is not TOML"):
        read(Sb3Config, tmp_path / "bad.toml")


def test_the_commands_refuse_with_one_sentence(tmp_path, capsys):
    config = str(ROOT / "configs" / "maskable_ppo.toml")
    assert train_sb3.main(["--config", config, "--set", "stepz=3"]) == 1
    assert cacao(["evaluate", "nobody", "random"]) == 1
    assert cacao(["evaluate", "random", "greedy", "--blocks", "0"]) == 1
    assert cacao(["evaluate", str(tmp_path), "random"]) == 1
    genius = ["--config", config, "--out", str(tmp_path / "x")]
    for key in ("opponents={genius=1}", "eval_opponents=['genius']", "against=['genius']"):
        more = ["--set", key, "--set", "bars={}"]
        assert train_sb3.main([*genius, *more]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 7
    for line, key in zip(lines[4:], ("opponents", "eval_opponents", "against")):
        assert f"{key}: there is no agent 'genius'" in line
    assert "there is no key 'stepz'" in lines[0]
    assert "there is no agent 'nobody'" in lines[1]
    assert "--blocks is 0" in lines[2]
    assert "can't be read" in lines[3]


def test_a_checkpoint_comes_back_as_it_was(tmp_path):
    net = CellNet(2, 15, 8)
    save_policy(tmp_path, "x", net.params(), RULES)
    assert load_policy(tmp_path).name == "x"
    for key, value in net.state_dict().items():
        assert torch.equal(value, load_net(tmp_path).state_dict()[key])


def test_a_damaged_or_foreign_checkpoint_is_refused(tmp_path):
    net = CellNet(2, 15, 8)
    save_policy(tmp_path, "x", net.params(), RULES)
    weights, manifest = (tmp_path / WEIGHTS), (tmp_path / MANIFEST)
    good_weights, good = weights.read_bytes(), json.loads(manifest.read_text())

    def refused(message, data=good_weights, **changes):
        weights.write_bytes(data)
        manifest.write_text(json.dumps({**good, **changes}))
        with pytest.raises(CheckpointError, match=message):
            load_policy(tmp_path)

    refused("does not have the checksum", good_weights[:-10])
    refused("does not have the checksum", b"")
    refused("not that of a cacao-checkpoint", format="other")
    refused("version is 9, expected 1", version=9)
    refused("made for other observation or action tables", features="0" * 16)
    refused("not those of such a network", rules={**RULES, "width": 16})
    refused("don't fit", rules={})
    for data in (b"", b"no tensors", pickle.dumps(net.state_dict()), good_weights[:-10]):
        refused("is not a safetensors file", data, sha256=hashlib.sha256(data).hexdigest())
    for change in ({"features": "0" * 16}, {"rules": json.dumps({**RULES, "volcanoes": True})}):
        told = {"rules": json.dumps(RULES), "features": good["features"], "network": "cell-net"}
        data = save_tensors(net.state_dict(), told | change)
        refused("metadata of weights", data, sha256=hashlib.sha256(data).hexdigest())
    for wrong in (torch.nan, torch.inf):
        broken = {name: torch.full_like(x, wrong) for name, x in net.state_dict().items()}
        data = save_tensors(broken)
        refused("not all finite float32", data, sha256=hashlib.sha256(data).hexdigest())
    data = save_tensors({name: x.half() for name, x in net.state_dict().items()})
    refused("not all finite float32", data, sha256=hashlib.sha256(data).hexdigest())
    manifest.write_text("{")
    with pytest.raises(CheckpointError, match="is not JSON"):
        load_policy(tmp_path)
    weights.unlink()
    manifest.write_text(json.dumps(good))
    with pytest.raises(CheckpointError, match="can't be read"):
        load_policy(tmp_path)


def test_a_checkpoint_for_other_rules_is_refused(tmp_path):
    save_policy(tmp_path, "x", CellNet(2, 15, 8).params(), RULES)
    agent = load_policy(tmp_path)
    for game in (Game.new(3, 0, table_size=15), Game.new(2, 0, volcanoes=True, table_size=15)):
        with pytest.raises(
            AgentError, match="x plays with 2 players on table size 15 without volcanoes, not"
        ):
            agent.act([game], [agent.begin(0)])
        with pytest.raises(
            AgentError, match="x plays with 2 players on table size 15 without volcanoes, not"
        ):
            require(agent, game.options)
    require(agent, Options(2))


def test_a_cell_s_logits_depend_on_what_lies_around_it_and_on_no_other_cell():
    torch.manual_seed(1)
    net = CellNet(2, 15, 16)
    game = Game.new(2, 3, table_size=15)
    for _ in range(12):
        game.play(int(game.legal_actions()[0]))
    while game.phase != "place":
        game.play(int(game.legal_actions()[0]))
    seen = torch.from_numpy(game.observation(game.seat) * scale(2, 15))[None].requires_grad_()
    logits = net(seen)[0][0]
    cells = {
        int(action) // 13 for action in np.flatnonzero(game.action_mask()) if action < 112 * 13
    }
    for cell in cells:
        seen.grad = None
        logits[cell * 13 : cell * 13 + 13].pow(2).sum().backward(retain_graph=True)
        slopes = seen.grad[0, : net.board_end].view(*net.planes).abs()
        reached = {int(at) for at in torch.nonzero(slopes.sum(0))}
        row, column = divmod(2 * cell + 1, 15)
        around = {
            (row + down) * 15 + column + right
            for down, right in (*JUNGLE_STEPS, *WORKER_STEPS)
            if 0 <= row + down < 15 and 0 <= column + right < 15
        }
        assert around <= reached <= around | {0, 1}  # where nothing is read for what lies outside
        beside = (row - 1) * 15 + column
        if row > 0:  # a jungle cell: the kinds of jungle tile count there, workers do not
            assert (slopes[:8, beside] > 0).all()
            assert (slopes[8:12, beside] == 0).all()


@pytest.mark.parametrize(("players", "volcanoes"), [(2, False), (3, True)])
def test_turning_the_table_turns_the_placements(players, volcanoes):
    torch.manual_seed(1)
    net = CellNet(players, 21, 16)
    factors = scale(players, 21)
    game, rng, compared = (
        Game.new(players, 5, volcanoes=volcanoes, table_size=21),
        np.random.default_rng(0),
        0,
    )
    with torch.no_grad():
        while not game.over:
            seen = game.observation(game.seat)
            if game.phase == "place":
                mask = game.action_mask()
                for turn in (1, 2, 3):
                    image = transform_observation(turn, seen, players, 21)
                    both = np.stack([seen, image]) * factors
                    logits, values = (x.numpy() for x in net(torch.from_numpy(both)))
                    expected = transform_mask(turn, logits[0], seen, players, 21)
                    legal = transform_mask(turn, mask, seen, players, 21) > 0
                    assert expected[legal] == pytest.approx(logits[1][legal], abs=1e-5)
                    assert values[0] == pytest.approx(values[1], abs=1e-5)
                    compared += int(legal.sum())
            game.play(int(rng.choice(game.legal_actions())))
    assert compared > 1000


def test_a_logit_depends_on_what_lies_there():
    torch.manual_seed(1)
    net = CellNet(2, 15, 16)
    game = Game.new(2, 3, table_size=15)
    for _ in range(8):
        game.play(int(game.legal_actions()[0]))
    while game.phase != "place":
        game.play(int(game.legal_actions()[0]))
    seen = torch.from_numpy(game.observation(game.seat) * scale(2, 15))[None]
    logits = net(seen)[0][0].detach().numpy()
    legal = np.flatnonzero(game.action_mask())
    assert len(np.unique(logits[legal].round(6))) > 0.8 * len(legal)


def test_the_vec_env_speaks_sb3():
    games = VersusGames(4, {"random": 1}, table_size=15, seed=0)
    env = CacaoVecEnv(games)
    observations = env.reset()
    rng = np.random.default_rng(0)
    finished = 0
    for _ in range(60):
        masks = np.stack(env.env_method("action_masks"))
        np.testing.assert_array_equal(masks, games.action_masks.astype(bool))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        kept = observations.copy()
        after, rewards, dones, infos = env.step(actions)
        np.testing.assert_array_equal(observations, kept)  # what was handed out stays
        observations = after
        assert rewards.shape == dones.shape == (4,)
        for done, info in zip(dones, infos):
            assert done == ("episode" in info)
            finished += done
    assert finished >= 4


def test_agents_are_found_by_name_or_folder(run_folder):
    assert load_agent("greedy").name == "greedy"
    assert load_agent(str(run_folder)).name == "small"
