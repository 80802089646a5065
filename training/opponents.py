"""Checkpoints as opponents inside the environments: ``opponents="runs/quickstart"``.

``cacao_env`` finds :func:`load_opponent` through the entry point group ``cacao_env.agents``.
"""

from __future__ import annotations

from cacao_env import Game

from .agent import Agent
from .agents import load_agent


class AgentOpponent:
    """An agent that plays one game at a time, on one seat after the other."""

    def __init__(self, agent: Agent, seed: int) -> None:
        self.name = agent.name
        self._agent, self._kept = agent, agent.begin(seed)

    def act(self, game: Game) -> int:
        """The agent's action."""
        return int(self._agent.act([game], [self._kept])[0])


def load_opponent(name: str, seed: int) -> AgentOpponent:
    """A checkpoint by its folder; ValueError says what there is."""
    return AgentOpponent(load_agent(name), seed)
