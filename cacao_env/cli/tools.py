"""Commands about the environment itself: ``spec``, ``bench``, ``check``."""

from __future__ import annotations

from argparse import Namespace
from typing import Any


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    one = commands.add_parser("spec", help="print the observation and action tables")
    one.add_argument("--players", type=int, default=2, help="2, 3 or 4")
    one.add_argument("--table-size", type=int, default=None)
    one.set_defaults(run=_spec)

    one = commands.add_parser("bench", help="measure speed on this machine")
    one.add_argument("--seconds", type=float, default=None, help="per row")
    one.add_argument("--quick", action="store_true", help="all rows in less than a minute")
    one.add_argument("--json", metavar="FILE", help="write the rows to a file as well")
    one.add_argument(
        "--compare", metavar="FILE", help="an earlier --json file; status 1 if a row is slower now"
    )
    one.add_argument("--peers", action="store_true", help="other environments too, if installed")
    one.add_argument("--page", metavar="FILE", help="write the table between a page's markers")
    one.set_defaults(run=_bench)

    one = commands.add_parser("check", help="run the examples of the libraries installed here")
    one.add_argument("libraries", nargs="*", metavar="LIBRARY", help="default: all")
    one.set_defaults(run=_check)


def _spec(options: Namespace) -> int:
    from ..envs.spec import tables

    print(tables(options.players, options.table_size))
    return 0


def _bench(options: Namespace) -> int:
    from ..bench import run

    return run(
        options.seconds, options.json, options.quick, options.compare, options.peers, options.page
    )


def _check(options: Namespace) -> int:
    from ..check import check

    return check(options.libraries)
