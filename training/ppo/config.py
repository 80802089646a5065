"""What ``training.train_sb3`` and ``training.train_ppo`` can be told."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from cacao_env.engine.options import check_options
from cacao_env.engine.rewards import REWARDS
from cacao_env.envs.vector import OPPONENTS

from ..config import ConfigError


@dataclass(frozen=True)
class BoardConfig:
    """What both can; the defaults are a 2-player run."""

    # The game.
    num_players: int = 2
    volcanoes: bool = False
    table_size: int = 15
    reward: str = "shaped"
    # The run: it stops at whichever limit comes first.
    name: str = "run"
    seed: int = 0
    steps: int = 1_000_000  # decisions
    minutes: float = 60.0
    threads: int = 1  # of torch, a process
    # PPO.
    games: int = 64
    rollout: int = 64  # decisions in each game
    batch: int = 512
    epochs: int = 3
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-4
    clip: float = 0.2
    gae_lambda: float = 0.95
    entropy: float = 0.005
    final_entropy: float = 0.005
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
        self._check_names("against", "anchors")
        for name, bar in self.bars.items():
            if name not in self.against or not isinstance(bar, int | float) or not 0 <= bar <= 1:
                raise ConfigError(
                    f"bars is {self.bars!r}, expected shares of wins for some of against"
                )
        positive: tuple[str, ...] = ("steps", "minutes", "threads", "games", "rollout", "batch")
        positive += ("epochs", "learning_rate", "final_learning_rate", "clip", "width", "blocks")
        self._check_positive(*positive, "save_minutes", "watch_minutes", "watch_games")
        self._check_least("entropy", 0)
        self._check_least("final_entropy", 0)
        self._check_shares("gae_lambda")
        self._check_least("batch", 2)  # advantages are set in relation to others'
        if self.batch > self.decisions_an_update:
            raise ConfigError(
                f"batch is {self.batch}, more than the {self.decisions_an_update} decisions that "
                "games and rollout give an update"
            )

    @property
    def decisions_an_update(self) -> int:
        """Decisions that a learner has between two updates."""
        return self.games * self.rollout

    def _check_positive(self, *keys: str) -> None:
        for key in keys:
            if getattr(self, key) <= 0:
                raise ConfigError(f"{key} is {getattr(self, key)!r}, expected more than 0")

    def _check_least(self, key: str, least: float) -> None:
        if getattr(self, key) < least:
            raise ConfigError(f"{key} is {getattr(self, key)!r}, expected {least} or more")

    def _check_shares(self, *keys: str) -> None:
        for key in keys:
            if not 0 <= getattr(self, key) <= 1:
                raise ConfigError(f"{key} is {getattr(self, key)!r}, expected a share from 0 to 1")

    def _check_names(self, *keys: str) -> None:
        for key in keys:
            names = getattr(self, key)
            if not names or any(name not in OPPONENTS for name in names):
                raise ConfigError(f"{key} is {names!r}, expected some of {', '.join(OPPONENTS)}")

    def as_dict(self) -> dict[str, Any]:
        """All keys with their values, as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Sb3Config(BoardConfig):
    """``training.train_sb3``: one seat learns, by MaskablePPO."""

    # Odds of bots in the other seats, and the share of games in which an earlier self has them.
    opponents: dict[str, float] = field(default_factory=lambda: {"random": 0.3, "greedy": 0.7})
    snapshots: float = 0.0
    snapshot_rounds: int = 25  # one is kept every so often
    gamma: float = 1.0
    target_kl: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        super().__post_init__()
        self._check_names("opponents")
        odds = self.opponents.values()
        if not all(isinstance(x, int | float) and x >= 0 for x in odds) or sum(odds) <= 0:
            raise ConfigError(f"opponents is {self.opponents!r}, expected odds above 0")
        self._check_shares("snapshots", "gamma")
        self._check_positive("snapshot_rounds", "target_kl")


@dataclass(frozen=True)
class PpoConfig(BoardConfig):
    """``training.train_ppo``: all seats learn; ``games`` and ``batch`` are those of one process."""

    processes: int = 1
    device: str = "auto"  # cuda where there is one; or cpu, cuda, cuda:1
    epochs: int = 2
    batch: int = 1024
    entropy: float = 0.03  # of the share of the largest entropy there can be
    final_entropy: float = 0.003
    final_clip: float = 0.1
    value: float = 0.5  # weight of the value's loss
    max_norm: float = 0.5  # of the gradient

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        super().__post_init__()
        self._check_positive("processes", "final_clip", "value", "max_norm")
