"""Data sets in the forms of other libraries: PyTorch, Minari, conversations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from ..agents.views import Form
from ..checks import as_seat, need
from ..engine.progress import Bar
from ..files import write_whole
from ..greedy.candidates import ObservationForm
from ..text.rollouts import conversation
from .games import Games

MINARI = "https://minari.farama.org"


def torch_decisions(games: Games, **options: Any) -> Any:
    """Return the decisions as an ``IterableDataset`` of PyTorch whose items are batches.

    ``options``: of :meth:`.Games.decisions`.  Each worker of a ``DataLoader``, with
    ``batch_size=None``, replays its own part of the games.
    """
    from .torch import DecisionSet

    return DecisionSet(games, options)


def minari(
    games: Games,
    name: str,
    seat: int = 0,
    observation: ObservationForm = "flat",
    returns: str = "outcome",
) -> int:
    """Write one seat's episodes as a data set of Minari; return how many there are.

    The reward of the last decision is the return, the others are 0.  ``infos`` have the masks, the
    deal and the number of each decision.
    """
    library = need("minari", "minari", "minari")
    from minari.data_collector import EpisodeBuffer

    seat = as_seat(seat, games.options.num_players)
    form = Form(games.options, observation, "uint8" if observation == "flat" else "float32", "info")
    buffers = []
    for number, own in enumerate(
        Bar(games.episodes(seat, observation=observation, returns=returns), total=len(games))
    ):
        count = len(own.actions)
        # An episode has one observation more than decisions; what a seat sees of the end is not asked.
        seen = np.concatenate([own.observations, own.observations[-1:]])
        rewards = np.zeros(count)
        rewards[-1] = own.returns[-1]
        ends = np.arange(count) == count - 1
        masks = np.concatenate([own.action_masks, np.zeros_like(own.action_masks[:1])])
        deals = np.full(count + 1, games.deals[own.games[0]])
        plies = np.append(own.plies, -1)
        buffers.append(
            EpisodeBuffer(
                id=number,
                observations=seen,
                actions=own.actions,
                rewards=rewards.tolist(),
                terminations=ends.tolist(),
                truncations=[False] * count,
                infos={"action_mask": masks, "deal": deals, "ply": plies},
            )
        )
    library.create_dataset_from_buffers(
        name,
        buffers,
        observation_space=form.space(),
        action_space=spaces.Discrete(form.num_actions),
        algorithm_name=", ".join(games.manifest["recipe"]["agents"]),
        description=f"Cacao, {games.options}, seat {seat}",
    )
    return len(buffers)


def chat(games: Games, path: Path, judged: bool = False) -> int:
    """Write a conversation a seat, a line each, as ``cacao text rollouts`` does; return the count."""
    lines = [json.dumps(line) for line in Bar(_lines(games, judged), unit="seat")]
    write_whole(path, "".join(line + "\n" for line in lines))
    return len(lines)


def _lines(games: Games, judged: bool) -> Iterator[dict[str, Any]]:
    agents = games.table.column("agents").to_pylist()
    for number, names in enumerate(agents):
        for line, _ in conversation(games[number], names, int(games.deals[number]), judged):
            yield line
