"""Section 1 of the rules page: the tiles and what is in the box."""

import pytest

from tests.rules.scenario import (
    EAST,
    NORTH,
    ROTATIONS,
    SOUTH,
    START,
    TURNS,
    WEST,
    WORKER_SUPPLY,
    busy,
    deal,
    jungle_supply,
    offered,
    place,
    play_out,
    refuses,
    shuffled_deal,
    start,
)

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


@pytest.mark.parametrize("tile", sorted(ROTATIONS))
def test_only_distinct_rotations_are_offered(table, tile):
    game = start(table, 2, [[tile]])
    rotations = {move[2] for move in offered(game, "place") if move[1] == tile}
    assert rotations == set(range(ROTATIONS[tile]))


@pytest.mark.parametrize(("tile", "rotation", "acting"), FIRST_EDGES)
def test_rotations_turn_a_tile_clockwise(table, tile, rotation, acting):
    game = start(table, 2, [[tile]])
    place(game, tile, (0, 1), rotation)
    expected = [(0, (0, 1), edge, workers) for edge, workers in sorted(acting.items())]
    assert game.position()["pending"] == expected


def test_3001_has_its_1_just_before_its_3_going_clockwise(table):
    """With the 3 to the north, the 1 before it lies west, where the market is."""
    game = start(table, 2, [["3001", "3100"]])
    place(game, "3001", (1, 2), 0)
    assert game.position()["pending"] == [(0, (1, 2), WEST, 1)]


def test_3100_has_its_1_just_after_its_3_going_clockwise(table):
    game = start(table, 2, [["3001", "3100"]])
    place(game, "3100", (1, 0), 0)  # market to the east, plantation to the north
    assert game.position()["pending"] == [(0, (1, 0), NORTH, 3), (0, (1, 0), EAST, 1)]


def test_equal_tiles_in_hand_are_offered_once(table):
    game = start(table, 2, [["2101", "2101", "2101"]])
    moves = game.legal_moves()
    assert len(moves) == len(set(moves)) == 6 * 4


def test_different_tiles_in_hand_are_all_offered(table):
    game = start(table, 2, [["3001", "1111", "3100"]])
    assert len(game.legal_moves()) == 6 * (4 + 1 + 4)


@pytest.mark.parametrize("rotation", [1, 2, 3])
def test_a_1111_tile_cannot_be_turned(table, rotation):
    game = start(table, 2, [["1111"]])
    assert refuses(game, ("place", "1111", rotation, (0, 1)))


@pytest.mark.parametrize("volcanoes", [False, True])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_whole_supply_of_worker_tiles_is_placed(table, num_players, volcanoes):
    """Nothing is lost or doubled on the way from the piles to the playing area."""
    game = table(*shuffled_deal(num_players, 5, volcanoes))
    play_out(game, busy)
    placed = {}
    for owner, tile, _, under in game.position()["workers"].values():
        placed.setdefault(owner, []).append(tile)
        placed[owner] += [under[0]] if under else []
    assert sum(len(tiles) for tiles in placed.values()) == TURNS[num_players]
    for player in range(num_players):
        assert sorted(placed[player]) == sorted(WORKER_SUPPLY[num_players].elements())


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_jungle_supply_is_kept_whole(table, num_players):
    """Lying, displayed and hidden tiles together are the box's tiles at every moment."""
    game = table(*shuffled_deal(num_players, 6))
    whole = sorted([*jungle_supply(num_players).elements(), *(kind for kind, _ in START.values())])

    def check_and_play(game, moves):
        position = game.position()
        lying = [kind for kind, _ in position["jungle"].values()]
        assert sorted(lying + position["display"] + position["jungle_pile"]) == whole
        return busy(game, moves)

    play_out(game, check_and_play)
    assert len(game.position()["jungle"]) > 10


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_deal_with_another_supply_of_worker_tiles_is_refused(table, num_players):
    good = deal(num_players)
    table(*good)
    draws = [list(tiles) for tiles in good[2]]
    draws[1].remove("1111")
    for spoilt in (draws, [*draws[:1], [*draws[1], "2101"], *draws[2:]]):
        with pytest.raises(ValueError):
            table(num_players, False, spoilt, good[3])


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_deal_with_another_supply_of_jungle_tiles_is_refused(table, num_players):
    _, _, draws, jungle = deal(num_players)
    table(num_players, False, draws, jungle)
    for spoilt in (jungle[1:], [*jungle, "temple"], ["temple", *jungle[:-1]]):
        with pytest.raises(ValueError):
            table(num_players, False, draws, spoilt)


@pytest.mark.parametrize(("dealt", "seated"), [(2, 3), (3, 2), (3, 4), (4, 3)])
def test_worker_tiles_of_another_number_of_players_are_refused(table, dealt, seated):
    foreign = deal(dealt)[2][0]
    with pytest.raises(ValueError):
        table(seated, False, [list(foreign) for _ in range(seated)], deal(seated)[3])


@pytest.mark.parametrize(("dealt", "seated"), [(2, 3), (2, 4), (3, 2), (4, 2)])
def test_jungle_tiles_of_another_number_of_players_are_refused(table, dealt, seated):
    with pytest.raises(ValueError):
        table(seated, False, deal(seated)[2], deal(dealt)[3])
