"""Play chunks of games, or do other jobs, in this process or in several.

Worker processes are spawned and use one thread each; a pipe carries their jobs and answers.  When a
worker dies or the caller stops, all workers end at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from ..agents.agent import Agent
from ..agents.registry import load_agents
from .blocks import Chunk, Pairing
from .matches import ChunkResult, Progress, play_chunk, warm_up

J = TypeVar("J")
R = TypeVar("R")
Do = Callable[[J, Progress], R]


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


class ChunkPlayer:
    """Play chunks with agents of its own; a pairing's first chunk is preceded by a warm-up.

    ``specs``: the agents as ``load_agent`` takes them, each with the version that it must have.
    """

    def __init__(self, specs: Mapping[str, str], seed: int, luck: bool = True) -> None:
        self.agents = {agent.name: agent for agent in load_versions(specs)}
        self.seed, self.luck = seed, luck
        self._warm: set[Pairing] = set()

    def __call__(self, chunk: Chunk, progress: Progress) -> ChunkResult:
        """Play a chunk."""
        if chunk.pairing not in self._warm:
            warm_up(chunk, self.agents, self.seed)
            self._warm.add(chunk.pairing)
        return play_chunk(chunk, self.agents, self.seed, progress, self.luck)


def do_all(
    todo: Mapping[str, J],
    make: Callable[[], Do[J, R]],
    workers: int | None,
    progress: Progress,
    ray: str | None = None,
) -> Generator[R, None, None]:
    """Do jobs in ``workers`` processes, None for one a core, or here if one is enough.

    ``todo``: the jobs by name, which errors say.  Yields results as they come.

    ``make`` is called once in each process and returns the function that does a job.  ``ray``: the
    address of a Ray cluster, whose processors do them instead.  Raises WorkerError when a process
    dies, ValueError when an agent breaks the rules.
    """
    if ray is not None:
        from .cluster import do_on_ray

        yield from do_on_ray(ray, todo, make, progress)
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
    context = multiprocessing.get_context("spawn")
    members: dict[Connection, Any] = {}
    busy: dict[Connection, str] = {}
    rest = iter(todo)

    def give(pipe: Connection) -> None:
        busy.pop(pipe, None)
        for name in islice(rest, 1):
            busy[pipe] = name
            with suppress(OSError):  # it is dead, which the answer tells
                pipe.send(todo[name])

    try:
        for _ in range(workers):
            pipe, theirs = context.Pipe()
            members[pipe] = context.Process(target=_work, args=(theirs, make), daemon=True)
            members[pipe].start()
            theirs.close()
            give(pipe)
        while busy:
            ready = wait(list(busy))
            for pipe in [one for one in busy if one in ready]:
                try:
                    kind, content = pipe.recv()
                except (EOFError, OSError):
                    raise _death(members[pipe], busy[pipe]) from None
                if kind == "games":
                    progress(content)
                elif kind == "done":
                    give(pipe)
                    yield content
                elif kind == "refused":
                    raise ValueError(content)
                else:
                    raise WorkerError(f"a worker failed:\n{content}")
    finally:
        for pipe, process in members.items():
            pipe.close()
            process.kill()
        for process in members.values():
            process.join()


def _death(process: Any, job: str) -> WorkerError:
    process.join(5)
    code = process.exitcode
    how = f"by signal {-code}" if code is not None and code < 0 else f"with status {code}"
    return WorkerError(f"a worker process ended {how} while it played {job}")


def _work(pipe: Connection, make: Callable[[], Do[Any, Any]]) -> None:
    """Run a worker: do the jobs that come through the pipe until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    try:
        with _one_thread():
            do = make()
            while True:
                pipe.send(("done", do(pipe.recv(), lambda n: pipe.send(("games", n)))))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except ValueError as error:
        pipe.send(("refused", str(error)))
    except Exception:
        pipe.send(("failed", traceback.format_exc()))
