"""Draw a position: the table, and beside it display, piles and village boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...engine.tiles import CACAO_PLACES, SUN_PLACES, WATER_TRACK
from ...gold_sources import SOURCES
from ..position import Position
from .art import (
    COLOURS,
    INK,
    LIGHT,
    PAPER,
    SHADE,
    cacao_fruit,
    gold_coin,
    jungle_tile,
    sign,
    small,
    sun_token,
    tile_back,
    worker_tile,
)
from .shapes import UNIT, Ellipse, Rect, Shape, Words

SHEET = "#EFE7D6"
PANEL_WIDTH = 560.0
MARGIN = 24.0
BOARD_HEIGHT = 210.0
NAME = 16  # characters of a name that are drawn
NEWEST, OPEN, TO_FILL = "#E4002B", "#B9AE9A", "#E4002B"


@dataclass(frozen=True)
class Scene:
    """Shapes and the size of their sheet."""

    shapes: list[Shape]
    width: float
    height: float
    corner: tuple[int, int]  # row and column of the tile cell at the upper left


Extent = tuple[tuple[int, int], tuple[int, int]]  # first and last row, first and last column


def scene_of(
    position: Position,
    title: str = "",
    panel: bool = True,
    extent: Extent | None = None,
    names: Sequence[str] = (),
) -> Scene:
    """Draw a position; without ``panel`` only the table.  ``extent``: cells to show, default all.

    A frame of a history has a caption with its move and the scores, and at the end the sources of the
    gold.  ``names`` are those of the players.
    """
    rows, columns = extent or extent_of(position)
    width = (columns[1] - columns[0] + 1) * UNIT + 2 * MARGIN
    height = (rows[1] - rows[0] + 1) * UNIT + 2 * MARGIN
    shapes = table(position, rows[0], columns[0])
    if panel:
        known = names or [f"player {seat + 1}" for seat in range(position["players"])]
        beside, tall = _panel(position, width, title, [name[:NAME] for name in known])
        height = max(height, tall)
        shapes += beside
        width += PANEL_WIDTH
    sheet: list[Shape] = [Rect(0, 0, width, height, 0, SHEET)]
    return Scene(sheet + shapes, width, height, (rows[0], columns[0]))


def extent_of(position: Position) -> Extent:
    """Return the first and last row and column of everything drawn on the table."""
    cells = [(tile["row"], tile["column"]) for tile in position["tiles"]]
    cells += [tuple(cell) for cell in position["open"] + position["fill"]]
    rows, columns = zip(*cells)
    return (min(rows), max(rows)), (min(columns), max(columns))


def table(position: Position, first_row: int, first_column: int) -> list[Shape]:
    """Draw all tiles, the open cells and the cells to fill."""

    def corner(row: int, column: int) -> tuple[float, float]:
        return MARGIN + (column - first_column) * UNIT, MARGIN + (row - first_row) * UNIT

    shapes: list[Shape] = []
    for row, column in position["open"]:
        x, y = corner(row, column)
        shapes.append(Rect(x + 30, y + 30, 40, 40, 8, None, OPEN, 2.5, dashed=True))
    newest: list[Shape] = []
    for tile in position["tiles"]:
        x, y = corner(tile["row"], tile["column"])
        shapes += tile_shapes(tile, x, y)
        if tile["last"]:
            newest.append(Rect(x - 1, y - 1, 102, 102, 12, None, NEWEST, 5))
    for row, column in position["fill"]:
        x, y = corner(row, column)
        newest.append(Rect(x + 6, y + 6, 88, 88, 10, "#FFFFFF", TO_FILL, 4, dashed=True))
        newest.append(Words(x + 50, y + 51, "?", 52, TO_FILL, bold=True))
    return shapes + newest


def tile_shapes(tile: dict[str, Any], x: float, y: float) -> list[Shape]:
    """Draw a tile of the table, with the edges of the tiles below it."""
    if "kind" in tile:
        return small(jungle_tile(tile["kind"], tile["turned"]), x, y, UNIT)
    found: list[Shape] = []
    under = tile["under"]
    for number, below in enumerate(under):
        off = 5.0 * (len(under) - number)
        colour = COLOURS[below["owner"]]
        found.append(Rect(x + 2 + off, y + 2 + off, 96, 96, 10, LIGHT[below["owner"]], colour, 4))
    off = -2.0 * len(under)
    edges = tuple(tile["edges"])
    found += small(worker_tile(tile["owner"], edges), x + off, y + off, UNIT)
    if under:
        found.append(Ellipse(x + 84 + off, y + 84 + off, 11, 11, PAPER, INK, 2))
        found.append(Words(x + 84 + off, y + 84.5 + off, str(len(under) + 1), 15, INK, bold=True))
    return found


# --- Beside the table ---------------------------------------------------------------------------


def _panel(
    position: Position, x: float, title: str, names: Sequence[str]
) -> tuple[list[Shape], float]:
    """(shapes, height) of what stands beside the table."""
    y = MARGIN
    shapes: list[Shape] = []
    headline = title or _headline(position, names)
    shapes.append(Words(x, y + 14, headline, 24, INK, "start", bold=True))
    y += 40
    if "move" in position:
        shapes.append(Words(x, y + 4, _caption(position, names), 19, INK, "start"))
        y += 30
    is_told = position["phase"] == "over" and "sources" in position
    shapes += _sources(position, x, y, names) if is_told else _supply(position, x, y)
    y += 150
    for seat in range(position["players"]):
        shapes += _village(position, seat, x, y, names[seat])
        y += BOARD_HEIGHT + 12
    return shapes, y + MARGIN - 12


def _caption(position: Position, names: Sequence[str]) -> str:
    """The scores if the game ended now, and the move that led to the position."""
    scores = " : ".join(str(seat["score"]) for seat in position["seats"])
    if position["move"] is None:
        return f"{scores}   the deal"
    return f"{scores}   {names[position['mover']]}: {position['move']}"


def _sources(position: Position, x: float, y: float, names: Sequence[str]) -> list[Shape]:
    """Where each player's gold came from, the winners first."""
    kinds = [
        kind for kind in SOURCES if kind != ("mines" if position["volcanoes"] else "volcanoes")
    ]
    at = [x + 190 + 66 * column for column in range(len(kinds) + 1)]
    shapes: list[Shape] = [
        Words(where, y + 10, word, 15, SHADE, "end")
        for where, word in zip(at, [*kinds, "score"], strict=True)
    ]

    def place(seat: int) -> tuple[bool, int]:
        return seat not in position["winners"], -position["seats"][seat]["score"]

    for line, seat in enumerate(sorted(range(position["players"]), key=place)):
        middle = y + 38 + 26 * line
        shapes += sign(seat, x + 10, middle, 8)
        shapes.append(Words(x + 26, middle, names[seat], 16, INK, "start"))
        gold = [position["sources"][seat][kind] for kind in kinds]
        for where, number in zip(at, [*gold, position["seats"][seat]["score"]], strict=True):
            shapes.append(Words(where, middle, str(number), 16, INK, "end", bold=where == at[-1]))
    return shapes


