"""The observation and action tables as Markdown, made from the code."""

from __future__ import annotations

from ..engine.actions import ACT_ACTIONS, FILL_ACTIONS, num_actions, place_actions
from ..engine.observation import CHANNELS, layout
from ..engine.options import Options
from ..engine.tiles import NUM_VARIANTS, VARIANTS
from ..markdown import table


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
        )
    )


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
        f"{table(head, rows)}\n\n"
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
    return f"{table(head, rows)}\n\n{entries[-1].stop} entries in total."


def _channels(players: int) -> str:
    rows = [(i, f"`{name}`", high, text) for i, (name, high, text) in enumerate(CHANNELS)]
    for relative in range(players):
        whose = "the observer" if relative == 0 else f"relative seat {relative}"
        number = len(CHANNELS) + relative
        rows.append((number, f"`owner_{relative}`", 1, f"worker tile of {whose}"))
    return table(("channel", "name", "largest raw value", "meaning"), rows)
