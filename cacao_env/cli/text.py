"""Commands for language models: ``mcp``, ``text``."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from contextlib import ExitStack
from functools import partial
from typing import Any

from ..checks import as_int, as_path
from ..engine.options import DECISIONS, Options
from ..files import writing
from .common import add_command
from .games import VOLCANOES


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    add, file = partial(add_command, commands), {"metavar": "FILE"}
    add(
        "mcp",
        _mcp,
        "serve games to language models over MCP",
        "cacao mcp\ncacao mcp --http --port 8000",
        {
            "--http": (False, "serve HTTP on 127.0.0.1 instead of standard input and output"),
            "--port": (8000, "port of --http; default: 8000"),
        },
    )
    add(
        "text",
        _rollouts,
        "write games as conversations, to fine-tune a language model",
        "cacao text rollouts --agent trinitario --deals 100 --out games.jsonl --pairs pairs.jsonl",
        {
            "what": (str, "what to write", {"choices": ["rollouts"]}),
            "--agent": ("trinitario", "the agent on every seat; default: trinitario"),
            "--deals": (10, "games, with consecutive seeds; default: 10"),
            "--seed": (0, "seed of the first game"),
            "--players": (2, "2, 3 or 4"),
            **VOLCANOES,
            "--decisions": ("turn", "default: turn", {"choices": DECISIONS}),
            "--out": (str, "the conversations, a line a seat", {"required": True, **file}),
            "--pairs": (
                str,
                "a line for each move that lost 1 gold or more: the best move, then the one played",
                file,
            ),
            "--no-regret": (False, "don't judge the moves, which takes most of the time"),
        },
        "Write games of an agent against itself as chat JSONL, with outcome, regret a move and luck.",
    )


def _mcp(options: Namespace) -> None:
    from ..text.mcp import serve

    serve(options.http, options.port)


def _rollouts(options: Namespace) -> None:
    from ..agents.agent import require
    from ..agents.registry import load_agent
    from ..engine.progress import Bar
    from ..text.rollouts import conversations

    if options.pairs and options.no_regret:
        raise ValueError("--pairs needs the regret of moves, which --no-regret leaves out")
    paths = [as_path(path or os.devnull) for path in (options.out, options.pairs)]
    if options.pairs and paths[0].resolve() == paths[1].resolve():
        raise ValueError(f"--out and --pairs are both {options.out}, expected two files")
    as_int("--deals", options.deals, 1)
    rules = Options(options.players, options.volcanoes, options.decisions)
    agent = load_agent(options.agent, allow_code=True)
    require(agent, rules)
    games = conversations(agent, rules, options.deals, options.seed, not options.no_regret)
    total = options.deals * rules.num_players
    with ExitStack() as stack:
        out, both = (stack.enter_context(writing(path, pipes=True)) for path in paths)
        for line, found in Bar(games, total=total, unit="seat"):
            out.write(json.dumps(line).encode() + b"\n")
            both.writelines(json.dumps(one).encode() + b"\n" for one in found)
    print(f"{options.out}: {total} conversations")
