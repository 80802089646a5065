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
from .batch import UNIT, random_legal
from .timing import Task

SEED = 5  # of a typical game, which the ceiling's masks are from
STEPS = 100


class NothingEnv(AECEnv):
    """The shape of :class:`~cacao_env.envs.aec.raw_env` without a game behind it.

    Hands out copies of one observation, and of the masks of a whole random game one after the other,
    so that drawing an action from them costs what it costs in a real game; agents act in turns.
    Only one thread may use it at a time.
    """

    metadata = {"name": "nothing", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, real: raw_env) -> None:
        super().__init__()
        self.possible_agents = list(real.possible_agents)
        self.observation_spaces = real.observation_spaces
        self.action_spaces = real.action_spaces
        rng = np.random.default_rng(SEED)
        real.reset(seed=SEED)
        self._observation: Any = None
        self._masks: list[Any] = []
        while not real.game.over:
            seen = real.observe(real.agent_selection)
            self._masks.append(seen["action_mask"])
            if self._observation is None or real.game.turn < 11:
                self._observation = seen["observation"]  # in the end one from mid-game
            real.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        self._plies = len(self._masks)

    def observation_space(self, agent: str) -> Any:
        """As the real one's."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """As the real one's."""
        return self.action_spaces[agent]

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
        """The observation and the mask, each a new array."""
        mask = self._masks[self._ply % self._plies]
        return {"observation": self._observation.copy(), "action_mask": mask.copy()}

    def step(self, action: Any) -> None:
        """The next agent's turn; after the last mask all agents are done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._ply += 1
        if self._ply == self._plies:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[self._ply % len(self.possible_agents)]
        self._accumulate_rewards()


def pairs() -> list[tuple[str, AECEnv, AECEnv]]:
    """(name, an environment, its ceiling)."""
    return [
        ("aec_raw", raw_env(), NothingEnv(raw_env())),
        ("aec", env(), wrap(NothingEnv(raw_env()))),
    ]


def groups() -> list[list[Task]]:
    """Each environment beside its ceiling, with either policy."""
    return [
        [
            _task(f"{name}{drawn}", real, policy),
            _task(f"{name}{drawn}_ceiling", ceiling, policy),
        ]
        for drawn, policy in (("", numpy_policy), ("_lean", compiled_policy))
        for name, real, ceiling in pairs()
    ]


def _task(name: str, environment: Any, policy: Callable[[], Callable[[Any], Any]]) -> Task:
    ours = "do-nothing environment" if name.endswith("ceiling") else "raw_env()"
    if not name.startswith("aec_raw"):
        ours = "do-nothing in the same wrappers" if name.endswith("ceiling") else "env()"
    text = f"{ours}: last(), {policy.__doc__}, step(); float32 observation, mask"
    environment.reset(seed=0)
    seen = environment.observe(environment.agent_selection)
    sizes = seen["observation"].nbytes, seen["action_mask"].nbytes
    return Task(f"{name}.p2", UNIT, text, loop(environment, policy()), 1, 1, *sizes)


def loop(environment: Any, choose: Callable[[Any], Any]) -> Callable[[], int]:
    """Return work that takes ``STEPS`` steps of PettingZoo's loop; ``choose``: mask -> action."""

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


def numpy_policy() -> Callable[[Any], Any]:
    """action drawn by rng.choice(np.flatnonzero(mask))"""
    rng = np.random.default_rng(0)
    return lambda mask: rng.choice(np.flatnonzero(mask))


def compiled_policy() -> Callable[[Any], Any]:
    """action drawn from the mask in compiled code"""
    rng = new_rng(0)
    return lambda mask: random_legal(mask, rng)
