"""All seats of one game as RLlib's multi-agent environment; only the deciding agent acts."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from cacao_env import cacao_v0

OPTIONS = ("num_players", "table_size", "volcanoes", "reward")


class CacaoTable(MultiAgentEnv):
    """Agents ``player_0`` ...; ``config`` has some of OPTIONS, as ``cacao_v0.env`` takes them.

    Observations: ``observations`` uint8 (L,), raw, and ``action_mask`` int8 (N,).  Every step reports
    the rewards of all agents.  Only one thread may use it at a time.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__()
        given = {key: value for key, value in dict(config or {}).items() if key in OPTIONS}
        self._game = cacao_v0.raw_env(observation_dtype="uint8", **given)
        self.possible_agents = list(self._game.possible_agents)
        self.agents = list(self.possible_agents)
        space: Any = self._game.observation_space(self.agents[0])
        shared = gymnasium.spaces.Dict(
            {"observations": space["observation"], "action_mask": space["action_mask"]}
        )
        self.observation_spaces = dict.fromkeys(self.agents, shared)
        self.action_spaces = {name: self._game.action_space(name) for name in self.agents}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal a game."""
        self._game.reset(seed=seed)
        self.agents = list(self.possible_agents)
        return self._seen(), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the decision of the agent whose turn it is."""
        ((name, action),) = action_dict.items()
        if name != self._game.agent_selection:
            raise ValueError(f"it is not {name}'s turn, but {self._game.agent_selection}'s")
        self._game.step(int(action))
        over = all(self._game.terminations.values())
        rewards = {who: float(self._game.rewards[who]) for who in self.possible_agents}
        done = {"__all__": over} | (dict.fromkeys(self.possible_agents, True) if over else {})
        seen = {} if not over else {who: self._nothing() for who in self.possible_agents}
        return (seen if over else self._seen()), rewards, done, {"__all__": False}, {}

    def _seen(self) -> dict[str, Any]:
        name = self._game.agent_selection
        found = self._game.observe(name)
        return {name: {"observations": found["observation"], "action_mask": found["action_mask"]}}

    def _nothing(self) -> dict[str, Any]:
        """The observation after the end, which no network evaluates."""
        space: Any = self.observation_spaces[self.possible_agents[0]]
        count = space["action_mask"].shape[0]
        return {
            "observations": np.zeros(space["observations"].shape, np.uint8),
            "action_mask": np.ones(count, np.int8),
        }
