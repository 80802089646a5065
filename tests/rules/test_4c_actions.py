"""Section 4 of the rules page, step C: which edges act, in which order, and what workers do."""

from collections import Counter

import pytest

from tests.rules.scenario import *


def pending(game):
    return [tuple(entry) for entry in game.position()["pending"]]


# --- which edges ----------------------------------------------------------------------------


def test_a_tile_filled_this_turn_activates_the_new_tile_and_its_other_neighbour_too(table):
    """The first player's other two edges faced their jungle tiles before: they stay quiet."""
    game = hub(table, "plantation1", 1, 1)
    assert pending(game) == [(0, (0, 1), EAST, 1), (1, (1, 2), NORTH, 1), (1, (1, 2), WEST, 1)]


def test_a_jungle_tile_of_an_earlier_turn_activates_only_the_new_tile(table):
    """The third tile at the hub acts there; the two that lay there already do not act again."""
    game = hub(table, "plantation1", 1, 1, more=["water", "sun"])
    play_forced(game)
    place(game, "1111", (0, 3))
    fill(game, "water", (1, 3))
    assert pending(game) == [(0, (0, 3), SOUTH, 1), (0, (0, 3), WEST, 1), (1, (1, 2), EAST, 1)]


def test_all_neighbours_of_three_tiles_filled_at_once_act(table):
    """The third tile, drawn during the turn, activates its neighbour like the other two."""
    low = ["market3"] * 3 + ["plantation1"] * 3 + ["mine1", "mine2"]
    game = start(table, 2, [["2101"] * 5], [*low, "sun", "water", "water"])
    lay(game, RING)
    place(game, game.position()["hands"][game.player][0], RING_LAST)
    while game.phase == "fill":
        game.play(max(game.legal_moves()))
    workers = game.position()["workers"]
    expected = set()
    for jungle_cell in RING_CELLS:
        sides = {(near, (side + 2) % 4) for side, near in enumerate(beside(jungle_cell))}
        others = {(near, edge) for near, edge in sides if near in workers and near != RING_LAST}
        assert len(others) == 1
        expected |= others
    acting = {(cell, edge) for _, cell, edge, _ in pending(game) if cell != RING_LAST}
    assert acting == {(c, e) for c, e in expected if edges(*workers[c][1:3])[e]}
    assert len(acting) == 3


def test_edges_without_workers_do_nothing(table):
    game = hub(table, "plantation1", 0, 0)
    assert {cell for _, cell, edge, _ in pending(game) if (cell, edge) == ((0, 1), EAST)} == set()
    assert all(move[1:3] != ((1, 2), NORTH) for move in game.legal_moves())
    assert refuses(game, ("act", (1, 2), NORTH, 0))


def test_edges_at_a_temple_do_nothing(table):
    game = hub(table, "temple", 1, 1)
    assert pending(game) == [(1, (1, 2), WEST, 1)]
    assert refuses(game, ("act", (1, 2), NORTH, 0))
    assert refuses(game, ("act", (1, 2), NORTH, 1))


@pytest.mark.parametrize(
    "move",
    [
        ("act", (0, 0), WEST, 1),  # the plantation's own cell
        ("act", (0, 2), WEST, 1),  # the next cell, empty
        ("act", (1, 2), WEST, 1),  # no tile lies there
        ("act", (0, 1), NORTH, 1),  # nothing to the north
        ("act", (0, 1), 4, 1),
    ],
)
def test_only_an_edge_of_a_tile_can_act(table, move):
    game = start(table, 2, [["1111"]])
    place(game, "1111", (0, 1))
    assert refuses(game, move)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(31, 34))
def test_every_worker_is_activated_exactly_once(table, num_players, seed):
    """Every edge with workers at a jungle tile has acted once by the end, each layer for itself."""
    game = table(*shuffled_deal(num_players, seed))
    choose = at_random(seed)
    acted = Counter()

    def watch(game, moves):
        move = choose(game, moves)
        if move[0] == "act":
            acted[move[1], move[2]] += 1
        return move

    play_out(game, watch)
    position = game.position()
    expected = Counter()
    for cell, (_, tile, rotation, under) in position["workers"].items():
        for layer in [(tile, rotation), under] if under else [(tile, rotation)]:
            for edge, near in enumerate(beside(cell)):
                if edges(*layer)[edge] and position["jungle"].get(near, ("temple",))[0] != "temple":
                    expected[cell, edge] += 1
    assert acted == expected
    assert len(acted) > TURNS[num_players]


