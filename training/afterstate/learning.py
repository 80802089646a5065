"""The two halves of value learning: playing samples in parallel, and fitting the network to them.

Everything random comes from (seed, round), so a run that is resumed draws what the uninterrupted one
draws, and games do not depend on how many threads play them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from cacao_env.agents.value.features import NO_ROW
from cacao_env.agents.value.net import Net, new_scratch
from cacao_env.agents.value.turns import new_work
from cacao_env.engine.jit import compile_once
from cacao_env.engine.options import blank_states
from cacao_env.engine.tiles import MAX_PLAYERS, MAX_TURNS

from ..state import learner_arrays, named, part, restore_learner
from .config import games_of_each_kind
from .games import Behaviour, Samples, new_samples, play_match, play_sample_games
from .net import ValueNet

CHUNK = 100  # games that one thread plays at a time
_GAMES, _BATCHES = range(2)  # what random numbers are for
FOLLOWED = 1000  # steps after which the running mean has forgotten how it began
_TURNS = {2: 22, 3: 30, 4: 36}


@dataclass(frozen=True)
class Games:
    """So many games under one set of rules."""

    num_players: int
    volcanoes: bool
    seeds: Any


def share_out(
    count: int, odds: dict[str, float], volcanoes: float, key: Sequence[int]
) -> list[Games]:
    """``count`` games by numbers of players and rules, in chunks, with a seed each."""
    rng = np.random.default_rng([*key, _GAMES])
    chunks = []
    for (players, with_them), games in games_of_each_kind(count, odds, volcanoes).items():
        for first in range(0, games, CHUNK):
            seeds = rng.integers(0, 2**63, min(CHUNK, games - first)).astype(np.uint64)
            chunks.append(Games(players, with_them, seeds))
    return chunks


def play(games: Games, net: Net, behaviour: Behaviour, rival: Net | None = None) -> Samples:
    """The samples of some games; runs without the interpreter's lock."""
    other = rival or net
    turns = min(MAX_TURNS, _TURNS[games.num_players])
    a_game = turns * (behaviour.kept + (games.num_players - 1) * behaviour.others)
    room = int(1.1 * len(games.seeds) * a_game) + 2 * MAX_TURNS * MAX_PLAYERS
    samples = new_samples(room)
    options = blank_states(1, games.num_players, games.volcanoes, "auto", None)
    count = play_sample_games(
        net,
        new_scratch(net),
        new_work(),
        other,
        new_scratch(other),
        options,
        behaviour,
        games.seeds.copy(),
        samples,
        0,
    )
    return Samples(*(array[:count] for array in samples))


