"""An agent as the opponent in many games at once."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from cacao_env.agents.agent import Agent
from cacao_env.engine.options import Options
from cacao_env.envs.opponents import NUM_COMPILED
from cacao_env.envs.versus import VersusGames
from training.ppo.network import CellNet
from training.ppo.snapshots import Snapshots


class FirstLegal(Agent):
    """Plays the first legal action and notes what the deciding seats see."""

    name = "first legal"

    def __init__(self):
        self.shown, self.asked = [], 0

    def act(self, games, memory):
        self.asked += 1
        found = []
        for game in games:
            mask = game.action_mask()
            self.shown.append((game.observation(game.seat).tobytes(), mask.tobytes()))
            found.append(int(mask.argmax()))
        return found


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_the_agent_plays_all_other_seats_and_sees_what_they_see(players, seed):
    agent = FirstLegal()
    games = VersusGames(1, agent, num_players=players, seed=seed, seat=seed % players)
    assert games.kinds[0] == NUM_COMPILED
    assert bool(agent.shown) == (seed % players > 0)  # who is before the learner has begun
    agent.shown.clear()
    game, expected = games.game(0), []
    while not game.over:
        mask = game.action_mask()
        if game.seat != games.learners[0]:
            expected.append((game.observation(game.seat).tobytes(), mask.tobytes()))
        game.play(int(mask.argmax()))
    while not games.dones[0]:
        games.step(games.action_masks.argmax(axis=1), deal=False)
    assert agent.shown == expected
    scores = game.scores()
    own = scores.pop(seed % players)
    assert games.final_scores[0].tolist() == [own, max(scores)]


def test_a_fraction_of_the_games_is_the_agent_s():
    weights = {"random": 0.15, "greedy": 0.45, FirstLegal(): 0.4}
    games = VersusGames(3000, weights, seed=0)
    fractions = np.bincount(games.kinds, minlength=3) / 3000
    assert fractions == pytest.approx([0.15, 0.45, 0.4], abs=0.04)
    plain = VersusGames(50, {"random": 1, "greedy": 3}, seed=0)
    assert plain.kinds.max() < NUM_COMPILED


def test_an_agent_decides_in_all_its_games_at_once():
    agent = FirstLegal()
    games = VersusGames(4, agent, seed=1)
    agent.shown.clear()
    agent.asked = 0
    games.step(games.action_masks.argmax(axis=1))
    assert 0 < agent.asked < len(agent.shown)


def test_what_an_agent_may_not_do_is_named():
    class Wrong(Agent):
        name = "wrong"

        def __init__(self, actions):
            self.actions = actions

        def act(self, games, memory):
            return self.actions(games)

    def refused(words, opponents):
        with pytest.raises(ValueError, match=re.escape(words)):
            VersusGames(4, opponents, seed=0)

    refused("opponents are {", {"random": 0, "greedy": 0})
    refused("opponents are {", {"random": 1, FirstLegal(): -1})
    refused("an opponent is 3, expected a name", 3)
    refused("game 0, seat 0, wrong: illegal action", Wrong(lambda games: [-5] * len(games)))
    few = Wrong(lambda games: [int(game.legal_actions()[0]) for game in games[1:]])
    refused("shorter", few)  # than the games


def test_games_are_fairly_played_by_both_sides():
    """The same agent on both sides wins half."""
    rng = np.random.default_rng(0)

    class AtRandom(Agent):
        name = "at random"

        def act(self, games, memory):
            return [int(rng.choice(game.legal_actions())) for game in games]

    games = VersusGames(400, AtRandom(), seed=2)
    own = other = 0
    for _ in range(30):
        games.step((games.action_masks * rng.random(games.action_masks.shape)).argmax(axis=1))
        own += int((games.final_scores[games.dones, 0] > games.final_scores[games.dones, 1]).sum())
        other += int(
            (games.final_scores[games.dones, 0] < games.final_scores[games.dones, 1]).sum()
        )
    assert own + other > 300
    assert abs(own - other) / (own + other) < 0.15


def test_snapshots_play_as_the_network_was():
    """Half of the picks are the latest snapshot; samples follow the snapshot's probabilities."""
    torch.manual_seed(0)
    options = Options(2, table_size=15)
    net = CellNet(2, 15, 8)
    snapshots = Snapshots(net, options)
    old = {name: x.clone() for name, x in net.state_dict().items()}
    with torch.no_grad():
        for parameter in net.parameters():
            parameter += 0.5
    snapshots.take()
    for draw, expected in ((0.0, net.state_dict()), (0.49, net.state_dict()), (0.5, old)):
        snapshots.pick(draw)
        for name, x in snapshots._net.state_dict().items():
            assert torch.equal(x, expected[name]), draw
    assert snapshots.supports(options)
    assert not snapshots.supports(Options(3, table_size=15))
    game = VersusGames(1, "random", options, seed=0).game(0)
    actions = snapshots.act([game] * 200, [snapshots.begin(seed) for seed in range(200)])
    assert set(actions) <= set(game.legal_actions().tolist())
    assert len(set(actions)) > 5
    again = snapshots.act([game] * 200, [snapshots.begin(seed) for seed in range(200)])
    assert actions == again
