"""The exact end of the game against a plain search over ``Game``."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.actions import MAX_LEGAL
from cacao_env.bots.endgame import (
    MARGIN,
    NODES,
    NOT_SOLVED,
    end_values,
    is_near_end,
    placements_left,
    solve,
)
from cacao_env.tiles import JUNGLE_KINDS

from .games import STYLES, play_random


def near_end(players: int, seed: int, placements: int, style: str, volcanoes: bool = False) -> Game:
    """A game at a placement with so many left."""
    rng = np.random.default_rng(seed)
    game = Game.new(players, seed, volcanoes)
    while placements_left(game.state) > placements or game.phase != "place":
        game.play(STYLES[style](game, rng))
    return game


def margins(game: Game) -> list[Fraction]:
    scores = game.scores()
    return [Fraction(len(scores) * own - sum(scores), len(scores) - 1) for own in scores]


def after(game: Game, action: int) -> list[Fraction]:
    """Expected margins after an action, over the order of the jungle pile."""
    first = int(game.state.jungle_drawn)
    pile = game.state.jungle_draws[first : int(game.state.num_jungle)].tolist()
    orders = sorted(set(permutations(pile))) if len(pile) < 5 else None
    assert orders is not None
    total = [Fraction(0)] * game.num_players
    for order in orders:
        child = game.clone()
        child.state.jungle_draws[first : int(game.state.num_jungle)] = order
        child.play(action)
        total = [t + v for t, v in zip(total, best(child))]
    return [value / len(orders) for value in total]


def best(game: Game) -> list[Fraction]:
    """Expected margins when every seat plays for its own."""
    if game.over:
        return margins(game)
    seat = game.seat
    return max((after(game, int(a)) for a in game.legal_actions()), key=lambda v: v[seat])


def exact(game: Game, all_values: bool = True) -> dict[int, float]:
    ids, values = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    count = int(end_values(game.states, MARGIN, 10 * NODES, all_values, ids, values))
    assert count != NOT_SOLVED
    return dict(zip(ids[:count].tolist(), values[:count].tolist()))


@pytest.mark.parametrize(
    ("players", "placements", "style", "volcanoes"),
    [
        (2, 1, "random", False),
        (2, 1, "overbuild", True),
        (2, 2, "crowd", False),
        (3, 1, "overbuild", False),
        (4, 1, "overbuild", True),
    ],
)
def test_every_action_has_the_value_a_plain_search_finds(players, placements, style, volcanoes):
    games = 4 if placements == 1 else 1
    for seed in range(games):
        game = near_end(players, seed, placements, style, volcanoes)
        found = exact(game)
        assert sorted(found) == game.legal_actions().tolist()
        rng = np.random.default_rng(seed)
        for action in rng.choice(sorted(found), min(len(found), 8 if placements == 1 else 3)):
            assert found[int(action)] == pytest.approx(float(after(game, int(action))[game.seat]))


def games_with_a_pile(players: int, placements: int) -> list[Game]:
    """Ends in which tiles are still drawn: a few jungle tiles are put back from the table's future."""
    found = []
    for seed in range(400):
        game = near_end(players, seed, placements, "stretch")
        left = int(game.state.num_jungle) - int(game.state.jungle_drawn)
        if 1 <= left <= 3:
            found.append(game)
        if len(found) == 3:
            break
    return found


def test_draws_are_weighed_by_their_probability():
    games = games_with_a_pile(2, 2)
    assert games
    draws = 0
    for game in games:
        found = exact(game)
        rng = np.random.default_rng(0)
        for action in rng.choice(sorted(found), 4):
            child = game.clone()
            child.play(int(action))
            draws += int(child.state.jungle_drawn) > int(game.state.jungle_drawn)
            assert found[int(action)] == pytest.approx(float(after(game, int(action))[game.seat]))
    assert draws > 0


def test_the_best_is_the_same_with_and_without_bounds():
    for seed in range(12):
        game = near_end(2, seed, 3, "random")
        values = exact(game)
        bounded = exact(game, all_values=False)
        assert max(bounded.values()) == pytest.approx(max(values.values()))
        assert all(bounded[action] <= max(values.values()) + 1e-9 for action in values)
        action = int(solve(game.states, 3, MARGIN, NODES))
        assert values[action] == pytest.approx(max(values.values()))


def test_it_does_not_depend_on_the_order_of_the_pile_and_knows_its_limits():
    game = games_with_a_pile(2, 2)[0]
    other = game.clone()
    first, end = int(game.state.jungle_drawn), int(game.state.num_jungle)
    other.state.jungle_draws[first:end] = game.state.jungle_draws[first:end][::-1].copy()
    assert exact(game) == pytest.approx(exact(other))
    assert len(JUNGLE_KINDS) == 11
    assert not is_near_end(game.state, 1)
    assert is_near_end(game.state, 2)
    assert solve(game.states, 1, MARGIN, NODES) == NOT_SOLVED
    assert solve(game.states, 2, MARGIN, 3) == NOT_SOLVED  # three positions are not enough
    start = Game.new(2, 0)
    assert solve(start.states, 100, MARGIN, NODES) == NOT_SOLVED  # piles hide what is held
    rng = np.random.default_rng(0)
    start.play(play_random(start, rng))
