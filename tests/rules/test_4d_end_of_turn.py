"""Section 4 of the rules page, the end of a turn: drawing and refilling."""

import pytest

from tests.rules.scenario import *


def place_to_fill(game, cells):
    """Place a tile that fills so many cells, wherever that is possible."""
    position = game.position()
    cell = next(c for c in open_cells(position) if len(would_fill(position, c)) == cells)
    place(game, position["hands"][game.player][0], cell)


def test_the_tile_is_drawn_after_the_other_players_actions(table):
    """The second player's turn is not over while the first player's edge still waits."""
    game = start(table, 2, [["1111"], ["1111", "2101", "2101", "3100"]], ["water"])
    turn(game, "1111", (0, 1))
    place(game, "1111", (1, 2), 0)
    fill(game, "water", (0, 2))
    act(game, (1, 2), 0, 1)
    act(game, (1, 2), 3, 0)
    assert (game.player, game.phase, game.turn) == (0, "act", 1)
    assert list(game.position()["hands"][1]) == ["2101", "2101"]
    assert len(game.position()["display"]) == 1
    act(game, (0, 1), 1, 0)
    assert game.turn == 2
    assert list(game.position()["hands"][1]) == ["2101", "2101", "3100"]
    assert len(game.position()["display"]) == 2


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_hand_holds_three_tiles_until_the_pile_is_empty_then_two_then_one(table, num_players):
    """Every hand and every pile, before each move of a random game."""
    game = table(*shuffled_deal(num_players, 41))
    draws = shuffled_deal(num_players, 41)[2]
    rounds = TURNS[num_players] // num_players
    choose = at_random(41)
    sizes = []

    def watch(game, moves):
        position = game.position()
        active = game.turn % num_players
        for player in range(num_players):
            finished = game.turn // num_players + (player < active)
            drawn = min(3 + finished, rounds)
            gone = finished + (player == active and game.phase != "place")
            assert len(position["hands"][player]) == drawn - gone
            assert list(position["piles"][player]) == draws[player][drawn:]
        if game.phase == "place" and active == 0:
            sizes.append(len(position["hands"][0]))
        return choose(game, moves)

    play_out(game, watch)
    assert sizes == [3] * (rounds - 2) + [2, 1]


@pytest.mark.parametrize(
    ("left", "cells", "display", "pile"),
    [
        (4, 1, 2, 1),
        (4, 2, 2, 0),
        (3, 1, 2, 0),
        (3, 2, 1, 0),
        (2, 1, 1, 0),
        (2, 2, 0, 0),
        (1, 1, 0, 0),
    ],
)
def test_the_display_is_refilled_as_far_as_the_pile_reaches(table, left, cells, display, pile):
    game = start(table, 2)
    lay(game, [(-1, 0), (1, 2)])
    spend_jungle(game, left, [(-1, 1), (0, 1), (0, 2)])
    place_to_fill(game, cells)
    for _ in range(cells):
        game.play(min(offered(game, "fill")))
    play_forced(game)
    assert game.phase == "place"
    position = game.position()
    assert (len(position["display"]), len(position["jungle_pile"])) == (display, pile)
