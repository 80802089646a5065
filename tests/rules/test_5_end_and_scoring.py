"""Section 5 of the rules page: when the game ends, and what counts."""

import pytest

from tests.rules.scenario import *


def before_a_temple(table, num_players, counts):
    """The players in turn put tiles around one temple, so many workers facing it."""
    tiles = [TILE[count] for count in counts]
    hands = [tiles[player::num_players] for player in range(num_players)]
    game = start(table, num_players, hands, ["temple", "water", "water"])
    for number, ((cell, edge), count) in enumerate(zip(HUB_SIDES, counts, strict=False)):
        place(game, tiles[number], cell, turned(tiles[number], edge, count))
        fill_hub(game, "temple")
        if game.turn == number:
            play_forced(game)
    assert game.position()["jungle"][HUB] == ("temple", 0)
    return game


def temples(game):
    return list(game.scores_if_ended_now()["temples"])


def picked(table, fruits):
    """Nothing has happened, except that players have taken so many fruits (3 at most)."""
    cells = [((-1, 0), SOUTH), ((0, -1), EAST), ((1, 0), NORTH)]
    hands = [["3001"]] * len(fruits)
    game = start(table, len(fruits), hands, ["water", "water", "mine2"])
    for player, (cell, edge) in enumerate(cells[: len(fruits)]):
        place(game, "3001", cell, turned("3001", edge, 3))
        while game.phase == "fill":
            game.play(max(game.legal_moves()))
        act(game, cell, edge, fruits[player])
        if game.turn == player:
            play_forced(game)
    assert list(game.position()["cacao"]) == list(fruits)
    assert list(game.position()["gold"]) == [0] * len(fruits)
    return game


# --- the end --------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_players", "turns"), [(2, 22), (3, 30), (4, 36)])
@pytest.mark.parametrize("seed", [51, 52])
def test_the_game_ends_when_everybody_has_placed_the_last_tile(table, num_players, turns, seed):
    game = table(*shuffled_deal(num_players, seed))
    play_out(game, at_random(seed), until=lambda game: game.turn == turns - 1)
    position = game.position()
    assert game.player == num_players - 1
    assert [len(hand) for hand in position["hands"]] == [0] * (num_players - 1) + [1]
    play_out(game, at_random(seed))
    assert (game.turn, game.phase, game.player) == (turns, "over", None)
    position = game.position()
    assert not any(position["hands"])
    assert not any(position["piles"])


def test_the_last_turn_is_played_to_its_end(table):
    """The last tile picks a fruit and sells it: the game is not over before that."""
    game = start(table, 2)
    elsewhere = by_cell(lambda position, cell: cell == (0, 1), seldom=("1111",))
    play_out(game, elsewhere, until=lambda game: game.turn == 21)
    before = game.scores_if_ended_now()
    place(game, "1111", (0, 1))
    assert left_to_draw(game.position()) == 0
    assert (game.phase, game.turn, game.player) == ("act", 21, 1)
    act(game, (0, 1), WEST, 1)
    act(game, (0, 1), SOUTH, 1)
    play_forced(game)
    assert (game.phase, game.turn, game.player) == ("over", 22, None)
    assert game.result()["gold"][1] == before["gold"][1] + 2


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_after_the_end_nothing_can_be_played(table, num_players):
    game = table(*shuffled_deal(num_players, 53))
    last = []

    def watch(game, moves):
        last[:] = [at_random(game.turn)(game, moves)]
        return last[0]

    play_out(game, watch)
    assert list(game.legal_moves()) == []
    assert refuses(game, last[0])
    assert refuses(game, ("place", "1111", 0, (0, 1)))


