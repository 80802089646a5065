"""The eight symmetries: what is seen, what is legal and what comes of it turn with the table."""

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine import symmetry as sym
from cacao_env.engine.geometry import OFFSETS, cell_index, window_corner
from cacao_env.engine.state import OVERBUILT, cell_column, cell_row
from cacao_env.engine.tiles import NUM_VARIANTS, VOLCANO, VOLCANO_TURNED
from tests.games import STYLES, positions
from tests.tiers import mostly_slow


def image_of_game(g: int, game: Game) -> Game:
    """The same position turned, built field by field; it does not use the tables under test."""
    image = game.clone()
    old, new = game.state, image.state
    turned = g % 2 == 1

    def moved(cell: int) -> int:
        row, column = int(cell_row(old, cell)), int(cell_column(old, cell))
        return int(cell_index(*sym.image_of_cell(g, row, column)))

    def code(value: int, jungle: bool) -> int:
        """What lies there, turned; numbers below 0 stand for empty cells."""
        if value < 0 or (jungle and not (turned and value in (VOLCANO, VOLCANO_TURNED))):
            return value
        if jungle:
            return VOLCANO + VOLCANO_TURNED - value
        owner, variant = divmod((value & (OVERBUILT - 1)) - 1, NUM_VARIANTS)
        if variant:
            kind, turn = divmod(variant - 1, 4)
            if g >= 4:  # mirroring east and west: 3001 <-> 3100, and the turn goes the other way
                kind, turn = {0: 0, 1: 2, 2: 1}[kind], -turn
            variant = 1 + kind * 4 + (turn + g) % 4
        return (value & OVERBUILT) + 1 + owner * NUM_VARIANTS + variant

    new.board[:] = 0
    laid = set(old.jungle_cells[: int(old.jungle_count)].tolist())
    for cell in np.flatnonzero(old.board).tolist():
        new.board[moved(cell)] = code(int(old.board[cell]), cell in laid)
    for what in ("open", "jungle", "temple", "worker"):
        for i in range(int(old[f"{what}_count"])):
            new[f"{what}_cells"][i] = moved(int(old[f"{what}_cells"][i]))
    corners = [
        sym.image_of_cell(g, r, c)
        for r in (int(old.row_min), int(old.row_max))
        for c in (int(old.column_min), int(old.column_max))
    ]
    rows, columns = [r for r, _ in corners], [c for _, c in corners]
    new.row_min, new.row_max = min(rows), max(rows)
    new.column_min, new.column_max = min(columns), max(columns)
    new.corner_row, new.corner_column = window_corner(
        min(rows), max(rows), min(columns), max(columns), game.table_size
    )
    if g >= 4:
        for field in ("hand", "unplaced"):
            new[field][:, 2], new[field][:, 3] = old[field][:, 3].copy(), old[field][:, 2].copy()
        for field in ("worker_draws", "played"):
            kinds = old[field].copy()
            new[field][kinds == 2], new[field][kinds == 3] = 3, 2
    if old.last >= 0:
        new.last = moved(int(old.last))
    sides = [OFFSETS.index(sym.image_of_cell(g, *offset)) for offset in OFFSETS]
    new.to_fill = sum(1 << sides[s] for s in range(4) if (int(old.to_fill) >> s) & 1)
    new.filled = sum(1 << sides[s] for s in range(4) if (int(old.filled) >> s) & 1)
    new.pending[:] = 0
    for side in range(4):
        for facing in range(4):
            here, there = 4 * side + facing, 4 * sides[side] + sides[facing]
            new.pending[:] |= ((old.pending >> here) & 1) << there
    return image


@pytest.mark.parametrize("g", mostly_slow(range(1, 8), fast=[4]))
@pytest.mark.parametrize(
    ("players", "volcanoes", "style", "size"),
    [
        (2, False, "random", None),
        (2, True, "overbuild", None),
        (3, True, "crowd", None),
        (4, False, "stretch", None),
        (2, False, "crowd", 15),  # whose tiles keep off the rim
    ],
)
def test_a_turned_position_is_seen_offered_and_played_like_the_position(
    g, players, volcanoes, style, size
):
    rng = np.random.default_rng([g, players])
    game = Game.new(players, g, volcanoes=volcanoes, decisions="explicit", table_size=size)
    size = game.table_size
    for _ in positions(game, rng, STYLES[style]):
        image = image_of_game(g, game)
        assert image.scores() == game.scores()
        for seat in range(players):
            seen = game.observation(seat)
            expected = sym.transform_observation(g, seen, players, size)
            np.testing.assert_array_equal(image.observation(seat), expected)
        if game.over:
            break
        seen = game.observation(game.seat)
        mask = game.action_mask()
        expected = sym.transform_mask(g, mask, seen, players, size)
        np.testing.assert_array_equal(image.action_mask(), expected)
        action = int(rng.choice(np.flatnonzero(mask)))
        after, image_after = game.clone(), image
        after.play(action)
        image_after.play(sym.transform_action(g, action, seen, players, size))
        expected = sym.transform_observation(g, after.observation(0), players, size)
        np.testing.assert_array_equal(image_after.observation(0), expected)
        assert image_after.scores() == after.scores()


@pytest.mark.parametrize("g", range(8))
def test_a_symmetry_and_its_inverse_leave_everything_where_it_was(g):
    game = Game.new(2, 5, volcanoes=True, decisions="explicit")
    for _ in positions(game, np.random.default_rng(g)):
        seen, mask = game.observation(0), game.action_mask()
        image = sym.transform_observation(g, seen, 2, 23)
        image_mask = sym.transform_mask(g, mask, seen, 2, 23)
        back = sym.inverse(g)
        np.testing.assert_array_equal(sym.transform_observation(back, image, 2, 23), seen)
        np.testing.assert_array_equal(sym.transform_mask(back, image_mask, image, 2, 23), mask)


def test_an_action_outside_the_image_s_window_is_refused():
    seen = Game.new(2, 0, table_size=15).observation(0)
    refused = 0
    for action in range(0, 112 * NUM_VARIANTS, NUM_VARIANTS):
        try:
            sym.transform_action(5, action, seen, 2, 15)
        except ValueError as error:
            refused += "outside the window" in str(error)
    assert 0 < refused < 20  # the image's window is moved by a cell: one row or column is gone
