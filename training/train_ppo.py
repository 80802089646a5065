"""Learn all seats at once by self-play PPO in plain torch, and measure the result.

    python -m training.train_ppo --config configs/ppo.toml
    torchrun --nproc-per-node 4 -m training.train_ppo --config configs/ppo.toml

The network scores every legal action of the table (:mod:`training.ppo.network`).  ``processes`` above 1
starts as many by itself; under ``torchrun`` there are those that it started, on several machines if it
is told so.  The run folder (``runs/NAME``) is as for the other trainers; ``--resume`` goes on exactly.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from cacao_env.envs.vector import VectorGames
from cacao_env.evaluation.evaluate import print_results

from .config import from_dict, overridden, read
from .interrupt import Interrupt
from .ppo.checkpoint import save_trained
from .ppo.config import PpoConfig
from .ppo.finish import evaluate
from .ppo.learner import Coefficients, PpoLearner
from .ppo.network import CellNet
from .ppo.processes import Group, group_of
from .ppo.rollout import SelfPlay
from .ppo.stopwatch import Stopwatch
from .ppo.watch import against_anchors
from .run_folder import RunFolder, add_run_options, clear, interrupted, progress_bar, run_command
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


class Run:
    """One process's part of a run; the first one (rank 0) also notes and saves."""

    def __init__(self, config: PpoConfig, folder: Path, group: Group) -> None:
        self.config, self.folder, self.group = config, folder, group
        self.round = self.decisions = 0
        self.seconds = 0.0
        self.device = group.device(config.device)
        torch.manual_seed(config.seed)
        net = CellNet(config.num_players, config.table_size, config.width).to(self.device)
        self.learner = PpoLearner(net)  # the same in all processes
        torch.manual_seed(config.seed + 1000 * group.rank)
        games = VectorGames(
            config.games,
            config.num_players,
            config.volcanoes,
            table_size=config.table_size,
            reward=config.reward,  # type: ignore[arg-type]
            seed=config.seed + group.rank,
        )
        self.play = SelfPlay(games, config.rollout, config.gae_lambda, self.device)
        self.watch = Stopwatch()
        self._watched = ""

    @property
    def progress(self) -> float:
        """Share of the run that is done, by the limit that is nearer."""
        by_time = self.seconds / (60 * self.config.minutes)
        return min(1.0, max(self.decisions / self.config.steps, by_time))

    def coefficients(self) -> Coefficients:
        """What this round learns by: rates that fall in a straight line."""
        c, done = self.config, self.progress
        return Coefficients(
            c.learning_rate + (c.final_learning_rate - c.learning_rate) * done,
            c.clip + (c.final_clip - c.clip) * done,
            c.entropy + (c.final_entropy - c.entropy) * done,
            c.value,
            c.max_norm,
        )

    # --- Going on --------------------------------------------------------------------------

    def save(self) -> None:
        """Write checkpoint, curves and state; all processes take part, the first one writes."""
        own = named("games", self.play.games.arrays())
        own |= named("generators", generator_arrays())
        of_all = self.group.gather(own)
        if self.group.rank > 0:
            return
        assert self.notes is not None
        save_trained(
            self.folder,
            self.config,
            self.learner.net,
            algorithm="PPO by self-play",
            steps=self.decisions,
            games=self.play.finished * self.group.size,
            seconds=round(self.seconds, 1),
            processes=self.group.size,
        )
        self.notes.draw()
        arrays = learner_arrays(self.learner.net, self.learner.optimizer)
        for rank, found in enumerate(of_all):
            arrays |= named(f"rank{rank}", found)
        numbers = [self.round, self.decisions, self.seconds, self.play.finished]
        write_state(self.folder, arrays, config=self.config.as_dict(), numbers=numbers)

    def restore(self, arrays: dict[str, Any], numbers: list[Any]) -> None:
        """Go on from a saved state."""
        self.round, self.decisions, self.seconds, self.play.finished = numbers
        restore_learner(self.learner.net, self.learner.optimizer, arrays)
        own = part(f"rank{self.group.rank}", arrays)
        if not own or f"rank{self.group.size}.games.states" in arrays:
            raise ValueError(f"the state is not that of {self.group.size} processes")
        self.play.games.restore(part("games", own))
        restore_generators(part("generators", own))

    # --- Rounds ----------------------------------------------------------------------------

    def train(self) -> bool:
        """Rounds until a limit is reached; False if somebody interrupted it.  All is saved then."""
        first = self.group.rank == 0
        self.notes = RunFolder(self.folder, self.config.as_dict(), at=self.round) if first else None
        self._watched_at = self.seconds - 60 * self.config.watch_minutes
        saved_at, quiet = self.seconds, None if first else True
        try:
            with (
                Interrupt(quiet=not first) as interrupt,
                progress_bar(self.config.name, self.progress, quiet) as bar,
            ):
                while self.progress < 1 and not self.group.any(interrupt.asked):
                    row = self._round()
                    bar.n = round(100 * self.progress, 1)
                    bar.set_postfix_str(
                        f"{self.decisions:,} decisions, {row['per_second_decisions']:,.0f}/s; "
                        f"{self._watched}"
                    )
                    if self.seconds - saved_at > 60 * self.config.save_minutes:
                        self.save()
                        saved_at = self.seconds
            self.save()
        finally:
            if self.notes is not None:
                self.notes.close()
        return self.progress >= 1

    def _round(self) -> dict[str, Any]:
        config, begin = self.config, time.monotonic()
        coefficients = self.coefficients()
        rollout = self.play.collect(self.learner.net, self.watch)
        with self.watch("learning"):
            parts = config.games * config.rollout // config.batch
            losses = self.learner.fit(
                rollout, self.play.factors, config.epochs, parts, coefficients
            )
        decisions = config.games * config.rollout * self.group.size
        self.round += 1
        self.decisions += decisions
        seconds = self.group.same(time.monotonic() - begin)
        self.seconds += seconds
        spent = self.watch.take()
        row: dict[str, Any] = {
            "round": self.round,
            "decisions": self.decisions,
            "games": self.play.finished * self.group.size,
            "seconds": round(self.seconds, 1),
            **{f"seconds_{name}": round(value, 3) for name, value in spent.items()},
            "per_second_decisions": decisions / seconds,
            "per_second_learnt": decisions * config.epochs / spent["learning"],
            "learning_rate": coefficients.learning_rate,
            "loss_policy": losses.policy,
            "loss_value": losses.value,
            "loss_entropy": losses.entropy,
            "approx_kl": losses.kl,
            "clip_fraction": losses.clipped,
        }
        if self.notes is not None:
            if self.seconds - self._watched_at >= 60 * config.watch_minutes:
                found, self._watched = against_anchors(self.learner.net, config)
                row, self._watched_at = row | found, self.seconds
            self.notes.log(row)
        return row


