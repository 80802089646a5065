"""Do jobs as Ray tasks: the same as :mod:`.workers` does in processes of this machine."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Mapping
from functools import cache
from typing import Any

from ..checks import need
from .matches import Progress
from .workers import Do, J, R, WorkerError, do_all

RETRIES = 3  # of a chunk whose worker was lost


def connected(address: str) -> Any:
    """Connect to Ray and return the module ``ray``; WorkerError if that fails.

    ``address`` is that of a cluster, ``auto`` for the one that this machine belongs to, or ``local``
    for a new one with all processors that ends with this process.
    """
    ray = need("ray", "Ray", "ray")
    if not ray.is_initialized():
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address == "local":
            options["include_dashboard"] = False
        try:
            ray.init(address=address, ignore_reinit_error=True, **options)
        except (ConnectionError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise WorkerError(f"there is no Ray cluster at {address!r}: {reason}") from None
    return ray


def do_jobs(
    todo: Mapping[str, J],
    make: Callable[[], Do[J, R]],
    workers: int | None,
    progress: Progress,
    ray: str | None = None,
) -> Generator[R, None, None]:
    """Do jobs as :func:`.workers.do_all` does or, with the address ``ray``, on a Ray cluster."""
    if ray is None:
        yield from do_all(todo, make, workers, progress)
    else:
        yield from _on_ray(ray, todo, make, progress)


def _on_ray(
    address: str, todo: Mapping[str, J], make: Callable[[], Do[J, R]], progress: Progress
) -> Generator[R, None, None]:
    """Do jobs, one task each, on the cluster at an address; yields results as they become ready.

    ``make`` is called once in each process of the cluster and returns the function that does a job.
    Every machine finds the agents by the same names: checkpoints are on shared storage or installed.
    """
    ray = connected(address)
    task, made = ray.remote(num_cpus=1, max_retries=RETRIES)(_do), pickle.dumps(make)
    waiting = {task.remote(job, made): name for name, job in todo.items()}
    try:
        while waiting:
            [ready], _ = ray.wait(list(waiting), num_returns=1)
            games, result = _result(ray, ready, waiting.pop(ready))
            progress(games)
            yield result
    finally:
        for one in waiting:
            ray.cancel(one, force=True)


def _result(ray: Any, ready: Any, job: str) -> Any:
    """Return what a task returned; ValueError if it failed."""
    try:
        return ray.get(ready)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, ValueError):
            raise ValueError(str(error.cause)) from None
        raise WorkerError(f"a task failed while it played {job}: {error.cause}") from None
    except ray.exceptions.RayError as error:
        reason = " ".join(str(error).split())[:200]
        raise WorkerError(f"a task was lost while it played {job}: {reason}") from None


def _do(job: Any, make: bytes) -> tuple[int, Any]:
    """Do a job in this process; return the games that it played, and its result."""
    games: list[int] = []
    result = _made(make)(job, games.append)
    return sum(games), result


@cache
def _made(make: bytes) -> Do[Any, Any]:
    """Return what does the jobs, the same for all tasks of a process."""
    return pickle.loads(make)()
