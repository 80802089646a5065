"""Commands about games: ``record``, ``replay``, ``render``, ``play``, ``view``."""

from __future__ import annotations

import getpass
import json
import os
import sys
import tempfile
import webbrowser
from argparse import Namespace
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from .. import record
from ..checks import as_float, as_int, as_path, as_seat
from ..engine.code_cache import private_folder
from ..engine.options import DECISIONS, Options
from ..files import write_whole
from ..game import Game
from .common import add_command, check_writable, json_of, write_json

MANY_FILES = 100  # are checked by several processes
PICTURES, FILMS = (".png", ".svg"), (".gif", ".mp4")
TILES = (16, 240)  # width of a tile in pixels


VOLCANOES = {"--volcanoes": (False, "play with the mini-expansion")}
FILE, FOLDER = {"metavar": "FILE"}, {"metavar": "FOLDER"}
MANY = {"action": "append", "default": [], "metavar": "NAME"}


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    add = partial(add_command, commands)
    add(
        "record",
        _record,
        "play games and write their records",
        "cacao record --agents greedy,random --games 10 --out games/",
        {
            "--players": (2, "2, 3 or 4"),
            "--seed": (0, "seed of the first game"),
            "--games": (1, "number of games, with consecutive seeds"),
            **VOLCANOES,
            "--decisions": ("auto", None, {"choices": DECISIONS}),
            "--agents": (str, "one agent for each seat, e.g. random,trinitario; default: random"),
            "--with-legal": (False, "list the legal moves as well"),
            "--out": (str, "a file, or a folder for several games; default: standard output"),
        },
    )
    add(
        "replay",
        _replay,
        "show a recorded game, or check many",
        "cacao replay game.json --ply 12\ncacao replay --check games/",
        {
            "files": (str, "records, or folders with records", {"nargs": "+", **FILE}),
            "--check": (False, "only verify; status 0 if all are valid"),
            "--ply": (int, "show the position after this many moves"),
        },
    )
    add(
        "render",
        _render,
        "make a picture or a film of a recorded game",
        "cacao render game.json -o game.gif",
        {
            "record": (str, "a game record"),
            "-o": (str, "png, svg, gif or mp4", {"dest": "out", "required": True, **FILE}),
            "--ply": (int, "stop after this many moves; default: all"),
            "--tile": (60, "width of a tile in pixels"),
            "--seconds": (0.7, "time that a film shows each position"),
            "--viewer": (int, "a seat; the other hands are hidden"),
        },
    )
    seats = "human, or an agent, for each seat in playing order; default: you and the best agent"
    add(
        "play",
        _play,
        "play in the terminal",
        "cacao play --seats human,greedy --volcanoes",
        {
            "--seats": (str, seats),
            **VOLCANOES,
            "--seed": (int, "seed of the deal"),
            "--record": (str, "write the finished game to a file", FILE),
        },
    )
    add(
        "view",
        _view,
        "open the page: play, watch, replay, review",
        "cacao view\ncacao view game.json --export game.html\ncacao view --agent my.onnx",
        {
            "record": (str, "a game record to show", {"nargs": "?", "metavar": "RECORD"}),
            "--export": (str, "write the page as a file, and open nothing", FILE),
            "--agent": (str, "an agent to play against; may be repeated", MANY),
            "--watch": (str, "show games of a run's newest checkpoint as it learns", FOLDER),
            "--port": (8765, "of the server that --agent and --watch need; 0 for any free port"),
            "--no-open": (False, "only print where the page is"),
        },
        "Open the page, one file with the engine and the strongest agents inside.",
    )
    add(
        "review",
        _review,
        "judge every decision of a recorded game",
        "cacao review game.json",
        {"record": (str, "a game record"), **json_of("the review")},
        "Judge every decision of a recorded game: gold lost, blunders, win probabilities, luck.",
    )


