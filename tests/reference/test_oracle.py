"""Hand-computed checks of the reference implementation itself."""

from __future__ import annotations

import random

import pytest

from tests.reference.box import beside, workers_on_edge
from tests.reference.oracle import Oracle, deal


def new_game(num_players: int = 2, volcanoes: bool = False, seed: int = 1) -> Oracle:
    return Oracle(num_players, volcanoes, *deal(num_players, volcanoes, random.Random(seed)))


def small_table(jungle: dict, hand: list[str], num_players: int = 2, **changes) -> Oracle:
    """A game whose table holds just these jungle tiles, player 0 to place from this hand.

    No jungle tiles are left unless changes say otherwise (attribute = value).
    """
    game = new_game(num_players)
    game.jungle = {cell: (kind, 0) for cell, kind in jungle.items()}
    game.hands[0] = list(hand)
    game.display = []
    game.jungle_pile = []
    for name, value in changes.items():
        setattr(game, name, value)
    return game


def acts(game: Oracle) -> list[tuple]:
    return [move for move in game.legal_moves() if move[0] == "act"]


# Tiles and supply.


def test_turned_tiles() -> None:
    # 3001 turned clockwise once: the 3 looks east, the 1 before it north.
    assert [workers_on_edge("3001", 1, edge) for edge in range(4)] == [1, 3, 0, 0]
    assert [workers_on_edge("3100", 3, edge) for edge in range(4)] == [1, 0, 0, 3]
    assert [workers_on_edge("2101", 2, edge) for edge in range(4)] == [0, 1, 2, 1]


@pytest.mark.parametrize(("players", "workers", "jungle"), [(2, 11, 19), (3, 10, 26), (4, 9, 26)])
@pytest.mark.parametrize("volcanoes", [False, True])
def test_supply_sizes(players: int, workers: int, jungle: int, volcanoes: bool) -> None:
    worker_draws, jungle_draws = deal(players, volcanoes, random.Random(0))
    assert [len(tiles) for tiles in worker_draws] == [workers] * players
    assert len(jungle_draws) == jungle
    volcano_tiles = (2 if players == 2 else 3) if volcanoes else 0
    assert jungle_draws.count("volcano") == volcano_tiles
    mines = jungle_draws.count("mine1") + jungle_draws.count("mine2")
    assert mines == (0 if volcanoes else (2 if players == 2 else 3))


def test_wrong_supply_is_refused() -> None:
    worker_draws, jungle_draws = deal(3, False, random.Random(0))
    with pytest.raises(ValueError, match="mine1"):
        Oracle(3, True, worker_draws, jungle_draws)
    with pytest.raises(ValueError, match="instead of 4"):
        Oracle(4, False, worker_draws, jungle_draws)
    with pytest.raises(ValueError, match="Player 1 has 4 worker tiles 1111 instead of 3"):
        Oracle(3, False, [worker_draws[0], [*worker_draws[1], "1111"], worker_draws[2]], [])
    with pytest.raises(ValueError, match="temple"):
        Oracle(3, False, worker_draws, [*jungle_draws, "temple"])


def test_opening() -> None:
    game = new_game()
    game.hands[0] = ["1111", "1111", "2101"]
    cells = {(-1, 0), (0, -1), (1, 0), (0, 1), (1, 2), (2, 1)}
    expected = {("place", "1111", 0, cell) for cell in cells}
    expected |= {("place", "2101", rotation, cell) for rotation in range(4) for cell in cells}
    assert len(game.legal_moves()) == 30
    assert set(game.legal_moves()) == expected
    assert (game.player, game.phase, game.turn) == (0, "place", 0)
    assert game.position()["water"] == [-10, -10]


# Actions.


def test_plantation_before_market() -> None:
    # 2101 turned twice on (0, 1): north 0, east 1, south 2 on the market, west 1 on the plantation.
    game = new_game()
    game.hands[0] = ["2101"]
    game.play(("place", "2101", 2, (0, 1)))
    assert game.phase == "act"
    assert game.position()["pending"] == [(0, (0, 1), 2, 2), (0, (0, 1), 3, 1)]
    assert set(game.legal_moves()) == {
        ("act", (0, 1), 2, 0),
        ("act", (0, 1), 2, 1),
        ("act", (0, 1), 2, 2),
        ("act", (0, 1), 3, 0),
        ("act", (0, 1), 3, 1),
    }
    game.play(("act", (0, 1), 3, 1))
    assert game.cacao == [1, 0]
    game.play(("act", (0, 1), 2, 2))
    assert game.cacao == [0, 0]
    assert game.gold == [2, 0]
    assert (game.player, game.phase, game.turn) == (1, "place", 1)
    assert len(game.hands[0]) == 1  # one drawn


