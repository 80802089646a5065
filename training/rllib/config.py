"""The configuration of ``training.train_rllib``."""

from __future__ import annotations

from dataclasses import dataclass

from ..config import at_least, positive
from ..ppo.config import BoardConfig


@dataclass(frozen=True)
class RllibConfig(BoardConfig):
    """Self-play PPO of all seats by one network; ``games`` are those of one env runner."""

    address: str = "local"  # of a Ray cluster; "auto": the one that this machine belongs to
    runners: int = at_least(0, 2)  # env runners, a core each; 0: in this process
    learners: int = at_least(0, 0)  # processes that learn; 0: in this process
    gpus_per_learner: float = at_least(0, 0.0)
    games: int = positive(8)
    rollout: int = positive(200)
    final_learning_rate: float = positive(1e-3)  # RLlib keeps the one it starts with
    restarts: int = at_least(0, 100)  # of lost env runners

    @property
    def decisions_per_update(self) -> int:
        """Decisions of all runners between two updates, divided by the learners."""
        return max(1, self.runners) * self.games * self.rollout // max(1, self.learners)
