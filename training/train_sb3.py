"""Train one seat with MaskablePPO against opponents inside the environment, and measure the result.

    python -m training.train_sb3 --config configs/maskable_ppo.toml

Any agents and, in some of the games, earlier selves have the other seats.  A round is one rollout and
the learning from it.  ``--resume`` continues exactly unless an opponent has a memory of its own.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from cacao_env.envs.opponents import COMPILED
from cacao_env.envs.sb3 import CacaoVecEnv
from cacao_env.envs.versus import VersusGames

from . import loop
from .config import ConfigError, agent_named, check_weights, fraction, positive
from .networks import new_net
from .policies import PolicyLearner, ScheduledConfig, Snapshots
from .sb3_policy import CellPolicy
from .state import Arrays, check_arrays, named, part, seed_round


@dataclass(frozen=True)
class Sb3Config(ScheduledConfig):
    """The keys of this trainer; ``training.policies`` and ``training.config`` have the others."""

    # Weights of the agents in the other seats, and the fraction of games against earlier selves.
    opponents: dict[str, float] = field(default_factory=lambda: {"random": 0.3, "greedy": 0.7})
    snapshot_fraction: float = fraction(0.0)
    snapshot_rounds: int = positive(25)  # between two snapshots
    target_kl: float = positive(0.05)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights("opponents", self.opponents)
        if self.decisions_per_update % self.batch == 1:  # its advantages have no deviation
            raise ConfigError(
                f"batch is {self.batch}: of {self.decisions_per_update} decisions a single one is left "
                "for the last batch, expected none or several"
            )


class Sb3Learner(PolicyLearner):
    """Drives a MaskablePPO model."""

    config: Sb3Config
    command = "train_sb3"
    config_type = Sb3Config
    algorithm = "MaskablePPO"

    def __init__(self, config: Sb3Config) -> None:
        super().__init__(config)
        # sb3-contrib otherwise checks every distribution's arguments, which costs time here.
        torch.distributions.Distribution.set_default_validate_args(False)
        if config.snapshot_fraction > 0:
            self.past = Snapshots(new_net(config.about, config.width), config)
        self.games = make_games(config, self.past)
        self.env = CacaoVecEnv(self.games)
        self.model = MaskablePPO(
            CellPolicy,
            self.env,
            learning_rate=lambda _: self.scheduled("learning_rate"),
            n_steps=config.rollout,
            batch_size=config.batch,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip_range,
            target_kl=config.target_kl,
            policy_kwargs={"make_net": lambda: new_net(config.about, config.width)},
            seed=config.seed,
            device="auto",
        )
        self.module, self.net = self.model.policy, self.model.policy.net
        self.optimizer = self.model.policy.optimizer
        if self.past is not None:
            self.past.follow(self.net)
        self.model.set_logger(Logger(None, []))  # its values are read, not written
        # What ``learn`` does before its first rollout; from then on the loop is in charge.
        _, self._callback = self.model._setup_learn(config.steps)
        self._ended: deque[tuple[float, float]] = deque(maxlen=500)  # (win share, margin)

    def round(self) -> dict[str, Any]:
        """Play a rollout and learn from it."""
        config, model = self.config, self.model
        seed_round(config.seed, self.rounds)
        model.ent_coef = self.scheduled("entropy_coef")
        start, before = time.perf_counter(), self.env.seconds
        model.collect_rollouts(
            self.env, self._callback, model.rollout_buffer, config.rollout, use_masking=True
        )
        environment = self.env.seconds - before
        self.watch.add("environment", environment)
        self.watch.add("network", time.perf_counter() - start - environment)
        with self.watch("learning"):
            model.train()
        ended = self.env.take_ended()
        self._ended.extend(ended)
        self.counts["decisions"] = model.num_timesteps
        self.counts["games"] += len(ended)
        if self.past is not None:
            self.past.after_round(self.rounds + 1, config.snapshot_rounds, config.seed)
        logged = model.logger.name_to_value
        metrics = {
            "learning_rate": logged["train/learning_rate"],
            "loss_policy": logged["train/policy_gradient_loss"],
            "loss_value": logged["train/value_loss"],
            "entropy": -logged["train/entropy_loss"],
            "approx_kl": logged["train/approx_kl"],
            "clip_fraction": logged["train/clip_fraction"],
            "explained_variance": logged["train/explained_variance"],
        }
        if self._ended:
            metrics["wins_training"], metrics["margin_training"] = np.mean(self._ended, axis=0)
        return {name: float(value) for name, value in metrics.items()}

    def arrays(self) -> Arrays:
        """What all policies have, the episodes that are not finished, and the results of the last."""
        ended = np.array(self._ended, np.float64).reshape(-1, 2)
        return super().arrays() | named("env", self.env.arrays()) | {"ended": ended}

    def restore(self, arrays: Arrays) -> None:
        """Resume from ``arrays``; CheckpointError if the games could not be saved."""
        check_arrays(arrays, {"ended": np.zeros((np.size(arrays.get("ended", 0)) // 2, 2))})
        self.model.num_timesteps = self.counts["decisions"]
        super().restore(arrays)
        self.env.restore(part("env", arrays))
        self._ended.extend(map(tuple, arrays["ended"].tolist()))
        self.model._last_obs = self.games.observations.copy()
        self.model._last_episode_starts = self.games.dones.copy()


def make_games(config: Sb3Config, snapshots: Snapshots | None = None) -> VersusGames:
    """The games of a configuration: its opponents and earlier selves have the other seats."""
    total = sum(config.opponents.values())
    others: dict[Any, float] = {}
    for name, weight in config.opponents.items():
        agent = agent_named("opponents", name, config, [config.about.options])
        others[name if name in COMPILED else agent] = weight / total
    if snapshots is not None:
        others = {one: weight * (1 - config.snapshot_fraction) for one, weight in others.items()}
        others[snapshots] = config.snapshot_fraction
    return VersusGames(
        config.games,
        others,
        config.about.options,
        reward=config.reward,  # type: ignore[arg-type]
        observation=config.about.rows or "flat",
        seed=config.seed,
    )


main = partial(loop.main, Sb3Learner, __doc__)

if __name__ == "__main__":
    sys.exit(main())
