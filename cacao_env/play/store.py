"""Games in play, kept as they go on: a few in memory, all of them on disk or as text."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import record
from ..agents.agent import Agent
from ..files import write_whole
from .table import Table

MAX_GAMES = 200  # kept; beyond that the oldest finished one is dropped, or the oldest
MAX_OPEN = 8  # of these in memory as tables; the others are read again when they are asked for
_NAME = re.compile(r"[A-Za-z0-9_-]{12,24}")


class Missing(ValueError):
    """There is nothing of that name."""


@dataclass
class OpenGame:
    """A table in play, and the lock for changing it."""

    table: Table
    lock: threading.Lock = field(default_factory=threading.Lock)


def folder_for(name: str | None) -> Path | None:
    """Make the folder in which games are kept and return it.

    By default it is ``$XDG_STATE_HOME/cacao_env/games``, or None if nothing can be written there;
    OSError if a folder that was named can't be used.
    """
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    folder = Path(name or Path(state) / "cacao_env" / "games")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(f"{folder} can't be written")
    except OSError:
        if name is not None:
            raise
        return None
    return folder


class Games:
    """Games by names that nobody guesses.

    With a ``folder`` each is a file there after every move, so a server that is started again goes on
    with them.  ``load`` makes an agent of a name.
    """

    def __init__(self, load: Callable[[str], Agent], folder: Path | None = None) -> None:
        self._load, self._folder = load, folder
        self.kept: OrderedDict[str, OpenGame] = OrderedDict()
        self._texts: OrderedDict[str, str] = OrderedDict()  # without a folder
        self._about: OrderedDict[str, dict[str, Any]] = OrderedDict()  # oldest first
        self._lock = threading.Lock()
        if folder is not None:
            for path in sorted(folder.glob("*.json"), key=lambda one: one.stat().st_mtime):
                if _NAME.fullmatch(path.stem):
                    with suppress(ValueError, OSError, KeyError, TypeError):
                        data = json.loads(path.read_text(encoding="utf-8"))
                        self._about[path.stem] = data["about"]

    def add(self, table: Table) -> str:
        """Keep a new game and return its name."""
        name = secrets.token_urlsafe(12)
        self.save(name, table)
        with self._lock:
            self.kept[name] = OpenGame(table)
            self._make_room()
        return name

    def save(self, name: str, table: Table) -> None:
        """Keep a game as it is now."""
        about = {
            "seats": table.seats,
            "names": table.names,
            "over": table.game.over,
            "turn": table.game.turn,
        }
        text = json.dumps({"about": about, **table.saved()})
        if self._folder is None:
            self._texts[name] = text
        else:
            write_whole(self._folder / f"{name}.json", text)
        with self._lock:
            self._about[name] = about
            self._about.move_to_end(name)

    def get(self, name: str) -> OpenGame:
        """Return the game of that name; Missing if there is none."""
        with self._lock:
            if name not in self.kept:
                self.kept[name] = OpenGame(self._read(name))
            self.kept.move_to_end(name)
            self._make_room()
            return self.kept[name]

    def unfinished(self) -> list[dict[str, Any]]:
        """Return name, seats and turn of the games that go on, the newest first."""
        with self._lock:
            return [
                {"id": name, **about}
                for name, about in reversed(self._about.items())
                if not about["over"]
            ]

    def _read(self, name: str) -> Table:
        try:
            if self._folder is None:
                text = self._texts[name]
            elif _NAME.fullmatch(name):
                text = (self._folder / f"{name}.json").read_text(encoding="utf-8")
            else:
                raise KeyError(name)
        except (KeyError, OSError):
            raise Missing(f"there is no game {name[:24]!r} here") from None
        return Table.restored(json.loads(text), self._load)

    def _make_room(self) -> None:
        """Drop tables from memory that are not in use, and games beyond the most that are kept."""
        for name in list(self.kept)[:-1]:
            if len(self.kept) <= MAX_OPEN:
                break
            if not self.kept[name].lock.locked():
                del self.kept[name]
        while len(self._about) > MAX_GAMES:
            over = (name for name, about in self._about.items() if about["over"])
            name = next(over, next(iter(self._about)))
            del self._about[name]
            self.kept.pop(name, None)
            self._texts.pop(name, None)
            if self._folder is not None:
                (self._folder / f"{name}.json").unlink(missing_ok=True)


def saved_table(data: Any, load: Callable[[str], Agent]) -> Table:
    """Return the table of an unfinished game from a file; RecordError if it is not one."""
    try:
        return Table.restored(data, load)
    except ValueError as error:
        raise record.RecordError(str(error)) from None
