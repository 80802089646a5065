"""What ``training.train_sb3`` can be told."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from cacao_env.options import check_options
from cacao_env.rewards import REWARDS
from cacao_env.vector import OPPONENTS

from ..config import ConfigError


@dataclass(frozen=True)
class Sb3Config:
    """Everything that ``training.train_sb3`` can be told; the defaults are a 2-player run."""

    # The game.
    num_players: int = 2
    volcanoes: bool = False
    table_size: int = 15
    reward: str = "shaped"
    # Odds of bots in the other seats, and the share of games in which an earlier self has them.
    opponents: dict[str, float] = field(default_factory=lambda: {"random": 0.3, "greedy": 0.7})
    snapshots: float = 0.0
    snapshot_rounds: int = 25
    # The run: it stops at whichever limit comes first.
    name: str = "run"
    seed: int = 0
    steps: int = 1_000_000
    minutes: float = 60.0
    threads: int = 1
    # PPO.
    games: int = 64
    rollout: int = 64
    batch: int = 512
    epochs: int = 3
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-4
    clip: float = 0.2
    gamma: float = 1.0
    gae_lambda: float = 0.95
    entropy: float = 0.005
    final_entropy: float = 0.005
    target_kl: float = 0.05
    width: int = 64
    # On the way.
    save_minutes: float = 2.0
    watch_minutes: float = 2.0  # measured against the anchors every so often
    watch_games: int = 300
    anchors: list[str] = field(default_factory=lambda: ["greedy"])
    # The measurement at the end: deals, each played with the agent in every seat.
    blocks: int = 200
    against: list[str] = field(default_factory=lambda: ["random", "greedy"])
    evaluation_seed: int = 1_000_000_000
    # Least share of wins against an opponent; the program says whether it was reached.
    bars: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        try:
            check_options(self.num_players, "auto", self.table_size)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if self.reward not in REWARDS:
            raise ConfigError(f"reward is {self.reward!r}, expected one of {', '.join(REWARDS)}")
        for key in ("opponents", "against", "anchors"):
            names = getattr(self, key)
            unknown = [name for name in names if name not in OPPONENTS]
            if unknown or not names:
                raise ConfigError(f"{key} is {names!r}, expected some of {', '.join(OPPONENTS)}")
        odds = self.opponents.values()
        if not all(isinstance(x, int | float) and x >= 0 for x in odds) or sum(odds) <= 0:
            raise ConfigError(f"opponents is {self.opponents!r}, expected odds above 0")
        for name, bar in self.bars.items():
            if name not in self.against or not isinstance(bar, int | float) or not 0 <= bar <= 1:
                raise ConfigError(
                    f"bars is {self.bars!r}, expected shares of wins for some of against"
                )
        if not 0 <= self.snapshots <= 1:
            raise ConfigError(f"snapshots is {self.snapshots!r}, expected a share from 0 to 1")
        positive: tuple[str, ...] = (
            "snapshot_rounds",
            "save_minutes",
            "watch_minutes",
            "watch_games",
        )
        positive += ("steps", "minutes", "threads", "games", "rollout", "batch", "epochs", "width")
        for key in (*positive, "learning_rate", "final_learning_rate", "clip", "blocks"):
            if getattr(self, key) <= 0:
                raise ConfigError(f"{key} is {getattr(self, key)!r}, expected more than 0")
        if self.batch > self.games * self.rollout:
            raise ConfigError(
                f"batch is {self.batch}, more than games * rollout = {self.games * self.rollout}"
            )

    def as_dict(self) -> dict[str, Any]:
        """All keys with their values, as plain data."""
        return asdict(self)
