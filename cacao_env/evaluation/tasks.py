"""Reference scores of the named tasks: agents in the learner's seat, played through the environment.

Deal d of a task is its episode of ``reset(seed=SEED + d)``, played once.  Scores are stored under
``runs/tasks`` as they come, so a run that was stopped resumes, and more deals can be added later.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from tqdm import tqdm

from .. import markdown
from ..agents.agent import Agent
from ..agents.registry import load_agents
from ..envs.tasks import Task, task_named
from ..files import read_text, write_whole
from . import tables
from .blocks import seat_seed
from .intervals import interval, share_interval
from .matches import SEED, Progress
from .store import engine_version
from .workers import cores, do_all

AGENTS = ("random", "greedy", "mc:sims=256", "forastero", "criollo")
NOT_MEASURED = "not measured"
DEALS, AT_ONCE = 1000, 10  # deals by default, and in one job
FOLDER = Path("runs/tasks")
BEGIN, END = "<!-- tasks: begin -->", "<!-- tasks: end -->"
Scores = list[tuple[float, int]]  # win share and margin of each deal


@dataclass(frozen=True)
class Episodes:
    """A job: episodes ``first`` to ``first + deals - 1`` of an agent in a task."""

    task: str
    agent: str
    first: int
    deals: int

    @property
    def key(self) -> str:
        """A name for errors."""
        return f"{self.agent} in {self.task}, deals {self.first}+{self.deals}"


@dataclass(frozen=True)
class Row:
    """The scores of an agent in a task, stored in ``file``; None if it does not play the task."""

    task: Task
    agent: Agent
    scores: dict[int, Scores] | None  # by the number of the first deal
    file: Path

    def in_order(self) -> Scores:
        """Return the scores of the deals from 0 up to the first one missing."""
        found: Scores = []
        while self.scores and len(found) in self.scores:
            found += self.scores[len(found)]
        return found


def play_task(task: Task, agent: Agent, first: int, deals: int) -> Scores:
    """Play an agent through episodes of a task, all of them side by side."""
    seeds = range(SEED + first, SEED + first + deals)
    envs: list[Any] = [
        gymnasium.make(task.id, disable_env_checker=True).unwrapped for _ in range(deals)
    ]
    memory = []
    for env, seed in zip(envs, seeds):
        env.reset(seed=seed)
        seats = agent.name, task.opponents
        memory.append(agent.begin(seat_seed(SEED, seed - SEED, task.options, seats, env.seat)))
    found: Scores = [(0.0, 0)] * deals
    running = list(range(deals))
    while running:
        # Copies in which hidden tiles have been dealt again: no agent sees the true deal.
        seen = [envs[i].game.determinise(envs[i].seat, seeds[i]) for i in running]
        actions = agent.act(seen, [memory[i] for i in running])
        left = []
        for i, action in zip(running, actions, strict=True):
            *_, over, _, info = envs[i].step(int(action))
            if not over:
                left.append(i)
            elif info["illegal_action"]:
                raise ValueError(f"{agent.name} plays an illegal action in {task.id}: {action}")
            else:
                found[i] = info["win_share"], info["score"] - info["best_other_score"]
        running = left
    return found


class _Players:
    """What plays jobs in one process, with agents of its own.

    Only one thread may use it at a time.
    """

    def __init__(self, agents: Sequence[str]) -> None:
        self._agents = dict(zip(agents, load_agents(agents, allow_code=True)))

    def __call__(self, job: Episodes, progress: Progress) -> tuple[Episodes, Scores]:
        scores = play_task(task_named(job.task), self._agents[job.agent], job.first, job.deals)
        progress(job.deals)
        return job, scores


@dataclass(frozen=True)
class _MakePlayers:
    """Make ``_Players`` in a worker process."""

    agents: tuple[str, ...]

    def __call__(self) -> _Players:
        return _Players(self.agents)


def measure_tasks(
    tasks: Sequence[Task], agents: Sequence[str], deals: int, workers: int | None
) -> None:
    """Play the deals that are not stored yet and store them."""
    if deals < 1:
        raise ValueError(f"--deals is {deals}, expected at least 1")
    every = {(row.task.name, name): row for row, name in zip(*_rows(tasks, agents))}
    todo = [
        Episodes(task, name, first, min(AT_ONCE, deals - first))
        for (task, name), row in every.items()
        if row.scores is not None
        for first in range(len(row.in_order()), deals, AT_ONCE)
    ]
    todo.sort(key=lambda job: job.first)  # all rows advance at the same pace
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tqdm(total=sum(job.deals for job in todo), unit="game", disable=None) as bar,
        closing(do_all(todo, _MakePlayers(tuple(agents)), workers or cores(), bar.update)) as done,
    ):
        for job, scores in done:
            # ``_stored`` has read it: it is a regular file, or not there
            with every[job.task, job.agent].file.open("a", encoding="utf-8") as file:
                file.write(json.dumps([job.first, scores]) + "\n")


def _rows(tasks: Sequence[Task], names: Sequence[str]) -> tuple[list[Row], list[str]]:
    """Return a row for each task and agent, and the agents' names as they were given."""
    agents = load_agents(names, allow_code=True)
    rows = [
        Row(task, agent, _stored(file) if agent.supports(task.options) else None, file)
        for task in tasks
        for agent in agents
        for file in [_file(task, agent)]
    ]
    return rows, list(names) * len(tasks)


