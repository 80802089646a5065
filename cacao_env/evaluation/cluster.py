"""Blocks of deals as Ray tasks: the same games as ``cacao_env.evaluation.workers`` plays."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import cache
from typing import Any

from .blocks import Chunk
from .matches import Outcome, Rules
from .ray_session import connected
from .workers import Player, Progress, WorkerError

RETRIES = 3  # of a block whose worker was lost


class RayPlayers:
    """Plays chunks all over a cluster; called like ``play_all``, whose number of workers it ignores.

    Agents are found by the same names on every machine: checkpoints lie on shared storage, or are
    installed.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    def __call__(
        self,
        todo: Sequence[Chunk],
        specs: Sequence[str],
        rules: Rules,
        workers: int,
        progress: Progress = lambda games: None,
    ) -> Generator[Outcome, None, None]:
        """One task a chunk; outcomes come as they get ready."""
        ray = connected(self.address)
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(play)
        waiting = {task.remote(chunk, tuple(specs), rules): chunk for chunk in todo}
        try:
            while waiting:
                ready, _ = ray.wait(list(waiting), num_returns=1)
                chunk = waiting.pop(ready[0])
                outcome = self._outcome(ray, ready[0], chunk)
                progress(chunk.blocks * chunk.pairing.players)
                yield outcome
        finally:
            for one in waiting:
                ray.cancel(one, force=True)

    def _outcome(self, ray: Any, ready: Any, chunk: Chunk) -> Outcome:
        try:
            outcome: Outcome = ray.get(ready)
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ValueError):
                raise ValueError(str(error.cause)) from None
            raise WorkerError(f"a task failed while it played {chunk.key}: {error.cause}") from None
        except ray.exceptions.RayError as error:
            first = " ".join(str(error).split())[:200]
            raise WorkerError(f"a task was lost while it played {chunk.key}: {first}") from None
        return outcome


def play(chunk: Chunk, specs: tuple[str, ...], rules: Rules) -> Outcome:
    """Play a chunk in this process, with agents that are kept for the next."""
    return _player(specs, rules)(chunk, lambda games: None)


@cache
def _player(specs: tuple[str, ...], rules: Rules) -> Player:
    return Player(specs, rules)
