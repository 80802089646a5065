"""The exact end of the game against a plain search over ``Game``."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.endgame import NOT_SOLVED, end_values, is_near_end, placements_left, solve
from cacao_env.agents.utility import RELATIVE_SCORE, UTILITY, value_of
from cacao_env.engine.actions import MAX_LEGAL
from tests.games import game_after, played
from tests.tiers import mostly_slow


def near_end(
    players: int, seed: int, placements: int, style: str = "random", **options: Any
) -> Game:
    def near(game: Game) -> bool:
        return placements_left(game.state) <= placements and game.phase == "place"

    return played(players, seed, style=style, until=near, **options)


def margins(game: Game) -> list[Fraction]:
    scores = game.scores()
    return [Fraction(len(scores) * own - sum(scores), len(scores) - 1) for own in scores]


def after(game: Game, action: int, known: bool = False) -> list[Fraction]:
    """Expected margins after an action, over all orders of the jungle pile or in the one it has."""
    child = game_after(game, action)
    first, end = int(game.state.jungle_drawn), int(game.state.num_jungle)
    if known or int(child.state.jungle_drawn) == first:
        return best(child, known)
    orders = list(permutations(game.state.jungle_draws[first:end].tolist()))
    total = [Fraction(0)] * game.num_players
    for order in orders:
        child = game.clone()
        child.state.jungle_draws[first:end] = order
        child.play(action)
        total = [t + v for t, v in zip(total, best(child, known))]
    return [value / len(orders) for value in total]


def best(game: Game, known: bool = False) -> list[Fraction]:
    """Expected margins when every seat plays for its own."""
    if game.over:
        return margins(game)
    seat = game.seat
    return max((after(game, int(a), known) for a in game.legal_actions()), key=lambda v: v[seat])


MANY = 5_000_000


def exact(game: Game, all_values: bool = True, unit: int = RELATIVE_SCORE) -> dict[int, float]:
    ids, values = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    count = int(end_values(game.states, unit, MANY, all_values, ids, values))
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
        game = near_end(players, seed, placements, style, volcanoes=volcanoes)
        found = exact(game)
        assert sorted(found) == game.legal_actions().tolist()
        rng = np.random.default_rng(seed)
        for action in rng.choice(sorted(found), min(len(found), 8 if placements == 1 else 3)):
            assert found[int(action)] == pytest.approx(float(after(game, int(action))[game.seat]))


def test_with_three_players_a_value_is_that_of_the_line_of_best_choices():
    """What is good for one seat need not be bad for the next, so its value is no bound."""
    game = near_end(3, 12, 4, "overbuild", decisions="turn")
    for action, value in exact(game, unit=UTILITY).items():
        end = game_after(game, action)
        while not end.over:
            values = exact(end, unit=UTILITY)
            # The first of equal ones, as in the search.
            end.play(max(values, key=values.__getitem__))
        assert value == pytest.approx(value_of(end.state, game.seat, UTILITY))


def with_a_pile(game: Game, display: list[int], pile: list[int]) -> Game:
    """The same position with jungle tiles left: in play the pile is long empty by then."""
    other = game.clone()
    state = other.state
    state.jungle_drawn = int(state.num_jungle) - len(pile)
    state.jungle_draws[int(state.jungle_drawn) : int(state.num_jungle)] = pile
    state.jungle_pile[:] = np.bincount(pile, minlength=len(state.jungle_pile))
    state.display[:] = display
    state.overbuilding = 0
    return other


@pytest.mark.parametrize(
    ("pile", "display"), mostly_slow([([8, 8, 2], [2, 4]), ([4, 10, 4, 9], [6, 9])])
)
def test_draws_are_weighed_by_their_probability(pile, display):
    luck = 0
    for seed in (3, 4):
        rng = np.random.default_rng(seed)
        game = with_a_pile(near_end(2, seed, 2, "crowd"), display, pile)
        found = exact(game)
        for action in rng.choice(sorted(found), 2):
            expected = after(game, int(action))[game.seat]
            assert found[int(action)] == pytest.approx(float(expected))
            luck += after(game, int(action), known=True)[game.seat] != expected
        other = with_a_pile(near_end(2, seed, 2, "crowd"), display, pile[::-1])
        assert exact(other) == pytest.approx(found)  # the order of the pile is not looked at
    assert luck > 0  # the draws do matter in some


def test_the_best_is_the_same_with_and_without_bounds():
    for seed in range(8):
        game = near_end(2, seed, 3, "crowd")
        values = exact(game)
        bounded = exact(game, all_values=False)
        assert max(bounded.values()) == pytest.approx(max(values.values()))
        assert all(bounded[action] <= max(values.values()) + 1e-9 for action in values)
        action = int(solve(game.states, 3, RELATIVE_SCORE, MANY))
        assert values[action] == pytest.approx(max(values.values()))


@pytest.mark.parametrize(
    ("pile", "display", "placements", "seeds"),
    mostly_slow(
        [
            ([8, 8, 2], [2, 4], 2, range(4)),
            ([8, 2], [0, 4], 2, range(8)),
            ([1, 8, 8], [0, 4], 2, range(8)),
            ([2, 9, 4], [0, 8], 2, range(8)),
            ([8, 2], [2, 4], 3, (2,)),
            ([2, 9], [0, 4], 3, (3, 5)),
            ([10, 5], [7, 8], 2, (4,)),  # a temple that is drawn is worth more than 1 gold
        ],
        fast=[1, 6],
    ),
)
def test_bounds_hold_below_draws_too(pile, display, placements, seeds):
    """A cut below a draw may only leave out what no other draw can make up for."""
    for seed in seeds:
        game = with_a_pile(near_end(2, seed, placements, "crowd"), display, pile)
        for unit in (RELATIVE_SCORE, UTILITY):
            values, bounded = exact(game, unit=unit), exact(game, all_values=False, unit=unit)
            assert max(bounded.values()) == pytest.approx(max(values.values()))


def test_it_knows_its_limits():
    game = near_end(2, 0, 2, "random")
    assert not is_near_end(game.state, 1)
    assert is_near_end(game.state, 2)
    assert solve(game.states, 1, RELATIVE_SCORE, MANY) == NOT_SOLVED
    assert solve(game.states, 2, RELATIVE_SCORE, 3) == NOT_SOLVED  # three positions are not enough
    start = Game.new(2, 0)
    assert solve(start.states, 100, RELATIVE_SCORE, MANY) == NOT_SOLVED  # piles hide what is held
    assert not is_near_end(start.state, 100)
    for seed in range(20):  # the turn in progress counts, though its tile is placed
        game = near_end(2, seed, 2, "random")
        game.play(int(game.legal_actions()[0]))
        if game.phase != "place":
            break
    assert placements_left(game.state) == 1
    assert not is_near_end(game.state, 1)
    assert is_near_end(game.state, 2)
