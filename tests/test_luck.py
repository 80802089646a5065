"""The luck of the draw: zero in expectation, shared out among the seats, smaller variance."""

from itertools import islice, permutations

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.registry import load_agent
from cacao_env.engine.options import Options
from cacao_env.engine.tiles import MAX_PLAYERS
from cacao_env.evaluation.blocks import Chunk, Pairing
from cacao_env.evaluation.luck import WIN_SHARES, _add_draw, _judge, luck_of
from cacao_env.evaluation.matches import play_chunk

from .games import played


def pile(game):
    """Return the rest of the jungle pile, in order, as a view."""
    state = game.state
    return state.jungle_draws[state.jungle_drawn : state.num_jungle]


def late_draws(options, seeds):
    """Games and the actions that draw a jungle tile next; four are left, two of them equal."""
    for seed in seeds:
        game = Game.deal(options, seed)
        for action in played(options.num_players, seed, volcanoes=options.volcanoes).history:
            rest = pile(game)
            before = game.clone() if len(rest) == 4 and len(set(rest)) == 3 else None
            game.play(action)
            if before is not None and len(pile(game)) < 4:
                yield before, action


@pytest.mark.parametrize(("players", "volcanoes"), [(2, False), (3, True), (4, False)])
def test_luck_of_all_orders_of_the_pile_adds_up_to_zero(players, volcanoes):
    """The mean over every order of the pile is exactly 0, seat by seat; single orders are not."""
    (found,) = islice(late_draws(Options(players, volcanoes), range(200)), 1)
    game, action = found
    rest = pile(game)
    each = []
    for order in sorted(set(permutations(rest.tolist()))):
        rest[:] = order
        after = game.clone()
        after.play(action)
        each.append(luck_of(after) - luck_of(game))
    assert np.abs(each).max() > 1e-3
    np.testing.assert_allclose(np.mean(each, axis=0), 0, atol=1e-6)


def test_a_tile_is_judged_by_the_seat_that_plays_next():
    players = 3
    (found,) = islice(late_draws(Options(players), range(200)), 1)
    game, action = found
    after = game.clone()
    after.play(action)
    luck = np.zeros((2, MAX_PLAYERS))
    here = np.concatenate([game.states, game.states])
    for place in range(game.state.jungle_drawn, after.state.jungle_drawn):
        here[0] = game.states[0]
        _add_draw(*_judge(), here, action, after.state.active, place, luck)
    assert after.state.active != game.state.active
    np.testing.assert_allclose(luck_of(after) - luck_of(game), luck[:, :players], atol=1e-6)


def test_results_vary_less_without_luck():
    """Single games of the judge and its relative; luck with the wrong sign doubles the variance."""
    pairing = Pairing(Options(2), "trinitario", "criollo")
    agents = {name: load_agent(name) for name in ("trinitario", "criollo")}
    games = play_chunk(Chunk(pairing, 0, 16), agents, seed=7).games
    raw = [game.margin(game.rotation) for game in games]
    adjusted = [game.adjusted_margin(game.rotation) for game in games]
    assert np.var(adjusted) < 0.6 * np.var(raw)


def test_one_seat_s_luck_is_the_others_bad_luck():
    luck = luck_of(played(3, 5))
    assert luck[WIN_SHARES].sum() == pytest.approx(0, abs=1e-6)
    assert np.abs(luck).min() > 0


def test_luck_does_not_change_the_game():
    game = played(2, 5)
    before = game.clone()
    assert (luck_of(game) == luck_of(before)).all()
    assert game.states.tobytes() == before.states.tobytes()
    assert game.history == before.history
