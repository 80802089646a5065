"""The command ``tasks``: list the named tasks, or measure agents in them.  See docs/tasks.md."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from .common import add_command, prepare, resumable


def add_commands(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    one = add_command(
        commands,
        "tasks",
        "list the named tasks, or measure agents in them",
        "cacao tasks\ncacao tasks --agents criollo --tasks 2p-greedy --deals 200",
        "List the named tasks.  With an option, play agents in the learner's seat of each task and "
        "print the scores, or write them to a page.  Scores are stored under runs/tasks; the same "
        "command resumes.",
    )
    add = one.add_argument
    add("--page", metavar="FILE", help="write the tables between the page's markers")
    add("--deals", type=int, help="for each task and agent; default: 1,000")
    add(
        "--agents",
        help="play these alone, e.g. random,mc:sims=256; default: those of docs/tasks.md",
    )
    add("--tasks", help="play these alone, e.g. 2p-greedy,4p-greedy; default: all")
    add("--workers", type=int, help="processes; default: all cores")
    one.set_defaults(run=_tasks)


def _tasks(options: Namespace) -> int:
    from ..envs.tasks import TASKS, task_named

    if (options.page, options.deals, options.agents, options.tasks) == (None,) * 4:
        for task in TASKS:
            print(f"{task.id:40}{task.about}")
        return 0
    prepare(options)
    from ..agents.bots import split_names
    from ..evaluation import tasks
    from ..evaluation.run import evaluated
    from ..evaluation.workers import play_all
    from ..files import write_whole

    chosen = [task_named(name) for name in options.tasks.split(",")] if options.tasks else TASKS
    names = split_names(options.agents) if options.agents else list(tasks.AGENTS)
    if options.page:
        tasks.written(Path(options.page), "")  # before anything is played
    deals = tasks.DEALS if options.deals is None else options.deals
    todo = tasks.plans(chosen, names, deals)
    with resumable():
        for plan, agents in todo:
            evaluated(tasks.HOME, plan, agents, options.workers, play_all)
    if options.page is None:
        print(tasks.text_of(chosen, names))
        return 0
    # A page has all tasks, and all agents that it compares, whichever were played now.
    text = tasks.text_of(TASKS, list(dict.fromkeys([*tasks.AGENTS, *names])))
    write_whole(Path(options.page), tasks.written(Path(options.page), text))
    print(f"{options.page}: {len(TASKS)} tasks")
    return 0
