"""A stand-in for a language model, and a server that answers as OpenAI's would.

It reads nothing but its prompt, so it plays through every door as a model would.
"""

import json
import random
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def legal_moves(prompt):
    """The legal moves that a prompt lists."""
    moves = []
    for part in re.findall(r"^Legal: (.*)\. *$", prompt, re.M)[-1].split("; "):
        if spread := re.fullmatch(r"(place|overbuild) (.*) at (.*)", part):
            name, tiles, where = spread.groups()
            for tile in tiles.split():
                kind, turns = tile.split("/")
                for turn in range(int(turns.split("-")[-1]) + 1):
                    for cell in where.split():
                        moves.append(f"{name} {kind}/{turn} at {cell}")
        elif many := re.fullmatch(r"(act .* with )(\d)-(\d)", part):
            moves += [many[1] + str(n) for n in range(int(many[2]), int(many[3]) + 1)]
        else:
            moves.append(part)
    return moves


def reply(prompt):
    """One of the legal moves, as the primer asks for it; the same for the same prompt."""
    return json.dumps({"move": random.Random(prompt).choice(legal_moves(prompt))})


def answer(messages):
    """The reply to the newest position of a conversation."""
    return reply(newest(messages)[0])


def newest(messages):
    """The newest position of a conversation, and whether a reply to it was refused."""
    said = [one["content"] for one in messages if one["role"] == "user"]
    position = [text[text.index("You are ") :] for text in said if "You are " in text][-1]
    return position, position not in said[-1]


@contextmanager
def serving(speak=answer, port=0, asked=None):
    """Serve ``POST /v1/chat/completions`` on 127.0.0.1; yields the address.

    ``speak(messages)`` replies to a conversation, of dicts with ``role`` and ``content``; threads call
    it.  An exception is status 500.  Requests are added to ``asked``.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else the reply waits 40 ms behind its head

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if asked is not None:
                asked.append({**body, "key": self.headers["Authorization"]})
            try:
                message = {"role": "assistant", "content": speak(body["messages"])}
            except Exception as error:
                return self.answer(500, {"error": {"message": repr(error)}})
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            head = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
            self.answer(200, {**head, "choices": [choice], "usage": usage})

        def answer(self, status, data):
            text = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
