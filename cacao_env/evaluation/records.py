"""Write the games of an evaluation as game records (docs/guides/game.md), one file a game."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from .. import record
from ..engine.progress import Bar
from ..engine.tiles import MAX_PLAYERS
from ..files import write_whole
from .blocks import Pairing
from .matches import replayed
from .run import Evaluation


def write_records(evaluation: Evaluation, folder: Path) -> int:
    """Write every game into a folder, and who sat where into ``games.csv``; returns the count."""
    rows = []
    prefixes: dict[Pairing, str] = {}
    for result in Bar(evaluation.results, desc="records", leave=False):
        pairing = result.pairing
        prefix = prefixes.setdefault(pairing, f"{len(prefixes):02}-{_file_name(pairing)}")
        for played in result.games:
            name = f"{prefix}-block{played.block:05}-seat{played.rotation}.json"
            game = replayed(pairing, played, evaluation.plan.seed)
            (folder / name).unlink(missing_ok=True)  # a pipe would wait for a reader
            seats = pairing.seats(played.rotation)
            text = record.dumps(
                record.record_of(game, players=[n[: record.MAX_NAME] for n in seats])
            )
            (folder / name).write_text(text, encoding="utf-8")
            record.write_conversations(folder / name, seats, played.notes)
            empty = [""] * (MAX_PLAYERS - len(seats))
            rows.append((name, pairing.players, played.block, *seats, *empty))
    head = ("file", "players", "block", *(f"seat_{seat}" for seat in range(MAX_PLAYERS)))
    table = io.StringIO(newline="")
    csv.writer(table).writerows([head, *rows])
    write_whole(folder / "games.csv", table.getvalue())
    return len(rows)


def _file_name(pairing: Pairing) -> str:
    def word(name: str) -> str:
        return "".join(c if c.isalnum() else "_" for c in name)[:32]

    return f"{pairing.players}p-{word(pairing.agent)}-against-{word(pairing.opponent)}"