def _file(task: Task, agent: Agent) -> Path:
    """Return the file of the scores; its name changes with everything that could change them."""
    text = json.dumps([task.id, agent.name, agent.version, SEED, engine_version()])
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    return FOLDER / f"{task.entry}-{re.sub(r'[^a-z0-9]+', '_', agent.name.lower())}-{digest}.jsonl"


def _stored(file: Path) -> dict[int, Scores]:
    """Read the scores in a file, and remove an incomplete last line from it."""
    if not file.exists():
        return {}
    try:
        text = read_text(file)
    except OSError as error:
        raise ValueError(f"{file} can't be read: {error.strerror}") from None
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        write_whole(file, whole)
    return dict(map(json.loads, whole.splitlines()))


def text_of(tasks: Sequence[Task], agents: Sequence[str]) -> str:
    """Return the tables of all scores stored so far, in Markdown."""
    rows, _ = _rows(tasks, agents)
    parts = []
    for task in tasks:
        lines = [_line(row) for row in rows if row.task == task]
        head = ("agent in the learner's seat", "win share", "margin", "deals")
        parts.append(
            f"### `{task.id}`\n\n{task.about[0].upper()}{task.about[1:]}.\n\n"
            f"{markdown.table(head, lines, align='lr')}\n"
        )
    return "\n".join(parts)


def _line(row: Row) -> tuple[str, ...]:
    """Return a row of a table; a figure needs 2 deals."""
    if row.scores is None:
        return f"`{row.agent.name}`", "does not play it", "", ""
    scores = np.array(row.in_order(), float).reshape(-1, 2)
    if len(scores) < 2:
        return f"`{row.agent.name}`", NOT_MEASURED, "", "0"
    wins, margins = scores.T
    figures: dict[str, float] = {"win_share": wins.mean(), "margin": margins.mean()}
    figures["low"], figures["high"] = share_interval(wins)
    figures["margin_low"], figures["margin_high"] = interval(margins)
    return (
        f"`{row.agent.name}`",
        tables.share(figures),
        tables.margin(figures),
        f"{len(scores):,}",
    )


def written(page: Path, text: str) -> str:
    """Return the page with the tables between its markers; ValueError if it has no markers.

    A row that is not measured stays as it was on the page.
    """
    before = dict(_named_lines(read_text(page))) if page.is_file() else {}
    lines = [
        before.get(name, line) if NOT_MEASURED in line else line
        for name, line in _named_lines(text)
    ]
    return markdown.between_markers(page, BEGIN, END, "\n".join(lines))


def _named_lines(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each line, named by the heading above it and its first cell."""
    heading = ""
    for line in text.split("\n"):
        if line.startswith("#"):
            heading = line
        yield (heading, "".join(line.split("|")[1:2])), line
