"""The server of the page.  It serves only this machine and its own page; errors are one sentence."""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from .. import record
from ..engine.jit import PROGRESS
from ..game import Game
from .answers import analysis_answer, game_answer, replay_data
from .catalogue import Catalogue
from .history import History
from .limits import (
    MAX_CONNECTIONS,
    MAX_REQUEST,
    Connection,
    Gone,
    Refused,
    Thinking,
    body_of,
)
from .page import page, policy
from .store import Changed, Missing, OpenGame
from .table import Table

HOST = "127.0.0.1"
TITLE = "Cacao"
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Answer = dict[str, Any]


class OnlyOwnPage:
    """Refuse hosts and origins other than this server's: other sites' pages, DNS rebinding.

    It belongs to the thread of the server's event loop.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{HOST}:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._app(scope, receive, send)
            return
        headers = Request(scope).headers
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts:
            why = f"host {host[:60]!r} is not this server's"
        elif origin is not None and origin.removeprefix("http://") not in self._hosts:
            why = f"origin {origin[:60]!r} is not this server's page"
        else:
            await self._app(scope, receive, send)
            return
        await _error(403, why)(scope, receive, send)


def application(catalogue: Catalogue, port: int) -> Starlette:
    """Return the application; ``port`` is the one that its page is served on."""
    pages, playing, thinking = Endpoints(catalogue), Thinking("moves"), Thinking("thoughts")
    routes = [
        Route("/", pages.page),
        Route("/api/catalogue", _answered(pages.catalogue)),
        Route("/api/records", _answered(pages.add_record), methods=["POST"]),
        Route("/api/records/{name}", _answered(pages.record)),
        Route("/api/games", _answered(pages.open), methods=["POST"]),
        Route("/api/games/{name}", _answered(pages.game)),
        Route("/api/games/{name}/changes", _answered(pages.changes)),
        Route("/api/games/{name}/play", _answered(pages.play), methods=["POST"]),
        Route("/api/games/{name}/advance", _answered(pages.advance, playing), methods=["POST"]),
        Route("/api/games/{name}/undo", _answered(pages.undo), methods=["POST"]),
        Route("/api/games/{name}/record", pages.download),
        Route("/api/think", _answered(pages.analyze, thinking), methods=["POST"]),
        Route("/api/review", _answered(pages.review), methods=["POST"]),
        Route("/api/compiling", _answered(pages.compiling)),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(OnlyOwnPage, port=port),
            Middleware(GZipMiddleware, minimum_size=2000),
        ],
        exception_handlers={404: _not_found, 405: _not_found},
    )


class Endpoints:
    """The endpoints; they run in threads, and one request at a time changes a game."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    async def page(self, request: Request) -> Response:
        """Return the page."""
        headers = _HEADERS | {"Content-Security-Policy": policy()}
        return HTMLResponse(page(TITLE), headers=headers)

    def catalogue(self, request: Request, body: Any) -> Answer:
        """Return the agents, records and games."""
        records = self._catalogue.records.kept
        return {
            "agents": self._catalogue.agents(),
            "records": [{"id": name, "title": one.title} for name, one in list(records.items())],
            "games": self._catalogue.games.unfinished(),
        }

    def compiling(self, request: Request, body: Any) -> Answer:
        """Return what is being compiled now: functions done and in all; nothing otherwise."""
        now = PROGRESS.now()
        return {} if now is None else {"done": now[1], "total": now[2]}

    def add_record(self, request: Request, body: Any) -> Answer:
        """Add a record or a saved game that was dropped on the page."""
        title = request.query_params.get("title", "record")[:80]
        kind, name = self._catalogue.parse_file(body, title)
        if kind == "game":
            return game_answer(name, self._catalogue.games.get(name).table, 0)
        return self._replay(name)

    def record(self, request: Request, body: Any) -> Answer:
        """Return a record's frames."""
        return self._replay(request.path_params["name"])

    def _replay(self, name: str) -> Answer:
        return {"id": name, **replay_data(self._catalogue.records.get(name))}

    def open(self, request: Request, body: Any) -> Answer:
        """Begin a game."""
        name = self._catalogue.open_table(
            body.get("seats"),
            body.get("volcanoes", False),
            body.get("seed"),
            body.get("people", []),
        )
        return game_answer(name, self._catalogue.games.get(name).table, 0)

    def game(self, request: Request, body: Any) -> Answer:
        """Return a game in play."""
        opened = self._catalogue.games.get(request.path_params["name"])
        with opened.lock:
            return game_answer(request.path_params["name"], opened.table, 0)

    def changes(self, request: Request, body: Any) -> Answer:
        """Return how often a game has changed, for pages that follow it."""
        return {"changes": self._catalogue.games.get(request.path_params["name"]).table.changes}

    def play(self, request: Request, body: Any) -> Answer:
        """Play a person's action."""
        action, ply = _integer(body, "action"), _integer(body, "ply")
        return self._with(request, ply + 1, lambda game: game.table.play(action), body)

    def advance(self, request: Request, body: Any) -> Answer:
        """Let an agent decide."""
        ply = _integer(body, "ply")
        game: OpenGame = self._catalogue.games.get(request.path_params["name"])
        _require_still(game.table, body)
        changes, action = (
            game.table.changes,
            game.table.agents_action(),
        )  # others may look meanwhile
        body = body | {"changes": changes}
        return self._with(request, ply + 1, lambda game: game.table.play_for_agent(action), body)

    def undo(self, request: Request, body: Any) -> Answer:
        """Take back a person's last decision."""
        return self._with(request, 0, lambda game: game.table.undo(), body)

    async def download(self, request: Request) -> Response:
        """Return a game as a file: the record if it is finished, else one to continue."""
        try:
            name = request.path_params["name"]
            opened: OpenGame = self._catalogue.games.get(name)
            text = await run_in_threadpool(_file_of, opened)
        except Missing as error:
            return _error(404, str(error))
        except ValueError as error:
            return _error(400, str(error))
        headers = _HEADERS | {
            "Content-Disposition": f'attachment; filename="cacao-game-{name}.json"'
        }
        return Response(text, media_type="application/json", headers=headers)

    def analyze(self, request: Request, body: Any) -> Answer:
        """Return an agent's analysis of a position of a record or a game."""
        agent = body.get("agent")
        if not isinstance(agent, str):
            raise ValueError("agent is not a name")
        position = self._position(body)
        return analysis_answer(agent, self._catalogue.thinker(agent), position)

    def review(self, request: Request, body: Any) -> Answer:
        """Begin or follow the review of a finished game: how far it is, or its result."""
        if "record" in body:
            name = str(body["record"])
            history = self._catalogue.records.get(name).history
        else:
            name = str(body.get("game"))
            opened: OpenGame = self._catalogue.games.get(name)
            with opened.lock:
                history, name = opened.table.history, f"{name} {opened.table.changes}"
        return self._catalogue.reviews.ask(name, history)

    def _position(self, body: Any) -> Game:
        ply = _integer(body, "ply")
        if "record" in body:
            return _at(self._catalogue.records.get(str(body["record"])).history, ply)
        opened: OpenGame = self._catalogue.games.get(str(body.get("game")))
        with opened.lock:
            game = _at(opened.table.history, ply)
            viewer = opened.table.viewer
            if viewer is not None and game.seat != viewer:
                raise ValueError("this hand is hidden until the game is over")
        return game

    def _with(
        self, request: Request, since: int, change: Callable[[OpenGame], None], body: Any
    ) -> Answer:
        """Change a game and return its frames from ``since`` on."""
        name = request.path_params["name"]
        game: OpenGame = self._catalogue.games.get(name)
        with game.lock:
            _require_still(game.table, body)
            change(game)
            self._catalogue.games.save(name, game)
            return game_answer(name, game.table, since)


