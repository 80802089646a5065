"""What a language model reads: the rules in short, and a position as one seat sees it.

Everything is made of :func:`cacao_env.render.position.position_of` for the seat, and of the legal
moves.  Neither knows another hand or the order of a pile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..engine import tiles
from ..engine.notation import Move, to_text
from ..files import read_text
from ..game import Game
from ..render.position import Position, position_of
from ..render.text import LETTERS, SIGNS

TALL = 16  # rows from which on columns need fewer tokens
_TASK = {
    "place": "place a worker tile",
    "fill": "fill a jungle cell",
    "act": "choose how many workers of an edge act",
}
Message = dict[str, str]  # of a chat: role and content


def message(role: str, content: str) -> Message:
    """Return a message of a chat."""
    return {"role": role, "content": content}


_REPLY = """end your reply with one move as JSON: {"move": "place 2101/1 at 0,1"}
A reply without one legal move is refused with the reason."""
_TOOL = """call the tool play with one move, such as: place 2101/1 at 0,1
An illegal move is refused with the reason."""


@cache
def primer(tool: bool = False) -> str:
    """Return the rules, the notation of moves and how to state one: the same for every seat.

    ``tool``: whether the tool ``play`` takes a move, instead of the end of a reply.
    """
    return read_text(Path(__file__).with_name("primer.txt")).format(
        kinds=", ".join(tiles.WORKER_KINDS),
        track=", ".join(map(str, tiles.WATER_TRACK)),
        places=tiles.CACAO_PLACES,
        tokens=tiles.SUN_PLACES,
        first=tiles.TEMPLE_FIRST,
        second=tiles.TEMPLE_SECOND,
        reply=_TOOL if tool else _REPLY,
    )


def prompt(game: Game, seat: int, listed: bool = True) -> str:
    """Return the position that a seat sees and what it has to decide; ``listed``: legal moves too."""
    position = position_of(game, seat)
    moves = game.legal_moves() if listed and game.seat == seat else []
    others = range(seat + 1, seat + position["players"])
    alone = " Steps 2 and 3 are played for everyone." if game.decisions == "turn" else ""
    return "\n".join(
        (
            f"You are {LETTERS[seat]}. {_now(position, seat)}{alone}",
            *_table(position["tiles"]),
            _own(position["seats"][seat], seat),
            *(_other(position["seats"], one % position["players"]) for one in others),
            f"Display: {', '.join(position['display']) or 'empty'}. "
            f"Jungle pile: {_counts(position['pile'])}.",
            *([f"Legal: {'; '.join(_legal(moves))}."] if moves else _pending(position)),
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


def _pending(position: Position) -> Iterator[str]:
    """Yield a line on the edges that the seat has still to decide, if it is to act."""
    edges = [edge for edge in position["pending"] if edge["seat"] == position["seat"]]
    acts = (to_text(("act", one["worker"], one["edge"], one["workers"])) for one in edges)
    if edges:
        yield f"Still to decide, each with all its workers: {'; '.join(acts)}."


def _table(laid: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each row, or column of a tall table, from its first tile to its last."""
    cells = {(t["row"], t["column"]): _tile(t) for t in laid}
    rows = [row for row, _ in cells]
    tall = max(rows) - min(rows) >= TALL
    yield f"Table, a line for each {'column, going south' if tall else 'row, going east'} from a cell:"
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
        return SIGNS[tiles.JUNGLE_KINDS.index(tile["kind"]) + 1 + tile["turned"]]
    owner = LETTERS[tile["owner"]]
    edges = "".join(map(str, tile["edges"]))
    return f"{owner.lower() if tile['under'] else owner}{edges}{'*' if tile['last'] else ''}"


def _own(own: Mapping[str, Any], seat: int) -> str:
    pile = Counter(own["left"]) - Counter(own["hand"])
    hand = _counts(Counter(own["hand"]), "x")
    return f"{_stock(own, seat)}; hand {hand}; pile {_counts(pile, 'x')}"


def _other(seats: Sequence[Mapping[str, Any]], seat: int) -> str:
    """Return another seat, whose hand and pile can be counted together."""
    own = seats[seat]
    return f"{_stock(own, seat)}; hand {own['held']} of {_counts(own['left'], 'x')}"


def _stock(own: Mapping[str, Any], seat: int) -> str:
    goods = ", ".join(f"{own[good]} {good}" for good in ("gold", "cacao", "sun"))
    return f"{LETTERS[seat]}: {goods}, water {own['worth']}, score {own['score']}"


def _counts(kinds: Mapping[str, int], between: str = " ") -> str:
    return ", ".join(f"{count}{between}{kind}" for kind, count in kinds.items()) or "empty"


def _legal(moves: Sequence[Move]) -> list[str]:
    """Return legal moves in short: those that place a tile as tiles and cells, which all combine."""
    if moves[0][0] == "fill":
        return [to_text(move) for move in moves]
    if moves[0][0] == "act":
        edges = groupby(moves, itemgetter(0, 1, 2))
        return [_acts([move[3] for move in some], *edge) for edge, some in edges]
    kinds = Counter(kind for kind, _ in {move[1:3] for move in moves})
    turned = " ".join(f"{kind}/0{'-3' * (kinds[kind] > 1)}" for kind in sorted(kinds))
    cells: dict[str, dict[str, None]] = {}
    for name, *_, (row, column) in moves:
        cells.setdefault(name, {})[f"{row},{column}"] = None
    return [f"{name} {turned} at {' '.join(some)}" for name, some in cells.items()]


def _acts(workers: Sequence[int], *edge: Any) -> str:
    """Return the moves of one edge: ``act 0,1 south with 0-2``."""
    first, last = min(workers), max(workers)
    return to_text((*edge, last)) if first == last else f"{to_text((*edge, first))}-{last}"
