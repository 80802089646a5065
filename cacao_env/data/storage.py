"""Tables of games in folders: Parquet files with a row a game, a manifest with checksums of every byte.

The columns are plain, so any reader of Parquet shows them.  A checksum covers each row group and each
footer, and one the manifest itself: a damaged folder is refused with the place.  Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

from ..checks import in_short, need, reason_of
from ..engine.options import Options
from ..files import read_json, read_regular, write_json, write_whole

FORMAT, VERSION = "cacao-data", 2
MANIFEST = "manifest.json"
ROWS = 1000  # games of a row group
MOST = 4_000_000_000  # bytes of a file
# By name, the type of a value as ``pyarrow`` names it, and the number of lists around it.
COLUMNS = {
    "deal": ("int64", 0),
    "num_players": ("int8", 0),
    "volcanoes": ("bool", 0),
    "decisions": ("string", 0),
    "table_size": ("int8", 0),
    "agents": ("string", 1),
    "versions": ("string", 1),
    "actions": ("uint16", 1),
    "scores": ("int16", 1),
    "cacao": ("int8", 1),
    "win_shares": ("float", 1),
}
# What an evaluation, or a maker of data sets, adds.
MORE = {
    "candidate": ("int8", 0),  # the seat that is measured
    "episode": ("int64", 0),  # of a named task: the seed of its environment
    "luck": ("double", 1),  # of the draw, by seat: win shares, then scores in gold
    "seconds": ("double", 1),  # of all decisions, by seat
    "placement_seconds": ("double", 1),
    "notes": ("string", 0),  # the agents', as JSON
}

# Of data of other kinds.
_ODD: tuple[type[Exception], ...] = (ValueError, LookupError, TypeError, AttributeError)
_ODD += (OverflowError, RecursionError)


class DataError(ValueError):
    """One sentence on what is wrong with a folder of games, and where."""


def arrow() -> tuple[Any, Any]:
    """Return the modules ``pyarrow`` and ``pyarrow.parquet``."""
    return need("pyarrow", "pyarrow", "evaluate"), need("pyarrow.parquet", "pyarrow", "evaluate")


def table_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return games, plain data by column, as a table; who noted nothing has no notes."""
    pa, _ = arrow()
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name, "") for row in rows] for name in names}
    return pa.table({name: pa.array(column, _type(name)) for name, column in columns.items()})


def _type(name: str) -> Any:
    pa, _ = arrow()
    kind, depth = (COLUMNS | MORE)[name]
    found = pa.type_for_alias(kind)
    for _ in range(depth):
        found = pa.list_(found)
    return found


def write_games(path: Path, table: Any) -> list[list[Any]]:
    """Write games into a file, whole or not at all; return the checksums of its parts."""
    _, parquet = arrow()
    out = io.BytesIO()
    parquet.write_table(
        table,
        out,
        row_group_size=ROWS,
        compression="zstd",
        use_dictionary=[name for name in table.schema.names if name != "deal"],
        column_encoding={"deal": "DELTA_BINARY_PACKED"},
    )
    write_whole(path, out.getvalue())
    return _parts(out.getvalue())


def _parts(data: bytes) -> list[list[Any]]:
    """Return (end, SHA-256) of each row group, from the end of the one before it, and of the footer."""
    _, parquet = arrow()
    about = parquet.ParquetFile(io.BytesIO(data)).metadata
    starts = []
    for number in range(1, about.num_row_groups):
        first = about.row_group(number).column(0)
        starts.append(first.dictionary_page_offset or first.data_page_offset)
    ends = [*starts, len(data) - 8 - int.from_bytes(data[-8:-4], "little"), len(data)]
    return [[end, _digest(data[begin:end])] for begin, end in zip([0, *ends], ends)]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _seal(manifest: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in manifest.items() if key != "checksum"}
    return _digest(json.dumps(kept, sort_keys=True).encode())


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest with the checksum of itself."""
    head = {"format": FORMAT, "version": VERSION, **manifest}
    write_json(folder / MANIFEST, {**head, "checksum": _seal(head)})


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read a manifest; DataError if it is not one, or was changed."""
    path = folder / MANIFEST
    with reading("the manifest of games", path):
        found = read_json(path, "the manifest of games")
        head = (found.get("format"), found.get("version"))
        if head != (FORMAT, VERSION) or found["version"] is True:
            raise DataError(f"{path} is {in_short(head)}, expected {FORMAT!r}, version {VERSION}")
        if found.get("checksum") != _seal(found):
            raise DataError(f"{path} was changed: its checksum differs")
        return dict(found)


