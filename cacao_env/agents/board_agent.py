"""An agent from the checkpoint of a board network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from cacao_env import Game
from cacao_env.agents.analysis import Analysis, certain
from cacao_env.engine.rewards import MARGIN_SCALE
from cacao_env.engine.rng import below, new_rng
from training.ppo.checkpoint import Checkpoint

from .agent import decider
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
        logits, _ = self._look(views)
        return [
            view.action(int(row.argmax())) if row.max() > -np.inf else _any_action(view.game, rng)
            for view, row, rng in zip(views, logits, kept, strict=True)
        ]

    def analyze(self, game: Game, kept: Any) -> Analysis:
        """The probabilities of its policy, and what its critic expects."""
        view = View(game, self.checkpoint.table_size)
        logits, values = self._look([view])
        row = logits[0]
        if row.max() == -np.inf:
            return certain(_any_action(game, kept), "drawn: its window shows no legal placement")
        legal = np.flatnonzero(row > -np.inf)
        odds = np.exp(row[legal].astype(np.float64) - row.max())
        order = np.argsort(-odds, kind="stable")
        actions = np.array([view.action(int(one)) for one in legal[order]], np.int64)
        return Analysis(
            actions,
            odds[order] / odds.sum(),
            "probabilities of its policy",
            lead=self._lead(game, float(values[0])),
        )

    def _lead(self, game: Game, value: float) -> float | None:
        """The lead at the end that a value stands for, by the reward that was learnt."""
        config = self.checkpoint.manifest.get("training", {}).get("config", {})
        reward = config.get("reward")
        if reward not in ("margin", "shaped"):
            return None
        scores, seat = game.scores(), decider(game)
        others = (sum(scores) - scores[seat]) / (len(scores) - 1)
        now = scores[seat] - others if reward == "shaped" else 0.0  # what is to come, or all of it
        return now + MARGIN_SCALE * value

    def _look(self, views: Sequence[View]) -> tuple[np.ndarray, np.ndarray]:
        for view in views:
            self.checkpoint.check_rules(view.seen)
        masks = np.stack([view.action_mask() for view in views])
        observations = np.stack([view.seen.observation(decider(view.game)) for view in views])
        return forward(self.checkpoint, observations, masks)


def _any_action(game: Game, rng: Any) -> int:
    legal = game.legal_actions()
    return int(legal[int(below(rng, len(legal)))])


def forward(
    checkpoint: Checkpoint, observations: np.ndarray, masks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Logits (B, N), minus infinity where illegal, and values (B,).

    For raw observations (B, L) and masks (B, N).
    """
    with torch.no_grad():
        scaled = torch.from_numpy(observations.astype(np.float32) * checkpoint.factors)
        logits, values = checkpoint.net(scaled)
        logits = logits.masked_fill(torch.from_numpy(masks == 0), -torch.inf)
    return logits.numpy(), values.numpy()


def best_actions(checkpoint: Checkpoint, observations: np.ndarray, masks: np.ndarray) -> list[int]:
    """The most likely legal action for each raw observation (B, L) and mask (B, N)."""
    return [int(row.argmax()) for row in forward(checkpoint, observations, masks)[0]]
