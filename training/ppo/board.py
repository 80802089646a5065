"""What all trainers of policies share: its checkpoint and its periodic evaluation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cacao_env.agents.agent import AgentError, require
from cacao_env.agents.checkpoint import CheckpointError, find
from cacao_env.agents.policy import save_policy
from cacao_env.agents.row_policy import save_row_policy
from cacao_env.engine.rewards import SCORE_SCALE
from cacao_env.envs.opponents import COMPILED
from cacao_env.envs.versus import VersusGames

from ..config import ConfigError, agent_named
from ..loop import Learner, Match
from ..state import Arrays
from .config import BoardConfig, Net
from .network import load_net
from .rows import load_rows


class BoardLearner(Learner):
    """A learner of a policy network; its limit is a number of decisions."""

    config: BoardConfig

    def __init__(self, config: BoardConfig) -> None:
        super().__init__(config)
        torch.set_num_threads(config.threads)
        self.counts = {"decisions": 0, "games": 0}
        self._eval_opponents = {
            name: opponent_named("eval_opponents", name, config) for name in config.eval_opponents
        }

    def start(self) -> None:
        """Copy the weights of the checkpoint that ``start`` names."""
        config = self.config
        if not config.start:
            return
        try:
            folder = find(config.start)
            if folder is None:
                raise CheckpointError("there is no such checkpoint")
            net = load_net(folder) if config.view is None else load_rows(folder)[0]
        except CheckpointError as error:
            raise ConfigError(f"start is {config.start!r}: {error}") from None
        shapes = {name: tuple(x.shape) for name, x in net.named_parameters()}
        for name, shape in config.shapes().items():
            if shapes[name] != shape:
                raise ConfigError(
                    f"start is {config.start!r}, whose weights {name} have the shape {shapes[name]}, "
                    f"expected {shape} (num_players, table_size and width must be the same)"
                )
        self.copy_weights(net)

    def copy_weights(self, net: Net) -> None:
        """Copy the weights of a network before the run begins."""
        self.net.load_state_dict(net.state_dict())

    @property
    @abstractmethod
    def net(self) -> Net:
        """The network as it plays now."""

    def weights(self) -> Arrays:
        """The network's."""
        return self.net.params()

    def fraction_done(self) -> float:
        """By decisions."""
        return self.counts["decisions"] / self.config.steps

    def save_checkpoint(self, folder: Path, training: dict[str, Any]) -> None:
        """Write the network."""
        config = self.config
        rules = {
            "num_players": config.num_players,
            "volcanoes": config.volcanoes,
            "width": config.width,
        }
        training = training | {"reward_scale": SCORE_SCALE}
        if config.view is not None:
            rules |= {"rows": config.rows, "replies": config.replies}
            save = save_row_policy
        else:
            rules |= {"table_size": config.table_size}
            save = save_policy
        save(folder, config.name, self.net.params(), rules, training=training)

    def evaluate(self) -> Iterator[Match]:
        """Play against each opponent."""
        for name, opponent in self._eval_opponents.items():
            yield Match(name, self.config.num_players, *play(self.net, opponent, self.config))


def opponent_named(key: str, name: str, config: BoardConfig) -> Any:
    """The opponent for ``VersusGames`` that a configuration names; ConfigError if it can't play."""
    agent = agent_named(key, name, config)
    try:
        require(agent, config.options)
    except AgentError as error:
        raise ConfigError(f"{key}: {error}") from None
    return name if name in COMPILED else agent


def net_shapes(prefix: str, config: BoardConfig) -> dict[str, tuple[int, ...]]:
    """Shapes of the network's weights, by name, computed without making it."""
    return {prefix + name: shape for name, shape in config.shapes().items()}


@torch.no_grad()
def play(net: Net, opponent: Any, config: BoardConfig) -> tuple[Any, Any]:
    """Win share and margin of each of ``eval_games`` games with the network's best actions."""
    count = config.eval_games
    versus = VersusGames(
        count,
        opponent,
        config.options,
        seed=config.evaluation_seed - 1,
        observation=config.view or "flat",
        observation_dtype="float32" if config.view else "uint8",
    )
    device = next(net.parameters()).device
    factors = config.factors().to(device)
    over = np.zeros(count, np.bool_)
    win_shares, margins = np.zeros((2, count))
    while not over.all():
        seen = torch.from_numpy(versus.observations).to(device) * factors
        legal = torch.from_numpy(versus.action_masks).to(device) > 0
        actions = net(seen)[0].masked_fill(~legal, -torch.inf).argmax(1)
        versus.step(actions.cpu().numpy())
        new = versus.dones & ~over  # the first game of each
        own, other = versus.final_scores[new].T
        margins[new] = own - other
        win_shares[new] = versus.final_win_shares[new]
        over |= versus.dones
    return win_shares, margins
