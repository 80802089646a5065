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
from .common import EXIT_CODES, one_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; errors in its input are one sentence."""
    _prepare_streams()
    parser = _parser()
    if "_ARGCOMPLETE" in os.environ:  # the shell asks for completions
        import argcomplete

        argcomplete.autocomplete(parser)
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options) or 0
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed our output; flushing at exit must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(one_line(error), file=sys.stderr)
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # as above
        return 1
    except KeyboardInterrupt as error:  # perhaps with advice
        print("; ".join(["interrupted", *error.args]), file=sys.stderr)
        return 130
    return status


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
