"""Games as conversations, to fine-tune a language model: what each seat was asked, and its moves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..agent import decider
from ..data.games import Games
from ..engine.progress import Bar
from ..evaluation.luck import SCORES, WIN_SHARES, luck_of
from ..files import writing
from ..game import Game
from .prompt import Message, message, primer, prompt


def write_chat(games: Games, path: Path) -> int:
    """Write a conversation a seat, a line each; return how many there are."""
    agents = games.table.column("agents").to_pylist()
    found = (
        line
        for number, names in enumerate(agents)
        for line in conversations(games[number], names, int(games.deals[number]))
    )
    with writing(path, pipes=True) as file:
        for line in Bar(found, unit="seat"):
            file.write(json.dumps(line).encode() + b"\n")
    return len(games) * games.options.num_players


def conversations(game: Game, names: Sequence[str], deal: int) -> Iterator[dict[str, Any]]:
    """Yield the conversation of each seat of a finished game.

    A conversation has ``messages``; ``agent, players, deal, seat``; the outcome, ``win_share`` and
    ``score``, and the ``luck`` of the draw in both; ``moves``.
    """
    messages: list[list[Message]] = [[message("system", primer())] for _ in names]
    moves: list[list[str]] = [[] for _ in names]
    for now, action in game.plies():
        seat, move = decider(now), now.text(action)
        reply = message("assistant", json.dumps({"move": move}))
        messages[seat] += [message("user", prompt(now, seat)), reply]
        moves[seat].append(move)
    luck = luck_of(game)
    for seat, (share, score) in enumerate(zip(game.win_shares(), game.scores())):
        yield {
            "messages": messages[seat],
            "agent": names[seat],
            "players": len(names),
            "deal": deal,
            "seat": seat,
            "win_share": share,
            "score": score,
            "luck": {
                "win_share": float(luck[WIN_SHARES, seat]),
                "score": float(luck[SCORES, seat]),
            },
            "moves": moves[seat],
        }
