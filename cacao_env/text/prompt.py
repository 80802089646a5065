"""What a language model reads: the rules in short, and a position as one seat sees it.

Everything is made of :func:`cacao_env.play.position.position_of` for the seat, and of the legal
moves.  Neither knows another hand or the order of a pile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from ..engine.notation import Cell, Move, to_text
from ..engine.tiles import (
    CACAO_PLACES,
    JUNGLE_KINDS,
    SUN_PLACES,
    TEMPLE_FIRST,
    TEMPLE_SECOND,
    WATER_TRACK,
    WORKER_KINDS,
)
from ..game import Game
from ..play.position import Position, position_of
from ..play.render.text import LETTERS, SIGNS

TALL = 20  # rows from which on columns need fewer tokens
_TASK = {
    "place": "place a worker tile",
    "fill": "fill a jungle cell",
    "act": "choose how many workers of an edge act",
}
_RULES = f"""\
You play Cacao. Most gold at the end wins; with equal gold, whoever has more cacao left.
Cells are row,column: rows grow south, columns grow east. Worker tiles lie on cells whose row +
column is odd, jungle tiles on the others. The table has no edge.

A worker tile has workers on its four edges. Its name, {", ".join(WORKER_KINDS)}, lists those on
north, east, south, west of the tile as it is not turned. /R turns it R quarter turns clockwise:
3001/1 has 1 north, 3 east. 1111 has only /0.

A turn has three steps.
1. Place one tile of your hand on an empty worker cell that touches a jungle tile.
2. Fill every empty jungle cell that now touches two or more worker tiles, anyone's, with a tile of
the display.
3. Act: each edge of the new tile that touches a jungle tile, and each edge of any player that touches
a jungle tile filled this turn. Each worker acts once. You may let fewer act, 0 to all, but not at a
volcano.
Then you draw a worker tile, and the display is refilled to 2. Hands have 3 tiles while piles last.
The game ends when all worker tiles are placed.

Table: A2101 is a tile of player A with its workers north, east, south, west as it lies; a small
letter has been overbuilt; * was placed last; . is empty; _ is a cell where you may place. P1 P2 are
plantation1 and 2, M2 M3 M4 markets, G1 G2 mines, ~~ water, ** sun, TT temple, V= volcano, V|
volcano/1.

Per worker: plantationN takes N cacao (you can store {CACAO_PLACES}; more is lost). marketN sells one
cacao for N gold. mineN gives N gold. water moves you one field along
{", ".join(map(str, WATER_TRACK))}; the value of your last field is added to your gold at the end. sun
gives a sun token (at most {SUN_PLACES}), worth 1 gold at the end. volcano gives 2 gold to a worker
east or west of it and takes 1 (never below 0) from one north or south; volcano/1 the other way round.
temple: at the end the player with most workers facing it gets {TEMPLE_FIRST} gold, the second
{TEMPLE_SECOND}. A tie for first shares {TEMPLE_FIRST} and there is no second; a tie for second shares
{TEMPLE_SECOND}.

Overbuild: once display and pile are empty, you may pay a sun token to put your tile on an own tile
instead of placing it. A cell is overbuilt once at most.

Moves:
place 2101/1 at 0,1
overbuild 1111/0 at 2,1
fill water at 0,2 (fill volcano/1 at 0,2)
act 0,1 south with 1 (of the tile at 0,1, the south edge, 1 worker)

