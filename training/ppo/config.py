"""The configurations of the trainers of the board network."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import torch

from cacao_env.agents.policy import param_shapes
from cacao_env.agents.row_policy import param_shapes as row_shapes
from cacao_env.engine.observation import scale
from cacao_env.engine.options import Options
from cacao_env.engine.rewards import REWARDS
from cacao_env.greedy.candidates import Candidates

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
from .network import CellNet
from .rows import RowNet

Net = CellNet | RowNet


@dataclass(frozen=True)
class BoardConfig(RunConfig):
    """The keys of every trainer of the board network; the defaults are a 2-player run."""

    # The game.
    num_players: int = 2
    volcanoes: bool = False
    table_size: int = 15
    reward: str = "shaped"
    decisions: str = "auto"
    # "flat": the board network reads the table; "candidates": the row network reads rows (the best
    # ``rows``, with the next turns after the best ``replies``), and ``table_size`` does not matter.
    observation: str = "flat"
    rows: int = positive(24)
    replies: int = at_least(0, 16)
    start: str = ""  # the checkpoint to start from, a network of the same kind and size
    # The run: it ends at whichever limit comes first.
    steps: int = positive(1_000_000)  # decisions
    threads: int = thread_count(1, 1)  # of torch, in each process
    # PPO.
    games: int = positive(64)
    rollout: int = positive(64)  # decisions in each game
    batch: int = at_least(2, 512)  # advantages are normalised within a batch
    epochs: int = positive(3)
    learning_rate: float = positive(1e-3, 1)
    final_learning_rate: float = positive(1e-4, 1)
    clip_range: float = positive(0.2)
    gae_lambda: float = fraction(0.95)
    entropy_coef: float = at_least(0, 0.005)
    final_entropy_coef: float = at_least(0, 0.005)
    width: int = positive(64, MOST_WIDTH)

    def __post_init__(self) -> None:
        """Check the keys."""
        super().__post_init__()
        try:
            _ = self.options, self.view
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if self.observation not in ("flat", "candidates"):
            raise ConfigError(
                f"observation is {self.observation!r}, expected 'flat' or 'candidates'"
            )
        if self.reward not in REWARDS:
            raise ConfigError(f"reward is {self.reward!r}, expected one of {', '.join(REWARDS)}")
        if self.batch > self.decisions_per_update:
            raise ConfigError(
                f"batch is {self.batch}, more than the {self.decisions_per_update} decisions that "
                "games and rollout give an update"
            )

    @cached_property
    def options(self) -> Options:
        """The rules of the games."""
        return Options(self.num_players, self.volcanoes, self.decisions, self.table_size)  # type: ignore[arg-type]

    @cached_property
    def view(self) -> Candidates | None:
        """The candidate view, None for the flat vector."""
        return Candidates(self.rows, self.replies) if self.observation == "candidates" else None

    @property
    def games_played(self) -> list[Options]:
        """The agent is measured in the games that it learned, with all decisions that matter asked."""
        size = None if self.view else self.table_size
        return [Options(self.num_players, self.volcanoes, table_size=size)]

    def new_net(self) -> Net:
        """Make a network of random weights."""
        if self.view is not None:
            return RowNet(self.width)
        return CellNet(self.num_players, self.table_size, self.width)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the network's weights, by name, computed without making it."""
        if self.view is not None:
            return row_shapes(self.width)
        return param_shapes(self.num_players, self.table_size, self.width)

    def factors(self) -> torch.Tensor:
        """Return what an observation is multiplied with before the network reads it."""
        if self.view is not None:
            return torch.ones(1)
        return torch.from_numpy(scale(self.num_players, self.table_size).copy())

    @property
    def decisions_per_update(self) -> int:
        """Decisions that a learner has between two updates."""
        return self.games * self.rollout


@dataclass(frozen=True)
class Sb3Config(BoardConfig):
    """``training.train_sb3``: one seat learns, by MaskablePPO."""

    # Weights of the agents in the other seats, and the fraction of games against earlier selves.
    opponents: dict[str, float] = field(default_factory=lambda: {"random": 0.3, "greedy": 0.7})
    snapshot_fraction: float = fraction(0.0)
    snapshot_rounds: int = positive(25)  # between two snapshots
    gamma: float = fraction(1.0)
    target_kl: float = positive(0.05)

    def __post_init__(self) -> None:
        """Check the keys."""
        super().__post_init__()
        check_weights("opponents", self.opponents)


@dataclass(frozen=True)
class PpoConfig(BoardConfig):
    """``training.train_ppo``: all seats learn; ``games`` and ``batch`` are those of one process."""

    processes: int = thread_count(1, 1)
    device: str = "auto"  # cuda if there is one; or cpu, cuda, cuda:1
    epochs: int = positive(2)
    batch: int = at_least(2, 1024)
    entropy_coef: float = at_least(0, 0.03)  # times entropy_fraction, not entropy in nats
    final_entropy_coef: float = at_least(0, 0.003)
    final_clip_range: float = positive(0.1)
    # Part of the reward at the end of a game: tanh of the relative score over 15 gold.
    margin_weight: float = fraction(0.0)
    # Games in which greedy or an earlier self has one seat, from which nothing is learned.
    greedy_fraction: float = fraction(0.0)
    past_fraction: float = fraction(0.0)
    past_rounds: int = positive(10)  # between two of the selves that are kept
    # Rounds at the beginning in which the network learns to choose as greedy does.
    clone_rounds: int = at_least(0, 0)
    value_coef: float = positive(0.5)
    max_grad_norm: float = positive(0.5)

    def __post_init__(self) -> None:
        """Check the keys."""
        super().__post_init__()
        if self.greedy_fraction + self.past_fraction > 1:
            raise ConfigError("greedy_fraction and past_fraction add up to more than 1")


@dataclass(frozen=True)
class RllibConfig(BoardConfig):
    """``training.train_rllib``: all seats learn; ``games`` are those of one env runner."""

    address: str = "local"  # of a Ray cluster; "auto": the one that this machine belongs to
    runners: int = at_least(0, 2)  # env runners, a core each; 0: in this process
    learners: int = at_least(0, 0)  # processes that learn; 0: in this process
    gpus_per_learner: float = at_least(0, 0.0)
    games: int = positive(8)
    rollout: int = positive(200)
    final_learning_rate: float = positive(1e-3, 1)  # RLlib keeps the one it starts with
    restarts: int = at_least(0, 100)  # of lost env runners

    def __post_init__(self) -> None:
        """Check the keys."""
        super().__post_init__()
        if self.view is not None:
            raise ConfigError(
                "observation is 'candidates', expected 'flat': RLlib learns the table"
            )
        if self.start:
            raise ConfigError(
                f"start is {self.start!r}, expected '': RLlib starts from random weights"
            )

    @property
    def decisions_per_update(self) -> int:
        """Decisions of all runners between two updates, divided by the learners."""
        return max(1, self.runners) * self.games * self.rollout // max(1, self.learners)
