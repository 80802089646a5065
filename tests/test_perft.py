"""Pinned counts of all move sequences of a length, as chess engines do (perft)."""

from __future__ import annotations

import pytest

from cacao_env import Game
from tests.reference.oracle import Oracle

# (players, decisions): sequences of (plies played first, length), without and with volcanoes.
PINNED = {
    (2, "auto"): {(0, 2): (1094, 1094), (25, 2): (576, 576), (45, 3): (84, 84)},
    (2, "explicit"): {(0, 2): (252, 252), (25, 2): (12, 16), (45, 3): (1420, 576)},
    (3, "auto"): {(0, 2): (614, 614), (25, 2): (62, 120), (75, 2): (1, 1)},
    (3, "explicit"): {(0, 2): (172, 172), (25, 2): (252, 4), (75, 2): (336, 2)},
    (4, "auto"): {(0, 2): (2090, 2090), (25, 2): (320, 26), (75, 2): (35, 68)},
    (4, "explicit"): {(0, 2): (750, 750), (25, 2): (12, 12), (75, 2): (528, 105)},
}


def perft(game: Game, length: int) -> int:
    """Positions reached by every sequence of ``length`` decisions."""
    if length == 0 or game.over:
        return 1
    total = 0
    for action in game.legal_actions():
        after = game.clone()
        after.play(action)
        total += perft(after, length - 1)
    return total


def reference_perft(game: Game, moves: list, length: int) -> int:
    """The same by the second implementation of the rules, from the game's deal and moves."""
    oracle = Oracle(game.num_players, game.options.volcanoes, *game.draws)
    for move in moves:
        oracle.play(move)
    if length == 0 or oracle.player is None:
        return 1
    return sum(reference_perft(game, [*moves, move], length - 1) for move in oracle.legal_moves())


def position(players: int, decisions: str, plies: int, **options: object) -> Game:
    """The game after always taking the legal action in the middle of the list."""
    game = Game.new(players, players, decisions=decisions, **options)
    while game.ply < plies and not game.over:
        legal = game.legal_actions()
        game.play(legal[len(legal) // 2])
    return game


@pytest.mark.parametrize(("players", "decisions"), PINNED)
def test_the_number_of_sequences_is_pinned(players, decisions):
    for (plies, length), counts in PINNED[players, decisions].items():
        for volcanoes, count in enumerate(counts):
            game = position(players, decisions, plies, volcanoes=bool(volcanoes))
            assert perft(game, length) == count, (plies, volcanoes)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_reference_counts_the_same(players):
    for plies in (0, 30, 60):
        game = position(players, "explicit", plies, volcanoes=players == 3)
        moves = [move for _, _, move in game.elementary_moves()]
        assert perft(game, 2) == reference_perft(game, moves, 2)
