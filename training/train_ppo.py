"""Learn all seats at once by self-play PPO in plain torch, and measure the result.

    python -m training.train_ppo --config configs/ppo.toml

Read this file from top to bottom.  :mod:`training.networks` has the networks, :mod:`training.masked`
the distributions, :mod:`training.policies` checkpoints, and :mod:`training.loop` everything around the
rounds.  ``--resume`` continues exactly.

The algorithm is proximal policy optimisation (Schulman et al., 2017) with generalised advantage
estimates (Schulman et al., 2016).  The decisions of one seat form a chain: what it earns between two
of them, in the turns of others too, belongs to the first.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from cacao_env.engine.rewards import SCORE_SCALE
from cacao_env.engine.rng import new_rng
from cacao_env.envs.vector import VectorGames

from . import loop
from .config import ConfigError, at_least, fraction, positive
from .kernels import advantages_into, greedy_choices
from .masked import log_prob_and_entropy, sample
from .networks import PolicyNet, device, factors, new_net
from .policies import PolicyLearner, ScheduledConfig, Snapshots
from .state import seed_round


@dataclass(frozen=True)
class PpoConfig(ScheduledConfig):
    """The keys of this trainer; ``training.policies`` and ``training.config`` have the others."""

    device: str = "auto"  # cuda if there is one; or cpu, cuda, cuda:1
    epochs: int = positive(2)
    batch: int = at_least(2, 1024)
    entropy_coef: float = at_least(0, 0.03)  # times entropy_fraction, not entropy in nats
    final_entropy_coef: float = at_least(0, 0.003)
    final_clip_range: float = positive(0.1)
    # Part of the reward of the last step: tanh of the relative score over 15 gold, for "outcome".
    margin_weight: float = fraction(0.0)
    # Games in which greedy or an earlier self has one seat, from which nothing is learned.
    greedy_fraction: float = fraction(0.0)
    past_fraction: float = fraction(0.0)
    past_rounds: int = positive(10)  # between two of the selves that are kept
    value_coef: float = positive(0.5)
    max_grad_norm: float = positive(0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.greedy_fraction + self.past_fraction > 1:
            raise ConfigError("greedy_fraction and past_fraction add up to more than 1")
        if self.margin_weight and self.reward != "outcome":
            raise ConfigError(f"margin_weight is for reward 'outcome', not for {self.reward!r}")


# --- Self-play --------------------------------------------------------------------------------


class Rollout(NamedTuple):
    """T decisions of N games each, flattened to S = T * N rows, on the network's device."""

    observations: torch.Tensor  # (S, ...) as the games give them
    masks: torch.Tensor  # (S, num_actions) bool
    actions: torch.Tensor  # (S,)
    log_probs: torch.Tensor  # (S,)
    values: torch.Tensor  # (S,)
    advantages: torch.Tensor  # (S,)
    known: torch.Tensor  # (K,) rows whose advantage is known: their seat has decided again since


