"""Train one seat with MaskablePPO against opponents inside the environment, and measure the result.

    python -m training.train_sb3 --config configs/maskable_ppo.toml

Any agents and, in some of the games, earlier selves have the other seats.  A round is one rollout and
the learning from it.  ``--resume`` continues exactly unless an opponent has a memory of its own.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from cacao_env.agents.checkpoint import CheckpointError
from cacao_env.envs.versus import VersusGames

from . import loop
from .ppo.board import BoardLearner, net_shapes, opponent_named
from .ppo.config import Net, Sb3Config
from .ppo.snapshots import Snapshots
from .sb3.policy import CellPolicy
from .sb3.vec_env import CacaoVecEnv
from .state import (
    Arrays,
    check_arrays,
    generator_arrays,
    learner_arrays,
    named,
    part,
    restore_generators,
    restore_learner,
)


class Sb3Learner(BoardLearner):
    """Drives a MaskablePPO model; ``games`` and ``policy`` replace the usual ones (see ``speed``)."""

    config: Sb3Config
    command = "train_sb3"
    config_type = Sb3Config
    algorithm = "MaskablePPO"

    def __init__(
        self, config: Sb3Config, games: Any = None, policy: type[CellPolicy] = CellPolicy
    ) -> None:
        super().__init__(config)
        # sb3-contrib otherwise checks every distribution's arguments, which costs time here.
        torch.distributions.Distribution.set_default_validate_args(False)
        self.snapshots: Snapshots | None = None
        if config.snapshot_fraction > 0:
            self.snapshots = Snapshots(config.new_net(), config)
        self.versus = games or make_games(config, self.snapshots)
        self.env = CacaoVecEnv(self.versus)
        self.model = MaskablePPO(
            policy,
            self.env,
            learning_rate=lambda _: self.scheduled("learning_rate"),
            n_steps=config.rollout,
            batch_size=config.batch,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip_range,
            target_kl=config.target_kl,
            policy_kwargs={"make_net": config.new_net},
            seed=config.seed,
            device="auto",
        )
        if self.snapshots is not None:
            self.snapshots.follow(self.net)
        self.model.set_logger(Logger(None, []))  # its values are read, not written
        # What ``learn`` does before its first rollout; from then on the loop is in charge.
        _, self._callback = self.model._setup_learn(config.steps)
        self._ended: deque[tuple[float, float]] = deque(maxlen=500)  # (win share, margin)

    def copy_weights(self, net: Net) -> None:
        """Copy the weights of a network; the first earlier self has them too."""
        super().copy_weights(net)
        if self.snapshots is not None:
            self.snapshots.follow(self.net)

    @property
    def net(self) -> Net:
        """The network as it plays now."""
        net: Net = self.model.policy.net
        return net

    def round(self) -> dict[str, Any]:
        """Play a rollout and learn from it."""
        config, model = self.config, self.model
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
        if self.snapshots is not None:
            if (self.rounds + 1) % config.snapshot_rounds == 0:
                self.snapshots.take()
            self.snapshots.pick(np.random.default_rng([config.seed, self.rounds + 1]).random())
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

    @classmethod
    def shapes(cls, config: Sb3Config) -> dict[str, tuple[int, ...]]:
        """Of the network; games are not there if an opponent's memory could not be saved."""
        return net_shapes("net.mlp_extractor.net.", config)

    def arrays(self) -> Arrays:
        """Network, optimizer, random numbers, games and snapshots."""
        arrays = learner_arrays(self.model.policy, self.model.policy.optimizer)
        arrays |= named("generators", generator_arrays(with_numpy=True))
        try:
            arrays |= named("games", self.versus.arrays())
        except ValueError:  # an opponent's memory can't be saved: only the checkpoint counts
            return arrays
        arrays |= named("env", self.env.arrays())
        arrays["ended"] = np.array(self._ended, np.float64).reshape(-1, 2)
        if self.snapshots is not None:
            arrays |= named("snapshots", self.snapshots.arrays())
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Resume from ``arrays``; CheckpointError if the games could not be saved."""
        if "ended" not in arrays:
            raise CheckpointError("the run can't be resumed: an opponent's memory was not saved")
        ended = arrays["ended"]
        if ended.ndim != 2 or len(ended) > 500:
            raise CheckpointError("the state does not fit its configuration: ended")
        check_arrays(arrays, {"ended": np.zeros((len(ended), 2))})
        check_arrays(arrays, {"games.states": self.versus.arrays()["states"]})
        self.model.num_timesteps = self.counts["decisions"]
        restore_learner(self.model.policy, self.model.policy.optimizer, arrays)
        if self.snapshots is not None:
            self.snapshots.restore(part("snapshots", arrays))
        self.versus.restore(part("games", arrays))
        self.env.restore(part("env", arrays))
        self._ended.extend(map(tuple, ended.tolist()))
        self.model._last_obs = self.versus.observations.copy()
        self.model._last_episode_starts = self.versus.dones.copy()
        restore_generators(part("generators", arrays), with_numpy=True)


def make_games(config: Sb3Config, snapshots: Snapshots | None = None) -> VersusGames:
    """The games of a configuration: its opponents and earlier selves have the other seats."""
    total = sum(config.opponents.values())
    others: dict[Any, float] = {
        opponent_named("opponents", name, config): weight / total
        for name, weight in config.opponents.items()
    }
    if snapshots is not None:
        others = {one: weight * (1 - config.snapshot_fraction) for one, weight in others.items()}
        others[snapshots] = config.snapshot_fraction
    return VersusGames(
        config.games,
        others,
        config.options,
        reward=config.reward,  # type: ignore[arg-type]
        observation=config.view or "flat",
        seed=config.seed,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return loop.main(Sb3Learner, __doc__, arguments)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
