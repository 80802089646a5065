"""What the page may show and play against: records and games in memory, agents by name.

No request can name a path or code: records come from the command line or with a request; agents are
bots, installed checkpoints, and checkpoints that were named when the server was started.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import record
from ..agents.agent import Agent
from ..agents.analysis import Analysis
from ..agents.bots import BOTS, parse
from ..agents.registry import installed_agents, load_agent
from ..agents.value.checkpoint import SEARCH, SEARCH_PARAMETERS, split_search
from ..engine.compiler_process import CompilerProcess
from ..engine.options import Options
from ..game import Game
from .history import History
from .reviews import Reviews
from .store import Games, Missing, saved_table
from .table import HUMAN, SAVED, Table

MAX_RECORDS, MAX_AGENTS = 40, 8  # in memory; the oldest are dropped
MAX_SECONDS = 30  # that an agent may take for a decision
MAX_SIMS = 20_000
_BOTS = ("mc:sims=256", "ismcts:sims=256", "endgame", "greedy", "random")
# Elo with 2 players, greedy 0, of docs/agents.md, and milliseconds a move or searched placement.
# Agents that are not on that page have earlier figures or estimates.
_STRENGTH = {
    "trinitario+search:ms=200": (840, 200.0),
    "criollo+search:ms=200": (700, 200.0),
    "trinitario": (660, 0.2),
    "criollo": (620, 0.3),
    "nacional": (600, 0.2),
    "forastero": (490, 0.15),
    "mc:sims=256": (440, 20.0),
    "ismcts:sims=256": (200, 20.0),
    "endgame": (30, 1.3),
    "greedy": (0, 0.02),
    "random": (-1000, 0.02),
}


@dataclass
class Shelf:
    """Things by short names; when there are too many the oldest is dropped."""

    noun: str
    most: int
    kept: OrderedDict[str, Any] = field(default_factory=OrderedDict)

    def add(self, name: str, thing: Any) -> str:
        """Add a thing and return its name."""
        self.kept[name] = thing
        self.kept.move_to_end(name)
        while len(self.kept) > self.most:
            self.kept.popitem(last=False)
        return name

    def get(self, name: str) -> Any:
        """Return the thing of that name; Missing if there is none."""
        if name not in self.kept:
            raise Missing(f"there is no {self.noun} {name[:20]!r} here")
        return self.kept[name]


@dataclass
class Replay:
    """A valid record.  Threads may share it: nothing changes it."""

    title: str
    history: History
    data: Any


class SharedAgent(Agent):
    """An agent that several games and threads use, one at a time; each seat has its own memory."""

    def __init__(self, agent: Agent, compiled: threading.Event | None) -> None:
        self._agent, self._lock, self._compiled = agent, threading.Lock(), compiled
        self.name, self.version, self.players = agent.name, agent.version, agent.players

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until the agent is compiled and no other thread uses it."""
        if self._compiled is not None:
            self._compiled.wait()
        with self._lock:
            yield

    def supports(self, options: Options) -> bool:
        """Whether the agent plays games with these options."""
        return self._agent.supports(options)

    @property
    def plays(self) -> str:
        """The games that the agent supports, in words."""
        return self._agent.plays

    def begin(self, seed: int) -> Any:
        """Make the memory of a seat."""
        with self._lock:
            return self._agent.begin(seed)

    def act(self, games: Sequence[Game], memory: Sequence[Any]) -> list[int]:
        """Choose an action for each game."""
        with self._turn():
            return self._agent.act(games, memory)

    def analyze(self, game: Game, memory: Any) -> Analysis:
        """Report what the agent makes of the decision."""
        with self._turn():
            return self._agent.analyze(game, memory)


