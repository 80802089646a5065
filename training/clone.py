"""Learn a policy from a data set of games, without playing, and measure the result.

    python -m training.clone --config configs/clone.toml
    python -m training.clone --config configs/clone.toml --set method=weighted --set data=greedy-2p

``method``: ``"clone"`` learns to choose as the data set's players did (behaviour cloning);
``"weighted"`` the same, and counts a decision by exp(return / temperature), so that winners count more.
``--resume`` continues exactly.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import torch

from cacao_env.data import Decisions, Games, load
from cacao_env.data.games import RETURNS
from cacao_env.engine.options import Options

from . import loop
from .config import ConfigError, one_of, positive
from .masked import log_prob_and_entropy
from .networks import factors, new_net
from .policies import PolicyLearner, ScheduledConfig
from .state import Arrays, check_arrays

_OF_PPO = {"epochs", "clip_range", "gamma", "gae_lambda", "entropy_coef", "final_entropy_coef"}


@dataclass(frozen=True)
class CloneConfig(ScheduledConfig):
    """The keys of this trainer; ``training.policies`` and ``training.config`` have the others.

    A round has ``games`` times ``rollout`` decisions.  ``reward`` is ``"outcome"`` or
    ``"relative_score"``.
    """

    data: str = "expert-2p"
    method: str = one_of(("clone", "weighted"), "clone")
    temperature: float = positive(0.5)  # of "weighted", in units of the return
    value_coef: float = positive(0.25)
    reward: str = one_of(RETURNS, "outcome")

    def __post_init__(self) -> None:
        super().__post_init__()
        for one in fields(self):
            if one.name in _OF_PPO and getattr(self, one.name) != one.default:
                raise ConfigError(f"{one.name} has no effect in training.clone, leave it out")


def games_of(config: CloneConfig) -> Games:
    """Load the data set; ConfigError unless its games are those of the configuration."""
    games = load(config.data)
    own, found = config.about.options, games.options
    if config.about.rows is not None:  # rows do not depend on the window
        own = Options(own.num_players, own.volcanoes, own.decisions, found.table_size)
    if own != found:
        raise ConfigError(
            f"data is {config.data!r} with {found}, decisions {found.decisions!r}; the configuration "
            f"is for {own}, decisions {own.decisions!r}"
        )
    return games


class Stream:
    """What a data set shows, epoch after epoch, each in another order."""

    def __init__(self, games: Games, config: CloneConfig) -> None:
        self._games, self._config = games, config
        self._place = np.zeros(2, np.int64)  # epoch, items taken of it

    def __iter__(self) -> Iterator[Decisions]:
        """Yield batches of decisions forever."""
        while True:
            for item in islice(self._epoch(int(self._place[0])), int(self._place[1]), None):
                self._place[1] += 1
                yield item
            self._place[:] = self._place[0] + 1, 0

    def _epoch(self, epoch: int) -> Iterator[Decisions]:
        config = self._config
        return self._games.decisions(
            observation=config.about.rows or "flat",
            returns=config.reward,
            batch=config.batch,
            shuffle=config.seed + 1_000_003 * epoch,
            threads=config.threads,
        )

    def arrays(self) -> Arrays:
        """Return where it is."""
        return {"place": self._place.copy()}

    def restore(self, arrays: Arrays) -> None:
        """Go to where it was; CheckpointError for anything else."""
        check_arrays(arrays, self.arrays())
        self._place[:] = arrays["place"]


class CloneLearner(PolicyLearner):
    """Behaviour cloning, perhaps weighted by the return."""

    config: CloneConfig
    command = "clone"
    config_type = CloneConfig
    algorithm = "learning from a data set"

    def __init__(self, config: CloneConfig) -> None:
        super().__init__(config)
        torch.manual_seed(config.seed)
        self.games = Stream(games_of(config), config)
        self.net = self.module = new_net(config.about, config.width)
        self.optimizer = torch.optim.Adam(self.net.parameters(), eps=1e-5)
        self._factors = factors(config.about)
        self.counts = {"decisions": 0, "gradient_steps": 0}
        self._items = iter(self.games)

    def round(self) -> dict[str, Any]:
        """Learn from the next decisions."""
        rate, rows, learned = self.scheduled("learning_rate"), [], 0
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        while learned < self.config.decisions_per_update:
            with self.watch("environment"):
                seen = next(self._items)
            with self.watch("learning"):
                rows.append(self._learn(seen))
            learned += len(seen.actions)
        self.counts["decisions"] += learned
        return {"learning_rate": rate} | {
            key: float(np.mean([row[key] for row in rows])) for key in rows[0]
        }

    def _learn(self, seen: Decisions) -> dict[str, float]:
        config = self.config
        returns = torch.from_numpy(seen.returns)
        logits, values = self.net(torch.from_numpy(seen.observations) * self._factors)
        masks = torch.from_numpy(seen.action_masks) > 0
        log_probs, entropy = log_prob_and_entropy(logits, masks, torch.from_numpy(seen.actions))
        weights = torch.ones_like(returns)
        if config.method == "weighted":
            weights = torch.softmax(returns / config.temperature, 0) * len(returns)
        policy = -(weights * log_probs).mean()
        value = torch.nn.functional.mse_loss(values, returns)
        self.optimizer.zero_grad(set_to_none=True)
        (policy + config.value_coef * value).backward()
        self.optimizer.step()
        self.counts["gradient_steps"] += 1
        return {
            "loss_policy": policy.item(),
            "loss_value": value.item(),
            "entropy": entropy.mean().item(),
        }


main = partial(loop.main, CloneLearner, __doc__)

if __name__ == "__main__":
    sys.exit(main())
