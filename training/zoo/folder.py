"""A shipped checkpoint as a folder of files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cacao_env.agents.checkpoint import CheckpointError, find, read_manifest, write_whole

EVALUATION, CARD, SUMS, RECORDS, ONNX = (
    "evaluation.json",
    "README.md",
    "SHA256SUMS",
    "records",
    "model.onnx",
)
ORDER = "order.json"  # beside the folders: their names, the recommended one first


@dataclass(frozen=True)
class Shipped:
    """One checkpoint: where it lies and what is said about it."""

    path: Path
    manifest: dict[str, Any]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.path.name

    def results(self) -> list[dict[str, Any]]:
        """The rows of its evaluation, none if it has not been measured."""
        try:
            text = (self.path / EVALUATION).read_text(encoding="utf-8")
        except OSError:
            return []
        found: list[dict[str, Any]] = json.loads(text)["results"]
        return found


def shipped(name: str) -> Shipped:
    """A checkpoint by name or path; CheckpointError if there is none."""
    path = find(name)
    if path is None:
        raise CheckpointError(f"there is no checkpoint {name!r}; there are: {', '.join(names())}")
    return Shipped(path, read_manifest(path))


def home() -> Path:
    """The folder of those that are shipped."""
    found = find_home()
    if found is None:
        raise CheckpointError("no checkpoints are shipped with this installation")
    return found


def find_home() -> Path | None:
    """The same, or None."""
    here = Path(__file__).resolve().parent.parent
    for place in (here.parent / "checkpoints", here / "shipped"):
        if (place / ORDER).is_file():
            return place
    return None


def names() -> list[str]:
    """All that are shipped, the recommended one first."""
    place = find_home()
    if place is None:
        return []
    listed: list[str] = json.loads((place / ORDER).read_text(encoding="utf-8"))
    return listed


def write_sums(path: Path) -> None:
    """Write the checksums of all files of a checkpoint, as ``sha256sum`` does."""
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name != SUMS)
    lines = [f"{_sum(file)}  {file.relative_to(path).as_posix()}\n" for file in files]
    write_whole(path / SUMS, "".join(lines).encode())


def check_sums(path: Path) -> None:
    """CheckpointError naming the first file that is not the one the checksums are of."""
    try:
        lines = (path / SUMS).read_text(encoding="utf-8").splitlines()
    except OSError:
        raise CheckpointError(f"{path}: {SUMS} can't be read") from None
    for line in lines:
        digest, _, name = line.partition("  ")
        file = path / name
        if not file.is_file() or _sum(file) != digest:
            raise CheckpointError(f"{path}: {name} does not have the checksum that {SUMS} gives")


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
