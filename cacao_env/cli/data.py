"""The command ``data``: games that were played.  See docs/data.md."""

from __future__ import annotations

import json
from argparse import Namespace
from functools import partial
from typing import Any

from ..checks import as_path
from ..engine.options import DECISIONS, Options
from .common import VOLCANOES, add_command, check_writable, prepare, resumable
from .measure import GAME, RAY, WORKERS


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    add, out = partial(add_command, commands), {"metavar": "PLACE"}
    add(
        "data",
        _data,
        "make, show, check and export folders of games",
        "cacao data make greedy --players 2 --deals 1000000\n"
        "cacao data check runs/evaluation/MINE\n"
        "cacao data export greedy-2p --as minari --out cacao/greedy-v0",
        {
            "what": (str, "what to do", {"choices": ["make", "info", "check", "export"]}),
            "name": (str, "make: agents, e.g. greedy,mc:sims=64; else a folder of games"),
            "--players": (int, "make: 2, 3 or 4, default: 2; export: only games with so many"),
            **VOLCANOES,
            "--decisions": ("auto", "default: auto", {"choices": DECISIONS}),
            "--deals": (10_000, "make: deals, each played once or in every seat; default: 10,000"),
            "--seed": GAME["--seed"],
            "--luck": (False, "make: store the luck of each game"),
            **WORKERS,
            **RAY,
            "--as": (
                "chat",
                "export: conversations (JSONL), Minari or game records",
                {"choices": ["chat", "minari", "records"], "dest": "form"},
            ),
            "--seat": (0, "export to Minari: whose episodes; default: 0"),
            "--out": (
                str,
                "make, export records: the folder; else the file, or Minari's name",
                out,
            ),
        },
        "Make, show, check and export games: data sets, evaluations, the games of a training run.  "
        "`make` plays games of agents; the same command resumes.  `check` compares all checksums, "
        "replays all games, counts every figure again, and names the first that differs.",
    )


def _data(options: Namespace) -> None:
    {"make": _make, "info": _info, "check": _check, "export": _export}[options.what](options)


def _make(options: Namespace) -> None:
    prepare(options)
    from ..agents.specs import split_names
    from ..data import HOME
    from ..evaluation.make import Recipe, games_of, make
    from ..evaluation.run import file_name

    agents = split_names(options.name)
    players = 2 if options.players is None else options.players
    rules = Options(players, options.volcanoes, options.decisions)
    recipe = Recipe(tuple(agents), rules, options.deals, options.seed, options.luck)
    name = f"{file_name(agents)}-{rules.num_players}p{'-volcanoes' * rules.volcanoes}"
    folder = as_path(options.out or HOME / name)
    with resumable():
        made = make(folder, recipe, {"name": name}, options.workers, options.ray)
    size = sum(entry["parts"][-1][0] for entry in made["files"])
    print(f"{folder}: {games_of(made):,} games, {size / games_of(made):.1f} bytes each")


def _info(options: Namespace) -> None:
    from ..data import find
    from ..data.storage import read_manifest

    shown = read_manifest(find(options.name))
    shown["files"] = [{**entry, "parts": len(entry["parts"])} for entry in shown["files"]]
    print(json.dumps(shown, indent=2))


def _check(options: Namespace) -> None:
    prepare(options)
    from ..data import find
    from ..evaluation.check import check, check_positions
    from ..evaluation.workers import cores

    if as_path(options.name).suffix == ".json":
        said = check_positions(as_path(options.name))
    else:
        said = check(find(options.name), options.workers or cores())
    print("\n".join(said))


def _export(options: Namespace) -> None:
    from ..data import export, load
    from ..text.chat import write_chat

    if options.out is None:
        raise ValueError("--out is missing: the file or the folder, or the name for Minari")
    games = load(options.name, options.players)
    if options.form == "chat":
        check_writable(options.out)
        made = f"{write_chat(games, as_path(options.out)):,} conversations"
    elif options.form == "minari":
        made = f"{export.minari(games, options.out, options.seat):,} episodes"
    else:
        made = f"{export.records(games, as_path(options.out)):,} game records"
    print(f"{options.out}: {made}")
