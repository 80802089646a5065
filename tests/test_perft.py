"""Pinned counts of all move sequences of a length, as chess engines do (perft)."""

from __future__ import annotations

import pytest

from cacao_env import Game
from tests.reference.oracle import Oracle


def perft(game: Game, depth: int) -> int:
    """Positions reached by every sequence of ``depth`` decisions."""
    if depth == 0 or game.over:
        return 1
    total = 0
    for action in game.legal_actions():
        after = game.clone()
        after.play(action)
        total += perft(after, depth - 1)
    return total


def oracle_perft(players, volcanoes, draws, moves, depth: int) -> int:
    oracle = Oracle(players, volcanoes, *draws)
    for move in moves:
        oracle.play(move)
    if depth == 0 or oracle.player is None:
        return 1
    if depth == 1:
        return len(oracle.legal_moves())
    return sum(
        oracle_perft(players, volcanoes, draws, [*moves, move], depth - 1)
        for move in oracle.legal_moves()
    )


# (players, volcanoes, decisions, seed, plies played first, depth): count
PINNED: dict[tuple[int, bool, str, int, int, int], int] = {
    (2, False, "auto", 2, 0, 2): 1094,
    (2, False, "auto", 2, 25, 2): 576,
    (2, False, "auto", 2, 45, 3): 84,
    (2, False, "explicit", 2, 0, 2): 252,
    (2, False, "explicit", 2, 25, 2): 12,
    (2, False, "explicit", 2, 45, 3): 1420,
    (2, True, "auto", 2, 0, 2): 1094,
    (2, True, "auto", 2, 25, 2): 576,
    (2, True, "auto", 2, 45, 3): 84,
    (2, True, "explicit", 2, 0, 2): 252,
    (2, True, "explicit", 2, 25, 2): 16,
    (2, True, "explicit", 2, 45, 3): 576,
    (3, False, "auto", 3, 0, 2): 614,
    (3, False, "auto", 3, 25, 2): 62,
    (3, False, "auto", 3, 75, 2): 1,
    (3, False, "explicit", 3, 0, 2): 172,
    (3, False, "explicit", 3, 25, 2): 252,
    (3, False, "explicit", 3, 75, 2): 336,
    (3, True, "auto", 3, 0, 2): 614,
    (3, True, "auto", 3, 25, 2): 120,
    (3, True, "auto", 3, 75, 2): 1,
    (3, True, "explicit", 3, 0, 2): 172,
    (3, True, "explicit", 3, 25, 2): 4,
    (3, True, "explicit", 3, 75, 2): 2,
    (4, False, "auto", 4, 0, 2): 2090,
    (4, False, "auto", 4, 25, 2): 320,
    (4, False, "auto", 4, 75, 2): 35,
    (4, False, "explicit", 4, 0, 2): 750,
    (4, False, "explicit", 4, 25, 2): 12,
    (4, False, "explicit", 4, 75, 2): 528,
    (4, True, "auto", 4, 0, 2): 2090,
    (4, True, "auto", 4, 25, 2): 26,
    (4, True, "auto", 4, 75, 2): 68,
    (4, True, "explicit", 4, 0, 2): 750,
    (4, True, "explicit", 4, 25, 2): 12,
    (4, True, "explicit", 4, 75, 2): 105,
}


def position(players, volcanoes, decisions, seed, plies) -> Game:
    """The game after always taking the legal action in the middle of the list."""
    game = Game.new(players, seed, volcanoes=volcanoes, decisions=decisions)
    for _ in range(plies):
        if game.over:
            break
        legal = game.legal_actions()
        game.play(legal[len(legal) // 2])
    return game


@pytest.mark.parametrize("key", list(PINNED), ids=str)
def test_the_number_of_sequences_is_pinned(key):
    *where, depth = key
    assert perft(position(*where), depth) == PINNED[key]


@pytest.mark.parametrize("seed", range(3))
def test_the_reference_counts_the_same(seed):
    for plies in (0, 30, 60):
        game = position(2 + seed, seed == 1, "explicit", seed, plies)
        moves = [move for _, _, move in game.elementary_moves()]
        count = oracle_perft(2 + seed, seed == 1, game.draws, moves, 2)
        assert perft(game, 2) == count


if __name__ == "__main__":  # prints the table above: python -m tests.test_perft
    for players in (2, 3, 4):
        for volcanoes in (False, True):
            for decisions in ("auto", "explicit"):
                for plies, depth in ((0, 2), (25, 2), (45, 3) if players == 2 else (75, 2)):
                    key = (players, volcanoes, decisions, players, plies, depth)
                    print(f"    {key}: {perft(position(*key[:-1]), depth)},")
