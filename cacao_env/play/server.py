"""The page, and a server for agents that are Python code or ONNX files: a game in, a move out.

``page/build.mjs`` makes the page, one file that plays by the engine inside it.  The server keeps
nothing but the agents that the command line named, and serves the page to this machine alone.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from ..agent import Agent, Player, one_line, require
from ..engine.notation import is_int
from ..engine.options import Options
from ..game import Game

HOST = "127.0.0.1"
MAX_REQUEST = 50_000  # bytes; a game with all its moves has about 4,000
MAX_WAITING = 8  # requests for a move, the one being answered included
REQUEST_SECONDS = 20  # in which a request must arrive
_PLACE = "globalThis.CACAO_GIVEN=null;"  # the build of the page leaves it for what a command adds


@cache
def _built() -> str:
    return (files(__package__) / "page" / "play.html").read_text(encoding="utf-8")


def page(**given: Any) -> str:
    """Return the page with what a command gives it.

    ``record``: the text of a game record to show.  ``server``: ``{"agents": [{"name", "players",
    "volcanoes"}, ...]}`` of the server that serves the page.
    """
    if not given:
        return _built()
    data = json.dumps(given, separators=(",", ":")).replace("<", "\\u003c")  # ends no script
    before, place, after = _built().partition(_PLACE)
    assert place, "the page has no place for what is given"
    return f"{before}globalThis.CACAO_GIVEN={data};{after}"


class Refused(Exception):
    """A request that is refused: (status, why)."""


class AgentServer(ThreadingHTTPServer):
    """Serves the page's text, and moves of agents by their names; ``port`` 0 takes any free one."""

    daemon_threads = True

    def __init__(self, agents: Mapping[str, Agent], page: str, port: int) -> None:
        self.agents, self.page = agents, page
        self.room = threading.Semaphore(MAX_WAITING)
        self.turn = threading.Lock()  # one agent thinks at a time
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or "it is not a port"
            raise ValueError(
                f"port {port} can't be used: {why}; choose another with --port"
            ) from None

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_address[1]}/"

    def answer(self, path: str, body: Any) -> dict[str, Any]:
        """Answer a request for a move or an analysis; Refused says why not."""
        if path not in ("/api/choose", "/api/analyze"):
            raise Refused(404, "there is nothing at this address")
        name, seed = body.get("agent"), body.get("seed")
        agents = self.agents
        if not isinstance(name, str) or name not in agents:
            raise Refused(
                404, f"there is no agent {str(name)[:60]!r}; there are: {', '.join(agents)}"
            )
        if not is_int(seed) or not 0 <= seed < 2**63:
            raise Refused(400, "seed is not an integer from 0 to 2^63 - 1")
        if not self.room.acquire(blocking=False):
            raise Refused(503, "agents are thinking; try again in a moment")
        try:
            game = game_of(body)
            require(agents[name], game.options)
            player = agents[name].player(seed)
            with self.turn:
                if path == "/api/analyze":
                    return _analyzed(game, player)
                return {"action": player.act(game)}
        except (ValueError, NotImplementedError) as error:
            raise Refused(400, one_line(error)) from None
        except Exception as error:  # of an agent's own code
            raise Refused(500, f"{name} failed: {one_line(error)}") from None
        finally:
            self.room.release()


def game_of(body: Any) -> Game:
    """Return the game of plain data; ValueError says what is wrong with it."""
    try:
        options, deal = body["options"], body["deal"]
        draws = deal["worker_draws"], deal["jungle_draws"]
        given = {name: options[name] for name in ("volcanoes", "decisions")}
        game = Game.from_draws(*draws, **given)
        for action in body["actions"]:
            game.play(action)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a game has options, a deal and actions: {error!r}"[:300]) from None
    if game.over:
        raise ValueError("the game is over: there is nothing to decide")
    return game


def _analyzed(game: Game, player: Player) -> dict[str, Any]:
    found = player.analyze(game)
    fields = ("actions", "weights", "values", "visits", "win_shares", "scores")
    lists = {name: getattr(found, name) for name in fields}
    return {
        "seat": game.seat,
        **{name: None if one is None else one.tolist() for name, one in lists.items()},
        "unit": found.unit,
        "lead": found.lead,
    }


def described(agents: Mapping[str, Agent]) -> list[dict[str, Any]]:
    """Return the agents as the page lists them."""
    return [
        {
            "name": name,
            "players": list(agent.players),
            "volcanoes": [
                volcanoes
                for volcanoes in (False, True)
                if any(agent.supports(Options(players, volcanoes)) for players in agent.players)
            ],
        }
        for name, agent in agents.items()
    ]


class _Handler(BaseHTTPRequestHandler):
    server: AgentServer
    timeout = REQUEST_SECONDS

    def do_GET(self) -> None:
        """Send the page."""
        self._respond(lambda: self.server.page, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Send a move or an analysis."""
        self._respond(lambda: json.dumps(self.server.answer(self.path, self._body())))

    def _respond(self, work: Callable[[], str], kind: str = "application/json") -> None:
        status = 200
        try:
            self._require_own()
            if self.command == "GET" and self.path != "/":
                raise Refused(404, "there is nothing at this address")
            text = work()
        except Refused as error:
            status, why = error.args
            text, kind = json.dumps({"error": why}), "application/json"
        data = text.encode()
        with suppress(ConnectionError):  # nobody waits for the answer any more
            self._send(status, kind, data)

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _require_own(self) -> None:
        """Refuse hosts and origins other than this server's: other sites' pages, DNS rebinding."""
        port = self.server.server_address[1]
        own = {f"{HOST}:{port}", f"localhost:{port}"}
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if host not in own or (origin is not None and origin.removeprefix("http://") not in own):
            raise Refused(403, "this server answers only its own page")

    def _body(self) -> Any:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 9 or int(length) > MAX_REQUEST:
            self.close_connection = True
            raise Refused(413, f"the request has more than {MAX_REQUEST} bytes, or no length")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except TimeoutError:
            raise Refused(408, f"the request did not arrive in {REQUEST_SECONDS} s") from None
        except (ValueError, RecursionError):
            raise Refused(400, "the request is not JSON") from None
        if not isinstance(body, dict):
            raise Refused(400, "the request is not a JSON object")
        return body

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: errors go to the page."""
