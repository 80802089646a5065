"""Whether samples from a file are such as games give: compiled learning trusts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cacao_env.agents.checkpoint import CheckpointError
from cacao_env.agents.value.features import ALONE, LAYOUT, NO_ROW
from cacao_env.agents.value.patterns import NUM_PATTERNS
from cacao_env.engine.tiles import MAX_PLAYERS, MIN_PLAYERS

from ..state import check_arrays
from .games import KEPT_ROWS, Samples, new_samples


def sound_samples(given: Mapping[str, Any]) -> Samples:
    """Return samples; CheckpointError unless every number in them is one that a game can give."""
    count = len(given["stage"]) if np.ndim(given.get("stage", 0)) == 1 else 0
    check_arrays(given, new_samples(count)._asdict())
    samples = Samples(**{name: given[name] for name in Samples._fields})
    if count == 0 or not _are_sound(samples):
        raise CheckpointError("the state can't be used: its samples are not those of games")
    return samples


def _are_sound(s: Samples) -> bool:
    """Patterns come first, those of open cells before others, then other rows, then padding."""
    place, rows = np.arange(KEPT_ROWS), s.rows
    counts = (rows != NO_ROW).sum(1)
    inside, pattern, opened = (place < n[:, None] for n in (counts, s.patterns, s.open_cells))
    return bool(
        ((rows != NO_ROW) == inside).all()
        and (rows <= NO_ROW).all()
        and (s.patterns <= counts).all()
        and (s.open_cells <= s.patterns).all()
        and ((rows < ALONE) == pattern).all()
        and (rows[opened] < NUM_PATTERNS).all()
        and (s.stage < LAYOUT.num_stages).all()
        and (s.players >= MIN_PLAYERS).all()
        and (s.players <= MAX_PLAYERS).all()
        and (s.win_shares >= 0).all()
        and (s.win_shares <= 1 + 1e-5).all()
    )
