"""The training loop and the command line, the same for all trainers.

A :class:`Learner` trains in rounds.  Everything around the rounds is here: limits, progress bar,
metrics, periodic evaluation, saving and resuming, Ctrl-C, and the final evaluation.
docs/training.md explains the metrics.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from cacao_env.agent import Agent
from cacao_env.agents.checkpoint import CheckpointError, add_to_manifest, find
from cacao_env.checks import as_path
from cacao_env.cli import common
from cacao_env.engine.progress import Bar
from cacao_env.evaluation.run import Plan, measure, plan_chunks, play, print_results, versions_of
from cacao_env.evaluation.summary import Result, summarise
from cacao_env.registry import load_agent

from .config import ConfigError, RunConfig, agent_named, from_dict, overridden, read, strings_in
from .run_folder import RunFolder, clear, require_room, seconds_at
from .state import Arrays, read_state, write_state


class Learner(ABC):
    """What a run trains.  The loop counts its rounds and seconds.  Its loop uses it from one thread."""

    command: ClassVar[str]  # the module whose command trains it
    config_type: ClassVar[type[RunConfig]]
    algorithm: ClassVar[str]
    unit: ClassVar[str] = "decisions"  # the count whose growth per second is the speed
    name: ClassVar[str] = "the learner"  # of its agent in periodic evaluations
    config: Any

    def __init__(self, config: Any) -> None:
        self.config = config
        self.rounds, self.seconds = 0, 0.0
        self.counts: dict[str, int] = {}  # totals over the run: metrics that are saved
        self.watch = Stopwatch()

    @abstractmethod
    def round(self) -> dict[str, Any]:
        """Train one round, add to ``counts`` and return further metrics."""

    @abstractmethod
    def fraction_done(self) -> float:
        """How much of the run is done by the learner's own limit."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Everything that ``restore`` needs."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Resume from ``arrays``; CheckpointError if shapes do not fit or numbers are not finite.

        The loop has restored rounds, seconds and counts.
        """

    @abstractmethod
    def weights(self) -> Arrays:
        """The weights that the run trains, after each round."""

    @abstractmethod
    def save_checkpoint(self, folder: Path, training: dict[str, Any]) -> None:
        """Write the agent as it is now; ``training`` says how it was made."""

    @abstractmethod
    def agent(self) -> Agent:
        """What the run has learned so far, for periodic evaluations."""

    def start(self) -> None:
        """Begin a new run, from the checkpoint that the configuration names, if it names one.

        A resumed run calls ``restore`` instead.
        """
        name = self.config.start
        if not name:
            return
        try:
            folder = find(name)
            if folder is None:
                raise CheckpointError("there is no such checkpoint")
            self.start_from(folder)
        except ValueError as error:
            raise ConfigError(f"start is {name!r}: {error}") from None

    def start_from(self, folder: Path) -> None:
        """Copy the weights of a checkpoint; ValueError if they do not fit."""
        raise NotImplementedError

    def settle(self) -> None:  # noqa: B027
        """Finish what goes on beside the rounds: the clock stops while the run measures or saves."""

    def close(self) -> None:  # noqa: B027
        """Release what the learner holds."""

    @property
    def progress(self) -> float:
        """How much of the run is done, from 0 to 1, by the limit that is nearer."""
        return min(1.0, max(self.fraction_done(), self.seconds / (60 * self.config.minutes)))

    def scheduled(self, key: str) -> float:
        """The value of a key that changes linearly over the run, from KEY to final_KEY."""
        first, last = getattr(self.config, key), getattr(self.config, f"final_{key}")
        return float(first + (last - first) * self.progress)


class Stopwatch:
    """Add up seconds by name: ``with watch("network"): ...``."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Add the time inside to ``name``."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, time.perf_counter() - start)

    def add(self, name: str, seconds: float) -> None:
        """Add to the seconds of ``name``."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def take(self) -> dict[str, float]:
        """Return the sums since the last call."""
        found, self.seconds = self.seconds, {}
        return found


def evaluation_opponents(config: RunConfig) -> dict[str, Agent]:
    """Return the agents of ``eval_opponents``; ValueError if they or ``against`` can't be played."""
    named, games = {}, config.games_played
    for key in ("against", "eval_opponents"):
        named[key] = {name: agent_named(key, name, config, games) for name in getattr(config, key)}
    names = [config.name, *(agent.name for agent in named["against"].values())]
    if len(set(names)) < 1 + len(config.against):
        raise ConfigError(
            f"against is {config.against!r}, which has an agent twice, or one with the name of the run"
        )
    return named["eval_opponents"]