def _require_still(table: Table, body: Any) -> None:
    """Refused if a request is about an earlier position."""
    for key, at in (("ply", len(table.history)), ("changes", table.changes)):
        if body.get(key, at) != at:
            raise Refused(409, f"{key} is {body[key]!r}, but the game is at {at}: it has moved on")


def _file_of(opened: OpenGame) -> str:
    with opened.lock:
        if opened.table.game.over:
            return record.dumps(opened.table.record())
        return json.dumps(opened.table.saved(), indent=1) + "\n"


def _at(history: History, ply: int) -> Game:
    try:
        return history.game_at(ply)
    except IndexError as error:
        raise ValueError(str(error)) from None


def _integer(body: Any, key: str) -> int:
    value = body.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**31:
        raise ValueError(f"{key} is not an integer")
    return value


def _answered(
    work: Callable[[Request, Any], Answer], thinking: Thinking | None = None
) -> Callable[[Request], Awaitable[Response]]:
    """Make an endpoint: read the request, work in a thread, answer with JSON or one sentence.

    With ``thinking`` an agent decides, and the work waits for its turn.
    """

    async def endpoint(request: Request) -> Response:
        try:
            body = await _body(request)
            if thinking is None:
                answer = await run_in_threadpool(work, request, body)
            else:
                answer = await thinking.run(partial(work, request, body), request)
        except Gone:
            return Response(status_code=400)  # nobody reads it
        except Refused as error:
            return _error(error.status, error.why)
        except Missing as error:
            return _error(404, str(error))
        except Changed as error:
            return _error(409, str(error))
        except (ValueError, OSError) as error:
            return _error(400, " ".join(str(error).split()))
        return JSONResponse(answer, headers=_HEADERS)

    return endpoint


async def _body(request: Request) -> Any:
    """Return the body: an object, or the bytes of a record; Refused if it is too long or wrong."""
    if request.method != "POST":
        return None
    is_record = request.url.path == "/api/records"
    most = record.MAX_BYTES if is_record else MAX_REQUEST
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused(415, "the request is not application/json")
    got = await body_of(request, most)
    if is_record:
        return got
    try:
        body = json.loads(got or b"{}")
    except (ValueError, RecursionError):
        raise Refused(400, "the request is not JSON") from None
    if not isinstance(body, dict):
        raise Refused(400, "the request is not a JSON object")
    return body


def _error(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status_code=status, headers=_HEADERS)


async def _not_found(request: Request, error: Exception) -> Response:
    if getattr(error, "status_code", 404) == 405:
        return _error(405, f"{request.method} is not possible at this address")
    return _error(404, "there is nothing at this address")


def listening(port: int) -> socket.socket:
    """Return a socket on the loopback address; ValueError if the port can't be used."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen()
    except (OSError, OverflowError) as error:
        found.close()
        why = getattr(error, "strerror", None) or "it is not a port"
        raise ValueError(f"port {port} can't be used: {why}; choose another with --port") from None
    return found


def server(catalogue: Catalogue, bound: socket.socket) -> Any:
    """Return the server; its ``run()`` returns when it is stopped."""
    import uvicorn

    app = application(catalogue, bound.getsockname()[1])
    config = uvicorn.Config(
        app,
        http=Connection,
        limit_concurrency=MAX_CONNECTIONS,
        log_level="error",
        access_log=False,
        ws="none",
        lifespan="off",
    )
    return uvicorn.Server(config)
