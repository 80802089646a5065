"""What a seat cannot see may be anything: nothing that the seat is given depends on it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from cacao_env import Game
from cacao_env.agents.bots import BOTS, Bot
from cacao_env.engine.jit import COMPILED
from cacao_env.engine.rng import new_rng
from tests.games import any_game, played

SMALL_BOTS = [{"mc": "mc:sims=8,top=4"}.get(name, name) for name in BOTS]


def scramble(game: Game, viewer: int, rng: np.random.Generator) -> Game:
    """A copy with everything hidden from the viewer permuted, written without ``redeal``."""
    other = game.clone()
    state = other.state
    for seat in range(game.num_players):
        drawn, end = int(state.drawn[seat]), int(state.tiles_each)
        pile = state.worker_draws[seat, drawn:end].tolist()
        hand = [kind for kind in range(4) for _ in range(int(state.hand[seat, kind]))]
        if seat == viewer:
            state.worker_draws[seat, drawn:end] = rng.permutation(pile)
        else:
            # The past drawing order is hidden too: the tiles that were placed stand anywhere in it.
            pool = rng.permutation(hand + pile).tolist()
            state.hand[seat] = np.bincount(pool[: len(hand)], minlength=4)
            past = state.worker_draws[seat, :drawn].tolist()
            placed = list((Counter(past) - Counter(hand)).elements())
            state.worker_draws[seat, :drawn] = rng.permutation(placed + pool[: len(hand)])
            state.worker_draws[seat, drawn:end] = pool[len(hand) :]
    drawn, end = int(state.jungle_drawn), int(state.num_jungle)
    state.jungle_draws[drawn:end] = rng.permutation(state.jungle_draws[drawn:end])
    return other


@given(any_game("explicit"))
def test_observation_mask_and_every_bot_s_view_do_not_change(deal):
    changed = 0
    for game, rng in deal.positions():
        for viewer in range(deal.players):
            other = scramble(game, viewer, rng)
            changed += other != game
            np.testing.assert_array_equal(other.observation(viewer), game.observation(viewer))
            views = [one.determinise(viewer, new_rng(deal.seed)).states for one in (game, other)]
            assert views[0].tobytes() == views[1].tobytes()
            if game.seat == viewer:
                np.testing.assert_array_equal(other.action_mask(), game.action_mask())
    assert changed > 50  # or there was nothing to find out


@pytest.mark.skipif(not COMPILED, reason="interpreted, searching bots take too long")
@given(any_game("auto"))
def test_every_bot_plays_the_same(deal):
    seed = deal.seed
    for number, (game, rng) in enumerate(deal.positions()):
        if game.seat is not None and number % 11 == 0:
            other = scramble(game, game.seat, rng)
            for bot in map(Bot, SMALL_BOTS):
                # Even when it is handed the truth, as in the compiled loops, and not a guess.
                action = bot.choose(game.states, new_rng(seed))
                assert bot.choose(other.states, new_rng(seed)) == action
                assert bot.player(seed).act(game) == bot.player(seed).act(other)


@given(any_game("auto"))
def test_a_determinised_game_keeps_what_is_seen_and_replays(deal):
    for number, (game, rng) in enumerate(deal.positions()):
        if number % 7:
            continue
        viewer = int(rng.integers(deal.players))
        other = game.determinise(viewer, rng)
        np.testing.assert_array_equal(other.observation(viewer), game.observation(viewer))
        assert other.history == game.history
        assert Game.from_json(other.to_json()) == other
        if game.ply:
            before = game.clone()
            before.undo()
            other.undo()
            np.testing.assert_array_equal(other.observation(viewer), before.observation(viewer))


def test_determinising_is_uniform_over_what_is_hidden():
    game, rng = played(2, 4, 16), np.random.default_rng(0)
    hidden = game.state.worker_draws[1, int(game.state.drawn[1]) :].tolist()
    hidden = hidden[: int(game.state.tiles_each) - int(game.state.drawn[1])]
    pool = Counter(hidden) + Counter({kind: int(game.state.hand[1, kind]) for kind in range(4)})
    size, hand = sum(pool.values()), int(game.state.hand[1].sum())
    draws = 4000
    total = np.zeros(4)
    for _ in range(draws):
        total += game.determinise(0, rng).state.hand[1]
    for kind in range(4):
        assert abs(total[kind] / draws - hand * pool[kind] / size) < 0.06


def test_determinising_really_deals_anew_and_leaves_the_original_alone():
    game = Game.new(3, 1)
    before = game.clone()
    others = [game.determinise(0, seed) for seed in range(20)]
    assert game == before
    assert len({other.to_json() for other in others}) == 20
    assert game.determinise(0, 5) == game.determinise(0, 5)
