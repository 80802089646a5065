"""A position as plain data, for pictures and the page: lists, numbers and words, ready for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.geometry import NEIGHBOR, opposite
from ..engine.scoring import temple_into
from ..engine.state import (
    ACT,
    FILL,
    OVER,
    OVERBUILT,
    OWNER,
    WORKERS,
    cell_column,
    cell_row,
    jungle_pile_size,
    pending_cell,
    pending_workers,
)
from ..engine.tiles import (
    EDGES,
    JUNGLE_KINDS,
    MAX_PLAYERS,
    NUM_JUNGLE_KINDS,
    VARIANTS,
    VOLCANO,
    VOLCANO_TURNED,
    WATER_TRACK,
    WORKER_KINDS,
)
from ..game import Game

Position = dict[str, Any]
_VARIANT = {variant: number for number, variant in enumerate(VARIANTS)}


def position_of(game: Game, viewer: int | None = None) -> Position:
    """Return the position; ``viewer`` hides the hands of other seats, None shows all.

    Keys: ``players, volcanoes, turn, turns, phase, seat, active, overbuilding``; ``tiles``: ``row,
    column, last`` and either ``owner, edges, under`` (tiles below, the lowest first; of a game
    without its history no ``edges``) or ``kind, turned`` and, of a temple, ``workers, gold`` of each
    seat there; ``open`` and ``fill``: cells; ``display``; ``pile``: jungle tiles left, by kind, and
    ``pile_size``; ``seats``: ``gold, score, cacao, sun, water`` (field of the track), ``worth`` (of
    that field), ``hand`` (kinds, or None), ``held`` (how many), ``left`` (not placed yet, by kind),
    ``pile``; ``pending``: edges that have still to act, with ``seat, worker, cell, edge, workers``;
    ``winners``.
    """
    state = game.state
    below = _below(game)
    phase = int(state.phase)
    return {
        "players": game.num_players,
        "volcanoes": game.volcanoes,
        "turn": game.turn,
        "turns": game.num_players * int(state.tiles_each),
        "phase": game.phase,
        "seat": game.seat,
        "active": game.active,
        "overbuilding": bool(state.overbuilding),
        "tiles": _jungle_tiles(game) + _worker_tiles(state, below),
        "open": [_at(state, int(c)) for c in state.open_cells[: int(state.open_count)]]
        if phase != OVER
        else [],
        "fill": _cells_to_fill(state),
        "display": [JUNGLE_KINDS[int(code) - 1] for code in state.display if code > 0],
        "pile": {
            JUNGLE_KINDS[code - 1]: int(state.jungle_pile[code])
            for code in range(1, NUM_JUNGLE_KINDS + 1)
            if state.jungle_pile[code] > 0
        },
        "pile_size": int(jungle_pile_size(state)),
        "seats": [_seat(game, seat, viewer) for seat in range(game.num_players)],
        "pending": _pending(state) if phase == ACT else [],
        "winners": game.winners() if phase == OVER else [],
    }


def _at(state: Any, cell: int) -> list[int]:
    return [int(cell_row(state, cell)), int(cell_column(state, cell))]


def _jungle_tiles(game: Game) -> list[dict[str, Any]]:
    state = game.state
    found = []
    for cell in state.jungle_cells[: int(state.jungle_count)]:
        row, column = _at(state, int(cell))
        code = int(state.board[cell])
        kind = JUNGLE_KINDS[min(code, VOLCANO) - 1]
        turned = code == VOLCANO_TURNED
        tile = {"row": row, "column": column, "last": False, "kind": kind, "turned": turned}
        if kind == "temple":
            workers, gold = np.zeros((2, MAX_PLAYERS), np.int64)
            temple_into(game.state, int(cell), workers, gold)
            tile["workers"] = workers[: game.num_players].tolist()
            tile["gold"] = gold[: game.num_players].tolist()
        found.append(tile)
    return found


def _worker_tiles(state: Any, below: dict[tuple[int, int], list[dict[str, Any]]]) -> list[Any]:
    found = []
    for cell in state.worker_cells[: int(state.worker_count)]:
        row, column = _at(state, int(cell))
        code = int(state.board[cell])
        unknown = [{"owner": int(OWNER[code]), "edges": None}]  # only own tiles are overbuilt
        found.append(
            {
                "row": row,
                "column": column,
                "last": int(cell) == int(state.last),
                "owner": int(OWNER[code]),
                "edges": [int(n) for n in WORKERS[code]],
                "under": below.get((row, column), unknown if code >= OVERBUILT else []),
            }
        )
    return found


def _below(game: Game) -> dict[tuple[int, int], list[dict[str, Any]]]:
    """Tiles that have others on top of them, by cell."""
    placed: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for seat, _, move in game.elementary_moves():
        if move[0] in ("place", "overbuild"):
            edges = [int(n) for n in EDGES[_VARIANT[move[1], move[2]]]]
            placed.setdefault(move[3], []).append({"owner": seat, "edges": edges})
    return {cell: tiles[:-1] for cell, tiles in placed.items() if len(tiles) > 1}


def _cells_to_fill(state: Any) -> list[list[int]]:
    if int(state.phase) != FILL:
        return []
    around = (int(cell) for cell in NEIGHBOR[state.last])
    return [_at(state, cell) for cell in around if _must_fill(state, cell)]


def _must_fill(state: Any, cell: int) -> bool:
    """Whether a jungle cell is empty and beside two or more worker tiles (rules 4B)."""
    if state.board[cell] > 0:
        return False
    return sum(int(state.board[int(near)]) > 0 for near in NEIGHBOR[cell]) > 1


def _pending(state: Any) -> list[dict[str, Any]]:
    """Edges that have still to act, of every seat."""
    found = []
    for seat in range(int(state.num_players)):
        for bit in range(16):
            side, facing = divmod(bit, 4)
            if int(state.pending[seat]) >> bit & 1:
                found.append(
                    {
                        "seat": seat,
                        "worker": _at(state, int(pending_cell(state, side, facing))),
                        "cell": _at(state, int(NEIGHBOR[state.last, side])),
                        "edge": int(opposite(facing)),
                        "workers": int(pending_workers(state, side, facing)),
                    }
                )
    return found


def _seat(game: Game, seat: int, viewer: int | None) -> dict[str, Any]:
    state = game.state
    hand = [
        kind
        for number, kind in enumerate(WORKER_KINDS)
        for _ in range(int(state.hand[seat, number]))
    ]
    return {
        "gold": int(state.gold[seat]),
        "score": game.scores()[seat],
        "cacao": int(state.cacao[seat]),
        "sun": int(state.sun[seat]),
        "water": int(state.water[seat]),
        "worth": int(WATER_TRACK[state.water[seat]]),
        "hand": hand if viewer is None or viewer == seat else None,
        "held": len(hand),
        "left": {
            kind: int(state.unplaced[seat, number])
            for number, kind in enumerate(WORKER_KINDS)
            if state.unplaced[seat, number] > 0
        },
        "pile": int(state.tiles_each) - int(state.drawn[seat]),
    }
