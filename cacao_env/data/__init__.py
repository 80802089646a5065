"""Data sets of whole games: a game is its deal and its actions, everything else is computed.

games = load("expert-2p")
for batch in games.decisions(observation="candidates", shuffle=0): ...
"""

from __future__ import annotations

import os
from pathlib import Path

from ..checks import as_path, need
from .games import Decisions, Games
from .storage import MANIFEST, DataError, read_games

__all__ = ["DataError", "Decisions", "Games", "find", "load"]
HOME = Path("runs/data")  # where data sets are made
SHIPPED = Path(__file__).parent / "sets"  # of a checkout
_HUB = "hf://datasets/"


def find(name: str | os.PathLike[str]) -> Path:
    """Return the folder of a data set: a path, a name below ``runs/data``, or one of a checkout.

    ``hf://datasets/OWNER/NAME`` is downloaded from the Hugging Face Hub, or found in its cache.
    """
    if isinstance(name, str) and name.startswith(_HUB):
        hub = need("huggingface_hub", "huggingface-hub", "hub")
        return Path(hub.snapshot_download(name.removeprefix(_HUB), repo_type="dataset"))
    path = as_path(name, DataError)
    for place in (Path(), HOME, SHIPPED):
        if (place / path / MANIFEST).is_file():
            return place / path
    raise DataError(
        f"there is no data set {str(name)!r}: neither a folder with {MANIFEST}, nor a name below "
        f"{HOME}, nor one of a checkout, nor an address {_HUB}OWNER/NAME"
    )


def load(name: str | os.PathLike[str]) -> Games:
    """Load a data set, as :func:`find` takes it; DataError if any byte of it was changed.

    The games are replayed, and their results checked, by ``check`` and when decisions are asked for.
    """
    manifest, options, table = read_games(find(name))
    return Games(options, table, manifest)
