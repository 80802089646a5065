"""Commands that measure agents: ``evaluate, regret, curve, forecasts, leaderboard, tasks``.

See docs/evaluation.md and docs/tasks.md.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentTypeError, Namespace
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from .. import files
from ..checks import as_int, as_path
from ..evaluation import BLOCKS, SEED
from ..files import write_whole
from .common import (
    add_command,
    check_writable,
    json_of,
    one_line,
    prepare,
    resumable,
    words_beside,
    write_json,
)

_AGENT = "an agent that `cacao agents` lists, the folder of a checkpoint, or a class (module:Class)"
_RAY = "play on a Ray cluster: auto, an address, or nothing for a local one"
_FILE, _DIR = {"metavar": "FILE"}, {"metavar": "DIR"}
PLAYERS = {"--players": (2, "2, 3 or 4; default: 2")}
GAME = {
    "--volcanoes": (False, "play with the mini-expansion"),
    "--seed": (SEED, "seed of the first deal; default: 1,000,000,000"),
}
WORKERS = {"--workers": (int, "processes; default: all cores")}
RAY = {"--ray": (str, _RAY, {"nargs": "?", "const": "local", "metavar": "ADDRESS"})}


CURVES = (".png", ".svg", ".pdf")  # of a picture


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
            "--deals": (int, f"deals, each played in every seat; default: {BLOCKS}"),
            "--until-decided": (False, sequential),
            "--elo0": (0.0, "Elo difference of the test's null hypothesis"),
            "--elo1": (20.0, "Elo difference of its alternative"),
            **GAME,
            **WORKERS,
            **RAY,
            "--out": (str, "folder of the games; default: one under runs/evaluation", _DIR),
            **json_of("the figures"),
            "--html": (str, "write the report there as well", _FILE),
            "--records": (str, "write every game there as a record", _DIR),
        },
        "Play agents against each other.  The unit is the deal block: one deal, played "
        "once with the candidate in each seat and the opponent in all others.  Wins and margins are "
        "averaged within a block; intervals are bootstrapped over blocks.",
    )
    solved = "solve decisions with at most P placements left in the game, 1 to 6; default: 2"
    playouts = "playouts a candidate, half of them to choose it; 0 for none; default: 64"
    referees = (
        "value networks that play them in turn; default: the shipped ones that are not the "
        "agent's own"
    )
    add(
        "regret",
        _regret,
        "measure the regret of an agent's decisions",
        "cacao regret greedy --deals 50 --last 3",
        {
            "agent": (str, _AGENT),
            "--players": (int, "2, 3 or 4; default: a checkpoint's own, or 2"),
            "--deals": (200, "deals, each played once; default: 200"),
            "--last": (2, solved, {"metavar": "P"}),
            "--rollouts": (64, playouts, {"metavar": "R"}),
            "--referee": (str, referees, {"metavar": "NAME[,NAME]"}),
            "--sample": (4, "earlier decisions sampled a game; default: 4", {"metavar": "D"}),
            "--top": (16, "candidates, greedy's best; default: 16"),
            "--utility": (False, "regrets in utility, not in gold"),
            **GAME,
            **WORKERS,
            **json_of("the figures and every regret"),
        },
        "Play an agent against itself, on every seat.  Its decisions near the end are "
        "compared with the exact solution, a sample of the earlier ones with many playouts, which "
        "value networks play.",
    )
    times = "times a placement; default: 1,4,16,64"
    add(
        "curve",
        _curve,
        "draw the strength of a network's search by its time",
        "cacao curve trinitario --ms 1,4,16,64 --deals 100 --out curve.png",
        {
            "network": (str, "a value network that `cacao agents` lists, or its folder"),
            "--ms": (_counts, times, {"metavar": "MS[,MS...]"}),
            "--against": (str, "the opponent; default: the network without search"),
            "--deals": (BLOCKS, "deals, each played in every seat; default: 200"),
            "--out": (str, f"the picture, {CURVES[0]}, {CURVES[1]} or {CURVES[2]}", _FILE),
            **PLAYERS,
            **GAME,
            **WORKERS,
            **json_of("the results"),
        },
        "Play a value network with search against an opponent, once for each time, print "
        "the results and draw them.  Games are stored under runs/curve; the same command resumes.",
    )
    replays = "also what chance allows, from so many replays of each position; default: 16"
    foreseeing = "agents that tell the result that they expect: value networks"
    add(
        "forecasts",
        _forecasts,
        "measure how much of the outcome agents foresee",
        "cacao forecasts trinitario --deals 1000",
        {
            "agents": (str, foreseeing, {"nargs": "+"}),
            "--deals": (1000, "deals, each played once; default: 1,000"),
            "--ceiling": (int, replays, {"nargs": "?", "const": 16, "metavar": "N"}),
            **PLAYERS,
            **GAME,
            **WORKERS,
            **json_of("the figures"),
        },
        "Play games of the first agent against itself.  Every agent tells the win shares and scores "
        "that it expects; R² with the outcome is printed by the placements left in the game.",
    )
    add(
        "positions",
        _positions,
        "measure what an agent loses in positions in which agents disagree",
        "cacao positions trinitario\ncacao positions llm:MODEL --subset",
        {
            "agents": (str, "agents; several are ranked in one table", {"nargs": "*"}),
            "--subset": (False, "the first hundred positions alone, for a slow agent"),
            "--file": (str, "a file of positions; default: the one that is installed", _FILE),
            "--make": (str, "find and judge positions, and write the file into this folder", _DIR),
            "--phrase": ("Cacao Positions", "with --make: decides which positions are found"),
            "--count": (2000, "with --make: how many; default: 2,000"),
            "--seed": (SEED, "of the agent's random numbers; default: 1,000,000,000"),
            **WORKERS,
            "--page": (str, "write the table of the agents between the markers of this page"),
            **json_of("the figures and every answer; of several agents, a list"),
        },
        "Ask agents for a placement in each position, and add up what its choices lose against "
        "the best ones.  With --make find and judge positions instead, which takes hours; the same "
        "command resumes.",
    )
    evaluations = {"nargs": "+", "action": "extend", **_FILE}
    add(
        "leaderboard",
        _leaderboard,
        "play what a list describes and write the leaderboard's tables",
        "cacao leaderboard --config configs/leaderboard.toml",
        {
            "--config": (str, "what to play; default: configs/leaderboard.toml"),
            "--json": (str, "evaluations; nothing is played", evaluations),
            "--submissions": (str, "a folder of submissions, which are checked and printed", _DIR),
            "--share": (0.01, "of their games whose opponents and luck are computed again"),
            "--page": (str, "the Markdown page with the markers; default: docs/agents.md"),
            **WORKERS,
            **RAY,
        },
        "Write the tables of the leaderboard between the markers of a page.",
    )
    alone = "play these alone, e.g. random,mc:sims=256; default: those of docs/tasks.md"
    add(
        "tasks",
        _tasks,
        "list the named tasks, or measure agents in them",
        "cacao tasks\ncacao tasks --agents trinitario --tasks 2p-greedy --deals 200",
        {
            "--page": (str, "write the tables between the page's markers", _FILE),
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


def _played(home: Path, plans: Any, options: Namespace) -> list[Any]:
    """Play plans, or the rest of them; return their figures."""
    from ..evaluation.run import evaluated

    ray = getattr(options, "ray", None)
    with resumable():
        return [evaluated(home, plan, options.workers, ray) for plan in plans]


def _say(text: str, data: Any, options: Namespace) -> None:
    """Print a text, and write data where ``--json`` says."""
    with words_beside(options.json):
        print(text)
    write_json(data, options.json)


def _evaluate(options: Namespace) -> int:
    prepare(options)
    from ..evaluation import run
    from ..evaluation.sprt import SequentialTest
    from ..evaluation.store import Store

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
    )
    folder = as_path(options.out) if options.out else run.default_folder(plan)
    check_writable(options.json, options.html)
    if options.records:
        as_path(options.records).mkdir(parents=True, exist_ok=True)
    with closing(Store(folder, run.settings(plan))) as store:
        try:
            evaluation = run.run_evaluation(plan, store, options.workers, options.ray)
            _write_all(evaluation, folder, options)
            return 0
        except KeyboardInterrupt:
            problem, status = "interrupted", 130
        except (ValueError, OSError) as error:
            problem, status = one_line(error), 1
        stored = [one for one in store.results.values() if one.resumable(store.unversioned)]
        games = sum(len(one.games) for one in stored)
        print(
            f"{problem}; {games} games are stored in {folder}, the same command resumes from there",
            file=sys.stderr,
        )
        return status


def _write_all(evaluation: Any, folder: Path, options: Namespace) -> None:
    """Print the figures and write all files asked for."""
    from ..evaluation.figures import show
    from ..evaluation.records import write_records
    from ..evaluation.report import page
    from ..evaluation.run import document

    data = document(evaluation)
    files.write_json(folder / "evaluation.json", data)
    write_whole(folder / "report.html", page(data))
    if options.html:
        write_whole(as_path(options.html), page(data), pipes=True)
    said = [show(data)]
    if options.records:
        count = write_records(evaluation, as_path(options.records))
        said.append(f"records: {count} in {options.records}")
    said.append(f"report: {folder / 'report.html'}")
    _say("\n".join(said), data, options)


def _regret(options: Namespace) -> None:
    prepare(options)
    from ..agents.agent import require
    from ..agents.registry import load_agent
    from ..engine.options import Options
    from ..evaluation.judge import other_networks
    from ..evaluation.regret import RegretSettings, document, measure_regret, show

    as_int("--deals", options.deals, 1)
    if options.players is not None:
        as_int("--players", options.players, 2, 4, "2, 3 or 4")
    agent = load_agent(options.agent, allow_code=True)
    numbers = options.last, options.rollouts, options.sample, options.top
    unit, referees = "utility" if options.utility else "gold", list[str]()
    if options.rollouts:
        referees = options.referee.split(",") if options.referee else other_networks(agent)
    settings = RegretSettings(*numbers, unit, tuple(referees))
    rules = Options(options.players or agent.players[0], options.volcanoes)
    require(agent, rules)
    check_writable(options.json)
    begin, seed, workers = time.perf_counter(), options.seed, options.workers
    with resumable("nothing is stored"):
        games = measure_regret(options.agent, agent, rules, options.deals, seed, settings, workers)
    data = document(agent, rules, seed, settings, games, time.perf_counter() - begin)
    _say(show(data), data, options)


def _curve(options: Namespace) -> None:
    prepare(options)
    from ..evaluation import curve

    if options.out and as_path(options.out).suffix not in CURVES:
        raise ValueError(
            f"--out is {options.out!r}, expected a file that ends in {', '.join(CURVES)}"
        )
    todo = curve.plans(
        options.network,
        options.against or options.network,
        curve.TIMES if options.ms is None else options.ms,
        players=[options.players],
        volcanoes=options.volcanoes,
        blocks=options.deals,
        seed=options.seed,
    )
    check_writable(options.json, options.out)
    found = [data["results"][0] for data in _played(curve.HOME, todo, options)]
    _say(curve.show(found), found, options)
    if options.out:
        curve.draw(found, as_path(options.out))


def _forecasts(options: Namespace) -> None:
    prepare(options)
    from ..agents.registry import load_agents
    from ..engine.options import Options
    from ..evaluation import forecasts

    rules = Options(options.players, options.volcanoes)
    agents = load_agents(options.agents, allow_code=True)
    check_writable(options.json)
    seed, workers, replays = options.seed, options.workers, options.ceiling or 0
    rows = forecasts.measure_forecasts(
        options.agents, agents, rules, options.deals, seed, replays, workers
    )
    data = forecasts.document(rows, agents, rules, seed, replays)
    _say(forecasts.show(rows), data, options)


def _positions(options: Namespace) -> None:
    prepare(options)
    from ..agents.registry import load_agent
    from ..engine.progress import Bar
    from ..evaluation import judged_positions, positions
    from ..tables import between_markers

    if options.make is not None:
        as_int("--count", options.count, 1)
        with resumable(), Bar(total=options.count, unit="position") as bar:
            folder, about = as_path(options.make), (options.phrase, options.count)
            print(judged_positions.make(folder, *about, options.workers, bar.update))
        return
    if not options.agents:
        raise ValueError("name an agent, or --make a file of positions")
    path = positions.FILE if options.file is None else as_path(options.file)
    found = positions.read_positions(path, positions.SUBSET if options.subset else None)
    agents = [load_agent(name, allow_code=True) for name in options.agents]
    if not any(all(agent.supports(one.options) for agent in agents) for one in found):
        raise ValueError(f"no position is played by all of {', '.join(options.agents)}")
    check_writable(options.json)
    markers = (positions.BEGIN, positions.END)
    if options.page:
        between_markers(options.page, *markers, "")  # before anything is asked
    every = []
    with Bar(total=len(found) * len(agents), unit="position") as bar:
        for name, agent in zip(options.agents, agents):
            answers = positions.ask(name, agent, found, options.seed, options.workers, bar.update)
            every.append(positions.document(agent, found, answers, options.seed, path))
    if len(every) == 1 and not options.page:
        _say(positions.show(every[0]), every[0], options)
        return
    table = positions.ranking(every)
    if options.page:
        text = between_markers(options.page, *markers, table.markdown() + "\n")
        write_whole(as_path(options.page), text)
    _say(table.text(), every if len(every) > 1 else every[0], options)


def _leaderboard(options: Namespace) -> None:
    prepare(options)
    from ..evaluation import leaderboard
    from ..evaluation.run import loaded
    from ..tables import between_markers

    if options.submissions and options.json:
        raise ValueError("give --submissions or --json, not both")
    if options.submissions:
        from ..data.submissions import board, check_all
        from ..evaluation.workers import cores

        threads = options.workers or cores()
        text = board(check_all(as_path(options.submissions), options.share, threads))
        if not options.page:
            print(text, end="")
            return
    page = as_path(options.page or leaderboard.PAGE)
    between_markers(page, leaderboard.BEGIN, leaderboard.END, "")  # before anything is played
    if options.json:
        text = leaderboard.text_of([loaded(path) for path in options.json])
    elif not options.submissions:
        todo = leaderboard.plans(options.config or leaderboard.CONFIG)
        text = leaderboard.text_of(_played(leaderboard.HOME, todo, options))
    write_whole(page, between_markers(page, leaderboard.BEGIN, leaderboard.END, text))
    print(f"{page}: {text.count('### ')} tables")


def _tasks(options: Namespace) -> int:
    from ..envs.tasks import TASKS, task_named

    if (options.page, options.deals, options.agents, options.tasks) == (None,) * 4:
        listed = [{**asdict(task), "id": task.id} for task in TASKS]
        _say("\n".join(f"{task.id:40}{task.about}" for task in TASKS), listed, options)
        return 0
    prepare(options)
    from ..agents.bots import split_names
    from ..evaluation import task_scores

    chosen = [task_named(name) for name in options.tasks.split(",")] if options.tasks else TASKS
    names = split_names(options.agents) if options.agents else list(task_scores.AGENTS)
    if options.page:
        task_scores.written(as_path(options.page), "")  # before anything is played
    deals = task_scores.DEALS if options.deals is None else options.deals
    check_writable(options.json)
    played = _played(task_scores.HOME, task_scores.plans(chosen, names, deals), options)
    if options.page is None:
        _say(task_scores.text_of(chosen, names, played), played, options)
        return 0
    # A page has all tasks, and all agents that it compares, whichever were played now.
    text = task_scores.text_of(TASKS, list(dict.fromkeys([*task_scores.AGENTS, *names])), played)
    write_whole(as_path(options.page), task_scores.written(as_path(options.page), text))
    _say(f"{options.page}: {len(TASKS)} tasks", played, options)
    return 0
