"""Auto mode skips only what cannot matter.

The property: for every position, the best outcomes of the turn that each player can reach (gold,
cacao, sun tokens, water; more is never worse), and the tables that fills can make, are the same
whether every decision is asked or not.  All continuations are tried.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from cacao_env import Game
from cacao_env.engine.actions import apply, place_id
from cacao_env.engine.decisions import NONE, forced_action, forced_fill, forced_place
from cacao_env.engine.geometry import NEIGHBOR
from cacao_env.engine.rules import begin_actions
from cacao_env.engine.state import ACT, FILL
from cacao_env.engine.tiles import (
    MARKET2,
    PLANTATION1,
    PLANTATION2,
    SUN,
    VOLCANO,
    VOLCANO_TURNED,
    WATER,
)
from tests.adapter import EngineTable
from tests.games import any_game, continuations, game_after, played
from tests.reference.oracle import beside

Outcome = tuple[int, ...]


def in_auto_mode(game: Game) -> Game:
    copy = game.clone()
    copy.state.decisions = 1
    while (action := forced_action(copy.state)) != NONE:
        apply(copy.state, action)
    return copy


def outcome(game: Game, seat: int) -> Outcome:
    state = game.state
    return tuple(int(f[seat]) for f in (state.gold, state.cacao, state.sun, state.water))


def outcomes(start: Game, seat: int, turn: int) -> set[Outcome]:
    """All stocks that the seat can end its actions of this turn with."""
    found: set[Outcome] = set()
    seen: set[Any] = set()
    todo = [start]
    while todo:
        game = todo.pop()
        key = (game.state.pending.tobytes(), outcome(game, seat), game.phase, game.turn)
        if key in seen:
            continue
        seen.add(key)
        if game.state.phase != ACT or game.seat != seat or game.turn != turn:
            found.add(outcome(game, seat))
            continue
        todo += [game_after(game, action) for action in game.legal_actions()]
    return found


def best(found: set[Outcome]) -> set[Outcome]:
    """Those that no other is at least as good as in everything."""
    return {
        one
        for one in found
        if not any(other != one and all(a >= b for a, b in zip(other, one)) for other in found)
    }


def tables(start: Game, turn: int) -> set[bytes]:
    """All tables that the fills of this turn can make."""
    ends = continuations(start, lambda game: game.state.phase != FILL or game.turn != turn)
    return {np.maximum(game.state.board, 0).tobytes() for game in ends}  # the tiles


@given(any_game("explicit"))
def test_the_best_outcomes_are_the_same_with_and_without_skipping(deal):
    for game, rng in deal.positions():
        if game.phase == "fill":
            assert tables(in_auto_mode(game), game.turn) == tables(game, game.turn)
        if game.phase == "act":
            for trial in (game.clone(), with_other_tiles_around(game, rng)):
                compare_all_outcomes(trial, rng)


@pytest.mark.parametrize(
    ("display", "cells", "skipped"),
    [
        ((WATER, 0), 1, True),
        ((0, WATER), 1, True),
        ((WATER, WATER), 1, True),
        ((WATER, SUN), 1, False),
        ((VOLCANO, VOLCANO), 1, False),  # its orientation is a choice
        ((0, VOLCANO), 1, False),
        ((WATER, WATER), 2, True),
        ((WATER, SUN), 2, False),
        ((WATER, 0), 2, False),
        ((VOLCANO, VOLCANO), 2, False),
        ((WATER, WATER), 3, False),  # a third tile, not known yet, goes to one of the cells
    ],
)
def test_which_fills_are_skipped(display, cells, skipped):
    state = Game.new(2, 0).state
    state.display[:] = display
    state.to_fill = (1 << cells) - 1
    assert (forced_fill(state) != NONE) == skipped


@pytest.mark.parametrize(
    ("hand", "cells", "skipped"),
    [
        ((1, 0, 0, 0), 1, True),
        ((3, 0, 0, 0), 1, True),
        ((1, 0, 0, 0), 2, False),
        ((1, 1, 0, 0), 1, False),
        ((1, 0, 1, 0), 1, False),
        ((1, 0, 0, 1), 1, False),
        ((0, 0, 1, 0), 1, False),  # its orientation is a choice
    ],
)
def test_which_placements_are_skipped(hand, cells, skipped):
    state = Game.new(2, 0).state
    state.hand[state.seat] = hand
    state.open_count = cells
    assert forced_place(state) == (place_id(state, state.open_cells[0], 0) if skipped else NONE)


@pytest.mark.parametrize(
    ("tiles", "cacao", "asked"),
    [
        ((PLANTATION2, PLANTATION2, MARKET2), 0, True),  # to harvest, sell, harvest saves one cacao
        ((PLANTATION2, 0, MARKET2), 0, False),
        ((PLANTATION2, PLANTATION1, MARKET2), 0, False),  # all of it fits
        ((PLANTATION2, 0, MARKET2), 2, True),
        ((PLANTATION2, PLANTATION2, 0), 0, False),  # nothing can be sold
    ],
)
def test_which_harvests_are_asked(tiles, cacao, asked):
    game = Game.new(2, 0, decisions="explicit")
    state = game.state
    moves = dict(zip(game.legal_moves(), game.legal_actions(), strict=True))
    game.play(next(moves[move] for move in moves if move[1:3] == ("2101", 0)))
    state.board[NEIGHBOR[state.last]] = (*tiles[:2], 0, tiles[2])  # at 2, 1, 0 and 1 workers
    state.phase, state.to_fill, state.pending[:], state.filled = ACT, 0, 0, 0
    begin_actions(state)
    state.cacao[state.seat] = cacao
    assert (forced_action(state) == NONE) == asked


def with_other_tiles_around(game: Game, rng: np.random.Generator) -> Game:
    """The position with any jungle tiles beside the tile just placed, some filled this turn.

    Many edges at different tiles, volcanoes and markets among them, compete in one turn.
    """
    trial = game.clone()
    state = trial.state
    for side in range(4):
        cell = NEIGHBOR[state.last, side]
        if state.board[cell] > 0:
            state.board[cell] = rng.choice([*range(1, 13), VOLCANO, VOLCANO_TURNED])
    state.filled = int(rng.integers(16))
    state.pending[:] = 0
    begin_actions(state)
    return trial


def compare_all_outcomes(trial: Game, rng: np.random.Generator) -> None:
    """The property for the seat that acts, with any stocks: where places and gold are short."""
    state, seat, turn = trial.state, trial.seat, trial.turn
    if trial.phase != "act" or int(state.pending[seat]).bit_count() > 5:
        return  # nothing is activated, or too much to try all continuations
    state.cacao[seat] = rng.integers(0, 6)
    state.gold[seat] = rng.integers(0, 4)
    state.sun[seat] = rng.integers(0, 4)
    asked = outcomes(trial, seat, turn)
    skipped = outcomes(in_auto_mode(trial), seat, turn)
    assert skipped <= asked
    assert best(skipped) == best(asked)


def test_what_is_skipped_in_ordinary_play():
    """Water, sun, mines and lone plantations are never asked; markets with cacao are."""
    asked, skipped = set(), set()
    for seed in range(60):
        game = played(2 + seed % 3, seed, volcanoes=seed % 2 == 1)
        table = EngineTable.of(game).position()["jungle"]
        for _, auto, move in game.elementary_moves():
            if move[0] == "act":
                kind, _ = table[beside(move[1], move[2])]
                (skipped if auto else asked).add(kind.rstrip("1234"))
    assert asked == {"plantation", "market"}
    assert skipped == {"plantation", "market", "mine", "volcano", "water", "sun"}
