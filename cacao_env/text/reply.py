"""The move that a reply states: its last JSON object, or else its last line that is a move.

A reply is read as data.  Nothing in it is guessed, repaired or obeyed: a reply that doesn't state
exactly one legal move raises :class:`Refused` with one sentence for the model.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from ..checks import in_short
from ..engine.notation import Move, from_text, to_text
from ..game import Game

MOST = 20_000  # characters of a reply
_MARKS = " \t\r`*_\"'.>-"  # what models put around a line that is a move
ILLEGAL, UNREADABLE, ABSENT = "illegal", "unreadable", "absent"  # what a refused reply is


class Refused(ValueError):
    """One sentence on why a reply is not played; ``kind``: what the reply is."""

    def __init__(self, sentence: str, kind: str = UNREADABLE) -> None:
        super().__init__(sentence)
        self.kind = kind


def action_of(game: Game, reply: str) -> int:
    """Return the id of the legal move that a reply states."""
    move = stated_move(reply)
    try:
        return game.action(move)
    except ValueError as error:
        raise Refused(f"The move {to_text(move)} is illegal: {error}.", ILLEGAL) from None


def stated_move(reply: str) -> Move:
    """Return the move that a reply states, legal or not."""
    if not isinstance(reply, str):
        raise Refused(f"The reply is {in_short(reply)}, expected text.")
    if len(reply) > MOST:
        raise Refused(f"The reply has {len(reply)} characters, expected at most {MOST}.")
    if not reply.strip():
        raise Refused("The reply is empty, expected a move such as place 2101/1 at 0,1.", ABSENT)
    found, rest, before = _last_object(reply)
    if (before + rest).count("{") > (before + rest).count("}"):
        raise Refused("The reply has a JSON object without an end.")
    lines = [move for line in rest.splitlines() if (move := _move(line.strip(_MARKS)))]
    if found is None:
        if not lines:
            raise Refused(
                "The reply states no move, expected one such as place 2101/1 at 0,1 at its end."
            )
        return lines[-1]
    text = found.get("move")
    move = _move(text) if isinstance(text, str) else None
    if move is None:
        raise Refused(
            f"The last JSON object of the reply has {json.dumps(text)[:60]} as its move, expected "
            'text such as "place 2101/1 at 0,1", "fill water at 0,2" or "act 0,1 south with 1".'
        )
    if any(line != move for line in lines):
        raise Refused("The reply states another move after its last JSON object.")
    return move


def _move(text: str) -> Move | None:
    with suppress(ValueError):
        return from_text(text) if len(text) < 80 and text.isascii() else None
    return None


def _last_object(reply: str) -> tuple[dict[str, Any] | None, str, str]:
    """Return the last JSON object that is not within another, and the text after and before it.

    The text before has no JSON object any more.
    """
    found, before, end = None, "", 0
    # Numbers remain text: Python refuses to read those of more than 4,300 digits.
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str)
    start = reply.find("{")
    while start >= 0:
        try:
            found, stop = decoder.raw_decode(reply, start)
            before, end = before + reply[end:start], stop
        except (json.JSONDecodeError, RecursionError):
            stop = start + 1
        start = reply.find("{", stop)
    return found, reply[end:], before


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) != len(dict(pairs)):
        raise Refused("A JSON object of the reply has a key twice.")
    return dict(pairs)
