"""A position as text that fits one screen.

Each cell is three lines of three characters: a worker tile shows its workers around the owner's
letter (A is seat 0; a small letter has another tile below), a jungle tile a two-letter sign::

     2
    1A1     P1 plantation   M2 market   G1 gold mine   ~~ water   ** sun   TT temple
     0      V= volcano that gives to east and west     V| one that gives to north and south
"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from ..engine.geometry import cell_index
from ..engine.state import OVERBUILT, OWNER, WORKERS
from .position import Position, position_of

if TYPE_CHECKING:
    from ..game import Game

SIGNS = ("", "P1", "P2", "M2", "M3", "M4", "G1", "G2", "~~", "**", "TT", "V=", "V|")
LETTERS = "ABCD"
DOING = {"place": "places a worker tile", "fill": "fills a jungle cell", "act": "acts"}
_COLOURS = ("\x1b[31m", "\x1b[34m", "\x1b[33m", "\x1b[35m")
_JUNGLE, _BOLD, _OFF = "\x1b[32m", "\x1b[1m", "\x1b[0m"


def picture(game: Game, viewer: int | None = None, colour: bool = False) -> str:
    """The table, the players and what is to be decided, as text.

    ``viewer`` hides the hands of the other seats; None shows all.  ``colour`` uses ANSI colours.
    """
    position = position_of(game, viewer)
    return "\n".join([*_table(game, colour), "", *_players(position, colour), *_piles(position)])


def _paint(text: str, colour: str, on: bool) -> str:
    return f"{colour}{text}{_OFF}" if on else text


def _table(game: Game, colour: bool) -> list[str]:
    """The cells in play with a margin for open cells, under column numbers."""
    state = game.state
    rows = range(int(state.row_min) - 1, int(state.row_max) + 2)
    columns = range(int(state.column_min) - 1, int(state.column_max) + 2)
    lines = ["     " + " ".join(f"{column:^3d}" for column in columns)]
    for row in rows:
        cells = [_cell(game, int(cell_index(row, column)), colour) for column in columns]
        for line in range(3):
            label = f"{row:>3d}  " if line == 1 else "     "
            lines.append((label + " ".join(cell[line] for cell in cells)).rstrip())
    return lines


def _cell(game: Game, index: int, colour: bool) -> tuple[str, str, str]:
    state = game.state
    code = int(state.board[index])
    row, column = divmod(index, 32)
    on_jungle_cell = (row + column) % 2 == 0
    if code <= 0:
        return "   ", " . " if code < 0 and not on_jungle_cell else "   ", "   "
    if on_jungle_cell:
        return "   ", _paint(f"{SIGNS[code]:<3}", _JUNGLE, colour), "   "
    owner = int(OWNER[code])
    letter = LETTERS[owner].lower() if code >= OVERBUILT else LETTERS[owner]
    north, east, south, west = (str(n) if n else " " for n in WORKERS[code])
    mark = ("<", ">") if index == state.last else (" ", " ")
    top = f"{mark[0]}{north}{mark[1]}"
    style = _COLOURS[owner] + (_BOLD if index == state.last else "")
    return (
        _paint(top, style, colour),
        _paint(f"{west}{letter}{east}", style, colour),
        _paint(f" {south} ", style, colour),
    )


def _players(position: Position, colour: bool) -> list[str]:
    lines = ["seat  gold  if ended now  cacao  sun  water  pile  hand"]
    for seat, own in enumerate(position["seats"]):
        hand = " ".join(own["hand"] or ["????"] * own["held"])
        line = (
            f"{LETTERS[seat]:<4}  {own['gold']:>4}  {own['score']:>12}  {own['cacao']:>5}  "
            f"{own['sun']:>3}  {own['worth']:>5}  {own['pile']:>4}  {hand}"
        )
        mark = " *" if position["seat"] == seat else ""
        lines.append(_paint(line, _COLOURS[seat], colour) + mark)
    return lines


def _piles(position: Position) -> list[str]:
    left = ", ".join(f"{count} {kind}" for kind, count in position["pile"].items())
    pile = f"{position['pile_size']} jungle tiles in the pile{': ' if left else ''}{left}"
    display = ", ".join(position["display"]) or "empty"
    lines = wrap(f"display: {display}; {pile}", 110, subsequent_indent="  ")
    if position["seat"] is None:
        winners = " and ".join(LETTERS[seat] for seat in position["winners"])
        return lines + [f"The game is over: {winners} won."]
    doing = DOING[position["phase"]]
    turn = f"turn {position['turn'] + 1} of {position['turns']}"
    return lines + [f"{turn}: {LETTERS[position['seat']]} {doing}"]
