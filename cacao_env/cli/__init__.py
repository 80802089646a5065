"""The command line: ``python -m cacao_env COMMAND``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .. import __version__, record
from ..agents.bots import Bot, play_game, seat_seeds, split_names
from ..engine.options import DECISIONS
from ..files import write_whole
from ..game import Game
from ..play.render.text import LETTERS, picture

MANY_FILES = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough; say nothing at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(_one_line(error), file=sys.stderr)
        return 1
    return status


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m cacao_env", description="Cacao, for learners.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    one = commands.add_parser("record", help="play games and write their records")
    one.add_argument("--players", type=int, default=2, help="2, 3 or 4")
    one.add_argument("--seed", type=int, default=0, help="seed of the first game")
    one.add_argument(
        "--games", type=int, default=1, help="how many, with seeds one after the other"
    )
    one.add_argument("--volcanoes", action="store_true")
    one.add_argument("--decisions", choices=DECISIONS, default="auto")
    one.add_argument("--agents", help="a bot a seat, e.g. random,greedy; random if not given")
    one.add_argument("--with-legal", action="store_true", help="list the legal moves as well")
    one.add_argument(
        "--out", help="a file; a folder for several games; standard output if not given"
    )
    one.set_defaults(run=_record)

    two = commands.add_parser("replay", help="show a recorded game, or check many")
    two.add_argument("files", nargs="+", metavar="FILE", help="records, or folders with records")
    two.add_argument("--check", action="store_true", help="only verify; status 0 if all hold")
    two.add_argument("--ply", type=int, help="show the position after this many moves")
    two.set_defaults(run=_replay)

    three = commands.add_parser("spec", help="print the observation and action tables")
    three.add_argument("--players", type=int, default=2, help="2, 3 or 4")
    three.add_argument("--table-size", type=int, default=None)
    three.set_defaults(run=_spec)

    four = commands.add_parser("bench", help="measure speed on this machine")
    four.add_argument("--seconds", type=float, default=None, help="per row")
    four.add_argument("--quick", action="store_true", help="all in less than a minute")
    four.add_argument("--json", metavar="FILE", help="write the rows to a file as well")
    four.add_argument(
        "--compare", metavar="FILE", help="an earlier --json file; status 1 if a row is slower now"
    )
    four.add_argument("--peers", action="store_true", help="other environments too, if installed")
    four.add_argument("--page", metavar="FILE", help="write the table between a page's markers")
    four.set_defaults(run=_bench)

    six = commands.add_parser("render", help="make a picture or a film of a recorded game")
    six.add_argument("record", help="a game record")
    six.add_argument("-o", dest="out", required=True, metavar="FILE", help="png, svg, gif or mp4")
    six.add_argument("--ply", type=int, help="after so many moves; all if not given")
    six.add_argument("--tile", type=int, default=60, help="pixels that a tile is wide")
    six.add_argument("--seconds", type=float, default=0.7, help="of a film, for each position")
    six.add_argument("--viewer", type=int, help="a seat; the other hands are not shown")
    six.set_defaults(run=_render)

    seven = commands.add_parser("view", help="a web page: play, watch, replay, see agents think")
    seven.add_argument("records", nargs="*", metavar="RECORD", help="game records to show")
    seven.add_argument(
        "--agent", action="append", default=[], metavar="NAME", help="a checkpoint; more than once"
    )
    seven.add_argument("--port", type=int, default=8765, help="0 for any that is free")
    seven.add_argument("--open", action="store_true", help="open it in the browser")
    seven.add_argument("--export", metavar="FILE", help="write one record as a page of its own")
    seven.set_defaults(run=_view)

    eight = commands.add_parser("play", help="play in the terminal")
    eight.add_argument(
        "--seats",
        help="who plays, in playing order: human, bots, checkpoints; you and the best if not given",
    )
    eight.add_argument("--volcanoes", action="store_true")
    eight.add_argument("--seed", type=int, help="of the deal")
    eight.add_argument("--record", metavar="FILE", help="write the finished game to a file")
    eight.set_defaults(run=_play)

    nine = commands.add_parser(
        "check", help="try the reinforcement-learning libraries installed here"
    )
    nine.add_argument("libraries", nargs="*", metavar="LIBRARY", help="all if not given")
    nine.set_defaults(run=_check_libraries)

    five = commands.add_parser("binding", help="measure how often a small table hides placements")
    five.add_argument("--table-size", type=int, default=15)
    five.add_argument("--games", type=int, default=200, help="for each kind of play")
    five.set_defaults(run=_binding)
    return parser


def _record(options: argparse.Namespace) -> int:
    if options.games < 1:
        raise ValueError(f"--games is {options.games}, expected at least 1")
    names = split_names(options.agents) if options.agents else ["random"] * options.players
    if len(names) != options.players:
        raise ValueError(f"--agents names {len(names)} agents, expected {options.players}")
    if options.games > 1 and options.out is None:
        raise ValueError("--out is missing: several games need a folder")
    for seed in range(options.seed, options.seed + options.games):
        game = Game.new(
            options.players, seed, volcanoes=options.volcanoes, decisions=options.decisions
        )
        bots = [Bot(name, s) for name, s in zip(names, seat_seeds(seed, len(names)))]
        play_game(game, bots)
        text = record.dumps(record.record_of(game, options.with_legal))
        if options.out is None:
            print(text, end="")
        elif options.games == 1 and not Path(options.out).is_dir():
            write_whole(Path(options.out), text)
        else:
            folder = Path(options.out)
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / f"cacao-{options.players}p-seed{seed}.json", text)
    return 0


def _replay(options: argparse.Namespace) -> int:
    files = [file for name in options.files for file in _files(Path(name))]
    if options.check:
        return _check(files)
    for file in files:
        try:
            _show(record.load(file), options.ply)
        except record.RecordError as error:
            raise ValueError(f"{file}: {error}") from None
    return 0


def _check(files: Sequence[Path]) -> int:
    """Verify records, in several processes when there are many; a line for each bad one."""
    if len(files) < MANY_FILES:
        problems = list(map(_problem, files))
    else:
        with ProcessPoolExecutor() as pool:
            problems = list(pool.map(_problem, files, chunksize=16))
    for file, problem in zip(files, problems):
        if problem is not None:
            print(f"{file}: {problem}", file=sys.stderr)
    if any(problem is not None for problem in problems):
        return 1
    print(f"{len(files)} record{'s hold' if len(files) > 1 else ' holds'}")
    return 0


def _problem(file: Path) -> str | None:
    """What is wrong with a record, or None."""
    try:
        record.check(record.load(file))
    except record.RecordError as error:
        return str(error)
    return None


def _files(path: Path) -> list[Path]:
    """The file itself, or the records in a folder; a folder without any is itself reported as bad."""
    return (sorted(path.glob("*.json")) or [path]) if path.is_dir() else [path]


def _show(data: object, ply: int | None) -> None:
    """Print a record's moves, turn by turn, and its last position (or that after ``ply`` moves)."""
    game, moves = record.positions(data, ply)
    turn = -1
    for number, (turn_now, seat, words, auto) in enumerate(moves):
        if turn_now != turn:
            turn = turn_now
            print(f"turn {turn + 1}")
        note = "  (made without asking)" if auto else ""
        print(f"  {number + 1:>3}  {LETTERS[seat]}  {words}{note}")
    print()
    print(picture(game, colour=sys.stdout.isatty()))
    if game.over:
        scores = ", ".join(f"{LETTERS[s]} {score}" for s, score in enumerate(game.scores()))
        print(f"scores: {scores}")


