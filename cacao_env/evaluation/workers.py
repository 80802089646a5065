"""Play chunks of games, or do other jobs, in this process, in several, or as tasks of a Ray cluster.

Worker processes are spawned and use one thread each.  When a worker dies or the caller stops, all
workers end at once.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from ..agent import Agent
from ..checks import need, reason_of
from ..registry import load_agents
from .blocks import Chunk, Pairing
from .matches import ChunkResult, Progress, play_chunk, warm_up

J = TypeVar("J")
R = TypeVar("R")
Do = Callable[[J, Progress], R]
LOOK = 0.5  # seconds between two looks at how many games have ended
RETRIES = 3  # of a task of Ray whose worker was lost


class WorkerError(ValueError):
    """One sentence on why the workers can't continue."""


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def load_versions(specs: Mapping[str, str]) -> list[Agent]:
    """Load agents that must have the version that stands beside each; ValueError otherwise."""
    agents = load_agents(list(specs), allow_code=True)
    for agent, version in zip(agents, specs.values(), strict=True):
        if agent.version != version:
            raise ValueError(f"{agent.name} was changed after the evaluation had begun")
    return agents


def chunk_player(
    specs: Mapping[str, str], seed: int, luck: Collection[Pairing] = ()
) -> Do[Chunk, ChunkResult]:
    """Return what plays chunks; a pairing's first chunk is preceded by a warm-up.

    ``specs``: the agents as ``load_agent`` takes them, each with the version that it must have.
    ``luck``: the pairings whose games have luck.
    """
    agents, warm = {agent.name: agent for agent in load_versions(specs)}, set[Pairing]()

    def play(chunk: Chunk, progress: Progress) -> ChunkResult:
        if chunk.pairing not in warm:
            warm_up(chunk.pairing, agents, seed)
            warm.add(chunk.pairing)
        return play_chunk(chunk, agents, seed, progress, chunk.pairing in luck)

    return play


def do_all(
    todo: Mapping[str, J],
    make: Callable[[], Do[J, R]],
    workers: int | None,
    progress: Progress,
    ray: str | None = None,
) -> Generator[R, None, None]:
    """Do jobs in ``workers`` processes, None for one a core, or here if one is enough.

    ``todo``: the jobs by name, which errors say.  ``ray``: the address of a cluster that does them
    instead, one task each.  Yields results as they come.

    ``make`` is called once in each process and returns the function that does a job.  Raises
    WorkerError when a process dies, ValueError when an agent breaks the rules.
    """
    if ray is not None:
        yield from _on_ray(ray, todo, make, progress)
        return
    workers = min(workers or cores(), len(todo))
    if workers <= 1:
        with _one_thread():
            do = make()
            for job in todo.values():
                yield do(job, progress)
        return
    yield from _in_processes(todo, make, workers, progress)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have BLAS, OpenMP and PyTorch use one thread: a network's last bits depend on how many there are.

    Games are played in parallel instead.
    """
    from threadpoolctl import threadpool_limits

    torch = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch else 1
    with threadpool_limits(1):
        if torch:
            torch.set_num_threads(1)
        try:
            yield
        finally:
            if torch:
                torch.set_num_threads(threads)


def _in_processes(
    todo: Mapping[str, J], make: Callable[[], Do[J, R]], workers: int, progress: Progress
) -> Generator[R, None, None]:
    """Hand each job to a worker process that is free; all workers end with the generator."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    context, before = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    ended, seen = context.Value("q", 0), 0
    pool = ProcessPoolExecutor(workers, context, _begin, (make, ended))
    rest, busy = iter(todo.items()), dict[Future[Any], str]()
    try:
        while True:
            for _, (name, job) in zip(range(workers - len(busy)), rest):
                busy[pool.submit(_do, job)] = name
            if not busy:
                break
            ready, _ = wait(busy, LOOK, FIRST_COMPLETED)
            if ended.value > seen:
                progress(ended.value - seen)
                seen = ended.value
            for one in ready:
                name = busy.pop(one)
                try:
                    result = one.result()
                except BrokenProcessPool:
                    names = " and ".join(sorted([name, *busy.values()]))
                    raise WorkerError(f"a worker process ended while it played {names}") from None
                yield result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        mine = set(multiprocessing.active_children()) - before
        for process in mine:
            process.kill()
        for process in mine:
            # The pool's own thread may see its end a moment earlier.
            while process.exitcode is None:
                process.join(1)


_worker: dict[str, Any] = {}  # of a worker process: how jobs are made, done and counted


def _begin(make: Callable[[], Do[Any, Any]], ended: Any) -> None:
    """Prepare a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    _worker.update(make=make, ended=ended)


def _count(games: int) -> None:
    with _worker["ended"].get_lock():
        _worker["ended"].value += games


def _do(job: Any) -> Any:
    """Do a job in a worker process; an error goes to the parent as text, for not all can be pickled."""
    try:
        with _one_thread():
            if "do" not in _worker:
                _worker["do"] = _worker["make"]()
            return _worker["do"](job, _count)
    except ValueError as error:
        raise ValueError(str(error)) from None
    except Exception:
        raise WorkerError(f"a worker failed:\n{traceback.format_exc()}") from None


# --- Ray --------------------------------------------------------------------------------------


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
            reason = reason_of(error)
            raise WorkerError(f"there is no Ray cluster at {address!r}: {reason}") from None
    return ray


def _on_ray(
    address: str, todo: Mapping[str, J], make: Callable[[], Do[J, R]], progress: Progress
) -> Generator[R, None, None]:
    """Do jobs on the cluster at an address.

    Every machine finds the agents by the same names: checkpoints are on shared storage or installed.
    """
    ray = connected(address)
    task, made = ray.remote(num_cpus=1, max_retries=RETRIES)(_task), pickle.dumps(make)
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
        raise WorkerError(f"a task was lost while it played {job}: {reason_of(error)}") from None


def _task(job: Any, make: bytes) -> tuple[int, Any]:
    """Do a job in this process; return the games that it played, and its result."""
    games: list[int] = []
    result = _made(make)(job, games.append)
    return sum(games), result


@cache
def _made(make: bytes) -> Do[Any, Any]:
    """Return what does the jobs, the same for all tasks of a process."""
    return pickle.loads(make)()
