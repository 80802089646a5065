"""Earlier selves as opponents."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cacao_env import Game
from cacao_env.agents.agent import Agent, decider
from cacao_env.engine.options import Options
from cacao_env.engine.rng import RngArray, uniform
from cacao_env.envs.views import view_of

from ..state import check_arrays, named
from .config import BoardConfig, Net
from .masked import sample

ROOM = 8  # for the latest ones


class Snapshots(Agent):
    """An earlier self of a network, chosen by ``pick``; plays by its probabilities.

    A sampled move is no single line that the learner could learn by heart.
    """

    name = "an earlier self"

    def __init__(self, net: Net, config: BoardConfig) -> None:
        self._options, self._view = config.options, config.view
        self._net = net.like()
        self._factors = config.factors()
        self._kept: deque[dict[str, torch.Tensor]] = deque(maxlen=ROOM)
        self.follow(net)

    @property
    def net(self) -> Net:
        """The snapshot that plays."""
        return self._net

    def follow(self, net: Net) -> None:
        """Keep snapshots of ``net`` from now on, the first one at once."""
        self._source = net
        self._kept.clear()
        self.take()
        self.pick(0.0)

    def supports(self, options: Options) -> bool:
        """Whether these are the games that the network is trained for."""
        return options == self._options

    def take(self) -> None:
        """Keep the network as it is now; drop the oldest snapshot if there is no room."""
        found = self._source.state_dict()
        self._kept.append({name: x.detach().cpu().clone() for name, x in found.items()})

    def pick(self, draw: float) -> None:
        """Choose the snapshot that plays, by a number from 0 to 1: below 0.5 the latest."""
        count = len(self._kept)
        number = count - 1 if draw < 0.5 else int((draw - 0.5) * 2 * count)
        self._net.load_state_dict(self._kept[number])

    @torch.no_grad()
    def act(self, games: Sequence[Game], memory: Sequence[RngArray]) -> list[int]:
        """Sample an action for each game, in one forward pass for all."""
        dtype = "uint8" if self._view is None else "float32"
        view = view_of(len(games), self._options, self._view or "flat", dtype)
        viewers = np.array([decider(game) for game in games])
        view.look(np.concatenate([game.states for game in games]), viewers)
        logits, _ = self._net(torch.from_numpy(view.observations) * self._factors)
        draws = torch.tensor([uniform(rng) for rng in memory], dtype=torch.float32)
        chosen = sample(logits, torch.from_numpy(view.action_masks) > 0, draws).numpy()
        actions = np.empty(len(games), np.int64)
        view.choose(chosen, actions)
        return [int(action) for action in actions]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All snapshots, by name."""
        found = {f"playing.{name}": x.numpy().copy() for name, x in self._net.state_dict().items()}
        for number, kept in enumerate(self._kept):
            found |= {f"{number:03}.{name}": x.numpy() for name, x in kept.items()}
        return found

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Resume from ``arrays``; CheckpointError if they are of other networks."""
        own = {name: x.numpy() for name, x in self._net.state_dict().items()}
        names = list(own)

        def part(word: str) -> dict[str, torch.Tensor]:
            check_arrays(arrays, named(word, own))
            return {name: torch.from_numpy(np.array(arrays[f"{word}.{name}"])) for name in names}

        self._net.load_state_dict(part("playing"))
        self._kept.clear()
        while f"{len(self._kept):03}.{names[0]}" in arrays:
            self._kept.append(part(f"{len(self._kept):03}"))
