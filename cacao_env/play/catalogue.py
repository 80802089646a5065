"""What a viewer may show and play against: records and games in memory, agents by name.

Nothing is read from a path that a request names: records come from the command line or with a request,
agents are bots, or checkpoints that were named when the viewer was started or are installed.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from .. import record
from ..agents.bots import BOTS, parse
from ..agents.opponents import Opponent, find, known_names
from ..game import Game
from .history import Story, told
from .table import HUMAN, Table, analysis_of

MAX_GAMES, MAX_RECORDS = 50, 100  # kept; the oldest make room
MAX_SECONDS = 30  # that an agent may be told to take for a decision
MAX_SIMS = 20_000
T = TypeVar("T")


class Missing(ValueError):
    """There is nothing of that name."""


@dataclass
class Shelf:
    """Things by short names, the oldest dropped when there are too many."""

    noun: str
    most: int
    kept: OrderedDict[str, Any] = field(default_factory=OrderedDict)
    count: int = 0

    def add(self, thing: Any) -> str:
        """Keep a thing; its name."""
        self.count += 1
        name = str(self.count)
        self.kept[name] = thing
        while len(self.kept) > self.most:
            self.kept.popitem(last=False)
        return name

    def get(self, name: str) -> Any:
        """The thing of that name; Missing if there is none."""
        if name not in self.kept:
            raise Missing(f"there is no {self.noun} {name[:20]!r} here")
        return self.kept[name]


@dataclass
class Play:
    """A table in play, and the lock of those who change it."""

    table: Table
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass
class Told:
    """A record that holds."""

    title: str
    story: Story
    data: Any


class Catalogue:
    """Records, games and agents of one viewer; ``agents``: names of checkpoints given to it."""

    def __init__(self, agents: Sequence[str] = ()) -> None:
        self.records = Shelf("record", MAX_RECORDS)
        self.games = Shelf("game", MAX_GAMES)
        self._given = list(dict.fromkeys(agents))
        for name in self._given:
            self.agent(name, 0)  # a wrong one is refused now
        self._thinkers: dict[str, Opponent] = {}
        self._lock = threading.Lock()

    def agents(self) -> list[dict[str, str]]:
        """Names and what they are, the best ones first."""
        found = [{"name": name, "what": "checkpoint"} for name in self._given]
        found += [
            {"name": name, "what": what} for name, what in known_names() if name not in self._given
        ]
        bots = ("mc:sims=256", "ismcts:sims=256", "endgame", "greedy", "random")
        return found + [
            {"name": name, "what": BOTS[name.partition(":")[0]].meaning} for name in bots
        ]

    def warm_up(self) -> None:
        """Have the best agent compiled while the page is being opened: it is likely to be met."""

        def compile_it() -> None:
            # What goes wrong here is said to whoever asks for the agent.
            with suppress(Exception):
                self.with_thinker(
                    self.agents()[0]["name"], lambda one: analysis_of(one, Game.new(2))
                )

        threading.Thread(target=compile_it, daemon=True).start()

    def agent(self, name: str, seed: int) -> Opponent:
        """An agent by a name that may be used here; ValueError for others."""
        self.allow(name)
        return find(name, seed)

    def allow(self, name: str) -> None:
        """ValueError unless an agent of that name may be used here."""
        base = name.partition(":")[0].partition("+")[0]
        if base in BOTS:
            _limit(name, parse(name)[1])
        elif base in self._given or base in dict(known_names()):
            _limit(name, _numbers(name))
        else:
            there = ", ".join(agent["name"] for agent in self.agents())
            raise ValueError(f"there is no agent {name[:60]!r} here; there are: {there}")

    def open_table(self, seats: Any, volcanoes: Any, seed: Any) -> str:
        """Begin a game; its name."""
        if not isinstance(seats, list) or not all(isinstance(name, str) for name in seats):
            raise ValueError("seats is not a list of names")
        if not isinstance(volcanoes, bool):
            raise ValueError("volcanoes is neither true nor false")
        if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
            raise ValueError("seed is not an integer")
        for name in seats:
            if name != HUMAN:
                self.allow(name)
        return self.games.add(Play(Table(seats, seed, volcanoes)))

    def add_record(self, data: Any, title: str) -> str:
        """Keep a record; its name.  RecordError if it does not hold."""
        return self.records.add(Told(title, told(data), data))

    def read_record(self, path: Path) -> str:
        """The same from a file."""
        try:
            return self.add_record(record.load(path), path.name)
        except record.RecordError as error:
            raise record.RecordError(f"{path}: {error}") from None

    def parse_record(self, text: bytes, title: str) -> str:
        """The same from the bytes of a file."""
        try:
            data = json.loads(text.decode("utf-8"))
        except (ValueError, RecursionError):
            raise record.RecordError("not a game record: not JSON in UTF-8") from None
        return self.add_record(data, title)

    def with_thinker(self, name: str, use: Callable[[Any], T]) -> T:
        """Use an agent that thinks about one position after the other; one at a time."""
        with self._lock:
            if name not in self._thinkers:
                if len(self._thinkers) > 8:
                    self._thinkers.clear()
                self._thinkers[name] = self.agent(name, 0)
            return use(self._thinkers[name])


def _numbers(name: str) -> dict[str, int | float]:
    """The parameters of a name that are numbers; a wrong one is refused by whoever makes the agent."""
    found: dict[str, int | float] = {}
    for item in name.partition(":")[2].split(","):
        key, _, value = item.partition("=")
        if value.isdigit():
            found[key] = int(value)
    return found


def _limit(name: str, values: dict[str, int | float]) -> None:
    """ValueError for a budget that would keep everybody waiting."""
    if values.get("ms", 0) > 1000 * MAX_SECONDS:
        raise ValueError(f"{name}: ms is above {1000 * MAX_SECONDS}, the most that is allowed here")
    if not values.get("ms", 0) and values.get("sims", 0) > MAX_SIMS:
        raise ValueError(f"{name}: sims is above {MAX_SIMS}, the most that is allowed here")
