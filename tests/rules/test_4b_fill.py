"""Section 4 of the rules page, step B: filling the jungle spaces."""

import pytest

from tests.rules.scenario import *

# Two tiles that leave one worker beside (-1, 1) and one beside (0, 2); a tile on (0, 1) then
# fills both. With other tiles elsewhere first, this waits for the end of the jungle pile.
PAIR = [(-1, 0), (1, 2)]
PAIR_LAST, PAIR_CELLS = (0, 1), [(-1, 1), (0, 2)]

RING_JUNGLE = ["market3"] * 3 + ["plantation1"] * 3 + ["mine1", "mine2", "temple", "water", "sun"]


def at_hand(game):
    """A move's worth: the first hand tile of the player whose turn it is."""
    return game.position()["hands"][game.player][0]


def the_pair(table, jungle=(), workers=(["1111", "1111"], ["1111"])):
    game = start(table, 2, workers, jungle)
    lay(game, PAIR)
    return game


def test_two_tiles_on_opposite_sides_fill_a_cell(table):
    """(1, -1) lies between (0, -1) and (2, -1); no other worker tile touches it."""
    game = start(table, 2)
    lay(game, [(1, 2), (2, 1), (3, 2), (3, 0), (0, -1)])
    place(game, at_hand(game), (2, -1))
    assert list(game.position()["to_fill"]) == [(1, -1), (3, -1)]


@pytest.mark.parametrize("display", [("temple", "water"), ("temple", "temple")])
def test_filling_is_forced_and_offers_each_kind_for_each_cell(table, display):
    game = the_pair(table, display)
    place(game, "1111", PAIR_LAST)
    assert game.phase == "fill"
    assert sorted(game.legal_moves()) == [
        ("fill", kind, 0, cell) for kind in sorted(set(display)) for cell in PAIR_CELLS
    ]
    assert list(game.position()["to_fill"]) == PAIR_CELLS


@pytest.mark.parametrize("first_cell", PAIR_CELLS)
@pytest.mark.parametrize("first_tile", ["temple", "water"])
def test_the_active_player_says_which_tile_goes_where(table, first_tile, first_cell):
    game = the_pair(table, ["temple", "water"])
    place(game, "1111", PAIR_LAST)
    fill(game, first_tile, first_cell)
    (second_tile,) = {"temple", "water"} - {first_tile}
    (second_cell,) = set(PAIR_CELLS) - {first_cell}
    assert (game.phase, game.player) == ("fill", 0)
    assert game.legal_moves() == [("fill", second_tile, 0, second_cell)]
    fill(game, second_tile, second_cell)
    assert game.phase == "act"
    jungle = game.position()["jungle"]
    assert (jungle[first_cell], jungle[second_cell]) == ((first_tile, 0), (second_tile, 0))


def test_other_fills_are_refused(table):
    game = the_pair(table, ["temple", "water", "sun"])
    place(game, "1111", PAIR_LAST)
    assert refuses(game, ("fill", "sun", 0, (0, 2)))  # still hidden in the pile
    assert refuses(game, ("fill", "water", 0, (2, 2)))  # one worker tile only
    assert refuses(game, ("fill", "water", 0, (0, 0)))  # taken
    assert refuses(game, ("fill", "water", 1, (0, 2)))  # only a volcano can be turned
    for cell in [(0, 1), (0, 3), (-1, 2), (-1, 0), (1, 2)]:  # for worker tiles
        assert refuses(game, ("fill", "water", 0, cell))
    assert refuses(game, ("act", (0, 1), 2, 1))  # actions come after filling
    fill(game, "water", (0, 2))
    assert refuses(game, ("fill", "temple", 0, (0, 2)))
    assert refuses(game, ("fill", "water", 0, (-1, 1)))


def test_the_third_tile_is_drawn_once_both_display_tiles_lie(table):
    game = start(table, 2, jungle=RING_JUNGLE)
    lay(game, RING)
    before = game.position()
    assert list(before["display"]) == ["temple", "water"]
    assert before["jungle_pile"][0] == "sun"
    place(game, at_hand(game), RING_LAST)
    assert list(game.position()["to_fill"]) == RING_CELLS
    fills = [("fill", kind, 0, at) for kind in ("temple", "water") for at in RING_CELLS]
    assert sorted(game.legal_moves()) == fills

    fill(game, "water", (-1, 3))
    assert list(game.position()["display"]) == ["temple"]
    assert game.position()["jungle_pile"][0] == "sun"
    assert sorted(game.legal_moves()) == [("fill", "temple", 0, at) for at in [(-1, 1), (0, 2)]]

    fill(game, "temple", (0, 2))
    assert game.legal_moves() == [("fill", "sun", 0, (-1, 1))]
    assert list(game.position()["jungle_pile"]) == list(before["jungle_pile"])[1:]
    fill(game, "sun", (-1, 1))
    after = game.position()
    assert game.phase == "act"
    assert list(after["display"]) == []
    assert list(after["jungle_pile"]) == list(before["jungle_pile"])[1:]

    play_forced(game)
    after = game.position()
    assert list(after["display"]) == sorted(before["jungle_pile"][1:3])
    assert list(after["jungle_pile"]) == list(before["jungle_pile"])[3:]


@pytest.mark.parametrize("tiles", [1, 2])
@pytest.mark.parametrize("left_out", RING_CELLS)
def test_with_too_few_tiles_for_three_cells_any_cell_can_be_left_out(table, tiles, left_out):
    """[R2]"""
    game = start(table, 2)
    lay(game, RING)
    spend_jungle(game, tiles, [*RING_CELLS, RING_LAST])
    place(game, at_hand(game), RING_LAST)
    chosen = [cell for cell in RING_CELLS if cell != left_out][:tiles]
    for number, cell in enumerate(chosen):
        assert {move[3] for move in game.legal_moves()} == set(RING_CELLS) - set(chosen[:number])
        game.play(next(move for move in game.legal_moves() if move[3] == cell))
    assert game.phase != "fill"
    assert set(game.position()["jungle"]) & set(RING_CELLS) == set(chosen)
    assert list(game.position()["to_fill"]) == []


def test_a_cell_left_out_stays_empty_for_ever(table):
    """[R2]"""
    game = the_pair(table)
    spend_jungle(game, 1, [*PAIR_CELLS, PAIR_LAST])
    place(game, at_hand(game), PAIR_LAST)
    game.play(next(move for move in game.legal_moves() if move[3] == (0, 2)))
    turns = game.turn
    choose = at_random(1)

    def watch(game, moves):
        assert game.phase != "fill"
        assert (-1, 1) not in game.position()["jungle"]
        return choose(game, moves)

    play_out(game, watch)
    assert game.turn - turns >= 4
    assert (-1, 1) not in game.position()["jungle"]


def test_without_tiles_nothing_is_filled(table):
    """[R2] A cell with two worker tiles beside it, and neither display nor pile."""
    game = the_pair(table)
    spend_jungle(game, 0, [*PAIR_CELLS, PAIR_LAST])
    place(game, "1111" if "1111" in game.position()["hands"][game.player] else "2101", PAIR_LAST)
    assert game.phase == "act"
    position = game.position()
    assert list(position["to_fill"]) == []
    assert not set(PAIR_CELLS) & set(position["jungle"])
    assert {cell for _, cell, _, _ in position["pending"]} == {PAIR_LAST}
