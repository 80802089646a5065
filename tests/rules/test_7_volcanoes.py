"""Section 7 of the rules page: the mini-expansion."""

import pytest

from tests.rules.scenario import *

# Where a worker tile lies, with the edge that faces the hub: east of the hub, and so on.
SIDES = dict(zip(("west", "south", "east", "north"), HUB_SIDES, strict=True))
# [R5] Orientation 0 has the gain to east and west, orientation 1 to north and south.
GAINS = {("west", 0), ("east", 0), ("north", 1), ("south", 1)}


def act_offers(game, cell, edge):
    return [move for move in offered(game, "act") if move[1:3] == (cell, edge)]


def at_the_volcano(table, side, orientation, workers):
    """The first player, with two gold after a sale, faces a volcano.

    The turn is open: the volcano's edge has not acted. West and south of the hub the first
    player is not the active one: the second player's tile made the hub be filled.
    """
    second = side in ("east", "north")
    tiles = ["3100", "2101", TILE[workers]] if second else ["3100", TILE[workers], "2101"]
    game = start(table, 2, [tiles, ["2101", "2101"]], ["volcano", "temple", "temple"], True)
    place(game, "3100", (1, 0))  # three workers at the plantation, one at the market
    act(game, (1, 0), NORTH, 3)
    act(game, (1, 0), EAST, 1)
    turn(game, "2101", (0, -1), fills=[("temple", (1, -1))])
    if second:
        lay_cell, lay_edge = SIDES["west"]
        turn(game, "2101", lay_cell, turned("2101", lay_edge, 0))
    cell, edge = SIDES[side]
    if not second:
        turn(game, TILE[workers], cell, turned(TILE[workers], edge, workers))
    other = "west" if side == "south" else "south"
    place(game, "2101", SIDES[other][0], turned("2101", SIDES[other][1], 0))
    fill(game, "volcano", HUB, orientation)
    if second:
        play_forced(game)
        place(game, TILE[workers], cell, turned(TILE[workers], edge, workers))
        while game.phase == "fill":
            game.play(next(m for m in sorted(game.legal_moves()) if m[1] != "volcano"))
    while game.player == 1:
        game.play(min(game.legal_moves()))
    assert game.player == 0
    assert holdings(game, 0) == (2, 2, 0, -10)
    return game


@pytest.mark.parametrize(("num_players", "volcanoes"), [(2, 2), (3, 3), (4, 3)])
def test_volcanoes_take_the_place_of_the_gold_mines(table, num_players, volcanoes):
    """The right supply is taken; one that keeps a mine, or plays volcanoes unasked, is not."""
    _, _, draws, jungle = deal(num_players, volcanoes=True)
    assert (jungle.count("volcano"), len(jungle)) == (volcanoes, 19 if num_players == 2 else 26)
    position = table(num_players, True, draws, jungle).position()
    assert sorted([*position["display"], *position["jungle_pile"]]) == sorted(jungle)
    with_a_mine = list(jungle)
    with_a_mine[with_a_mine.index("volcano")] = "mine1"
    for option, tiles in (
        (True, with_a_mine),
        (False, jungle),
        (True, list(jungle_supply(num_players, False).elements())),
    ):
        with pytest.raises(ValueError):
            table(num_players, option, draws, tiles)


def test_whoever_places_a_volcano_chooses_one_of_two_orientations(table):
    """[R5] Other tiles have none to choose."""
    game = start(table, 2, [["1111"], ["1111"]], ["volcano", "temple"], True)
    turn(game, "1111", (0, 1))
    place(game, "1111", (1, 2))
    assert game.player == 1
    assert sorted(game.legal_moves()) == [
        ("fill", "temple", 0, HUB),
        ("fill", "volcano", 0, HUB),
        ("fill", "volcano", 1, HUB),
    ]
    assert refuses(game, ("fill", "temple", 1, HUB))
    assert refuses(game, ("fill", "volcano", 2, HUB))


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("orientation", [0, 1])
@pytest.mark.parametrize("side", sorted(SIDES))
def test_two_opposite_edges_give_and_the_other_two_take(table, side, orientation, workers):
    """[R5], [R6] Two gold a worker; or one gold a worker, as far as two gold last."""
    game = at_the_volcano(table, side, orientation, workers)
    cell, edge = SIDES[side]
    assert act_offers(game, cell, edge) == [("act", cell, edge, workers)]
    act(game, cell, edge, workers)
    gold = 2 + 2 * workers if (side, orientation) in GAINS else max(0, 2 - workers)
    assert holdings(game, 0) == (gold, 2, 0, -10)
    assert holdings(game, 1) == (0, 0, 0, -10)


def test_other_actions_may_still_be_forgone(table):
    game = hub(table, "volcano", 0, 3, volcanoes=True)
    assert act_offers(game, (1, 2), WEST) == [("act", (1, 2), WEST, 0), ("act", (1, 2), WEST, 1)]


@pytest.mark.parametrize(("first", "gold"), [(WEST, 1), (NORTH, 2)])
def test_the_owner_chooses_when_the_volcano_acts(table, first, gold):
    """[R6] Whoever pays before the sale has nothing to pay with."""
    game = start(table, 2, [["3100", "1111"], ["2101"]], ["volcano", "temple"], True)
    place(game, "3100", (1, 0))
    act(game, (1, 0), NORTH, 3)
    act(game, (1, 0), EAST, 0)
    turn(game, "2101", (0, 1))
    place(game, "1111", (1, 2))  # the market to the west, the volcano to the north
    fill(game, "volcano", HUB, 0)
    assert {move[2] for move in game.legal_moves()} == {WEST, NORTH}
    act(game, (1, 2), first, 1)
    act(game, (1, 2), WEST + NORTH - first, 1)
    assert holdings(game, 0) == (gold, 2, 0, -10)
