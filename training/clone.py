"""Learn a policy from a data set of games, without playing, and measure the result.

    python -m training.clone --config configs/clone.toml
    python -m training.clone --config configs/clone.toml --set method=weighted --set data=greedy-2p

``method``: ``"clone"`` learns to choose as the data set's players did (behaviour cloning);
``"weighted"`` the same, and counts a decision by exp(return / temperature), so that winners count more;
``"cql"`` learns the values of rows by discrete conservative Q-learning (Kumar et al., 2020), with the
library d3rlpy.  ``--resume`` continues exactly.
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

from cacao_env.agents.checkpoint import CheckpointError
from cacao_env.checks import need
from cacao_env.data import Decisions, Games, load
from cacao_env.data.games import RETURNS
from cacao_env.engine.options import Options

from . import loop
from .config import ConfigError, one_of, positive
from .masked import log_prob_and_entropy
from .networks import PolicyNet, factors, net_shapes, new_net
from .policies import PolicyLearner, ScheduledConfig
from .state import Arrays, check_arrays, check_shapes, named

CHUNK = 64  # games whose transitions are mixed


@dataclass(frozen=True)
class CloneConfig(ScheduledConfig):
    """The keys of this trainer; ``training.policies`` and ``training.config`` have the others.

    A round has ``games`` times ``rollout`` decisions.  ``reward`` is ``"outcome"`` or
    ``"relative_score"``.
    """

    data: str = "expert-2p"
    method: str = one_of(("clone", "weighted", "cql"), "clone")
    temperature: float = positive(0.5)  # of "weighted", in units of the return
    value_coef: float = positive(0.25)
    conservatism: float = positive(1.0)  # of "cql": d3rlpy's alpha
    target_steps: int = positive(500)  # of "cql": between two copies to the target network
    reward: str = one_of(RETURNS, "outcome")

    def __post_init__(self) -> None:
        """Check the keys."""
        super().__post_init__()
        unused = {"epochs", "clip_range", "gae_lambda", "entropy_coef", "final_entropy_coef"}
        unused |= {"gamma"} if self.method != "cql" else set()
        for one in fields(self):
            if one.name in unused and getattr(self, one.name) != one.default:
                raise ConfigError(
                    f"{one.name} has no effect with method={self.method!r}, leave it out"
                )
        if self.method == "cql" and self.about.rows is None:
            raise ConfigError("method is 'cql', expected observation to be 'candidates'")


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
        """Yield forever: batches of decisions; for "cql" all decisions of some games, in order."""
        while True:
            for item in islice(self._epoch(int(self._place[0])), int(self._place[1]), None):
                self._place[1] += 1
                yield item
            self._place[:] = self._place[0] + 1, 0

    def _epoch(self, epoch: int) -> Iterator[Decisions]:
        config, games, rows = self._config, self._games, self._config.about.rows
        seed = config.seed + 1_000_003 * epoch
        form: Any = {"observation": rows or "flat", "returns": config.reward}
        if config.method != "cql":
            form |= {"batch": config.batch, "shuffle": seed, "threads": config.threads}
            yield from games.decisions(**form)
            return
        order = np.random.default_rng(seed).permutation(len(games))
        for first in range(0, len(order), CHUNK):
            found = list(games.take(order[first : first + CHUNK]).episodes(**form))
            if not found:  # no decision has a row
                continue
            yield Decisions(*(np.concatenate(column) for column in zip(*found)))

    def arrays(self) -> Arrays:
        """Return where it is."""
        return {"place": self._place.copy()}

    def restore(self, arrays: Arrays) -> None:
        """Go to where it was; CheckpointError for anything else."""
        check_arrays(arrays, self.arrays())
        if (arrays["place"] < 0).any():
            raise CheckpointError("the place in the data set is below 0")
        self._place[:] = arrays["place"]


class Conservative:
    """Discrete CQL of d3rlpy over the values of rows."""

    def __init__(self, learner: CloneLearner) -> None:
        config = learner.config
        library = need("d3rlpy", "d3rlpy", "offline")
        from d3rlpy.algos.qlearning.torch.cql_impl import DiscreteCQLImpl
        from d3rlpy.algos.qlearning.torch.dqn_impl import DQNModules
        from d3rlpy.models.torch.q_functions import ensemble_q_function, mean_q_function
        from d3rlpy.optimizers.optimizers import OptimizerWrapper

        class Values(torch.nn.Module):
            """The logits of a network as values; rows without a choice have the least."""

            def __init__(self, net: PolicyNet) -> None:
                super().__init__()
                self.net = net

            def forward(self, rows: torch.Tensor) -> Any:
                values = torch.where(rows[:, :-1, 0] > 0, self.net(rows)[0], -1e3)
                return library.models.torch.q_functions.QFunctionOutput(values, None, None)

        rows = config.about.rows
        assert rows is not None
        own, target = (Values(net) for net in (learner.net, new_net(config.about, config.width)))
        learner.module = torch.nn.ModuleList([own, target])
        parameters = list(learner.net.parameters())
        wrapped = OptimizerWrapper(parameters, learner.optimizer, compiled=False)
        forwarders = (
            ensemble_q_function.DiscreteEnsembleQFunctionForwarder(
                [mean_q_function.DiscreteMeanQFunctionForwarder(one, rows.rows)], rows.rows
            )
            for one in (own, target)
        )
        lists = (torch.nn.ModuleList([one]) for one in (own, target))
        self._algorithm = DiscreteCQLImpl(
            rows.shape,
            rows.rows,
            DQNModules(*lists, wrapped),
            *forwarders,
            target_update_interval=config.target_steps,
            gamma=config.gamma,
            alpha=config.conservatism,
            compiled=False,
            device="cpu",
        )
        self._batch = library.torch_utility.TorchMiniBatch
        self._learner = learner

    def learn(self, seen: Decisions) -> dict[str, float]:
        """Take a step for each batch of the transitions in some games, mixed."""
        last = np.append((np.diff(seen.games) != 0) | (np.diff(seen.seats) != 0), True)
        following = np.where(last, 0, np.arange(len(last)) + 1)  # what ends is followed by nothing
        rewards, found = np.where(last, seen.returns, 0).astype(np.float32), []
        config, counts = self._learner.config, self._learner.counts
        key = [config.seed, counts["gradient_steps"]]
        order = np.random.default_rng(key).permutation(len(last))
        for some in np.array_split(order, max(1, len(order) // config.batch)):
            columns = (
                *(seen.observations[some], seen.actions[some, None], rewards[some, None]),
                *(seen.observations[following[some]], seen.actions[following[some], None]),
                *(np.zeros((len(some), 1)), last[some, None], np.ones((len(some), 1))),
            )
            tensors = [torch.from_numpy(one.astype(np.float32)) for one in columns]
            counts["gradient_steps"] += 1
            step = counts["gradient_steps"]
            found.append(self._algorithm.update(self._batch(*tensors, "cpu"), step))
        means = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
        return {"loss_policy": means["conservative_loss"], "loss_value": means["td_loss"]}


class CloneLearner(PolicyLearner):
    """Behaviour cloning, perhaps weighted by the return, or :class:`Conservative` learning."""

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
        self._learn = Conservative(self).learn if config.method == "cql" else self._clone
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

    def _clone(self, seen: Decisions) -> dict[str, float]:
        """Take one step."""
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

    @classmethod
    def check(cls, config: Any, arrays: Arrays) -> None:
        """Raise CheckpointError unless a state has weights of such a network."""
        prefix = "net.0.net" if config.method == "cql" else cls.prefix
        check_shapes(arrays, named(prefix, net_shapes(config.about, config.width)))


main = partial(loop.main, CloneLearner, __doc__)

if __name__ == "__main__":
    sys.exit(main())
