"""Section 4 of the rules page, step C continued: what an acting worker brings, and the limits."""

import pytest

from tests.rules.scenario import (
    EAST,
    HUB,
    NORTH,
    SOUTH,
    TILE,
    WEST,
    act,
    at_random,
    beside,
    fill,
    holdings,
    hub,
    lay,
    offered,
    place,
    play_forced,
    play_out,
    shuffled_deal,
    start,
    turned,
)


def act_most(game, cell, edge):
    """As many workers of an edge as may."""
    game.play(max(move for move in offered(game, "act") if move[1:3] == (cell, edge)))


def with_cacao(table, cacao, kind, more=("temple", "water")):
    """The first player holds some cacao and has put three workers before a hub of that kind.

    The turn is open: only the new tile's edge at the hub and one at (1, 3) can act.
    """
    game = start(table, 2, [["3001", "3100"], ["1111"]], [kind, *more])
    place(game, "3001", (0, 1), 3)  # three workers at the plantation, one at the market
    act(game, (0, 1), WEST, cacao)
    play_forced(game)
    place(game, "1111", (1, 2))
    fill(game, kind, HUB)
    play_forced(game)
    place(game, "3100", (0, 3), 3)  # three workers at the hub, none to the south
    fill(game, more[0], (1, 3))
    assert holdings(game, 0) == (0, cacao, 0, -10)
    return game


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
@pytest.mark.parametrize("price", [2, 3, 4])
def test_a_market_buys_one_cacao_from_each_acting_worker_at_its_price(table, price, workers):
    game = with_cacao(table, 3, f"market{price}")
    act(game, (0, 3), WEST, workers)
    assert holdings(game, 0) == (workers * price, 3 - workers, 0, -10)


def test_the_start_market_pays_two(table):
    game = start(table, 2, [["3001"]])
    place(game, "3001", (0, 1), 3)
    act(game, (0, 1), WEST, 3)
    act(game, (0, 1), SOUTH, 1)
    assert holdings(game, 0) == (2, 2, 0, -10)


@pytest.mark.parametrize("cacao", [0, 1, 2])
def test_nobody_sells_more_than_is_stored(table, cacao):
    game = with_cacao(table, cacao, "market3")
    act_most(game, (0, 3), WEST)
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


@pytest.mark.parametrize(("first", "cacao"), [(EAST, 5), (NORTH, 4)])
def test_a_full_storage_has_room_again_after_a_sale(table, first, cacao):
    """Selling first keeps the new fruit, picking first loses it."""
    game = with_cacao(table, 3, "plantation2")
    act(game, (0, 3), WEST, 1)
    lay(game, [(1, 4)])
    assert holdings(game, 0) == (0, 5, 0, -10)
    place(game, "1111", (1, 0))  # the start plantation to the north, the market to the east
    act(game, (1, 0), first, 1)
    act(game, (1, 0), EAST - first, 1)
    assert holdings(game, 0) == (2, cacao, 0, -10)


def test_a_fourth_sun_token_is_lost(table):
    game = hub(table, "sun", 2, 0)
    act(game, (1, 2), WEST, 0)
    act(game, (0, 1), EAST, 2)
    place(game, "3100", (0, 3), 3)
    fill(game, game.position()["display"][0], (1, 3))
    act(game, (0, 3), WEST, 3)
    assert holdings(game, 0) == (0, 0, 3, -10)


def test_three_sun_tokens_stay_three(table):
    game = hub(table, "sun", 3, 0)
    act(game, (1, 2), WEST, 0)
    act(game, (0, 1), EAST, 3)
    assert holdings(game, 0) == (0, 0, 3, -10)
    place(game, "1111", (0, 3))
    fill(game, game.position()["display"][0], (1, 3))
    act(game, (0, 3), WEST, 1)
    assert holdings(game, 0) == (0, 0, 3, -10)


def test_the_storage_and_the_tokens_of_another_player_do_not_count(table):
    """The limits are each player's own: both fill up at one hub."""
    game = hub(table, "sun", 3, 3)
    play_forced(game, "all")
    assert holdings(game, 0)[2] == 3
    assert holdings(game, 1)[2] == 3


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
    sides = [((0, 1), EAST), ((1, 2), NORTH), ((0, 3), WEST), ((-1, 2), SOUTH)]
    due = [[], [0, 1], [2], [3]]
    elsewhere = [(0, -1), (1, 0), (1, -2), (2, -1)]
    seen = []
    for number in range(4):
        cell, edge = sides[number]
        place(game, tiles[number], cell, turned(tiles[number], edge, workers[number]))
        while game.phase == "fill":
            water = ("fill", "water", 0, HUB)
            game.play(water if water in game.legal_moves() else min(game.legal_moves()))
        assert number == 0 or game.position()["jungle"][HUB] == ("water", 0)
        for side in due[number]:
            if workers[side]:
                act(game, *sides[side], workers[side])
            seen.append(game.position()["water"][0])
        if game.player == 0:
            play_forced(game)
        lay(game, [elsewhere[number]])
    assert tuple(seen) == values
    assert game.position()["water"][1] == -10


def test_an_action_touches_nobody_else(table):
    """Both players act at the hub; each gets what the own workers bring."""
    game = hub(table, "mine2", 2, 1)
    act(game, (1, 2), WEST, 0)
    act(game, (1, 2), NORTH, 1)
    assert (holdings(game, 0)[0], holdings(game, 1)[0]) == (0, 2)
    act(game, (0, 1), EAST, 2)
    assert (holdings(game, 0)[0], holdings(game, 1)[0]) == (4, 2)


@pytest.mark.parametrize("seed", [81, 82, 83])
def test_gold_is_paid_in_full_however_much_is_out_already(table, seed):
    """[R1] Every sale and every find of a game of four, all workers at work, is booked in full.

    Games end far below the worth of all coins in the box, so these do not go beyond it.
    """
    game = table(*shuffled_deal(4, seed))
    choose = at_random(seed)
    due = []

    def watch(game, moves):
        position = game.position()
        if due:
            assert list(position["gold"]) == due.pop()
        if game.phase != "act":
            return choose(game, moves)
        # Picking comes before selling: the kinds of tiles happen to sort backwards for that.
        faced = {move: position["jungle"][beside(move[1])[move[2]]][0] for move in moves}
        move = max(moves, key=lambda move: (faced[move], move[3], move))
        gold = list(position["gold"])
        if faced[move].startswith("market"):
            sold = min(move[3], position["cacao"][game.player])
            gold[game.player] += sold * int(faced[move][-1])
        if faced[move].startswith("mine"):
            gold[game.player] += move[3] * int(faced[move][-1])
        due.append(gold)
        return move

    play_out(game, watch)
    assert sum(game.position()["gold"]) >= 40
