"""What the page reads beside the module: offsets, tables of tiles, numbers of actions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...agents import endgame
from ...agents.bots import BOTS, FORECAST
from ...agents.halving import CHUNK_SECONDS
from ...agents.utility import UNIT
from ...agents.value import search
from ...agents.value.agent import SPREAD
from ...engine import actions, notation, state, tiles
from ...engine.geometry import DEFAULT_TABLE, SIDE_NAMES, TORUS
from ...engine.options import ASKED, PLAYERS
from ...evaluation import judge, luck
from ...gold_sources import SOURCES
from .. import review
from .entries import MANIFEST, NET, NETWORK

_BOTS = ("mc", "greedy", "random")


def layout_of(dtype: np.dtype[Any]) -> dict[str, Any]:
    """Return [offset in bytes, type, how many] of each field of a record."""
    assert dtype.fields is not None
    found = {}
    for name, (of_field, offset, *_) in dtype.fields.items():
        kind = of_field.base.str[1:] if of_field.base.fields is None else "bytes"
        count = math.prod(of_field.shape) * (of_field.base.itemsize if kind == "bytes" else 1)
        found[name] = [offset, kind, count]
    return found


def tables() -> dict[str, Any]:
    """Return the numbers and names of the rules."""
    return {
        "players": sorted(DEFAULT_TABLE),
        "worker_kinds": tiles.WORKER_KINDS,
        "worker_supply": tiles.WORKER_SUPPLY.tolist(),  # [players][kind]
        "variants": [
            {"tile": kind, "turn": turn, "edges": edges}
            for (kind, turn), edges in zip(tiles.VARIANTS, tiles.EDGES.tolist(), strict=True)
        ],
        "jungle_kinds": [{"name": kind} for kind in tiles.JUNGLE_KINDS],
        # [players][volcanoes][kind]
        "jungle_supply": tiles.JUNGLE_SUPPLY_BY_CODE[:, :, 1:].tolist(),
        "water_track": tiles.WATER_TRACK.tolist(),
        "sides": SIDE_NAMES,
        "sources": SOURCES,
    }


_REASONS = (
    *("NO_SUCH_ACTION", "GAME_OVER", "WRONG_PHASE", "NOT_IN_HAND", "NOT_A_PLACE", "NOT_TO_FILL"),
    *("NO_SUCH_TILE", "DUPLICATE", "NOT_PENDING", "TOO_MANY", "FORCED"),
)


def codes() -> dict[str, Any]:
    """Return the numbers by which states and actions name things."""
    reasons = {getattr(actions, name): name.lower() for name in _REASONS}
    return {
        "torus": TORUS,
        "table_size": DEFAULT_TABLE,
        "decisions": ASKED,
        "phases": state.PHASE_NAMES,
        "overbuilt": state.OVERBUILT,
        "fill_actions": actions.FILL_ACTIONS,
        "act_actions": actions.ACT_ACTIONS,
        "reasons": {
            code: {"name": name, "sentence": notation.REASONS.get(code, "")}
            for code, name in reasons.items()
        },
    }


def settings() -> dict[str, Any]:
    """Return the numbers by which agents, searches and reviews work."""
    mc = BOTS["mc"].parameters
    of_search = (
        *("CANDIDATES", "TURNS", "NEAR", "PRIOR", "EXACT", "EARLIER", "WEIGHTS", "EXACT_WEIGHT"),
        *("MOST", "LEAST", "PACE", "ONE_PLY", "NODES_A_MS", "NODES_A_SIM", "TOLD"),
    )
    of_review = ("INACCURACY", "BLUNDER", "LAST", "TOP", "WITHIN", "CHOOSING", "COMPARING")
    return {
        "nodes": endgame.NODES,
        "nodes_to_judge": endgame.NODES_TO_JUDGE,
        "last_tried": state.ACT,
        "max_turns": tiles.MAX_TURNS,
        "spread": SPREAD,
        "unit": UNIT,
        "chunk_ms": 1000 * CHUNK_SECONDS,
        "forecast": FORECAST,
        "mc": {name: parameter.default for name, parameter in mc.items()},
        "network": {"name": NETWORK, "top": NET.top, "inner": NET.inner},
        "search": {name.lower(): getattr(search, name) for name in of_search},
        "review": {name.lower(): getattr(review, name) for name in of_review}
        | {"look": judge.LOOK},
        "luck_by": luck.NET,
    }


def agents() -> list[dict[str, Any]]:
    """Return the agents in the page, the best first, with the games that each plays."""
    rules = MANIFEST["rules"]
    volcanoes = [False, True] if rules["volcanoes"] else [False]
    network = {
        "name": NETWORK,
        "players": rules["players"],
        "volcanoes": volcanoes,
        "network": True,
    }
    bots = [{"name": name, "players": PLAYERS, "volcanoes": [False, True]} for name in _BOTS]
    searches = (NETWORK, "mc")
    return [one | {"search": one["name"] in searches} for one in [network, *bots]]
