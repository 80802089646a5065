"""The luck of the draw: zero in expectation, shared out among the seats, smaller variance."""

from itertools import islice, permutations, product

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine.options import Options
from cacao_env.engine.tiles import MAX_PLAYERS
from cacao_env.evaluation.luck import JUNGLE, SCORES, WIN_SHARES, _add_draw, _judge, luck_of
from cacao_env.evaluation.matches import PlayedGame

from .games import positions


def random_game(options, seed):
    """A finished game of random moves."""
    *_, game = positions(Game.deal(options, seed), np.random.default_rng(seed))
    return game


def piles(game, seat):
    """Return the rest of a seat's pile and of the jungle pile, in order, as views."""
    state = game.state
    return (
        state.worker_draws[seat][state.drawn[seat] : state.tiles_each],
        state.jungle_draws[state.jungle_drawn : state.num_jungle],
    )


def late_draws(options, seeds):
    """Games, the actions that draw from both piles next, and their seats; few tiles are left."""
    for seed in seeds:
        game = Game.deal(options, seed)
        for action in random_game(options, seed).history:
            before, seat = game.clone(), int(game.state.active)
            game.play(action)
            small = all(2 <= len(p) <= 5 and len(set(p)) > 1 for p in piles(before, seat))
            both = all(len(p) < len(q) for p, q in zip(piles(game, seat), piles(before, seat)))
            if small and both:
                yield before, action, seat


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("volcanoes", [False, True])
def test_luck_of_all_orders_of_the_piles_adds_up_to_zero(players, volcanoes):
    """The mean over every order of the piles is exactly 0, seat by seat; single orders are not."""
    options = Options(players, volcanoes)
    found = list(islice(late_draws(options, range(200)), 1))
    assert found
    for game, action, seat in found:
        pile, jungle = piles(game, seat)
        each = []
        for hand, tiles in product(
            *(sorted(set(permutations(p.tolist()))) for p in (pile, jungle))
        ):
            pile[:], jungle[:] = hand, tiles
            after = game.clone()
            after.play(action)
            each.append(luck_of(after) - luck_of(game))
        assert np.abs(each).max() > 1e-3
        np.testing.assert_allclose(np.mean(each, axis=0), 0, atol=1e-6)


@pytest.mark.parametrize("players", [2, 3])
def test_a_jungle_tile_is_judged_by_the_seat_that_plays_next(players):
    (found,) = islice(late_draws(Options(players), range(200)), 1)
    game, action, seat = found
    after = game.clone()
    after.play(action)
    luck = np.zeros((2, MAX_PLAYERS))
    here = np.concatenate([game.states, game.states])
    drawn = range(game.state.drawn[seat], after.state.drawn[seat])
    tiles = range(game.state.jungle_drawn, after.state.jungle_drawn)
    for viewer, pile, places in ((seat, seat, drawn), (after.state.active, JUNGLE, tiles)):
        for place in places:
            here[0] = game.states[0]
            _add_draw(*_judge(), here, action, viewer, pile, place, luck)
    assert after.state.active != seat
    np.testing.assert_allclose(luck_of(after) - luck_of(game), luck[:, :players], atol=1e-6)


def test_one_seat_s_luck_is_the_others_bad_luck():
    luck = luck_of(random_game(Options(3), 5))
    assert luck[WIN_SHARES].sum() == pytest.approx(0, abs=1e-6)
    assert np.abs(luck).min() > 0


def test_luck_does_not_change_the_game():
    game = random_game(Options(2), 5)
    before = game.clone()
    assert (luck_of(game) == luck_of(before)).all()
    assert game.states.tobytes() == before.states.tobytes()
    assert game.history == before.history


def test_adjusted_results_are_results_less_luck():
    game = PlayedGame(
        *(0, 0, [30, 20, 10], [0, 0, 0], [1, 0, 0], [], [], []),
        luck=[[0.25, -0.5, 0.25], [3.0, 1.0, -1.0]],
    )
    assert [game.adjusted_win_share(seat) for seat in range(3)] == [0.75, 0.5, -0.25]
    assert game.adjusted_margin(0) == 10 - (3 - 0)
    assert game.adjusted_margin(2) == -20 - (-1 - 2)
    assert SCORES == 1
