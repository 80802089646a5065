"""Players for test games. Each style picks one of the legal moves and drives games to some corner
of the rules: wide tables, dense tables, much overbuilding, three cells to fill at once."""

from __future__ import annotations

import random

from tests.reference.box import STEPS, Cell, beside, workers_on_edge
from tests.reference.oracle import Oracle

STYLES = ["random", "stretch", "crowd", "overbuild", "triple"]


def choose_move(oracle: Oracle, style: str, rng: random.Random, whim: int = 0) -> tuple:
    """The move that a player of this style makes.

    Whim is any number, the same for a whole game: stretch takes its direction from it (an edge
    number, whim modulo 4), triple its plan.
    """
    moves = oracle.legal_moves()
    if style == "random":
        return rng.choice(moves)
    if style == "stretch":
        return _best(moves, lambda move: _stretch_value(oracle, move, whim % 4), rng)
    if style == "crowd":
        return _best(moves, lambda move: _crowd_value(oracle, move), rng)
    if style == "overbuild":
        return _best(moves, lambda move: _overbuild_value(oracle, move), rng)
    if style == "triple":
        return _best(moves, lambda move: _triple_value(oracle, move, whim), rng)
    raise ValueError(f"There is no style {style!r}; the styles are {', '.join(STYLES)}.")


def _best(moves: list[tuple], value, rng: random.Random) -> tuple:
    """One of the moves with the highest value."""
    values = [value(move) for move in moves]
    best = max(values)
    return rng.choice([moves[i] for i in range(len(moves)) if values[i] == best])


# Looking at bare cells: what would be filled, what could be placed.


def cells_filled_by(workers: set[Cell], jungle: set[Cell], cell: Cell) -> list[Cell]:
    """The empty jungle cells that a worker tile on this cell would cause to be filled."""
    filled = []
    for edge in range(4):
        space = beside(cell, edge)
        others = [beside(space, e) for e in range(4) if beside(space, e) != cell]
        if space not in jungle and any(other in workers for other in others):
            filled.append(space)
    return filled


def _free_cells(workers: set[Cell], jungle: set[Cell]) -> list[Cell]:
    cells = {beside(cell, edge) for cell in jungle for edge in range(4)}
    return sorted(cells - workers)


def _tiles_left(oracle: Oracle) -> int:
    return len(oracle.display) + len(oracle.jungle_pile)


# Stretch.


def _progress(cell: Cell, direction: int) -> int:
    """How far a cell lies in that direction."""
    return cell[0] * STEPS[direction][0] + cell[1] * STEPS[direction][1]


def _span(cells: set[Cell], direction: int) -> int:
    along = [_progress(cell, direction) for cell in cells]
    return max(along) - min(along) + 1


def _stretch_value(oracle: Oracle, move: tuple, direction: int) -> tuple:
    workers = set(oracle.workers)
    jungle = set(oracle.jungle)
    if move[0] == "fill":
        return (_span(jungle | {move[3]}, direction),)
    if move[0] != "place":
        return (0,)
    cell = move[3]
    filled = cells_filled_by(workers, jungle, cell)
    if _tiles_left(oracle) == 0:
        filled = []
    workers.add(cell)
    jungle.update(filled)
    next_span = _span(jungle, direction)
    if _tiles_left(oracle) > len(filled):
        for next_cell in _free_cells(workers, jungle):
            next_jungle = jungle | set(cells_filled_by(workers, jungle, next_cell))
            next_span = max(next_span, _span(next_jungle, direction))
    now = _span(jungle, direction)
    return (now, next_span, -len(filled), _span(workers | jungle, direction))


# Crowd and overbuild.


def _crowd_value(oracle: Oracle, move: tuple) -> int:
    if move[0] == "act":
        return 0
    # The middle of the two start tiles is (0.5, 0.5).
    return -((2 * move[3][0] - 1) ** 2) - (2 * move[3][1] - 1) ** 2


def _overbuild_value(oracle: Oracle, move: tuple) -> tuple:
    if move[0] in ("act", "fill"):
        return (1, move[3] if move[0] == "act" else 0)  # always with all workers
    near = [(oracle.jungle.get(beside(move[3], edge)), edge) for edge in range(4)]
    tokens = [workers_on_edge(move[1], move[2], edge) for tile, edge in near if tile == ("sun", 0)]
    return (2 if move[0] == "overbuild" else 1, sum(tokens))


# Triple. Three cells are filled at once when a tile closes a ring of worker tiles. These ways round
# a ring need the fewest tiles; the last cell is the one that causes three fillings.

RINGS: list[list[Cell]] = [
    [(1, 2), (-1, 0), (2, 1), (2, 3), (1, 4), (2, 5), (0, 5), (-1, 4), (-2, 5), (-2, 3), (-1, 2)],
    [(1, 2), (-1, 0), (2, 1), (2, 3), (0, 3), (1, 4), (-1, 4), (-2, 3), (-3, 4), (-3, 2), (-2, 1)],
]
# The ring is closed when no more jungle tiles than this are left (99: as soon as it can be).
CLOSE_AT = [99, 3, 2, 1]


def triple_plan(whim: int) -> tuple[list[Cell], int]:
    """A ring, perhaps mirrored or turned (the start tiles allow that), and when to close it."""
    ring = RINGS[whim % 2]
    if whim // 2 % 2 == 1:
        ring = [(c, r) for r, c in ring]
    if whim // 4 % 2 == 1:
        ring = [(1 - r, 1 - c) for r, c in ring]
    return ring, CLOSE_AT[whim // 8 % 4]


def _triple_value(oracle: Oracle, move: tuple, whim: int) -> tuple:
    if move[0] != "place":
        return (0, 0)
    ring, close_at = triple_plan(whim)
    workers = set(oracle.workers)
    jungle = set(oracle.jungle)
    left = _tiles_left(oracle)
    if left == 0 or ring[-1] in workers:
        return (0, 0)  # nothing to gain, or done
    missing = [cell for cell in ring[:-1] if cell not in workers]
    if missing:
        return (1 if move[3] == missing[0] else 0, 0)
    if left <= close_at:
        return (1 if move[3] == ring[-1] else 0, 0)
    # Wait and use up tiles, but neither too many nor the cells that are meant to be filled.
    filled = cells_filled_by(workers, jungle, move[3])
    spoilt = any(beside(ring[-1], edge) in filled for edge in range(4))
    if move[3] == ring[-1] or spoilt or left - len(filled) < close_at:
        return (0, 0)
    return (1, len(filled))
