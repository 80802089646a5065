"""Commands that measure agents: ``evaluate, positions, tasks``.

See docs/evaluation.md and docs/tasks.md.
"""

from __future__ import annotations

from argparse import ArgumentTypeError, BooleanOptionalAction, Namespace
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ..checks import as_path
from ..engine.options import DECISIONS
from ..evaluation import BLOCKS, SEED
from ..files import write_whole
from ..tables import write_between
from .common import FILE, VOLCANOES, add_command, check_writable, json_of, prepare, resumable, say

_AGENT = "an agent that `cacao agents` lists, the folder of a checkpoint, or a class (module:Class)"
_DIR = {"metavar": "DIR"}
_RAY = "play on a Ray cluster: auto, an address, or nothing for a local one"
GAME = {**VOLCANOES, "--seed": (SEED, "seed of the first deal; default: 1,000,000,000")}
WORKERS = {"--workers": (int, "processes; default: all cores")}
TASK_AGENTS, TASK_DEALS = ("random", "greedy", "mc:sims=256", "forastero", "trinitario"), 1000
RAY = {"--ray": (str, _RAY, {"nargs": "?", "const": "local", "metavar": "ADDRESS"})}


def _counts(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a list of whole numbers such as 2,3") from None


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    add = partial(add_command, commands)
    counts = "2, 3 and 4; default: a checkpoint's own, or 2"
    sequential = (
        "a sequential test of the first agent against the second, of at most --deals deals; "
        "default: 10,000"
    )
    luck = (
        "adjust figures for the luck of the draw; default: where that narrows intervals more than the "
        "same seconds of play"
    )
    decisions = "turn: all are asked for placements alone, explicit: for everything; default: auto"
    opponents = "measure the agents against these alone, not against each other"
    add(
        "evaluate",
        _evaluate,
        "measure agents against each other",
        "cacao evaluate trinitario greedy --players 2,3,4 --deals 500\n"
        "cacao evaluate mine.onnx --against random greedy trinitario",
        {
            "agents": (str, _AGENT, {"nargs": "+"}),
            "--against": (str, opponents, {"nargs": "+", "default": [], "metavar": "AGENT"}),
            "--players": (_counts, counts, {"metavar": "N[,N...]"}),
            "--decisions": ("auto", decisions, {"choices": DECISIONS}),
            "--deals": (int, f"deals, each played in every seat; default: {BLOCKS}"),
            "--until-decided": (False, sequential),
            "--elo0": (0.0, "Elo difference of the test's null hypothesis"),
            "--elo1": (20.0, "Elo difference of its alternative"),
            **GAME,
            **WORKERS,
            **RAY,
            "--out": (str, "folder of the games; default: one under runs/evaluation", _DIR),
            **json_of("the figures"),
            "--luck": (False, luck, {"action": BooleanOptionalAction}),
            "--html": (str, "write the report there as well", FILE),
            "--page": (str, "write the tables between the markers of this page", FILE),
        },
        "Play agents against each other.  The unit is the deal block: one deal, played "
        "once with the candidate in each seat and the opponent in all others.  Wins and margins are "
        "averaged within a block; intervals are bootstrapped over blocks.",
    )
    add(
        "positions",
        _positions,
        "measure what an agent loses in positions in which agents disagree",
        "cacao positions trinitario\ncacao positions llm:MODEL --subset",
        {
            "agents": (str, "agents; several are ranked in one table", {"nargs": "+"}),
            "--subset": (False, "the first hundred positions alone, for a slow agent"),
            "--seed": (SEED, "of the agent's random numbers; default: 1,000,000,000"),
            **WORKERS,
            "--page": (str, "write the table of the agents between the markers of this page"),
            **json_of("the figures and every answer; of several agents, a list"),
        },
        "Ask agents for a placement in each position, and add up what its choices lose against "
        "the best ones.",
    )
    alone = "play these alone, e.g. random,mc:sims=256; default: those of docs/tasks.md"
    add(
        "tasks",
        _tasks,
        "list the named tasks, or measure agents in them",
        "cacao tasks\ncacao tasks --agents trinitario --tasks 2p-greedy --deals 200",
        {
            "--page": (str, "write the tables between the page's markers", FILE),
            "--deals": (int, "for each task and agent; default: 1,000"),
            "--agents": (str, alone),
            "--tasks": (str, "play these alone, e.g. 2p-greedy,4p-greedy; default: all"),
            **WORKERS,
            **json_of("the scores, or the list"),
        },
        "List the named tasks.  With an option, play agents in the learner's seat of each task and "
        "print the scores, or write them to a page.  Games are stored under runs/tasks; the same "
        "command resumes.",
    )


def _evaluate(options: Namespace) -> None:
    prepare(options)
    from ..data.folder import GameFolder
    from ..evaluation import run
    from ..evaluation.sprt import SequentialTest

    test = SequentialTest(options.elo0, options.elo1) if options.until_decided else None
    deals = options.deals
    if deals is None:
        deals = run.MOST_BLOCKS if test else BLOCKS
    plan = run.make_plan(
        options.agents,
        options.players,
        options.volcanoes,
        deals,
        options.seed,
        test,
        against=options.against,
        decisions=options.decisions,
    )
    folder = as_path(options.out) if options.out else run.default_folder(plan)
    check_writable(options.json, options.html, page=options.page)
    with closing(GameFolder(folder, run.settings(plan))) as games:
        try:
            data = run.run_evaluation(plan, games, options.workers, options.ray, options.luck)
            _write_all(data, folder, options)
        except (ValueError, OSError, KeyboardInterrupt) as error:
            there = f"{games.kept} games are in {folder}"
            error.add_note(f"{there}, the same command resumes from there")
            raise


def _write_all(data: dict[str, Any], folder: Path, options: Namespace) -> None:
    """Print the figures and write the report and all files asked for."""
    from ..evaluation import pages
    from ..evaluation.figures import show
    from ..evaluation.report import page

    write_whole(folder / "report.html", page(data))
    if options.html:
        write_whole(as_path(options.html), page(data), pipes=True)
    if options.page:
        pages.write(options.page, pages.sections_of([data]))
    say(f"{show(data)}\nreport: {folder / 'report.html'}", data, options.json)


def _positions(options: Namespace) -> None:
    prepare(options)
    from ..engine.progress import Bar
    from ..evaluation import positions
    from ..registry import load_agent

    found = positions.read_positions(positions.SUBSET if options.subset else None)
    agents = [load_agent(name, allow_code=True) for name in options.agents]
    if not any(all(agent.supports(one.options) for agent in agents) for one in found):
        raise ValueError(f"no position is played by all of {', '.join(options.agents)}")
    check_writable(options.json, page=options.page)
    every = []
    with Bar(total=len(found) * len(agents), unit="position") as bar:
        for name, agent in zip(options.agents, agents):
            answers = positions.ask(name, agent, found, options.seed, options.workers, bar.update)
            every.append(positions.document(agent, found, answers, options.seed))
    helped, table = positions.helped(every), positions.ranking(every)
    if options.page:
        write_between(options.page, f"{table.markdown()}\n{helped}".rstrip() + "\n")
    alone = every[0] if len(every) == 1 else None
    shown = positions.show(alone) if alone else table.text()
    say(f"{shown}\n{helped}".rstrip(), alone or every, options.json)


def _tasks(options: Namespace) -> int:
    from ..envs.tasks import TASKS, task_named

    if (options.page, options.deals, options.agents, options.tasks) == (None,) * 4:
        listed = [{**asdict(task), "id": task.id} for task in TASKS]
        say("\n".join(f"{task.id:40}{task.about}" for task in TASKS), listed, options.json)
        return 0
    prepare(options)
    from ..agents.specs import split_names
    from ..evaluation import pages
    from ..evaluation.run import TASKS_HOME, evaluated, task_plans

    chosen = [task_named(name) for name in options.tasks.split(",")] if options.tasks else TASKS
    names = split_names(options.agents) if options.agents else list(TASK_AGENTS)
    check_writable(options.json, page=options.page)
    with resumable():
        todo = task_plans(chosen, names, TASK_DEALS if options.deals is None else options.deals)
        played = [evaluated(TASKS_HOME, plan, options.workers) for plan in todo]
    sections = pages.sections_of(played)
    if options.page:
        pages.write(options.page, sections)
    say(pages.text_of(sections), played, options.json)
    return 0
