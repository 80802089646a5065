"""PettingZoo's loop over our environment, and over one of the same shape that does nothing.

The second is the ceiling: the cost of PettingZoo, the loop and the policy.  It has the same agents and
spaces, returns new arrays of the same sizes in the same dicts, maintains the dicts that PettingZoo
requires, and has the same wrappers, PettingZoo's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from ..engine.rng import new_rng
from ..envs.aec import env, raw_env, wrap
from .timing import Row, Work

SEED = 5  # of a typical game, which the ceiling's masks are from
STEPS = 100
Policy = Callable[[Any], Any]  # mask -> action


class NothingEnv(AECEnv):
    """The shape of :class:`~cacao_env.envs.aec.raw_env` without a game behind it.

    Hands out copies of one observation, and of the masks of a whole random game one after the other,
    so that drawing an action from them costs what it costs in a real game; agents act in turns.
    """

    metadata = {"name": "nothing", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, real: raw_env) -> None:
        super().__init__()
        self.possible_agents = list(real.possible_agents)
        self.observation_spaces, self.action_spaces = real.observation_spaces, real.action_spaces
        self.observation_space, self.action_space = real.observation_space, real.action_space
        rng, seen = np.random.default_rng(SEED), []
        real.reset(seed=SEED)
        while not real.game.over:
            seen.append(real.observe(real.agent_selection))
            real.step(int(rng.choice(np.flatnonzero(seen[-1]["action_mask"]))))
        self._observation = seen[len(seen) // 2]["observation"]
        self._masks = [one["action_mask"] for one in seen]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin again."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._ply = 0

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation and the mask, each a new array."""
        mask = self._masks[self._ply % len(self._masks)]
        return {"observation": self._observation.copy(), "action_mask": mask.copy()}

    def step(self, action: Any) -> None:
        """Let the next agent act; after the last mask all agents are done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._ply += 1
        if self._ply == len(self._masks):
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[self._ply % len(self.possible_agents)]
        self._accumulate_rewards()


def pairs() -> list[tuple[str, AECEnv, AECEnv]]:
    """Return (name, an environment, its ceiling)."""
    return [
        ("aec_raw", raw_env(), NothingEnv(raw_env())),
        ("aec", env(), wrap(NothingEnv(raw_env()))),
    ]


def groups(random_legal: Callable[[Any, Any], Any]) -> list[tuple[Row, Row]]:
    """Return each environment beside its ceiling, with either policy."""
    rng = new_rng(0)
    policies: tuple[tuple[str, str, Policy], ...] = (
        ("", "action drawn by rng.choice(np.flatnonzero(mask))", numpy_policy()),
        ("_lean", "action drawn from the mask in compiled code", lambda m: random_legal(m, rng)),
    )
    return [
        (
            _row(f"{name}{lean}.p2", f"{real.metadata['name']}", drawn, real, policy),
            _row(f"{name}{lean}_ceiling.p2", "do-nothing environment", drawn, ceiling, policy),
        )
        for lean, drawn, policy in policies
        for name, real, ceiling in pairs()
    ]


def _row(name: str, whose: str, drawn: str, environment: Any, policy: Policy) -> Row:
    text = f"{whose}: last(), {drawn}, step(); float32 observation, mask"
    environment.reset(seed=0)
    seen = environment.observe(environment.agent_selection)
    sizes = seen["observation"].nbytes, seen["action_mask"].nbytes
    return Row(name, "decisions/s", text, loop(environment, policy), 1, 1, *sizes)


def loop(environment: Any, choose: Policy) -> Work:
    """Return work that takes ``STEPS`` steps of PettingZoo's loop."""

    def work() -> int:
        decisions = 0
        for _ in range(STEPS):
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                environment.reset()
                continue
            environment.step(choose(observation["action_mask"]))
            decisions += 1
        return decisions

    return work


def numpy_policy() -> Policy:
    """Return the README's policy."""
    rng = np.random.default_rng(0)
    return lambda mask: rng.choice(np.flatnonzero(mask))