def _spec(options: argparse.Namespace) -> int:
    from ..envs.spec import tables

    print(tables(options.players, options.table_size))
    return 0


def _render(options: argparse.Namespace) -> int:
    from ..play.render.command import render  # Pillow, which it needs, is an extra

    o = options
    print(render(o.record, o.out, o.ply, o.tile, o.seconds, o.viewer))
    return 0


def _play(options: argparse.Namespace) -> int:
    from ..play.table import HUMAN, Table, best_agent
    from ..play.terminal import Left, play_in_terminal

    seats = split_names(options.seats) if options.seats else [HUMAN, best_agent()]
    table = Table(seats, options.seed, options.volcanoes)
    target = Path(options.record) if options.record else None
    try:
        play_in_terminal(table, input, print, sys.stdout.isatty(), target)
    except (Left, EOFError, KeyboardInterrupt):
        print("the game was left before its end")
        return 1
    return 0


def _view(options: argparse.Namespace) -> int:
    from ..play.view_command import view

    return view(options.records, options.agent, options.port, options.export, options.open)


def _check_libraries(options: argparse.Namespace) -> int:
    from ..check import check

    return check(options.libraries)


def _binding(options: argparse.Namespace) -> int:
    from training.window_study import report

    if options.games < 1:
        raise ValueError(f"--games is {options.games}, expected at least 1")
    print(report(options.table_size, options.games))
    return 0


def _bench(options: argparse.Namespace) -> int:
    from ..bench import run

    return run(
        options.seconds, options.json, options.quick, options.compare, options.peers, options.page
    )
