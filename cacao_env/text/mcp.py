"""``cacao mcp``: an MCP server that plays games, several at once, with one fixed list of tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import signature
from itertools import count
from threading import Lock
from typing import Any

from .. import __version__
from ..agent import decider, require
from ..agents.loading import installed_agents
from ..checks import in_short, need, unexpected
from ..engine.options import Decisions, Options
from ..play.review import in_lines, review
from ..registry import load_agent
from ..render.text import LETTERS
from .prompt import primer
from .table import TextTable

TRIES = 100  # refused moves in a row that forfeit a game
MOST_GAMES = 1024  # at once; the oldest is dropped


class Games:
    """Games by their names; its public methods are the tools.  Threads may share it."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[TextTable, Lock]] = {}
        self._numbers = count(1)
        self._lock = Lock()

    def new_game(
        self,
        players: int = 2,
        opponents: list[str] | str | None = None,
        seed: int | None = None,
        volcanoes: bool = False,
        seat: int = 0,
        decisions: Decisions = "auto",
    ) -> str:
        """Begin a game of 2 to 4 players and return its name and what your seat sees.

        opponents: an agent for each other seat in playing order, such as random, greedy or trinitario;
        one name is for all; default: greedy.  seed: of the deal.
        decisions: auto asks what can matter, turn only for placements, explicit for everything.
        """
        given: dict[str, Any] = {"volcanoes": volcanoes, "decisions": decisions}
        table = TextTable(seed, opponents or "greedy", seat, TRIES, num_players=players, **given)
        with self._lock:
            name = f"g{next(self._numbers)}"
            self._tables[name] = table, Lock()
            if len(self._tables) > MOST_GAMES:
                del self._tables[next(iter(self._tables))]
        return f"Game {name}.\n{table.prompt()}"

    def look(self, game: str, as_json: bool = False) -> str:
        """Return the position that your seat sees, and what you have to decide."""
        return self._with(game, lambda t: json.dumps(t.position()) if as_json else t.prompt())

    def legal_moves(self, game: str, at: str = "") -> str:
        """Return your legal moves: all, or those of a tile such as 2101 or of a cell such as 0,1."""
        return self._with(game, lambda table: table.legal_moves(at))

    def play(self, game: str, move: str) -> str:
        """Play a move, such as: place 2101/1 at 0,1; return why it is refused, or the next position."""
        return self._with(game, lambda table: table.reply(move) or table.prompt())

    def take_back(self, game: str) -> str:
        """Take back your last decision of this turn, if it has shown no hidden tile."""
        return self._with(game, _take_back)

    def hint(self, game: str, agent: str = "") -> str:
        """Return the moves that an agent would play, by default a strong one, the best first."""
        return self._with(game, lambda table: _hint(table, agent))

    def review(self, game: str) -> str:
        """Return how well a finished game was played: gold lost by decisions, blunders, luck."""
        return self._with(game, _review)

    def _with(self, game: str, use: Callable[[TextTable], str]) -> str:
        found = self._tables.get(game)
        if found is None:
            raise ValueError(f"there is no game {game[:20]!r}; new_game begins one")
        table, lock = found
        with lock:
            return use(table)


def _take_back(table: TextTable) -> str:
    """Take back the last action: nothing hidden has been shown while the turn goes on."""
    before = table.game.clone()
    if before.ply:
        before.undo()
    same = ["turn", "seat", "jungle_drawn"]
    if table.over or before == table.game or before.states[same] != table.game.states[same]:
        return "Only an own action of this turn can be taken back, before a hidden tile is drawn."
    table.game = before
    return table.prompt()


def _hint(table: TextTable, agent: str) -> str:
    if table.over:
        return "The game is over."
    one = load_agent(agent or _strongest(table.game.options))
    require(one, table.game.options)
    seen = table.game.determinise(decider(table.game), 0)
    analysis = one.player(0).analyze(seen)
    best = zip(analysis.actions[:3].tolist(), analysis.weights[:3].tolist())
    return "\n".join(f"{table.game.text(action)} ({weight:.0%})" for action, weight in best)


def _strongest(options: Options) -> str:
    """Return the name of the strongest agent that plays such games, without its search.

    A search stops by the clock, so it does not give the same hint twice.
    """
    names = (name for name, _ in installed_agents() if load_agent(name).supports(options))
    return next(names, "mc").partition("+")[0]


def _review(table: TextTable) -> str:
    if table.forfeited is not None:
        return "A forfeited game can't be reviewed."
    if not table.over:
        return "Only a finished game can be reviewed."
    names = [f"{letter} ({name})" for letter, name in zip(LETTERS, table.names)]
    return in_lines(review(table.game), names)


TOOLS = ("new_game", "look", "legal_moves", "play", "take_back", "hint", "review")


def tools() -> list[Callable[..., str]]:
    """Return the tools of new games."""
    games = Games()
    return [getattr(games, name) for name in TOOLS]


def server() -> Any:
    """Return the server, an ``MCPServer`` of the MCP SDK; NotInstalled if that is missing."""
    mcp = need("mcp.server", "mcp", "mcp")
    tool_error = need("mcp.server.mcpserver.exceptions", "mcp", "mcp").ToolError
    own = {tool.__name__: tool for tool in tools()}

    class Server(mcp.MCPServer):  # type: ignore[name-defined]
        """Answers each wrong call with one sentence, which the SDK would keep or wrap."""

        async def call_tool(self, name: str, arguments: dict[str, Any], *more: Any) -> Any:
            """Call a tool by its name."""
            try:
                known = signature(own[name]).parameters if name in own else arguments
                for odd in set(arguments) - set(known):
                    raise unexpected(name, odd, list(known))
                return await super().call_tool(name, arguments, *more)
            except (TypeError, ValueError, tool_error) as error:
                raise tool_error(sentence_of(error)) from None

    made = Server("cacao", instructions=primer(tool=True), version=__version__, log_level="WARNING")
    for tool in own.values():
        made.add_tool(tool, structured_output=False)
    return made


def sentence_of(error: BaseException) -> str:
    """Return what is wrong in one sentence: the SDK's errors have it in their cause."""
    cause = error.__cause__ or error
    if not hasattr(cause, "errors"):  # as those of pydantic have
        return str(cause)
    one = cause.errors()[0]
    where, given = one["loc"][0], in_short(one["input"])
    if one["type"] == "missing":
        return f"{where} is missing"
    return f"{where} is {given}: {one['msg'][0].lower()}{one['msg'][1:]}"


def serve(http: bool, port: int) -> None:
    """Serve until the client leaves: on standard input and output, or over HTTP on 127.0.0.1."""
    where = {"host": "127.0.0.1", "port": port} if http else {}
    server().run("streamable-http" if http else "stdio", **where)
