"""All planted bugs."""

from __future__ import annotations

from . import (
    batches,
    bots,
    doors,
    environments,
    learning,
    libraries,
    page,
    pages,
    play,
    readers,
    rows,
    rules,
    runs,
    strength,
    training,
    values,
)

BUGS = [
    bug
    for module in (
        rules,
        batches,
        environments,
        bots,
        values,
        strength,
        play,
        rows,
        page,
        pages,
        learning,
        runs,
        training,
        libraries,
        doors,
        readers,
    )
    for bug in module.BUGS
]
