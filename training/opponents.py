"""Checkpoints as opponents inside the environments: ``opponents="runs/quickstart"``.

``cacao_env`` finds :func:`load_opponent` through the entry point group ``cacao_env.agents``.
"""

from __future__ import annotations

from cacao_env import Game

from .agents import Agent, load_agent


class AgentOpponent:
    """An agent that plays one game at a time."""

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self._agent = agent

    def act(self, game: Game) -> int:
        """The agent's action."""
        return self._agent.act([game])[0]


def load_opponent(name: str, seed: int) -> AgentOpponent:
    """A checkpoint by its folder; ValueError says what there is."""
    return AgentOpponent(load_agent(name, seed))
