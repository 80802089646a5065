"""A folder in which games gather: as lines while they are played, as Parquet once a part is complete.

The manifest has the settings that determine the games, and is written first.  Lines are only appended,
so a run that ends early loses no games; an incomplete last line is dropped.  Games of an agent without
a version are not kept for a later run: nothing says that the agent still plays the same.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from ..files import locked, write_whole
from ..provenance import provenance
from . import storage
from .storage import MANIFEST, DataError, read_manifest, read_tables, reading, table_of

LINES, LOCK = "games.jsonl", ".lock"
_KEY = ["num_players", "volcanoes", "deal", "episode", "agents", "versions"]
Row = dict[str, Any]  # a game, by column
Key = tuple[int, bool, int, tuple[str, ...]]  # players, volcanoes, deal or episode, agents


def key_of(row: Mapping[str, Any]) -> Key:
    """Return what tells a game from all others of its folder."""
    number = row.get("episode", row["deal"])
    return row["num_players"], row["volcanoes"], number, tuple(row["agents"])


class GameFolder:
    """A folder to add games to; ``settings``, plain data, must match those of the folder.

    ``about``: more keys of a new manifest.  ``keys``: the games that are there; ``dropped``: whether
    some were not kept, as their agents have no version.  Only one thread may use it at a time, and one
    process a folder.  DataError says in one sentence why a folder will not do.
    """

    def __init__(
        self, path: Path, settings: Mapping[str, Any], about: Mapping[str, Any] | None = None
    ) -> None:
        self.path, self.keys, self.dropped = path, set[Key](), False
        self._rows: list[Row] = []  # those of the lines
        taken = f"another process is adding games to {path}: wait for it, or give another folder "
        with ExitStack() as undo:
            with _writing(path):
                path.mkdir(parents=True, exist_ok=True)
                self._lock = locked(path / LOCK, f"{taken}with --out", DataError)
                undo.callback(self._lock.release)
                if (path / LINES).exists() and not (path / LINES).is_file():
                    raise OSError(errno.EINVAL, f"{LINES} is not a regular file")
                self._file = (path / LINES).open("a+b")
                undo.callback(self.close)
            self._open(json.loads(json.dumps(settings)), about or {})
            undo.pop_all()

    def _open(self, settings: Row, about: Mapping[str, Any]) -> None:
        """Read the games that are there, or begin."""
        self._file.seek(0)
        data = self._file.read()
        if not (self.path / MANIFEST).exists():
            if data:
                raise DataError(f"{self.path / LINES} has no {MANIFEST}; give another folder")
            self.manifest = {**about, "settings": settings, "files": [], **provenance()}
            self._write_manifest()
            return
        self.manifest = read_manifest(self.path)
        check_same(self.path, self.manifest["settings"], settings)
        self._rows = self._read_files()
        files = self.manifest["files"] if self.dropped else []
        with reading("a file of games", self.path / LINES):
            lines = [row for line in data.split(b"\n")[:-1] for row in json.loads(line)]
            # A part may have become a file just before the lines were to be removed.
            self._rows += [row for row in lines if key_of(row) not in self.keys and _versioned(row)]
            self.dropped |= not all(map(_versioned, lines))
            self.keys |= set(map(key_of, self._rows))
        if self._rows != lines or data[-1:] not in (b"", b"\n"):  # the last line may be cut off
            self._write_lines()
        if files:
            self.manifest["files"] = []
            self._write_manifest()
            for entry in files:
                (self.path / entry["name"]).unlink(missing_ok=True)

    def _read_files(self) -> list[Row]:
        """Note the games of the files.  If some have no version, return the others, without files."""
        rows = [row for one in read_tables(self.path, self.manifest) for row in keys_of(one)]
        if all(map(_versioned, rows)):
            self.keys = set(map(key_of, rows))
            return []
        self.dropped = True
        every = [row for one in read_tables(self.path, self.manifest) for row in one.to_pylist()]
        return list(filter(_versioned, every))

    @property
    def kept(self) -> int:
        """Number of games that a later run uses again."""
        versions = self.manifest["settings"].get("agents", {})
        return sum(all(versions.get(name, True) for name in key[3]) for key in self.keys)

    def add(self, rows: Sequence[Row]) -> None:
        """Add games, which reach the file before this returns."""
        with _writing(self.path / LINES):
            self._file.write(json.dumps(rows, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
        self._rows += rows
        self.keys |= {key_of(row) for row in rows}

    def finish(self) -> None:
        """Make a Parquet file of the lines, if there are any."""
        if not self._rows:
            return
        rows = sorted(self._rows, key=_place)
        name = f"games-{len(self.manifest['files']):05}.parquet"
        parts = storage.write_games(self.path / name, table_of(rows))
        self.manifest["files"].append({"name": name, "games": len(rows), "parts": parts})
        self._write_manifest()
        self._rows = []
        self._write_lines()

    def _write_manifest(self) -> None:
        with _writing(self.path / MANIFEST):
            storage.write_manifest(self.path, self.manifest)

    def _write_lines(self) -> None:
        """Write the lines again, all or none."""
        content = json.dumps(self._rows, separators=(",", ":")) + "\n" if self._rows else ""
        with _writing(self.path / LINES):
            write_whole(self.path / LINES, content)
            self._file.close()
            self._file = (self.path / LINES).open("a+b")

    def close(self) -> None:
        """Close the file and give back the folder; a file without lines goes."""
        with suppress(OSError):  # a line that the disk could not take is written again, or never
            self._file.close()
            if not (self.path / LINES).stat().st_size:
                (self.path / LINES).unlink()
        self._lock.release()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an OSError into a DataError; that of ``write_whole`` is a sentence already."""
    try:
        yield
    except OSError as error:
        why = f"{path} can't be written: {error.strerror}" if error.strerror else str(error)
        raise DataError(why) from None


def read_folder(path: Path) -> tuple[Row, Any]:
    """Return the manifest and the table of all games of a folder, those of an unfinished one too."""
    manifest = read_manifest(path)
    with reading("a folder of games", path):
        tables = list(read_tables(path, manifest))
        lines = path / LINES
        if lines.is_file():
            data = lines.read_bytes()
            there = {key_of(row) for found in tables for row in keys_of(found)}
            every = (row for line in data.split(b"\n")[:-1] for row in json.loads(line))
            if rows := [row for row in every if key_of(row) not in there]:
                tables.append(table_of(rows))
        if not tables:
            raise DataError(f"{path} has no games yet: the command that makes it resumes")
        joined = storage.arrow()[0].concat_tables(tables, promote_options="default")
        return manifest, joined.combine_chunks()


def keys_of(table: Any) -> list[Row]:
    """Return the columns that tell games apart, by row."""
    names = [name for name in _KEY if name in table.schema.names]
    rows: list[Row] = table.select(names).to_pylist()
    return rows


def _place(row: Row) -> Any:
    """The place of a game in its file, whichever was played first; seats rotate as they were added."""
    *where, agents = key_of(row)
    return *where, sorted(agents)


def _versioned(row: Mapping[str, Any]) -> bool:
    return all(row["versions"])


def check_same(folder: Path, stored: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Raise DataError if games have other settings than those stored."""
    for key in settings:
        if stored.get(key) == settings[key]:
            continue
        if key == "engine":
            raise DataError(
                f"{folder} holds games of another version of the engine; give another folder"
            )
        raise DataError(
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
