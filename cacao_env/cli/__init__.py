"""The command line: ``cacao COMMAND``, or ``python -m cacao_env COMMAND``.

Each file of this package holds a group of commands.  What a command needs is imported when it runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from .. import __version__
from . import data, games, measure, tools
from .common import EXIT_CODES, run_command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    _prepare_streams()
    parser = _parser()
    if "_ARGCOMPLETE" in os.environ:  # the shell asks for completions
        import argcomplete

        argcomplete.autocomplete(parser)
    options = parser.parse_args(arguments)
    return run_command(lambda: options.run(options))


def _prepare_streams() -> None:
    """Read and write nothing where a standard stream is closed; print "?" for what a console lacks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cacao",
        description="The board game Cacao for reinforcement learning.",
        epilog=f"example: cacao view.  `cacao COMMAND --help` explains a command.  {EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for group in (games, measure, data, tools):
        group.add_commands(commands)
    return parser
