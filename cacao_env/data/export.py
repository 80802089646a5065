"""Games in other forms: episodes of Minari, game records.  :mod:`.torch` is for PyTorch."""

from __future__ import annotations

import json
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from .. import record
from ..checks import as_seat, need
from ..engine.progress import Bar
from ..files import write_whole
from ..views import Form
from .games import Decisions, Games

AT_ONCE = 256  # episodes in memory


def minari(games: Games, name: str, seat: int) -> int:
    """Write one seat's episodes as a data set of Minari; return how many there are.

    Observations are flat, uint8.  The reward of the last decision is the return, from -1 to 1, the
    others are 0.  ``infos`` have the masks, the deal and the number of each decision.
    """
    library = need("minari", "minari")
    seat = as_seat(seat, games.options.num_players)
    form = Form(games.options, "flat", "uint8", "info")
    every = Bar(games.episodes(seat), total=len(games), unit="game")
    episodes = (_episode(games, own) for own in every)
    found, made = None, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about the author and where the code is
        while some := list(islice(episodes, AT_ONCE)):
            if found:
                found.update_dataset_from_buffer(some)
            else:
                found = library.create_dataset_from_buffers(
                    name,
                    some,
                    observation_space=form.space(),
                    action_space=spaces.Discrete(form.num_actions),
                    algorithm_name=", ".join(games.manifest["settings"]["agents"]),
                    description=f"Cacao, {games.options}, seat {seat}",
                    data_format="arrow",
                )
            made += len(some)
    return made


def _episode(games: Games, own: Decisions) -> Any:
    """Return one seat's decisions of a game as Minari's buffer."""
    buffer = need("minari.data_collector", "minari").EpisodeBuffer
    count, seen = len(own.actions), own.observations
    return buffer(
        # One observation more than decisions: nobody is asked at the end, so the last is repeated.
        observations=np.concatenate([seen, seen[-1:]]),
        actions=own.actions,
        rewards=[0.0] * (count - 1) + [float(own.returns[-1])],
        terminations=[False] * (count - 1) + [True],
        truncations=[False] * count,
        infos={
            "action_mask": np.concatenate([own.action_masks, own.action_masks[-1:] * 0]),
            # Lists: Minari can't read arrays of one dimension from its Arrow files.
            "deal": [int(games.deals[own.games[0]])] * (count + 1),
            "ply": [*own.plies.tolist(), -1],
        },
    )


def records(games: Games, folder: Path) -> int:
    """Write every game as a game record into a folder; return how many there are.

    A conversation that an agent had stands beside the record of its game.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = games.table.select(
        [name for name in ("agents", "notes") if name in games.table.schema.names]
    )
    for number, row in Bar(list(enumerate(rows.to_pylist())), unit="game"):
        path = folder / f"game-{number:05}-deal-{games.deals[number]}.json"
        players = [name[: record.MAX_NAME] for name in row["agents"]]
        write_whole(path, record.dumps(record.record_of(games[number], players=players)))
        record.write_conversations(path, row["agents"], json.loads(row.get("notes") or "[]"))
    return len(games)
