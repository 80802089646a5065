"""Learn by self-play what positions after a turn are worth, and play by that.

    python -m training.train_afterstate --config configs/quickstart.toml

Rounds: compiled threads play games (first greedy's, with noise, then the network's own) while the
network is fitted to the games of the rounds before.  The run folder (``runs/NAME``) has the resolved
configuration, metrics, the checkpoint, and the state from which ``--resume`` continues exactly.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cacao_env.agents.checkpoint import CheckpointError, find
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.agents.value.checkpoint import read_value, save_value
from cacao_env.agents.value.net import from_params, param_shapes
from cacao_env.agents.value.ordering import ORDERING_SHAPE

from . import loop
from .config import ConfigError
from .state import Arrays, check_arrays, check_shapes, named, part
from .values.config import AfterstateConfig
from .values.games import Behaviour, Samples
from .values.learning import Fitter
from .values.players import Players, opponent_named, split_games, warm_up
from .values.samples import sound_samples

_NETS = ("net", "mean", "acting")  # in a state: trained, their running mean, what plays next


class AfterstateLearner(loop.Learner):
    """Plays the games of the next round while it learns from those of the rounds before."""

    config: AfterstateConfig
    command = "train_afterstate"
    config_type = AfterstateConfig
    algorithm = "afterstate values by self-play"
    unit = "games"

    def __init__(self, config: AfterstateConfig) -> None:
        super().__init__(config)
        torch.set_num_threads(1)
        self.counts = {"games": 0, "samples": 0, "gradient_steps": 0}
        self._opponent = opponent_named("opponent", config.opponent, config)
        size = {"sums": config.sums, "maxima": config.maxima, "units": config.units}
        self.fitter = Fitter(size, config.seed, config.average)
        self.acting = self.fitter.mean.params()  # the weights that play the next round
        self.ordering: Arrays = {}  # the move ordering of the network that the run started from
        self.replay: deque[Samples] = deque(maxlen=config.replay)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        self.players = Players(config.threads or cores or 1)
        self._games: list[Future[Samples]] | None = None  # of the next round
        warm_up()  # before the clock runs

    def start(self) -> None:
        """Copy the weights of the checkpoint that ``start`` names."""
        if not self.config.start:
            return
        try:
            folder = find(self.config.start)
            if folder is None:
                raise CheckpointError("there is no such checkpoint")
            params, layout, _ = read_value(folder)
            if "ordering" in params:
                self.ordering = {"ordering": params.pop("ordering")}
            self.fitter.start_from(params, layout)
        except ValueError as error:
            raise ConfigError(f"start is {self.config.start!r}: {error}") from None
        self.acting = self.fitter.mean.params()

    # --- Rounds ------------------------------------------------------------------------------

    def fraction_done(self) -> float:
        """By rounds."""
        return self.rounds / self.config.rounds

    def round(self) -> dict[str, Any]:
        """Collect the games of this round, start those of the next, learn."""
        config, number = self.config, self.rounds
        by_greedy = number < config.greedy_rounds
        games = self._games or self._play(number)
        with self.watch("waiting"):  # threads play while the network learns
            samples = self.players.collect(games)
        if number == config.greedy_rounds:
            self.replay.clear()  # greedy's games have done their work
        self.replay.append(samples)
        rate = self.scheduled("learning_rate")
        self.acting = self.fitter.mean.params()
        self._games = self._play(number + 1)
        new, passes = len(samples.stage), 1.0 if by_greedy else config.passes
        steps = max(1, int(passes * new / config.batch))
        with self.watch("learning"):
            losses = self.fitter.fit(
                list(self.replay), steps, config.batch, rate, [config.seed, number]
            )
        self.counts["games"] += config.greedy_games if by_greedy else config.games
        self.counts["samples"] += new
        self.counts["gradient_steps"] = self.fitter.steps
        return {
            "played_by": "greedy" if by_greedy else "network",
            "loss_win_shares": float(losses[0]),
            "loss_points": float(losses[1]),
            "learning_rate": rate,
        }

    def _play(self, number: int) -> list[Future[Samples]]:
        """Start the games of a round."""
        config = self.config
        count = config.greedy_games if number < config.greedy_rounds else config.games
        chunks = split_games(count, config.players, config.volcanoes, [config.seed, number])
        net = from_params(self.acting | self.ordering)
        return self.players.begin(chunks, net, self.behaviour(number), self._opponent.net)

    def behaviour(self, number: int) -> Behaviour:
        """How the games of a round are played."""
        c, done = self.config, max(self.progress, number / self.config.rounds)
        if number < c.greedy_rounds:
            return Behaviour(
                greedy=1.0,
                greedy_noise=c.greedy_noise,
                random=c.greedy_random,
                kept=c.greedy_kept,
                others=c.others / 3,
            )
        return Behaviour(
            noise=c.noise + (c.final_noise - c.noise) * min(1.0, done),
            random=0.0 if done >= c.settled_from else c.random,
            top=c.settled_top if done >= c.settled_from else c.top,
            td_lambda=c.td_lambda,
            others=c.others,
            search_fraction=c.search_fraction if done >= c.search_from else 0.0,
            search_sims=c.search_sims,
            opponent=self._opponent.kind,
            opponent_fraction=c.opponent_fraction,
            opponent_sims=self._opponent.sims,
        )

    def agent(self) -> ValueAgent:
        """The running mean of the weights, with as many placements evaluated as in its games."""
        net = from_params(self.fitter.mean.params() | self.ordering)
        return ValueAgent(net, self.name, {"rules": self._rules()}, self.config.top)

    # --- Files -------------------------------------------------------------------------------

    def save_checkpoint(self, folder: Path, training: dict[str, Any]) -> None:
        """Write the running mean of the weights."""
        params = self.fitter.mean.params() | self.ordering
        save_value(folder, self.config.name, params, self._rules(), training=training)

    def _rules(self) -> dict[str, Any]:
        config = self.config
        return {"players": sorted(map(int, config.players)), "volcanoes": config.volcanoes > 0}

    def weights(self) -> Arrays:
        """Of the network, and the running mean of them."""
        return named("net", self.fitter.net.params()) | named("mean", self.fitter.mean.params())

    @classmethod
    def check(cls, config: AfterstateConfig, arrays: Arrays) -> None:
        """Raise CheckpointError unless a state has networks of the configuration's size."""
        shapes = param_shapes(config.sums, config.maxima, config.units)
        check_shapes(arrays, {f"{of}.{n}": x for of in _NETS for n, x in shapes.items()})

    def arrays(self) -> Arrays:
        """Networks, optimizer, the weights that play the next round, and the replay."""
        arrays = self.fitter.arrays() | named("acting", self.acting) | self.ordering
        for number, samples in enumerate(self.replay):
            arrays |= named(f"replay.{number:03}", samples._asdict())
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Resume from ``arrays``; CheckpointError if they do not fit."""
        check_arrays(arrays, named("acting", self.acting))
        self.fitter.restore(arrays, self.counts["gradient_steps"])
        self.acting = part("acting", arrays)
        if "ordering" in arrays:
            check_arrays(arrays, {"ordering": np.zeros(ORDERING_SHAPE, np.float32)})
            self.ordering = {"ordering": arrays["ordering"]}
        while samples := part(f"replay.{len(self.replay):03}", arrays):
            self.replay.append(sound_samples(samples))

    def close(self) -> None:
        """Stop the threads."""
        self.players.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return loop.main(AfterstateLearner, __doc__, arguments)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
