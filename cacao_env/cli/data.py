"""The command ``data``: games that were played.  See docs/data.md."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from functools import partial
from typing import Any

import numpy as np

from ..checks import as_path
from ..engine.options import DECISIONS, Options
from .common import add_command, check_writable, prepare, resumable
from .games import VOLCANOES
from .measure import GAME, PLAYERS, RAY, WORKERS


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    add, folder = partial(add_command, commands), {"metavar": "DIR"}
    tiers = "make: a tier, random, greedy, forastero, expert or search; else a data set"
    add(
        "data",
        _data,
        "make, check and export data sets of whole games",
        "cacao data make greedy --players 2 --deals 1000000\n"
        "cacao data check greedy-2p\n"
        "cacao data export greedy-2p --to minari --out cacao/greedy-v0",
        {
            "what": (str, "what to do", {"choices": ["make", "info", "check", "export"]}),
            "name": (str, tiers),
            "--agents": (str, "make: agents instead of the tier's, e.g. greedy,mc:sims=64"),
            **PLAYERS,
            **VOLCANOES,
            "--decisions": ("auto", "default: auto", {"choices": DECISIONS}),
            "--deals": (10_000, "make: deals, each played once or in every seat; default: 10,000"),
            "--seed": GAME["--seed"],
            "--candidates": (str, "make: an agent, whose best eight are stored with each decision"),
            "--luck": (False, "make: store the luck of each draw"),
            **WORKERS,
            **RAY,
            "--to": ("chat", "export: chat JSONL or Minari", {"choices": ["chat", "minari"]}),
            "--seat": (0, "export to Minari: whose episodes; default: 0"),
            "--out": (str, "make: the folder; export: the file, or Minari's name", folder),
        },
        "Make, show, check and export data sets.  `make` plays the games of a tier; the same command "
        "resumes.  `check` compares all checksums and replays all games.",
    )


def _data(options: Namespace) -> None:
    {"make": _make, "info": _info, "check": _check, "export": _export}[options.what](options)


def _make(options: Namespace) -> None:
    prepare(options)
    from ..agents.bots import split_names
    from ..data import HOME
    from ..data.make import TIERS, Recipe, games_of, make

    if options.agents is None and options.name not in TIERS:
        raise ValueError(f"there is no tier {options.name!r}; there are: {', '.join(TIERS)}")
    agents = split_names(options.agents) if options.agents else TIERS[options.name]
    rules = Options(options.players, options.volcanoes, options.decisions)
    more = (options.seed, options.candidates or "", options.luck)
    recipe = Recipe(tuple(agents), rules, options.deals, *more)
    name = f"{options.name}-{rules.num_players}p{'-volcanoes' * rules.volcanoes}"
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
    from ..data import load
    from ..evaluation.workers import cores

    games, begin = load(options.name), time.perf_counter()
    games.check(options.workers or cores())
    # A training run's games have no recipe with a number of deals.
    found, wanted = len(np.unique(games.deals)), games.manifest["recipe"].get("deals")
    if wanted not in (None, found):
        raise ValueError(
            f"{options.name} has games of {found:,} deals, expected {wanted:,}: the command that makes "
            "it resumes"
        )
    print(
        f"{options.name}: {len(games):,} games, {len(games.actions):,} decisions, all replayed in "
        f"{time.perf_counter() - begin:.2f} s"
    )


def _export(options: Namespace) -> None:
    from ..data import export, load

    if options.out is None:
        raise ValueError("--out is missing: the file of the chat, or the name for Minari")
    games = load(options.name)
    if options.to == "minari":
        count = export.minari(games, options.out, options.seat)
    else:
        check_writable(options.out)
        count = export.chat(games, as_path(options.out))
    print(f"{options.out}: {count:,} {'episodes' if options.to == 'minari' else 'conversations'}")