# --- who, and in which order ----------------------------------------------------------------


def test_the_active_player_acts_first_and_then_the_others_clockwise(table):
    """[R3] The second of three players is active; the third acts before the first."""
    hands = [["1111", "1111"], ["1111", "1111"], ["1111"]]
    game = start(table, 3, hands, ["market4", "water", "sun", "plantation2"])
    turn(game, "1111", (-1, 0))
    turn(game, "1111", (1, 0))
    turn(game, "1111", (1, 2))
    turn(game, "1111", (2, 1), fills=[("market4", (2, 0)), ("water", (2, 2))])
    place(game, "1111", (0, 1))
    fill(game, "sun", (-1, 1))
    fill(game, "plantation2", (0, 2))
    assert {entry[0] for entry in pending(game)} == {0, 1, 2}
    order = []
    while game.phase == "act":
        order.append(game.player)
        assert all(
            (game.player, *move[1:3]) in {entry[:3] for entry in pending(game)}
            for move in game.legal_moves()
        )
        game.play(max(game.legal_moves()))
    assert order == [1, 1, 1, 1, 2, 0]
    assert (game.player, game.turn) == (2, 5)
    assert holdings(game, 2) == (0, 2, 0, -10)
    assert holdings(game, 0) == (0, 0, 1, -10)


def test_any_of_a_players_edges_may_act_first(table):
    """All edges of the player are offered with every number of workers, then those that remain."""
    game = start(table, 2, [["2101"]])
    place(game, "2101", (0, 1), 3)
    south = [("act", (0, 1), SOUTH, workers) for workers in (0, 1)]
    west = [("act", (0, 1), WEST, workers) for workers in (0, 1, 2)]
    offer = sorted(game.legal_moves())
    assert [move for move in offer if move[2] == WEST] == west
    assert {move[2] for move in offer} == {SOUTH, WEST}
    act(game, (0, 1), WEST, 2)
    assert sorted(game.legal_moves()) == south


@pytest.mark.parametrize(("first", "gold", "cacao"), [(WEST, 2, 0), (SOUTH, 0, 1)])
def test_the_order_of_the_edges_is_free_and_matters(table, first, gold, cacao):
    """Picking before selling brings a sale; the other way round the market finds nothing."""
    game = start(table, 2, [["1111"]])
    place(game, "1111", (0, 1))
    for edge in (first, SOUTH + WEST - first):
        game.play(max(move for move in game.legal_moves() if move[2] == edge))
    assert holdings(game, 0) == (gold, cacao, 0, -10)


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("kind", "field", "values"),
    [
        ("plantation1", "cacao", [0, 1, 2, 3]),
        ("plantation2", "cacao", [0, 2, 4, 5]),
        ("mine1", "gold", [0, 1, 2, 3]),
        ("mine2", "gold", [0, 2, 4, 6]),
        ("water", "water", [-10, -4, -1, 0]),
        ("sun", "sun", [0, 1, 2, 3]),
    ],
)
def test_an_edge_is_used_with_any_number_of_its_workers(table, kind, field, values, workers):
    """On the active player's new tile; what each kind of jungle tile gives to a worker."""
    game = hub(table, kind, 0, 3, more=["temple"])
    before = game.position()
    other = holdings(game, 0)
    offer = [move for move in offered(game, "act") if move[2] == NORTH]
    assert offer == [("act", (1, 2), NORTH, number) for number in range(4)]
    act(game, (1, 2), NORTH, workers)
    after = game.position()
    for name in ("gold", "cacao", "sun", "water"):
        expected = values[workers] if name == field else before[name][1]
        assert after[name][1] == expected
    assert holdings(game, 0) == other


def test_an_edge_acts_once_and_its_idle_workers_are_lost(table):
    game = hub(table, "mine1", 0, 3)
    assert {move[2] for move in game.legal_moves()} == {NORTH, WEST}  # the turn stays open
    act(game, (1, 2), NORTH, 1)
    assert refuses(game, ("act", (1, 2), NORTH, 2))
    assert all(entry[2] != NORTH for entry in pending(game))


@pytest.mark.parametrize("workers", [-1, 3])
def test_no_more_workers_act_than_there_are(table, workers):
    assert refuses(hub(table, "mine1", 0, 2), ("act", (1, 2), NORTH, workers))
