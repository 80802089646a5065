"""Agents that can be measured: built-in bots by name, checkpoints by folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch

from cacao_env import Game
from cacao_env.bots import BOTS, Bot

from .checkpoint import Checkpoint, load


class Agent(Protocol):
    """Chooses actions for many games at once; it uses only what the deciding seat may know."""

    name: str

    def act(self, games: Sequence[Game]) -> list[int]:
        """A legal action for each game's deciding seat."""


class BotAgent:
    """A built-in bot."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._bot = Bot(name, seed)

    def act(self, games: Sequence[Game]) -> list[int]:
        """One decision a game."""
        return [self._bot.act(game) for game in games]


class CheckpointAgent:
    """A network from a checkpoint; plays its most likely legal action."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.name = checkpoint.name
        self.checkpoint = checkpoint

    def act(self, games: Sequence[Game]) -> list[int]:
        """One forward pass for all games."""
        for game in games:
            self.checkpoint.check_rules(game)
        observations = np.stack([game.observation(_decider(game)) for game in games])
        masks = np.stack([game.action_mask() for game in games])
        return best_actions(self.checkpoint, observations, masks)


def _decider(game: Game) -> int:
    if game.seat is None:
        raise ValueError("the game is over: there is nothing to decide")
    return game.seat


def best_actions(checkpoint: Checkpoint, observations: np.ndarray, masks: np.ndarray) -> list[int]:
    """The most likely legal action for each raw observation (B, L) and mask (B, N)."""
    with torch.no_grad():
        scaled = torch.from_numpy(observations.astype(np.float32) * checkpoint.factors)
        logits, _ = checkpoint.net(scaled)
        logits = logits.masked_fill(torch.from_numpy(masks == 0), -torch.inf)
    return [int(action) for action in logits.argmax(dim=1)]


def load_agent(name: str, seed: int = 0) -> Agent:
    """A bot by its name or a checkpoint by its folder; ValueError says what there is."""
    if name in BOTS:
        return BotAgent(name, seed)
    for folder in (Path(name), Path("checkpoints") / name):
        if folder.is_dir():
            return CheckpointAgent(load(folder))
    raise ValueError(
        f"there is no agent {name!r}: neither a bot ({', '.join(sorted(BOTS))}) nor the folder of a "
        "checkpoint"
    )
