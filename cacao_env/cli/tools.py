"""Commands about what is installed: ``agents``, ``spec``, ``bench``, ``check``."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from .common import add_command, add_json, json_alone, write_json


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    one = add_command(
        commands,
        "agents",
        "list the agents that can be named here",
        "cacao agents",
        "List the agents that can be named here, those of other packages included.  The folder of a "
        "checkpoint is a name too, and on a command line also module:Class.",
    )
    add_json(one, "the list")
    one.set_defaults(run=_agents)

    one = add_command(
        commands,
        "spec",
        "print the observation and action tables",
        "cacao spec --players 4 --table-size 15",
    )
    one.add_argument("--players", type=int, default=2, help="2, 3 or 4")
    one.add_argument("--table-size", type=int, help="side of the window; default: the game's own")
    add_json(one, "the tables")
    one.set_defaults(run=_spec)

    one = add_command(
        commands,
        "bench",
        "measure speed on this machine",
        "cacao bench --quick\ncacao bench --json now.json --compare before.json",
    )
    one.add_argument("--seconds", type=float, default=None, help="seconds that each row takes")
    one.add_argument("--quick", action="store_true", help="measure all rows in less than a minute")
    add_json(one, "the rows")
    one.add_argument(
        "--compare", metavar="FILE", help="an earlier --json file; status 1 if a row is slower now"
    )
    one.add_argument("--peers", action="store_true", help="other environments too, if installed")
    one.add_argument("--page", metavar="FILE", help="write the table between a page's markers")
    one.set_defaults(run=_bench)

    one = add_command(
        commands,
        "check",
        "run the examples of the libraries that are installed here",
        "cacao check gymnasium pettingzoo",
    )
    one.add_argument("libraries", nargs="*", metavar="LIBRARY", help="default: all")
    add_json(one, "the results")
    one.set_defaults(run=_check)


def _agents(options: Namespace) -> int:
    from ..agents.bots import BOTS
    from ..agents.registry import installed_agents

    found: list[dict[str, Any]] = [{"name": n, "what": what} for n, what in installed_agents()]
    for name, kind in BOTS.items():
        parameters = {
            key: {"default": one.default, "low": one.low, "high": one.high, "meaning": one.meaning}
            for key, one in kind.parameters.items()
        }
        found.append({"name": name, "what": kind.meaning, "parameters": parameters})
    if options.json:
        write_json(found, options.json)
    if options.json != "-":
        for agent in found:
            print(f"{agent['name']:<24} {agent['what']}")
            for key, one in agent.get("parameters", {}).items():
                values = f"{one['low']} to {one['high']}, default {one['default']}"
                print(f"    :{key}= {one['meaning']} ({values})")
    return 0


def _spec(options: Namespace) -> int:
    from .spec import data, tables

    if options.json:
        write_json(data(options.players, options.table_size), options.json)
    if options.json != "-":
        print(tables(options.players, options.table_size))
    return 0


def _bench(options: Namespace) -> int:
    from ..bench import run

    with json_alone(options.json) as file:
        return run(
            options.seconds, file, options.quick, options.compare, options.peers, options.page
        )


def _check(options: Namespace) -> int:
    from ..check import check

    with json_alone(options.json) as file:
        return check(options.libraries, file)
