"""Moves in words, as a player would say them, and as the parts that they name; a captioned position."""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase
from typing import Any

from ..agent import decider
from ..engine.geometry import OFFSETS, SIDE_NAMES, cell_index, opposite
from ..engine.notation import Move
from ..engine.tiles import EDGES, JUNGLE_KINDS, VARIANTS, VOLCANO
from ..game import Game
from ..gold_sources import SOURCES, gold_by_source
from ..render.position import position_of

_COLUMNS = [*ascii_uppercase, *ascii_lowercase, *(f"a{letter}" for letter in ascii_lowercase)]
_EDGES = {variant: [int(n) for n in EDGES[i]] for i, variant in enumerate(VARIANTS)}


def parts_of(move: Move) -> dict[str, Any]:
    """Return what a move names: its cell, and the tile or the edge."""
    if move[0] == "act":
        _, (row, column), edge, workers = move
        down, right = OFFSETS[edge]
        cell, worker = [row + down, column + right], [row, column]
        return {"cell": cell, "worker": worker, "edge": edge, "workers": workers}
    name, tile, turn, cell = move
    parts = {"cell": list(cell), "tile": tile, "turn": turn}
    if name != "fill":
        parts["edges"] = _EDGES[tile, turn]
    return parts


def in_words(game: Game, move: Move) -> str:
    """Return a legal move in words, as a player would say it."""
    if move[0] in ("place", "overbuild"):
        name, tile, turn, cell = move
        edges = "-".join(str(n) for n in _EDGES[tile, turn])
        return f"{'place' if name == 'place' else 'overbuild with'} {edges} at {_space(cell)}"
    if move[0] == "fill":
        _, tile, turn, cell = move
        way = "" if tile != "volcano" else (", gold east and west", ", gold north and south")[turn]
        return f"fill {_space(cell)} with {_tile_name(tile)}{way}"
    _, _, edge, workers = move
    code = int(game.state.board[int(cell_index(*parts_of(move)["cell"]))])
    kind, beside = JUNGLE_KINDS[min(code, VOLCANO) - 1], SIDE_NAMES[opposite(edge)]
    return f"{_deed(kind, workers)} (from the {beside})"


def _space(cell: tuple[int, int]) -> str:
    """Name a space as the page does: the plantation of the start lies on j10."""
    return f"{_COLUMNS[cell[1] + 35]}{10 - cell[0]}"


def _tile_name(kind: str) -> str:
    """Return a jungle tile's kind in words: ``market 3``, ``water``."""
    name = kind.rstrip("0123456789")
    return f"{name} {kind[len(name) :]}".strip()


def _deed(kind: str, workers: int) -> str:
    name = _tile_name(kind)
    people = f"{workers or 'no'} worker{'s' if workers > 1 else ''}"
    if kind.startswith("market"):
        return f"sell {workers or 'nothing'} at {name}"
    return f"harvest with {people} at {name}" if "plant" in kind else f"{name}: {people}"


def frame_of(game: Game, viewer: int | None = None) -> dict[str, Any]:
    """Return what a picture of a position with a caption needs.

    That is what :func:`~cacao_env.render.position.position_of` returns, the elementary ``move`` that
    led there in words and its ``mover``, a seat (both None for the deal), and ``sources``: each seat's
    gold by its source, which adds up to the score if the game ended there.
    """
    mover, words = None, None
    for now, action in game.with_options("explicit").plies():
        mover, words = decider(now), in_words(now, now.move(action))
    sources = [dict(zip(SOURCES, row, strict=True)) for row in gold_by_source(game).tolist()]
    return position_of(game, viewer) | {"move": words, "mover": mover, "sources": sources}
