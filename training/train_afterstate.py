"""Learn by self-play what positions after a turn are worth, and play by that.

    python -m training.train_afterstate --config configs/quickstart.toml

Rounds: games are played by compiled threads (first by greedy, with noise, then by the network itself)
while the network is fitted to those of the rounds before.  The run folder (``runs/NAME``) has the
resolved configuration, metrics as JSON lines and for TensorBoard, the checkpoint, and the state from
which ``--resume`` goes on exactly.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch

from cacao_env.agents.checkpoint import add_to_manifest
from cacao_env.agents.registry import load_agent
from cacao_env.agents.value.checkpoint import read_value, save_value
from cacao_env.agents.value.net import POINTS, from_params
from cacao_env.evaluation.evaluate import measure, print_results
from cacao_env.evaluation.summary import Result

from .afterstate.config import AfterstateConfig
from .afterstate.games import Behaviour, Samples
from .afterstate.learning import Learner, Players, share_out, warm_up
from .afterstate.rivals import folder_of, rival_of
from .config import ConfigError, from_dict, overridden, read
from .interrupt import Interrupt
from .run_folder import RunFolder, add_run_options, clear, interrupted, progress_bar, run_command
from .state import named, part, read_state, write_state


class Run:
    """A run at the end of a round: all it needs to go on."""

    def __init__(self, config: AfterstateConfig) -> None:
        self.config = config
        size = {"sums": config.sums, "maxima": config.maxima, "units": config.units}
        self.learner = Learner(size, config.seed, config.average)
        self.acting = self.learner.mean.params()  # weights that play the next round
        self.round = self.games = self.samples = 0
        self.seconds = 0.0
        self.replay: deque[Samples] = deque(maxlen=config.replay)

    @property
    def progress(self) -> float:
        """Share of the run that is done, by the limit that is nearer."""
        config = self.config
        return min(1.0, max(self.round / config.rounds, self.seconds / (60 * config.minutes)))

    @property
    def by_greedy(self) -> bool:
        """Whether the games of this round are greedy's."""
        return self.round < self.config.greedy_rounds

    def behaviour(self) -> Behaviour:
        """How the games of this round are played."""
        c = self.config
        noise = c.noise + (c.final_noise - c.noise) * self.progress
        if self.by_greedy:
            return Behaviour(
                greedy=1.0,
                greedy_noise=c.greedy_noise,
                random=c.greedy_random,
                kept=c.greedy_kept,
                others=c.others / 3,
            )
        return Behaviour(
            noise=noise,
            random=c.random,
            top=c.top,
            decay=c.decay,
            others=c.others,
            searched=c.searched if self.progress >= c.search_from else 0.0,
            search_sims=c.search_sims,
        )

    @classmethod
    def begin(cls, config: AfterstateConfig) -> Run:
        """A new run, with the weights that ``start`` names; ConfigError if they don't fit."""
        run = cls(config)
        if config.start:
            try:
                run.learner.begin_from(read_value(folder_of(config.start))[0])
            except ValueError as error:
                raise ConfigError(f"start is {config.start!r}: {error}") from None
            run.acting = run.learner.mean.params()
        return run

    def rate(self) -> float:
        """The learning rate of this round: falls as a cosine does."""
        c = self.config
        share = 0.5 * (1 + math.cos(math.pi * self.progress))
        return c.final_learning_rate + (c.learning_rate - c.final_learning_rate) * share

    def save(self, folder: Path) -> None:
        """Write the state; a stop in between leaves the old one."""
        arrays = self.learner.arrays() | named("acting", self.acting)
        for number, samples in enumerate(self.replay):
            arrays |= named(f"replay.{number:03}", samples._asdict())
        numbers = [self.round, self.games, self.samples, self.seconds, self.learner.steps]
        write_state(folder, arrays, config=self.config.as_dict(), numbers=numbers)

    @classmethod
    def resume(cls, folder: Path, overrides: Sequence[str] = ()) -> Run:
        """The run whose state lies in a folder; keys that give no array its shape may be changed."""
        arrays, about = read_state(folder)
        was = about["config"]
        run = cls(from_dict(AfterstateConfig, overridden(was, overrides)))
        for key in ("sums", "maxima", "units"):
            if getattr(run.config, key) != was[key]:
                raise ConfigError(f"{key} is {was[key]} in {folder} and can't be changed")
        run.round, run.games, run.samples, run.seconds, steps = about["numbers"]
        run.learner.restore(arrays, steps)
        run.acting = part("acting", arrays)
        while samples := part(f"replay.{len(run.replay):03}", arrays):
            run.replay.append(Samples(**samples))
        return run


