"""Where an evaluation keeps its games: one file, a line for each finished chunk.

The first line says which evaluation it is.  Lines are only ever appended, so whatever ends a run, all
chunks before it are there; a last line that was cut off is dropped.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import cacao_env

from .matches import Outcome

FORMAT, VERSION = "cacao-evaluation-games", 1
GAMES = "games.jsonl"


class StoreError(ValueError):
    """A folder that can't take or give an evaluation's games, and why."""


def engine_version() -> str:
    """A fingerprint of the sources of ``cacao_env``: the same one plays the same games."""
    package = Path(cacao_env.__file__).parent
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


class Store:
    """The chunks played so far; ``settings``, plain data, must be those the folder was made with."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.path = folder / GAMES
        self.outcomes: dict[str, Outcome] = {}
        settings = json.loads(json.dumps(settings))  # as it will be read back
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            raise StoreError(f"{folder} can't be written: {error.strerror}") from None
        try:
            self._read(settings)
        except BaseException:
            self._file.close()
            raise

    def _read(self, settings: dict[str, Any]) -> None:
        self._file.seek(0)
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            self._file.truncate(whole)
        lines = data[:whole].splitlines()
        if not lines:
            self._append({"format": FORMAT, "version": VERSION, "settings": settings})
            return
        try:
            head, *rows = [json.loads(line) for line in lines]
            kept = head["settings"] if (head["format"], head["version"]) == (FORMAT, VERSION) else 0
            for row in rows:
                self.outcomes.setdefault(row["key"], Outcome.from_dict(row))
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{self.path} is not a file of games: {error!r}") from None
        if not isinstance(kept, dict):
            raise StoreError(f"{self.path} is not a file of games of this version")
        for key in settings:
            if kept.get(key) != settings[key]:
                raise StoreError(
                    f"{self.path.parent} holds another evaluation: its {key} "
                    f"{_differs(kept.get(key), settings[key])}; give another folder with --out"
                )

    def add(self, outcome: Outcome) -> None:
        """Keep a chunk's games."""
        self._append(outcome.as_dict())
        self.outcomes[outcome.key] = outcome

    def _append(self, row: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise StoreError(f"{self.path} can't be written: {error.strerror}") from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def games(self) -> int:
        """How many games are kept."""
        return sum(len(outcome.games) for outcome in self.outcomes.values())


def _differs(kept: Any, asked: Any) -> str:
    """How two values of a setting differ, in a few words."""
    if isinstance(kept, dict) and isinstance(asked, dict):
        names = sorted(set(kept) ^ set(asked)) or sorted(n for n in kept if kept[n] != asked[n])
        return f"differ in {', '.join(map(str, names))}"
    return f"is {kept!r}, here {asked!r}"
