"""Pinned counts of all move sequences of a length, as chess engines do (perft)."""

from __future__ import annotations

import pytest

from cacao_env import Game
from tests.games import continuations

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
    end = game.ply + length
    return sum(1 for _ in continuations(game, lambda now: now.over or now.ply == end))


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