T = TypeVar("T")


def _resolved(key: str, name: str, find: Callable[[str], T]) -> T:
    """What is named in a configuration; ConfigError names the key."""
    try:
        return find(name)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None


class Trainer:
    """Drives a run: plays, learns, watches, saves."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.run, self.folder = run, folder
        config = run.config
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        self._rival = _resolved("rival", config.rival, rival_of)
        self._anchors = {name: _resolved("anchors", name, rival_of) for name in config.anchors}
        for name in config.against:  # found out now, not after the run
            _resolved("against", name, load_agent)
        warm_up()  # before the clock runs
        self._notes = RunFolder(folder, config.as_dict(), at=run.round)
        self.players = Players(config.threads or cores or 1)
        self._begun = self._start()
        self._saved = time.monotonic()
        self._watched = "-"

    def _start(self) -> list[Any]:
        """Begin the games of the next round."""
        run, config = self.run, self.run.config
        count = config.greedy_games if run.by_greedy else config.games
        chunks = share_out(count, config.players, config.volcanoes, [config.seed, run.round])
        behaviour = run.behaviour()
        if not run.by_greedy:
            behaviour = behaviour._replace(
                rival=self._rival.kind,
                rival_share=config.rival_share,
                rival_sims=self._rival.sims,
            )
        return self.players.begin(chunks, from_params(run.acting), behaviour, self._rival.net)

    def train(self) -> bool:
        """Rounds until a limit is reached; False if somebody interrupted it.  All is saved then."""
        try:
            with Interrupt() as interrupt:
                self._rounds(interrupt)
            self.save()
        finally:
            self.close()
        return self.run.progress >= 1

    def _rounds(self, interrupt: Interrupt) -> None:
        run = self.run
        with progress_bar(run.config.name, run.progress) as bar:
            while run.progress < 1 and not interrupt.asked:
                row = self.round()
                bar.n = round(100 * run.progress, 1)
                off = POINTS * row["loss_points"] ** 0.5
                bar.set_postfix_str(
                    f"round {run.round}, {run.games:,} games, {row['per_second_games']:,.0f}/s, "
                    f"points off by {off:.1f}; {self._watched}"
                )
                if time.monotonic() - self._saved > 60 * run.config.save_minutes:
                    self.save()

    def close(self) -> None:
        """Let the threads go."""
        self.players.close()
        self._notes.close()

    def round(self) -> dict[str, Any]:
        """Collect the games of this round, begin those of the next, learn."""
        run, config = self.run, self.run.config
        begin = time.monotonic()
        samples = self.players.collect(self._begun)
        waited = time.monotonic() - begin
        count = config.greedy_games if run.by_greedy else config.games
        rate, by_greedy = run.rate(), run.by_greedy
        if by_greedy != (run.round > 0 and run.round - 1 < config.greedy_rounds):
            run.replay.clear()  # greedy's games have served their turn
        run.replay.append(samples)
        run.acting = run.learner.mean.params()
        this_round = run.round
        run.round += 1
        self._begun = self._start()
        passes = 1.0 if by_greedy else config.passes
        steps = max(1, int(passes * len(samples.stage) / config.batch))
        learning = time.monotonic()
        losses = run.learner.fit(
            list(run.replay), steps, config.batch, rate, [config.seed, this_round]
        )
        params = time.monotonic() - learning
        run.games += count
        run.samples += len(samples.stage)
        row: dict[str, Any] = {
            "round": run.round,
            "by": "greedy" if by_greedy else "network",
            "games": run.games,
            "samples": run.samples,
            "steps": run.learner.steps,
            "loss_shares": float(losses[0]),
            "loss_points": float(losses[1]),
            "learning_rate": rate,
            "seconds_waiting": round(waited, 2),  # for games; they are played beside the learning
            "seconds_learning": round(params, 2),
        }
        if run.round % config.watch_rounds == 0 or run.round == config.greedy_rounds:
            row |= self._watch()
        seconds = time.monotonic() - begin
        run.seconds += seconds
        row |= {
            "seconds": round(run.seconds, 1),
            "per_second_games": count / seconds,
            "per_second_learnt": steps * config.batch / params,
        }
        self._notes.log(row)
        return row

    def _watch(self) -> dict[str, float]:
        """Share of wins and margin against the anchors, for each number of players trained for."""
        row = {}
        net, config = self.run.learner.mean.compiled(), self.run.config
        for anchor, other in self._anchors.items():
            found = []
            for players in sorted(config.players):
                shares, margins = self.players.match(
                    net,
                    other.net,
                    int(players),
                    config.watch_blocks,
                    config.evaluation_seed - 1,
                    config.top,
                )
                half = 1.96 * shares.std() / len(shares) ** 0.5
                name = f"{anchor}_{players}p"
                row[f"wins_{name}"] = float(shares.mean())
                row[f"wins_{name}_half_width"] = float(half)
                row[f"margin_{name}"] = float(margins.mean())
                found.append(f"{shares.mean():.0%} ± {half:.0%} ({players}p)")
            self._watched = f"beats {anchor} {', '.join(found)}"
        return row

    def save(self) -> None:
        """Write the checkpoint, the curves and the state to resume from."""
        run, config = self.run, self.run.config
        rules = {
            "players": sorted(int(n) for n in config.players),
            "volcanoes": config.volcanoes > 0,
        }
        trained = {
            "algorithm": "afterstate values by self-play",
            "rounds": run.round,
            "games": run.games,
            "samples": run.samples,
            "seconds": round(run.seconds, 1),
            "config": config.as_dict(),
        }
        save_value(self.folder, config.name, run.learner.mean.params(), rules, training=trained)
        self._notes.draw()
        run.save(self.folder)
        self._saved = time.monotonic()


def evaluate(config: AfterstateConfig, folder: Path) -> list[Result]:
    """Measure the checkpoint in ``folder`` on deals that training has not seen."""
    agent = load_agent(str(folder))
    results = [
        measure(agent, load_agent(name), int(players), False, config.blocks, config.evaluation_seed)
        for players in sorted(config.players)
        for name in config.against
    ]
    add_to_manifest(folder, results=[result.as_dict() for result in results])
    return results


def begin(options: argparse.Namespace) -> tuple[Run, Path]:
    """A new run or one that goes on."""
    if options.resume:
        folder = Path(options.resume)
        run = Run.resume(folder, options.overrides)
        return run, folder
    config = read(AfterstateConfig, options.config, options.overrides)
    folder = Path(options.out or Path("runs") / config.name)
    clear(folder, options.overwrite)
    return Run.begin(config), folder


def train(options: argparse.Namespace) -> int:
    """A whole run; returns the command's exit status."""
    run, folder = begin(options)
    if not Trainer(run, folder).train():
        return interrupted(folder)
    print(
        f"trained {run.games:,} games, {run.samples:,} positions in {run.seconds:.0f} s; "
        f"checkpoint: {folder}"
    )
    return 1 if print_results(evaluate(run.config, folder), run.config.bars) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.train_afterstate", description=__doc__
    )
    add_run_options(parser, "configs/quickstart.toml")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    return run_command(lambda: train(options))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
