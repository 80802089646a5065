"""Scripted stand-ins for language models, and a server that answers as one.

A stand-in reads nothing but its prompt.  ``perfect`` states a legal move as asked, ``sloppy`` one as
models often do, ``illegal`` mostly what can't be played.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Speak = Callable[[str], str]
_CELL = re.compile(r"^(-?\d+),(-?\d+): (.*)$", re.M)


def legal_moves(prompt: str) -> list[str]:
    """The legal moves that a prompt lists, in the notation of moves."""
    south = "Table, columns" in prompt
    places = []
    for row, column, signs in _CELL.findall(prompt):
        for along, sign in enumerate(signs.split()):
            if sign == "_":
                down, right = (along, 0) if south else (0, along)
                places.append(f"{int(row) + down},{int(column) + right}")
    moves = []
    for part in re.search(r"^Legal: (.*)\. *$", prompt, re.M).group(1).split("; "):
        if spread := re.fullmatch(r"(place|overbuild) (.*) at (any _|.*)", part):
            name, tiles, where = spread.groups()
            for tile in tiles.split():
                kind, turns = tile.split("/")
                for turn in range(int(turns.split("-")[-1]) + 1):
                    for cell in places if where == "any _" else where.split():
                        moves.append(f"{name} {kind}/{turn} at {cell}")
        elif many := re.fullmatch(r"(act .* with )(\d)-(\d)", part):
            moves += [many[1] + str(n) for n in range(int(many[2]), int(many[3]) + 1)]
        else:
            moves.append(part)
    return moves


def _move(prompt: str) -> tuple[str, random.Random]:
    rng = random.Random(prompt)
    return rng.choice(legal_moves(prompt)), rng


def perfect(prompt: str) -> str:
    return json.dumps({"move": _move(prompt)[0]})


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
) -> Iterator[tuple[str, list[dict]]]:
    """An OpenAI-compatible server; yields its address and the requests that it has answered.

    The first ``failures`` requests get status 500.  ``speak`` gets the last position of the chat;
    another try at it is perfect, unless ``speak`` is asked for ``every_try``.
    """
    asked: list[dict] = []
    left = [failures]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            left[0] -= 1
            if left[0] >= 0:
                self._answer(500, {"error": {"message": "planted"}})
                return
            asked.append({**body, "path": self.path, "key": self.headers["Authorization"]})
            said = [m["content"] for m in body["messages"] if m["role"] == "user"]
            position = [text[text.index("You are ") :] for text in said if "You are " in text][-1]
            first = every_try or "You are " in said[-1]
            reply = speak(position) if first else perfect(position)
            message = {"role": "assistant", "content": reply}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            head = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
            self._answer(200, {**head, "choices": [choice], "usage": usage})

        def _answer(self, status: int, data: dict) -> None:
            text = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", asked
        finally:
            server.shutdown()
