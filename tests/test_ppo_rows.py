"""PPO on candidate rows, cloning of greedy, and runs that start from a checkpoint."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

import torch
from training.ppo.config import RllibConfig, Sb3Config
from training.ppo.learner import Coefficients, PpoFitter
from training.ppo.rollout import SelfPlay

from cacao_env import Game
from cacao_env.agents import greedy, row_policy
from cacao_env.agents.agent import play_game
from cacao_env.agents.registry import load_agent
from cacao_env.engine.actions import MAX_LEGAL
from cacao_env.engine.options import DECISIONS, Options
from cacao_env.envs.vector import VectorGames
from cacao_env.greedy.candidates import Candidates
from cacao_env.greedy.choices import TIE
from tests.ppo_runs import SMALL, config, played, same
from training.config import ConfigError, from_dict
from training.loop import Loop, Stopwatch
from training.networks import RowNet
from training.run_folder import read_metrics
from training.train_ppo import PpoLearner, main
from training.train_sb3 import Sb3Learner

OF_PPO = ("device", "margin_weight")  # not keys of train_sb3
ROWS = {
    "observation": "candidates",
    "decisions": "turn",
    "rows": 8,
    "replies": 2,
    "reward": "outcome",
    "margin_weight": 0.5,
}


def test_a_run_on_rows_clones_plays_others_and_resumes_bit_for_bit(tmp_path):
    keys = ROWS | {"greedy_fraction": 0.25, "past_fraction": 0.25, "clone_rounds": 1}
    keys |= {"past_rounds": 1}
    assert Loop(PpoLearner(config(**keys)), tmp_path / "whole").run()
    with closing(Loop(PpoLearner(config(**keys)), tmp_path / "half")) as half:
        half.round()
        half.round()
        half.save()
    assert main(["--resume", str(tmp_path / "half")]) == 0
    assert same(tmp_path / "whole", tmp_path / "half")
    rows = read_metrics(tmp_path / "whole")
    assert "approx_kl" not in rows[0]
    assert "approx_kl" in rows[1]
    agent = load_agent(str(tmp_path / "whole"))
    assert agent.view == Candidates(8, 2)
    for volcanoes in (False, True):
        assert agent.supports(Options(2, volcanoes)) == (not volcanoes)
    for decisions in DECISIONS:
        game = Game.new(seed=1, decisions=decisions)
        play_game(game, [agent.player(seat) for seat in range(2)])
        assert game.over


def test_the_row_network_is_the_same_in_numpy_and_in_torch(tmp_path):
    torch.manual_seed(0)
    net = RowNet(16)
    games = VectorGames(7, observation=Candidates(9, 2), decisions="turn", seed=0)
    with torch.no_grad():
        logits, values = net(torch.from_numpy(games.observations))
        flat, _ = net(torch.from_numpy(games.observations).flatten(1))
    found, critic = row_policy.RowNet(net.params())(games.observations)
    np.testing.assert_allclose(logits.numpy(), found, atol=1e-5)
    np.testing.assert_allclose(values.numpy(), critic, atol=1e-5)
    assert torch.equal(logits, flat)


def test_cloning_learns_greedy_s_choices():
    torch.manual_seed(0)
    games = VectorGames(32, observation=Candidates(8, 0), decisions="turn", seed=0)
    keys = played(**ROWS | {"replies": 0, "rollout": 32})
    play = SelfPlay(games, keys, torch.device("cpu"))
    fitter = PpoFitter(RowNet(16))

    def chance():
        rollout, _ = play.collect(fitter.net, Stopwatch(), cloning=True)
        with torch.no_grad():
            logits, _ = fitter.net(rollout.observations)
        greedy = (rollout.actions == 0).float().mean()
        assert 0.85 < greedy < 0.99
        return float(
            logits.masked_fill(~rollout.masks, -torch.inf).softmax(1)[:, 0].mean()
        ), rollout

    before, rollout = chance()
    for _ in range(4):
        fitter.clone(rollout, play.factors, 2, 8, Coefficients(3e-3, 0.2, 0.0, 0.5, 0.5))
    assert chance()[0] > before + 0.3


def test_cloning_on_the_table_learns_the_actions_of_greedy():
    torch.manual_seed(0)
    games = VectorGames(32, decisions="auto", table_size=11, seed=0)
    given = config(games=32, rollout=32, table_size=11, width=32)
    play = SelfPlay(games, given, torch.device("cpu"))
    fitter = PpoFitter(given.new_net())
    before = games.states.copy()
    rollout, _ = play.collect(fitter.net, Stopwatch(), cloning=True)
    # Greedy breaks ties at random, so its action is among its best.
    for number in range(32):
        values = dict(
            zip(*(x.tolist() for x in appraisals(before[number : number + 1])), strict=True)
        )
        assert values[int(rollout.greedy[number])] >= max(values.values()) - TIE
    assert 0.8 < (rollout.actions == rollout.greedy).float().mean() < 0.99

    def chance(rollout):
        with torch.no_grad():
            logits, _ = fitter.net(rollout.observations * play.factors)
            chances = logits.masked_fill(~rollout.masks, -torch.inf).softmax(1)
        return float(chances.gather(1, rollout.greedy[:, None]).mean())

    low = chance(rollout)
    for _ in range(6):
        fitter.clone(rollout, play.factors, 2, 8, Coefficients(3e-3, 0.2, 0.0, 0.5, 0.5))
    fresh, _ = play.collect(fitter.net, Stopwatch(), cloning=True)
    assert chance(fresh) > low + 0.1


def test_a_run_on_the_table_clones_plays_greedy_and_resumes_bit_for_bit(tmp_path):
    keys = {"greedy_fraction": 0.25, "clone_rounds": 1}
    assert Loop(PpoLearner(config(**keys)), tmp_path / "whole").run()
    with closing(Loop(PpoLearner(config(**keys)), tmp_path / "half")) as half:
        half.round()
        half.save()
    assert main(["--resume", str(tmp_path / "half")]) == 0
    assert same(tmp_path / "whole", tmp_path / "half")


@pytest.mark.parametrize("rows", [False, True])
def test_a_run_of_either_trainer_may_start_from_a_checkpoint(tmp_path, rows):
    keys = ROWS if rows else {}
    assert Loop(PpoLearner(config(**keys)), tmp_path / "first").run()
    weights = load_agent(str(tmp_path / "first")).net.params
    given = {"start": str(tmp_path / "first")}
    learner = PpoLearner(config(**keys | given, past_fraction=0.5))
    assert not same_arrays(learner.net.params(), weights)
    learner.start()
    assert same_arrays(learner.net.params(), weights)
    assert same_arrays(learner.past.net.params(), weights)
    shared = {key: x for key, x in (SMALL | keys | given).items() if key not in OF_PPO}
    other = Sb3Learner(from_dict(Sb3Config, shared | {"snapshot_fraction": 0.5}))
    other.start()
    assert same_arrays(other.net.params(), weights)
    assert same_arrays(other.snapshots.net.params(), weights)
    with pytest.raises(ConfigError, match=r"first', whose weights .+ have the shape .+, expected"):
        PpoLearner(config(**keys | given, width=12)).start()
    with pytest.raises(ConfigError, match="there is no such checkpoint"):
        PpoLearner(config(**keys, start=str(tmp_path / "none"))).start()


def test_rllib_refuses_a_start():
    with pytest.raises(ConfigError, match="start is 'criollo', expected ''"):
        from_dict(RllibConfig, {"start": "criollo"})


def same_arrays(one, other):
    assert sorted(one) == sorted(other)
    return all(np.array_equal(one[name], other[name]) for name in one)


def appraisals(states):
    ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
    count = greedy._appraise_into(states, ids, values)
    return ids[:count], values[:count]


def test_nothing_is_learned_from_the_seats_of_others_and_margins_count():
    torch.manual_seed(0)
    games = VectorGames(8, observation=Candidates(8, 0), decisions="turn", seed=0)
    keys = ROWS | {"replies": 0, "greedy_fraction": 0.5, "gae_lambda": 1.0, "rollout": 60}
    play = SelfPlay(games, played(**keys), torch.device("cpu"))
    net = RowNet(16)
    net.make_actions_equally_likely()
    rollout, _ = play.collect(net, Stopwatch())
    known = torch.zeros(len(rollout.actions), dtype=torch.bool)
    known[rollout.known] = True
    numbers = torch.arange(len(known)) % 8
    seats = torch.arange(len(known)) // 8 % 2  # one decision a turn: the seats take turns
    others = (numbers < 4) & (seats == numbers % 2)
    assert (rollout.actions[others] == 0).all()
    assert not known[others].any()
    assert known[~others].float().mean() > 0.6
    returns = (rollout.advantages + rollout.values)[rollout.known]
    assert returns.abs().max() < 1  # half a win and half of the hyperbolic tangent
    assert returns.abs().min() > 0.01
    assert len(returns.round(decimals=3).unique()) > 6


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"observation": "rows"}, "observation is 'rows'"),
        ({"observation": "candidates", "rows": 4, "replies": 5}, "replies is 5"),
        ({"greedy_fraction": 0.6, "past_fraction": 0.6}, "add up to more than 1"),
    ],
)
def test_bad_keys_of_rows_are_named(keys, words):
    with pytest.raises(ConfigError, match=words):
        config(**keys)
