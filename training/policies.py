"""What the trainers of policies share: their configuration, their checkpoint and earlier selves."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cacao_env import Game
from cacao_env.agent import Agent, decider
from cacao_env.agents.checkpoint import POLICY, CheckpointError, write_files
from cacao_env.agents.onnx import OnnxAgent
from cacao_env.engine.options import Options
from cacao_env.engine.rewards import REWARDS, SCORE_SCALE
from cacao_env.engine.rng import RngArray, uniform
from cacao_env.envs.observations import view_of
from cacao_env.greedy.candidates import Candidates
from cacao_env.views import Form

from . import state
from .config import (
    MOST_WIDTH,
    ConfigError,
    RunConfig,
    at_least,
    fraction,
    one_of,
    positive,
    thread_count,
)
from .loop import Learner
from .masked import sample
from .networks import PolicyNet, export, factors, new_net, read_weights
from .state import Arrays


@dataclass(frozen=True)
class PolicyConfig(RunConfig):
    """The keys of every trainer of a policy; the defaults are a 2-player run."""

    # The game.
    num_players: int = 2
    volcanoes: bool = False
    table_size: int = 15
    reward: str = one_of(REWARDS, "shaped")
    decisions: str = "auto"
    # "flat": the board network reads the table; "candidates": the row network reads rows (the best
    # ``rows``, with the next turns after the best ``replies``), and ``table_size`` does not matter.
    observation: str = one_of(("flat", "candidates"), "flat")
    rows: int = positive(24)
    replies: int = at_least(0, 16)
    # The run: it ends at whichever limit comes first.
    steps: int = positive(1_000_000)  # decisions
    threads: int = thread_count(1, 1)  # of torch
    # PPO.
    games: int = positive(64)
    rollout: int = positive(64)  # decisions in each game
    batch: int = at_least(2, 512)  # advantages are normalised within a batch
    epochs: int = positive(3)
    learning_rate: float = positive(1e-3, 1)
    clip_range: float = positive(0.2)
    gamma: float = fraction(1.0)  # a decision of the seat
    gae_lambda: float = fraction(0.95)
    entropy_coef: float = at_least(0, 0.005)
    width: int = positive(64, MOST_WIDTH)

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            _ = self.about
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if self.batch > self.decisions_per_update:
            raise ConfigError(
                f"batch is {self.batch}, more than the {self.decisions_per_update} decisions that "
                "games and rollout give an update"
            )

    @cached_property
    def about(self) -> Form:
        """The games and the form of observations."""
        options = Options(self.num_players, self.volcanoes, self.decisions, self.table_size)  # type: ignore[arg-type]
        rows = self.observation == "candidates"
        return Form(options, Candidates(self.rows, self.replies) if rows else "flat")

    @property
    def games_played(self) -> list[Options]:
        """The agent is measured in the games that it learned, with all decisions that matter asked."""
        size = None if self.about.rows else self.table_size
        return [Options(self.num_players, self.volcanoes, table_size=size)]

    @property
    def decisions_per_update(self) -> int:
        """Decisions that a learner has between two updates."""
        return self.games * self.rollout


@dataclass(frozen=True)
class ScheduledConfig(PolicyConfig):
    """Keys that change linearly over the run, from KEY to final_KEY (:meth:`.Learner.scheduled`)."""

    final_learning_rate: float = positive(1e-4, 1)
    final_entropy_coef: float = at_least(0, 0.005)


class PolicyLearner(Learner):
    """A learner of a policy network; its limit is a number of decisions."""

    config: PolicyConfig
    net: PolicyNet  # as it plays now
    module: torch.nn.Module  # the optimizer trains it: the network, or a policy around it
    games: Any  # VectorGames or VersusGames
    optimizer: torch.optim.Optimizer
    past: Snapshots | None = None  # earlier selves, if some games have them

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__(config)
        torch.set_num_threads(config.threads)
        self.counts = {"decisions": 0, "games": 0}

    def start_from(self, folder: Path) -> None:
        """Copy the weights of a network of the same kind and size."""
        same = "observation, num_players, table_size and width must be the same"
        state.load_weights(self.net, read_weights(folder), same)
        if self.past is not None:  # the first earlier self has them too
            self.past.follow(self.net)

    def arrays(self) -> Arrays:
        """Network, optimizer, earlier selves and, if they can be saved, games."""
        arrays = state.learner_arrays(self.module, self.optimizer)
        if self.past is not None:
            arrays |= state.named("past", self.past.arrays())
        try:
            return arrays | state.named("games", self.games.arrays())
        except ValueError:  # an opponent's memory can't be saved: only the checkpoint counts
            return arrays

    def restore(self, arrays: Arrays) -> None:
        """Resume from ``arrays``; CheckpointError if they do not fit or have no games."""
        games = state.part("games", arrays)
        if not games:
            raise CheckpointError("the run can't be resumed: an opponent's memory was not saved")
        state.restore_learner(self.module, self.optimizer, arrays)
        if self.past is not None:
            self.past.restore(state.part("past", arrays))
        self.games.restore(games)

    def weights(self) -> Arrays:
        """The network's."""
        return state.weights_of(self.net)

    def fraction_done(self) -> float:
        """By decisions."""
        return self.counts["decisions"] / self.config.steps

    def agent(self) -> OnnxAgent:
        """The network as it plays now."""
        return OnnxAgent(self.name, export(self.net, self.config.about), "the learner", {})

    def save_checkpoint(self, folder: Path, training: dict[str, Any]) -> None:
        """Write the network."""
        about = self.config.about
        training = training | {"reward_scale": SCORE_SCALE}
        network = export(self.net, about)
        write_files(
            folder, self.config.name, POLICY, network, rules=about.as_dict(), training=training
        )


