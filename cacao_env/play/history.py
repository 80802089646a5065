"""The history of a game: every elementary move in words, and the position after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..agent import decider
from ..game import Game
from ..gold_sources import SOURCES, gold_by_source
from ..render.position import position_of
from .words import in_words

Frame = dict[str, Any]


def moves_in_words(game: Game) -> list[tuple[int, str]]:
    """Return every elementary move so far as (seat, words)."""
    played = game.with_options("explicit").plies()
    return [(decider(now), in_words(now, now.move(action))) for now, action in played]


def frames_of(game: Game, viewer: int | None = None) -> Iterator[Frame]:
    """Yield the deal of a game, and the position after each elementary move.

    A frame has what :func:`~cacao_env.render.position.position_of` returns, the ``move`` that led to
    it in words and its ``mover``, a seat (both None for the deal), and ``sources``: each seat's gold by
    its source, which adds up to the score if the game ended there.
    """
    explicit = game.with_options("explicit")
    positions = [*(now for now, _ in explicit.plies()), explicit]
    moves = [(None, None), *moves_in_words(explicit)]
    for now, (mover, words) in zip(positions, moves, strict=True):
        gold = gold_by_source(now).tolist()
        sources = [dict(zip(SOURCES, row, strict=True)) for row in gold]
        yield position_of(now, viewer) | {"move": words, "mover": mover, "sources": sources}
