"""How often a small table binds: a legal placement is not offered because it would not fit."""

from __future__ import annotations

from cacao_env.agents.bots import Bot, play_game, seat_seeds
from cacao_env.engine.geometry import DEFAULT_TABLE
from cacao_env.engine.jit import njit
from cacao_env.engine.rules import fits_table, near_rim
from cacao_env.engine.state import PLACE
from cacao_env.game import Game


@njit
def hidden_cells(states):
    """Open cells that are not offered to the deciding seat because they would not fit the table."""
    state = states[0]
    if state.phase != PLACE or not near_rim(state):
        return 0
    hidden = 0
    for i in range(state.open_count):
        if not fits_table(state, int(state.open_cells[i])):
            hidden += 1
    return hidden


def measure(agent: str, num_players: int, table_size: int, games: int) -> tuple[float, float]:
    """Shares of games and of placements in which something was hidden, of ``games`` games."""
    bound_games = bound = placements = 0
    for seed in range(games):
        game = Game.new(num_players, seed, table_size=table_size)
        play_game(game, [Bot(agent, s) for s in seat_seeds(seed, num_players)])
        again = Game.from_draws(*game.draws, table_size=table_size)
        here = 0
        for action in game.history:
            placements += again.phase == "place"
            here += int(hidden_cells(again.states)) > 0
            again.play(action)
        bound += here
        bound_games += here > 0
    return bound_games / games, bound / placements


def report(table_size: int, games: int) -> str:
    """A Markdown table over bots and numbers of players."""
    lines = [
        "| players | default | play | games with a hidden placement | placements with one |",
        "| --- | --- | --- | --- | --- |",
    ]
    for players, default in DEFAULT_TABLE.items():
        for agent in ("random", "greedy"):
            by_game, by_placement = measure(agent, players, table_size, games)
            lines.append(
                f"| {players} | {default} | {agent} | {by_game:.1%} | {by_placement:.2%} |"
            )
    return "\n".join(lines)