def begin(options: argparse.Namespace, group: Group) -> Run:
    """This process's part of a new run or of one that goes on."""
    if options.resume:
        folder = Path(options.resume)
        arrays, about = read_state(folder)
        run = Run(configured(options), folder, group)
        run.restore(arrays, about["numbers"])
        return run
    config = configured(options)
    folder = Path(options.out or Path("runs") / config.name)
    if group.rank == 0:
        clear(folder, options.overwrite)
    return Run(config, folder, group)


def configured(options: argparse.Namespace) -> PpoConfig:
    """What the run is told: by its file, or by the state that it goes on from, and by overrides."""
    if options.resume:
        _, about = read_state(Path(options.resume))
        return from_dict(PpoConfig, overridden(about["config"], options.overrides))
    return read(PpoConfig, options.config, options.overrides)


def train(options: argparse.Namespace, group: Group) -> int:
    """One process's whole run; returns its exit status."""
    run = begin(options, group)
    torch.set_num_threads(run.config.threads)
    finished = run.train()
    if group.rank > 0:
        return 0
    if not finished:
        return interrupted(run.folder)
    print(
        f"trained {run.decisions:,} decisions in {run.seconds:.0f} s "
        f"({run.decisions / run.seconds:,.0f} decisions/s); checkpoint: {run.folder}"
    )
    return 1 if print_results(evaluate(run.config, run.folder), run.config.bars) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="python -m training.train_ppo", description=__doc__)
    add_run_options(parser, "configs/ppo.toml")
    options = parser.parse_args(given)

    def work() -> int:
        processes = configured(options).processes
        with group_of(processes, ["-m", "training.train_ppo", *given]) as group:
            return train(options, group)

    return run_command(work)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