# --- temples --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_players", "counts", "gold"),
    [
        (4, (3, 2, 1, 0), (6, 3, 0, 0)),
        (4, (0, 1, 2, 3), (0, 0, 3, 6)),
        (4, (1, 3, 0, 2), (0, 6, 0, 3)),
        (4, (2, 0, 0, 0), (6, 0, 0, 0)),  # alone: no second prize is paid
        (4, (0, 0, 0, 0), (0, 0, 0, 0)),  # nobody scores without workers
        (4, (2, 2, 1, 1), (3, 3, 0, 0)),  # no second prize after a shared first
        (4, (1, 2, 0, 2), (0, 3, 0, 3)),
        (4, (3, 0, 3, 3), (2, 0, 2, 2)),
        (4, (1, 1, 1, 1), (1, 1, 1, 1)),  # six among four, rounded down
        (4, (1, 0, 2, 1), (1, 0, 6, 1)),  # three among two, rounded down
        (4, (2, 2, 3, 2), (1, 1, 6, 1)),
        (4, (3, 2, 2, 1), (6, 1, 1, 0)),
        (3, (2, 1, 2), (3, 0, 3)),
        (3, (1, 3, 1), (1, 6, 1)),
        (2, (2, 1), (6, 3)),
        (2, (2, 2), (3, 3)),
        (2, (0, 1), (0, 6)),
        (2, (1, 2, 1), (3, 3)),  # the workers of all tiles of a player count together
        (2, (2, 3, 2), (6, 3)),
        (2, (1, 2, 0, 2), (3, 6)),
        (2, (1, 0, 1, 0), (6, 0)),  # two tiles of one player: no second prize for oneself
    ],
)
def test_a_temple_pays_six_and_three_shared_and_rounded_down(table, num_players, counts, gold):
    assert temples(before_a_temple(table, num_players, counts)) == list(gold)


def test_each_temple_is_scored_by_itself(table):
    """One worker to two at one, three to one at the other: not four to three at both."""
    game = start(table, 2, [["1111", "3001"], ["2101"]], ["temple", "water", "temple", "temple"])
    place(game, "1111", (0, 1))
    play_forced(game)
    place(game, "2101", (1, 2))  # two to the north, one to the east
    fill(game, "temple", HUB)
    play_forced(game)
    assert temples(game) == [3, 6]
    place(game, "3001", (0, 3), 2)  # none to the west, three to the south
    fill(game, "temple", (1, 3))
    play_forced(game)
    assert temples(game) == [9, 9]


def test_a_temple_pays_nothing_before_the_end(table):
    game = before_a_temple(table, 3, (3, 2, 1))
    assert list(game.position()["gold"]) == [0, 0, 0]
    assert list(game.scores_if_ended_now()["gold"]) == [0, 0, 0]
    assert list(game.scores_if_ended_now()["scores"]) == [-4, -7, -10]


# --- tokens, water, cacao -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "workers", "field", "values"),
    [
        ("sun", 2, "sun", [0, 2]),
        ("sun", 3, "sun", [0, 3]),
        ("water", 0, "water", [-10, -10]),
        ("water", 1, "water", [-10, -4]),
        ("water", 3, "water", [-10, 0]),
        ("mine2", 3, "gold", [0, 6]),
        ("plantation2", 3, "cacao", [0, 5]),  # leftover cacao is worth nothing
    ],
)
def test_gold_tokens_and_water_count_below_zero_too(table, kind, workers, field, values):
    game = hub(table, kind, 0, 3)
    act(game, (1, 2), NORTH, workers)
    play_forced(game)
    told = game.scores_if_ended_now()
    assert list(told[field]) == values
    worth = [told["gold"][seat] + told["sun"][seat] + told["water"][seat] for seat in (0, 1)]
    assert list(told["scores"]) == worth


# --- the winner -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fruits", "best"),
    [
        ((0, 0), [0, 1]),
        ((1, 0), [0]),
        ((1, 3), [1]),
        ((2, 2), [0, 1]),
        ((2, 2, 1), [0, 1]),
        ((1, 2, 2), [1, 2]),
        ((2, 1, 2), [0, 2]),
        ((0, 0, 0), [0, 1, 2]),
        ((1, 2, 3), [2]),
    ],
)
def test_equal_scores_are_told_apart_by_cacao_or_else_win_together(table, fruits, best):
    told = picked(table, fruits).scores_if_ended_now()
    assert set(told["scores"]) == {-10}
    assert told["winners"] == best


def test_cacao_does_not_help_whoever_has_less_gold(table):
    """The first player, three fruits, is out of the tie between nobody: the second leads by one."""
    game = start(table, 2, [["3001"], ["1111"]], ["mine1", "water"])
    place(game, "3001", (0, 1), 3)
    act(game, (0, 1), WEST, 3)
    play_forced(game)
    place(game, "1111", (1, 2))
    fill(game, "mine1", HUB)
    act(game, (1, 2), NORTH, 1)
    play_forced(game)
    told = game.scores_if_ended_now()
    assert (told["scores"], told["winners"]) == ([-10, -9], [1])
