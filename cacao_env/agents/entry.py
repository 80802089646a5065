"""Checkpoints as opponents inside the environments: ``opponents="runs/quickstart"``.

``cacao_env`` finds :func:`load_opponent` through the entry point group ``cacao_env.agents`` and
:func:`shipped_names` through ``cacao_env.agent_names``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from cacao_env import Game
from cacao_env.agents.analysis import Analysis
from training.zoo.folder import names, shipped

from .agent import Agent
from .checkpoint import VALUE_NET
from .registry import load_agent
from .value.checkpoint_agent import SEARCH


class AgentOpponent:
    """An agent that plays one game at a time, on one seat after the other."""

    def __init__(self, agent: Agent, seed: int) -> None:
        self.name = agent.name
        self._agent, self._seed = agent, seed

    @cached_property
    def _kept(self) -> Any:
        """What the agent keeps for a seat; made at its first decision, for it may compile much."""
        return self._agent.begin(self._seed)

    def check(self, num_players: int, volcanoes: bool) -> None:
        """ValueError unless the agent plays such games."""
        self._agent.check(num_players, volcanoes)

    def act(self, game: Game) -> int:
        """The agent's action."""
        return int(self._agent.act([game], [self._kept])[0])

    def analyze(self, game: Game) -> Analysis:
        """What the agent makes of the position."""
        return self._agent.analyze(game, self._kept)


def load_opponent(name: str, seed: int) -> AgentOpponent:
    """A checkpoint by its folder; ValueError says what there is."""
    return AgentOpponent(load_agent(name), seed)


def shipped_names() -> list[tuple[str, str]]:
    """(name, what it is) of the shipped checkpoints, the recommended one first."""
    found = []
    for name in names():
        manifest = shipped(name).manifest
        rules = manifest["rules"]
        players = ", ".join(str(n) for n in rules.get("players", [rules.get("num_players")]))
        if manifest["network"] == VALUE_NET:
            found.append(
                (f"{name}{SEARCH}:ms=200", f"value network with search, {players} players")
            )
        found.append((name, f"network, {players} players"))
    return found
