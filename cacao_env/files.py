"""Read files, and write them so that a reader sees the old content or the new, never a part of it.

That holds after a power cut too: content reaches the disk before the name points to it.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

MOST_BYTES = 100_000_000  # of a file of text


def read_regular(path: Path, most: int, error: type[ValueError] | None = None) -> bytes:
    """Read a regular file of at most ``most`` bytes.

    A pipe or a device, which may never end, is refused before it is opened.  OSError says why the file
    can't be read; with ``error``, an error of that class says it in one sentence.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        if about.st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most // 1_000_000:,} MB", str(path))
        return path.read_bytes()
    except OSError as found:
        if error is None:
            raise
        raise error(f"{path} can't be read: {found.strerror}") from None


def read_text(path: Path, error: type[ValueError] | None = None) -> str:
    """Read a regular file of text in UTF-8, as ``read_regular`` does."""
    data = read_regular(path, MOST_BYTES, error)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise (error or ValueError)(f"{path} is not text in UTF-8") from None


def read_json(
    path: Path, expected: str, error: type[ValueError] = ValueError, most: int = MOST_BYTES
) -> Any:
    """Read a file of JSON; ``error`` says in one sentence what is wrong, and what was ``expected``."""
    data = read_regular(path, most, error)
    try:
        return json.loads(data)  # in UTF-8, or what a byte-order mark says
    except UnicodeDecodeError as wrong:
        raise error(f"{path} is not text in {wrong.encoding.upper()}") from None
    except (ValueError, RecursionError):
        raise error(f"{path} is not JSON, expected {expected}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file of TOML; ValueError says in one sentence what is wrong."""
    data = read_regular(path, MOST_BYTES, ValueError)
    try:
        return tomllib.loads(data.decode("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {error}") from None


def locked(path: Path, taken: str, error: type[ValueError] = ValueError) -> Any:
    """Return the lock of a file, acquired; ``error(taken)`` if another process has it."""
    from filelock import FileLock, Timeout  # slow to import

    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise error(taken) from None
    return lock


def write_whole(path: Path, content: str | bytes, pipes: bool = False) -> None:
    """Write a file, text as UTF-8; OSError says in one sentence why it can't be written.

    What is there and no regular file is refused.  With ``pipes``, for a path that the user gave, a pipe
    or ``/dev/stdout`` is written to and not replaced.
    """
    with writing(path, pipes) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def writing(path: Path, pipes: bool = False) -> Iterator[BinaryIO]:
    """Open a file to be written piece by piece, as ``write_whole`` does: it appears when whole."""
    special = path.exists() and not path.is_file()
    target = path.resolve() if path.is_symlink() else path  # the link stays
    beside = target.with_name(f"{target.name}.{os.getpid()}.tmp")  # another process may write too
    try:
        if special:
            if not pipes and not path.is_dir():
                raise OSError(errno.EINVAL, "it is not a regular file")
            with path.open("wb") as file:
                yield file
            return
        with write_through(beside) as file:
            yield file
        beside.replace(target)
        sync_folder(target.parent)
    except OSError as error:  # a full disk, say: the old file stays
        if error.strerror is None:  # a sentence already, of another file that is written meanwhile
            raise
        raise OSError(f"{path} can't be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def write_json(path: Path, data: Any, pipes: bool = False) -> None:
    """Write data as JSON, as ``write_whole`` does."""
    write_whole(path, json.dumps(data, indent=2) + "\n", pipes)


@contextmanager
def write_through(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written in place; at the end wait until the disk has it."""
    path.unlink(missing_ok=True)  # a rest of an earlier attempt, or a pipe that nobody reads
    with path.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names of a folder's files, where the system can do that."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
