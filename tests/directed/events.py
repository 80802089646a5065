"""What happens in a game, read from its moves and from the positions before, between and after them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.rules.scenario import beside, left_to_draw, temple_counts

Position = dict[str, Any]
Move = tuple[Any, ...]
Cell = tuple[int, int]


class Act(NamedTuple):
    """One edge's action.  Holdings are gold, cacao, sun tokens and the value of the water field.

    ``route`` says why the edge is activated.  The tile just placed faces a tile that lay there
    (``own``; ``over`` if it overbuilds) or one filled this turn (``laid``).  Or a tile of an earlier
    turn, the active player's (``earlier``) or another's (``other``), faces one filled this turn.
    """

    number: int  # of the move in the record, from 0
    route: str
    kind: str  # a volcano's with what its edge says
    seat: int
    workers: int
    before: tuple[int, ...]
    after: tuple[int, ...]


def holdings(position: Position, seat: int) -> tuple[int, ...]:
    return tuple(position[field][seat] for field in ("gold", "cacao", "sun", "water"))


def acts(positions: list[Position], moves: list[Move]) -> Iterator[Act]:
    """Every action of a game."""
    for number, move in enumerate(moves):
        if move[0] in ("place", "overbuild"):
            placed, laid = move, set()
        elif move[0] == "fill":
            laid.add(move[3])
        else:
            _, cell, edge, workers = move
            position, faced = positions[number], beside(cell)[edge]
            seat, mover = position["player"], position["turn"] % len(position["gold"])
            if cell != placed[3]:
                route = "earlier" if seat == mover else "other"
            elif placed[0] == "overbuild":
                route = "over"
            else:
                route = "laid" if faced in laid else "own"
            kind, orientation = position["jungle"][faced]
            if kind == "volcano":  # [R5]
                kind += "-1" if edge % 2 == orientation else "+2"
            before, after = (holdings(p, seat) for p in positions[number : number + 2])
            yield Act(number, route, kind, seat, workers, before, after)


def triples(positions: list[Position], moves: list[Move]) -> Iterator[tuple[int, list[Cell], int]]:
    """Every placement that calls for three tiles: its number, the cells, the tiles left."""
    for number, move in enumerate(moves):
        after = positions[number + 1]
        if move[0] == "place" and len(after["to_fill"]) == 3:
            yield number, after["to_fill"], left_to_draw(after)


def covers_at_temples(
    positions: list[Position], moves: list[Move]
) -> Iterator[tuple[int, Cell, list[int], list[int]]]:
    """Overbuildings that change one temple's workers: number, temple, workers before and after."""
    for number, move in enumerate(moves):
        if move[0] == "overbuild":
            before, after = positions[number : number + 2]
            near = [
                cell for cell in beside(move[3]) if before["jungle"].get(cell, "?")[0] == "temple"
            ]
            counts = [[temple_counts(p, cell) for p in (before, after)] for cell in near]
            if len(near) == 1 and counts[0][0] != counts[0][1]:
                yield number, near[0], *counts[0]


def temples(position: Position) -> dict[Cell, tuple[int, ...]]:
    """The workers of every player at every temple."""
    cells = [cell for cell, (kind, _) in position["jungle"].items() if kind == "temple"]
    return {cell: tuple(temple_counts(position, cell)) for cell in sorted(cells)}
