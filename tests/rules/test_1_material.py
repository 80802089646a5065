"""Section 1 of the rules page: the tiles and what is in the box."""

import pytest

from tests.rules.scenario import ROTATIONS, SOUTH, WEST, deal, offered, place, refuses, start

# Which edges act when the first tile goes to (0, 1): the start plantation lies west of that
# cell, the start market south of it. Written out by hand, so that both mirror images and the
# sense of the rotation are pinned without any arithmetic.
FIRST_EDGES = [
    ("1111", 0, {SOUTH: 1, WEST: 1}),
    ("2101", 0, {WEST: 1}),
    ("2101", 1, {SOUTH: 1}),
    ("2101", 2, {SOUTH: 2, WEST: 1}),
    ("2101", 3, {SOUTH: 1, WEST: 2}),
    ("3001", 0, {WEST: 1}),
    ("3001", 1, {}),
    ("3001", 2, {SOUTH: 3}),
    ("3001", 3, {SOUTH: 1, WEST: 3}),
    ("3100", 0, {}),
    ("3100", 1, {SOUTH: 1}),
    ("3100", 2, {SOUTH: 3, WEST: 1}),
    ("3100", 3, {WEST: 3}),
]


@pytest.mark.parametrize(("tile", "rotation", "acting"), FIRST_EDGES)
def test_rotations_turn_a_tile_clockwise(table, tile, rotation, acting):
    game = start(table, 2, [[tile]])
    place(game, tile, (0, 1), rotation)
    expected = [(0, (0, 1), edge, workers) for edge, workers in sorted(acting.items())]
    assert game.position()["pending"] == expected


@pytest.mark.parametrize("tile", sorted(ROTATIONS))
def test_only_distinct_rotations_are_offered(table, tile):
    game = start(table, 2, [[tile]])
    rotations = {move[2] for move in offered(game, "place") if move[1] == tile}
    assert rotations == set(ROTATIONS[tile])
    others = {*range(-1, 5)} - rotations
    assert all(refuses(game, ("place", tile, n, (0, 1))) for n in others)


@pytest.mark.parametrize(("hand", "moves"), [(["2101"] * 3, 4), (["3001", "1111", "3100"], 9)])
def test_every_kind_of_tile_in_hand_is_offered_once(table, hand, moves):
    found = start(table, 2, [hand]).legal_moves()
    assert len(found) == len(set(found)) == 6 * moves


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_deal_with_another_supply_is_refused(table, num_players):
    _, _, draws, jungle = deal(num_players)
    table(num_players, False, draws, jungle)
    short = [list(tiles) for tiles in draws]
    short[1].remove("1111")
    wrong = [(short, jungle), ([draws[0], [*draws[1], "2101"], *draws[2:]], jungle)]
    wrong += [(draws, jungle[1:]), (draws, [*jungle, "temple"]), (draws, ["temple", *jungle[:-1]])]
    for other in {2, 3, 4} - {num_players}:
        _, _, (foreign, *_), tiles = deal(other)
        wrong.append(([foreign] * num_players, jungle))
        wrong += [(draws, tiles)] if tiles != jungle else []
    for workers, tiles in wrong:
        with pytest.raises(ValueError):
            table(num_players, False, workers, tiles)
