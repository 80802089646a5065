"""Learn by self-play what positions after a turn are worth, and play by that.

    python -m training.train_afterstate --config configs/quickstart.toml

Rounds: compiled threads play games (first greedy's, with noise, then the network's own) while the
network is fitted to the games of the rounds before.  The run folder (``runs/NAME``) has the resolved
configuration, metrics, the checkpoint, and the state from which ``--resume`` continues exactly.
"""

from __future__ import annotations

import sys
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cacao_env.agents.value.agent import ValueAgent
from cacao_env.agents.value.checkpoint import read_value, save_value
from cacao_env.agents.value.net import from_params
from cacao_env.agents.value.ordering import ORDERING_SHAPE
from cacao_env.data.folder import GameFolder, key_of
from cacao_env.data.storage import arrow
from cacao_env.engine.options import PLAYERS, Options
from cacao_env.evaluation.make import card
from cacao_env.evaluation.workers import cores
from cacao_env.files import write_whole

from . import loop
from .config import (
    MOST_WIDTH,
    ConfigError,
    RunConfig,
    at_least,
    check_weights,
    fraction,
    positive,
    run_name,
    thread_count,
)
from .run_folder import GAMES
from .state import Arrays, check_arrays, named, part
from .values.games import Behaviour, Played, Samples, new_samples
from .values.learning import Fitter
from .values.players import games_of_each_kind, join, play, rows_of, split_games