def join(parts: Sequence[Samples]) -> Samples:
    """One set of samples from several."""
    return Samples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class Players:
    """Threads that play; compiled code releases the interpreter's lock."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads)

    def begin(
        self, chunks: Sequence[Games], net: Net, behaviour: Behaviour, rival: Net | None = None
    ) -> list[Future[Samples]]:
        """Start to play; ``collect`` what comes of it, in the same order whoever plays."""
        return [self._pool.submit(play, games, net, behaviour, rival) for games in chunks]

    def collect(self, begun: list[Future[Samples]]) -> Samples:
        """Wait for all samples."""
        return join([one.result() for one in begun])

    def match(
        self, net: Net, other: Net | None, num_players: int, blocks: int, seed: int, top: int
    ) -> tuple[Any, Any]:
        """Share of the win and margin of each deal block against ``other``, or greedy if None."""
        seeds = np.random.default_rng(seed).integers(0, 2**63, blocks).astype(np.uint64)
        win_shares, margins = np.zeros(blocks), np.zeros(blocks)
        options = blank_states(1, num_players, False, "auto", None)

        def run(part: slice) -> None:
            field = other or net
            play_match(
                net,
                new_scratch(net),
                new_work(),
                field,
                new_scratch(field),
                options,
                other is not None,
                top,
                seeds[part],
                win_shares[part],
                margins[part],
            )

        parts = [slice(first, first + 10) for first in range(0, blocks, 10)]
        list(self._pool.map(run, parts))
        return win_shares, margins

    def close(self) -> None:
        """Let the threads go, what they have not begun undone."""
        self._pool.shutdown(cancel_futures=True)


def warm_up() -> None:
    """Have everything that plays compiled, with a message where that takes long."""

    def play_a_little() -> None:
        net = ValueNet(8, 8, 8).compiled()
        [games] = share_out(1, {"2": 1.0}, 0.0, [0])
        play(games, net, Behaviour(top=2, decay=0.9, others=1.0))
        players = Players(1)
        players.match(net, None, 2, 1, 0, 2)
        players.close()

    compile_once("network's games", play_a_little)


class Learner:
    """Fits a network to samples; ``mean``, the running mean of its weights, is what plays."""

    def __init__(self, size: dict[str, int], seed: int, average: float) -> None:
        torch.manual_seed(seed)
        self.net, self.mean = ValueNet(**size), ValueNet(**size)
        self.mean.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self._average = average
        self.steps = 0

    def begin_from(self, params: Mapping[str, Any]) -> None:
        """Take over weights; ValueError unless they are those of a network of this size."""
        shapes = {name: array.shape for name, array in params.items()}
        own = {name: tuple(x.shape) for name, x in self.net.named_parameters()}
        if shapes != own:
            raise ValueError("its network has another size")
        for net in (self.net, self.mean):
            net.load_state_dict({name: torch.from_numpy(x) for name, x in params.items()})
        self.steps = FOLLOWED  # the mean is no random beginning to forget

    def fit(
        self, parts: Sequence[Samples], steps: int, batch: int, rate: float, key: Sequence[int]
    ) -> Any:
        """Adam steps on random batches from all parts; returns the mean losses (shares, points)."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        rng = np.random.default_rng([*key, _BATCHES])
        losses = np.zeros(2)
        samples = parts[0] if len(parts) == 1 else join(parts)
        for _ in range(steps):
            chosen = rng.integers(0, len(samples.stage), batch)
            of_shares, of_points = self._losses(Samples(*(array[chosen] for array in samples)))
            self.optimizer.zero_grad(set_to_none=True)
            (of_shares + of_points).backward()
            self.optimizer.step()
            self.steps += 1
            self._follow()
            losses += [of_shares.item(), of_points.item()]
        return losses / max(1, steps)

    def _losses(self, samples: Samples) -> tuple[torch.Tensor, torch.Tensor]:
        """Cross-entropy of the shares of the win, mean squared error of the points."""
        out = self.net(
            torch.from_numpy(samples.numbers),
            torch.from_numpy(samples.rows),
            torch.from_numpy((samples.rows != NO_ROW).sum(1)),
            torch.from_numpy(samples.patterns.astype(np.int64)),
            torch.from_numpy(samples.open_cells.astype(np.int64)),
            torch.from_numpy(samples.stage.astype(np.int64)),
        )
        players = torch.from_numpy(samples.players.astype(np.int64))[:, None]
        there = torch.arange(MAX_PLAYERS)[None] < players
        logits = out[:, :MAX_PLAYERS].masked_fill(~there, -1e9)
        log_odds = F.log_softmax(logits, 1).masked_fill(~there, 0)
        of_shares = -(torch.from_numpy(samples.win_shares) * log_odds).sum(1).mean()
        wrong = (out[:, MAX_PLAYERS:] - torch.from_numpy(samples.points)) ** 2
        return of_shares, ((wrong * there).sum(1) / players[:, 0]).mean()

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the mean; fast at first, so that it forgets the random beginning."""
        share = max(self._average, 1 / (1 + self.steps / 4))
        torch._foreach_lerp_(list(self.mean.parameters()), list(self.net.parameters()), share)

    def arrays(self) -> dict[str, Any]:
        """All that learning depends on, by name."""
        return learner_arrays(self.net, self.optimizer) | named("mean", self.mean.params())

    def restore(self, arrays: Mapping[str, Any], steps: int) -> None:
        """Go on from ``arrays`` after so many steps."""
        self.steps = steps
        restore_learner(self.net, self.optimizer, arrays)
        mean = part("mean", arrays)
        self.mean.load_state_dict({name: torch.from_numpy(x) for name, x in mean.items()})
