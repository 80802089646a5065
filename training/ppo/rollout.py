"""Self-play for policy gradients: every seat's decisions and their advantages.

The decisions of one seat form a chain: what it earns between two of them, in the turns of others too,
belongs to the first.  Advantages are generalised advantage estimates (Schulman et al., 2016) along
these chains, computed backwards over a rollout in which the seats take turns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from cacao_env.engine.jit import njit
from cacao_env.engine.observation import scale
from cacao_env.engine.tiles import MAX_PLAYERS
from cacao_env.envs.vector import VectorGames

from ..loop import Stopwatch
from .masked import log_prob_and_entropy, sample
from .network import CellNet


class Rollout(NamedTuple):
    """T decisions of N games each, flattened to S = T * N rows, on the network's device."""

    observations: torch.Tensor  # (S, observation_size) uint8
    masks: torch.Tensor  # (S, num_actions) bool
    actions: torch.Tensor  # (S,)
    log_probs: torch.Tensor  # (S,)
    values: torch.Tensor  # (S,)
    advantages: torch.Tensor  # (S,)
    known: torch.Tensor  # (K,) rows whose advantage is known: their seat has decided again since


@njit
def advantages_into(seats, rewards, over, values, next_seats, next_values, gae_lambda, advantages):
    """Write advantages (T, N); NaN for a seat's last decision, whose outcome is not known.

    ``seats`` (T, N) that decided, ``rewards`` (T, N, P) of the step that followed, ``over`` (T, N)
    whether it ended the game, ``values`` (T, N) of the deciding seat; then the seats to decide next
    and their values, (N,).  The discount is 1; ``gae_lambda`` applies per decision of the seat.
    """
    later = np.zeros(MAX_PLAYERS)  # value at the seat's next decision
    ahead = np.zeros(MAX_PLAYERS)  # advantage there
    earned = np.zeros(MAX_PLAYERS)  # since this one
    known = np.zeros(MAX_PLAYERS, np.bool_)  # whether the seat decides again later
    players = rewards.shape[2]
    for g in range(seats.shape[1]):
        known[:] = False
        earned[:] = 0.0
        known[next_seats[g]] = True
        later[next_seats[g]] = next_values[g]
        ahead[next_seats[g]] = 0.0
        for t in range(seats.shape[0] - 1, -1, -1):
            if over[t, g]:  # the sums so far belong to the next game
                earned[:] = 0.0
                later[:] = 0.0
                ahead[:] = 0.0
                known[:] = True
            for seat in range(players):
                earned[seat] += rewards[t, g, seat]
            seat = seats[t, g]
            value = values[t, g]
            if known[seat]:
                ahead[seat] = earned[seat] + later[seat] - value + gae_lambda * ahead[seat]
                advantages[t, g] = ahead[seat]
            else:
                ahead[seat] = 0.0
                advantages[t, g] = np.nan
            later[seat] = value
            earned[seat] = 0.0
            known[seat] = True


class SelfPlay:
    """N games in which one network has all seats."""

    def __init__(self, games: VectorGames, length: int, gae_lambda: float, device: Any) -> None:
        self.games, self._length, self._device = games, length, device
        self._lambda = gae_lambda
        self.factors = torch.from_numpy(
            scale(games.num_players, games.options.table_size).copy()
        ).to(device)

    @torch.no_grad()
    def collect(self, net: CellNet, watch: Stopwatch) -> tuple[Rollout, int]:
        """Play ``length`` decisions in every game; also count the games that ended."""
        games, length, count = self.games, self._length, self.games.num_games
        shape = length, count
        seen = torch.empty((*shape, games.observations.shape[1]), dtype=torch.uint8)
        seen = seen.to(self._device)
        masks = torch.empty((*shape, games.action_masks.shape[1]), dtype=torch.bool)
        masks = masks.to(self._device)
        actions = torch.empty(shape, dtype=torch.long, device=self._device)
        log_probs, values = torch.empty((2, *shape), device=self._device)
        seats = np.empty(shape, np.int64)
        rewards = np.empty((*shape, games.num_players), np.float32)
        over = np.empty(shape, np.bool_)
        for t in range(length):
            with watch("network"):
                seen[t] = torch.from_numpy(games.observations)
                masks[t] = torch.from_numpy(games.action_masks)
                logits, values[t] = net(seen[t] * self.factors)
                actions[t] = sample(logits, masks[t])
                log_probs[t] = log_prob_and_entropy(logits, masks[t], actions[t])[0]
                chosen = actions[t].cpu().numpy()
            with watch("environment"):
                seats[t] = games.seats
                games.step(chosen)
                rewards[t], over[t] = games.rewards, games.terminations
        with watch("network"):
            _, last = net(torch.from_numpy(games.observations).to(self._device) * self.factors)
        advantages = np.empty(shape, np.float32)
        advantages_into(
            seats,
            rewards,
            over,
            values.cpu().numpy(),
            games.seats,
            last.cpu().numpy(),
            self._lambda,
            advantages,
        )
        found = torch.from_numpy(advantages).to(self._device).flatten()
        rollout = Rollout(
            seen.flatten(0, 1),
            masks.flatten(0, 1),
            actions.flatten(),
            log_probs.flatten(),
            values.flatten(),
            found,
            torch.nonzero(~torch.isnan(found)).squeeze(1),
        )
        return rollout, int(over.sum())
