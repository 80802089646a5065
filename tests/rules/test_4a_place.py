"""Section 4 of the rules page, step A: whose turn it is, and placing a worker tile."""

import pytest

from tests.rules.scenario import (
    ROTATIONS,
    SOUTH,
    TURNS,
    WEST,
    at_random,
    offered,
    open_cells,
    place,
    play_out,
    refuses,
    shuffled_deal,
    start,
    turn,
)

PLAYERS = [2, 3, 4]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_turns_go_clockwise_and_everybody_places_one_tile_a_turn(table, num_players):
    """The owner of the tile that each turn adds, and the player whose turn it then is."""
    game = table(*shuffled_deal(num_players, 3))
    choose = at_random(3)
    seen = []

    def watch(game, moves):
        position = game.position()
        tiles = [0] * num_players
        for owner, _, _, under in position["workers"].values():
            tiles[owner] += 2 if under else 1
        if game.phase == "place":
            active = game.turn % num_players
            assert game.player == active
            assert tiles == [
                game.turn // num_players + (player < active) for player in range(num_players)
            ]
            seen.append(game.turn)
        return choose(game, moves)

    play_out(game, watch)
    assert seen == list(range(TURNS[num_players]))


@pytest.mark.parametrize("num_players", PLAYERS)
@pytest.mark.parametrize("seed", [11, 12])
def test_every_hand_tile_every_way_round_on_every_open_cell_is_offered(table, num_players, seed):
    """The exact list of placements, each once, at the start of every turn of a random game."""
    game = table(*shuffled_deal(num_players, seed))
    choose = at_random(seed)

    def watch(game, moves):
        if game.phase == "place":
            position = game.position()
            expected = [
                ("place", tile, rotation, cell)
                for tile in set(position["hands"][game.player])
                for rotation in range(ROTATIONS[tile])
                for cell in open_cells(position)
            ]
            assert offered(game, "place") == sorted(expected)
        return choose(game, moves)

    play_out(game, watch)
    assert game.turn == TURNS[num_players]


def test_the_tile_lies_as_it_was_placed_and_has_left_the_hand(table):
    game = start(table, 2, [["2101", "3001", "2101"]])
    place(game, "2101", (0, 1), 3)
    position = game.position()
    assert position["workers"] == {(0, 1): (0, "2101", 3, None)}
    assert list(position["hands"][0]) == ["2101", "3001"]


def test_the_tile_belongs_to_the_player_who_placed_it(table):
    game = start(table, 2, [["1111"], ["3100"]])
    turn(game, "1111", (0, 1))
    turn(game, "3100", (-1, 0), 1, fills=[(game.position()["display"][0], (-1, 1))])
    assert game.position()["workers"] == {
        (0, 1): (0, "1111", 0, None),
        (-1, 0): (1, "3100", 1, None),
    }


def test_an_occupied_cell_is_closed_to_everybody(table):
    game = start(table, 2, [["1111", "1111"], ["1111"]])
    turn(game, "1111", (0, 1))
    assert refuses(game, ("place", "1111", 0, (0, 1)))
    turn(game, "1111", (2, 1))
    assert refuses(game, ("place", "1111", 0, (0, 1)))
    assert refuses(game, ("place", "1111", 0, (2, 1)))


def test_a_tile_still_in_the_pile_cannot_be_placed(table):
    game = start(table, 2, [["1111", "1111", "1111", "3001"]])
    assert refuses(game, ("place", "3001", 0, (0, 1)))
    assert not refuses(game, ("place", "1111", 0, (0, 1)))


def test_a_tile_in_another_hand_cannot_be_placed(table):
    game = start(table, 2, [["1111", "1111", "2101"], ["1111", "1111", "3001"]])
    assert refuses(game, ("place", "3001", 0, (0, 1)))
    turn(game, "2101", (0, 1))
    assert refuses(game, ("place", "2101", 0, (2, 1)))
    assert ("place", "3001", 0, (2, 1)) in game.legal_moves()


@pytest.mark.parametrize(
    "move",
    [
        ("place", "2101", 4, (0, 1)),
        ("place", "2101", -1, (0, 1)),
        ("place", "2111", 0, (0, 1)),
        ("place", "plantation1", 0, (0, 1)),
        ("fill", "temple", 0, (-1, 1)),
        ("act", (0, 1), SOUTH, 1),
        ("overbuild", "2101", 0, (0, 1)),
    ],
)
def test_anything_else_is_refused_and_changes_nothing(table, move):
    game = start(table, 2, [["2101"]])
    assert refuses(game, move)


def test_one_tile_is_placed_a_turn_and_no_more(table):
    game = start(table, 2, [["1111"]])
    place(game, "1111", (0, 1))
    assert game.phase == "act"
    assert refuses(game, ("place", "1111", 0, (2, 1)))


def test_a_turn_is_counted_when_it_is_finished(table):
    game = start(table, 2, [["1111"]])
    place(game, "1111", (0, 1))
    assert (game.turn, game.player) == (0, 0)
    game.play(("act", (0, 1), SOUTH, 0))
    assert (game.turn, game.player, game.phase) == (0, 0, "act")
    game.play(("act", (0, 1), WEST, 0))
    assert (game.turn, game.player, game.phase) == (1, 1, "place")


def test_a_turn_without_anything_to_fill_or_to_do_ends_with_the_placement(table):
    """The edge without workers faces the only jungle tile beside the cell."""
    game = start(table, 2, [["2101", "3001"]])
    place(game, "2101", (-1, 0), 0)
    assert (game.turn, game.player, game.phase) == (1, 1, "place")