def _headline(position: Position, names: Sequence[str]) -> str:
    if position["phase"] == "over":
        winners = " and ".join(names[seat] for seat in position["winners"])
        return f"The game is over: {winners} won"
    doing = {"place": "places a tile", "fill": "fills a jungle cell", "act": "acts"}
    what = doing[position["phase"]]
    number = position["turn"] + 1
    return f"Turn {number} of {position['turns']}: {names[position['seat']]} {what}"


def _supply(position: Position, x: float, y: float) -> list[Shape]:
    """The display and the tiles left in the jungle pile."""
    shapes: list[Shape] = []
    if position["display"]:
        shapes.append(Words(x, y + 10, "display", 17, SHADE, "start"))
    for number, kind in enumerate(position["display"]):
        shapes += small(jungle_tile(kind), x + 104 * number, y + 24, 96)
    left = x + 228
    count = f"jungle pile: {position['pile_size']}"
    shapes.append(Words(left, y + 10, count, 17, SHADE, "start"))
    for number, (kind, copies) in enumerate(position["pile"].items()):
        column, line = number % 6, number // 6
        at = (left + 52 * column, y + 24 + 50 * line)
        shapes += small(jungle_tile(kind), *at, 34)
        shapes.append(Words(at[0] + 43, at[1] + 18, str(copies), 16, INK))
    return shapes


