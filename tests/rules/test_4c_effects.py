"""Section 4 of the rules page, step C continued: what an acting worker brings, and the limits."""

import pytest

from tests.rules.scenario import *


def with_cacao(table, cacao, kind):
    """The first player holds some cacao and has put three workers before a hub of that kind.

    The turn is open: only the new tile's edge at the hub and one at (1, 3) can act.
    """
    game = start(table, 2, [["3001", "3100"], ["1111"]], [kind, "temple", "water"])
    place(game, "3001", (0, 1), 3)  # three workers at the plantation, one at the market
    act(game, (0, 1), WEST, cacao)
    play_forced(game)
    place(game, "1111", (1, 2))
    fill(game, kind, HUB)
    play_forced(game)
    place(game, "3100", (0, 3), 3)  # three workers at the hub, none to the south
    fill(game, "temple", (1, 3))
    assert holdings(game, 0) == (0, cacao, 0, -10)
    return game


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
@pytest.mark.parametrize("price", [2, 3, 4])
def test_a_market_buys_one_cacao_from_each_acting_worker_at_its_price(table, price, workers):
    game = with_cacao(table, 3, f"market{price}")
    act(game, (0, 3), WEST, workers)
    assert holdings(game, 0) == (workers * price, 3 - workers, 0, -10)


@pytest.mark.parametrize("cacao", [0, 1, 2])
def test_nobody_sells_more_than_is_stored(table, cacao):
    game = with_cacao(table, cacao, "market3")
    game.play(max(move for move in offered(game, "act") if move[1:3] == ((0, 3), WEST)))
    assert holdings(game, 0) == (3 * cacao, 0, 0, -10)


@pytest.mark.parametrize(
    ("stored", "kind", "workers", "then"),
    [
        (3, "plantation1", 1, 4),
        (3, "plantation1", 2, 5),
        (3, "plantation1", 3, 5),
        (3, "plantation2", 1, 5),
        (2, "plantation2", 2, 5),
        (0, "plantation2", 3, 5),
        (2, "plantation2", 1, 4),
    ],
)
def test_cacao_beyond_five_is_lost(table, stored, kind, workers, then):
    """The last worker may bring a half load: four and two make five."""
    game = with_cacao(table, stored, kind)
    act(game, (0, 3), WEST, workers)
    assert holdings(game, 0) == (0, then, 0, -10)


def test_a_fourth_sun_token_is_lost(table):
    game = hub(table, "sun", 2, 0)
    act(game, (1, 2), WEST, 0)
    act(game, (0, 1), EAST, 2)
    place(game, "3100", (0, 3), 3)
    fill(game, game.position()["display"][0], (1, 3))
    act(game, (0, 3), WEST, 3)
    assert holdings(game, 0) == (0, 0, 3, -10)


@pytest.mark.parametrize(
    ("workers", "values"),
    [
        ((1, 2, 2, 3), (-4, 0, 4, 16)),
        ((2, 2, 3, 1), (-1, 2, 11, 16)),
        ((1, 1, 1, 1), (-4, -1, 0, 2)),
        ((3, 3, 2, 2), (0, 7, 16, 16)),
        ((2, 2, 3, 3), (-1, 2, 11, 16)),
        ((0, 3, 2, 1), (-10, 0, 4, 7)),
    ],
)
def test_the_carrier_moves_one_field_a_worker_and_stops_at_sixteen(table, workers, values):
    """One player's tiles on all four sides of the water; the first waits for the second."""
    spare = iter(["3001", "3100"])
    tiles = [next(spare) if number == 3 else TILE[number] for number in workers]
    game = start(table, 2, [tiles], ["water", "temple"])
    due = [[], [0, 1], [2], [3]]
    elsewhere = [(0, -1), (1, 0), (1, -2), (2, -1)]
    seen = []
    for number in range(4):
        cell, edge = HUB_SIDES[number]
        place(game, tiles[number], cell, turned(tiles[number], edge, workers[number]))
        fill_hub(game, "water")
        assert number == 0 or game.position()["jungle"][HUB] == ("water", 0)
        for side in due[number]:
            if workers[side]:
                act(game, *HUB_SIDES[side], workers[side])
            seen.append(game.position()["water"][0])
        if game.player == 0:
            play_forced(game)
        lay(game, [elsewhere[number]])
    assert tuple(seen) == values
    assert game.position()["water"][1] == -10
