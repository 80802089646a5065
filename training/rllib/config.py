"""What ``training.train_rllib`` can be told."""

from __future__ import annotations

from dataclasses import dataclass

from ..ppo.config import BoardConfig


@dataclass(frozen=True)
class RllibConfig(BoardConfig):
    """Self-play PPO of all seats by one network; ``games`` are those of one env runner."""

    address: str = "local"  # of a Ray cluster; "auto": the one that this machine belongs to
    runners: int = 2  # env runners, a core each; 0: in this process
    learners: int = 0  # processes that learn; 0: in this process
    gpus_per_learner: float = 0.0
    games: int = 8
    rollout: int = 200  # decisions of a game between two updates
    batch: int = 512
    epochs: int = 3
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-3  # RLlib keeps the one it is given
    restarts: int = 100  # of env runners that were lost

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        super().__post_init__()
        for key in ("runners", "learners", "gpus_per_learner", "restarts"):
            self._check_least(key, 0)

    @property
    def decisions_an_update(self) -> int:
        """Decisions of all runners between two updates, a learner's share."""
        return max(1, self.runners) * self.games * self.rollout // max(1, self.learners)
