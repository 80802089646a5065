"""``python -m cacao_env.play.puzzles``: write the page's puzzles, ``page/src/puzzles.json``.

A puzzle is one of the Cacao Positions in which every other placement loses at least one gold.  Its
level is how many of the five agents that were asked about the position found the best placement.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..evaluation.positions import Position, read_positions

FILE = Path(__file__).with_name("page") / "src" / "puzzles.json"
CLEAR = 1.0  # gold that every other placement loses
EASY, MEDIUM = 3, 1  # agents, at least, that find the best placement


def puzzle(one: Position) -> dict[str, Any] | None:
    """Return a position as the page reads it; None if no placement is clearly the best."""
    losses = dict(zip(one.placements, one.gold, strict=True))
    best, *others = sorted(losses, key=losses.__getitem__)
    if not others or losses[others[0]] < CLEAR:
        return None
    game = one.game()
    workers, jungle = game.draws
    found = list(one.chosen.values()).count(best)
    return {
        "number": one.number,
        "options": {
            "players": game.num_players,
            "volcanoes": game.volcanoes,
            "decisions": game.decisions,
        },
        "deal": {"worker_draws": workers, "jungle_draws": jungle},
        "actions": one.actions,
        "best": best,
        "level": (found < EASY) + (found < MEDIUM),
        "losses": {action: round(loss, 1) for action, loss in losses.items()},
    }


def text() -> str:
    """Return all puzzles as JSON, one a line."""
    every = [found for one in read_positions() if (found := puzzle(one))]
    lines = [json.dumps(one, separators=(",", ":")) for one in every]
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(f"{FILE}: {text().count(chr(10)) - 2} puzzles")
