"""How strong a board network is right now, against bots that play in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from cacao_env.engine.observation import scale
from cacao_env.envs.versus import VersusGames

from .config import BoardConfig
from .network import CellNet


class Strength(NamedTuple):
    """Against one opponent: mean share of the win, half its 95 % interval, mean margin in gold."""

    wins: float
    half_width: float
    margin: float


def against_anchors(net: CellNet, config: BoardConfig) -> tuple[dict[str, float], str]:
    """A row of figures for the metrics, and the same in words."""
    row: dict[str, float] = {}
    words = []
    for anchor in config.anchors:
        now = strength(net, anchor, config)
        name = f"{anchor}_{config.num_players}p"
        row |= {f"wins_{name}": now.wins, f"wins_{name}_half_width": now.half_width}
        row[f"margin_{name}"] = now.margin
        words.append(f"beats {anchor} {now.wins:.0%} ± {now.half_width:.0%}")
    return row, ", ".join(words)


@torch.no_grad()
def strength(net: CellNet, opponent: str, config: BoardConfig) -> Strength:
    """Play ``watch_games`` side by side, the network's best action always, in rotating seats."""
    games, num_players, size = config.watch_games, config.num_players, config.table_size
    versus = VersusGames(
        games,
        opponent,
        num_players,
        config.volcanoes,
        table_size=size,
        seed=config.evaluation_seed - 1,
        observation_dtype="uint8",
    )
    device = next(net.parameters()).device
    factors = torch.from_numpy(scale(num_players, size).copy()).to(device)
    over = np.zeros(games, np.bool_)
    wins, margins = np.zeros(games), np.zeros(games)
    while not over.all():
        seen = torch.from_numpy(versus.observations).to(device) * factors
        legal = torch.from_numpy(versus.action_masks).to(device) > 0
        actions = net(seen)[0].masked_fill(~legal, -torch.inf).argmax(1)
        versus.step(actions.cpu().numpy())
        new = versus.dones & ~over  # the first game of each
        own, other = versus.final_scores[new].T
        margins[new] = own - other
        wins[new] = ((num_players - 1) * versus.rewards[new] + 1) / num_players  # see ``rewards``
        over |= versus.dones
    return Strength(
        float(wins.mean()), float(1.96 * wins.std() / games**0.5), float(margins.mean())
    )
