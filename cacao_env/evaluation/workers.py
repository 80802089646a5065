"""Play chunks of games, or do other jobs, here or in several processes.

Workers are started afresh (``spawn``), each with one thread; they are told what to do through a
pipe and answer through it.  Whoever is told that a worker died, or to stop, ends all of them at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Generator, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, TypeVar

import torch

from ..agents.registry import load_agents
from .blocks import Chunk, Pairing
from .matches import Outcome, Rules, play_chunk, warm_up

Progress = Callable[[int], None]
J = TypeVar("J", bound="Job")
R = TypeVar("R")
Do = Callable[[J, Progress], R]


class WorkerError(RuntimeError):
    """One sentence on why the workers can't go on."""


def cores() -> int:
    """How many processes this one may run on at once."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class Job(Protocol):
    """A part of what is to be done; its key names it when a process dies over it."""

    @property
    def key(self) -> str:
        """A name."""


class Player:
    """Plays chunks with agents of its own; both are asked once, untimed, before a pairing's first."""

    def __init__(self, specs: Sequence[str], rules: Rules) -> None:
        self.agents = {agent.name: agent for agent in load_agents(specs)}
        self.rules = rules
        self._warm: set[Pairing] = set()

    def __call__(self, chunk: Chunk, progress: Progress) -> Outcome:
        """Play a chunk."""
        if chunk.pairing not in self._warm:
            warm_up(chunk, self.agents, self.rules)
            self._warm.add(chunk.pairing)
        return play_chunk(chunk, self.agents, self.rules, progress)


def play_all(
    todo: Sequence[Chunk],
    specs: Sequence[str],
    rules: Rules,
    workers: int,
    progress: Progress = lambda games: None,
) -> Generator[Outcome, None, None]:
    """Play chunks in ``workers`` processes; outcomes come as they get ready."""
    return do_all(todo, partial(Player, specs, rules), workers, progress)


PlayAll = Callable[
    [Sequence[Chunk], Sequence[str], Rules, int, Progress], Generator[Outcome, None, None]
]


def do_all(
    todo: Sequence[J], make: Callable[[], Do[J, R]], workers: int, progress: Progress
) -> Generator[R, None, None]:
    """Do jobs in ``workers`` processes, or here if one is enough; results come as they get ready.

    ``make`` is called once in each process and gives the function that does a job.  Raises
    WorkerError when a process dies, ValueError when an agent does what it may not.
    """
    workers = min(workers, len(todo))
    if workers <= 1:
        yield from _do_here(todo, make, progress)
        return
    team = _Team(workers, make)
    try:
        yield from team.do(list(todo), progress)
    finally:
        team.stop()


def _do_here(
    todo: Sequence[J], make: Callable[[], Do[J, R]], progress: Progress
) -> Generator[R, None, None]:
    """Do jobs one after the other in this process."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        do = make()
        for job in todo:
            yield do(job, progress)
    finally:
        torch.set_num_threads(threads)


class _Team:
    """Worker processes and the pipes to them."""

    def __init__(self, workers: int, make: Callable[[], Do[Any, Any]]) -> None:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        context = multiprocessing.get_context("spawn")
        self._members: dict[Connection, Any] = {}
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, make), daemon=True)
            process.start()
            theirs.close()
            self._members[ours] = process

    def do(self, todo: list[Any], progress: Progress) -> Generator[Any, None, None]:
        todo = todo[::-1]
        busy: dict[Connection, Job] = {}
        for pipe in self._members:
            self._give(pipe, todo, busy)
        while busy:
            ready = wait(list(busy))
            for pipe in list(self._members):
                if pipe not in ready:
                    continue
                kind, content = self._hear(pipe, busy)
                if kind == "games":
                    progress(content)
                elif kind == "done":
                    self._give(pipe, todo, busy)
                    yield content
                elif kind == "refused":
                    raise ValueError(content)
                else:
                    raise WorkerError(f"a worker failed:\n{content}")

    def _give(self, pipe: Connection, todo: list[Any], busy: dict[Connection, Job]) -> None:
        busy.pop(pipe, None)
        if todo:
            busy[pipe] = todo.pop()
            try:
                pipe.send(busy[pipe])
            except OSError:
                raise self._death(pipe, busy) from None

    def _hear(self, pipe: Connection, busy: dict[Connection, Job]) -> tuple[str, Any]:
        try:
            kind, content = pipe.recv()
        except (EOFError, OSError):
            raise self._death(pipe, busy) from None
        return kind, content

    def _death(self, pipe: Connection, busy: dict[Connection, Job]) -> WorkerError:
        process = self._members[pipe]
        process.join(5)
        code = process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with status {code}"
        return WorkerError(f"a worker process ended {how} while it played {busy[pipe].key}")

    def stop(self) -> None:
        """End all workers, whatever they are doing."""
        for pipe, process in self._members.items():
            pipe.close()
            process.kill()
        for process in self._members.values():
            process.join()


def _work(pipe: Connection, make: Callable[[], Do[Any, Any]]) -> None:
    """A worker: do what comes through the pipe until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    torch.set_num_threads(1)
    try:
        do = make()
        while True:
            pipe.send(("done", do(pipe.recv(), lambda n: pipe.send(("games", n)))))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except ValueError as error:
        pipe.send(("refused", str(error)))
    except Exception:
        pipe.send(("failed", traceback.format_exc()))