def _record(options: Namespace) -> None:
    from ..agents.agent import play_game, seat_seed
    from ..agents.bots import split_names
    from ..agents.registry import load_agent

    as_int("--games", options.games, 1)
    names = split_names(options.agents) if options.agents else ["random"] * options.players
    if len(names) != options.players:
        raise ValueError(f"--agents names {len(names)} agents, expected {options.players}")
    if options.games > 1 and options.out is None:
        raise ValueError("--out is missing: several games need a folder")
    rules = Options(options.players, options.volcanoes, options.decisions)
    agents = [load_agent(name, allow_code=True) for name in names]
    if options.games == 1 and options.out and not as_path(options.out).is_dir():
        check_writable(options.out)
    for seed in range(options.seed, options.seed + options.games):
        players = [
            agent.player(seat_seed(seed, 0, rules, names, seat))
            for seat, agent in enumerate(agents)
        ]
        game = play_game(Game.deal(rules, seed), players)
        named = [agent.name[: record.MAX_NAME] for agent in agents]
        text = record.dumps(record.record_of(game, options.with_legal, named))
        if options.out is None:
            print(text, end="")
            continue
        path = as_path(options.out)
        if options.games > 1 or path.is_dir():
            path.mkdir(parents=True, exist_ok=True)
            path /= f"cacao-{options.players}p-seed{seed}.json"
        write_whole(path, text, pipes=True)
        notes = [one.agent.notes(one.memory) for one in players]
        record.write_conversations(path, named, notes)


def _replay(options: Namespace) -> int:
    files = [file for name in options.files for file in _files(as_path(name))]
    if options.check:
        return _check(files)
    for file in files:
        _show(*record.positions(_read(file)[0], options.ply))
    return 0


def _read(file: str | Path) -> tuple[Any, Game]:
    """Return a record and its finished game; ValueError names the file and what is wrong."""
    data = record.load(file)
    try:
        return data, record.check(data)
    except record.RecordError as error:
        raise ValueError(f"{file}: {error}") from None


def _check(files: Sequence[Path]) -> int:
    """Verify records, in several processes if there are many; print a line for each bad one."""
    if len(files) < MANY_FILES:
        problems = list(filter(None, map(_problem, files)))
    else:
        with ProcessPoolExecutor() as pool:
            problems = list(filter(None, pool.map(_problem, files, chunksize=16)))
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    print(f"{len(files)} record{'s hold' if len(files) > 1 else ' holds'}")
    return 0


def _problem(file: Path) -> str | None:
    """What is wrong with a record, or None."""
    try:
        _read(file)
    except ValueError as error:
        return str(error)
    return None


def _files(path: Path) -> list[Path]:
    """The file itself, or the records in a folder; a folder without records is reported as bad."""
    return (sorted(path.glob("*.json")) or [path]) if path.is_dir() else [path]


def _show(game: Game, moves: Sequence[tuple[int, int, str, bool]]) -> None:
    """Print a record's moves, turn by turn, and the position after them."""
    from ..play.render.text import LETTERS, picture

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


def _render(options: Namespace) -> None:
    path, tile, seconds = as_path(options.out), options.tile, options.seconds
    if path.suffix not in PICTURES + FILMS:
        kinds = ", ".join(kind.removeprefix(".") for kind in PICTURES + FILMS)
        raise ValueError(f"-o is {options.out!r}, expected a file that ends in one of {kinds}")
    as_int("--tile", tile, *TILES, f"{TILES[0]} to {TILES[1]} pixels")
    as_float("--seconds", seconds, 0.02, 60)
    data, _ = _read(options.record)
    game, _ = record.positions(data, options.ply)
    names = record.players_of(data) or ()
    if options.viewer is not None:
        as_seat(options.viewer, game.num_players)
    check_writable(options.out)
    beside = path.with_name(f".{path.stem}.tmp{path.suffix}")  # the suffix names the format
    try:
        what = _draw(game, beside, tile, seconds, options.viewer, names)
        beside.replace(path)
    except OSError as error:  # of an encoder, several lines
        why = error.strerror or "the encoder stopped"
        raise OSError(f"{path} can't be written: {why}") from None
    finally:
        beside.unlink(missing_ok=True)
    print(f"{path}: {what}")


