"""Hand-computed checks of the reference implementation: overbuilding, scoring, the end."""

from __future__ import annotations

import copy
import random

import pytest

from tests.reference.box import beside
from tests.reference.oracle import Oracle
from tests.reference.styles import choose_move
from tests.reference.test_oracle import new_game, small_table

# Overbuilding.


def overbuild_table() -> Oracle:
    game = small_table({(0, 0): "sun", (1, 1): "temple"}, ["2101"], sun=[1, 1])
    game.workers = {
        (0, 1): (0, "1111", 0, None),
        (1, 0): (1, "1111", 0, None),
        (-1, 0): (0, "1111", 0, ("1111", 0)),
    }
    return game


def test_overbuilding() -> None:
    game = overbuild_table()
    overbuilds = {move for move in game.legal_moves() if move[0] == "overbuild"}
    assert overbuilds == {("overbuild", "2101", rotation, (0, 1)) for rotation in range(4)}
    assert game.temple_gold() == [3, 3]
    game.play(("overbuild", "2101", 2, (0, 1)))  # 0 north, 1 east, 2 south, 1 west
    assert game.workers[(0, 1)] == (0, "2101", 2, ("1111", 0))
    assert game.sun == [0, 1]
    assert game.position()["pending"] == [(0, (0, 1), 3, 1)]  # the temple in the south is mute
    game.play(("act", (0, 1), 3, 1))
    assert game.sun == [1, 1]
    assert game.temple_gold() == [6, 3]  # only the top tile counts


def test_overbuilding_is_refused() -> None:
    game = overbuild_table()
    for cell, why in [((1, 0), "somebody else"), ((-1, 0), "already"), ((0, -1), "no worker")]:
        with pytest.raises(ValueError, match=why):
            game.play(("overbuild", "2101", 0, cell))
    game.sun = [0, 1]
    with pytest.raises(ValueError, match="no sun token"):
        game.play(("overbuild", "2101", 0, (0, 1)))
    for display, pile in [(["temple"], []), (["temple", "temple"], ["temple"])]:
        game = overbuild_table()
        game.display = display
        game.jungle_pile = pile
        with pytest.raises(ValueError, match="empty"):
            game.play(("overbuild", "2101", 0, (0, 1)))


# Scoring.


@pytest.mark.parametrize(
    ("present", "gold"),
    [
        ((3, 1, 0, 0), (6, 3, 0, 0)),
        ((2, 2, 1, 0), (3, 3, 0, 0)),
        ((1, 1, 1, 0), (2, 2, 2, 0)),
        ((1, 1, 1, 1), (1, 1, 1, 1)),
        ((2, 1, 1, 0), (6, 1, 1, 0)),
        ((3, 1, 1, 1), (6, 1, 1, 1)),
        ((0, 2, 0, 0), (0, 6, 0, 0)),
        ((0, 0, 0, 0), (0, 0, 0, 0)),
        ((1, 2, 3, 1), (0, 3, 6, 0)),
    ],
)
def test_temples(present: tuple, gold: tuple) -> None:
    game = small_table({(0, 0): "temple"}, [], 4)
    for seat, workers in enumerate(present):
        tile = {0: "3001", 1: "3100", 2: "2101", 3: "3001"}[workers]
        edge_of_digit = {0: 1, 1: 1, 2: 0, 3: 0}[workers]  # which digit is to face the temple
        facing = (seat + 2) % 4
        game.workers[beside((0, 0), seat)] = (seat, tile, (facing - edge_of_digit) % 4, None)
    assert game.temple_gold() == list(gold)


def test_one_player_on_two_sides_of_a_temple() -> None:
    game = small_table({(0, 0): "temple"}, [], 3)
    game.workers = {
        (-1, 0): (0, "1111", 0, None),
        (0, 1): (0, "2101", 3, None),  # 2 west
        (1, 0): (1, "2101", 0, None),  # 2 north
        (0, -1): (2, "2101", 0, None),  # 1 east
    }
    assert game.temple_gold() == [6, 3, 0]


def test_winners() -> None:
    game = small_table({}, [], 3, gold=[20, 9, 19], sun=[0, 1, 1], water_step=[3, 6, 3])
    result = game.scores_if_ended_now()
    assert result["scores"] == [20, 17, 20]
    assert result["water"] == [0, 7, 0]
    assert result["winners"] == [0, 2]
    game.cacao = [1, 5, 2]
    assert game.scores_if_ended_now()["winners"] == [2]


def test_the_end() -> None:
    game = new_game(4, True, 7)
    rng = random.Random(7)
    hand_sizes = []
    while game.player is not None:
        with pytest.raises(ValueError, match="not over"):
            game.result()
        if game.phase == "place" and game.player == 3:
            hand_sizes.append(len(game.hands[3]))
        game.play(choose_move(game, "random", rng))
    assert hand_sizes == [3, 3, 3, 3, 3, 3, 3, 2, 1]
    assert (game.phase, game.turn, game.legal_moves()) == ("over", 36, [])
    assert game.result() == game.scores_if_ended_now()
    with pytest.raises(ValueError, match="over"):
        game.play(("act", (0, 1), 0, 0))


@pytest.mark.parametrize("seed", range(6))
def test_illegal_moves_change_nothing(seed: int) -> None:
    game = new_game(2 + seed % 3, seed % 2 == 0, seed)
    rng = random.Random(seed)
    kinds = ["place", "overbuild", "fill", "act", "", None]
    while game.player is not None:
        legal = game.legal_moves()
        assert len(set(legal)) == len(legal) > 0
        before = copy.deepcopy(game.position())
        for _ in range(5):
            move = list(rng.choice(legal))
            move[rng.randrange(4)] = rng.choice(
                [*kinds, 0, 1, -1, 9, (0, 1), (0, 0), [0, 1], "1111"]
            )
            if tuple(move) not in legal:
                with pytest.raises(ValueError, match=r"\.$"):
                    game.play(tuple(move))
        assert game.position() == before
        game.play(rng.choice(legal))
