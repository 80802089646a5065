"""Draw a position: the table, and beside it display, piles and village boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..engine.tiles import CACAO_PLACES, SUN_PLACES, WATER_TRACK
from ..gold_sources import SOURCES
from . import art
from .art import INK, document, jungle_tile, rect, sign, symbol, tile_back, words, worker_tile
from .position import Position

SHEET = "#EFE7D6"
PANEL_WIDTH = 560.0
MARGIN = 24.0
BOARD_HEIGHT = 210.0
NAME = 16  # characters of a name that are drawn
NEWEST, OPEN, TO_FILL = "#E4002B", "#B9AE9A", "#E4002B"
WATER, POOL = "#1F78B4", "#D6ECF7"


@dataclass(frozen=True)
class Scene:
    """A drawing as SVG text, and the size of its sheet."""

    drawn: str
    width: float
    height: float

    def svg(self, tile: float = 60.0) -> str:
        """Return the picture as an SVG file; a tile is ``tile`` pixels wide."""
        return document(self.drawn, self.width, self.height, tile)


Extent = tuple[tuple[int, int], tuple[int, int]]  # first and last row, first and last column


def scene_of(position: Position, names: Sequence[str] = ()) -> Scene:
    """Draw a position.

    A frame of a history has a caption with its move and the scores, and at the end the sources of the
    gold.  ``names`` are those of the players.
    """
    (top, bottom), (left, right) = extent_of(position)
    table_width = (right - left + 1) * art.UNIT + 2 * MARGIN
    known = names or [f"player {seat + 1}" for seat in range(position["players"])]
    beside, tall = _panel(position, table_width, [name[:NAME] for name in known])
    width, height = table_width + PANEL_WIDTH, max((bottom - top + 1) * art.UNIT + 2 * MARGIN, tall)
    sheet = rect(0, 0, width, height, 0, f'fill="{SHEET}"')
    return Scene(sheet + table(position, top, left) + beside, width, height)


def extent_of(position: Position) -> Extent:
    """Return the first and last row and column of everything drawn on the table."""
    cells = [(tile["row"], tile["column"]) for tile in position["tiles"]]
    cells += [tuple(cell) for cell in position["open"] + position["fill"]]
    rows, columns = zip(*cells)
    return (min(rows), max(rows)), (min(columns), max(columns))


def table(position: Position, first_row: int, first_column: int) -> str:
    """Draw all tiles, the open cells and the cells to fill."""

    def corner(row: int, column: int) -> tuple[float, float]:
        return MARGIN + (column - first_column) * art.UNIT, MARGIN + (row - first_row) * art.UNIT

    drawn = ""
    for row, column in position["open"]:
        x, y = corner(row, column)
        drawn += rect(x + 30, y + 30, 40, 40, 8, _outline(OPEN, 2.5, dashed=True))
    newest = ""
    for tile in position["tiles"]:
        x, y = corner(tile["row"], tile["column"])
        drawn += tile_drawn(tile, x, y)
        if tile["last"]:
            newest += rect(x - 1, y - 1, 102, 102, 14, _outline(NEWEST, 5))
    for row, column in position["fill"]:
        x, y = corner(row, column)
        newest += rect(x + 6, y + 6, 88, 88, 10, _outline(TO_FILL, 4, "#FFFFFF", dashed=True))
        newest += words(x + 50, y + 51, "?", 52, TO_FILL, "middle", bold=True)
    return drawn + newest


def _outline(colour: str, width: float, fill: str = "none", dashed: bool = False) -> str:
    dashes = ' stroke-dasharray="9 7"' if dashed else ""
    return f'fill="{fill}" stroke="{colour}" stroke-width="{width:g}"{dashes}'


def tile_drawn(tile: dict[str, Any], x: float, y: float) -> str:
    """Draw a tile of the table, with the edges of the tiles below it."""
    if "kind" in tile:
        return jungle_tile(tile["kind"], tile["turned"], x, y)
    drawn, under = "", tile["under"]
    for below in under:
        paint = _outline(art.COLOURS[below["owner"]], 4, art.LIGHT[below["owner"]])
        drawn += rect(x + 7, y + 7, 95, 95, 13, paint)
    off = -2.0 * len(under)
    drawn += worker_tile(tile["owner"], tuple(tile["edges"]), x + off, y + off)
    if under:
        drawn += f'<circle cx="{x + 84:g}" cy="{y + 14:g}" r="12" {_outline(INK, 2, "#F7A707")}/>'
        drawn += words(x + 84, y + 14, str(len(under) + 1), 15, INK, "middle", bold=True)
    return drawn


# --- Beside the table ---------------------------------------------------------------------------


def _panel(position: Position, x: float, names: Sequence[str]) -> tuple[str, float]:
    """(drawing, height) of what stands beside the table."""
    y = MARGIN
    drawn = _fitted(x, y + 14, _headline(position, names), 24, bold=True)
    y += 40
    if "move" in position:
        drawn += _fitted(x, y + 4, _caption(position, names), 19)
        y += 30
    is_told = position["phase"] == "over" and "sources" in position
    drawn += _sources(position, x, y, names) if is_told else _supply(position, x, y)
    y += 150
    for seat in range(position["players"]):
        drawn += _village(position, seat, x, y, names[seat])
        y += BOARD_HEIGHT + 12
    return drawn, y + MARGIN - 12


def _fitted(x: float, y: float, text: str, size: float, bold: bool = False) -> str:
    return words(x, y, text, min(size, (PANEL_WIDTH - MARGIN) / (0.56 * len(text))), bold=bold)


def _caption(position: Position, names: Sequence[str]) -> str:
    """The scores if the game ended now, and the move that led to the position."""
    scores = " : ".join(str(seat["score"]) for seat in position["seats"])
    if position["move"] is None:
        return f"{scores}   the deal"
    return f"{scores}   {names[position['mover']]}: {position['move']}"


def _sources(position: Position, x: float, y: float, names: Sequence[str]) -> str:
    """Where each player's gold came from, the winners first."""
    absent = "mines" if position["volcanoes"] else "volcanoes"
    kinds = [kind for kind in SOURCES if kind != absent]
    at = [x + 212 + 64 * column for column in range(len(kinds) + 1)]
    drawn = "".join(
        words(where, y + 10, word, 12, art.SHADE, "end")
        for where, word in zip(at, [*kinds, "score"], strict=True)
    )

    ranked = [
        (seat not in position["winners"], -one["score"], seat)
        for seat, one in enumerate(position["seats"])
    ]
    for line, (_, _, seat) in enumerate(sorted(ranked)):
        middle = y + 38 + 26 * line
        drawn += sign(seat, x + 10, middle, 9) + words(x + 26, middle, names[seat], 15)
        gold = [position["sources"][seat][kind] for kind in kinds]
        for where, amount in zip(at, [*gold, position["seats"][seat]["score"]], strict=True):
            drawn += words(where, middle, str(amount), 16, INK, "end", bold=where == at[-1])
    return drawn