class Catalogue:
    """Records, games and agents of one server.

    ``agents``: names of checkpoints given to it; ``folder``: where unfinished games are kept.
    Threads may share it.
    """

    def __init__(self, agents: Sequence[str] = (), folder: Path | None = None) -> None:
        self.records = Shelf("record", MAX_RECORDS)
        self.keep_games(folder)
        self.reviews = Reviews()
        self._given = list(dict.fromkeys(agents))
        self._agents: OrderedDict[str, SharedAgent] = OrderedDict()
        self._lock = threading.Lock()
        self._compiled = threading.Event(), threading.Event()  # networks, their search
        for event in self._compiled:
            event.set()
        for name in self._given:
            self.agent(name)  # refuses a wrong name at once

    def keep_games(self, folder: Path | None) -> None:
        """Keep games in a folder from now on, and continue those that are there."""
        self.games = Games(self.agent, folder)

    def agents(self) -> list[dict[str, Any]]:
        """Return the agents, the best first: ``name, what, timed`` and, if known, ``elo, ms``.

        ``timed``: whether ``ms=`` gives it a time to think.
        """
        found = [(name, "checkpoint") for name in self._given]
        found += [(name, what) for name, what in installed_agents() if name not in self._given]
        found += [(name, BOTS[name.partition(":")[0]].meaning) for name in _BOTS]
        searched = {name.partition("+")[0] for name, _ in found if "+" in name}
        return [_described(name, what, name in searched) for name, what in found]

    def warm_up(self, compiler: CompilerProcess) -> None:
        """Have another process compile the best agent while this one serves the page.

        Until then networks wait.
        """
        best = self.agents()[0]["name"]

        def compile_it() -> None:
            for event, name in zip(self._compiled, (best.partition(SEARCH)[0], best), strict=True):
                with suppress(Exception):  # then this process compiles it at its first move
                    compiler.compile(__name__, _use.__name__, name)
                event.set()
            compiler.end()

        for event in self._compiled:
            event.clear()
        threading.Thread(target=compile_it, daemon=True).start()

    def agent(self, name: str) -> SharedAgent:
        """Return the agent of a name that may be used here; ValueError for any other name."""
        return self._shared(name, name)

    def thinker(self, name: str) -> SharedAgent:
        """Return an agent to ask for an analysis; no game waits for it."""
        return self._shared(name, f"{name} thinks")

    def _shared(self, name: str, key: str) -> SharedAgent:
        self._check_name(name)
        with self._lock:
            if key not in self._agents:
                bot = name.partition(":")[0] in BOTS
                compiled = None if bot else self._compiled[SEARCH in name]
                self._agents[key] = SharedAgent(load_agent(name), compiled)
                while len(self._agents) > MAX_AGENTS:
                    self._agents.popitem(last=False)
            return self._agents[key]

    def _check_name(self, name: str) -> None:
        if name.partition(":")[0] in BOTS:
            _limit(name, parse(name)[1])
            return
        base, search = split_search(name)
        if base in self._given or base in dict(installed_agents()):
            _limit(name, search or {})
            for key, value in (search or {}).items():
                changed = value != SEARCH_PARAMETERS[key].default
                if changed and key not in ("ms", "sims") and name not in self._given:
                    raise ValueError(f"{name}: {key} can't be chosen here, only ms or sims")
        else:
            there = ", ".join(agent["name"] for agent in self.agents())
            raise ValueError(f"there is no agent {name[:60]!r} here; there are: {there}")

    def open_table(self, seats: Any, volcanoes: Any, seed: Any, people: Any = ()) -> str:
        """Begin a game and return its name; ``people``: names of people, one a seat."""
        if not isinstance(seats, list) or not all(isinstance(name, str) for name in seats):
            raise ValueError("seats is not a list of names")
        if not isinstance(volcanoes, bool):
            raise ValueError("volcanoes is neither true nor false")
        if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
            raise ValueError(f"seed is not an integer: {seed!r}"[:80])
        if not isinstance(people, list | tuple) or not all(isinstance(x, str) for x in people):
            raise ValueError("people is not a list of names")
        for name in seats:
            if name != HUMAN:
                self._check_name(name)
        return self.games.add(Table(seats, seed, volcanoes, self.agent, people))

    def add_record(self, data: Any, title: str) -> str:
        """Add a record and return its name; RecordError if it is not valid.

        The name comes from the content, so a link to a record leads to no other.
        """
        replay = Replay(title, History.from_record(data), data)
        text = json.dumps(data, sort_keys=True).encode()
        return self.records.add(hashlib.sha256(text).hexdigest()[:16], replay)

    def read_record(self, path: Path) -> str:
        """Add the record in a file and return its name; RecordError if it is not valid."""
        try:
            return self.add_record(record.load(path), path.name)
        except record.RecordError as error:
            raise record.RecordError(f"{path}: {error}") from None

    def parse_file(self, text: bytes, title: str) -> tuple[str, str]:
        """Add the game in a file; return ("record" or "game", name).  RecordError if not valid."""
        try:
            data = json.loads(text.decode("utf-8"))
        except (ValueError, RecursionError):
            raise record.RecordError("not a game record: not JSON in UTF-8") from None
        if isinstance(data, dict) and data.get("format") == SAVED:
            return "game", self.games.add(saved_table(data, self.agent))
        return "record", self.add_record(data, title)


def _use(name: str) -> None:
    """Let an agent choose and report once."""
    agent = load_agent(name)
    game, memory = Game.new(agent.players[0]), agent.begin(0)
    agent.act([game], [memory])
    agent.analyze(game, memory)


def _described(name: str, what: str, may_search: bool) -> dict[str, Any]:
    base = name.partition(":")[0]
    timed = may_search or "+" in name or (base in BOTS and "ms" in BOTS[base].parameters)
    elo, ms = _STRENGTH.get(name, (None, None))
    return {"name": name, "what": what, "timed": timed, "elo": elo, "ms": ms}


def _limit(name: str, values: dict[str, int | float]) -> None:
    """ValueError for a budget that would block the server."""
    if values.get("ms", 0) > 1000 * MAX_SECONDS:
        raise ValueError(f"{name}: ms is above {1000 * MAX_SECONDS}, the most that is allowed here")
    if not values.get("ms", 0) and values.get("sims", 0) > MAX_SIMS:
        raise ValueError(f"{name}: sims is above {MAX_SIMS}, the most that is allowed here")
