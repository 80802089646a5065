"""A shipped checkpoint as a folder of files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cacao_env.agents.checkpoint import (
    CheckpointError,
    find,
    read_manifest,
    shipped_home,
    shipped_names,
)
from cacao_env.files import read_text, write_whole

EVALUATION, CARD, SUMS, RECORDS, ONNX = (
    "evaluation.json",
    "README.md",
    "SHA256SUMS",
    "records",
    "model.onnx",
)


@dataclass(frozen=True)
class Shipped:
    """A checkpoint: its folder and its manifest."""

    path: Path
    manifest: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.name

    def results(self) -> list[dict[str, Any]]:
        """The rows of its evaluation; none if it has not been measured."""
        try:
            rows: list[dict[str, Any]] = json.loads(read_text(self.path / EVALUATION))["results"]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise CheckpointError(
                f"{self.path / EVALUATION} can't be read: {error.strerror}"
            ) from None
        except (ValueError, KeyError, TypeError):
            raise CheckpointError(f"{self.path / EVALUATION} has no results") from None
        return rows


def shipped(name: str) -> Shipped:
    """Find a checkpoint by name or path; CheckpointError if there is none."""
    path = find(name)
    if path is None:
        there = ", ".join(shipped_names())
        raise CheckpointError(f"there is no checkpoint {name!r}; there are: {there}")
    return Shipped(path, read_manifest(path))


def home() -> Path:
    """The folder of the shipped checkpoints; CheckpointError if there is none."""
    found = shipped_home()
    if found is None:
        raise CheckpointError("no checkpoints are shipped with this installation")
    return found


def write_sums(path: Path) -> None:
    """Write the checksums of all files of a checkpoint, as ``sha256sum`` does."""
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name != SUMS)
    lines = [f"{_sum(file)}  {file.relative_to(path).as_posix()}\n" for file in files]
    write_whole(path / SUMS, "".join(lines).encode())


def check_sums(path: Path) -> None:
    """Raise CheckpointError naming the first file whose checksum is wrong."""
    try:
        lines = read_text(path / SUMS).splitlines()
    except OSError:
        raise CheckpointError(f"{path}: {SUMS} can't be read") from None
    for line in lines:
        digest, _, name = line.partition("  ")
        file = path / name
        if not file.is_file() or _sum(file) != digest:
            raise CheckpointError(f"{path}: {name} does not have the checksum that {SUMS} gives")


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
