"""The games of an evaluation as game records (docs/guide.md), one file a game."""

from __future__ import annotations

import csv
from pathlib import Path

from tqdm import tqdm

from cacao_env import Game, record

from .blocks import Pairing
from .matches import Played, Rules
from .run import Evaluation


def replayed(pairing: Pairing, played: Played, rules: Rules) -> Game:
    """A finished game, played again from what was kept of it."""
    game = Game.new(pairing.players, rules.seed + played.block, volcanoes=rules.volcanoes)
    for action in played.actions:
        game.play(action)
    return game


def write_records(evaluation: Evaluation, folder: Path) -> int:
    """Write every game into a folder and, in ``games.csv``, who sat where; returns how many games.

    A record has no place for names, so they are in the list and in the names of the files.
    """
    rows = []
    prefixes: dict[Pairing, str] = {}
    for outcome in tqdm(evaluation.outcomes, desc="records", disable=None, leave=False):
        pairing = outcome.pairing
        prefix = prefixes.setdefault(pairing, f"{len(prefixes):02}-{_words(pairing)}")
        for played in outcome.games:
            name = f"{prefix}-block{played.block:05}-seat{played.rotation}.json"
            game = replayed(pairing, played, evaluation.plan.rules)
            (folder / name).write_text(record.dumps(record.record_of(game)), encoding="utf-8")
            rows.append((name, played.block, *pairing.seats(played.rotation)))
    with (folder / "games.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("file", "block", "seats in playing order"), *rows])
    return len(rows)


def _words(pairing: Pairing) -> str:
    def word(name: str) -> str:
        return "".join(c if c.isalnum() else "_" for c in name)[:32]

    return f"{pairing.players}p-{word(pairing.agent)}-against-{word(pairing.field)}"
