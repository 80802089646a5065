"""The observation and action tables as Markdown and as data, made from the code."""

from __future__ import annotations

from typing import Any

from ..engine.actions import ACT_ACTIONS, FILL_ACTIONS, num_actions, place_actions
from ..engine.observation import CHANNELS, layout
from ..engine.options import Options
from ..engine.tiles import NUM_VARIANTS, VARIANTS
from ..greedy.columns import COLUMNS, CONTEXT_COLUMNS, ROW_COLUMNS
from ..tables import DataTable


def tables(num_players: int = 2, table_size: int | None = None) -> str:
    """Write all tables for a number of players and a table size (None: its default)."""
    options = Options(num_players, table_size=table_size)
    players, size = options.num_players, options.table_size
    title = f"{players} players, table size {size}"
    return "\n\n".join(
        (
            f"### Actions ({title})",
            _actions(size),
            f"### Observation ({title})",
            _observation(players, size),
            "### Channels of `board`",
            _channels(players),
            '### Rows of `observation="candidates"`',
            f"A row has {COLUMNS} columns, float32. Rows of choices come first, greedy's best first; "
            "rows of equal value are ordered by their contents. Columns beyond the table are 0.",
            _columns(ROW_COLUMNS),
            "The last row is the context:",
            _columns(CONTEXT_COLUMNS),
        )
    )


def data(num_players: int = 2, table_size: int | None = None) -> dict[str, Any]:
    """Return what the tables say as plain data."""
    options = Options(num_players, table_size=table_size)
    players, size = options.num_players, options.table_size
    fills = int(place_actions(size))
    acts = fills + FILL_ACTIONS
    ends = {"place": fills, "fill": acts, "act": acts + ACT_ACTIONS}
    return {
        "options": options.as_dict(),
        "num_actions": options.num_actions,
        "actions": [
            {"block": block, "start": start, "stop": stop}
            for (block, stop), start in zip(ends.items(), (0, *ends.values()))
        ],
        "variants": [{"tile": kind, "rotation": turn} for kind, turn in VARIANTS],
        "observation_size": options.observation_size,
        "observation": [
            {
                "name": entry.name,
                "start": entry.start,
                "stop": entry.stop,
                "shape": entry.shape,
                "high": entry.high,
                "meaning": entry.meaning,
            }
            for entry in layout(players, size)
        ],
        "channels": [
            {"channel": number, "name": name, "high": high, "meaning": meaning}
            for number, name, high, meaning in _channel_rows(players)
        ],
        "candidates": {
            "columns": COLUMNS,
            **{
                part: [
                    {"column": number, "name": name, "low": low, "high": high, "meaning": meaning}
                    for number, (name, low, high, meaning) in enumerate(columns)
                ]
                for part, columns in (("row", ROW_COLUMNS), ("context", CONTEXT_COLUMNS))
            },
        },
    }


def _actions(size: int) -> str:
    fills = int(place_actions(size))
    acts = fills + FILL_ACTIONS
    variants = ", ".join(f"{kind}/{turn}" for kind, turn in VARIANTS)
    head = ("ids", "block", "meaning of an id's offset in its block")
    rows = [
        (
            f"0..{fills - 1}",
            "place",
            f"worker cell of the window × {NUM_VARIANTS} + variant; on an own tile it overbuilds",
        ),
        (
            f"{fills}..{acts - 1}",
            "fill",
            "side of the tile just placed × 4 + display slot × 2 + orientation",
        ),
        (
            f"{acts}..{acts + ACT_ACTIONS - 1}",
            "act",
            "side of the tile just placed × 16 + side of the jungle tile there × 4 + workers",
        ),
    ]
    return (
        f"{DataTable(head, rows, 'l').markdown()}\n\n"
        f"`Discrete({int(num_actions(size))})`. Sides: 0 north, 1 east, 2 south, 3 west. "
        f"Variants (tile/rotation) 0..{NUM_VARIANTS - 1}: {variants}."
    )


def _observation(players: int, size: int) -> str:
    entries = layout(players, size)
    rows = []
    for entry in entries:
        high = entry.high if isinstance(entry.high, int) else "by channel"
        shape = " × ".join(map(str, entry.shape))
        place = f"{entry.start}:{entry.stop}"
        rows.append((place, f"`{entry.name}`", shape, high, entry.meaning))
    head = ("slice", "name", "shape", "largest raw value", "meaning")
    return f"{DataTable(head, rows, 'l').markdown()}\n\n{entries[-1].stop} entries in total."


def _channel_rows(players: int) -> list[tuple[int, str, int, str]]:
    """Number, name, largest raw value and meaning of each channel of the board."""
    rows = [(number, *channel) for number, channel in enumerate(CHANNELS)]
    for relative in range(players):
        whose = "the observer" if relative == 0 else f"relative seat {relative}"
        rows.append((len(CHANNELS) + relative, f"owner_{relative}", 1, f"worker tile of {whose}"))
    return rows


def _columns(columns: tuple[tuple[str, float, float, str], ...]) -> str:
    rows = [
        (number, f"`{name}`", f"{low:g} to {high:g}", meaning)
        for number, (name, low, high, meaning) in enumerate(columns)
    ]
    return DataTable(("column", "name", "range", "meaning"), rows, "l").markdown()


def _channels(players: int) -> str:
    rows = [
        (number, f"`{name}`", high, text) for number, name, high, text in _channel_rows(players)
    ]
    return DataTable(("channel", "name", "largest raw value", "meaning"), rows, "l").markdown()
