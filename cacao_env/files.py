"""Write files so that a reader sees the old content or the new, never a part of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8; OSError says in one sentence why it can't be written."""
    write_together({path: content})


def write_together(files: Mapping[Path, str | bytes]) -> None:
    """Write files that belong together: beside their places first, then move all of them there."""
    beside = {path: path.with_name(path.name + ".tmp") for path in files}
    path = next(iter(files))
    try:
        for path, content in files.items():
            data = content.encode("utf-8") if isinstance(content, str) else content
            beside[path].write_bytes(data)
        for path in files:
            beside[path].replace(path)
    except OSError as error:  # a full disk, say: the old files stay
        raise OSError(f"{path} can't be written: {error.strerror}") from error
    finally:
        for one in beside.values():
            with suppress(OSError):
                one.unlink(missing_ok=True)
