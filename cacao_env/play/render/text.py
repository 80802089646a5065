"""A position as text that fits one screen.

Each cell is three lines of three characters: a worker tile shows its workers around the owner's
letter (A is seat 0; a small letter has another tile below), a jungle tile a two-letter sign::

     2
    1A1     P1 plantation   M2 market   G1 gold mine   ~~ water   ** sun   TT temple
     0      V= volcano that gives to east and west     V| one that gives to north and south
"""

from __future__ import annotations

from textwrap import wrap

from ...engine.geometry import cell_index
from ...engine.state import ACT, FILL, OVERBUILT, OWNER, PLACE, WORKERS, jungle_pile_size
from ...engine.tiles import JUNGLE_KINDS, NUM_JUNGLE_KINDS, WATER_TRACK, WORKER_KINDS
from ...game import Game

SIGNS = ("", "P1", "P2", "M2", "M3", "M4", "G1", "G2", "~~", "**", "TT", "V=", "V|")
LETTERS = "ABCD"
LEGEND = """\
  A worker tile shows its workers on four sides around its owner's letter: A is the first seat.
  A small letter: another tile lies below.  < >: the tile placed last.  . : a worker tile may go here.
  P1 P2  plantation, 1 or 2 cacao a worker     M2 M3 M4  market, gold for a cacao
  G1 G2  gold mine, 1 or 2 gold a worker       ~~  water     **  sun     TT  temple
  V=  volcano, gold east and west              V|  volcano, gold north and south"""
_COLOURS = ("\x1b[31m", "\x1b[34m", "\x1b[33m", "\x1b[35m")
_JUNGLE, _BOLD, _OFF = "\x1b[32m", "\x1b[1m", "\x1b[0m"


def picture(game: Game, viewer: int | None = None, colour: bool = False) -> str:
    """The table, the players and what is to be decided, as text.

    ``viewer`` hides the hands of the other seats; None shows all.  ``colour`` uses ANSI colours.
    """
    return "\n".join(_table(game, colour) + [""] + _players(game, viewer, colour) + _piles(game))


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


def _players(game: Game, viewer: int | None, colour: bool) -> list[str]:
    state, scores = game.state, game.scores()
    lines = ["seat  gold  if ended now  cacao  sun  water  pile  hand"]
    for seat in range(game.num_players):
        if viewer is None or viewer == seat:
            hand = " ".join(
                kind
                for number, kind in enumerate(WORKER_KINDS)
                for _ in range(int(state.hand[seat, number]))
            )
        else:
            hand = " ".join(["????"] * int(sum(state.hand[seat])))
        pile = int(state.tiles_each) - int(state.drawn[seat])
        line = (
            f"{LETTERS[seat]:<4}  {int(state.gold[seat]):>4}  {scores[seat]:>12}  "
            f"{int(state.cacao[seat]):>5}  {int(state.sun[seat]):>3}  "
            f"{int(WATER_TRACK[state.water[seat]]):>5}  {pile:>4}  {hand}"
        )
        lines.append(_paint(line, _COLOURS[seat], colour) + (" *" if game.seat == seat else ""))
    return lines


def _piles(game: Game) -> list[str]:
    state = game.state
    display = ", ".join(JUNGLE_KINDS[int(code) - 1] for code in state.display if code > 0)
    left = ", ".join(
        f"{int(state.jungle_pile[code])} {JUNGLE_KINDS[code - 1]}"
        for code in range(1, NUM_JUNGLE_KINDS + 1)
        if state.jungle_pile[code] > 0
    )
    size = int(jungle_pile_size(state))
    pile = f"{size} jungle tiles in the pile{': ' if left else ''}{left}"
    lines = wrap(f"display: {display or 'empty'}; {pile}", 110, subsequent_indent="  ")
    if game.seat is None:
        winners = " and ".join(LETTERS[seat] for seat in game.winners())
        return lines + [f"The game is over: {winners} won."]
    what = {PLACE: "places a worker tile", FILL: "fills a jungle cell", ACT: "acts"}
    turns = game.num_players * int(state.tiles_each)
    doing = what[int(state.phase)]
    return lines + [f"turn {game.turn + 1} of {turns}: {LETTERS[game.seat]} {doing}"]