class Loop:
    """Drives a learner."""

    def __init__(self, learner: Learner, folder: Path) -> None:
        self.learner, self.folder, self.config = learner, folder, learner.config
        self._opponents = evaluation_opponents(self.config)
        self.notes = RunFolder(folder, asdict(self.config), learner.rounds)
        self._saved_at = learner.seconds
        self._evaluated_at = float("-inf")
        self._strength = ""

    def run(self) -> bool:
        """Train until a limit is reached; return False after an interruption.  Both save."""
        learner = self.learner
        # A resumed run estimates the time left from where it resumes.
        done = round(100 * learner.progress, 1)
        bar = Bar(total=100, initial=done, unit="%", desc=self.config.name)
        with closing(self), interruptible() as interrupted, bar:
            while learner.progress < 1 and not interrupted.is_set():
                row = self.round()
                bar.n = round(100 * learner.progress, 1)
                bar.set_postfix_str(
                    f"{learner.counts[learner.unit]:,} {learner.unit}, "
                    f"{row[f'{learner.unit}_per_second']:,.0f}/s; {self._strength}"
                )
                if self._save_is_due():
                    self.save()
            self.save()
        return learner.progress >= 1

    def round(self) -> dict[str, Any]:
        """Train one round; return its metrics."""
        learner, start = self.learner, time.monotonic()
        before = learner.counts[learner.unit]
        try:
            metrics = learner.round()
        except (ArithmeticError, RuntimeError, ValueError):
            self._check_finite(learner.weights(), learner.rounds + 1)  # the reason, if they are not
            raise
        self._check_finite(learner.weights(), learner.rounds + 1)
        learner.rounds += 1
        begun = learner.seconds
        learner.seconds = round(begun + time.monotonic() - start, 3)
        if self._evaluation_is_due() or self._save_is_due():
            learner.settle()
            learner.seconds = round(begun + time.monotonic() - start, 3)
        seconds = max(learner.seconds - begun, 1e-3)
        row = {
            "round": learner.rounds,
            **learner.counts,
            "seconds": learner.seconds,
            **{f"seconds_{name}": round(x, 3) for name, x in learner.watch.take().items()},
            f"{learner.unit}_per_second": (learner.counts[learner.unit] - before) / seconds,
            **metrics,
        }
        if self._evaluation_is_due():
            row |= self._evaluate()
        self.notes.log(row)
        return row

    def _check_finite(self, arrays: Arrays, number: int) -> None:
        """Stop the run, with what it saved last, if some number is not finite."""
        for name, array in arrays.items():
            if np.asarray(array).dtype.kind == "f" and not np.isfinite(array).all():
                raise CheckpointError(
                    f"round {number}: {name} has numbers that are not finite; the run stops, and "
                    f"{self.folder} keeps what was saved before"
                )

    def _save_is_due(self) -> bool:
        return self.learner.seconds - self._saved_at > 60 * self.config.save_minutes

    def _evaluation_is_due(self) -> bool:
        if self.config.eval_rounds:
            return bool(self.learner.rounds % self.config.eval_rounds == 0)
        return self.learner.seconds - self._evaluated_at >= 60 * self.config.eval_minutes

    def _evaluate(self) -> dict[str, float]:
        """The metrics of a periodic evaluation, on the same deals each time."""
        row, words, config = {}, [], self.config
        learned = self.learner.agent()
        for opponent, agent in self._opponents.items():
            for options in config.games_played:
                players = options.num_players
                blocks = max(1, config.eval_games // players)
                seed = (config.evaluation_seed + 2**31) % 2**32  # other deals than the final ones
                result = measure(learned, agent, options, blocks, seed, luck=False)
                name, half = f"{opponent}_{players}p", (result.high - result.low) / 2
                row[f"wins_{name}"], row[f"wins_{name}_half_width"] = result.win_share, half
                row[f"margin_{name}"] = result.margin
                words.append(
                    f"wins {result.win_share:.0%} ± {half:.0%} against {opponent} ({players}p)"
                )
        self._strength, self._evaluated_at = ", ".join(words), self.learner.seconds
        return row

    def save(self) -> None:
        """Write the checkpoint and, last, the state that a run resumes from."""
        learner, arrays = self.learner, self.learner.arrays()
        self._check_finite(arrays, learner.rounds)
        self._saved_at = learner.seconds
        counts = {"rounds": learner.rounds, **learner.counts}
        training = {"algorithm": learner.algorithm, **counts, "seconds": round(learner.seconds, 1)}
        config = asdict(self.config)
        learner.save_checkpoint(self.folder, training | {"config": config})
        self.notes.sync()  # a resumed run reads its seconds there
        write_state(self.folder, arrays, config=config, counts=counts)

    def close(self) -> None:
        """Release the run folder."""
        self.notes.close()


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Let the first SIGINT or SIGTERM only set an event; the second ends the program."""
    asked, before = threading.Event(), dict[int, Any]()

    def ask(number: int, frame: FrameType | None) -> None:
        asked.set()
        print("\nstopping after this round; a second signal stops at once", file=sys.stderr)
        restore()

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    if threading.current_thread() is threading.main_thread():  # signals are handled only there
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, ask)
    try:
        yield asked
    finally:
        restore()


def resumed(kind: type[Learner], folder: Path, overrides: Sequence[str] = ()) -> Learner:
    """The learner whose state is in a folder; CheckpointError if it can't be resumed."""
    arrays, about = read_state(folder)
    # It loads no classes but those that the overrides name.
    config = from_dict(kind.config_type, overridden(about["config"], overrides))
    config = config.loading(strings_in(overridden({}, overrides)))
    counts = about["counts"]
    learner = kind(config)
    if counts.keys() != {"rounds", *learner.counts}:
        raise CheckpointError("another version of this program wrote the state")
    learner.rounds = counts.pop("rounds")
    learner.seconds = seconds_at(folder, learner.rounds)
    learner.counts = counts
    learner.restore(arrays)
    return learner


def final_evaluation(config: RunConfig, folder: Path) -> list[Result]:
    """Measure the checkpoint on deals that training has not seen; add the results to its manifest."""
    own = str(folder.resolve())
    agent, others = load_agent(own), [agent_named("against", n, config) for n in config.against]
    plan = Plan(
        specs=[own, *config.against],
        versions=versions_of([agent, *others]),
        options=config.games_played,
        blocks=config.deals,
        seed=config.evaluation_seed,
        against=tuple(other.name for other in others),
    )
    every = summarise(plan.names, list(play(plan, plan_chunks(plan)))).results
    results = [result for result in every if result.agent == agent.name]
    add_to_manifest(folder, results=[asdict(result) for result in results])
    return results


# --- The command line -------------------------------------------------------------------------


def main(
    kind: type[Learner], description: str | None, arguments: Sequence[str] | None = None
) -> int:
    """Run a trainer's command; return its exit status."""
    parser = parser_of(kind.command, description)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--config", help="a TOML file, such as those in configs/")
    which.add_argument("--resume", metavar="FOLDER", help="the run folder to resume")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="overrides",
        help="set a key of the configuration; deals=N makes the last evaluation shorter",
    )
    parser.add_argument("--out", metavar="FOLDER", help="the run folder; default: runs/NAME")
    parser.add_argument("--overwrite", action="store_true", help="replace a run that is there")
    options = parser.parse_args(arguments)

    @common.resumable("resume the last saved round with --resume and the run folder")
    def work() -> int:
        if options.resume:
            if options.out or options.overwrite:
                raise ConfigError(
                    "--resume continues in its own folder, expected no --out or --overwrite"
                )
            folder = as_path(options.resume)
            return train(resumed(kind, folder, options.overrides), folder)
        config = read(kind.config_type, options.config, options.overrides)
        folder = as_path(options.out or Path("runs") / config.name)
        require_room(folder, options.overwrite)
        learner = kind(config)
        learner.start()
        evaluation_opponents(config)
        clear(folder)  # once it is known that the new run can begin
        return train(learner, folder)

    return run_command(work)


