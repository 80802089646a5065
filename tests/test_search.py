"""Inside the searching bots: what is tried, counted, kept and believed."""

from __future__ import annotations

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.ismcts import NODE, ROOT, iterate, most_visited
from cacao_env.agents.mc import best_actions, run_passes
from cacao_env.agents.utility import UTILITY, value_of
from cacao_env.engine.rewards import SCORE_SCALE
from cacao_env.engine.rng import new_rng
from tests.games import play_random, played
from tests.test_bots import WEIGHTS, expected_gains


def midgame(players: int = 2, plies: int = 12) -> Game:
    return played(players, 7, until=lambda game: game.ply >= plies and game.phase == "place")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_utility_is_half_the_win_and_half_the_margins(players):
    rng, shared = np.random.default_rng(players), 0
    for seed in range(60):
        game = Game.new(players, seed, decisions="auto")
        while not game.over:
            game.play(play_random(game, rng))
        if seed % 3 == 0:  # a tie
            game.state.gold[:players] += max(game.scores()) - np.array(game.scores())
            game.state.cacao[:players] = 0
        scores, winners = game.scores(), game.winners()
        shared += len(winners) > 1
        found = [value_of(game.state, seat, UTILITY) for seat in range(players)]
        for seat, own in enumerate(scores):
            share = (seat in winners) / len(winners)
            win = (players * share - 1) / (players - 1)
            others = [own - other for n, other in enumerate(scores) if n != seat]
            margin = np.mean(np.tanh(np.array(others) / SCORE_SCALE))
            assert found[seat] == pytest.approx(0.5 * win + 0.5 * margin)
        assert sum(found) == pytest.approx(0)
    assert shared >= 20


def test_candidates_are_greedy_s_best_in_order():
    game = midgame()
    gains = expected_gains(game, WEIGHTS)
    ids = np.zeros(16, np.int64)
    assert best_actions(game.states, 16, ids) == 16
    found = [gains[int(action)] for action in ids]
    assert found == sorted(gains.values(), reverse=True)[:16]
    assert len(set(ids.tolist())) == 16
    few = np.zeros(1000, np.int64)
    assert best_actions(game.states, 1000, few) == len(gains)


def test_candidates_meet_the_same_deals_and_luck():
    game = midgame()
    before = game.states.tobytes()
    action = int(game.legal_actions()[0])
    ids, sums = np.full(3, action), np.zeros(3)
    run_passes(game.states, ids, 3, sums, 20, new_rng(1), UTILITY)
    assert sums[0] == sums[1] == sums[2] != 0
    again = np.zeros(3)
    run_passes(game.states, ids, 3, again, 20, new_rng(2), UTILITY)
    assert again[0] != sums[0]
    assert game.states.tobytes() == before


@pytest.mark.parametrize("plies", [0, 12, 38])
def test_the_tree_counts_visits_availability_and_each_seat_s_own_gains(plies):
    game = midgame(2, plies)
    iterations = 400
    nodes = np.zeros(iterations + 1, NODE)
    used = iterate(game.states, nodes, 1, iterations, 8, 0.3, new_rng(3))
    assert 50 < used <= iterations + 1

    def children(node):
        child = int(nodes[node]["child"])
        while child:
            yield child
            child = int(nodes[child]["sibling"])

    first = list(children(ROOT))
    assert sum(nodes[child]["visits"] for child in first) == iterations
    assert {int(nodes[child]["seat"]) for child in first} == {game.seat}
    assert {int(nodes[n]["seat"]) for n in range(1, used)} == {0, 1}
    best = max(nodes[child]["visits"] for child in first)
    chosen = most_visited(nodes)
    assert best in [nodes[c]["visits"] for c in first if nodes[c]["action"] == chosen]
    for n in range(1, used):
        node, below = nodes[n], list(children(n))
        assert 1 <= node["visits"] <= node["available"]
        # All visits but the first went on to a child, unless the game was over: there is no luck
        # in what they brought, and with 2 players one seat's gain is the other's loss.
        if below:
            assert sum(nodes[c]["visits"] for c in below) == node["visits"] - 1
            signs = [1 if nodes[c]["seat"] == node["seat"] else -1 for c in below]
            gains = sum(sign * nodes[c]["total"] for sign, c in zip(signs, below))
            assert abs(node["total"] - gains) <= 1 + 1e-9
    deep = [n for n in range(1, used) if nodes[n]["visits"] > 20]
    assert deep
    assert all(nodes[c]["available"] > nodes[c]["visits"] for c in first[1:])
