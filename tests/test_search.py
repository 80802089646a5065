"""Inside the searching bots: what is tried, counted, kept and believed."""

import numpy as np
import pytest

from cacao_env.agents.mc import run_passes
from cacao_env.agents.utility import UTILITY, value_of
from cacao_env.engine.rewards import SCORE_SCALE
from cacao_env.engine.rng import new_rng
from tests.games import played


@pytest.mark.parametrize("players", [2, 3, 4])
def test_utility_is_half_the_win_and_half_the_margins(players):
    shared = 0
    for seed in range(60):
        game = played(players, seed)
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


def test_candidates_meet_the_same_deals_and_luck():
    game = played(2, 7, until=lambda game: game.ply >= 12 and game.phase == "place")
    before = game.states.tobytes()
    action = int(game.legal_actions()[0])
    ids, sums = np.full(3, action), np.zeros(3)
    run_passes(game.states, ids, 3, sums, 20, new_rng(1), UTILITY)
    assert sums[0] == sums[1] == sums[2] != 0
    again = np.zeros(3)
    run_passes(game.states, ids, 3, again, 20, new_rng(2), UTILITY)
    assert again[0] != sums[0]
    assert game.states.tobytes() == before
