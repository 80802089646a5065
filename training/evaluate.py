"""Measure an agent against built-in bots or checkpoints.

The unit is the *deal block*: one deal, played once with the agent in each seat and the opponent in
all others.  Wins (a shared win counts its share) and margins are averaged inside a block; intervals
are bootstrapped over blocks.

    python -m training.evaluate runs/quickstart random greedy --blocks 200
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from cacao_env import Game

from .agents import Agent, CheckpointAgent, load_agent

BOOTSTRAP = 2000
GAMES_AT_ONCE = 128


@dataclass(frozen=True)
class Result:
    """How an agent fared against one opponent; intervals are 95 %."""

    agent: str
    field: str
    players: int
    volcanoes: bool
    blocks: int
    win_share: float
    low: float
    high: float
    margin: float
    margin_low: float
    margin_high: float
    score: float

    def line(self) -> str:
        """The result as one line for people."""
        return (
            f"{self.agent} against {self.field}, {self.players} players: wins "
            f"{self.win_share:.1%} [{self.low:.1%}, {self.high:.1%}] of "
            f"{self.blocks * self.players} games ({self.blocks} deals, every seat), margin "
            f"{self.margin:+.1f} [{self.margin_low:+.1f}, {self.margin_high:+.1f}] gold, "
            f"mean score {self.score:.1f}"
        )

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def play_games(games: Sequence[Game], seats: Sequence[int], agent: Agent, opponent: Agent) -> None:
    """Play all games to their end, ``agent`` in the given seat of each, ``opponent`` elsewhere."""
    while True:
        going = [(game, seat) for game, seat in zip(games, seats) if not game.over]
        if not going:
            return
        for player, own in ((agent, True), (opponent, False)):
            turn = [game for game, seat in going if not game.over and (game.seat == seat) == own]
            if turn:
                for game, action in zip(turn, player.act(turn)):
                    game.play(action)


def play_blocks(
    agent: Agent,
    opponent: Agent,
    num_players: int,
    table_size: int | None,
    volcanoes: bool,
    blocks: int,
    seed: int,
) -> npt.NDArray[np.float64]:
    """Play ``blocks`` deal blocks; returns (blocks, num_players, 3): share of the win, margin, score.

    The second axis is the agent's seat; the margin is to the best other score.
    """
    results = np.zeros((blocks, num_players, 3))
    at_once = max(1, GAMES_AT_ONCE // num_players)
    for first in tqdm(range(0, blocks, at_once), desc=f"against {opponent.name}", leave=False):
        numbers = range(first, min(first + at_once, blocks))
        pairs = [(block, seat) for block in numbers for seat in range(num_players)]
        games = [
            Game.new(num_players, seed + block, volcanoes, table_size=table_size)
            for block, _ in pairs
        ]
        play_games(games, [seat for _, seat in pairs], agent, opponent)
        for game, (block, seat) in zip(games, pairs):
            scores, winners = game.scores(), game.winners()
            share = 1 / len(winners) if seat in winners else 0
            others = max(score for other, score in enumerate(scores) if other != seat)
            results[block, seat] = share, scores[seat] - others, scores[seat]
    return results


def bootstrap(blocks: npt.NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """95 % interval of the mean of one value a block."""
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(blocks), (BOOTSTRAP, len(blocks)))
    low, high = np.percentile(blocks[picks].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def measure(
    agent: Agent,
    opponent: Agent,
    num_players: int = 2,
    table_size: int | None = None,
    volcanoes: bool = False,
    blocks: int = 200,
    seed: int = 1_000_000_000,
) -> Result:
    """Play deal blocks of seeds ``seed``, ``seed + 1``, ... and sum them up."""
    played = play_blocks(agent, opponent, num_players, table_size, volcanoes, blocks, seed)
    per_block = played.mean(axis=1)
    wins, margins = per_block[:, 0], per_block[:, 1]
    return Result(
        agent.name,
        opponent.name,
        num_players,
        volcanoes,
        blocks,
        float(wins.mean()),
        *bootstrap(wins),
        float(margins.mean()),
        *bootstrap(margins),
        float(per_block[:, 2].mean()),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=__doc__)
    parser.add_argument("agent", help="a bot's name or a checkpoint's folder")
    parser.add_argument("opponents", nargs="+", help="whom it meets")
    parser.add_argument("--players", type=int, default=None, help="2, 3 or 4")
    parser.add_argument("--blocks", type=int, default=200, help="deals, each played in every seat")
    parser.add_argument("--seed", type=int, default=1_000_000_000, help="seed of the first deal")
    parser.add_argument("--volcanoes", action="store_true")
    options = parser.parse_args(arguments)
    try:
        if options.blocks < 1:
            raise ValueError(f"--blocks is {options.blocks}, expected at least 1")
        agent = load_agent(options.agent, options.seed)
        players, size = options.players or 2, None
        if isinstance(agent, CheckpointAgent):
            players = options.players or agent.checkpoint.num_players
            size = agent.checkpoint.table_size
        for number, name in enumerate(options.opponents):
            opponent = load_agent(name, options.seed + 1 + number)
            result = measure(
                agent, opponent, players, size, options.volcanoes, options.blocks, options.seed
            )
            print(result.line())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
