"""Configurations, what they refuse, and the board network that trainers of policies share."""

import numpy as np
import pytest

from tests.sources import ROOT

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

import torch

from cacao_env import Game
from cacao_env.agents.onnx import OnnxAgent
from cacao_env.engine.observation import scale
from cacao_env.engine.symmetry import transform_mask, transform_observation
from tests.games import played
from training import train_sb3
from training.clone import CloneConfig
from training.config import ConfigError, from_dict, overridden, read
from training.networks import JUNGLE_STEPS, WORKER_STEPS, CellNet, export
from training.train_afterstate import AfterstateConfig
from training.train_ppo import PpoConfig
from training.train_rllib import RllibConfig
from training.train_sb3 import Sb3Config

RUNS = {
    "afterstate": AfterstateConfig,
    "quickstart": AfterstateConfig,
    "clone": CloneConfig,
    "maskable_ppo": Sb3Config,
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
    assert {path.stem for path in (ROOT / "configs").glob("*.toml")} == set(RUNS)


SOUND = {
    Sb3Config: {"games": 128, "rollout": 64, "against": ["random", "greedy"]},
    PpoConfig: {"observation": "candidates", "rows": 4, "replies": 1, "greedy_fraction": 0.6},
    AfterstateConfig: {"players": {"2": 1, "3": 1, "4": 1}, "greedy_kept": 0.0},
}


@pytest.mark.parametrize(
    ("kind", "override", "message"),
    [
        (Sb3Config, "stepz=3", "there is no key 'stepz'; there are: against, bars, batch, clip_"),
        (Sb3Config, "steps=many", "steps is 'many', expected int"),
        (Sb3Config, "volcanoes=1", "volcanoes is 1, expected bool"),
        (Sb3Config, "seed=true", "seed is True, expected int"),
        (Sb3Config, "reward=gold", "reward is 'gold', expected one of outcome, relative_score"),
        (Sb3Config, "num_players=5", "num_players is 5"),
        (Sb3Config, "table_size=40", "table_size is 40"),
        (Sb3Config, "opponents={random=0}", "opponents is {'random': 0}, expected weights above 0"),
        (Sb3Config, "against=[]", r"against is \[\], expected at least one agent"),
        (Sb3Config, "steps=0", "steps is 0, expected more than 0"),
        (Sb3Config, "batch=100000", "more than the 8192 decisions that games and rollout give"),
        (Sb3Config, "bars={random=2}", "bars is {'random': 2}, expected win shares"),
        (Sb3Config, "bars={genius=0.5}", "bars is {'genius': 0.5}, expected win shares"),
        (Sb3Config, "steps", "'steps' is not of the form key=value"),
        (Sb3Config, "minutes=nan", "minutes is nan, expected finite numbers"),
        (Sb3Config, "bars={random=nan}", "bars is {'random': nan}, expected finite numbers"),
        (Sb3Config, "eval_opponents=[1]", r"eval_opponents is \[1\], expected list"),
        (Sb3Config, "against=[['greedy']]", r"against is \[\['greedy'\]\], expected list"),
        (Sb3Config, "seed=-1", "seed is -1, expected 0 to 4294967295"),
        (Sb3Config, "evaluation_seed=0", "evaluation_seed is 0, expected 1 to 4294967295"),
        (Sb3Config, "batch=1", "batch is 1, expected 2 or more"),
        (Sb3Config, "batch=8191", "of 8192 decisions a single one is left for the last batch"),
        (Sb3Config, "save_minutes=0", "save_minutes is 0, expected more than 0"),
        (Sb3Config, "name=\x1bx", "name is '.x1bx', expected text of 1 to 100 printable"),
        (PpoConfig, "name=", "name is '', expected text of 1 to 100 printable"),
        (PpoConfig, f"name={101 * 'x'}", "name is 'xxx.*, expected text of 1 to 100 printable"),
        (Sb3Config, "eval_rounds=-1", "eval_rounds is -1, expected 0 or more"),
        (PpoConfig, "gamma=1.5", "gamma is 1.5, expected a fraction from 0 to 1"),
        (PpoConfig, "entropy_coef=-1.0", "entropy_coef is -1.0, expected 0 or more"),
        (PpoConfig, "opponents={random=1}", "there is no key 'opponents'"),
        (PpoConfig, "observation=rows", "observation is 'rows'"),
        (PpoConfig, "replies=5", "replies is 5"),
        (PpoConfig, "margin_weight=0.5", "margin_weight is for reward 'outcome', not for 'shaped'"),
        (PpoConfig, "past_fraction=0.6", "add up to more than 1"),
        (AfterstateConfig, "td_lambda=2.0", "td_lambda is 2.0, expected a frac"),
        (AfterstateConfig, "players={5=1.0}", "players is {'5': 1.0}, expected weights of 2, 3, 4"),
        (AfterstateConfig, "players={2=0.0}", "players is {'2': 0.0}, expected weights above 0"),
        (AfterstateConfig, "games=1", "games is 1, too few"),
        (AfterstateConfig, "others=0.0", "greedy_kept and others are 0"),
        (PpoConfig, "seed=4294967296", "seed is 4294967296, expected 0 to 4294967295"),
    ],
)
def test_a_bad_configuration_names_the_key(kind, override, message):
    with pytest.raises(ConfigError, match=message):
        from_dict(kind, overridden(SOUND[kind], [override]))


def test_overrides_replace_values(tmp_path):
    shipped = ROOT / "configs" / "maskable_ppo.toml"
    config = read(Sb3Config, shipped, ["steps=7", "name=x", "minutes=2"])
    assert (config.steps, config.name, config.minutes) == (7, "x", 2)
    with pytest.raises(ValueError, match=r"missing.toml can't be read"):
        read(Sb3Config, tmp_path / "missing.toml")
    (tmp_path / "bad.toml").write_text("steps = = 3")
    with pytest.raises(ValueError, match=r"bad.toml is not TOML"):
        read(Sb3Config, tmp_path / "bad.toml")


def test_an_opponent_that_there_is_not_gets_one_sentence(tmp_path, capsys):
    command = ["--config", str(ROOT / "configs" / "maskable_ppo.toml"), "--out", str(tmp_path)]
    assert train_sb3.main([*command, "--set", "opponents={genius=1}"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "opponents: there is no agent 'genius'" in line


def test_a_cell_s_logits_depend_on_what_lies_around_it_and_on_no_other_cell():
    torch.manual_seed(1)
    net = CellNet(2, 15, 16)
    game = played(2, 3, until=lambda g: g.ply >= 12 and g.phase == "place", table_size=15)
    seen = torch.from_numpy(game.observation(game.seat) * scale(2, 15))[None].requires_grad_()
    logits = net(seen)[0][0]
    legal = np.flatnonzero(game.action_mask())
    for cell in {int(action) // 13 for action in legal if action < 112 * 13}:
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
    game, rng = Game.new(players, 5, volcanoes=volcanoes, table_size=21), np.random.default_rng(0)
    compared = 0
    with torch.no_grad():
        while not game.over:
            seen = game.observation(game.seat)
            if game.phase == "place" and rng.random() < 0.4:
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
    assert compared > 500


@pytest.mark.parametrize("seed", [1, 2])  # the second has the graph of the first
def test_the_exported_network_computes_what_torch_does(seed):
    torch.manual_seed(seed)
    about = PpoConfig().about
    net = CellNet(2, 15, 8)
    agent = OnnxAgent("net", export(net, about), "net.onnx", {})
    for seed in range(10):
        game = played(2, seed, 4 * seed, table_size=15)
        seen = game.observation(observation_dtype="float32")[None]
        [logits], value = agent._answer(seen, game.action_mask()[None])
        seen = torch.from_numpy(seen)
        expected, expected_value = (x.detach().numpy()[0] for x in net(seen))
        np.testing.assert_allclose(logits, expected, atol=1e-4)
        assert value == pytest.approx(float(expected_value), abs=1e-4)
