"""Commands about what is installed: ``agents``, ``spec``, ``mcp``, ``bench``, ``check``."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from functools import partial
from typing import Any

from .common import FILE, add_command, check_writable, json_of, say, words_beside, write_json


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    add = partial(add_command, commands)
    add(
        "agents",
        _agents,
        "list the agents that can be named here",
        "cacao agents",
        json_of("the list"),
        "List the agents that can be named here, those of other packages included.  The folder of a "
        "checkpoint is a name too, and on a command line also module:Class.",
    )
    add(
        "spec",
        _spec,
        "print the observation and action tables",
        "cacao spec --players 4 --table-size 15",
        {
            "--players": (2, "2, 3 or 4"),
            "--table-size": (int, "side of the window; default: the game's own"),
            **json_of("the tables"),
        },
    )
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
        "bench",
        _bench,
        "measure speed on this machine",
        "cacao bench --quick\ncacao bench --json now.json",
        {
            "--seconds": (float, "seconds that each row takes"),
            "--quick": (False, "measure all rows in less than a minute"),
            **json_of("the rows"),
            "--page": (str, "write the table between a page's markers", FILE),
        },
    )
    add(
        "check",
        _check,
        "run the examples of the libraries that are installed here",
        "cacao check gymnasium pettingzoo",
        {
            "libraries": (str, "default: all", {"nargs": "*", "metavar": "LIBRARY"}),
            **json_of("the results"),
        },
    )


def _agents(options: Namespace) -> None:
    from ..agents.bots import BOTS
    from ..agents.loading import installed_agents

    found: list[dict[str, Any]] = [
        {"name": name, "what": what, "parameters": {}} for name, what in installed_agents()
    ]
    for name, kind in BOTS.items():
        parameters = {key: asdict(one) for key, one in kind.parameters.items()}
        found.append({"name": name, "what": kind.meaning, "parameters": parameters})
    lines = []
    for agent in found:
        lines.append(f"{agent['name']:<24} {agent['what']}")
        for key, one in agent["parameters"].items():
            values = f"{one['low']} to {one['high']}, default {one['default']}"
            lines.append(f"    :{key}= {one['meaning']} ({values})")
    say("\n".join(lines), found, options.json)


def _spec(options: Namespace) -> None:
    from .spec import data, tables

    which = options.players, options.table_size
    say(tables(*which), data(*which), options.json)


def _mcp(options: Namespace) -> None:
    from ..text.mcp import serve

    serve(options.http, options.port)


def _bench(options: Namespace) -> None:
    from ..check.bench import run

    check_writable(options.json)
    with words_beside(options.json):
        data = run(options.seconds, options.quick, options.page)
    write_json(data, options.json)


def _check(options: Namespace) -> int:
    from ..check import check

    check_writable(options.json)
    with words_beside(options.json):
        status, data = check(options.libraries)
    write_json(data, options.json)
    return status
