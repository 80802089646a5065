"""The shipped checkpoints.

python -m training.zoo list             list them, the recommended one first
python -m training.zoo eval NAME        measure it again and compare with its card
python -m training.zoo play NAME        play against it in the terminal
python -m training.zoo add RUN NAME     make one from a run's folder
python -m training.zoo card NAME FILE   copy its rows from an evaluation's JSON file
python -m training.zoo export NAME FILE write its network as ONNX
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cacao_env.agents.checkpoint import CheckpointError, shipped_names
from cacao_env.agents.registry import load_agent
from cacao_env.engine.options import Options
from cacao_env.evaluation.run import measure

from ..loop import run_command
from .folder import check_sums, home, shipped

BLOCKS = 100


def list_all(options: argparse.Namespace) -> int:
    """Print the names, with the results unless only names are asked for."""
    for number, name in enumerate(shipped_names()):
        if options.names:
            print(name)
            continue
        found = shipped(name)
        trained = found.manifest.get("training", {})
        print(f"{name}{' (recommended)' if number == 0 else ''}: {trained.get('algorithm', '')}")
        for row in found.results():
            if row["agent"] == name:
                volcanoes = " with volcanoes" if row["volcanoes"] else ""
                print(
                    f"    {row['players']} players{volcanoes} against {row['opponent']}: wins "
                    f"{row['win_share']:.1%} [{row['low']:.1%}, {row['high']:.1%}]"
                )
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """Repeat the card's measurement; return 1 if the agent is clearly weaker than its card says."""
    found = shipped(options.name)
    check_sums(found.path)
    agent, weaker = load_agent(str(found.path)), 0
    rows = [
        r for r in found.results() if r["agent"] == found.name and r["opponent"] in options.against
    ]
    if not rows:
        raise CheckpointError(
            f"{found.path}: its card has no row against {', '.join(options.against)}"
        )
    for row in rows:
        opponent = load_agent(row["opponent"])
        games = Options(row["players"], row["volcanoes"])
        result = measure(agent, opponent, games, options.blocks, options.seed)
        print(result.line())
        weaker += result.high < row["low"]
        verdict = "WEAKER THAN" if result.high < row["low"] else "as"
        said = f"{row['win_share']:.1%} [{row['low']:.1%}, {row['high']:.1%}]"
        print(f"  {verdict} its card says: {said}")
    return 1 if weaker else 0


def play(options: argparse.Namespace) -> int:
    """Play in the terminal."""
    from cacao_env.cli import main as cacao

    return int(cacao(["play", "--seats", f"human,{shipped(options.name).path}"]))


def add(options: argparse.Namespace) -> int:
    """Make a checkpoint from a run."""
    from .add import add as make

    place = Path(options.home) if options.home else home()
    made = make(Path(options.run), place, options.name)
    print(f"{made.path}: made; measure it and take the figures with: python -m training.zoo card")
    return 0


def card(options: argparse.Namespace) -> int:
    """Copy the card's rows from evaluations' JSON files."""
    from .add import measured

    made = measured(shipped(options.name).path, [Path(file) for file in options.files])
    print(f"{made.path}: {len(made.results())} rows")
    return 0


def export(options: argparse.Namespace) -> int:
    """Write an ONNX file."""
    from .onnx import export as write

    write(shipped(options.name).path, Path(options.file))
    print(options.file)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.zoo",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, work: Callable[[argparse.Namespace], int], *names: str) -> Any:
        one = commands.add_parser(name, help=work.__doc__)
        for argument in names:
            one.add_argument(argument)
        one.set_defaults(run_command=work)
        return one

    command("list", list_all).add_argument("--names", action="store_true", help="only the names")
    one = command("eval", evaluate, "name")
    one.add_argument("--blocks", type=int, default=BLOCKS, help="deals for each row")
    one.add_argument("--against", nargs="+", default=["random", "greedy"], help="rows to repeat")
    one.add_argument("--seed", type=int, default=2_000_000_000, help="of the first deal")
    command("play", play, "name")
    command("add", add, "run", "name").add_argument("--home", help="default: checkpoints")
    command("card", card, "name").add_argument("files", nargs="*")
    command("export", export, "name", "file")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = _parser().parse_args(arguments)
    return run_command(partial(options.run_command, options))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
