"""``python -m tests.golden.regenerate`` writes the golden games again.

A change in them is a change of the rules, of a bot or of the format: read the diff.
"""

import hashlib
from pathlib import Path

from cacao_env import Game
from cacao_env.record import dumps, record_of
from cacao_env.render.text import picture
from tests.games import as_dealt, played_by_bots

FOLDER = Path(__file__).parent
# name: players, seed, volcanoes, decisions, agents
GAMES = {
    "2p-greedy": (2, 11, False, "auto", ["greedy", "greedy"]),
    "2p-volcanoes-explicit": (2, 12, True, "explicit", ["greedy", "random"]),
    "3p-mixed": (3, 13, False, "auto", ["greedy", "random", "greedy"]),
    "4p-volcanoes": (4, 14, True, "auto", ["greedy", "greedy", "random", "greedy"]),
}


def play(name: str) -> Game:
    players, seed, volcanoes, decisions, agents = GAMES[name]
    return played_by_bots(players, seed, agents, volcanoes=volcanoes, decisions=decisions)


def fingerprints(game: Game) -> str:
    """One line a decision: ply, seat, and hashes of the observation and the mask."""
    again = as_dealt(game)
    lines = []
    for ply, action in enumerate(game.history):
        parts = (again.observation(again.seat), again.action_mask())
        digests = " ".join(hashlib.sha256(part.tobytes()).hexdigest()[:12] for part in parts)
        lines.append(f"{ply} {again.seat} {digests}")
        again.play(action)
    return "\n".join(lines) + "\n"


def files(name: str) -> dict[str, str]:
    """File names and texts of one golden game."""
    game = play(name)
    return {
        f"{name}.json": dumps(record_of(game)),
        f"{name}.txt": picture(game) + "\n",
        f"{name}.hashes": fingerprints(game),
    }


if __name__ == "__main__":
    for game_name in GAMES:
        for file_name, text in files(game_name).items():
            (FOLDER / file_name).write_text(text, encoding="utf-8")
