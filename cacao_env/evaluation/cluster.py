"""Play chunks as Ray tasks: the same games as :mod:`.workers` plays."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cache
from typing import Any

from .blocks import Chunk
from .matches import ChunkResult, Progress
from .workers import ChunkPlayer, WorkerError

Kind = Callable[..., ChunkPlayer]
RETRIES = 3  # of a chunk whose worker was lost


class ClusterError(ValueError):
    """One sentence on why there is no Ray cluster to use."""


def connected(address: str, cores: int | None = None) -> Any:
    """Connect to Ray and return the module ``ray``; ClusterError if that fails.

    ``address`` is that of a cluster, ``auto`` for the one that this machine belongs to, or ``local``
    for a new one with ``cores`` processors (all if None) that ends with this process.
    """
    try:
        import ray
    except ImportError:
        raise ClusterError("Ray is not installed: pip install 'cacao-env[ray]'") from None
    if not ray.is_initialized():
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address == "local":
            options |= {"num_cpus": cores, "include_dashboard": False}
        try:
            ray.init(address=address, ignore_reinit_error=True, **options)
        except (ConnectionError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ClusterError(f"there is no Ray cluster at {address!r}: {reason}") from None
    return ray


class RayPlayers:
    """Play chunks on a cluster; called like ``play_all``, but ignores the number of workers.

    Every machine finds the agents by the same names: checkpoints are on shared storage or installed.
    ``kind`` of player, and ``more``, its arguments beyond those of :class:`.workers.ChunkPlayer`.
    """

    def __init__(self, address: str, kind: Kind = ChunkPlayer, more: tuple[Any, ...] = ()) -> None:
        self.address, self._what = address, (kind, more)

    def __call__(
        self,
        todo: Sequence[Chunk],
        specs: Mapping[str, str],
        seed: int,
        workers: int,
        progress: Progress = lambda games: None,
    ) -> Generator[ChunkResult, None, None]:
        """Run one task a chunk; yields results as they become ready."""
        ray = connected(self.address)
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(play)
        waiting = {
            task.remote(chunk, tuple(specs.items()), seed, *self._what): chunk for chunk in todo
        }
        try:
            while waiting:
                ready, _ = ray.wait(list(waiting), num_returns=1)
                chunk = waiting.pop(ready[0])
                result = self._result(ray, ready[0], chunk)
                progress(chunk.num_games)
                yield result
        finally:
            for one in waiting:
                ray.cancel(one, force=True)

    def _result(self, ray: Any, ready: Any, chunk: Chunk) -> ChunkResult:
        try:
            result: ChunkResult = ray.get(ready)
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ValueError):
                raise ValueError(str(error.cause)) from None
            raise WorkerError(f"a task failed while it played {chunk.key}: {error.cause}") from None
        except ray.exceptions.RayError as error:
            reason = " ".join(str(error).split())[:200]
            raise WorkerError(f"a task was lost while it played {chunk.key}: {reason}") from None
        return result


def play(
    chunk: Chunk,
    specs: tuple[tuple[str, str], ...],
    seed: int,
    kind: Kind = ChunkPlayer,
    more: tuple[Any, ...] = (),
) -> ChunkResult:
    """Play a chunk in this process, which keeps the agents for the next one."""
    return _player(specs, seed, kind, more)(chunk, lambda games: None)


@cache
def _player(
    specs: tuple[tuple[str, str], ...], seed: int, kind: Kind, more: tuple[Any, ...]
) -> ChunkPlayer:
    return kind(dict(specs), seed, *more)