@pytest.mark.parametrize(
    ("kind", "start", "workers", "end"),
    [
        ("plantation1", 0, 3, 3),
        ("plantation1", 4, 3, 5),
        ("plantation2", 0, 2, 4),
        ("plantation2", 0, 3, 5),
        ("plantation2", 5, 1, 5),
        ("plantation2", 2, 0, 2),
    ],
)
def test_cacao_is_capped(kind: str, start: int, workers: int, end: int) -> None:
    game = small_table({(0, 0): kind}, ["3001"], cacao=[start, 0])
    game.play(("place", "3001", 0, (1, 0)))
    game.play(("act", (1, 0), 0, workers))
    assert game.cacao == [end, 0]


@pytest.mark.parametrize(
    ("kind", "cacao", "workers", "gold"),
    [("market2", 5, 3, 6), ("market3", 2, 3, 6), ("market4", 5, 1, 4), ("market4", 0, 3, 0)],
)
def test_market(kind: str, cacao: int, workers: int, gold: int) -> None:
    game = small_table({(0, 0): kind}, ["3001"], cacao=[cacao, 0])
    game.play(("place", "3001", 0, (1, 0)))
    assert len(acts(game)) == 4  # 0 to 3 workers, however much cacao there is
    game.play(("act", (1, 0), 0, workers))
    assert game.gold == [gold, 0]
    assert game.cacao == [max(0, cacao - workers), 0]


def test_water_runs_up_to_sixteen_and_stays() -> None:
    values = []
    for steps in range(12):
        game = small_table({(0, 0): "water"}, ["3001"], water_step=[max(0, steps - 3), 0])
        game.play(("place", "3001", 0, (1, 0)))
        game.play(("act", (1, 0), 0, min(steps, 3)))
        values.append(game.position()["water"][0])
    assert values == [-10, -4, -1, 0, 2, 4, 7, 11, 16, 16, 16, 16]


def test_mines_and_sun() -> None:
    for kind, gold in [("mine1", 3), ("mine2", 6)]:
        game = small_table({(0, 0): kind}, ["3001"])
        game.play(("place", "3001", 0, (1, 0)))
        game.play(("act", (1, 0), 0, 3))
        assert game.gold == [gold, 0]
    game = small_table({(0, 0): "sun"}, ["3001"], sun=[1, 0])
    game.play(("place", "3001", 0, (1, 0)))
    game.play(("act", (1, 0), 0, 3))
    assert game.sun == [3, 0]


def test_temples_and_bare_edges_do_not_act() -> None:
    game = small_table({(0, 0): "temple", (1, 1): "mine1"}, ["3100"])
    game.play(("place", "3100", 0, (1, 0)))  # 3 at the temple, 1 at the mine
    assert game.position()["pending"] == [(0, (1, 0), 1, 1)]
    game = small_table({(0, 0): "mine1"}, ["3100"])
    game.play(("place", "3100", 2, (1, 0)))  # no workers at the mine
    assert game.turn == 1


def test_volcano_edges() -> None:
    # North and south of the volcano pay -1 with orientation 0, and give 2 with orientation 1.
    for orientation, edge, gold in [(0, 0, 7), (0, 1, 16), (0, 2, 7), (0, 3, 16)] + [
        (1, 0, 16),
        (1, 1, 7),
        (1, 2, 16),
        (1, 3, 7),
    ]:
        game = small_table({}, ["3001"], gold=[10, 0])
        game.jungle = {(0, 0): ("volcano", orientation)}
        cell = beside((0, 0), edge)
        game.play(("place", "3001", (edge + 2) % 4, cell))  # the 3 looks at the volcano
        assert game.legal_moves() == [("act", cell, (edge + 2) % 4, 3)]
        game.play(game.legal_moves()[0])
        assert game.gold == [gold, 0]


def test_volcano_is_paid_as_far_as_gold_goes_and_when_the_owner_likes() -> None:
    def start() -> Oracle:
        game = small_table({(0, 0): "volcano", (1, 1): "mine1"}, ["3100"], gold=[1, 0])
        game.play(("place", "3100", 0, (1, 0)))  # 3 at the volcano's south, 1 at the mine
        return game

    volcano_first = start()
    volcano_first.play(("act", (1, 0), 0, 3))
    assert volcano_first.gold == [0, 0]
    volcano_first.play(("act", (1, 0), 1, 1))
    assert volcano_first.gold == [1, 0]
    mine_first = start()
    mine_first.play(("act", (1, 0), 1, 1))
    mine_first.play(("act", (1, 0), 0, 3))
    assert mine_first.gold == [0, 0]
    with pytest.raises(ValueError, match="all 3 workers"):
        start().play(("act", (1, 0), 0, 2))


# Filling.


