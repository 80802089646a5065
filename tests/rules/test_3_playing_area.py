"""Section 3 of the rules page: the chess board pattern, and how far it reaches."""

import pytest

from tests.rules.scenario import TURNS, deal, lay, offered, open_cells, refuses, start, turn

# One zigzag towards the north: each worker tile there brings one jungle tile and opens the
# next cell, so every turn reaches one row further. The other directions are its images.
IMAGES = {
    "north": lambda row, column: (row, column),
    "west": lambda row, column: (column, row),
    "south": lambda row, column: (1 - row, 1 - column),
    "east": lambda row, column: (1 - column, 1 - row),
}


def cells_offered(game):
    return sorted({move[3] for move in offered(game, "place")})


def test_six_cells_are_open_at_the_start(table):
    assert cells_offered(start(table, 2)) == [(-1, 0), (0, -1), (0, 1), (1, 0), (1, 2), (2, 1)]


def test_a_worker_tile_must_touch_a_jungle_tile_on_a_side(table):
    """A worker tile next door, even two of them at the corners, does not make a cell open."""
    game = start(table, 2, [["1111"], ["1111"]])
    turn(game, "1111", (0, 1))
    for cell in [(-1, 2), (0, 3), (-2, 1), (-1, -2), (3, 0)]:
        assert refuses(game, ("place", "1111", 0, cell))


@pytest.mark.parametrize("cell", [(0, 0), (1, 1), (-1, 1), (0, 2), (2, 2), (1, -1), (-2, 0)])
def test_a_worker_tile_never_lies_on_a_jungle_cell(table, cell):
    assert refuses(start(table, 2, [["1111"]]), ("place", "1111", 0, cell))


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("direction", sorted(IMAGES))
def test_the_table_has_no_edge(table, direction, num_players):
    """A march as far as the jungle tiles allow, in each direction, stays playable throughout."""
    game = table(*deal(num_players))
    image = IMAGES[direction]
    zigzag = [(0, 1)] + [(-step, 1 - step % 2) for step in range(1, TURNS[num_players])]
    jungle_tiles = {2: 19, 3: 26, 4: 26}[num_players]
    march = [image(*cell) for cell in zigzag[: jungle_tiles + 2]]

    for cell in march:
        assert cells_offered(game) == open_cells(game.position())
        lay(game, [cell])

    position = game.position()
    assert set(march) == set(position["workers"])
    cells = [*position["workers"], *position["jungle"]]
    span = max(max(axis) - min(axis) + 1 for axis in zip(*cells, strict=True))
    assert span == {2: 22, 3: 29, 4: 29}[num_players]
    assert cells_offered(game) == open_cells(position)
