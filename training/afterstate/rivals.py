"""Who a learner meets besides itself, in compiled code: greedy, or a value network."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cacao_env.agents.checkpoint import CheckpointError, find
from cacao_env.agents.value.checkpoint import load_value
from cacao_env.agents.value.checkpoint_agent import SEARCH_PARAMETERS, split_search
from cacao_env.agents.value.net import Net

from .games import GREEDY_RIVAL, NET_RIVAL, NO_RIVAL


class Rival(NamedTuple):
    """One of the kinds that :class:`training.afterstate.games.Behaviour` knows, and what that needs."""

    kind: int
    net: Net | None = None
    sims: int = 0


def rival_of(name: str) -> Rival:
    """A rival by its name; ValueError for one that compiled games can't have."""
    if name == "":
        return Rival(NO_RIVAL)
    if name == "greedy":
        return Rival(GREEDY_RIVAL)
    base, search = split_search(name)
    net, _ = load_value(folder_of(base))
    if search is None:
        return Rival(NET_RIVAL, net)
    told = {key for key in search if search[key] != SEARCH_PARAMETERS[key].default}
    if told - {"sims", "ms"} or search["ms"]:
        raise CheckpointError(f"{name!r} as a rival: expected +search:sims=N and nothing else")
    return Rival(NET_RIVAL, net, int(search["sims"]))


def folder_of(name: str) -> Path:
    """Where a checkpoint lies; CheckpointError if there is none."""
    folder = find(name)
    if folder is None:
        raise CheckpointError(f"there is no checkpoint {name!r}")
    return folder
