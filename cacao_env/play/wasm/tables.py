"""What the page reads beside the module: offsets, tables of tiles, numbers of actions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import actions, notation, state
from ...engine.geometry import DEFAULT_TABLE, SIDE_NAMES, TORUS
from ...engine.options import ASKED
from ...engine.tiles import (
    ACTION_CLASS,
    ACTION_VALUE,
    CACAO_PLACES,
    DISPLAY_SIZE,
    EDGES,
    HAND_SIZE,
    JUNGLE_KINDS,
    JUNGLE_SUPPLY_BY_CODE,
    START_TILES,
    SUN_PLACES,
    TEMPLE_FIRST,
    TEMPLE_SECOND,
    VARIANTS,
    VOLCANO_GOLD,
    WATER_TRACK,
    WORKER_KINDS,
    WORKER_SUPPLY,
)
from ...gold_sources import SOURCES

_DOES = ("nothing", "harvest", "sell", "mine", "water", "sun", "erupt")  # by class of action


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
        "worker_kinds": WORKER_KINDS,
        "worker_supply": WORKER_SUPPLY.tolist(),  # [players][kind]
        "variants": [
            {"tile": kind, "turn": turn, "edges": edges}
            for (kind, turn), edges in zip(VARIANTS, EDGES.tolist(), strict=True)
        ],
        "jungle_kinds": [
            {"name": kind, "does": _DOES[ACTION_CLASS[code]], "value": int(ACTION_VALUE[code])}
            for code, kind in enumerate(JUNGLE_KINDS, 1)
        ],
        "jungle_supply": JUNGLE_SUPPLY_BY_CODE[:, :, 1:].tolist(),  # [players][volcanoes][kind]
        "start_tiles": START_TILES,
        "volcano_gold": VOLCANO_GOLD.tolist(),  # [orientation][side]
        "water_track": WATER_TRACK.tolist(),
        "cacao_places": CACAO_PLACES,
        "sun_places": SUN_PLACES,
        "hand_size": HAND_SIZE,
        "display_size": DISPLAY_SIZE,
        "temple_gold": [TEMPLE_FIRST, TEMPLE_SECOND],
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
