"""Learn all seats by self-play PPO on a Ray cluster, or on this machine, and measure the result.

    python -m training.train_rllib --config configs/rllib_local.toml
    python -m training.train_rllib --config configs/rllib_cluster.toml --set runners=64

RLlib's PPO with the board network as a masked module, shared by all seats.  Env runners play wherever
the cluster has cores; one that is lost is started again.  What is learnt is kept as this project's own
checkpoint (``runs/NAME``); ``--resume`` goes on from the weights last saved, with new games and the
optimizer's moments at nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cacao_env.evaluation.evaluate import print_results
from cacao_env.evaluation.ray_session import connected

from .config import from_dict, overridden, read
from .interrupt import Interrupt
from .ppo.checkpoint import save_trained
from .ppo.finish import evaluate
from .ppo.network import CellNet
from .ppo.watch import against_anchors
from .rllib.config import RllibConfig
from .run_folder import RunFolder, add_run_options, clear, interrupted, progress_bar, run_command
from .state import read_state, write_state

POLICY = "shared"  # the one network of all seats


def algorithm_config(config: RllibConfig) -> Any:
    """RLlib's configuration of a run."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    from .rllib.env import OPTIONS, CacaoTable
    from .rllib.module import CellModule

    about = config.as_dict()
    size = {key: about[key] for key in ("num_players", "table_size", "width")}
    module = RLModuleSpec(module_class=CellModule, model_config=size)
    return (
        PPOConfig()
        .environment(
            CacaoTable,
            env_config={key: about[key] for key in OPTIONS},
            disable_env_checking=True,  # it plays actions that the mask forbids
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
            gamma=1.0,
            lambda_=config.gae_lambda,
            clip_param=config.clip,
            entropy_coeff=config.entropy,
            train_batch_size_per_learner=config.decisions_an_update,
            minibatch_size=config.batch,
            num_epochs=config.epochs,
            use_kl_loss=False,
        )
        .debugging(seed=config.seed, log_level="ERROR")
    )


def shared_by_all(agent: str, episode: Any, **more: Any) -> str:
    """Which network an agent uses."""
    return POLICY


