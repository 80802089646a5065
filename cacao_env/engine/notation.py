"""Moves in the notation of game records, as text, and as action ids.

A *move* is a tuple with absolute cells: ``("place", "2101", 1, (0, 1))``, ``("overbuild", ...)``,
``("fill", "water", 0, (0, 2))`` or ``("act", (0, 1), 2, 1)`` (cell, edge, workers that act).  Its
*text* is the same as words: ``place 2101/1 at 0,1``, ``fill water at 0,2``, ``fill volcano/1 at
0,2``, ``act 0,1 south with 1``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ..checks import as_int
from . import actions as a
from .geometry import NEIGHBOR, SIDE_NAMES, TORUS, cell_index, opposite, window_cell
from .state import ACT, FILL, OVER, PHASE_NAMES, PLACE, cell_column, cell_row, pending_cell
from .tiles import DISPLAY_SIZE, JUNGLE_KINDS, NUM_VARIANTS, VARIANTS

Move = tuple[Any, ...]
Cell = tuple[int, int]

REASONS = {
    a.NO_SUCH_ACTION: "there is no such action id",
    a.GAME_OVER: "the game is over",
    a.NOT_IN_HAND: "the tile is not in hand",
    a.NOT_A_PLACE: "the cell is neither an empty one beside a jungle tile that fits the table, nor "
    "an own tile that may be overbuilt",
    a.NOT_TO_FILL: "no jungle cell must be filled there",
    a.NO_SUCH_TILE: "the display has no such tile",
    a.DUPLICATE: "it is named by another action: the first of two equal tiles, orientation 0 unless "
    "it is a volcano",
    a.NOT_PENDING: "the deciding seat has no activated edge there",
    a.TOO_MANY: "the edge has fewer workers",
    a.FORCED: "no worker may forgo a volcano",
}


def reason(state: Any, code: int) -> str:
    """Return the reason in words for a code of ``actions.why_illegal``."""
    if code == a.LEGAL:
        raise ValueError("the action is legal")
    if code == a.WRONG_PHASE:
        return f"the decision to make now is to {PHASE_NAMES[int(state.phase)]}"
    return REASONS[code]


def as_action(action: Any) -> int:
    """Validate an action id, legal or not, and return it as ``int``; ValueError if it is no id."""
    number = action if type(action) is int else as_int("action", action)
    if not -(2**31) < number < 2**31:
        raise ValueError(f"illegal action {action}: {REASONS[a.NO_SUCH_ACTION]}")
    return number


def absolute(state: Any, cell: int) -> Cell:
    """Return (row, column) of a torus cell in play."""
    return int(cell_row(state, cell)), int(cell_column(state, cell))


def torus_cell(state: Any, cell: Cell) -> int:
    """Return the torus index of an absolute cell; ValueError if it is too far from all tiles."""
    index = int(cell_index(*cell))
    if absolute(state, index) != tuple(cell):
        raise ValueError(f"cell {cell[0]},{cell[1]} is far from every tile")
    return index


def to_move(state: Any, action: int) -> Move:
    """Return the move that an action id means now; ValueError for an id outside the action space."""
    fills = a.place_actions(int(state.table_size))
    acts = fills + a.FILL_ACTIONS
    if not 0 <= action < acts + a.ACT_ACTIONS:
        raise ValueError(f"action {action} is not in 0..{acts + a.ACT_ACTIONS - 1}")
    if action < fills:
        return _placements(state, [action])[0]
    if state.last < 0:
        raise ValueError(f"action {action} fills or acts, and no tile was placed yet")
    if action < acts:
        side, slot, orientation = a.split_fill(action - fills)
        code = int(state.display[slot])
        tile = JUNGLE_KINDS[code - 1] if code > 0 else "nothing"
        cell = int(NEIGHBOR[state.last, side])
        return "fill", tile, int(orientation), absolute(state, cell)
    side, facing, workers = a.split_act(action - acts)
    cell = int(pending_cell(state, side, facing))
    return "act", absolute(state, cell), int(opposite(facing)), int(workers)


def to_moves(state: Any, ids: list[int]) -> list[Move]:
    """Return the moves of many legal ids; for placements this is much faster than one by one."""
    if state.phase != PLACE:
        return [to_move(state, action) for action in ids]
    return _placements(state, ids)


def _placements(state: Any, ids: list[int]) -> list[Move]:
    """Return the moves of ids of the place block: any cell of the window, in play or not."""
    cells = _window_cells(int(state.table_size))
    corner_row, corner_column = int(state.corner_row), int(state.corner_column)
    board: list[int] = state.board.tolist()
    names: dict[int, tuple[str, Cell]] = {}
    moves: list[Move] = []
    for action in ids:
        index, variant = divmod(action, NUM_VARIANTS)
        if index not in names:
            cell = cells[index][0] + corner_row, cells[index][1] + corner_column
            covered = board[(cell[0] % TORUS) * TORUS + cell[1] % TORUS] > 0
            names[index] = ("overbuild" if covered else "place", cell)
        name, cell = names[index]
        moves.append((name, *VARIANTS[variant], cell))
    return moves


@cache
def _window_cells(size: int) -> list[Cell]:
    """Return (row, column) in the window of each of its worker cells."""
    return [window_cell(index, size) for index in range(size * size // 2)]


_TILE_MOVES = ("place", "overbuild", "fill")
_FAR = 1000  # no cell in play is as far from the start


def as_move(value: Any) -> Move:
    """Make a move from a tuple or list of its parts; ValueError for any other form."""
    if isinstance(value, tuple | list) and len(value) == 4 and isinstance(value[0], str):
        name, one, two, three = value
        if name == "act":
            if _is_cell(one) and _is_small(two) and _is_small(three):
                return name, (one[0], one[1]), two, three
        elif name in _TILE_MOVES and isinstance(one, str) and _is_small(two) and _is_cell(three):
            return name, one, two, (three[0], three[1])
    raise ValueError(f"{repr(value)[:80]} is not a move")


def is_int(value: Any) -> bool:
    """Return whether a value is an integer and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_small(value: Any) -> bool:
    """Return whether a value is an edge, a rotation or a number of workers: 0 to 3."""
    return is_int(value) and 0 <= value <= 3