Think if you like, then end your reply with one move as JSON: {{"move": "place 2101/1 at 0,1"}}
A reply without one legal move is refused with the reason."""


def primer() -> str:
    """Return the rules, the notation of moves and the form of a reply: the same for every seat."""
    return _RULES


def prompt(game: Game, seat: int, listed: bool = True) -> str:
    """Return the position that a seat sees and what it has to decide; ``listed``: legal moves too."""
    moves = game.legal_moves() if listed and game.seat == seat else []
    return position_text(position_of(game, seat), seat, moves)


def position_text(position: Position, seat: int, moves: Sequence[Move] = ()) -> str:
    """Return as text what ``position_of`` returned for a seat, and the legal moves if there are any."""
    others = range(seat + 1, seat + position["players"])
    return "\n".join(
        (
            f"You are {LETTERS[seat]}. {_now(position, seat)}",
            *_table(position["tiles"], {move[3] for move in moves if move[0] == "place"}),
            _own(position["seats"][seat], seat),
            *(_other(position["seats"], one % position["players"]) for one in others),
            f"Display: {', '.join(position['display']) or 'empty'}. "
            f"Jungle pile: {_counts(position['pile'])}.",
            *([f"Legal: {'; '.join(_legal(moves))}."] if moves else []),
        )
    )


def _now(position: Position, seat: int) -> str:
    if position["phase"] == "over":
        return (
            f"The game is over; won by {' and '.join(LETTERS[one] for one in position['winners'])}."
        )
    who = "you" if position["seat"] == seat else LETTERS[position["seat"]]
    turn = f"Turn {position['turn'] + 1} of {position['turns']}"
    return f"{turn}: {who} to {_TASK[position['phase']]}."


def _table(tiles: Sequence[Mapping[str, Any]], places: Collection[Cell]) -> Iterator[str]:
    """Yield a line for each row, or column of a tall table, from its first cell to its last."""
    cells = dict.fromkeys(places, "_") | {(t["row"], t["column"]): _tile(t) for t in tiles}
    rows = [row for row, _ in cells]
    tall = max(rows) - min(rows) >= TALL
    yield f"Table, {'columns, north to south' if tall else 'rows, west to east'}, from the cell named:"
    for line, some in groupby(
        sorted(cells, key=lambda c: c[::-1] if tall else c), itemgetter(tall)
    ):
        along = [cell[not tall] for cell in some]
        signs = (
            cells.get((at, line) if tall else (line, at), ".")
            for at in range(along[0], along[-1] + 1)
        )
        first = (along[0], line) if tall else (line, along[0])
        yield f"{first[0]},{first[1]}: {' '.join(signs)}"


def _tile(tile: Mapping[str, Any]) -> str:
    if "kind" in tile:
        return SIGNS[JUNGLE_KINDS.index(tile["kind"]) + 1 + tile["turned"]]
    owner = LETTERS[tile["owner"]]
    edges = "".join(map(str, tile["edges"]))
    return f"{owner.lower() if tile['under'] else owner}{edges}{'*' if tile['last'] else ''}"


def _own(own: Mapping[str, Any], seat: int) -> str:
    pile = Counter(own["left"]) - Counter(own["hand"])
    return f"{_stock(own, seat)}; hand {' '.join(own['hand']) or 'empty'}; pile {_counts(pile)}"


def _other(seats: Sequence[Mapping[str, Any]], seat: int) -> str:
    """Return another seat, whose hand and pile can be counted together."""
    return (
        f"{_stock(seats[seat], seat)}; hand {seats[seat]['held']} of {_counts(seats[seat]['left'])}"
    )


def _stock(own: Mapping[str, Any], seat: int) -> str:
    goods = ", ".join(f"{own[good]} {good}" for good in ("gold", "cacao", "sun"))
    return f"{LETTERS[seat]}: {goods}, water {own['worth']}, {own['score']} in all"


def _counts(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "empty"


def _legal(moves: Sequence[Move]) -> list[str]:
    """Return legal moves in short: placements as tiles and cells, which all combine."""
    if moves[0][0] == "fill":
        return [to_text(move) for move in moves]
    if moves[0][0] == "act":
        edges = groupby(moves, itemgetter(0, 1, 2))
        return [_acts([move[3] for move in some], *edge) for edge, some in edges]
    kinds = Counter(kind for kind, _ in {move[1:3] for move in moves})
    tiles = " ".join(f"{kind}/0{'-3' * (kinds[kind] > 1)}" for kind in sorted(kinds))
    covers = dict.fromkeys(
        f"{row},{column}" for name, *_, (row, column) in moves if name != "place"
    )
    found = [f"place {tiles} at any _"] if len(moves) > len(covers) * kinds.total() else []
    return found + ([f"overbuild {tiles} at {' '.join(covers)}"] if covers else [])


def _acts(workers: Sequence[int], *edge: Any) -> str:
    """Return the moves of one edge: ``act 0,1 south with 0-2``."""
    first, last = min(workers), max(workers)
    return to_text((*edge, last)) if first == last else f"{to_text((*edge, first))}-{last}"
