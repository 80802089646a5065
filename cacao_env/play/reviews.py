"""Reviews that the page asks for: made one at a time in a thread, the last few kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .history import History
from .review import review

MAX_REVIEWS = 20
MAX_WAITING = 4


@dataclass
class _Job:
    """A review that is made or finished.  One thread writes it, others read it."""

    done: int = 0
    total: int = 0
    result: dict[str, Any] | None = None
    error: str = ""


class Reviews:
    """Reviews by the names of their games.  Threads may share it."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "reviews")
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._lock = threading.Lock()

    def ask(self, name: str, history: History) -> dict[str, Any]:
        """Return ``done, total`` of a review, which begins if it is new, and at its end ``review``."""
        if not history.game.over:
            raise ValueError("only a finished game can be reviewed")
        with self._lock:
            if name not in self._jobs:
                waiting = sum(job.result is None and not job.error for job in self._jobs.values())
                if waiting >= MAX_WAITING:
                    raise ValueError("other games are being reviewed; try again in a minute")
                self._jobs[name] = _Job()
                self._pool.submit(self._make, self._jobs[name], history)
                while len(self._jobs) > MAX_REVIEWS:
                    self._jobs.popitem(last=False)
            job = self._jobs[name]
        if job.error:
            raise ValueError(job.error)
        return {"done": job.done, "total": job.total, "review": job.result}

    def _make(self, job: _Job, history: History) -> None:
        def progress(done: int, total: int) -> None:
            job.done, job.total = done, total

        try:
            job.result = review(history, progress).as_dict()
        except Exception as error:  # whoever asks again is told
            job.error = f"the game can't be reviewed: {error}"