def options_of(manifest: Mapping[str, Any]) -> list[Options]:
    """Return the options of a folder's games."""
    return [Options.from_dict(one) for one in manifest["settings"]["options"]]


def read_tables(folder: Path, manifest: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the table of each file; DataError names a part that was changed."""
    pa, parquet = arrow()
    with reading("a folder of games", folder, pa.ArrowException):
        options = options_of(manifest)
        for entry in manifest["files"]:
            path = folder / Path(entry["name"]).name
            data = read_regular(path, MOST)
            _check_parts(path, data, entry["parts"])
            table = parquet.ParquetFile(pa.BufferReader(data)).read()
            yield _checked(path, table, options)


def split(table: Any, options: Sequence[Options]) -> list[tuple[Options, Any]]:
    """Return the games with each of the options, in order; options without games are left out."""
    if len(options) == 1:
        return [(options[0], table)]
    compute = need("pyarrow.compute", "pyarrow", "evaluate")
    found = []
    for one in options:
        tests = [compute.equal(table[name], value) for name, value in one.as_dict().items()]
        own = table.filter(reduce(compute.and_, tests))
        if len(own):
            found.append((one, own))
    return found


@contextmanager
def reading(what: str, where: object, *more: type[Exception]) -> Iterator[None]:
    """Turn the errors of odd data, and ``more`` kinds of them, into a DataError of one sentence."""
    try:
        yield
    except DataError:
        raise
    except (*_ODD, *more) as error:
        reason = reason_of(error) or type(error).__name__
        raise DataError(f"{where} is not {what}: {reason}") from None
    except OSError as error:
        reason = error.strerror or in_short(error)
        raise DataError(f"{error.filename or where}: {reason}") from None


def _check_parts(path: Path, data: bytes, parts: Sequence[Sequence[Any]]) -> None:
    """Raise DataError at the first part whose checksum differs."""
    begin = 0
    for number, (end, digest) in enumerate(parts):
        if _digest(data[begin:end]) != digest:
            what = "its end" if number == len(parts) - 1 else f"row group {number}"
            raise DataError(
                f"{path}: {what}, bytes {begin:,} to {end:,}, was changed or is missing"
            )
        begin = end
    if begin != len(data):
        raise DataError(f"{path}: it has {len(data):,} bytes, expected {begin:,}")


def _checked(path: Path, table: Any, options: Sequence[Options]) -> Any:
    """Return a table, in the order of the columns, unless it is not one of games with these options."""
    names = [name for name in (*COLUMNS, *MORE) if name in table.schema.names]
    for name in COLUMNS:
        if name not in names:
            raise DataError(f"{path} has no column {name!r}")
    for name in names:
        column = table.column(name)
        if column.type != _type(name) or _nulls(column):
            raise DataError(
                f"{path}: {name} is {column.type}, expected {_type(name)} without nulls"
            )
    for name in options[0].as_dict():
        known = [one.as_dict()[name] for one in options]
        if odd := set(table.column(name).unique().to_pylist()) - set(known):
            raise DataError(f"{path}: {name} is {odd.pop()!r}, expected one of {in_short(known)}")
    return table.select(names).replace_schema_metadata(None)


def _nulls(column: Any) -> bool:
    compute = need("pyarrow.compute", "pyarrow", "evaluate")
    while not (missing := column.null_count > 0) and hasattr(column.type, "value_type"):
        column = compute.list_flatten(column)
    return bool(missing)
