"""Learn all seats at once by self-play PPO in plain torch, and measure the result.

    python -m training.train_ppo --config configs/ppo.toml
    torchrun --nproc-per-node 4 -m training.train_ppo --config configs/ppo.toml

The network scores every legal action of the table (:mod:`training.ppo.network`).  With ``processes``
above 1 the command starts the others itself; under ``torchrun`` it uses the processes that torchrun
started, on one or several machines.  ``--resume`` continues exactly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from cacao_env.agents.checkpoint import CheckpointError
from cacao_env.engine.state import STATE
from cacao_env.envs.vector import VectorGames

from . import loop
from .ppo.board import BoardLearner, net_shapes
from .ppo.config import Net, PpoConfig
from .ppo.learner import Coefficients, PpoFitter
from .ppo.rollout import SelfPlay
from .ppo.snapshots import Snapshots
from .processes import device, gather, rank, size
from .state import (
    Arrays,
    generator_arrays,
    learner_arrays,
    named,
    part,
    restore_generators,
    restore_learner,
)


class PpoLearner(BoardLearner):
    """One process's games and its copy of the network; gradients are averaged over all processes."""

    config: PpoConfig
    command = "train_ppo"
    config_type = PpoConfig
    algorithm = "PPO by self-play"

    def __init__(self, config: PpoConfig) -> None:
        super().__init__(config)
        on = device(config.device)
        torch.manual_seed(config.seed)
        self.fitter = PpoFitter(config.new_net().to(on))  # the same in all processes
        torch.manual_seed(config.seed + 1000 * rank())
        games = VectorGames(
            config.games,
            config.options,
            reward=config.reward,  # type: ignore[arg-type]
            observation=config.view or "flat",
            seed=config.seed + rank(),
        )
        self.past: Snapshots | None = None
        if config.past_fraction > 0:
            self.past = Snapshots(self.net, config)
            self.past.net.to(on)
        self.play = SelfPlay(games, config, on, self.past)

    def copy_weights(self, net: Net) -> None:
        """Copy the weights of a network; the first earlier self has them too."""
        super().copy_weights(net)
        if self.past is not None:
            self.past.follow(self.net)

    @property
    def net(self) -> Net:
        """The network as it plays now."""
        return self.fitter.net

    def round(self) -> dict[str, Any]:
        """Play a rollout and learn from it."""
        config = self.config
        coefficients = Coefficients(
            self.scheduled("learning_rate"),
            self.scheduled("clip_range"),
            self.scheduled("entropy_coef"),
            config.value_coef,
            config.max_grad_norm,
        )
        cloning = self.rounds < config.clone_rounds
        rollout, finished = self.play.collect(self.net, self.watch, cloning)
        with self.watch("learning"):
            batches = config.games * config.rollout // config.batch
            learn = self.fitter.clone if cloning else self.fitter.fit
            metrics = learn(rollout, self.play.factors, config.epochs, batches, coefficients)
        if self.past is not None:
            if (self.rounds + 1) % config.past_rounds == 0:
                self.past.take()
            self.past.pick(np.random.default_rng([config.seed, self.rounds + 1]).random())
        self.counts["decisions"] += config.games * config.rollout * size()
        self.counts["games"] += finished * size()  # about: the other processes finish as many
        return {"learning_rate": coefficients.learning_rate, **metrics}

    @classmethod
    def shapes(cls, config: PpoConfig) -> dict[str, tuple[int, ...]]:
        """Of the network, and of each process's games."""
        games = {
            f"rank{number}.games.states": (config.games, STATE.itemsize)
            for number in range(config.processes)
        }
        return net_shapes("net.", config) | games

    def arrays(self) -> Arrays:
        """The network and optimizer, then each process's games and random numbers."""
        own = named("games", self.play.games.arrays()) | named("generators", generator_arrays())
        arrays = learner_arrays(self.net, self.fitter.optimizer)
        if self.past is not None:
            arrays |= named("past", self.past.arrays())
        for number, of_rank in enumerate(gather(own)):
            arrays |= named(f"rank{number}", of_rank)
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Resume from ``arrays``; CheckpointError if they do not fit."""
        own = part(f"rank{rank()}", arrays)
        if not own or f"rank{size()}.games.states" in arrays:
            raise CheckpointError(f"the state is not that of {size()} processes")
        restore_learner(self.net, self.fitter.optimizer, arrays)
        if self.past is not None:
            self.past.restore(part("past", arrays))
        self.play.games.restore(part("games", own))
        restore_generators(part("generators", own))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return loop.main(PpoLearner, __doc__, arguments)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
