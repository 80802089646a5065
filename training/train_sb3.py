"""Train one seat with MaskablePPO against opponents inside the environment, and measure the result.

    python -m training.train_sb3 --config configs/maskable_ppo.toml

The other seats are bots and, in some of the games, earlier selves.  The run folder (``runs/NAME``) has
the resolved configuration, metrics as JSON lines and for TensorBoard, curves, the checkpoint, and the
state from which ``--resume`` goes on exactly.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from cacao_env.engine.observation import scale
from cacao_env.envs.versus import VersusGames
from cacao_env.evaluation.evaluate import print_results

from .config import from_dict, overridden, read
from .interrupt import Interrupt
from .ppo.checkpoint import save_trained
from .ppo.config import Sb3Config
from .ppo.finish import evaluate
from .ppo.network import CellNet
from .ppo.snapshots import Snapshots
from .ppo.watch import against_anchors
from .run_folder import RunFolder, add_run_options, clear, interrupted, progress_bar, run_command
from .sb3.policy import CellPolicy
from .sb3.vec_env import CacaoVecEnv
from .state import (
    generator_arrays,
    learner_arrays,
    named,
    part,
    read_state,
    restore_generators,
    restore_learner,
    write_state,
)


class Run(BaseCallback):
    """A run: the learner, its games, and all that is noted and saved between two rollouts."""

    def __init__(
        self,
        config: Sb3Config,
        folder: Path,
        games: Any = None,
        policy: type[CellPolicy] = CellPolicy,
    ) -> None:
        super().__init__()
        self.config, self.folder = config, folder
        self.round = self.games = 0
        self.seconds = 0.0
        self.versus = games or make_games(config)
        self.learner = make_model(config, self.versus, self.rate, policy)
        self.net: CellNet = self.learner.policy.net
        self.snapshots: Snapshots | None = None
        if config.snapshots > 0:
            self.snapshots = Snapshots(self.net, scale(config.num_players, config.table_size))
            self.versus.policy = self.snapshots
        self._ended: deque[tuple[float, float]] = deque(maxlen=500)  # (share of the win, margin)

    # --- Going on --------------------------------------------------------------------------

    def save_state(self) -> None:
        """Write what ``restore`` goes on from."""
        arrays = learner_arrays(self.learner.policy, self.learner.policy.optimizer)
        arrays |= named("generators", generator_arrays())
        arrays |= named("games", self.versus.arrays())
        arrays |= named("env", self.learner.env.arrays())
        arrays["ended"] = np.array(self._ended, np.float64).reshape(-1, 2)
        if self.snapshots is not None:
            arrays |= named("snapshots", self.snapshots.arrays())
        numbers = [self.round, self.games, self.seconds, self.learner.num_timesteps]
        config = self.config.as_dict()
        write_state(self.folder, arrays, config=config, numbers=numbers)

    def restore(self, arrays: dict[str, Any], numbers: list[Any]) -> None:
        """Go on from a saved state."""
        self.round, self.games, self.seconds, self.learner.num_timesteps = numbers
        restore_learner(self.learner.policy, self.learner.policy.optimizer, arrays)
        if self.snapshots is not None:
            self.snapshots.restore(part("snapshots", arrays))
        self.versus.restore(part("games", arrays))
        self.learner.env.restore(part("env", arrays))
        self._ended.extend(map(tuple, arrays["ended"].tolist()))
        self.learner._last_obs = self.versus.observations.copy()
        self.learner._last_episode_starts = self.versus.dones.copy()
        self._set_entropy()
        restore_generators(part("generators", arrays))

    # --- Schedules -------------------------------------------------------------------------

    @property
    def progress(self) -> float:
        """Share of the run that is done, by the limit that is nearer."""
        config = self.config
        by_time = self.seconds / (60 * config.minutes)
        return min(1.0, max(self.learner.num_timesteps / config.steps, by_time))

    def rate(self, _: float) -> float:
        """The learning rate; SB3 asks with its own idea of what is left."""
        first, last = self.config.learning_rate, self.config.final_learning_rate
        return last + (first - last) * (1 - self.progress if hasattr(self, "learner") else 1)

    # --- What SB3 calls --------------------------------------------------------------------

    def train(self) -> bool:
        """Rollouts and learning until a limit is reached; False if somebody interrupted it.

        All is saved then.
        """
        self.notes = RunFolder(self.folder, self.config.as_dict(), at=self.round)
        self._watched, self._watched_at = "", self.seconds - 60 * self.config.watch_minutes
        self._saved_at = self.seconds
        self._played = self._stopping = False
        self.bar = progress_bar(self.config.name, self.progress)
        try:
            with Interrupt() as self.interrupt, self.bar:
                left = self.config.steps - self.learner.num_timesteps
                if left > 0 and self.progress < 1:
                    self.learner.learn(left, callback=self, reset_num_timesteps=self.round == 0)
                if self._played:
                    self._end_of_round()
            if not self._stopping:
                self.save()
        finally:
            self.notes.close()
        return self.progress >= 1

    def _on_rollout_start(self) -> None:
        if self._played:  # and learnt from it since
            self._end_of_round()
            if self.interrupt.asked or self.progress >= 1:
                self._stopping = True  # SB3 listens after the next step only: saved is this moment
                self.save()
        self._played = False
        self._began = time.monotonic()
        self.versus_seconds = self.learner.env.seconds

    def _on_step(self) -> bool:
        if self._stopping:
            return False
        for info in self.locals["infos"]:
            if "final_scores" in info:
                own, other = info["final_scores"]
                share = 1.0 if own > other else 0.5 if own == other else 0.0
                self._ended.append((share, float(own - other)))
                self.games += 1
        return True

    def _on_rollout_end(self) -> None:
        self._played = True
        self._rested = time.monotonic()

    def _end_of_round(self) -> None:
        """Note what a rollout and the learning from it brought; save now and then."""
        config, now = self.config, time.monotonic()
        self._played = False
        self.round += 1
        playing, learning = self._rested - self._began, now - self._rested
        self.seconds += playing + learning
        decisions = config.games * config.rollout
        train = {
            name.removeprefix("train/"): float(value)
            for name, value in self.learner.logger.name_to_value.items()
            if name.startswith("train/")
        }
        row: dict[str, Any] = {
            "round": self.round,
            "decisions": self.learner.num_timesteps,
            "games": self.games,
            "seconds": round(self.seconds, 1),
            "seconds_environment": round(self.learner.env.seconds - self.versus_seconds, 3),
            "seconds_playing": round(playing, 3),
            "seconds_learning": round(learning, 3),
            "per_second_decisions": decisions / (playing + learning),
            "per_second_learnt": decisions * config.epochs / learning,
            "learning_rate": train["learning_rate"],
            "loss_value": train["value_loss"],
            "loss_policy": train["policy_gradient_loss"],
            "loss_entropy": train["entropy_loss"],
            **{name: train[name] for name in ("approx_kl", "clip_fraction", "explained_variance")},
        }
        if self._ended:
            wins, margin = np.mean(self._ended, axis=0).tolist()
            row |= {"wins_training": wins, "margin_training": margin}
        if self.seconds - self._watched_at >= 60 * config.watch_minutes:
            found, self._watched = against_anchors(self.net, config)
            row, self._watched_at = row | found, self.seconds
        self.notes.log(row)
        self.bar.n = round(100 * self.progress, 1)
        self.bar.set_postfix_str(
            f"{self.learner.num_timesteps:,} decisions, {row['per_second_decisions']:,.0f}/s, "
            f"wins {row.get('wins_training', 0):.0%} in training; {self._watched}"
        )
        self._set_entropy()
        self._pick_opponent()
        if self.seconds - self._saved_at > 60 * config.save_minutes:
            self.save()

    def _set_entropy(self) -> None:
        first, last = self.config.entropy, self.config.final_entropy
        self.learner.ent_coef = first + (last - first) * self.progress

    def _pick_opponent(self) -> None:
        if self.snapshots is not None:
            if self.round % self.config.snapshot_rounds == 0:
                self.snapshots.take()
            self.snapshots.pick(np.random.default_rng([self.config.seed, self.round]).random())

    def save(self) -> None:
        """Write checkpoint, curves and, where the games allow it, the state to resume from."""
        save_trained(
            self.folder,
            self.config,
            self.net,
            algorithm="MaskablePPO",
            steps=self.learner.num_timesteps,
            games=self.games,
            seconds=round(self.seconds, 1),
        )
        self.notes.draw()
        if isinstance(self.versus, VersusGames):
            self.save_state()
        self._saved_at = self.seconds


def make_games(config: Sb3Config) -> VersusGames:
    """The games that a configuration asks for: bots, and earlier selves, in the other seats."""
    snapshots: dict[str, Any] = {}
    if config.snapshots > 0:
        net = CellNet(config.num_players, config.table_size, config.width)
        untrained = Snapshots(net, scale(config.num_players, config.table_size))
        snapshots = {"policy": untrained, "policy_share": config.snapshots}
    return VersusGames(
        config.games,
        config.opponents,
        config.num_players,
        config.volcanoes,
        table_size=config.table_size,
        reward=config.reward,  # type: ignore[arg-type]
        seed=config.seed,
        **snapshots,
    )


def make_model(
    config: Sb3Config, games: Any, rate: Any, policy: type[CellPolicy] = CellPolicy
) -> MaskablePPO:
    """The learner in those games; ``rate``: what SB3 asks for the learning rate."""
    return MaskablePPO(
        policy,
        CacaoVecEnv(games),
        learning_rate=rate,
        n_steps=config.rollout,
        batch_size=config.batch,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        target_kl=config.target_kl,
        policy_kwargs={
            "num_players": config.num_players,
            "table_size": config.table_size,
            "width": config.width,
        },
        seed=config.seed,
        device="auto",
    )


def prepare(threads: int) -> None:
    """Settings of torch for training."""
    torch.set_num_threads(threads)
    # sb3-contrib checks every distribution's arguments otherwise, at a cost, for nothing here.
    torch.distributions.Distribution.set_default_validate_args(False)


def begin(options: argparse.Namespace) -> Run:
    """A new run or one that goes on."""
    if options.resume:
        folder = Path(options.resume)
        arrays, about = read_state(folder)
        config = from_dict(Sb3Config, overridden(about["config"], options.overrides))
        prepare(config.threads)
        run = Run(config, folder)
        run.restore(arrays, about["numbers"])
        return run
    config = read(Sb3Config, options.config, options.overrides)
    folder = Path(options.out or Path("runs") / config.name)
    clear(folder, options.overwrite)
    prepare(config.threads)
    return Run(config, folder)


def train(options: argparse.Namespace) -> int:
    """A whole run; returns the command's exit status."""
    run = begin(options)
    if not run.train():
        return interrupted(run.folder)
    decisions = run.learner.num_timesteps
    print(
        f"trained {decisions:,} decisions in {run.games:,} games and {run.seconds:.0f} s "
        f"({decisions / run.seconds:,.0f} decisions/s); checkpoint: {run.folder}"
    )
    return 1 if print_results(evaluate(run.config, run.folder), run.config.bars) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.train_sb3", description=__doc__)
    add_run_options(parser, "configs/maskable_ppo.toml")
    options = parser.parse_args(arguments)
    return run_command(lambda: train(options))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