def test_filling_activates_the_neighbours_and_the_active_player_acts_first() -> None:
    game = new_game(3)
    game.hands[2] = ["2101"]
    game.display = ["mine2", "temple"]
    game.turns_finished = 2  # player 2 is active
    game.workers = {(0, 1): (1, "3001", 3, None), (-1, 0): (0, "1111", 0, None)}
    game.jungle[(-1, 1)] = ("temple", 0)
    # (1, 2) touches the market (west) and makes (0, 2) one that must be filled (north).
    game.play(("place", "2101", 0, (1, 2)))
    assert game.phase == "fill"
    assert game.position()["to_fill"] == [(0, 2)]
    assert set(game.legal_moves()) == {
        ("fill", "mine2", 0, (0, 2)),
        ("fill", "temple", 0, (0, 2)),
    }
    game.play(("fill", "mine2", 0, (0, 2)))
    # Tile 3001 turned three times: 3 west, 1 south, so 0 east: nobody stands at the new mine.
    assert game.position()["pending"] == [(2, (1, 2), 0, 2), (2, (1, 2), 3, 1)]
    assert game.position()["to_fill"] == []


def test_other_players_act_clockwise_after_the_active_one() -> None:
    game = new_game(3)
    game.hands[1] = ["1111"]
    game.display = ["mine1"]
    game.turns_finished = 1
    game.workers = {(1, 2): (0, "1111", 0, None), (-1, 2): (2, "2101", 2, None)}
    game.jungle[(-1, 3)] = ("temple", 0)
    game.play(("place", "1111", 0, (0, 1)))
    assert game.position()["to_fill"] == [(-1, 1), (0, 2)]
    game.play(("fill", "mine1", 0, (0, 2)))
    # The pile still held tiles, so one is drawn for the other cell; make it a temple.
    game.display = ["temple"]
    game.play(("fill", "temple", 0, (-1, 1)))
    order = []
    while game.phase == "act":
        order.append(game.player)
        game.play(game.legal_moves()[-1])  # with all workers
    assert order == [1, 1, 1, 2, 0]
    assert game.gold[2] == 2  # 2101 turned twice has 2 south
    assert game.gold[0] == 1


def three_cells(display: list[str], pile: list[str]) -> Oracle:
    """Player 0 can place on (0, 1), which touches (0, 0) and three open cells."""
    game = small_table({(0, 0): "mine1"}, ["1111"], display=display, jungle_pile=pile)
    game.workers = {
        (-2, 1): (1, "1111", 0, None),
        (0, 3): (1, "2101", 3, None),  # 2 west
        (2, 1): (0, "1111", 0, None),
    }
    game.play(("place", "1111", 0, (0, 1)))
    return game


def test_third_cell_gets_the_next_tile_of_the_pile() -> None:
    game = three_cells(["sun", "sun"], ["water", "temple", "market3", "mine2"])
    assert game.position()["to_fill"] == [(-1, 1), (0, 2), (1, 1)]
    assert len(game.legal_moves()) == 3  # two equal tiles are one choice
    game.play(("fill", "sun", 0, (0, 2)))
    assert game.position()["display"] == ["sun"]  # not refilled
    game.play(("fill", "sun", 0, (-1, 1)))
    assert game.position()["display"] == ["water"]
    assert game.position()["jungle_pile"] == ["temple", "market3", "mine2"]
    assert game.legal_moves() == [("fill", "water", 0, (1, 1))]
    game.play(("fill", "water", 0, (1, 1)))
    assert game.position()["display"] == []
    assert game.position()["pending"] == [
        (0, (0, 1), 0, 1),
        (0, (0, 1), 1, 1),
        (0, (0, 1), 2, 1),
        (0, (0, 1), 3, 1),
        (0, (2, 1), 0, 1),
        (1, (-2, 1), 2, 1),
        (1, (0, 3), 3, 2),
    ]
    while game.phase == "act":
        game.play(game.legal_moves()[0])
    assert game.position()["display"] == ["market3", "temple"]
    assert game.jungle_pile == ["mine2"]


def test_tiles_run_out() -> None:
    game = three_cells(["sun"], [])
    assert set(game.legal_moves()) == {
        ("fill", "sun", 0, (-1, 1)),
        ("fill", "sun", 0, (0, 2)),
        ("fill", "sun", 0, (1, 1)),
    }
    game.play(("fill", "sun", 0, (1, 1)))
    assert game.phase == "act"
    assert game.position()["to_fill"] == []
    # Only the mine, the new site and the tile on its other side act.
    assert game.position()["pending"] == [
        (0, (0, 1), 2, 1),
        (0, (0, 1), 3, 1),
        (0, (2, 1), 0, 1),
    ]
    game = three_cells(["sun", "temple"], [])
    game.play(("fill", "temple", 0, (0, 2)))
    game.play(("fill", "sun", 0, (1, 1)))
    assert game.phase == "act"


def test_volcano_may_be_placed_either_way() -> None:
    game = three_cells(["volcano"], ["water"])
    game.workers.pop((0, 3))
    game.workers.pop((-2, 1))
    assert game.legal_moves() == [("fill", "volcano", 0, (1, 1)), ("fill", "volcano", 1, (1, 1))]
    game.play(("fill", "volcano", 1, (1, 1)))
    assert game.position()["jungle"][(1, 1)] == ("volcano", 1)