def parser_of(command: str, description: str | None) -> argparse.ArgumentParser:
    """Return the parser of a command of this package; its help keeps the lines of the examples."""
    return argparse.ArgumentParser(
        prog=f"python -m training.{command}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def run_command(work: Callable[[], int]) -> int:
    """Run a command; return its exit status."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the processes that it starts share the cores

    def in_memory() -> int:
        try:
            return work()
        except (MemoryError, RuntimeError) as error:
            # What PyTorch says when an allocation fails, on the processor and on CUDA.
            if isinstance(error, RuntimeError) and not re.search(
                "not enough memory|can't allocate memory|out of memory", str(error)
            ):
                raise
            raise ValueError("there is not enough memory for this configuration") from None

    return common.run_command(in_memory)


def train(learner: Learner, folder: Path) -> int:
    """Train and measure the result, with messages; return the exit status."""
    with closing(learner):
        finished = Loop(learner, folder).run()
    if not finished:
        command = f"python -m training.{learner.command} --resume {folder}"
        print(f"interrupted; resume with: {command}", file=sys.stderr)
        return 130
    made = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in learner.counts.items())
    print(f"trained {made} in {learner.seconds:.0f} s")
    results = final_evaluation(learner.config, folder)
    config = learner.config
    bars = {agent_named("bars", name, config).name: bar for name, bar in config.bars.items()}
    missed = print_results(results, bars)
    for result in results[:1]:
        seats = ",".join([str(folder)] * result.players)
        print(
            f"checkpoint: {folder}; next:\n"
            f"  watch it            cacao record --players {result.players} --agents {seats} "
            "--out game.json && cacao view game.json\n"
            f"  play against it     cacao view --agent {folder}\n"
            f"  measure it longer   cacao evaluate {folder} {result.opponent} --deals 2000"
        )
    return 1 if missed else 0
