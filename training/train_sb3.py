"""Train one seat with MaskablePPO against opponents inside the environment, and measure the result.

    python -m training.train_sb3 --config configs/maskable_ppo.toml

Writes a run folder (``runs/NAME``): the resolved configuration, metrics as JSON lines, and the
checkpoint with its manifest and evaluation.
"""

from __future__ import annotations

import argparse
import json
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
from tqdm import tqdm

from cacao_env.versus import VersusGames

from .agents import load_agent
from .checkpoint import CheckpointError, add_to_manifest
from .config import ConfigError, read
from .evaluate import measure, print_results
from .measure.summary import Result
from .ppo.agent import BoardAgent
from .ppo.checkpoint import load, save
from .ppo.config import Sb3Config
from .ppo.network import CellPolicy
from .ppo.vec_env import CacaoVecEnv

SAVE_SECONDS = 60.0


class Watch(BaseCallback):
    """Progress bar, metrics, checkpoints on the way, and the limit on time."""

    def __init__(self, config: Sb3Config, folder: Path) -> None:
        super().__init__()
        self._config, self._folder = config, folder
        self._margins: deque[float] = deque(maxlen=500)
        self._wins: deque[float] = deque(maxlen=500)
        self.games = 0

    def _on_training_start(self) -> None:
        self.begin = self._saved = time.monotonic()
        self._bar = tqdm(total=self._config.steps, unit="step", desc=self._config.name)
        self._metrics = (self._folder / "metrics.jsonl").open("w", encoding="utf-8")

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "final_scores" in info:
                own, other = info["final_scores"]
                self._margins.append(own - other)
                self._wins.append(1.0 if own > other else 0.5 if own == other else 0.0)
                self.games += 1
        self._bar.update(self.training_env.num_envs)
        return self.seconds < self._config.minutes * 60

    def _on_rollout_end(self) -> None:
        if not self._wins:
            return
        wins, margin = float(np.mean(self._wins)), float(np.mean(self._margins))
        self._bar.set_postfix_str(f"wins {wins:.0%}, margin {margin:+.1f} (last {len(self._wins)})")
        row = {
            "steps": self.num_timesteps,
            "seconds": round(self.seconds, 1),
            "games": self.games,
            "wins": wins,
            "margin": margin,
        }
        for name, value in self.logger.name_to_value.items():
            if name.startswith("train/"):
                row[name.removeprefix("train/")] = float(value)
        print(json.dumps(row), file=self._metrics, flush=True)
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def _on_training_end(self) -> None:
        self.save()
        self._bar.close()
        self._metrics.close()

    @property
    def seconds(self) -> float:
        """Time since training began."""
        return time.monotonic() - self.begin

    def save(self) -> None:
        """Write the checkpoint as the network stands."""
        config = self._config
        rules = {
            "num_players": config.num_players,
            "table_size": config.table_size,
            "volcanoes": config.volcanoes,
            "width": config.width,
        }
        trained = {
            "algorithm": "MaskablePPO",
            "steps": self.num_timesteps,
            "games": self.games,
            "seconds": round(self.seconds, 1),
            "config": config.as_dict(),
        }
        policy: CellPolicy = self.model.policy
        save(self._folder, config.name, policy.net, rules, training=trained)
        self._saved = time.monotonic()


def make_games(config: Sb3Config) -> VersusGames:
    """The games that a configuration asks for: bots in the other seats."""
    return VersusGames(
        config.games,
        config.opponents,
        config.num_players,
        config.volcanoes,
        table_size=config.table_size,
        reward=config.reward,  # type: ignore[arg-type]
        seed=config.seed,
    )


def make_model(config: Sb3Config, games: Any = None) -> MaskablePPO:
    """The learner and its games: those of the configuration if none are given."""
    first, last = config.learning_rate, config.final_learning_rate
    return MaskablePPO(
        CellPolicy,
        CacaoVecEnv(games or make_games(config)),
        learning_rate=lambda left: last + (first - last) * left,
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


def train(config: Sb3Config, folder: Path, games: Any = None) -> Watch:
    """Run the training, in other games than the configuration's if some are given.

    The checkpoint lies in ``folder`` afterwards, and now and then before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config.as_dict(), indent=2) + "\n")
    torch.set_num_threads(config.threads)
    # sb3-contrib checks every distribution's arguments otherwise, at a cost, for nothing here.
    torch.distributions.Distribution.set_default_validate_args(False)
    watch = Watch(config, folder)
    make_model(config, games).learn(config.steps, callback=watch)
    return watch


def evaluate(config: Sb3Config, folder: Path) -> list[Result]:
    """Measure the checkpoint in ``folder`` on deals that training has not seen."""
    agent = BoardAgent(load(folder))
    results = [
        measure(
            agent,
            load_agent(name),
            config.num_players,
            config.volcanoes,
            config.blocks,
            config.evaluation_seed,
        )
        for name in config.against
    ]
    add_to_manifest(folder, results=[result.as_dict() for result in results])
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.train_sb3", description=__doc__)
    parser.add_argument(
        "--config", required=True, help="a TOML file, e.g. configs/maskable_ppo.toml"
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides")
    parser.add_argument("--out", default=None, help="the run folder; runs/NAME if not given")
    options = parser.parse_args(arguments)
    try:
        config = read(Sb3Config, options.config, options.overrides)
        folder = Path(options.out or Path("runs") / config.name)
        watch = train(config, folder)
        print(
            f"trained {watch.num_timesteps:,} decisions in {watch.games:,} games and "
            f"{watch.seconds:.0f} s ({watch.num_timesteps / watch.seconds:,.0f} decisions/s); "
            f"checkpoint: {folder}"
        )
        missed = print_results(evaluate(config, folder), config.bars)
    except (ConfigError, CheckpointError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the last checkpoint, if any, is in the run folder", file=sys.stderr)
        return 130
    return 1 if missed else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