def _headline(position: Position, names: Sequence[str]) -> str:
    if position["phase"] == "over":
        winners = " and ".join(names[seat] for seat in position["winners"])
        return f"The game is over: {winners} won"
    doing = {"place": "places a tile", "fill": "fills a jungle cell", "act": "acts"}
    turn = f"Turn {position['turn'] + 1} of {position['turns']}"
    return f"{turn}: {names[position['seat']]} {doing[position['phase']]}"


def _supply(position: Position, x: float, y: float) -> str:
    """The display and the tiles left in the jungle pile."""
    drawn = words(x, y + 10, "display", 17, art.SHADE) if position["display"] else ""
    for number, kind in enumerate(position["display"]):
        drawn += jungle_tile(kind, False, x + 104 * number, y + 24, 96)
    left = x + 228
    drawn += words(left, y + 10, f"jungle pile: {position['pile_size']}", 17, art.SHADE)
    for number, (kind, copies) in enumerate(position["pile"].items()):
        column, line = number % 6, number // 6
        at = (left + 52 * column, y + 24 + 50 * line)
        drawn += jungle_tile(kind, False, *at, 34)
        drawn += words(at[0] + 43, at[1] + 18, str(copies), 16, INK, "middle")
    return drawn


def _village(position: Position, seat: int, x: float, y: float, name: str) -> str:
    """A player's village board."""
    player = position["seats"][seat]
    width = PANEL_WIDTH - MARGIN
    deciding = position["seat"] == seat
    line = 6 if deciding else 2.5
    light = f'fill="{art.LIGHT[seat]}"'
    drawn = (
        rect(x, y, width, BOARD_HEIGHT, 14, f'fill="{art.PAPER}"')
        + rect(x, y, width, 46, 14, light)
        + rect(x, y + 30, width, 18, 0, light)
        + rect(x, y, width, BOARD_HEIGHT, 14, _outline(art.COLOURS[seat], line))
        + sign(seat, x + 30, y + 24, 13)
        + words(x + 54, y + 24, name, 21, bold=True)
    )
    if deciding or seat in position["winners"]:
        word = "to decide" if deciding else "winner"
        drawn += words(x + 74 + 12.5 * max(8, len(name)), y + 24, word, 17, NEWEST, bold=True)
    score = f"{player['gold']}  ({player['score']})"
    drawn += symbol("coin", x + width - 165, y + 9, 30)
    drawn += words(x + width - 128, y + 24, score, 22, bold=True)
    drawn += _water(player, x + 22, y + 74) + _stores(player, x + 22, y + 122)
    return drawn + _hand(player, seat, x + 22, y + 150)


def _water(player: dict[str, Any], x: float, y: float) -> str:
    """The water track with the carrier on it."""
    drawn = words(x, y, "water", 16, art.SHADE)
    for field, worth in enumerate(WATER_TRACK.tolist()):
        at = x + 76 + 50 * field
        here = field == player["water"]
        drawn += rect(at - 22, y - 15, 44, 30, 8, _outline(INK, 1.5, WATER if here else POOL))
        drawn += words(at, y, str(worth), 17, art.PAPER if here else INK, "middle", bold=here)
    return drawn


def _stores(player: dict[str, Any], x: float, y: float) -> str:
    """Stored cacao and sun tokens."""

    def places(name: str, count: int, all_of_them: int, at: float) -> str:
        return "".join(
            symbol(name, at + 32 * place, y - 16, 32, "" if place < count else ' opacity="0.2"')
            for place in range(all_of_them)
        )

    drawn = words(x, y, "cacao", 16, art.SHADE)
    drawn += places("pod", player["cacao"], CACAO_PLACES, x + 60)
    drawn += words(x + 250, y, "sun", 16, art.SHADE)
    return drawn + places("sunface", player["sun"], SUN_PLACES, x + 296)


def _hand(player: dict[str, Any], seat: int, x: float, y: float) -> str:
    """The tiles in hand, or their backs, and the size of the pile."""
    drawn = words(x, y + 24, "hand", 16, art.SHADE)
    hand = player["hand"] if player["hand"] is not None else [None] * player["held"]
    for number, kind in enumerate(hand):
        at = x + 62 + 54 * number
        if kind is None:
            drawn += tile_back(seat, at, y, 48)
        else:
            drawn += worker_tile(seat, tuple(int(digit) for digit in kind), at, y, 48)
    return drawn + words(x + 250, y + 24, f"pile: {player['pile']}", 16, art.SHADE)
