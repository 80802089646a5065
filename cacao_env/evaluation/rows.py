"""Played games as rows of the table of games (:mod:`cacao_env.data`), and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..data import load_each
from ..data.games import Games
from ..engine.actions import place_actions
from ..game import Game
from ..gold_sources import gold_by_source
from .blocks import Pairing
from .matches import ChunkResult, PlayedGame


def rows_of(
    result: ChunkResult, seed: int, versions: Mapping[str, str], measured: bool = True
) -> list[dict[str, Any]]:
    """Return the games of a chunk as rows.

    ``seed``: of the deal of block 0; ``versions``: by agent; ``measured``: also note whose game it was,
    and how long the decisions took.
    """
    return [_row(result.pairing, one, seed, versions, measured) for one in result.games]


def _row(
    pairing: Pairing, played: PlayedGame, seed: int, versions: Mapping[str, str], measured: bool
) -> dict[str, Any]:
    names = pairing.seats(played.rotation)
    row: dict[str, Any] = {
        "deal": seed + played.block,
        **pairing.options.as_dict(),
        "agents": list(names),
        "versions": [versions[name] for name in names],
        **{key: getattr(played, key) for key in ("actions", "scores", "cacao", "win_shares")},
    }
    if measured:
        row["candidate"] = played.rotation
        row |= {"seconds": played.seconds, "placement_seconds": played.placement_seconds}
    if played.deal is not None:
        row |= {"episode": seed + played.block, "deal": played.deal}
    if played.luck is not None:
        row["luck"] = [*played.luck[0], *played.luck[1]]
    if played.notes:
        row["notes"] = json.dumps(played.notes)
    return row


def replayed_games(folder: Path, threads: int = 1) -> list[Games]:
    """Load the games of a folder and replay all; DataError names a game that can't be."""
    every = load_each(folder)
    for games in every:
        games.check(threads)
    return every


def results_of(games: Games, seed: int, task: str = "") -> list[ChunkResult]:
    """Return the games of each pairing; ``games`` have been replayed.

    Gold, decisions and win shares are counted again.  ``task``: the id of the named task, if it is one.
    """
    options, players = games.options, games.options.num_players
    place = np.repeat(np.arange(len(games)), np.diff(games.first)) * players + games.seats
    placing = games.actions < place_actions(options.table_size)
    decisions, placements = (
        np.bincount(some, minlength=len(games) * players).reshape(-1, players).tolist()
        for some in (place, place[placing])
    )
    columns = {name: games.table.column(name).to_pylist() for name in games.table.schema.names}
    found: dict[Pairing, list[PlayedGame]] = {}
    same = ("actions", "scores", "cacao", "seconds", "placement_seconds")
    for number, deal in enumerate(games.deals.tolist()):
        row = {name: values[number] for name, values in columns.items()}
        names, seat = row["agents"], row["candidate"]
        pairing = Pairing(options, names[seat], names[(seat + 1) % players], task)
        luck, begun = row.get("luck"), Game.deal(options, deal % 2**64)
        found.setdefault(pairing, []).append(
            PlayedGame(
                row.get("episode", deal) - seed,
                seat,
                win_shares=_win_shares(row["scores"], row["cacao"]),
                gold=gold_by_source(Game(begun.states, row["actions"])).tolist(),
                decisions=decisions[number],
                placements=placements[number],
                luck=[luck[:players], luck[players:]] if luck else None,  # others may have it
                notes=json.loads(row.get("notes") or "[]"),
                **{name: row[name] for name in same},
            )
        )
    return [ChunkResult(*pair) for pair in found.items()]


def lucks_of(games: Games) -> dict[Pairing, bool]:
    """Return the pairings of games, and whether their games have luck."""
    table, players = games.table, games.options.num_players
    known = "luck" in table.schema.names
    found = table.column("luck").to_pylist() if known else [[]] * len(games)
    seatings = table.column("agents").to_pylist(), table.column("candidate").to_pylist()
    return {
        Pairing(games.options, names[seat], names[(seat + 1) % players]): bool(own)
        for names, seat, own in zip(*seatings, found)
    }


def _win_shares(scores: list[int], cacao: list[int]) -> list[float]:
    """Return the shares of the win: the column has them in single precision."""
    ends = list(zip(scores, cacao))
    return [(end == max(ends)) / ends.count(max(ends)) for end in ends]
