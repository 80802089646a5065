"""What holds at every decision of every game, found out by brute force from the outside."""

import numpy as np
import pytest
from hypothesis import given

from cacao_env import Game
from cacao_env.engine.actions import LEGAL, MAX_LEGAL, sample, why_illegal
from cacao_env.engine.rng import new_rng
from tests.games import any_game, game_after

ANY_GAME = any_game("auto", "explicit", sizes=[11, 12, 15, 16, None])


@given(ANY_GAME)
def test_mask_list_refusal_and_execution_agree_on_every_action(deal):
    for game, rng in deal.positions():
        mask = game.action_mask()
        assert mask.dtype == np.int8
        legal = game.legal_actions()
        np.testing.assert_array_equal(np.flatnonzero(mask), legal)
        assert len(legal) <= MAX_LEGAL
        assert (len(legal) == 0) == game.over
        state, actions = game.state, range(game.num_actions)
        brute = [why_illegal(state, action) == LEGAL for action in actions]
        np.testing.assert_array_equal(brute, mask)
        for action in rng.permutation(legal)[:5]:
            assert game_after(game, action).ply == game.ply + 1
        # Ids and moves are one to one.
        moves = game.legal_moves()
        assert len(set(moves)) == len(moves)
        for action in rng.permutation(len(legal))[:5]:
            assert game.action(moves[action]) == legal[action]
            assert game.action(game.text(int(legal[action]))) == legal[action]
        before = game.clone()
        for action in (-1, game.num_actions, int(rng.choice(np.flatnonzero(mask == 0)))):
            with pytest.raises(ValueError, match=f"illegal action {action}"):
                game.play(action)
            assert game == before


def test_sampling_is_uniform_over_the_legal_actions():
    rng = new_rng(0)
    for seed, plies in ((0, 0), (1, 9), (2, 40), (3, 47)):
        game = Game.new(2, seed, volcanoes=True, decisions="explicit")
        for _ in range(plies):
            game.play(int(sample(game.state, rng)))
        legal = game.legal_actions()
        draws = 300 * len(legal)
        counts = np.zeros(game.num_actions, int)
        for _ in range(draws):
            counts[int(sample(game.state, rng))] += 1
        assert counts.sum() == counts[legal].sum()
        expected = draws / len(legal)
        chi2 = ((counts[legal] - expected) ** 2 / expected).sum()
        freedom = len(legal) - 1
        assert chi2 < freedom + 5 * (2 * freedom) ** 0.5 + 10, (seed, chi2, freedom)
