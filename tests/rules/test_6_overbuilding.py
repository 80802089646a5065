"""Section 6 of the rules page: a second tile on an own worker tile."""

import pytest

from tests.rules.scenario import *

SPARE = ("1111", "3100")  # kept in hand for the overbuilding itself


def late(table, first=3, second=3, leave=0):
    """Two players with so many sun tokens, at the start of a turn with few jungle tiles left.

    A temple on (1, 3) lies between the first player's (0, 3), one worker before it, and the
    second player's (1, 2), none before it; no other tile comes there. The hub is a sun site.
    """
    game = hub(table, "sun", 3, 3, more=["temple"])
    act(game, (1, 2), WEST, 0)
    act(game, (1, 2), NORTH, second)
    act(game, (0, 1), EAST, first)
    place(game, "1111", (0, 3))
    fill(game, "temple", (1, 3))
    act(game, (0, 3), WEST, 0)
    play_forced(game)
    spend_jungle(game, leave, keep_clear=[(1, 3), HUB], seldom=SPARE)
    assert list(game.position()["sun"]) == [first, second]
    return game


def on_turn(game, player):
    """Let the other player put a tile somewhere, if it is that one's turn."""
    if game.player != player:
        moves = [move for move in offered(game, "place") if set(beside(move[3])).isdisjoint({HUB})]
        game.play(next(move for move in moves if (1, 3) not in beside(move[3])))
        play_forced(game)
    assert (game.player, game.phase) == (player, "place")
    return game


def expected_overbuilds(position):
    player = position["player"]
    return sorted(
        ("overbuild", tile, rotation, cell)
        for tile in set(position["hands"][player])
        for rotation in ROTATIONS[tile]
        for cell, (owner, _, _, under) in position["workers"].items()
        if owner == player and under is None
    )


def some_overbuild(game, cell):
    return next(move for move in offered(game, "overbuild") if move[3] == cell)


# --- when it may be done --------------------------------------------------------------------


def test_every_hand_tile_every_way_round_on_every_own_tile_is_offered(table):
    for player in (0, 1):
        game = on_turn(late(table), player)
        assert offered(game, "overbuild") == expected_overbuilds(game.position())


@pytest.mark.parametrize("leave", [1, 2, 3])
def test_not_while_a_jungle_tile_is_left(table, leave):
    """One tile left is on display, with the pile empty: still too early."""
    game = late(table, leave=leave)
    player = game.player
    position = game.position()
    assert position["sun"][player] == 3
    assert offered(game, "overbuild") == []
    tile = position["hands"][player][0]
    for cell, (owner, *_) in position["workers"].items():
        if owner == player:
            assert refuses(game, ("overbuild", tile, 0, cell))


@pytest.mark.parametrize(("first", "second"), [(0, 2), (1, 0), (0, 0)])
def test_not_without_a_sun_token(table, first, second):
    game = late(table, first, second)
    for player in (game.player, 1 - game.player):
        on_turn(game, player)
        assert bool(offered(game, "overbuild")) == bool((first, second)[player])
        own = [c for c, entry in game.position()["workers"].items() if entry[0] == player]
        if not (first, second)[player]:
            tile = game.position()["hands"][player][0]
            assert refuses(game, ("overbuild", tile, 0, own[0]))


def test_only_on_an_own_tile_and_with_a_tile_in_hand(table):
    """Not on another's tile, a jungle cell or an open cell; and a placement covers nothing."""
    game = on_turn(late(table), 0)
    position = game.position()
    tile, workers = position["hands"][0][0], position["workers"]
    around = {near for cell in workers for near in beside(cell)}
    for cell in around | set(position["jungle"]) | set(open_cells(position)) | set(workers):
        if cell not in workers or workers[cell][0] == 1:
            assert refuses(game, ("overbuild", tile, 0, cell))
    for cell in workers:
        assert refuses(game, ("place", tile, 0, cell))
    assert "3001" not in position["hands"][0]
    assert refuses(game, ("overbuild", "3001", 0, (0, 3)))


def test_it_is_never_forced(table):
    """The placements on offer are those of any other turn."""
    game = on_turn(late(table), 0)
    position = game.position()
    expected = [
        ("place", tile, rotation, cell)
        for tile in set(position["hands"][0])
        for rotation in ROTATIONS[tile]
        for cell in open_cells(position)
    ]
    assert offered(game, "place") == sorted(expected)
    game.play(expected[0])
    assert list(game.position()["sun"]) == [3, 3]


# --- what it does ---------------------------------------------------------------------------


def test_it_pays_one_token_and_covers_the_tile(table):
    game = on_turn(late(table), 0)
    before = game.position()
    move = some_overbuild(game, (0, 3))
    game.play(move)
    after = game.position()
    assert list(after["sun"]) == [2, 3]
    assert after["workers"][0, 3] == (0, move[1], move[2], ("1111", 0))
    assert len(after["workers"]) == len(before["workers"])
    hand = list(before["hands"][0])
    hand.remove(move[1])
    if game.phase == "act":
        assert list(after["hands"][0]) == hand
    for field in ("gold", "cacao", "water"):
        assert list(after[field]) == list(before[field])


def test_the_edges_of_the_new_tile_act_again_and_no_others(table):
    """Next door the hub's other neighbours stay quiet, the other player's among them."""
    game = on_turn(late(table), 0)
    assert {near for near in beside(HUB) if near in game.position()["workers"]} >= {(1, 2), (0, 3)}
    game.play(("overbuild", "1111", 0, (0, 1)))
    pending = [tuple(entry) for entry in game.position()["pending"]]
    assert pending == [(0, (0, 1), edge, 1) for edge in range(4)]


def test_the_workers_of_the_new_tile_act_not_those_beneath(table):
    """Three workers faced the sun site; the one on top brings back the token that it cost."""
    game = on_turn(late(table, first=1), 0)
    game.play(("overbuild", "1111", 0, (0, 1)))
    assert game.position()["sun"][0] == 0
    assert [move[3] for move in offered(game, "act") if move[2] == EAST] == [0, 1]
    act(game, (0, 1), EAST, 1)
    assert game.position()["sun"][0] == 1


def test_temples_count_the_tile_on_top_only(table):
    game = on_turn(late(table), 0)
    before = game.scores_if_ended_now()["temples"]
    tile = next(tile for tile in game.position()["hands"][0] if tile != "1111")
    game.play(("overbuild", tile, turned(tile, SOUTH, 0), (0, 3)))
    after = game.scores_if_ended_now()["temples"]
    assert [one - two for one, two in zip(before, after, strict=True)] == [6, 0]


def test_what_covers_a_tile_is_never_covered_itself(table):
    """[R4] With tokens left, every own tile is offered but the covered one."""
    game = on_turn(late(table), 0)
    game.play(some_overbuild(game, (0, 3)))
    play_forced(game)
    on_turn(game, 0)
    position = game.position()
    assert position["sun"][0] == 2
    assert offered(game, "overbuild") == expected_overbuilds(position)
    for tile in set(position["hands"][0]):
        assert refuses(game, ("overbuild", tile, 0, (0, 3)))
    game.play(some_overbuild(game, (0, 1)))
    assert game.position()["sun"][0] == 1
