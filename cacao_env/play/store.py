"""Unfinished games: a few in memory, all of them on disk or as text.

Several servers may share a folder.  Each notices what the others have written: it reads a changed game
again, and it never overwrites a move that it has not seen.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import record
from ..agents.agent import Agent
from ..checks import as_path
from ..files import read_text, write_whole
from .table import Table

MAX_GAMES = 200  # kept; beyond that the oldest finished one is dropped, or the oldest
MAX_OPEN = 4  # of these in memory as tables; the others are read again when they are asked for
Stamp = tuple[int, int, int] | None
_NAME = re.compile(r"[A-Za-z0-9_-]{12,24}")


class Missing(ValueError):
    """There is nothing of that name."""


class Changed(ValueError):
    """Another server has changed the game."""


@dataclass
class OpenGame:
    """A table in play, the lock for changing it, and the ``stamp`` of the file that it is kept in.

    Threads that change the table hold the lock.
    """

    table: Table
    stamp: Stamp = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def _stamp(path: Path) -> Stamp:
    """What tells one version of a file from another; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other servers from writing into a folder, where the system has such locks."""
    with (folder / ".lock").open("a+b", buffering=0) as file:
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def folder_for(name: str | None) -> Path | None:
    """Make the folder in which games are kept and return it.

    By default it is ``$XDG_STATE_HOME/cacao_env/games``, or None if nothing can be written there;
    OSError if a folder that was named can't be used.
    """
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    folder = as_path(name or Path(state) / "cacao_env" / "games")
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

    With a ``folder`` each is a file there after every move, so a server that is started again
    continues them.  ``load`` makes an agent of a name.  Threads may share it.
    """

    def __init__(self, load: Callable[[str], Agent], folder: Path | None = None) -> None:
        self._load, self._folder = load, folder
        self.kept: OrderedDict[str, OpenGame] = OrderedDict()
        self._texts: OrderedDict[str, str] = OrderedDict()  # without a folder
        self._about: OrderedDict[str, dict[str, Any]] = OrderedDict()  # oldest first
        self._stamps: dict[str, Stamp] = {}  # of the files that ``_about`` was read from
        self._lock = threading.Lock()
        self._look()

    def _look(self) -> None:
        """Learn what is in the folder now; another server may have written there."""
        if self._folder is None:
            return
        there = {
            path.stem: path for path in self._folder.glob("*.json") if _NAME.fullmatch(path.stem)
        }
        for name in [name for name in self._about if name not in there]:
            del self._about[name]
        new = [
            (stamp[1], name)
            for name, path in there.items()
            if (stamp := _stamp(path)) and stamp != self._stamps.get(name)
        ]
        for _, name in sorted(new):
            self._stamps[name] = _stamp(there[name])
            with suppress(ValueError, OSError, KeyError, TypeError):
                self._about[name] = json.loads(read_text(there[name]))["about"]
                self._about.move_to_end(name)

    def add(self, table: Table) -> str:
        """Keep a new game and return its name."""
        name = secrets.token_urlsafe(12)
        opened = OpenGame(table)
        self.save(name, opened)
        with self._lock:
            self.kept[name] = opened
            self._make_room()
        return name

    def save(self, name: str, opened: OpenGame) -> None:
        """Keep a game as it is now; Changed if another server has changed it meanwhile."""
        table = opened.table
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
            self._write(self._folder, name, opened, text)
        with self._lock:
            self._stamps[name] = opened.stamp
            self._about[name] = about
            self._about.move_to_end(name)

    def _write(self, folder: Path, name: str, opened: OpenGame, text: str) -> None:
        path = folder / f"{name}.json"
        with _alone_in(folder):
            if _stamp(path) not in (opened.stamp, None):
                with self._lock:
                    self.kept.pop(name, None)  # it is read again
                raise Changed("another server has changed this game: it has moved on")
            write_whole(path, text)
            opened.stamp = _stamp(path)

    def get(self, name: str) -> OpenGame:
        """Return the game of that name as it is now; Missing if there is none."""
        with self._lock:
            opened = self.kept.get(name)
            if opened is None or self._is_old(name, opened):
                self.kept[name] = opened = self._read(name)
            self.kept.move_to_end(name)
            self._make_room()
            return opened

    def _is_old(self, name: str, opened: OpenGame) -> bool:
        """Whether another server has changed the game; a game that is being changed here is not."""
        if self._folder is None or opened.lock.locked():
            return False
        return _stamp(self._folder / f"{name}.json") not in (opened.stamp, None)

    def unfinished(self) -> list[dict[str, Any]]:
        """Return name, seats and turn of the unfinished games, the newest first."""
        with self._lock:
            self._look()
            return [
                {"id": name, **about}
                for name, about in reversed(self._about.items())
                if not about["over"]
            ]

    def _read(self, name: str) -> OpenGame:
        stamp = None
        try:
            if self._folder is None:
                text = self._texts[name]
            elif _NAME.fullmatch(name):
                path = self._folder / f"{name}.json"
                stamp, text = _stamp(path), read_text(path)
            else:
                raise KeyError(name)
        except (KeyError, OSError):
            raise Missing(f"there is no game {name[:24]!r} here") from None
        return OpenGame(Table.restored(json.loads(text), self._load), stamp)

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