class Snapshots(Agent):
    """An earlier self of a network, chosen by ``pick``; plays by its probabilities.

    A sampled move is no single line that the learner could learn by heart.
    """

    name = "an earlier self"
    ROOM = 8  # for the latest ones

    def __init__(self, net: PolicyNet, config: PolicyConfig) -> None:
        self._about = config.about
        self.net = new_net(config.about, config.width)  # the snapshot that plays
        self._factors = factors(config.about)
        self._kept: deque[dict[str, torch.Tensor]] = deque(maxlen=self.ROOM)
        self.follow(net)

    def follow(self, net: PolicyNet) -> None:
        """Keep snapshots of ``net`` from now on, the first one at once."""
        self._source = net
        self._kept.clear()
        self.take()
        self.pick(0.0)

    def supports(self, options: Options) -> bool:
        """Whether these are the games that the network is trained for."""
        return options == self._about.options

    def take(self) -> None:
        """Keep the network as it is now; drop the oldest snapshot if there is no room."""
        found = self._source.state_dict()
        self._kept.append({name: x.detach().cpu().clone() for name, x in found.items()})

    def pick(self, draw: float) -> None:
        """Choose the snapshot that plays, by a number from 0 to 1: below 0.5 the latest."""
        count = len(self._kept)
        number = count - 1 if draw < 0.5 else int((draw - 0.5) * 2 * count)
        self.net.load_state_dict(self._kept[number])

    def after_round(self, number: int, every: int, seed: int) -> None:
        """Keep a snapshot every so many rounds, and choose the one that plays the next round."""
        if number % every == 0:
            self.take()
        self.pick(np.random.default_rng([seed, number]).random())

    @torch.no_grad()
    def act(self, games: Sequence[Game], memory: Sequence[RngArray]) -> list[int]:
        """Sample an action for each game, in one forward pass for all."""
        rows = self._about.rows
        view = view_of(
            len(games), self._about.options, rows or "flat", "float32" if rows else "uint8"
        )
        viewers = np.array([decider(game) for game in games])
        view.look(np.concatenate([game.states for game in games]), viewers)
        logits, _ = self.net(torch.from_numpy(view.observations) * self._factors)
        draws = torch.tensor([uniform(rng) for rng in memory], dtype=torch.float32)
        chosen = sample(logits, torch.from_numpy(view.action_masks) > 0, draws).numpy()
        actions = np.empty(len(games), np.int64)
        view.choose(chosen, actions)
        return [int(action) for action in actions]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All snapshots, by name."""
        found = state.named("playing", state.weights_of(self.net))
        for number, kept in enumerate(self._kept):
            found |= state.named(f"{number:03}", {name: x.numpy() for name, x in kept.items()})
        return found

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Resume from ``arrays``; CheckpointError if they are of other networks."""
        state.load_weights(self.net, state.part("playing", arrays))
        own = state.weights_of(self.net)
        self._kept.clear()
        for number in count():
            if not (kept := state.part(f"{number:03}", arrays)):
                break
            state.check_arrays(kept, own)
            self._kept.append({name: torch.from_numpy(np.array(kept[name])) for name in own})
