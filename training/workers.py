"""Play chunks of games, here or in several processes.

Workers are started afresh (``spawn``), each with one thread; they are told what to play through a
pipe and answer through it.  Whoever is told that a worker died, or to stop, ends all of them at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

import torch

from .agents import load_agents
from .arena import Outcome, Rules, play_chunk, warm_up
from .blocks import Chunk, Pairing

Progress = Callable[[int], None]


class WorkerError(RuntimeError):
    """One sentence on why the workers can't go on."""


def cores() -> int:
    """How many processes this one may run on at once."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def play_here(
    todo: Sequence[Chunk], specs: Sequence[str], rules: Rules, progress: Progress
) -> Generator[Outcome, None, None]:
    """Play chunks one after the other in this process."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        agents = {agent.name: agent for agent in load_agents(specs)}
        warm: set[Pairing] = set()
        for chunk in todo:
            if chunk.pairing not in warm:
                warm_up(chunk, agents, rules)
                warm.add(chunk.pairing)
            yield play_chunk(chunk, agents, rules, progress)
    finally:
        torch.set_num_threads(threads)


def play_all(
    todo: Sequence[Chunk],
    specs: Sequence[str],
    rules: Rules,
    workers: int,
    progress: Progress = lambda games: None,
) -> Generator[Outcome, None, None]:
    """Play chunks in ``workers`` processes; outcomes come as they get ready.

    Raises WorkerError when a process dies, ValueError when an agent does what it may not.
    """
    workers = min(workers, len(todo))
    if workers <= 1:
        yield from play_here(todo, specs, rules, progress)
        return
    team = _Team(workers, specs, rules)
    try:
        yield from team.play(list(todo), progress)
    finally:
        team.stop()


class _Team:
    """Worker processes and the pipes to them."""

    def __init__(self, workers: int, specs: Sequence[str], rules: Rules) -> None:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        context = multiprocessing.get_context("spawn")
        self._members: dict[Connection, Any] = {}
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, list(specs), rules), daemon=True)
            process.start()
            theirs.close()
            self._members[ours] = process

    def play(self, todo: list[Chunk], progress: Progress) -> Generator[Outcome, None, None]:
        todo = todo[::-1]
        busy: dict[Connection, Chunk] = {}
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
                    yield Outcome.from_dict(content)
                elif kind == "refused":
                    raise ValueError(content)
                else:
                    raise WorkerError(f"a worker failed:\n{content}")

    def _give(self, pipe: Connection, todo: list[Chunk], busy: dict[Connection, Chunk]) -> None:
        busy.pop(pipe, None)
        if todo:
            busy[pipe] = todo.pop()
            try:
                pipe.send(busy[pipe])
            except OSError:
                raise self._death(pipe, busy) from None

    def _hear(self, pipe: Connection, busy: dict[Connection, Chunk]) -> tuple[str, Any]:
        try:
            kind, content = pipe.recv()
        except (EOFError, OSError):
            raise self._death(pipe, busy) from None
        return kind, content

    def _death(self, pipe: Connection, busy: dict[Connection, Chunk]) -> WorkerError:
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


def _work(pipe: Connection, specs: list[str], rules: Rules) -> None:
    """A worker: play what comes through the pipe until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    torch.set_num_threads(1)
    try:
        agents = {agent.name: agent for agent in load_agents(specs)}
        warm: set[Pairing] = set()
        while True:
            chunk = pipe.recv()
            if chunk.pairing not in warm:
                warm_up(chunk, agents, rules)
                warm.add(chunk.pairing)
            outcome = play_chunk(chunk, agents, rules, lambda n: pipe.send(("games", n)))
            pipe.send(("done", outcome.as_dict()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except ValueError as error:
        pipe.send(("refused", str(error)))
    except Exception:
        pipe.send(("failed", traceback.format_exc()))
