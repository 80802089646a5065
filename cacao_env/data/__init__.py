"""Tables of whole games: a game is its deal and its actions, everything else is computed.

games = load("expert-2p")
for batch in games.decisions(observation="candidates", shuffle=0): ...
"""

from __future__ import annotations

import os
from pathlib import Path

from ..checks import as_path, need
from .folder import read_folder
from .games import Decisions, Games
from .storage import MANIFEST, DataError, options_of, split

__all__ = ["DataError", "Decisions", "Games", "find", "load", "load_each"]
HOME = Path("runs/data")  # where data sets are made
SHIPPED = Path(__file__).parent / "sets"  # of a checkout
_HUB = "hf://datasets/"


def find(name: str | os.PathLike[str]) -> Path:
    """Return a folder of games: a path, a name below ``runs/data``, or a data set of a checkout.

    ``hf://datasets/OWNER/NAME`` is downloaded from the Hugging Face Hub, or found in its cache.
    """
    if isinstance(name, str) and name.startswith(_HUB):
        hub = need("huggingface_hub", "huggingface-hub")
        return Path(hub.snapshot_download(name.removeprefix(_HUB), repo_type="dataset"))
    path = as_path(name, DataError)
    for place in (Path(), HOME, SHIPPED):
        if (place / path / MANIFEST).is_file():
            return place / path
    raise DataError(
        f"there are no games in {str(name)!r}: it is neither a folder with {MANIFEST}, nor a name "
        f"below {HOME}, nor one of a checkout, nor an address {_HUB}OWNER/NAME"
    )


def load_each(name: str | os.PathLike[str]) -> list[Games]:
    """Load the games of a folder, as :func:`find` takes it, those with the same options together.

    DataError if any byte was changed.  Games are replayed, and their results checked, by ``check`` and
    when decisions are asked for.
    """
    manifest, table = read_folder(find(name))
    return [Games(options, own, manifest) for options, own in split(table, options_of(manifest))]


def load(name: str | os.PathLike[str], num_players: int | None = None) -> Games:
    """Load the games of a folder that have the same options, as :func:`load_each` does.

    ``num_players``: of those games; None where all games have the same options.
    """
    every = load_each(name)
    found = [one for one in every if num_players in (None, one.options.num_players)]
    if len(found) != 1:
        kinds = ", ".join(str(one.options.num_players) for one in every)
        raise DataError(
            f"{name} has games with {kinds} players: expected num_players, one of these"
        )
    return found[0]
