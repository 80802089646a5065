"""How strong a board network is right now, against bots that play in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from cacao_env.observation import scale
from cacao_env.versus import VersusGames

from .network import CellNet


class Strength(NamedTuple):
    """Against one opponent: mean share of the win, half its 95 % interval, mean margin in gold."""

    wins: float
    half_width: float
    margin: float


@torch.no_grad()
def strength(
    net: CellNet,
    opponent: str,
    games: int,
    seed: int,
    num_players: int,
    table_size: int,
    volcanoes: bool,
) -> Strength:
    """Play so many games side by side, the network's best action always, in rotating seats."""
    versus = VersusGames(
        games,
        opponent,
        num_players,
        volcanoes,
        table_size=table_size,
        seed=seed,
        observation_dtype="uint8",
    )
    device = next(net.parameters()).device
    factors = torch.from_numpy(scale(num_players, table_size).copy()).to(device)
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
