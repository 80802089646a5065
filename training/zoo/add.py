"""Making a checkpoint to ship from a run's folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cacao_env import Game, record
from cacao_env.agents.checkpoint import (
    MANIFEST,
    ORDER,
    WEIGHTS,
    CheckpointError,
    add_to_manifest,
    read_manifest,
    settle,
)
from cacao_env.agents.registry import load_agent
from cacao_env.files import read_text, write_whole

from ..run_folder import CONFIG, CURVES, METRICS
from .card import card
from .folder import CARD, EVALUATION, ONNX, RECORDS, Shipped, write_sums
from .onnx import export

SAMPLES = 2  # records for each number of players


def add(run: Path, home: Path, name: str) -> Shipped:
    """Copy the files of a run that a checkpoint needs into ``home / name``, which must not exist.

    The card says that it has not been measured until ``measured`` is called.
    """
    path = home / name
    if path.exists():
        raise CheckpointError(f"{path} is there already")
    read_manifest(run)
    load_agent(str(run))  # raises an error if the run can't be loaded
    settle(run)
    path.mkdir(parents=True)
    for file in (WEIGHTS, MANIFEST, CONFIG, CURVES, METRICS):
        if (run / file).exists():
            shutil.copy(run / file, path / file)
    add_to_manifest(path, name=name)
    _write_records(path)
    export(path, path / ONNX)
    _enlist(home, name)
    return finish(path)


def measured(path: Path, files: Sequence[Path]) -> Shipped:
    """Copy the results of this checkpoint, with or without search, from evaluations' JSON files."""
    manifest = read_manifest(path)
    name = manifest["name"]
    kept: dict[tuple[Any, ...], dict[str, Any]] = {}
    documents = [_evaluation(file, manifest) for file in files]
    if (path / EVALUATION).exists():
        documents.insert(0, {"results": Shipped(path, manifest).results()})
    for document in documents:
        about = {key: document.get(key) for key in ("created", "git_commit", "versions", "machine")}
        for row in document["results"]:
            if row["agent"] == name or row["agent"].startswith(f"{name}+"):
                seed = document.get("settings", {}).get("seed")
                key = (row["agent"], row["opponent"], row["players"], row["volcanoes"])
                kept[key] = {"about": about, "seed": seed, **row}
    rows = [kept[key] for key in sorted(kept)]
    text = json.dumps({"results": rows}, indent=2) + "\n"
    write_whole(path / EVALUATION, text.encode())
    return finish(path)


def _evaluation(file: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Read what ``cacao evaluate --json`` wrote; CheckpointError if it measured other weights."""
    try:
        document: dict[str, Any] = json.loads(read_text(file))
        versions = document["settings"]["agents"]
        rows = [(row["agent"], row["opponent"]) for row in document["results"]]
    except OSError as error:
        raise CheckpointError(f"{file} can't be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CheckpointError(
            f"{file} is not what `cacao evaluate --json` writes: expected settings and results"
        ) from None
    for agent in {agent for row in rows for agent in row}:
        own = agent == manifest["name"] or agent.startswith(f"{manifest['name']}+")
        if own and versions.get(agent) != manifest["sha256"]:
            raise CheckpointError(f"{file}: {agent} had other weights there")
    return document


def finish(path: Path) -> Shipped:
    """Write the card and the checksums."""
    found = Shipped(path, read_manifest(path))
    write_whole(path / CARD, card(found).encode())
    write_sums(path)
    return found


def _write_records(path: Path) -> None:
    """Write a few games that it plays against itself."""
    agent = load_agent(str(path))
    (path / RECORDS).mkdir()
    for players in agent.players:
        for number in range(SAMPLES):
            game = Game.new(players, number)
            memory = [agent.begin(seat) for seat in range(players)]
            while game.seat is not None:
                game.play(agent.act([game], [memory[game.seat]])[0])
            text = record.dumps(record.record_of(game))
            (path / RECORDS / f"{players}p-{number}.json").write_text(text, encoding="utf-8")


def _enlist(home: Path, name: str) -> None:
    """Add a name to the list; a name that is there keeps its place."""
    order = home / ORDER
    listed = json.loads(order.read_text(encoding="utf-8")) if order.exists() else []
    if name not in listed:
        write_whole(order, (json.dumps([*listed, name], indent=2) + "\n").encode())
