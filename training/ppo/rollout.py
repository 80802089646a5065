"""Self-play for policy gradients: every seat's decisions and their advantages.

The decisions of one seat form a chain: what it earns between two of them, in the turns of others too,
belongs to the first.  Advantages are generalised advantage estimates (Schulman et al., 2016) along
these chains, computed backwards over a rollout in which the seats take turns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from cacao_env.engine.jit import njit
from cacao_env.engine.rewards import SCORE_SCALE
from cacao_env.engine.rng import new_rng
from cacao_env.engine.tiles import MAX_PLAYERS
from cacao_env.envs.vector import VectorGames
from cacao_env.greedy.choices import CHOICES, GREEDY_WEIGHTS, greedy_choice

from ..loop import Stopwatch
from .config import Net, PpoConfig
from .masked import log_prob_and_entropy, sample


class Rollout(NamedTuple):
    """T decisions of N games each, flattened to S = T * N rows, on the network's device."""

    observations: torch.Tensor  # (S, ...) as the games give them
    masks: torch.Tensor  # (S, num_actions) bool
    actions: torch.Tensor  # (S,)
    log_probs: torch.Tensor  # (S,)
    values: torch.Tensor  # (S,)
    advantages: torch.Tensor  # (S,)
    greedy: torch.Tensor  # (S,) what greedy would have done; only while its choices are cloned
    known: torch.Tensor  # (K,) rows whose advantage is known: their seat has decided again since


@njit
def _greedy_choices(states, rng, chosen):
    """Write greedy's action for every game."""
    choices = np.empty(1, CHOICES)
    for g in range(len(states)):
        chosen[g] = greedy_choice(choices[0], states[g], GREEDY_WEIGHTS, rng)


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
    """N games in which one network has all seats, but one of some games: greedy or an earlier self.

    Nothing is learned from those seats.  The numbers of such games are fixed.
    Only one thread may use it at a time.
    """

    def __init__(
        self, games: VectorGames, config: PpoConfig, device: Any, past: Any = None
    ) -> None:
        self.games, self._length, self._device = games, config.rollout, device
        self._lambda, self._margin_weight = config.gae_lambda, config.margin_weight
        self._asks_greedy = config.view is None
        self._past, self.factors = past, config.factors().to(device)
        # The seat that greedy or an earlier self has; -1 for none.
        count = games.num_games
        numbers, seats = np.arange(count), np.arange(count) % games.num_players
        greedy = numbers < round(count * config.greedy_fraction)
        earlier = (numbers >= round(count * (1 - config.past_fraction))) & ~greedy
        self._greedy, self._earlier = (np.where(which, seats, -1) for which in (greedy, earlier))

    @torch.no_grad()
    def collect(self, net: Net, watch: Stopwatch, cloning: bool = False) -> tuple[Rollout, int]:
        """Play so many decisions in every game; also count the games that ended.

        While ``cloning``, greedy's choices are played, and others in a tenth of the cases.
        """
        games, length, count = self.games, self._length, self.games.num_games
        shape = length, count
        kind = torch.from_numpy(games.observations).dtype
        seen = torch.empty((*shape, *games.observations.shape[1:]), dtype=kind)
        seen = seen.to(self._device)
        masks = torch.empty((*shape, games.action_masks.shape[1]), dtype=torch.bool)
        masks = masks.to(self._device)
        actions = torch.empty(shape, dtype=torch.long, device=self._device)
        log_probs, values = torch.empty((2, *shape), device=self._device)
        greedy = torch.zeros(shape if cloning else (0,), dtype=torch.long, device=self._device)
        seats = np.empty(shape, np.int64)
        rewards = np.empty((*shape, games.num_players), np.float32)
        over = np.empty(shape, np.bool_)
        not_learned = np.zeros(shape, np.bool_)
        for t in range(length):
            with watch("network"):
                seen[t] = torch.from_numpy(games.observations)
                masks[t] = torch.from_numpy(games.action_masks)
                logits, values[t] = net(seen[t] * self.factors)
                actions[t] = sample(logits, masks[t])
                if cloning:
                    greedy[t] = self._greedy_choices()
                    usual = torch.rand(count, device=self._device) >= 0.1
                    actions[t] = torch.where(usual, greedy[t], actions[t])
                not_learned[t] = self._others_choose(seen[t], masks[t], actions[t])
                log_probs[t] = log_prob_and_entropy(logits, masks[t], actions[t])[0]
                chosen = actions[t].cpu().numpy()
            with watch("environment"):
                seats[t] = games.seats
                games.step(chosen)
                rewards[t], over[t] = games.rewards, games.terminations
                if self._margin_weight:
                    self._add_margins(rewards[t])
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
        advantages[not_learned] = np.nan
        found = torch.from_numpy(advantages).to(self._device).flatten()
        rollout = Rollout(
            seen.flatten(0, 1),
            masks.flatten(0, 1),
            actions.flatten(),
            log_probs.flatten(),
            values.flatten(),
            found,
            greedy.flatten(),
            torch.nonzero(~torch.isnan(found)).squeeze(1),
        )
        return rollout, int(over.sum())

    def _others_choose(
        self, seen: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> npt.NDArray[np.bool_]:
        """Replace the actions of greedy and of an earlier self; return where they decide."""
        greedy, earlier = (self.games.seats == seats for seats in (self._greedy, self._earlier))
        if greedy.any():
            its = torch.from_numpy(greedy)
            actions[its] = self._greedy_choices()[its]
        which = np.flatnonzero(earlier)
        if len(which):
            logits, _ = self._past.net(seen[which] * self.factors)
            actions[torch.from_numpy(which)] = sample(logits, masks[which])
        return greedy | earlier

    def _greedy_choices(self) -> torch.Tensor:
        """Return what greedy would do in every game, (N,); of candidate rows it is the first."""
        chosen = np.zeros(self.games.num_games, np.int64)
        if self._asks_greedy:
            rng = new_rng(int(torch.randint(1 << 62, (1,))))
            _greedy_choices(self.games.states, rng, chosen)
        return torch.from_numpy(chosen).to(self._device)

    def _add_margins(self, rewards: npt.NDArray[np.float32]) -> None:
        """Make a part of the rewards of finished games depend on the relative score."""
        games, weight = self.games, self._margin_weight
        ended = games.terminations
        scores, players = games.final_scores[ended], games.num_players
        relative = (players * scores - scores.sum(1, keepdims=True)) / (players - 1)
        margins = np.tanh(relative / SCORE_SCALE)
        rewards[ended] = (1 - weight) * rewards[ended] + weight * margins
