"""What the commands share: how they are added and explained, JSON output, errors as one sentence."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from textwrap import fill
from typing import Any

from .. import files
from ..checks import as_int, as_path, need
from ..engine import library
from ..tables import read_between

EXIT_CODES = """\
exit status: 0 success; 1 wrong input, or a check that failed; 2 wrong usage; 130 interrupted"""
FILE = {"metavar": "FILE"}
VOLCANOES = {"--volcanoes": (False, "play with the mini-expansion")}


def check_writable(*paths: str | None, page: str | None = None) -> None:
    """OSError, before anything is played, for a file that can't be written.

    ValueError for a ``page`` without markers for its tables.
    """
    if page:
        read_between(page)
    for path in map(as_path, [name for name in paths if name and name != "-"]):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = not path.exists()
        if not path.is_fifo():  # opening it waits for a reader
            path.open("a", encoding="utf-8").close()
        if new:
            path.resolve().unlink()  # a link stays


def add_command(
    commands: Any,
    name: str,
    run: Callable[[Namespace], int | None],
    summary: str,
    example: str,
    options: Mapping[str, tuple[Any, ...]],
    description: str = "",
) -> None:
    """Add a subcommand whose help shows an example; ``example`` may have several lines.

    ``run`` returns an exit status, or None for 0.  ``options``: by name, (default or type, help), and
    perhaps more arguments of ``add_argument``.  Where the default is False the option is a flag.
    """
    lines = "\n".join(f"  {line}" for line in example.splitlines())
    parser: ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=fill(description or f"{summary[0].upper()}{summary[1:]}.", 80),
        epilog=f"example:\n{lines}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    for option, (value, words, *more) in options.items():
        settings: dict[str, Any] = {"action": "store_true"}
        if value is not False:
            kind, default = (value, None) if callable(value) else (type(value), value)
            settings = {"type": kind, "default": default}
        settings |= {**dict(*more)}
        parser.add_argument(option, help=words, **settings)
    parser.set_defaults(run=run)


def json_of(what: str) -> dict[str, tuple[Any, ...]]:
    """Return the option ``--json``."""
    words = f"write {what} as JSON; - is standard output, without words"
    return {"--json": (str, words, FILE)}


def words_beside(path: str | None) -> AbstractContextManager[Any]:
    """Print to the standard error where JSON goes to standard output, ``-``."""
    return redirect_stdout(sys.stderr) if path == "-" else nullcontext()


def say(text: str, data: Any, path: str | None) -> None:
    """Print a text, and write data where ``--json`` says."""
    with words_beside(path):
        print(text)
    write_json(data, path)


def write_json(data: Any, path: str | None) -> None:
    """Write data as JSON to a file, whole or not at all, or for ``-`` to standard output."""
    if path == "-":
        print(json.dumps(data, indent=2))
    elif path is not None:
        files.write_json(as_path(path), data, pipes=True)


def sentence_of(error: BaseException) -> str:
    """Return an error as one sentence, with the notes that were added to it."""
    said = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
    if isinstance(error, OSError) and error.strerror is not None:
        # Whatever writes a file names it.
        said = f"{error.filename or 'standard output'}: {error.strerror}"
    return "; ".join([said, *getattr(error, "__notes__", ())])


def run_command(work: Callable[[], int | None]) -> int:
    """Do what a command does and return its exit status; errors in its input are one sentence."""
    try:
        status = work() or 0
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed our output; flushing at exit must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(sentence_of(error), file=sys.stderr)
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # as above
        return 1
    except KeyboardInterrupt as error:  # perhaps with advice
        print(sentence_of(error), file=sys.stderr)
        return 130
    return status


def prepare(options: Namespace) -> None:
    """Check the extra and the number of processes, let these share the cores, and make code ahead."""
    if options.workers is not None:
        as_int("--workers", options.workers, 1)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for package in ("pyarrow", "threadpoolctl"):
        need(package, package, "evaluate")
    library.ahead()


@contextmanager
def resumable(how: str = "the same command resumes") -> Iterator[None]:
    """Say at an interruption how the command is resumed."""
    try:
        yield
    except KeyboardInterrupt as error:
        error.add_note(how)
        raise
