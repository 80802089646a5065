"""How fast each trainer generates decisions and learns from them, and where its time goes.

    python -m training.speed
    python -m training.speed --seconds 60 --json speed.json

The trainers run with their default configurations, one after the other on one core.  MaskablePPO also
runs on an environment that does nothing (same spaces, recorded observations and masks), which shows
what the game itself costs, and with sb3-contrib's own masked distribution in place of this project's.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from tqdm import tqdm

from cacao_env.envs.vector import VectorGames, playouts
from cacao_env.provenance import git_commit, machine, versions

from .afterstate.config import AfterstateConfig
from .config import from_dict
from .loop import Learner, Loop
from .ppo.board import BoardLearner
from .ppo.config import PpoConfig, Sb3Config
from .run_folder import read_metrics
from .sb3.policy import CellPolicy
from .train_afterstate import AfterstateLearner
from .train_ppo import PpoLearner
from .train_sb3 import Sb3Learner, make_games

LEAST_ROUNDS = 4  # one of greedy's games, one to warm up, two to measure
GAMES = 20  # whose decisions are counted


@dataclass(frozen=True)
class Row:
    """Of one trainer: decisions per second, generated and learned from, and fractions of its time."""

    name: str
    generated: float
    learned: float
    environment: float
    net: float
    learner: float


class Nothing:
    """Games in which nothing happens: recorded observations and masks, again and again.

    Only one thread may use it at a time.
    """

    def __init__(self, config: Sb3Config, rounds: int = 32) -> None:
        games, rng = make_games(config), np.random.default_rng(0)
        self.num_games, self._length, self._at = games.num_games, 25, 0
        self.options = games.options
        self.candidates = games.candidates
        kept = []
        for _ in range(rounds):
            kept.append((games.observations.copy(), games.action_masks.copy()))
            games.step((games.action_masks * rng.random(games.action_masks.shape)).argmax(1))
        self._kept = kept
        self.observations, self.action_masks = kept[0][0].copy(), kept[0][1].copy()
        self.final_observations = self.observations
        self.rewards = np.zeros(self.num_games, np.float32)
        self.dones = np.zeros(self.num_games, np.bool_)
        self.final_scores = np.zeros((self.num_games, 2), np.int64)
        self.final_win_shares = np.zeros(self.num_games)

    def reset(self, seed: int | None = None) -> None:
        """There is nothing to deal."""

    def arrays(self) -> dict[str, Any]:
        """ValueError: a run with these games is not resumed."""
        raise ValueError("there is nothing to save")

    def step(self, chosen: Any) -> None:
        """Show the next recorded observations and masks; each game ends after 25 steps."""
        self._at += 1
        self.observations[:], self.action_masks[:] = self._kept[self._at % len(self._kept)]
        self.dones[:] = (np.arange(self.num_games) + self._at) % self._length == 0


class StockPolicy(CellPolicy):
    """The same network with sb3-contrib's own distribution."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_dist = MaskableCategoricalDistribution(int(self.action_space.n))


def stock(config: Sb3Config) -> Sb3Learner:
    """The usual learner with sb3-contrib's distribution, its arguments checked as by default."""
    learner = Sb3Learner(config, policy=StockPolicy)
    torch.distributions.Distribution.set_default_validate_args(True)
    return learner


def rows_of(learner: Learner) -> list[dict[str, Any]]:
    """The metrics of a run; on a busy machine it takes longer, until there are a few rounds."""
    with closing(learner):
        while True:
            with tempfile.TemporaryDirectory() as folder:
                Loop(learner, Path(folder)).run()
                rows = read_metrics(Path(folder))
            if len(rows) >= LEAST_ROUNDS:
                return rows
            learner.config = replace(learner.config, minutes=2 * learner.config.minutes)


def of_board(name: str, learner: BoardLearner) -> Row:
    """A trainer of the board network; it learns from each decision ``epochs`` times."""
    return fractions(name, rows_of(learner), learner.config.epochs)


