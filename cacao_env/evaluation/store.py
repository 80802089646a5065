"""Store the games of an evaluation: a file of settings, and one with a line for each finished chunk.

The settings identify the evaluation and are written first.  Lines are only appended, so a run that
ends early loses no finished chunk; an incomplete last line is dropped.  Games of an agent without a
version are never read again: nothing says that it still plays the same.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cacao_env

from ..files import locked, read_json, write_json
from .matches import ChunkResult

FORMAT, VERSION = "cacao-evaluation-games", 4
GAMES, SETTINGS, LOCK = "games.jsonl", "settings.json", ".lock"


# The page, the terminal, the commands and the benchmarks change no result.
PARTS = (
    "*.py",
    "engine/**/*.py",
    "greedy/**/*.py",
    "agents/**/*.py",
    "envs/**/*.py",
    "evaluation/**/*.py",
)


class StoreError(ValueError):
    """One sentence on why a folder can't hold an evaluation's games."""


def engine_version() -> str:
    """Return a fingerprint of the sources that games depend on: equal ones play the same games."""
    package = Path(cacao_env.__file__).parent
    digest = hashlib.sha256()
    for source in sorted(path for part in PARTS for path in package.glob(part)):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


class Store:
    """The chunks that need not be played; ``settings``, plain data, must match those of the folder.

    Only one thread may use it at a time, and one process a folder.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.path = folder / GAMES
        self.results: dict[str, ChunkResult] = {}
        self.dropped = False  # whether games are not read, as their agents have no version
        agents = settings.get("agents", {}) | settings.get("opponents", {})
        self.unversioned = {name for name, version in agents.items() if not version}
        settings = json.loads(json.dumps(settings))  # as it will be read back
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = locked(
                folder / LOCK,
                f"another process is playing the evaluation in {folder}: wait for it, or give another "
                "folder with --out",
                StoreError,
            )
        except OSError as error:
            raise StoreError(f"{folder} can't be written: {error.strerror}") from None
        try:
            if self.path.exists() and not self.path.is_file():
                raise OSError(errno.EINVAL, f"{GAMES} is not a regular file")
            self._file = self.path.open("a+b")
        except OSError as error:
            self._lock.release()
            raise StoreError(f"{folder} can't be written: {error.strerror}") from None
        try:
            self._read(settings)
        except BaseException:
            self.close()
            raise

    def _read(self, settings: dict[str, Any]) -> None:
        self._file.seek(0)
        data = self._file.read()
        path, head = self.path.with_name(SETTINGS), {"format": FORMAT, "version": VERSION}
        if not data and not path.exists():
            try:
                write_json(path, {**head, "settings": settings})
            except OSError as error:
                raise StoreError(str(error)) from None
        try:
            found = read_json(path, "an evaluation's settings") if path.exists() else {}
            if {key: found.get(key) for key in head} != head:
                raise StoreError(
                    f"{self.path} is not a file of games of this version; give another folder with "
                    "--out"
                )
            check_same(self.path.parent, found["settings"], settings)
            whole = data.rfind(b"\n") + 1
            for result in map(ChunkResult.from_dict, map(json.loads, data[:whole].splitlines())):
                if result.resumable(self.unversioned):
                    self.results[result.key] = result
                else:
                    self.dropped = True
        except StoreError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = repr(error)[:200]
            raise StoreError(f"{self.path} is not a file of games: {reason}") from None
        if whole < len(data):
            self._file.truncate(whole)

    def add(self, result: ChunkResult) -> None:
        """Store a chunk's games."""
        try:
            line = json.dumps(asdict(result), separators=(",", ":"))
            self._file.write(line.encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise StoreError(f"{self.path} can't be written: {error.strerror}") from None
        self.results[result.key] = result

    def close(self) -> None:
        """Close the file and give back the folder."""
        with suppress(OSError):  # a line that the disk could not take is written again, or never
            self._file.close()
        self._lock.release()


def check_same(folder: Path, stored: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Raise StoreError if an evaluation has other settings than those stored."""
    for key in settings:
        if stored.get(key) != settings[key]:
            raise StoreError(
                f"{folder} holds games with other settings: its {key} "
                f"{_difference(stored.get(key), settings[key])}; give another folder"
            )


def _difference(stored: Any, asked: Any) -> str:
    """Say in a few words how two values of a setting differ."""
    if isinstance(stored, dict) and isinstance(asked, dict):
        names = sorted(set(stored) ^ set(asked)) or sorted(
            n for n in stored if stored[n] != asked[n]
        )
        return f"differ in {', '.join(map(str, names))}"
    return f"is {stored!r}, here {asked!r}"
