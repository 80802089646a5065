"""A position as plain data, for pictures and the page: lists, numbers and words, ready for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import tiles
from ..engine.geometry import NEIGHBOR, opposite
from ..engine.scoring import temple_into
from ..engine.state import (
    ACT,
    FILL,
    OVER,
    OWNER,
    WORKERS,
    cell_column,
    cell_row,
    jungle_pile_size,
    pending_cell,
    pending_workers,
)

if TYPE_CHECKING:
    from ..game import Game

Position = dict[str, Any]


def position_of(game: Game, viewer: int | None = None) -> Position:
    """Return the position; ``viewer`` hides the hands of other seats, None shows all.

    Keys: ``players, volcanoes, turn, turns, phase, seat, active, overbuilding``; ``tiles``: ``row,
    column, last`` and either ``owner, edges, under`` (the tile below, if there is one) or ``kind,
    turned`` and, of a temple, ``workers, gold`` of each seat there; ``open`` and ``fill``: cells;
    ``display``; ``pile``: jungle tiles left, by kind, and ``pile_size``; ``seats``: ``gold, score,
    cacao, sun, water`` (field of the track), ``worth`` (of that field), ``hand`` (kinds, or None),
    ``held`` (how many), ``left`` (not placed yet, by kind), ``pile``; ``pending``: edges that have
    still to act, with ``seat, worker, cell, edge, workers``; ``winners``.
    """
    state = game.state
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
        "tiles": _jungle_tiles(game) + _worker_tiles(state),
        "open": [_at(state, int(c)) for c in state.open_cells[: int(state.open_count)]]
        if phase != OVER
        else [],
        "fill": [
            _at(state, int(cell))
            for side, cell in enumerate(NEIGHBOR[state.last])
            if phase == FILL and int(state.to_fill) >> side & 1
        ],
        "display": [tiles.JUNGLE_KINDS[int(code) - 1] for code in state.display if code > 0],
        "pile": _counts(tiles.JUNGLE_KINDS, state.jungle_pile[1:]),
        "pile_size": int(jungle_pile_size(state)),
        "seats": [_seat(game, seat, viewer) for seat in range(game.num_players)],
        "pending": _pending(state) if phase == ACT else [],
        "winners": game.winners() if phase == OVER else [],
    }


def _counts(kinds: Sequence[str], numbers: Any) -> dict[str, int]:
    """Return how many there are of each kind, without those of which there is none."""
    return {kind: int(number) for kind, number in zip(kinds, numbers) if number > 0}


def _at(state: Any, cell: int) -> list[int]:
    return [int(cell_row(state, cell)), int(cell_column(state, cell))]


def _jungle_tiles(game: Game) -> list[dict[str, Any]]:
    state = game.state
    found = []
    for cell in state.jungle_cells[: int(state.jungle_count)]:
        row, column = _at(state, int(cell))
        code = int(state.board[cell])
        kind = tiles.JUNGLE_KINDS[min(code, tiles.VOLCANO) - 1]
        turned = code == tiles.VOLCANO_TURNED
        tile = {"row": row, "column": column, "last": False, "kind": kind, "turned": turned}
        if kind == "temple":
            workers, gold = np.zeros((2, tiles.MAX_PLAYERS), np.int64)
            temple_into(game.state, int(cell), workers, gold)
            tile["workers"] = workers[: game.num_players].tolist()
            tile["gold"] = gold[: game.num_players].tolist()
        found.append(tile)
    return found


def _worker_tiles(state: Any) -> list[Any]:
    found = []
    count = int(state.worker_count)
    for cell, below in zip(state.worker_cells[:count].tolist(), state.under[:count].tolist()):
        row, column = _at(state, cell)
        code = int(state.board[cell])
        owner = int(OWNER[code])
        # Only own tiles are overbuilt.
        under = [{"owner": owner, "edges": tiles.EDGES[below - 1].tolist()}] if below else []
        found.append(
            {
                "row": row,
                "column": column,
                "last": cell == int(state.last),
                "owner": owner,
                "edges": WORKERS[code].tolist(),
                "under": under,
            }
        )
    return found


def _pending(state: Any) -> list[dict[str, Any]]:
    """Edges that have still to act, of every seat."""
    return [
        {
            "seat": seat,
            "worker": _at(state, int(pending_cell(state, side, facing))),
            "cell": _at(state, int(NEIGHBOR[state.last, side])),
            "edge": int(opposite(facing)),
            "workers": int(pending_workers(state, side, facing)),
        }
        for seat, side, facing in np.ndindex(int(state.num_players), 4, 4)
        if int(state.pending[seat]) >> (4 * side + facing) & 1
    ]


def _seat(game: Game, seat: int, viewer: int | None) -> dict[str, Any]:
    state = game.state
    hand = np.repeat(tiles.WORKER_KINDS, state.hand[seat]).tolist()
    return {
        "gold": int(state.gold[seat]),
        "score": game.scores()[seat],
        "cacao": int(state.cacao[seat]),
        "sun": int(state.sun[seat]),
        "water": int(state.water[seat]),
        "worth": int(tiles.WATER_TRACK[state.water[seat]]),
        "hand": hand if viewer is None or viewer == seat else None,
        "held": len(hand),
        "left": _counts(tiles.WORKER_KINDS, state.unplaced[seat]),
        "pile": int(state.tiles_each) - int(state.drawn[seat]),
    }
