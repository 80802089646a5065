"""The names of agents: environments and programs load an agent by its name, and know no agent.

Agents register here, as environments do with Gymnasium: the word with which a name begins, and the
function that loads it, ``module:function``.  The module is imported when such an agent is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from .agent import Agent, AgentError, WrappedAgent
from .checks import in_short

MOST = 2000  # characters of a name, which may have a path and parameters
ALL = ""  # the word that stands for all names that nobody else loads
_loaders: dict[str, str] = {}


def register(word: str, function: str) -> None:
    """Register what loads the agents whose name is ``word``, or ``word:`` and more; ALL for others.

    ``function``, ``module:name``, takes a name and ``allow_code`` and returns an
    :class:`~cacao_env.agent.Agent`, or raises AgentError.
    """
    _loaders[word] = function


def load_agent(name: str, allow_code: bool = False) -> Agent:
    """Load an agent by its name; AgentError explains why a name can't be loaded.

    ``allow_code``: whether ``module:Class`` may import a module.  Pass True only for a name that the
    user typed, never for one from a record or a request.
    """
    if not isinstance(name, str) or not name or len(name) > MOST:
        raise AgentError(
            f"the name of an agent is {in_short(name)}, expected text of 1 to {MOST} characters"
        )
    module, _, function = _loaders.get(name.partition(":")[0], _loaders[ALL]).partition(":")
    agent: Agent = getattr(import_module(module), function)(name, allow_code)
    return agent


def load_agents(names: Sequence[str], allow_code: bool = False) -> list[Agent]:
    """Load several agents; raise AgentError if two have the same name."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise AgentError(f"names is {in_short(names)}, expected a list of names")
    agents = [load_agent(name, allow_code) for name in names]
    for number, agent in enumerate(agents):
        if agent.name in [other.name for other in agents[:number]]:
            same = names[[other.name for other in agents].index(agent.name)]
            raise AgentError(
                f"agent {agent.name!r} is given twice; an agent is measured against others"
                if same == names[number]
                else f"{same!r} and {names[number]!r} both have the name {agent.name!r}; expected "
                "another name in the manifest of one"
            )
    return agents


def as_agent(one: Any) -> Agent:
    """Return an agent for an agent, a name, or an object with ``act(game)``; AgentError otherwise."""
    if isinstance(one, Agent):
        return one
    if isinstance(one, str):
        return load_agent(one)
    if can_act(one):
        return WrappedAgent(type(one).__name__, partial(_given, one))
    raise AgentError(
        f"{one!r} is not an agent, expected a name, an Agent or an object with act(game)"
    )


def can_act(one: Any) -> bool:
    """Return whether an object, not only its class, has ``act``."""
    return callable(getattr(one, "act", None)) and not isinstance(one, type)


def _given(one: Any, seed: int) -> Any:
    """Return the one object that there is, for every seat."""
    return one