def _village(position: Position, seat: int, x: float, y: float, name: str) -> list[Shape]:
    """A player's village board."""
    player = position["seats"][seat]
    width = PANEL_WIDTH - MARGIN
    deciding = position["seat"] == seat
    line = 6 if deciding else 2.5
    shapes: list[Shape] = [
        Rect(x, y, width, BOARD_HEIGHT, 14, PAPER),
        Rect(x, y, width, 46, 14, LIGHT[seat]),
        Rect(x, y + 30, width, 18, 0, LIGHT[seat]),
        Rect(x, y, width, BOARD_HEIGHT, 14, None, COLOURS[seat], line),
    ]
    shapes += sign(seat, x + 30, y + 24, 12)
    shapes.append(Words(x + 54, y + 24, name, 21, INK, "start", bold=True))
    if deciding or seat in position["winners"]:
        word = "to decide" if deciding else "winner"
        shapes.append(
            Words(x + 74 + 12.5 * max(8, len(name)), y + 24, word, 17, NEWEST, "start", bold=True)
        )
    shapes += gold_coin(x + width - 150, y + 24, 13)
    score = f"{player['gold']}  ({player['score']})"
    shapes.append(Words(x + width - 128, y + 24, score, 22, INK, "start", bold=True))
    shapes += _water(player, x + 22, y + 74)
    shapes += _stores(player, x + 22, y + 122)
    shapes += _hand(player, seat, x + 22, y + 150)
    return shapes


def _water(player: dict[str, Any], x: float, y: float) -> list[Shape]:
    """The water track with the carrier on it."""
    shapes: list[Shape] = [Words(x, y, "water", 16, SHADE, "start")]
    for field, worth in enumerate(WATER_TRACK.tolist()):
        at = x + 76 + 50 * field
        here = field == player["water"]
        ground = "#1F78B4" if here else "#D6ECF7"
        shapes.append(Rect(at - 22, y - 15, 44, 30, 8, ground, INK, 1.5))
        shapes.append(Words(at, y + 0.5, str(worth), 17, PAPER if here else INK, bold=here))
    return shapes


def _stores(player: dict[str, Any], x: float, y: float) -> list[Shape]:
    """Stored cacao and sun tokens."""
    shapes: list[Shape] = [Words(x, y, "cacao", 16, SHADE, "start")]
    for place in range(CACAO_PLACES):
        shapes += cacao_fruit(x + 76 + 26 * place, y, 13, place < player["cacao"])
    shapes.append(Words(x + 250, y, "sun", 16, SHADE, "start"))
    for place in range(SUN_PLACES):
        shapes += sun_token(x + 306 + 32 * place, y, 12, place < player["sun"])
    return shapes


def _hand(player: dict[str, Any], seat: int, x: float, y: float) -> list[Shape]:
    """The tiles in hand, or their backs, and the size of the pile."""
    shapes: list[Shape] = [Words(x, y + 24, "hand", 16, SHADE, "start")]
    hand = player["hand"] if player["hand"] is not None else [None] * player["held"]
    for number, kind in enumerate(hand):
        edges = None if kind is None else tuple(int(digit) for digit in kind)
        art = tile_back(seat) if edges is None else worker_tile(seat, edges)
        shapes += small(art, x + 62 + 54 * number, y, 48)
    shapes.append(Words(x + 250, y + 24, f"pile: {player['pile']}", 16, SHADE, "start"))
    return shapes