class SelfPlay:
    """N games in which one network has all seats, but one of some games: greedy or an earlier self.

    Nothing is learned from those seats.  The numbers of such games are fixed.
    """

    def __init__(
        self, games: VectorGames, config: PpoConfig, device: Any, past: Snapshots | None = None
    ) -> None:
        self.games, self._config, self._device, self._past = games, config, device, past
        self.factors = factors(config.about).to(device)
        # The seat that greedy or an earlier self has; -1 for none.
        count = games.num_games
        numbers, seats = np.arange(count), np.arange(count) % games.num_players
        greedy = numbers < round(count * config.greedy_fraction)
        earlier = (numbers >= round(count * (1 - config.past_fraction))) & ~greedy
        self._greedy, self._earlier = (np.where(which, seats, -1) for which in (greedy, earlier))

    @torch.no_grad()
    def collect(self, net: PolicyNet, watch: loop.Stopwatch) -> tuple[Rollout, int]:
        """Play so many decisions in every game; also count the games that ended."""
        games, config, on = self.games, self._config, self._device
        shape = config.rollout, games.num_games
        kind = torch.from_numpy(games.observations).dtype
        seen = torch.empty((*shape, *games.observations.shape[1:]), dtype=kind, device=on)
        masks = torch.empty((*shape, games.action_masks.shape[1]), dtype=torch.bool, device=on)
        actions = torch.empty(shape, dtype=torch.long, device=on)
        log_probs, values = torch.empty((2, *shape), device=on)
        seats, over, not_learned = np.empty(shape, np.int64), *np.zeros((2, *shape), np.bool_)
        rewards = np.empty((*shape, games.num_players), np.float32)
        for t in range(config.rollout):
            with watch("network"):
                seen[t] = torch.from_numpy(games.observations)
                masks[t] = torch.from_numpy(games.action_masks)
                logits, values[t] = net(seen[t] * self.factors)
                actions[t] = sample(logits, masks[t])
                not_learned[t] = self._others_choose(seen[t], masks[t], actions[t])
                log_probs[t] = log_prob_and_entropy(logits, masks[t], actions[t])[0]
                chosen = actions[t].cpu().numpy()
            with watch("environment"):
                seats[t] = games.seats
                games.step(chosen)
                rewards[t], over[t] = games.rewards, games.terminations
                if config.margin_weight:
                    self._add_margins(rewards[t])
        with watch("network"):
            _, last = net(torch.from_numpy(games.observations).to(on) * self.factors)
        advantages = np.empty(shape, np.float32)
        before, after = values.cpu().numpy(), last.cpu().numpy()
        decay = config.gamma, config.gae_lambda
        advantages_into(seats, rewards, over, before, games.seats, after, *decay, advantages)
        advantages[not_learned] = np.nan
        found = torch.from_numpy(advantages).to(on).flatten()
        parts = [x.flatten(0, 1) for x in (seen, masks, actions, log_probs, values)]
        parts += [found, torch.nonzero(~torch.isnan(found)).squeeze(1)]
        return Rollout(*parts), int(over.sum())

    def _others_choose(
        self, seen: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> npt.NDArray[np.bool_]:
        """Replace the actions of greedy and of an earlier self; return where they decide."""
        greedy, earlier = (self.games.seats == seats for seats in (self._greedy, self._earlier))
        if greedy.any():
            its = torch.from_numpy(greedy)
            actions[its] = self._greedy_choices()[its]
        which = np.flatnonzero(earlier)
        if len(which) and self._past is not None:
            logits, _ = self._past.net(seen[which] * self.factors)
            actions[torch.from_numpy(which)] = sample(logits, masks[which])
        return greedy | earlier

    def _greedy_choices(self) -> torch.Tensor:
        """Return what greedy would do in every game, (N,); of candidate rows it is the first."""
        chosen = np.zeros(self.games.num_games, np.int64)
        if self._config.about.rows is None:
            rng = new_rng(int(torch.randint(1 << 62, (1,))))
            greedy_choices(self.games.states, rng, chosen)
        return torch.from_numpy(chosen).to(self._device)

    def _add_margins(self, rewards: npt.NDArray[np.float32]) -> None:
        """Make a part of the rewards of finished games depend on the relative score."""
        games, weight = self.games, self._config.margin_weight
        ended = games.terminations
        scores, players = games.final_scores[ended], games.num_players
        relative = (players * scores - scores.sum(1, keepdims=True)) / (players - 1)
        margins = np.tanh(relative / SCORE_SCALE)
        rewards[ended] = (1 - weight) * rewards[ended] + weight * margins


# --- Learning ---------------------------------------------------------------------------------


def ppo_loss(
    net: PolicyNet, rollout: Rollout, rows: torch.Tensor, scale: torch.Tensor, c: PpoConfig
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return PPO's clipped loss of a minibatch, and its metrics."""
    masks = rollout.masks[rows]
    logits, values = net(rollout.observations[rows] * scale)
    log_probs, entropy = log_prob_and_entropy(logits, masks, rollout.actions[rows])
    advantages = rollout.advantages[rows]
    returns = advantages + rollout.values[rows]
    scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    log_ratio = log_probs - rollout.log_probs[rows]
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - c.clip_range, 1 + c.clip_range)
    policy = -torch.minimum(ratio * scaled, clipped * scaled).mean()
    value = torch.nn.functional.mse_loss(values, returns)
    # Many legal actions allow more entropy than few.  A bonus on the entropy itself would keep the
    # choice among hundreds of placements random and hardly count elsewhere.
    fraction = (entropy / masks.sum(1).clamp(min=2).log()).mean()
    loss = policy + c.value_coef * value - c.entropy_coef * fraction
    return loss, {
        "loss_policy": policy,
        "loss_value": value,
        "entropy": entropy.mean(),
        "entropy_fraction": fraction,
        "approx_kl": (ratio - 1 - log_ratio).mean(),  # Schulman's estimate, never below 0
        "clip_fraction": ((ratio - 1).abs() > c.clip_range).float().mean(),
    }


def fit(
    net: PolicyNet,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    scale: torch.Tensor,
    c: PpoConfig,
) -> dict[str, float]:
    """Learn from a rollout in several passes of minibatches; return mean metrics.

    ``c``: the configuration, with the values that its scheduled keys have now.
    """
    if len(rollout.known) < 2:
        raise ConfigError(
            f"games times rollout is {c.decisions_per_update}, too few: a round has less than two "
            "decisions whose returns are known"
        )
    batches = max(1, len(rollout.known) // c.batch)
    for group in optimizer.param_groups:
        group["lr"] = c.learning_rate
    sums: dict[str, torch.Tensor] = {}
    for _ in range(c.epochs):
        order = rollout.known[torch.randperm(len(rollout.known)).to(rollout.known.device)]
        for rows in order.tensor_split(batches):
            loss, metrics = ppo_loss(net, rollout, rows, scale, c)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), c.max_grad_norm)
            optimizer.step()
            for name, value in metrics.items():
                sums[name] = sums.get(name, torch.zeros(())) + value.detach().cpu()
    return {name: float(total / (c.epochs * batches)) for name, total in sums.items()}


