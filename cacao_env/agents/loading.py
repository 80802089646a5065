"""Load agents that are no bots: networks, policies, agents of other packages, your own classes.

A name is, in this order,

- a checkpoint, shipped or in a folder, with or without search: ``trinitario``,
  ``runs/quickstart+search:ms=16``;
- a policy as an ONNX file (:mod:`.onnx`): ``my_policy.onnx``;
- an agent of an installed package: the name of an entry point in the group ``cacao_env.agents`` that
  loads an :class:`~cacao_env.agent.Agent`, or a class made with ``seed=`` that has ``act(game)``;
- ``module:Class``, such a class or an Agent of your own, where code may be loaded.

Code of your own says by a text ``version`` which of its results may be used again.
"""

from __future__ import annotations

import difflib
import importlib
import os
import site
import sys
from importlib.metadata import EntryPoint, entry_points
from itertools import takewhile
from pathlib import Path
from typing import Any

from ..agent import Agent, AgentError, WrappedAgent, explained
from ..checks import as_path, in_short
from .bots import BOTS
from .checkpoint import MANIFEST, VALUE_NET, find, is_path, read_manifest, shipped_names
from .onnx import load_policy
from .value.checkpoint import load_value_agent
from .value.search import SEARCH, split_search

GROUP = "cacao_env.agents"
_PACKAGE = __name__.partition(".")[0]


def load(name: str, allow_code: bool = False) -> Agent:
    """Load an agent that is no bot and no language model, as :mod:`cacao_env.registry` asks for it."""
    head = name.partition(":")[0]
    try:
        folder = find(name)  # a folder may be called anything
        base, search = (name, None) if folder else split_search(name)
        folder = folder or find(base)
        if folder is None and is_path(base) and as_path(base).is_dir():
            folder = as_path(base)
    except OSError as error:  # too long a name for the system
        raise AgentError(f"agent {in_short(name)} can't be found: {error.strerror}") from None
    if folder is not None:
        manifest = read_manifest(folder)
        if manifest.get("network") == VALUE_NET:
            return load_value_agent(folder, manifest["name"] + name.removeprefix(base), search)
        if search is not None:
            raise AgentError(f"{name!r}: only value networks search")
        return load_policy(folder)
    if name.endswith(".onnx") and as_path(name).exists():
        return load_policy(as_path(name))
    plugin = _plugins(anywhere=allow_code).get(name)
    if plugin is not None:
        with explained(f"{name}: {plugin.value} can't be loaded"):
            found = plugin.load()
        return _from_class(name, found)
    if ":" in name and all(part.isidentifier() for part in head.split(".")):
        if not allow_code:
            raise AgentError(f"{name!r} names code, which only the command line may load")
        return _from_class(name, _find_class(name))
    if (Path(base) / MANIFEST).is_file():
        raise AgentError(f"there is no agent {name!r}; a checkpoint's folder is named as ./{name}")
    near = difflib.get_close_matches(head, [*BOTS, *(known for known, _ in installed_agents())], 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise AgentError(
        f"there is no agent {name!r}: neither a bot ({', '.join(sorted(BOTS))}), nor the folder of a "
        f"checkpoint, nor an ONNX file, nor an entry point in the group {GROUP}, nor a class "
        f"(module:Class){hint}"
    )


def installed_agents() -> list[tuple[str, str]]:
    """Return (name, description) of the shipped checkpoints, best first, then of installed packages."""
    found = []
    for name in shipped_names():
        folder = find(name)
        assert folder is not None
        manifest = read_manifest(folder)
        rules = manifest["rules"]
        players = ", ".join(str(n) for n in rules.get("players", [rules.get("num_players")]))
        if manifest["network"] == VALUE_NET:
            found.append(
                (f"{name}{SEARCH}:ms=200", f"value network with search, {players} players")
            )
        found.append((name, f"network, {players} players"))
    return found + [(name, point.value) for name, point in _plugins().items()]


def _plugins(anywhere: bool = False) -> dict[str, EntryPoint]:
    """Return the entry points of packages in the interpreter's own folders, or on all of its path.

    The path has the current folder too: a run folder that was copied there may bring a package.
    """
    found = entry_points(group=GROUP)
    return {point.name: point for point in found if anywhere or _is_installed(point)}


def _is_installed(point: EntryPoint) -> bool:
    homes = (*site.getsitepackages(), site.getusersitepackages())
    place = point.dist and Path(str(point.dist.locate_file(""))).resolve()
    return place in [Path(home).resolve() for home in homes]


def _find_class(name: str) -> Any:
    module_name, _, class_name = name.partition(":")
    if not sys.flags.safe_path and {"", os.getcwd()}.isdisjoint(sys.path):
        sys.path.insert(0, os.getcwd())  # as ``python -m`` does
    with explained(f"{name}: module {module_name!r} can't be imported"):
        module = importlib.import_module(module_name)
    found = getattr(module, class_name, None)
    if not isinstance(found, type | Agent):
        raise AgentError(f"{name}: module {module_name!r} has no class or agent {class_name!r}")
    return found


def _from_class(name: str, found: Any) -> Agent:
    """Return an agent for an Agent, a subclass of it, or a class with ``act(game)``."""
    if isinstance(found, Agent):
        return _with_own_version(name, found)
    arguments = {} if isinstance(found, type) and issubclass(found, Agent) else {"seed": 0}
    with explained(f"{name} can't be made{' with seed=0' if arguments else ''}"):
        made = found(**arguments)
    if not isinstance(made, Agent):
        if not callable(getattr(made, "act", None)):
            raise AgentError(f"{name} has no method act(game)")
        made = WrappedAgent(name, found)
    if not isinstance(getattr(made, "name", None), str):
        raise AgentError(f"{name} has no attribute name, expected text")
    return _with_own_version(name, made)


def _with_own_version(name: str, agent: Agent) -> Agent:
    """Drop a version that a class from outside inherits: it was not said of this class."""
    kinds = type(agent).__mro__
    own = list(takewhile(lambda kind: kind.__module__.partition(".")[0] != _PACKAGE, kinds))
    said = own and (
        "version" in vars(own[0]) or (kinds[len(own)] is Agent and "version" in vars(agent))
    )
    if own and not said:
        agent.version = ""
    if not isinstance(agent.version, str):
        raise AgentError(f"{name} has version {in_short(agent.version)}, expected text")
    return agent
