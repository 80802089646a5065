"""Write the games of an evaluation as game records (docs/guides/game.md), one file a game."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tqdm import tqdm

from .. import record
from ..files import write_whole
from .blocks import Pairing
from .matches import replayed
from .run import Evaluation


def write_records(evaluation: Evaluation, folder: Path) -> int:
    """Write every game into a folder, and who sat where into ``games.csv``; returns the count.

    A record has no field for names, so they are in the list and in the names of the files.
    """
    rows = []
    prefixes: dict[Pairing, str] = {}
    for result in tqdm(evaluation.results, desc="records", disable=None, leave=False):
        pairing = result.pairing
        prefix = prefixes.setdefault(pairing, f"{len(prefixes):02}-{_file_name(pairing)}")
        for played in result.games:
            name = f"{prefix}-block{played.block:05}-seat{played.rotation}.json"
            game = replayed(pairing, played, evaluation.plan.seed)
            (folder / name).unlink(missing_ok=True)  # a pipe would wait for a reader
            (folder / name).write_text(record.dumps(record.record_of(game)), encoding="utf-8")
            rows.append((name, played.block, *pairing.seats(played.rotation)))
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("file", "block", "seats in playing order"), *rows])
    write_whole(folder / "games.csv", text.getvalue())
    return len(rows)


def _file_name(pairing: Pairing) -> str:
    def word(name: str) -> str:
        return "".join(c if c.isalnum() else "_" for c in name)[:32]

    return f"{pairing.players}p-{word(pairing.agent)}-against-{word(pairing.opponent)}"
