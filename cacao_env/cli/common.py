"""What the commands share: how they are added and explained, JSON output, errors as one sentence."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import Any

from .. import files

EXIT_CODES = """\
exit status: 0 success; 1 wrong input, or a check that failed; 2 wrong usage; 130 interrupted"""


def add_command(
    commands: Any, name: str, summary: str, example: str, description: str = ""
) -> ArgumentParser:
    """Add a subcommand whose help shows an example; ``example`` may have several lines."""
    lines = "\n".join(f"  {line}" for line in example.splitlines())
    text = description or f"{summary[0].upper()}{summary[1:]}."
    parser: ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=fill(text, 80),
        epilog=f"example:\n{lines}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    return parser


def add_json(parser: Any, what: str) -> None:
    """Add the option ``--json``."""
    parser.add_argument(
        "--json", metavar="FILE", help=f"write {what} as JSON; - is standard output, without words"
    )


def write_json(data: Any, path: str) -> None:
    """Write data as JSON to a file, whole or not at all, or for ``-`` to standard output."""
    if path == "-":
        print(json.dumps(data, indent=2))
    else:
        files.write_json(Path(path), data, pipes=True)


@contextmanager
def json_alone(path: str | None) -> Iterator[str | None]:
    """Give a file to write JSON to; for ``-`` it goes to standard output and all words to the error."""
    if path != "-":
        yield path
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "out.json"
        with redirect_stdout(sys.stderr):
            yield str(file)
        sys.stdout.write(file.read_text(encoding="utf-8"))


def one_line(error: Exception) -> str:
    """Return an error as one sentence."""
    if isinstance(error, OSError) and error.strerror is not None:
        # Whatever writes a file names it.
        return f"{error.filename or 'standard output'}: {error.strerror}"
    return str(error)


def prepare(options: Namespace) -> None:
    """Check the extra and the number of processes, and let the processes share the cores."""
    workers = getattr(options, "workers", None)
    if workers is not None and workers < 1:
        raise ValueError(f"--workers is {workers}, expected at least 1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        import choix  # noqa: F401
        import filelock  # noqa: F401
    except ImportError as error:
        raise ValueError(
            f"measuring agents needs {error.name}: pip install 'cacao-env[evaluate]'"
        ) from None


@contextmanager
def resumable(advice: str = "the same command resumes") -> Iterator[None]:
    """Add advice to an interruption; report a worker that ended in one sentence."""
    from ..evaluation.workers import WorkerError

    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(advice) from None
    except WorkerError as error:
        raise ValueError(str(error)) from None
