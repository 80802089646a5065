"""Reference scores of the named tasks: agents in the learner's seat, played through the environment.

Deal d of a task is its episode of ``reset(seed=SEED + d)``, played once.  Games are stored under
``HOME``, so a run that was stopped resumes, and more deals can be added later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..checks import as_int
from ..envs.tasks import Task
from ..files import read_text
from ..registry import load_agent, load_agents
from ..tables import DataTable, between_markers
from . import figures
from .run import Plan, versions_of

AGENTS = ("random", "greedy", "mc:sims=256", "forastero", "trinitario")
NOT_MEASURED = "not measured"
DEALS = 1000
HOME = Path("runs/tasks")
BEGIN, END = "<!-- tasks: begin -->", "<!-- tasks: end -->"


def plans(tasks: Sequence[Task], specs: Sequence[str], deals: int = DEALS) -> list[Plan]:
    """Return the plan of each task and agent that plays it."""
    as_int("--deals", deals, 1)
    agents = load_agents(specs, allow_code=True)
    return [
        Plan((spec,), versions_of([agent]), (task.options,), deals, task=task)
        for task in tasks
        for spec, agent in zip(specs, agents, strict=True)
        if agent.supports(task.options)
    ]


def text_of(
    tasks: Sequence[Task], specs: Sequence[str], played: Sequence[Mapping[str, Any]]
) -> str:
    """Return the tables of the scores of ``played``, the figures of plans, in Markdown."""
    scores = {(one["settings"]["task"], next(iter(one["specs"]))): one for one in played}
    counts = figures.counted_names([data["results"][0] for data in played])
    more = [f"{name} a move" for name in counts]
    head = ("agent in the learner's seat", "win share", "margin", "deals", *more)
    empty = [""] * len(counts)
    loaded = [load_agent(spec, allow_code=True) for spec in specs]
    agents, parts = {agent.name: agent for agent in loaded}, []  # a path may name a shipped one
    for task in tasks:
        lines = []
        for agent in agents.values():
            cells: tuple[str, ...] = ("does not play it", "", "", *empty)
            if data := scores.get((task.id, agent.name)):
                cells = _scores(data, counts)
            elif agent.supports(task.options):
                cells = (NOT_MEASURED, "", "0", *empty)
            lines.append((f"`{agent.name}`", *cells))
        parts.append(
            f"### `{task.id}`\n\n{task.about[0].upper()}{task.about[1:]}.\n\n"
            f"{DataTable(head, lines).markdown()}\n"
        )
    return "\n".join(parts)


def _scores(data: Mapping[str, Any], counts: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of an evaluation."""
    (result,) = data["results"]
    cells = figures.share(result), figures.margin(result), f"{result['blocks']:,}"
    return (*cells, *figures.counted_cells([result], counts))


def written(page: Path, text: str) -> str:
    """Return the page with the tables between its markers; ValueError if it has no markers.

    A row that is not measured stays as it was on the page.
    """
    before = dict(_named_lines(read_text(page))) if page.is_file() else {}
    lines = [
        before.get(name, line) if NOT_MEASURED in line else line
        for name, line in _named_lines(text)
    ]
    return between_markers(page, BEGIN, END, "\n".join(lines))


def _named_lines(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each line, named by the heading above it and its first cell."""
    heading = ""
    for line in text.split("\n"):
        if line.startswith("#"):
            heading = line
        yield (heading, "".join(line.split("|")[1:2])), line
