"""How often a small table hides a legal placement, because the tile would not fit the window.

python -m training.window_study --table-size 15 --games 1000
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from cacao_env.agents.agent import play_game
from cacao_env.agents.bots import seat_seeds
from cacao_env.agents.registry import load_agent
from cacao_env.engine.geometry import DEFAULT_TABLE
from cacao_env.engine.jit import njit
from cacao_env.engine.rules import fits_table, near_rim
from cacao_env.engine.state import PLACE
from cacao_env.game import Game

from .loop import run_command


@njit
def hidden_cells(states):
    """Count the open cells that are hidden from the deciding seat."""
    state = states[0]
    if state.phase != PLACE or not near_rim(state):
        return 0
    hidden = 0
    for i in range(state.open_count):
        if not fits_table(state, np.int64(state.open_cells[i])):
            hidden += 1
    return hidden


def measure(name: str, num_players: int, table_size: int, games: int) -> tuple[float, float]:
    """The fractions of games and of placements in which a placement was hidden."""
    agent = load_agent(name)
    games_with = placements_with = placements = 0
    for seed in range(games):
        game = Game.new(num_players, seed, table_size=table_size)
        play_game(game, [agent.player(s) for s in seat_seeds(seed, num_players)])
        again = Game.from_draws(*game.draws, table_size=table_size)
        hiding = 0
        for action in game.history:
            placements += again.phase == "place"
            hiding += int(hidden_cells(again.states)) > 0
            again.play(action)
        placements_with += hiding
        games_with += hiding > 0
    return games_with / games, placements_with / placements


def report(table_size: int, games: int) -> str:
    """A Markdown table of bots and numbers of players."""
    lines = [
        "| players | default | play | games with a hidden placement | placements with one |",
        "| --- | --- | --- | --- | --- |",
    ]
    for players, default in DEFAULT_TABLE.items():
        for name in ("random", "greedy"):
            by_game, by_placement = measure(name, players, table_size, games)
            lines.append(f"| {players} | {default} | {name} | {by_game:.1%} | {by_placement:.2%} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.window_study", description=__doc__)
    parser.add_argument("--table-size", type=int, default=15)
    parser.add_argument(
        "--games", type=int, default=1000, help="for each bot and number of players"
    )
    options = parser.parse_args(arguments)

    def work() -> int:
        if options.games < 1:
            raise ValueError(f"--games is {options.games}, expected at least 1")
        print(report(options.table_size, options.games))
        return 0

    return run_command(work)


if __name__ == "__main__":
    sys.exit(main())