def _draw(
    game: Game, path: Path, tile: int, seconds: float, viewer: int | None, names: Sequence[str]
) -> str:
    """Write a picture of the position, or a film of the game up to it; returns what was written."""
    from ..play.history import frames_of
    from ..play.render.scene import scene_of

    if path.suffix in FILMS:
        from ..play.render.film import write_film

        return f"{write_film(game, path, tile, seconds, viewer, names)} positions"
    *_, last = frames_of(game, viewer)
    scene = scene_of(last, names=names)
    if path.suffix == ".svg":
        path.write_text(scene.svg(tile), encoding="utf-8")
        return "picture"
    from ..play.render.raster import image

    picture = image(scene, tile)
    picture.save(path)
    return f"{picture.width} x {picture.height} pixels"


def _play(options: Namespace) -> int:
    from ..agents.bots import split_names
    from ..agents.registry import load_agent
    from ..play.table import HUMAN, Table, best_agent
    from ..play.terminal import Left, play_in_terminal

    seats = split_names(options.seats) if options.seats else [HUMAN, best_agent()]
    table = Table(seats, options.seed, options.volcanoes, partial(load_agent, allow_code=True))
    target = as_path(options.record) if options.record else None
    check_writable(options.record)
    try:
        play_in_terminal(table, input, print, sys.stdout.isatty(), target)
    except (Left, EOFError, KeyboardInterrupt) as error:
        print("the game was left before its end")
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _view(options: Namespace) -> int:
    """Write or open the page; with ``--agent`` or ``--watch`` serve it until Ctrl-C."""
    from ..play.page import page

    given: dict[str, Any] = {}
    if options.record is not None:
        given["record"] = json.dumps(_read(options.record)[0])
    if options.agent or options.watch:
        if options.export is not None:
            raise ValueError(
                "--export writes a file, which can't ask the agents of --agent or --watch"
            )
        return _serve(options, given)
    if options.export is not None:
        target = as_path(options.export)
        if target.suffix != ".html":
            raise ValueError(f"--export is {str(target)!r}, expected a file that ends in .html")
    else:
        name = "play.html" if not given else f"{as_path(options.record).stem}.html"
        own = f"cacao-{getattr(os, 'getuid', getpass.getuser)()}"
        target = private_folder(Path(tempfile.gettempdir()) / own) / name
    text = page(**given)
    write_whole(target, text, pipes=True)
    print(f"{target}: {len(text) // 1000} kB, opens in any browser")
    if options.export is None and not options.no_open:
        webbrowser.open(target.resolve().as_uri())
    return 0


def _serve(options: Namespace, given: dict[str, Any]) -> int:
    from ..agents.registry import load_agent
    from ..play.page import page
    from ..play.server import AgentServer, described
    from ..play.watch import watched

    named = {name: load_agent(name, allow_code=True) for name in options.agent}
    agents = watched(as_path(options.watch), named) if options.watch else lambda: named
    agents()  # refuses a folder without a checkpoint at once

    def text(there: Any) -> str:
        server = {"agents": described(there), "watch": options.watch is not None}
        return page(**given, server=server)

    with AgentServer(agents, text, options.port) as server:
        print(f"open {server.address}  (Ctrl-C ends)", flush=True)
        if not options.no_open:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)
    return 0


def _review(options: Namespace) -> None:
    from ..play.review import in_lines, review

    data, game = _read(options.record)
    check_writable(options.json)
    found = review(game)
    if options.json != "-":
        seats = range(game.num_players)
        names = record.players_of(data) or [f"player {seat + 1}" for seat in seats]
        print(in_lines(found, names))
    write_json(found, options.json)