@dataclass(frozen=True)
class AfterstateConfig(RunConfig):
    """The defaults are a short run with 2 players."""

    name: str = run_name("afterstate")
    # The games: weights of each number of players, fraction of games with volcanoes.
    players: dict[str, float] = field(default_factory=lambda: {"2": 1.0})
    volcanoes: float = fraction(0.0)
    # The run: rounds of self-play and learning, until the first limit.
    rounds: int = positive(1_000_000)
    minutes: float = positive(5.0)
    threads: int = thread_count(0, 0)  # compiled loops that play; 0: one for each core
    # First it learns how greedy's games end ...
    greedy_rounds: int = at_least(0, 6)
    greedy_games: int = positive(10_000)  # a round
    greedy_noise: float = at_least(0, 0.7)  # gold, of Gumbel noise on greedy's values
    greedy_random: float = fraction(0.06)  # random moves
    greedy_kept: float = fraction(0.3)  # positions that become samples
    # ... then how its own games end.
    games: int = positive(800)  # a round
    noise: float = at_least(0, 0.04)  # utility, of Gumbel noise; changes linearly to ...
    final_noise: float = at_least(0, 0.01)
    random: float = fraction(0.02)
    top: int = at_least(0, 12)  # placements that the network evaluates, the first in move ordering
    # From a point of the run on it learns from games as it plays them: without random moves, and with
    # more placements evaluated.
    settled_from: float = fraction(0.67)  # of the run
    settled_top: int = at_least(0, 48)
    td_lambda: float = fraction(0.85)  # a turn
    others: float = fraction(0.3)  # positions kept from the view of seats that did not move last
    # Learning.
    replay: int = positive(6)  # the last rounds, whose samples it learns from
    passes: float = positive(2.0)  # over as many samples as a round brings
    batch: int = positive(512)
    learning_rate: float = positive(3e-3, 1)
    final_learning_rate: float = positive(1e-4, 1)
    average: float = fraction(0.01)  # weight of the new weights in the running mean that plays
    sums: int = positive(64, MOST_WIDTH)
    maxima: int = at_least(0, 16, MOST_WIDTH)
    units: int = positive(64, MOST_WIDTH)
    keep_games: bool = False  # as a data set, RUN/games; of one kind
    against: list[str] = field(default_factory=lambda: ["greedy"])

    def __post_init__(self) -> None:
        super().__post_init__()
        counts = list(map(str, PLAYERS))
        if set(self.players) - set(counts):
            known = ", ".join(counts)
            raise ConfigError(f"players is {self.players!r}, expected weights of {known}")
        check_weights("players", self.players)
        if self.greedy_rounds and not self.greedy_kept and not self.others:
            raise ConfigError("greedy_kept and others are 0: no position of greedy's games is kept")
        for key in ("games", "greedy_games"):
            count = getattr(self, key)
            if not any(games_of_each_kind(count, self.players, self.volcanoes).values()):
                raise ConfigError(
                    f"{key} is {count!r}, too few for the kinds of games that players and "
                    "volcanoes name"
                )
        if self.keep_games and len(self.kinds) > 1:
            raise ConfigError("keep_games is true: the games must all have the same options")

    @property
    def kinds(self) -> list[Options]:
        """The kinds of games that are played."""
        kinds = games_of_each_kind(10_000, self.players, self.volcanoes)
        return [Options(*kind) for kind, games in kinds.items() if games]

    @property
    def games_played(self) -> list[Options]:
        """The agent is measured with every number of players, with volcanoes if all games have them."""
        counts = sorted({options.num_players for options in self.kinds})
        return [Options(players, self.volcanoes == 1) for players in counts]


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
        size = {"sums": config.sums, "maxima": config.maxima, "units": config.units}
        if config.keep_games:
            arrow()  # before the run, not at its first save
        self.fitter = Fitter(size, config.seed, config.average)
        self.acting = self.fitter.mean.params()  # the weights that play the next round
        self.ordering: Arrays = {}  # the move ordering of the network that the run started from
        self.replay: deque[Samples] = deque(maxlen=config.replay)
        self.threads = ThreadPoolExecutor(config.threads or cores())
        self._games: list[Future[tuple[Samples, Played]]] | None = None  # of the next round
        self._kept: list[tuple[int, Played]] = []  # with their rounds, since the last save
        self._folder: GameFolder | None = None  # of the games that are kept

    def start_from(self, folder: Path) -> None:
        """Copy the weights of a network of the same size."""
        params, _ = read_value(folder)
        if "ordering" in params:
            self.ordering = {"ordering": params.pop("ordering")}
        self.fitter.start_from(params)
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
            parts, played = zip(*(one.result() for one in games))
        samples = join(parts)
        if not len(samples.stage):
            raise ConfigError(
                "no position of a round was kept, expected greedy_kept or others larger"
            )
        if config.keep_games:
            self._kept += [(number, one) for one in played]
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
        self.counts["games"] += sum(len(one.seeds) for one in played)
        self.counts["samples"] += new
        self.counts["gradient_steps"] = self.fitter.steps
        return {
            "played_by": "greedy" if by_greedy else "network",
            "loss_win_shares": float(losses[0]),
            "loss_points": float(losses[1]),
            "learning_rate": rate,
        }

    def _play(self, number: int) -> list[Future[tuple[Samples, Played]]]:
        """Start the games of a round."""
        config = self.config
        count = config.greedy_games if number < config.greedy_rounds else config.games
        chunks = split_games(count, config.players, config.volcanoes, [config.seed, number])
        net = from_params(self.acting | self.ordering)
        how = self.behaviour(number)
        return [self.threads.submit(play, chunk, net, how) for chunk in chunks]

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
        )

    def agent(self) -> ValueAgent:
        """The running mean of the weights, with ``top`` placements evaluated all through a run."""
        net = from_params(self.fitter.mean.params() | self.ordering)
        return ValueAgent(net, self.name, {"rules": self._rules()}, self.config.top)

    # --- Files -------------------------------------------------------------------------------

    def save_checkpoint(self, folder: Path, training: dict[str, Any]) -> None:
        """Write the running mean of the weights, and the games since the last save if they are kept."""
        params = self.fitter.mean.params() | self.ordering
        save_value(folder, self.config.name, params, self._rules(), training=training)
        if self._kept:
            self._add_games(folder / GAMES)

    def _add_games(self, folder: Path) -> None:
        """Add the games that are kept to the run's folder of games, and close a file of them.

        A resumed run plays the rounds after its last save again: their games may be there.
        """
        name, [options] = self.config.name, self.config.kinds
        if self._folder is None:
            settings = {"agents": {name: "by round"}, "options": [options.as_dict()]}
            self._folder = GameFolder(folder, settings, {"name": f"{name}, its games"})
        rows = [row for number, one in self._kept for row in rows_of(name, options, number, one)]
        self._folder.add([row for row in rows if key_of(row) not in self._folder.keys])
        self._folder.finish()
        write_whole(folder / "README.md", card(self._folder.manifest))
        self._kept = []

    def _rules(self) -> dict[str, Any]:
        config = self.config
        players = [options.num_players for options in config.games_played]
        return {"players": players, "volcanoes": config.volcanoes > 0}

    def weights(self) -> Arrays:
        """Of the network, and the running mean of them."""
        return named("net", self.fitter.net.params()) | named("mean", self.fitter.mean.params())

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
        for number in count():  # more than are kept, if the run goes on with a shorter replay
            if not (samples := part(f"replay.{number:03}", arrays)):
                break
            check_arrays(samples, new_samples(np.size(samples.get("stage", 0)))._asdict())
            self.replay.append(Samples(**samples))

    def settle(self) -> None:
        """Wait for the games of the next round."""
        for one in self._games or ():
            one.result()

    def close(self) -> None:
        """Stop the threads; drop games that they have not started."""
        self.threads.shutdown(cancel_futures=True)
        if self._folder is not None:
            self._folder.close()


main = partial(loop.main, AfterstateLearner, __doc__)

if __name__ == "__main__":
    sys.exit(main())
