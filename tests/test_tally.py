"""Gold by source adds up, and each coin goes to the tile that paid it."""

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.evaluation.luck import luck_by_action, luck_of
from cacao_env.evaluation.matches import choices
from cacao_env.gold_sources import SOURCES, gold_by_source
from tests.games import STYLES, played

TRACK = (-10, -4, -1, 0, 2, 4, 7, 11, 16)  # gold of each field of the water track


def by_moves(game):
    """The same, from the game's moves played on a game that asks everything."""
    table = Game.from_draws(*game.draws, volcanoes=game.volcanoes, decisions="explicit")
    found = np.zeros((game.num_players, len(SOURCES)), int)
    laid = {(0, 0): "plantation1", (1, 1): "market2"}
    steps = ((-1, 0), (0, 1), (1, 0), (0, -1))
    kinds = {"market": "sales", "mine": "mines", "volcano": "volcanoes"}
    for seat, _, move in game.elementary_moves():
        before = [int(g) for g in table.state.gold]
        table.play(table.action(move))
        gained = int(table.state.gold[seat]) - before[seat]
        if move[0] == "fill":
            laid[move[3]] = move[1]
        elif move[0] == "act":
            (row, column), (down, right) = move[1], steps[move[2]]
            kind = laid[row + down, column + right].rstrip("1234")
            if kind in kinds:
                found[seat, SOURCES.index(kinds[kind])] += gained
            else:
                assert gained == 0
    return found


@pytest.mark.parametrize("volcanoes", [False, True])
def test_each_coin_goes_to_the_tile_that_paid_it(volcanoes):
    seen = np.zeros(len(SOURCES), int)
    for players in (2, 3, 4):
        for seed in range(3):
            game = played(players, seed, style="crowd", volcanoes=volcanoes, table_size=15)
            found = gold_by_source(game)
            np.testing.assert_array_equal(found[:, :3], by_moves(game)[:, :3])
            state = game.state
            for seat in range(players):
                ends = (TRACK[state.water[seat]], state.sun[seat], state.temples[seat])
                assert found[seat, 3:].tolist() == [int(gold) for gold in ends]
            seen += abs(found).sum(axis=0)
    assert seen[SOURCES.index("sales")] > 0
    assert seen[SOURCES.index("volcanoes" if volcanoes else "mines")] > 0


def test_a_game_that_went_on_with_other_options_has_the_gold_and_luck_of_its_moves():
    rng, half = np.random.default_rng(3), Game.new(3, 3, volcanoes=True, decisions="explicit")
    while half.turn < 12:
        half.play(STYLES["crowd"](half, rng))
    game = half.with_options("auto")
    while not game.over:
        game.play(STYLES["crowd"](game, rng))
    every = game.with_options("explicit")
    assert gold_by_source(game).sum(axis=1).tolist() == game.scores()
    np.testing.assert_array_equal(luck_of(game), luck_of(every))
    np.testing.assert_array_equal(luck_by_action(game), luck_by_action(every))
    assert [action for _, action in choices(game)] == list(every.history)
