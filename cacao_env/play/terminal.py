"""Play a game in the terminal, against the same agents as on the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from .. import record
from ..agents.agent import require
from ..agents.registry import load_agent
from ..files import write_whole
from ..gold_sources import SOURCES, gold_by_source
from ..tables import DataTable
from .choices import Choice, choices_of
from .history import moves_in_words
from .render.text import LEGEND, LETTERS, picture
from .table import Table, best_agent

HELP = """\
  2101 0,1     what the tile 2-1-0-1 can do on row 0, column 1 (0,1 alone: every tile there)
  3            choice number 3 of the last list
  place 2101/1 at 0,1   a move in full
  list         every choice        table   the table again        moves   all moves so far
  best [AGENT] what an agent would do; default: the strongest that plays such games
  legend       what the signs of the table mean          gold   where the gold comes from
  undo         take back your last decision
  quit         leave the game"""
MOST_LISTED = 40
_TILE_AND_CELL = re.compile(r"(?:([\d-]{4,7})\s+)?(-?\d+)\s*,\s*(-?\d+)")


class Left(Exception):
    """The person left the game."""


def play_in_terminal(
    table: Table,
    read: Callable[[str], str],
    write: Callable[[str], None],
    colour: bool,
    target: Path | None = None,
) -> None:
    """Play a table's game to its end; Left if the person leaves it.

    ``read(prompt)`` returns a line that was typed.  The record of the finished game is written to
    ``target``, if there is one.
    """
    seats = ", ".join(f"{LETTERS[seat]} {name}" for seat, name in enumerate(table.names))
    write(f"{seats}. 'help' lists what you can type, 'legend' what the signs mean.")
    shown = 0
    while not table.game.over:
        if table.awaits_person:
            shown = _show_moves(table, shown, write)
            write("\n" + picture(table.game, table.viewer, colour))
            _decide(table, read, write, colour)
        else:
            table.advance()
    _show_moves(table, shown, write)
    write("\n" + picture(table.game, None, colour))
    write(_breakdown(table))
    write(", ".join(f"{name} {score}" for name, score in zip(table.names, table.game.scores())))
    if target is not None:
        write_whole(target, record.dumps(table.record()))
        write(f"record: {target}")


def _breakdown(table: Table) -> str:
    """Each seat's score if the game ended now by its sources, the leaders first."""
    gold = gold_by_source(table.game).tolist()
    scores, leaders = table.game.scores(), table.game.leaders()
    order = sorted(range(len(scores)), key=lambda seat: (seat not in leaders, -scores[seat]))
    rows = [(f"{LETTERS[seat]} {table.names[seat]}", *gold[seat], scores[seat]) for seat in order]
    return DataTable(("", *SOURCES, "score"), rows).text()


def _show_moves(table: Table, shown: int, write: Callable[[str], None]) -> int:
    """Write all moves but the first ``shown``; return how many there are."""
    moves = moves_in_words(table.game)
    for seat, words in moves[shown:]:
        write(f"  {LETTERS[seat]} {words}")
    return len(moves)


def _decide(
    table: Table, read: Callable[[str], str], write: Callable[[str], None], colour: bool
) -> None:
    """Ask until one decision is made or taken back."""
    choices = choices_of(table.game, table.names)
    listed: list[Choice] = []
    if choices[0]["kind"] in ("fill", "act"):
        listed = _list(choices, write)
    before = table.game.ply
    while table.game.ply == before:
        line = read(f"{LETTERS[table.game.state.seat]}> ").strip()
        word, _, rest = line.partition(" ")
        try:
            match word:
                case "quit" | "q" | "exit":
                    raise Left
                case "help" | "?" | "h":
                    write(HELP)
                case "table":
                    write(picture(table.game, table.viewer, colour))
                case "legend":
                    write(LEGEND)
                case "gold":
                    write(_breakdown(table))
                case "moves":
                    _show_moves(table, 0, write)
                case "list":
                    listed = _list(choices, write)
                case "best":
                    _best(table, rest.strip(), write)
                case "undo":
                    table.undo()
                case _ if line.isdecimal():
                    table.game.play(_numbered(listed, int(line))["action"])
                case _ if found := _TILE_AND_CELL.fullmatch(line):
                    listed = _at(choices, found, write)
                    if len(listed) == 1:
                        table.game.play(listed[0]["action"])
                case _ if line:
                    table.game.play(table.game.action(line))
        except ValueError as error:
            write(f"  {error}")


def _numbered(listed: list[Choice], number: int) -> Choice:
    if not 1 <= number <= len(listed):
        what = f"the list has 1 to {len(listed)}" if listed else "no list was shown; try 'list'"
        raise ValueError(f"there is no choice {number}: {what}")
    return listed[number - 1]


def _at(choices: list[Choice], found: re.Match[str], write: Callable[[str], None]) -> list[Choice]:
    """The choices of a tile on a cell, listed unless there is exactly one."""
    kind, row, column = (found[1] or "").replace("-", ""), int(found[2]), int(found[3])
    some = []
    for choice in choices:
        as_placed = "".join(map(str, choice.get("edges", ())))  # 0211 is a 2101 that was turned
        if choice["cell"] == [row, column] and kind in ("", choice.get("tile"), as_placed):
            some.append(choice)
    if not some:
        tile = f"{'-'.join(kind)} " if kind else ""
        write(f"  {tile}can't go to {row},{column}")
    return some if len(some) == 1 else _list(some, write)


def _list(choices: Iterable[Choice], write: Callable[[str], None]) -> list[Choice]:
    """Write numbered choices with their effects, the most valuable first."""
    some = sorted(choices, key=lambda choice: -choice["worth"])
    for number, choice in enumerate(some[:MOST_LISTED], 1):
        write(f"  {number:>3}  {choice['words']}  [{choice['effect']}]")
    if len(some) > MOST_LISTED:
        write(f"       … and {len(some) - MOST_LISTED} more; name a cell to see what goes there")
    return some


def _best(table: Table, name: str, write: Callable[[str], None]) -> None:
    """Write what an agent would do, in a few lines."""
    agent = load_agent(name or best_agent(table.game.options), allow_code=True)
    require(agent, table.game.options)
    analysis = agent.player(0).analyze(table.game)
    write(f"  {agent.name}:")
    choices = {one["action"]: one for one in choices_of(table.game, table.names)}
    for action, weight in zip(analysis.actions[:5].tolist(), analysis.weights):
        choice = choices[action]
        write(f"  {weight:>4.0%}  {choice['words']}  [{choice['effect']}]")
    if analysis.win_shares is not None and analysis.scores is not None:
        expected = (
            f"{name} {share:.0%} of the win, {score:.0f} gold"
            for name, share, score in zip(table.names, analysis.win_shares, analysis.scores)
        )
        write(f"  expects: {'; '.join(expected)}")
