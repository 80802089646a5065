"""The configuration of ``training.train_afterstate``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cacao_env.engine.options import Options
from cacao_env.engine.tiles import MAX_PLAYERS, MIN_PLAYERS

from ..config import (
    MOST_WIDTH,
    ConfigError,
    RunConfig,
    at_least,
    check_weights,
    fraction,
    positive,
    thread_count,
)


def games_of_each_kind(
    count: int, weights: Mapping[str, float], volcanoes: float
) -> dict[tuple[int, bool], int]:
    """How many of ``count`` games have so many players, without volcanoes and with them."""
    total = sum(weights.values())
    return {
        (int(players), with_them): round(round(count * weight / total) * part)
        for players, weight in sorted(weights.items())
        for with_them, part in ((False, 1 - volcanoes), (True, volcanoes))
    }


@dataclass(frozen=True)
class AfterstateConfig(RunConfig):
    """The defaults are a short run with 2 players."""

    name: str = "afterstate"
    # The games: weights of each number of players, fraction of games with volcanoes.
    players: dict[str, float] = field(default_factory=lambda: {"2": 1.0})
    volcanoes: float = fraction(0.0)
    # The run: rounds of self-play and learning, until the first limit.
    rounds: int = positive(1_000_000)
    minutes: float = positive(5.0)
    threads: int = thread_count(0, 0)  # compiled loops that play; 0: one for each core
    # First it learns how greedy's games end ...
    greedy_rounds: int = at_least(0, 6)
    greedy_games: int = positive(10_000)  # a round
    greedy_noise: float = at_least(0, 0.7)  # gold, of Gumbel noise on greedy's values
    greedy_random: float = fraction(0.06)  # random moves
    greedy_kept: float = fraction(0.3)  # positions that become samples
    # ... then how its own games end.
    games: int = positive(800)  # a round
    noise: float = at_least(0, 0.04)  # utility, of Gumbel noise; changes linearly to ...
    final_noise: float = at_least(0, 0.01)
    random: float = fraction(0.02)
    top: int = at_least(0, 12)  # placements that the network evaluates, the first in move ordering
    # From a point of the run on it learns from games as it plays them: without random moves, and with
    # more placements evaluated.
    settled_from: float = fraction(0.67)  # of the run
    settled_top: int = at_least(0, 48)
    td_lambda: float = fraction(0.85)  # a turn
    others: float = fraction(0.3)  # positions kept from the view of seats that did not move last
    # The agent in the other seats in some of the games: none, greedy, or a value network with or
    # without search, as ``cacao_env.agents.registry.load_agent`` names them.
    opponent: str = ""
    opponent_fraction: float = fraction(1.0)
    # Late in the run search makes some of the decisions: targets then follow from its better play.
    search_fraction: float = fraction(0.0)  # of decisions
    search_sims: int = positive(16)  # simulations of each
    search_from: float = fraction(0.67)  # of the run
    # Learning.
    start: str = ""  # the checkpoint to start from, with a network that is not larger
    replay: int = positive(6)  # the last rounds, whose samples it learns from
    passes: float = positive(2.0)  # over as many samples as a round brings
    batch: int = positive(512)
    learning_rate: float = positive(3e-3, 1)
    final_learning_rate: float = positive(1e-4, 1)
    average: float = fraction(0.01)  # weight of the new weights in the running mean that plays
    sums: int = positive(64, MOST_WIDTH)
    maxima: int = at_least(0, 16, MOST_WIDTH)
    units: int = positive(64, MOST_WIDTH)
    eval_rounds: int = at_least(0, 10)
    against: list[str] = field(default_factory=lambda: ["greedy"])

    def __post_init__(self) -> None:
        """Check the keys."""
        super().__post_init__()
        counts = [str(n) for n in range(MIN_PLAYERS, MAX_PLAYERS + 1)]
        if set(self.players) - set(counts):
            raise ConfigError(
                f"players is {self.players!r}, expected weights of {', '.join(counts)}"
            )
        check_weights("players", self.players)
        if self.greedy_rounds and not self.greedy_kept and not self.others:
            raise ConfigError("greedy_kept and others are 0: no position of greedy's games is kept")
        for key in ("games", "greedy_games"):
            count = getattr(self, key)
            if not any(games_of_each_kind(count, self.players, self.volcanoes).values()):
                raise ConfigError(
                    f"{key} is {count!r}, too few for the kinds of games that players and "
                    "volcanoes name"
                )

    @property
    def games_played(self) -> list[Options]:
        """The agent is measured with every number of players, without volcanoes."""
        return [Options(int(players)) for players in sorted(self.players)]
