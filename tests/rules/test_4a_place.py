"""Section 4 of the rules page, step A: whose turn it is, and placing a worker tile."""

import pytest

from tests.rules.scenario import SOUTH, WEST, place, refuses, start, turn


def test_the_tile_belongs_to_the_player_who_placed_it(table):
    game = start(table, 2, [["1111"], ["3100"]])
    turn(game, "1111", (0, 1))
    turn(game, "3100", (-1, 0), 1, fills=[(game.position()["display"][0], (-1, 1))])
    assert game.position()["workers"] == {
        (0, 1): (0, "1111", 0, None),
        (-1, 0): (1, "3100", 1, None),
    }
    assert sum(map(len, game.position()["hands"])) == 6  # both have left, two were drawn


def test_a_tile_in_another_hand_cannot_be_placed(table):
    game = start(table, 2, [["1111", "1111", "2101"], ["1111", "1111", "3001"]])
    assert refuses(game, ("place", "3001", 0, (0, 1)))
    turn(game, "2101", (0, 1))
    assert refuses(game, ("place", "2101", 0, (2, 1)))
    assert ("place", "3001", 0, (2, 1)) in game.legal_moves()


@pytest.mark.parametrize(
    "move",
    [
        ("place", "2111", 0, (0, 1)),
        ("place", "plantation1", 0, (0, 1)),
        ("fill", "temple", 0, (-1, 1)),
        ("act", (0, 1), SOUTH, 1),
        ("overbuild", "2101", 0, (0, 1)),
    ],
)
def test_anything_else_is_refused_and_changes_nothing(table, move):
    assert refuses(start(table, 2, [["2101"]]), move)


def test_a_turn_is_counted_when_it_is_finished(table):
    game = start(table, 2, [["1111"]])
    place(game, "1111", (0, 1))
    assert (game.turn, game.player, game.phase) == (0, 0, "act")
    assert refuses(game, ("place", "1111", 0, (2, 1)))
    game.play(("act", (0, 1), SOUTH, 0))
    assert (game.turn, game.player, game.phase) == (0, 0, "act")
    game.play(("act", (0, 1), WEST, 0))
    assert (game.turn, game.player, game.phase) == (1, 1, "place")


def test_a_turn_without_anything_to_fill_or_to_do_ends_with_the_placement(table):
    """The edge without workers faces the only jungle tile beside the cell."""
    game = start(table, 2, [["2101", "3001"]])
    place(game, "2101", (-1, 0), 0)
    assert (game.turn, game.player, game.phase) == (1, 1, "place")
