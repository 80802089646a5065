"""The decisions of a data set for a ``DataLoader`` of PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..checks import need
from .games import Decisions, Games, as_part

_data = need("torch.utils.data", "PyTorch", "train")
_IterableDataset: Any = _data.IterableDataset


class DecisionSet(_IterableDataset):
    """Batches of decisions, for a ``DataLoader`` with ``batch_size=None``.

    ``options``: of :meth:`.Games.decisions`.  Each worker replays its own part of the games, or of the
    ``part`` that is given.
    """

    def __init__(self, games: Games, **options: Any) -> None:
        self._part = as_part(options.pop("part", (0, 1)))
        self._games, self._options = games, options

    def __iter__(self) -> Iterator[Decisions]:
        worker = _data.get_worker_info()
        own, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        number, parts = self._part
        part = (number + parts * own, parts * workers)
        return self._games.decisions(**self._options, part=part)
