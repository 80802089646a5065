"""An agent from the checkpoint of a board network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from cacao_env import Game
from cacao_env.rng import below, new_rng

from ..agent import decider
from .checkpoint import Checkpoint
from .window import View


class BoardAgent:
    """A network from a checkpoint; plays its most likely legal action."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.name = checkpoint.name
        self.version = str(checkpoint.manifest.get("sha256", ""))
        self.checkpoint = checkpoint
        self.players: tuple[int, ...] = (checkpoint.num_players,)

    def check(self, num_players: int, volcanoes: bool) -> None:
        """CheckpointError unless the network was trained for such games."""
        size = self.checkpoint.table_size
        self.checkpoint.check_rules(Game.new(num_players, 0, volcanoes, table_size=size))

    def begin(self, seed: int) -> Any:
        """Random numbers, for the case that the window shows no legal placement."""
        return new_rng(seed)

    def act(self, games: Sequence[Game], kept: Sequence[Any]) -> list[int]:
        """One forward pass for all games."""
        views = [View(game, self.checkpoint.table_size) for game in games]
        for view in views:
            self.checkpoint.check_rules(view.seen)
        masks = np.stack([view.action_mask() for view in views])
        observations = np.stack([view.seen.observation(decider(view.game)) for view in views])
        chosen = best_actions(self.checkpoint, observations, masks)
        return [
            view.action(action) if mask.any() else _any_action(view.game, rng)
            for view, mask, action, rng in zip(views, masks, chosen, kept, strict=True)
        ]


def _any_action(game: Game, rng: Any) -> int:
    legal = game.legal_actions()
    return int(legal[int(below(rng, len(legal)))])


def best_actions(checkpoint: Checkpoint, observations: np.ndarray, masks: np.ndarray) -> list[int]:
    """The most likely legal action for each raw observation (B, L) and mask (B, N)."""
    with torch.no_grad():
        scaled = torch.from_numpy(observations.astype(np.float32) * checkpoint.factors)
        logits, _ = checkpoint.net(scaled)
        logits = logits.masked_fill(torch.from_numpy(masks == 0), -torch.inf)
    return [int(action) for action in logits.argmax(dim=1)]
