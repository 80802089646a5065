"""The games of a run as a data set (docs/data.md): the replay of a training run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cacao_env.data.storage import MANIFEST, read_manifest, table_of, write_games, write_manifest
from cacao_env.engine.options import Options
from cacao_env.evaluation.make import card
from cacao_env.files import write_whole
from cacao_env.provenance import provenance

from .games import Played


def add_games(
    folder: Path, name: str, options: Options, games: Sequence[tuple[int, Played]]
) -> None:
    """Add games, with the rounds that they are of, to the data set of a run, as one file.

    A file is named by its first round.  A resumed run plays the rounds after its last save again, so
    files of these rounds go.
    """
    folder.mkdir(exist_ok=True)
    manifest: dict[str, Any] = {"name": f"{name}, its games", "files": [], **provenance()}
    manifest["settings"] = {"agents": {name: "by round"}, "options": [options.as_dict()]}
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder)
    file = f"games-{games[0][0]:07}.parquet"
    manifest["files"] = [entry for entry in manifest["files"] if entry["name"] < file]
    parts = write_games(folder / file, table_of(_columns(name, options, games)))
    count = sum(len(played.seeds) for _, played in games)
    manifest["files"].append({"name": file, "games": count, "parts": parts})
    write_manifest(folder, manifest)
    listed = {entry["name"] for entry in manifest["files"]}
    for path in folder.glob("games-*.parquet"):  # as other libraries read the folder
        if path.name not in listed:
            path.unlink()
    write_whole(folder / "README.md", card(manifest))


def _columns(
    name: str, options: Options, games: Sequence[tuple[int, Played]]
) -> dict[str, list[Any]]:
    every = Played(*(np.concatenate(arrays) for arrays in zip(*(played for _, played in games))))
    players, count = options.num_players, len(every.seeds)
    rounds = [number for number, played in games for _ in played.seeds]
    return {
        "deal": every.seeds.tolist(),
        **{key: [value] * count for key, value in options.as_dict().items()},
        "agents": [[name] * players] * count,
        "versions": [[f"round {number}"] * players for number in rounds],
        "actions": [row[:ply] for row, ply in zip(every.actions, every.plies)],
        "scores": every.scores[:, :players].tolist(),
        "cacao": every.cacao[:, :players].tolist(),
        "win_shares": every.win_shares[:, :players].tolist(),
    }