class Run:
    """A run: RLlib's algorithm, and what is noted and saved between its rounds."""

    def __init__(self, config: RllibConfig, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.round = self.decisions = 0
        self._sampled = 0  # decisions, by the algorithm's own count
        self.seconds = 0.0
        connected(config.address)
        self.algorithm = algorithm_config(config).build_algo()
        self._watched, self._watched_at = "", -60 * config.watch_minutes
        self._saved_at = 0.0

    @property
    def progress(self) -> float:
        """Share of the run that is done, by the limit that is nearer."""
        by_time = self.seconds / (60 * self.config.minutes)
        return min(1.0, max(self.decisions / self.config.steps, by_time))

    @property
    def net(self) -> CellNet:
        """The network as it plays now, on this machine's processor."""
        net = CellNet(self.config.num_players, self.config.table_size, self.config.width)
        net.load_state_dict(net_weights(self.weights()))
        return net

    def weights(self) -> dict[str, Any]:
        """The learner's weights, arrays by name."""
        state = self.algorithm.learner_group.get_weights()
        found: dict[str, Any] = state[POLICY]
        return found

    # --- Going on --------------------------------------------------------------------------

    def save(self) -> None:
        """Write the checkpoint, curves, and the state that ``--resume`` goes on from."""
        save_trained(
            self.folder,
            self.config,
            self.net,
            algorithm="PPO by RLlib, all seats",
            steps=self.decisions,
            seconds=round(self.seconds, 1),
        )
        self.notes.draw()
        arrays = {f"module/{name}": np.asarray(x) for name, x in self.weights().items()}
        numbers = [self.round, self.decisions, self.seconds]
        write_state(self.folder, arrays, config=self.config.as_dict(), numbers=numbers)
        self._saved_at = self.seconds

    def restore(self, arrays: dict[str, Any], numbers: list[Any]) -> None:
        """Go on from what ``save`` wrote: the weights; games and optimizer begin anew."""
        self.round, self.decisions, self.seconds = numbers
        weights = {
            name.removeprefix("module/"): torch.from_numpy(np.array(array))
            for name, array in arrays.items()
        }
        self.algorithm.learner_group.set_weights({POLICY: weights})
        if self.algorithm.env_runner_group is not None:
            self.algorithm.env_runner_group.sync_weights(
                from_worker_or_learner_group=self.algorithm.learner_group, inference_only=True
            )
        self._saved_at = self.seconds

    # --- Training --------------------------------------------------------------------------

    def train(self) -> bool:
        """Rounds until a limit is reached; False if somebody interrupted it.  All is saved then."""
        self.notes = RunFolder(self.folder, self.config.as_dict(), at=self.round)
        bar = progress_bar(self.config.name, self.progress)
        try:
            with Interrupt() as interrupt, bar:
                while self.progress < 1 and not interrupt.asked:
                    self._one_round(bar)
                self.save()
        finally:
            self.notes.close()
        return self.progress >= 1

    def _one_round(self, bar: Any) -> None:
        began = time.monotonic()
        found = self.algorithm.train()
        seconds = time.monotonic() - began
        self.round += 1
        self.seconds += seconds
        runners, learner = found.get("env_runners", {}), found["learners"][POLICY]
        sampled = int(found["num_env_steps_sampled_lifetime"])
        decisions, self._sampled = sampled - self._sampled, sampled
        self.decisions += decisions
        row: dict[str, Any] = {
            "round": self.round,
            "decisions": self.decisions,
            "games": int(runners.get("num_episodes_lifetime", 0)),
            "seconds": round(self.seconds, 1),
            "runners": self.healthy_runners(),
            "per_second_decisions": decisions / seconds,
            "learning_rate": self.config.learning_rate,
            "loss_value": float(learner["vf_loss"]),
            "loss_policy": float(learner["policy_loss"]),
            "entropy": float(learner["entropy"]),
        }
        if self.seconds - self._watched_at >= 60 * self.config.watch_minutes:
            strength, self._watched = against_anchors(self.net, self.config)
            row, self._watched_at = row | strength, self.seconds
        self.notes.log(row)
        bar.n = round(100 * self.progress, 1)
        bar.set_postfix_str(
            f"{self.decisions:,} decisions, {row['per_second_decisions']:,.0f}/s, "
            f"{row['runners']} runners; {self._watched}"
        )
        if self.seconds - self._saved_at > 60 * self.config.save_minutes:
            self.save()

    def healthy_runners(self) -> int:
        """How many env runners are at work."""
        return int(self.algorithm.env_runner_group.num_healthy_remote_workers())

    def stop(self) -> None:
        """End the runners."""
        self.algorithm.stop()


def net_weights(module: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The network's weights out of the module's."""
    return {
        name.removeprefix("net."): torch.as_tensor(np.array(array))
        for name, array in module.items()
        if name.startswith("net.")
    }


def begin(options: argparse.Namespace) -> Run:
    """A new run or one that goes on."""
    if options.resume:
        folder = Path(options.resume)
        arrays, about = read_state(folder)
        run = Run(from_dict(RllibConfig, overridden(about["config"], options.overrides)), folder)
        run.restore(arrays, about["numbers"])
        return run
    config = read(RllibConfig, options.config, options.overrides)
    folder = Path(options.out or Path("runs") / config.name)
    clear(folder, options.overwrite)
    torch.set_num_threads(config.threads)
    return Run(config, folder)


def train(options: argparse.Namespace) -> int:
    """A whole run; returns the command's exit status."""
    run = begin(options)
    try:
        if not run.train():
            return interrupted(run.folder)
    finally:
        run.stop()
    print(
        f"trained {run.decisions:,} decisions in {run.seconds:.0f} s "
        f"({run.decisions / run.seconds:,.0f} decisions/s); checkpoint: {run.folder}"
    )
    return 1 if print_results(evaluate(run.config, run.folder), run.config.bars) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.train_rllib", description=__doc__)
    add_run_options(parser, "configs/rllib_local.toml")
    options = parser.parse_args(arguments)
    return run_command(lambda: train(options))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
