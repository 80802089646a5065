"""How fast each trainer generates decisions and learns from them, and where its time goes.

    python -m training.speed
    python -m training.speed --seconds 60 --json speed.json

The trainers run with their settings' defaults, one after the other on one core.  MaskablePPO also runs
on an environment that does nothing (same spaces, kept observations and masks), which shows what the
game itself costs, and with sb3-contrib's own masked distribution in place of this project's.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
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
from .ppo.config import PpoConfig, Sb3Config
from .ppo.processes import Group
from .run_folder import read_metrics
from .sb3.policy import CellPolicy
from .train_afterstate import Run as AfterstateRun
from .train_afterstate import Trainer
from .train_ppo import Run as PpoRun
from .train_sb3 import Run as Sb3Run
from .train_sb3 import make_games, prepare

GAMES = 20  # whose decisions are counted


@dataclass(frozen=True)
class Row:
    """Of one trainer: decisions a second, generated and learnt from, and shares of its time."""

    name: str
    generated: float
    learnt: float
    environment: float
    net: float
    learner: float


class Nothing:
    """Games in which nothing happens: kept observations and masks come round and round."""

    def __init__(self, config: Sb3Config, rounds: int = 32) -> None:
        games, rng = make_games(config), np.random.default_rng(0)
        self.num_games, self._length, self._at = games.num_games, 25, 0
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

    def reset(self, seed: int | None = None) -> None:
        """There is nothing to deal."""

    def step(self, chosen: Any) -> None:
        """The next kept observations and masks; a game in 25 steps ends."""
        self._at += 1
        self.observations[:], self.action_masks[:] = self._kept[self._at % len(self._kept)]
        self.dones[:] = (np.arange(self.num_games) + self._at) % self._length == 0


class StockPolicy(CellPolicy):
    """The same network with sb3-contrib's own distribution."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_dist = MaskableCategoricalDistribution(int(self.action_space.n))


def of_sb3(name: str, config: Sb3Config, games: Any = None, stock: bool = False) -> Row:
    """MaskablePPO, on the game or another environment."""
    prepare(config.threads)
    with tempfile.TemporaryDirectory() as folder:
        run = Sb3Run(config, Path(folder), games, StockPolicy if stock else CellPolicy)
        if stock:
            torch.distributions.Distribution.set_default_validate_args(True)
        run.train()
        rows = read_metrics(Path(folder))
    return _shares(name, rows, "decisions", "seconds_playing")


def of_ppo(config: PpoConfig) -> Row:
    """Self-play PPO."""
    torch.set_num_threads(config.threads)
    with tempfile.TemporaryDirectory() as folder:
        PpoRun(config, Path(folder), Group()).train()
        rows = read_metrics(Path(folder))
    for row in rows:
        row["seconds_playing"] = row["seconds_net"] + row["seconds_environment"]
    return _shares("self-play PPO", rows, "decisions", "seconds_playing")


def of_values(config: AfterstateConfig) -> Row:
    """Afterstate learning: games and learning at the same time, in two threads of one core."""
    with tempfile.TemporaryDirectory() as folder:
        Trainer(AfterstateRun(config), Path(folder)).train()
        rows = [row for row in read_metrics(Path(folder)) if row["by"] == "network"]
    _check_rounds("afterstate values", rows)
    seconds = rows[-1]["seconds"] - rows[0]["seconds"]
    games = rows[-1]["games"] - rows[0]["games"]
    learnt = sum(row["seconds_learning"] * row["per_second_learnt"] for row in rows[1:])
    learning = sum(row["seconds_learning"] for row in rows[1:])
    decisions, moves = plain_games()
    # Learning's clock runs on while the other thread has the core, so its share is an upper bound.
    environment = games * moves / seconds
    learner = min(learning / seconds, 1 - environment)
    return Row(
        "afterstate values",
        games * decisions / seconds,
        learnt / seconds,
        environment,
        1 - environment - learner,
        learner,
    )


def plain_games(count: int = 2000) -> tuple[float, float]:
    """(decisions, seconds) of a 2-player game at random: what the rules alone cost."""
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


def _check_rounds(name: str, rows: Sequence[Any]) -> None:
    if len(rows) < 2:
        raise ValueError(f"{name}: fewer than two rounds in that time; give more --seconds")


def _shares(name: str, rows: list[dict[str, Any]], decisions: str, playing: str) -> Row:
    """A row from a run's metrics; the first round, in which things warm up, is left out."""
    _check_rounds(name, rows)
    first, last = rows[0], rows[-1]
    seconds = last["seconds"] - first["seconds"]
    made = last[decisions] - first[decisions]

    def total(key: str) -> float:
        return float(sum(row[key] for row in rows[1:]))

    learning, environment = total("seconds_learning"), total("seconds_environment")
    learnt = sum(row["seconds_learning"] * row["per_second_learnt"] for row in rows[1:])
    net = total(playing) - environment
    return Row(
        name,
        made / seconds,
        learnt / seconds,
        environment / seconds,
        net / seconds,
        learning / seconds,
    )


def measure(seconds: float) -> list[Row]:
    """All rows, each from a run of so many seconds."""
    minutes = seconds / 60
    quiet = {"minutes": minutes, "watch_minutes": 1e9, "save_minutes": 1e9, "blocks": 1}
    sb3 = from_dict(Sb3Config, {"name": "MaskablePPO", **quiet})
    ppo = from_dict(PpoConfig, {"name": "PPO", "device": "cpu", "games": 64, **quiet})
    values = from_dict(
        AfterstateConfig,
        {"name": "values", "minutes": minutes, "threads": 1, "greedy_rounds": 1, "games": 100}
        | {"greedy_games": 300, "watch_rounds": 1_000_000, "save_minutes": 1e9},
    )
    works = [
        lambda: of_values(values),
        lambda: of_ppo(ppo),
        lambda: of_sb3("MaskablePPO", sb3),
        lambda: of_sb3("MaskablePPO, environment that does nothing", sb3, Nothing(sb3)),
        lambda: of_sb3("MaskablePPO, sb3-contrib's distribution", sb3, stock=True),
    ]
    return [work() for work in tqdm(works, unit="trainer", disable=None)]


def show(rows: Sequence[Row]) -> str:
    """The rows as a table in Markdown, and what the comparisons say."""
    lines = [
        "| trainer | decisions/s generated | learnt from/s | environment | net | learner |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for r in rows:
        lines.append(
            f"| {r.name} | {r.generated:,.0f} | {r.learnt:,.0f} | {r.environment:.1%} | "
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
    """The command; returns its exit status."""
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
