"""Section 2 of the rules page: what lies where before the first turn."""

import pytest

from tests.rules.scenario import START, TURNS, deal, shuffled_deal, start

PLAYERS = [2, 3, 4]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_two_start_tiles_touch_at_a_corner_and_nothing_else_lies(table, num_players):
    position = table(*deal(num_players)).position()
    assert position["jungle"] == START
    assert position["workers"] == {}


@pytest.mark.parametrize("num_players", PLAYERS)
def test_every_player_holds_the_top_three_tiles_of_an_own_pile(table, num_players):
    game = table(*shuffled_deal(num_players, 1))
    draws = shuffled_deal(num_players, 1)[2]
    position = game.position()
    assert [list(hand) for hand in position["hands"]] == [sorted(tiles[:3]) for tiles in draws]
    assert [list(pile) for pile in position["piles"]] == [tiles[3:] for tiles in draws]


@pytest.mark.parametrize(("num_players", "tiles"), [(2, 11), (3, 10), (4, 9)])
def test_the_number_of_worker_tiles_depends_on_the_number_of_players(table, num_players, tiles):
    position = table(*deal(num_players)).position()
    for hand, pile in zip(position["hands"], position["piles"], strict=True):
        assert len(hand) + len(pile) == tiles


@pytest.mark.parametrize(("num_players", "tiles"), [(2, 19), (3, 26), (4, 26)])
@pytest.mark.parametrize("volcanoes", [False, True])
def test_the_number_of_jungle_tiles_depends_on_the_number_of_players(
    table, num_players, tiles, volcanoes
):
    position = table(*deal(num_players, volcanoes=volcanoes)).position()
    assert len(position["display"]) + len(position["jungle_pile"]) == tiles


@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_top_two_jungle_tiles_form_the_display(table, num_players):
    jungle = shuffled_deal(num_players, 2)[3]
    position = table(*shuffled_deal(num_players, 2)).position()
    assert list(position["display"]) == sorted(jungle[:2])
    assert list(position["jungle_pile"]) == jungle[2:]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_nobody_owns_anything_and_every_carrier_is_at_minus_ten(table, num_players):
    position = table(*deal(num_players)).position()
    for field in ("gold", "cacao", "sun"):
        assert list(position[field]) == [0] * num_players
    assert list(position["water"]) == [-10] * num_players


@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_first_player_begins_by_placing(table, num_players):
    game = table(*deal(num_players))
    position = game.position()
    assert (game.player, game.phase, game.turn) == (0, "place", 0)
    assert (position["player"], position["phase"], position["turn"]) == (0, "place", 0)
    assert list(position["to_fill"]) == []
    assert list(position["pending"]) == []
    assert {move[0] for move in game.legal_moves()} == {"place"}


def test_all_players_draw_from_their_own_order(table):
    """Catches one order dealt to everybody."""
    workers = [["3001", "1111", "1111"], ["3100", "2101", "2101"], ["3001", "3100", "2101"]]
    position = start(table, 3, workers).position()
    assert [list(hand) for hand in position["hands"]] == [sorted(tiles) for tiles in workers]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_there_are_as_many_turns_as_worker_tiles(table, num_players):
    position = table(*deal(num_players)).position()
    tiles = sum(map(len, position["hands"])) + sum(map(len, position["piles"]))
    assert tiles == TURNS[num_players]