def of_values(config: AfterstateConfig) -> Row:
    """Afterstate learning: games and learning at the same time, in two threads of one core."""
    name = "afterstate values"
    rows = [r for r in rows_of(AfterstateLearner(config)) if r["played_by"] == "network"]
    seconds = _growth(name, rows, "seconds")
    games, steps = _growth(name, rows, "games"), _growth(name, rows, "gradient_steps")
    decisions, moves = plain_games()
    # Learning's clock also runs while the other thread has the core: its part is an upper bound.
    environment = games * moves / seconds
    learner = min(sum(row["seconds_learning"] for row in rows[1:]) / seconds, 1 - environment)
    return Row(
        name,
        games * decisions / seconds,
        steps * config.batch / seconds,
        environment,
        1 - environment - learner,
        learner,
    )


def plain_games(count: int = 2000) -> tuple[float, float]:
    """(decisions, seconds) of a random 2-player game: the cost of the rules alone."""
    games = VectorGames(1, seed=0)
    decisions = 0
    for _ in range(GAMES):
        while True:
            games.step(games.sample(), look=False)
            decisions += 1
            if games.terminations[0]:
                break
    playouts(games.states, games.rngs, 1)
    begin = time.perf_counter()
    playouts(games.states, games.rngs, count)
    return decisions / GAMES, (time.perf_counter() - begin) / count


def _growth(name: str, rows: Sequence[dict[str, Any]], key: str) -> float:
    """How much a total has grown since the first round, in which things warm up."""
    if len(rows) < 2:
        raise ValueError(f"{name}: fewer than two rounds in that time; give more --seconds")
    return float(rows[-1][key] - rows[0][key])


def fractions(name: str, rows: list[dict[str, Any]], epochs: int) -> Row:
    """A row from a run's metrics, without the first round."""
    seconds, decisions = _growth(name, rows, "seconds"), _growth(name, rows, "decisions")
    environment, network, learning = (
        sum(row[f"seconds_{part}"] for row in rows[1:]) / seconds
        for part in ("environment", "network", "learning")
    )
    return Row(
        name, decisions / seconds, epochs * decisions / seconds, environment, network, learning
    )


def measure(seconds: float) -> list[Row]:
    """Run each trainer for so many seconds and return the rows."""
    minutes = seconds / 60
    quiet = {"minutes": minutes, "eval_opponents": [], "save_minutes": 1e9}
    sb3 = from_dict(Sb3Config, {"name": "MaskablePPO", **quiet})
    ppo = from_dict(PpoConfig, {"name": "PPO", "device": "cpu", "games": 64, **quiet})
    values = from_dict(
        AfterstateConfig,
        {"name": "values", "threads": 1, "greedy_rounds": 1, "games": 100, "greedy_games": 300}
        | quiet,
    )
    works = [
        lambda: of_values(values),
        lambda: of_board("self-play PPO", PpoLearner(ppo)),
        lambda: of_board("MaskablePPO", Sb3Learner(sb3)),
        lambda: of_board(
            "MaskablePPO, environment that does nothing", Sb3Learner(sb3, Nothing(sb3))
        ),
        lambda: of_board("MaskablePPO, sb3-contrib's distribution", stock(sb3)),
    ]
    return [work() for work in tqdm(works, unit="trainer", disable=None)]


def show(rows: Sequence[Row]) -> str:
    """The rows as a table in Markdown, and the comparisons."""
    lines = [
        "| trainer | decisions/s generated | learned from/s | environment | net | learner |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for r in rows:
        lines.append(
            f"| {r.name} | {r.generated:,.0f} | {r.learned:,.0f} | {r.environment:.1%} | "
            f"{r.net:.0%} | {r.learner:.0%} |"
        )
    plain, nothing, stock = rows[-3:]
    return "\n".join(
        [
            *lines,
            "",
            f"MaskablePPO makes {plain.generated / nothing.generated:.2f} of the decisions/s that it "
            "makes in an environment that does nothing,",
            f"and {plain.generated / stock.generated:.2f} times those that it makes with sb3-contrib's "
            "distribution on the same network.",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.speed", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="that each trainer runs")
    parser.add_argument("--json", metavar="FILE", help="write the figures there as well")
    options = parser.parse_args(arguments)
    if not options.seconds > 0:
        print(f"--seconds is {options.seconds}, expected more than 0", file=sys.stderr)
        return 1
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    try:
        rows = measure(options.seconds)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(show(rows))
    if options.json:
        found: dict[str, Any] = {"rows": [asdict(row) for row in rows], "versions": versions()}
        found |= {"git_commit": git_commit(), "machine": machine()}
        Path(options.json).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
