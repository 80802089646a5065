"""Scripted stand-ins for language models, and a server that answers as one.

A stand-in reads nothing but its prompt.  ``perfect`` states a legal move as asked, ``sloppy`` one as
models often do, ``illegal`` mostly what can't be played.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cacao_env.check.examples.stand_in import legal_moves, newest, reply, serving

Speak = Callable[[str], str]
perfect = reply


def _move(prompt: str) -> tuple[str, random.Random]:
    rng = random.Random(prompt)
    return rng.choice(legal_moves(prompt)), rng


def sloppy(prompt: str) -> str:
    move, rng = _move(prompt)
    return rng.choice(
        (
            f"I like this one.\n\n**{move}**",
            f'First {{"move": "place 1111/0 at 99,0"}}, but no:\n```json\n{{"move":  "{move}"}}\n```',
            f"{{2101}} is strong.\n- `{move}`\n",
            f'{{"thought": "{{hm}}", "move": "{move}"}}\n\nGood luck!',
        )
    )


def illegal(prompt: str) -> str:
    move, rng = _move(prompt)
    wrong = (
        "I pass.",
        '{"move": "place 1111/0 at 50,51"}',
        f'{{"move": "{move}"',
        f'{{"move": "{move}"}}\nplace 1111/0 at 0,1\nact 0,1 north with 0',
        "{" * 30,
        "",
    )
    return rng.choice((*wrong, f'{{"move": "{move}"}}'))


STYLES: dict[str, Speak] = {"perfect": perfect, "sloppy": sloppy, "illegal": illegal}


@contextmanager
def chat_server(
    speak: Speak, failures: int = 0, every_try: bool = False
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server of ``speak``; yields its address and the requests.

    The first ``failures`` get status 500.  Another try at a position is perfect, unless ``speak`` is
    asked for ``every_try``.
    """
    asked: list[dict[str, Any]] = []

    def reply(messages: list[dict[str, str]]) -> str:
        if len(asked) <= failures:
            raise ConnectionError("planted")
        position, again = newest(messages)
        return perfect(position) if again and not every_try else speak(position)

    with serving(reply, asked=asked) as address:
        yield address, asked