class PpoLearner(PolicyLearner):
    """The games, the network and its optimizer; a round is one rollout and the learning from it."""

    config: PpoConfig
    command = "train_ppo"
    config_type = PpoConfig
    algorithm = "PPO by self-play"

    def __init__(self, config: PpoConfig) -> None:
        super().__init__(config)
        on = device(config.device)
        torch.manual_seed(config.seed)
        self.net = self.module = new_net(config.about, config.width).to(on)
        self.net.make_actions_equally_likely()
        self.optimizer = torch.optim.Adam(self.net.parameters(), eps=1e-5)
        torch.manual_seed(config.seed)
        self.games = VectorGames(
            config.games,
            config.about.options,
            reward=config.reward,  # type: ignore[arg-type]
            observation=config.about.rows or "flat",
            seed=config.seed,
        )
        if config.past_fraction > 0:
            self.past = Snapshots(self.net, config)
            self.past.net.to(on)
        self.play = SelfPlay(self.games, config, on, self.past)

    def round(self) -> dict[str, Any]:
        """Play a rollout and learn from it."""
        config = self.config
        seed_round(config.seed, self.rounds)
        keys = ("learning_rate", "clip_range", "entropy_coef")
        changed: dict[str, Any] = {key: self.scheduled(key) for key in keys}
        now = replace(config, **changed)
        rollout, finished = self.play.collect(self.net, self.watch)
        with self.watch("learning"):
            metrics = fit(self.net, self.optimizer, rollout, self.play.factors, now)
        errors = rollout.advantages[rollout.known]
        returns = errors + rollout.values[rollout.known]
        metrics["explained_variance"] = float(1 - errors.var() / returns.var().clamp(min=1e-12))
        if self.past is not None:
            self.past.after_round(self.rounds + 1, config.past_rounds, config.seed)
        self.counts["decisions"] += config.decisions_per_update
        self.counts["games"] += finished
        return {"learning_rate": now.learning_rate, **metrics}


main = partial(loop.main, PpoLearner, __doc__)

if __name__ == "__main__":
    sys.exit(main())