def _is_cell(value: Any) -> bool:
    return (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(is_int(v) and -_FAR < v < _FAR for v in value)
    )


def to_action(state: Any, move: Move) -> int:
    """Return the id of a legal move; ValueError with the reason if it is illegal or no move."""
    move = as_move(move)
    action = _parse(state, move)
    code = int(a.why_illegal(state, action))
    if code != a.LEGAL:
        raise ValueError(reason(state, code))
    if action < a.place_actions(int(state.table_size)):
        empty = state.board[torus_cell(state, move[3])] < 0
        if empty != (move[0] == "place"):
            raise ValueError(
                f"the cell is {'empty' if empty else 'taken'}: {move[0]} is not the word"
            )
    return action


def _parse(state: Any, move: Move) -> int:
    """Return the id of a well-formed move, legal or not."""
    if state.phase == OVER:
        raise ValueError(REASONS[a.GAME_OVER])
    phase = {"fill": FILL, "act": ACT}.get(move[0], PLACE)
    if phase != state.phase:
        raise ValueError(reason(state, a.WRONG_PHASE))
    if phase == PLACE:
        _, kind, rotation, cell = move
        if (kind, rotation) not in VARIANTS:
            raise ValueError(f"there is no worker tile {kind[:20]!r} with rotation {rotation}")
        on_worker_cell = (cell[0] + cell[1]) % 2 == 1  # an even cell shares a neighbour's index
        if not on_worker_cell or a.window_index(state, torus_cell(state, cell)) < 0:
            raise ValueError(reason(state, a.NOT_A_PLACE))
        return int(a.place_id(state, torus_cell(state, cell), VARIANTS.index((kind, rotation))))
    if phase == FILL:
        _, kind, orientation, cell = move
        if kind not in JUNGLE_KINDS or orientation not in (0, 1):
            raise ValueError(
                f"there is no jungle tile {kind[:20]!r} with orientation {orientation}"
            )
        slots = [s for s in range(DISPLAY_SIZE) if state.display[s] == JUNGLE_KINDS.index(kind) + 1]
        if not slots:
            raise ValueError(REASONS[a.NO_SUCH_TILE])
        return int(a.fill_id(state, _side_of(state, cell, a.NOT_TO_FILL), slots[0], orientation))
    _, cell, edge, workers = move
    jungle = absolute(state, int(NEIGHBOR[torus_cell(state, cell), edge]))
    side = _side_of(state, jungle, a.NOT_PENDING)
    return int(a.act_id(state, side, opposite(edge), workers))


def _side_of(state: Any, cell: Cell, otherwise: int) -> int:
    """Return the side of the tile just placed on which a cell lies."""
    index = torus_cell(state, cell)
    for side in range(4):
        if NEIGHBOR[state.last, side] == index:
            return side
    raise ValueError(REASONS[otherwise])


def to_text(move: Move) -> str:
    """Return a move as text."""
    if move[0] == "act":
        _, (row, column), edge, workers = move
        return f"act {row},{column} {SIDE_NAMES[edge]} with {workers}"
    name, tile, turn, (row, column) = move
    tile = tile if tile.isalnum() and len(tile) < 20 else repr(tile)[:20]
    turned = "" if name == "fill" and turn == 0 else f"/{turn}"
    return f"{name} {tile}{turned} at {row},{column}"


_TILE = re.compile(r"(place|overbuild|fill) (\w+?)(?:/(\d))? at (-?\d{1,4}),(-?\d{1,4})")
_ACT = re.compile(rf"act (-?\d{{1,4}}),(-?\d{{1,4}}) ({'|'.join(SIDE_NAMES)}) with (\d)")


def from_text(text: str) -> Move:
    """Return the move that a text means; ValueError for any other text."""
    words = " ".join(text.split())
    if found := _ACT.fullmatch(words):
        row, column, side, workers = found.groups()
        return as_move(("act", (int(row), int(column)), SIDE_NAMES.index(side), int(workers)))
    if found := _TILE.fullmatch(words):
        name, tile, turn, row, column = found.groups()
        return as_move((name, tile, int(turn or 0), (int(row), int(column))))
    raise ValueError(
        f"{text!r} is not a move; moves look like 'place 2101/1 at 0,1', 'overbuild 1111/0 at 2,1', "
        "'fill water at 0,2' or 'act 0,1 south with 1'"
    )
