"""Earlier selves as opponents."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .masked import sample
from .network import CellNet

ROOM = 8  # of the latest ones


class Snapshots:
    """A policy for :class:`cacao_env.envs.versus.VersusGames`: an earlier self, drawn anew by ``pick``.

    Plays by its probabilities, not always its best, so that it is no single line to be learnt by heart.
    """

    def __init__(self, net: CellNet, factors: npt.NDArray[np.float32]) -> None:
        self._source, self._net = net, net.like()
        self._factors = torch.from_numpy(factors.copy())
        self._kept: deque[dict[str, torch.Tensor]] = deque(maxlen=ROOM)
        self.take()
        self.pick(0.0)

    def take(self) -> None:
        """Keep the learner as it is now, in place of the oldest if there is no room."""
        found = self._source.state_dict()
        self._kept.append({name: x.detach().cpu().clone() for name, x in found.items()})

    def pick(self, draw: float) -> None:
        """Who plays from now on, by a number from 0 to 1: the latest in half of all cases."""
        count = len(self._kept)
        number = count - 1 if draw < 0.5 else int((draw - 0.5) * 2 * count)
        self._net.load_state_dict(self._kept[number])

    @torch.no_grad()
    def __call__(
        self, observations: npt.NDArray[np.uint8], masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int64]:
        """Actions (M,) for raw observations (M, L) and masks (M, N)."""
        logits, _ = self._net(torch.from_numpy(observations) * self._factors)
        found: npt.NDArray[np.int64] = sample(logits, torch.from_numpy(masks) > 0).numpy()
        return found

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that it is, by name."""
        found = {f"playing.{name}": x.numpy().copy() for name, x in self._net.state_dict().items()}
        for number, kept in enumerate(self._kept):
            found |= {f"{number:03}.{name}": x.numpy() for name, x in kept.items()}
        return found

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from ``arrays``."""
        names = list(self._net.state_dict())

        def part(word: str) -> dict[str, torch.Tensor]:
            return {name: torch.from_numpy(np.array(arrays[f"{word}.{name}"])) for name in names}

        self._net.load_state_dict(part("playing"))
        self._kept.clear()
        while f"{len(self._kept):03}.{names[0]}" in arrays:
            self._kept.append(part(f"{len(self._kept):03}"))
