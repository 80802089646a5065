"""What ``training.train_afterstate`` can be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cacao_env.engine.tiles import MAX_PLAYERS, MIN_PLAYERS

from ..config import ConfigError


def games_of_each_kind(
    count: int, odds: Mapping[str, float], volcanoes: float
) -> dict[tuple[int, bool], int]:
    """How many of ``count`` games have so many players, without volcanoes and with them."""
    total = sum(odds.values())
    return {
        (int(players), with_them): round(round(count * share / total) * odd)
        for players, share in sorted(odds.items())
        for with_them, odd in ((False, 1 - volcanoes), (True, volcanoes))
    }


@dataclass(frozen=True)
class AfterstateConfig:
    """The defaults are a short run with 2 players."""

    name: str = "afterstate"
    seed: int = 0
    # The games: odds of each number of players, share of games with volcanoes.
    players: dict[str, float] = field(default_factory=lambda: {"2": 1.0})
    volcanoes: float = 0.0
    # The run: rounds of self-play and learning, until the first limit.
    rounds: int = 1_000_000
    minutes: float = 5.0
    threads: int = 0  # compiled loops that play; 0: one for each core
    # First it learns how greedy's games end ...
    greedy_rounds: int = 6
    greedy_games: int = 10_000  # a round
    greedy_noise: float = 0.7  # gold, of Gumbel noise on greedy's values
    greedy_random: float = 0.06  # share of random moves
    greedy_kept: float = 0.3  # share of positions that are kept
    # ... then how its own do.
    games: int = 800  # a round
    noise: float = 0.04  # utility, of Gumbel noise, from ... to
    final_noise: float = 0.01
    random: float = 0.02
    top: int = 12  # placements that are appraised, the best by greedy
    decay: float = 0.85  # lambda, a turn
    # Who has the other seats in some of the games: nobody, greedy, or a value network with or without
    # search, as ``cacao_env.agents.registry.load_agent`` names them.
    rival: str = ""
    rival_share: float = 1.0
    # From a share of the run on search makes some of the decisions: what comes of the position before
    # is what comes of the better play that search finds.
    searched: float = 0.0  # share of decisions
    search_sims: int = 16  # simulations of each
    search_from: float = 0.67  # share of the run
    others: float = 0.3  # share of positions kept from the view of seats that did not move last
    # Learning.
    start: str = ""  # the checkpoint to begin from, of a network of the same size
    replay: int = 6  # rounds that are learnt from
    passes: float = 2.0  # over as many samples as a round brings
    batch: int = 512
    learning_rate: float = 3e-3
    final_learning_rate: float = 1e-4
    average: float = 0.01  # share of the new weights in the mean that plays
    sums: int = 64
    maxima: int = 16
    units: int = 64
    # On the way.
    save_minutes: float = 2.0
    anchors: list[str] = field(default_factory=lambda: ["greedy"])  # or value networks
    watch_rounds: int = 10  # measured against the anchors every so many rounds
    watch_blocks: int = 150
    # The measurement at the end, and the least share of wins against some opponents.
    blocks: int = 200
    against: list[str] = field(default_factory=lambda: ["greedy"])
    evaluation_seed: int = 1_000_000_000
    bars: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        counts = [str(n) for n in range(MIN_PLAYERS, MAX_PLAYERS + 1)]
        odds = self.players.values()
        if (
            not self.players
            or set(self.players) - set(counts)
            or not all(isinstance(x, int | float) and x >= 0 for x in odds)
            or sum(odds) <= 0
        ):
            raise ConfigError(f"players is {self.players!r}, expected odds of {', '.join(counts)}")
        for key in (
            "volcanoes",
            "greedy_random",
            "greedy_kept",
            "random",
            "decay",
            "others",
            "searched",
            "search_from",
            "rival_share",
            "average",
        ):
            if not 0 <= getattr(self, key) <= 1:
                raise ConfigError(f"{key} is {getattr(self, key)!r}, expected a share from 0 to 1")
        for key in (
            "noise",
            "final_noise",
            "greedy_noise",
            "threads",
            "top",
            "greedy_rounds",
            "maxima",
        ):
            if getattr(self, key) < 0:
                raise ConfigError(f"{key} is {getattr(self, key)!r}, expected 0 or more")
        if self.greedy_rounds and not self.greedy_kept and not self.others:
            raise ConfigError("greedy_kept and others are 0: nothing of greedy's games is kept")
        positive = ["rounds", "minutes", "greedy_games", "games", "replay", "passes", "batch"]
        positive += [
            "search_sims",
            "learning_rate",
            "final_learning_rate",
            "sums",
            "units",
            "save_minutes",
        ]
        for key in (*positive, "watch_rounds", "watch_blocks", "blocks"):
            if getattr(self, key) <= 0:
                raise ConfigError(f"{key} is {getattr(self, key)!r}, expected more than 0")
        for name, bar in self.bars.items():
            if name not in self.against or not isinstance(bar, int | float) or not 0 <= bar <= 1:
                raise ConfigError(
                    f"bars is {self.bars!r}, expected shares of wins for some of against"
                )
        for key in ("games", "greedy_games"):
            count = getattr(self, key)
            if not any(games_of_each_kind(count, self.players, self.volcanoes).values()):
                raise ConfigError(
                    f"{key} is {count!r}, too few for the kinds of games that players and "
                    "volcanoes name"
                )

    def as_dict(self) -> dict[str, Any]:
        """All keys with their values, as plain data."""
        return asdict(self)
