"""The observation and action tables as Markdown and as data, made from the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..engine.actions import ACT_ACTIONS, FILL_ACTIONS, place_actions
from ..engine.observation import CHANNELS, layout
from ..engine.options import Options
from ..engine.tiles import NUM_VARIANTS, VARIANTS
from ..greedy.columns import COLUMNS, CONTEXT_COLUMNS, ROW_COLUMNS
from ..tables import DataTable

_BLOCKS = {
    "place": f"worker cell of the window × {NUM_VARIANTS} + variant; on an own tile it overbuilds",
    "fill": "side of the tile just placed × 4 + display slot × 2 + orientation",
    "act": "side of the tile just placed × 16 + side of the jungle tile there × 4 + workers",
}


def data(num_players: int = 2, table_size: int | None = None) -> dict[str, Any]:
    """Return what the tables say as plain data; the size None is the default."""
    options = Options(num_players, table_size=table_size)
    players, size = options.num_players, options.table_size
    fills = int(place_actions(size))
    ends = (fills, fills + FILL_ACTIONS, fills + FILL_ACTIONS + ACT_ACTIONS)
    owners = ["the observer", *(f"relative seat {seat}" for seat in range(1, players))]
    channels = [
        *CHANNELS,
        *((f"owner_{seat}", 1, f"worker tile of {whose}") for seat, whose in enumerate(owners)),
    ]
    return {
        "options": options.as_dict(),
        "num_actions": options.num_actions,
        "actions": _named("block start stop", zip(_BLOCKS, (0, *ends), ends)),
        "variants": _named("tile rotation", VARIANTS),
        "observation_size": options.observation_size,
        "observation": _named(
            "name start stop shape high meaning",
            (
                (e.name, e.start, e.stop, e.shape, int(np.max(e.high)), e.meaning)
                for e in layout(players, size)
            ),
        ),
        "channels": _named("channel name high meaning", _numbered(channels)),
        "candidates": {
            "columns": COLUMNS,
            "row": _named("column name low high meaning", _numbered(ROW_COLUMNS)),
            "context": _named("column name low high meaning", _numbered(CONTEXT_COLUMNS)),
        },
    }


def _named(keys: str, rows: Iterable[Iterable[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(keys.split(), row, strict=True)) for row in rows]


def _numbered(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    return [(number, *row) for number, row in enumerate(rows)]


def tables(num_players: int = 2, table_size: int | None = None) -> str:
    """Write the data as tables in Markdown."""
    found = data(num_players, table_size)
    variants = ", ".join(f"{one['tile']}/{one['rotation']}" for one in found["variants"])
    title = f"{num_players} players, table size {found['options']['table_size']}"
    return "\n\n".join(
        (
            f"### Actions ({title})",
            _table(
                ("ids", "block", "meaning of an id's offset in its block"),
                found["actions"],
                lambda x: (f"{x['start']}..{x['stop'] - 1}", x["block"], _BLOCKS[x["block"]]),
            ),
            f"`Discrete({found['num_actions']})`. Sides: 0 north, 1 east, 2 south, 3 west. "
            f"Variants (tile/rotation) 0..{NUM_VARIANTS - 1}: {variants}.",
            f"### Observation ({title})",
            _table(
                ("slice", "name", "shape", "largest raw value", "meaning"),
                found["observation"],
                lambda x: (
                    f"{x['start']}:{x['stop']}",
                    f"`{x['name']}`",
                    " × ".join(map(str, x["shape"])),
                    "by channel" if x["name"] == "board" else x["high"],
                    x["meaning"],
                ),
            ),
            f"{found['observation_size']} entries in total.",
            "### Channels of `board`",
            _table(
                ("channel", "name", "largest raw value", "meaning"),
                found["channels"],
                lambda x: (x["channel"], f"`{x['name']}`", x["high"], x["meaning"]),
            ),
            '### Rows of `observation="candidates"`',
            f"A row has {COLUMNS} columns, float32. Rows of choices come first, greedy's best first; "
            "rows of equal value are ordered by their contents. Columns beyond the table are 0.",
            _columns(found["candidates"]["row"]),
            "The last row is the context:",
            _columns(found["candidates"]["context"]),
        )
    )


def _columns(rows: Sequence[Any]) -> str:
    return _table(
        ("column", "name", "range", "meaning"),
        rows,
        lambda x: (x["column"], f"`{x['name']}`", f"{x['low']:g} to {x['high']:g}", x["meaning"]),
    )


def _table(head: Sequence[str], rows: Sequence[Any], cells: Callable[[Any], Any]) -> str:
    return DataTable(head, [cells(row) for row in rows], "l").markdown()
