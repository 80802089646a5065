"""The window: the default shows everything that can happen, a smaller one never runs dry."""

from itertools import product

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine.actions import indexed_cell, window_index
from cacao_env.engine.geometry import (
    DEFAULT_TABLE,
    MIN_TABLE,
    NEIGHBOR,
    window_corner,
    window_fits,
)
from cacao_env.engine.state import cell_column, cell_row
from cacao_env.views import View
from tests.games import STYLES, positions
from tests.tiers import mostly_slow


@pytest.mark.parametrize("size", [7, 8])
def test_a_window_fits_where_its_corner_leaves_a_margin(size):
    """Of one cell on every side; the corner is an even cell, which may leave none on one side."""
    for rows, columns in product(range(1, size + 1), repeat=2):
        for row, column in product((0, 1), repeat=2):
            box = row, row + rows - 1, column, column + columns - 1
            first = window_corner(*box, size)
            margins = [least - at - 1 for at, least in zip(first, (row, column))]
            margins += [at + size - 2 - most for at, most in zip(first, (box[1], box[3]))]
            assert window_fits(*box, size) == (min(margins) >= 0), box


@pytest.mark.parametrize("players", mostly_slow([2, 3, 4], fast=[2]))
@pytest.mark.parametrize("size", mostly_slow([MIN_TABLE, 12, 15]))
@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_small_table_always_offers_a_placement_and_shows_every_tile(players, size, style):
    rng = np.random.default_rng([players, size])
    for seed in range(2):
        game = Game.new(players, seed, volcanoes=False, decisions="explicit", table_size=size)
        for _ in positions(game, rng, STYLES[style]):
            state = game.state
            assert game.over or len(game.legal_actions()) > 0
            assert (int(state.corner_row) + int(state.corner_column)) % 2 == 0
            cells = [int(c) for c in state.worker_cells[: int(state.worker_count)]]
            cells += [int(c) for c in state.open_cells[: int(state.open_count)]]
            for cell in cells:
                index = int(window_index(state, cell))
                assert 0 <= index < size * size // 2
                assert int(indexed_cell(state, index)) == cell
            for cell in state.jungle_cells[: int(state.jungle_count)]:
                row = int(cell_row(state, int(cell))) - int(state.corner_row)
                column = int(cell_column(state, int(cell))) - int(state.corner_column)
                assert 0 < row < size - 1
                assert 0 < column < size - 1


def test_a_small_table_binds_only_near_its_rim():
    """Where it does not, the same placements are offered as on the default table."""
    rng = np.random.default_rng(3)
    bound = free = 0
    for seed in range(12):
        style = "stretch" if seed % 2 else "random"
        small = Game.new(3, seed, volcanoes=False, decisions="explicit", table_size=MIN_TABLE)
        for _ in positions(small, rng, STYLES[style]):
            if small.phase != "place":
                continue
            large = small.with_options(table_size=DEFAULT_TABLE[3])
            missing = set(large.legal_moves()) - set(small.legal_moves())
            assert set(small.legal_moves()) <= set(large.legal_moves())
            state = small.state
            if missing:
                bound += 1
                longest = max(state.row_max - state.row_min, state.column_max - state.column_min)
                assert longest + 1 >= MIN_TABLE - 3
            else:
                free += 1
    assert bound > 20
    assert free > 100


@pytest.mark.parametrize("way", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_a_window_that_the_table_has_outgrown_shows_the_tile_just_placed_and_what_lies_beside(way):
    """A policy with a smaller window decides about the tiles beside it."""
    rng, shifted = np.random.default_rng(4), 0
    for seed in range(12):
        game = Game.new(2 + seed % 3, seed, decisions="explicit")
        while not game.over:
            moves = list(zip(game.legal_moves(), game.legal_actions().tolist(), strict=True))
            if game.phase == "place":
                farthest = max(way @ np.array(move[3]) for move, _ in moves)
                moves = [one for one in moves if way @ np.array(one[0][3]) == farthest]
            game.play(moves[rng.integers(len(moves))][1])
            box = (
                int(game.state[one]) for one in ("row_min", "row_max", "column_min", "column_max")
            )
            if game.phase not in ("fill", "act") or window_fits(*box, MIN_TABLE):
                continue
            shifted += 1
            seen = View(game, MIN_TABLE).seen.state
            last = int(seen.last)
            for cell in (last, *NEIGHBOR[last].tolist()):
                assert window_index(seen, cell) >= 0, f"the window ends before cell {cell}"
    assert shifted > 20
