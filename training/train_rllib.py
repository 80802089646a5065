"""Learn all seats by self-play PPO on a Ray cluster, or on this machine, and measure the result.

    python -m training.train_rllib --config configs/rllib_local.toml
    python -m training.train_rllib --config configs/rllib_cluster.toml --set runners=64

RLlib's PPO trains the board network, a masked module that all seats share.  Env runners play wherever
the cluster has cores; Ray restarts a lost one.  The run folder has this project's own checkpoint.
``--resume`` continues from the weights last saved, with new games and a new optimizer.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from cacao_env import cacao_v0
from cacao_env.evaluation.workers import connected

from . import loop
from .config import ConfigError, at_least, positive
from .networks import PolicyNet, new_net
from .policies import PolicyConfig, PolicyLearner
from .state import Arrays, check_arrays, load_weights, part

POLICY = "shared"  # the name of the network of all seats


@dataclass(frozen=True)
class RllibConfig(PolicyConfig):
    """The keys of this trainer: all seats learn; ``games`` are those of one env runner."""

    address: str = "local"  # of a Ray cluster; "auto": the one that this machine belongs to
    runners: int = at_least(0, 2)  # env runners, a core each; 0: in this process
    learners: int = at_least(0, 0)  # processes that learn; 0: in this process
    gpus_per_learner: float = at_least(0, 0.0)
    games: int = positive(8)
    rollout: int = positive(200)
    restarts: int = at_least(0, 100)  # of lost env runners

    def __post_init__(self) -> None:
        super().__post_init__()
        for key, only in (("observation", "flat"), ("start", "")):
            if getattr(self, key) != only:
                raise ConfigError(
                    f"{key} is {getattr(self, key)!r}, expected {only!r}: RLlib learns the table, from "
                    "random weights"
                )

    @property
    def decisions_per_update(self) -> int:
        """Decisions of all runners between two updates, divided by the learners."""
        return max(1, self.runners) * self.games * self.rollout // max(1, self.learners)


def algorithm_config(config: RllibConfig) -> Any:
    """RLlib's configuration of a run."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.tune.registry import register_env

    from .rllib_module import MaskedModule

    register_env("cacao", new_games)
    network = {"about": config.about, "width": config.width}
    module = RLModuleSpec(module_class=MaskedModule, model_config=network)
    return (
        PPOConfig()
        .environment(
            "cacao",
            env_config={**config.about.options.as_dict(), "reward": config.reward},
            disable_env_checking=True,  # the check plays illegal actions
        )
        .multi_agent(policies={POLICY}, policy_mapping_fn=shared_by_all)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={POLICY: module}))
        .env_runners(
            num_env_runners=config.runners,
            num_envs_per_env_runner=config.games,
            rollout_fragment_length=config.rollout,
            batch_mode="truncate_episodes",
        )
        .fault_tolerance(
            restart_failed_env_runners=True,
            ignore_env_runner_failures=False,
            max_num_env_runner_restarts=config.restarts,
        )
        .learners(num_learners=config.learners, num_gpus_per_learner=config.gpus_per_learner)
        .training(
            lr=config.learning_rate,
            gamma=config.gamma,
            lambda_=config.gae_lambda,
            clip_param=config.clip_range,
            entropy_coeff=config.entropy_coef,
            train_batch_size_per_learner=config.decisions_per_update,
            minibatch_size=config.batch,
            num_epochs=config.epochs,
            use_kl_loss=False,
        )
        .debugging(seed=config.seed, log_level="ERROR")
    )


def new_games(options: dict[str, Any]) -> Any:
    """All seats of one game as RLlib's environment; only the deciding agent acts."""
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    return PettingZooEnv(cacao_v0.raw_env(observation_dtype="uint8", **options))


def shared_by_all(agent: str, episode: Any, **more: Any) -> str:
    """The network that an agent uses."""
    return POLICY


class RllibLearner(PolicyLearner):
    """Drives RLlib's algorithm; a round is one of its training iterations."""

    config: RllibConfig
    command = "train_rllib"
    config_type = RllibConfig
    algorithm = "PPO by RLlib, all seats"

    def __init__(self, config: RllibConfig) -> None:
        super().__init__(config)
        connected(config.address)
        self.rllib = algorithm_config(config).build_algo()
        self._sampled = self._ended = 0  # decisions and games, by RLlib's own count

    @property
    def net(self) -> PolicyNet:  # type: ignore[override]
        """A copy of the network as it plays now, on this machine's processor."""
        net = new_net(self.config.about, self.config.width)
        load_weights(net, part("net", self.arrays()))
        return net

    def weights(self) -> Arrays:
        """The learner's weights, arrays by name."""
        return self.rllib.learner_group.get_weights()[POLICY]

    def round(self) -> dict[str, Any]:
        """Run one training iteration."""
        result = self.rllib.train()
        runners, learner = result.get("env_runners", {}), result["learners"][POLICY]
        sampled = int(result["num_env_steps_sampled_lifetime"])
        ended = int(runners.get("num_episodes_lifetime", 0))
        self.counts["decisions"] += sampled - self._sampled
        self.counts["games"] += ended - self._ended
        self._sampled, self._ended = sampled, ended
        return {
            "runners": self.healthy_runners(),
            "learning_rate": self.config.learning_rate,
            "loss_policy": float(learner["policy_loss"]),
            "loss_value": float(learner["vf_loss"]),
            "entropy": float(learner["entropy"]),
            "explained_variance": float(learner["vf_explained_var"]),
        }

    def healthy_runners(self) -> int:
        """How many env runners are at work."""
        return int(self.rllib.env_runner_group.num_healthy_remote_workers())

    def arrays(self) -> Arrays:
        """The weights."""
        return {name: np.asarray(x) for name, x in self.weights().items()}

    def restore(self, arrays: Arrays) -> None:
        """Set the weights; games and optimizer start fresh."""
        check_arrays(arrays, self.arrays())
        weights = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
        self.rllib.learner_group.set_weights({POLICY: weights})
        if self.rllib.env_runner_group is not None:
            self.rllib.env_runner_group.sync_weights(
                from_worker_or_learner_group=self.rllib.learner_group, inference_only=True
            )

    def close(self) -> None:
        """Stop the env runners."""
        self.rllib.stop()


main = partial(loop.main, RllibLearner, __doc__)

if __name__ == "__main__":
    sys.exit(main())
