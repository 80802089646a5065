"""Measure the server of the page, in processes of its own; docs/viewer.md has the results.

python -m tests.measure_page memory --games 62   # MB after so many games, some reviewed
python -m tests.measure_page first               # seconds to the first answers; or --cold
python -m tests.measure_page left                # how long a decision goes on after its client left
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

THINKERS = (
    "greedy",
    "criollo+search:ms=50",
    "mc:sims=256",
    "ismcts:sims=64",
    "forastero",
    "endgame",
)
SLOW = "mc:ms=5000"


class Server:
    """A server that was started for the measurement."""

    def __init__(self, process: Any) -> None:
        self.pid = process.pid
        self._port = urlsplit(process.stdout.readline().split()[1]).port

    def ask(self, path: str, body: Any = None, wait: float = 600) -> Any:
        """Return the answer to a request; TimeoutError if it leaves after ``wait`` seconds."""
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=wait)) as link:
            data = None if body is None else json.dumps(body)
            headers = {} if data is None else {"Content-Type": "application/json"}
            link.request("GET" if data is None else "POST", path, data, headers)
            text = link.getresponse().read()
        return json.loads(text) if text.startswith(b"{") else text

    def megabytes(self, what: str) -> int:
        """Return VmRSS (memory now) or VmHWM (at its peak)."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(rf"{what}:\s+(\d+)", text)
        assert found
        return int(found[1]) // 1024

    def seconds(self) -> float:
        """Return the processor time used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(**environment: str) -> Iterator[Server]:
    """Start a server that keeps its games in a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "cacao_env", "view", "--port", "0", "--games", folder]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | environment
        )
        try:
            yield Server(process)
        finally:
            process.terminate()
            process.wait()


def memory(games: int) -> None:
    """Play games of criollo with 2 to 4 seats; review some, analyze each by another agent."""
    with running() as server:
        print(f"at the start {server.megabytes('VmRSS')} MB")
        for number in range(games):
            body = {"seats": ["criollo"] * (2 + number % 3), "seed": number}
            game = server.ask("/api/games", body | {"volcanoes": bool(number % 2)})
            name, length, over = game["id"], game["length"], False
            while not over:
                answer = server.ask(f"/api/games/{name}/advance", {"ply": length - 1})
                length, over = answer["length"], answer["over"]
            asked = {"game": name, "ply": length // 2, "agent": THINKERS[number % len(THINKERS)]}
            server.ask("/api/think", asked)
            while number % 20 == 0 and not server.ask("/api/review", {"game": name})["review"]:
                time.sleep(0.3)
            if number % 10 == 0 or number == games - 1:
                now, peak = server.megabytes("VmRSS"), server.megabytes("VmHWM")
                print(f"after {number + 1} games {now} MB, peak {peak} MB", flush=True)


def first(cold: bool, agent: str) -> None:
    """Time the start, the page, a new game, the first moves and a hint."""
    with tempfile.TemporaryDirectory() as empty:
        began = time.perf_counter()
        with running(**({"XDG_CACHE_HOME": empty} if cold else {})) as server:

            def timed(what: str, path: str, body: Any = None) -> Any:
                answer = server.ask(path, body)
                print(f"{what}: {time.perf_counter() - began:.1f} s after the start", flush=True)
                return answer

            timed("the page", "/")
            timed("the catalogue", "/api/catalogue")
            game = timed("a new game", "/api/games", {"seats": [agent, "human"], "seed": 1})
            timed("the first move", f"/api/games/{game['id']}/advance", {"ply": 0})
            game = timed("a second game", "/api/games", {"seats": ["human", "human"], "seed": 1})
            body = {"game": game["id"], "ply": 0, "agent": agent}
            timed("an analysis", "/api/think", body)


def left() -> None:
    """Leave in the middle of a decision of 5 s, and watch the processor."""
    with running() as server:
        warm = server.ask("/api/games", {"seats": ["mc:sims=8", "human"], "seed": 1})
        server.ask(f"/api/games/{warm['id']}/advance", {"ply": 0})
        time.sleep(15)  # what is compiled beside the page has ended
        game = server.ask("/api/games", {"seats": [SLOW, "human"], "seed": 1})
        began = time.perf_counter()
        try:
            server.ask(f"/api/games/{game['id']}/advance", {"ply": 0}, wait=1.0)
        except TimeoutError:
            gone = time.perf_counter()
        before, busy = server.seconds(), gone
        while time.perf_counter() - gone < 12:
            time.sleep(0.25)
            now = server.seconds()
            if now - before > 0.05:
                busy = time.perf_counter()
            before = now
        print(f"{SLOW}: the client left after {gone - began:.1f} s, the processor rested after")
        print(f"{busy - began:.1f} s; {before:.1f} s of processor time since the server's start")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.measure_page", description=__doc__)
    parser.add_argument("what", choices=["memory", "first", "left"])
    parser.add_argument("--games", type=int, default=62)
    parser.add_argument("--cold", action="store_true", help="with an empty cache of compiled code")
    parser.add_argument("--agent", default="trinitario+search:ms=200", help="whose first answer")
    options = parser.parse_args()
    if options.what == "memory":
        memory(options.games)
    elif options.what == "first":
        first(options.cold, options.agent)
    else:
        left()


if __name__ == "__main__":
    main()
