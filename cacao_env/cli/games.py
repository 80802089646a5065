"""Commands about games: ``record``, ``replay``, ``render``, ``view``, ``review``."""

from __future__ import annotations

import json
import sys
import webbrowser
from argparse import Namespace
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from .. import record
from ..checks import as_int, as_path, as_seat
from ..engine.library import folder
from ..engine.options import DECISIONS, Options
from ..files import write_whole
from ..game import Game
from .common import FILE, VOLCANOES, add_command, check_writable, json_of, say

MANY_FILES = 100  # are checked by several processes
PICTURES = (".png", ".svg")
TILES = (16, 240)  # width of a tile in pixels
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
        "make a picture of a recorded game",
        "cacao render game.json -o game.png",
        {
            "record": (str, "a game record"),
            "-o": (str, "png or svg", {"dest": "out", "required": True, **FILE}),
            "--ply": (int, "stop after this many moves; default: all"),
            "--tile": (60, "width of a tile in pixels"),
            "--viewer": (int, "a seat; the other hands are hidden"),
        },
    )
    add(
        "view",
        _view,
        "open the page: play, replay, review",
        "cacao view\ncacao view game.json --export game.html\ncacao view --agent my.onnx",
        {
            "record": (str, "a game record to show", {"nargs": "?", "metavar": "RECORD"}),
            "--export": (str, "write the page as a file, and open nothing", FILE),
            "--agent": (str, "an agent to play against; may be repeated", MANY),
            "--port": (8765, "of the server that --agent needs; 0 for any free port"),
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
    from ..agent import play_game, seat_seed
    from ..agents.specs import split_names
    from ..registry import load_agent

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
    from ..render.text import LETTERS, picture

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
    from ..play.words import frame_of
    from ..render.raster import image
    from ..render.scene import scene_of

    path, tile = as_path(options.out), options.tile
    if path.suffix not in PICTURES:
        kinds = ", ".join(kind.removeprefix(".") for kind in PICTURES)
        raise ValueError(f"-o is {options.out!r}, expected a file that ends in one of {kinds}")
    as_int("--tile", tile, *TILES, f"{TILES[0]} to {TILES[1]} pixels")
    data, _ = _read(options.record)
    game, _ = record.positions(data, options.ply)
    if options.viewer is not None:
        as_seat(options.viewer, game.num_players)
    check_writable(options.out)
    scene = scene_of(frame_of(game, options.viewer), data.get("players", ()))
    if path.suffix == ".svg":
        write_whole(path, scene.svg(tile), pipes=True)
        print(f"{path}: picture")
        return
    picture, content = image(scene, tile), BytesIO()
    picture.save(content, "png")
    write_whole(path, content.getvalue(), pipes=True)
    print(f"{path}: {picture.width} x {picture.height} pixels")


def _view(options: Namespace) -> int:
    """Write or open the page; with ``--agent`` serve it until Ctrl-C."""
    from ..play.server import page

    given: dict[str, Any] = {}
    if options.record is not None:
        given["record"] = json.dumps(_read(options.record)[0])
    if options.agent:
        if options.export is not None:
            raise ValueError("--export writes a file, which can't ask the agents of --agent")
        return _serve(options, given)
    if options.export is not None:
        target = as_path(options.export)
        if target.suffix != ".html":
            raise ValueError(f"--export is {str(target)!r}, expected a file that ends in .html")
    else:
        name = "play.html" if not given else f"{as_path(options.record).stem}.html"
        target = folder().parent / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = page(**given)
    write_whole(target, text, pipes=True)
    print(f"{target}: {len(text) // 1000} kB, opens in any browser")
    if options.export is None and not options.no_open:
        webbrowser.open(target.resolve().as_uri())
    return 0


def _serve(options: Namespace, given: dict[str, Any]) -> int:
    from ..play.server import AgentServer, described, page
    from ..registry import load_agent

    agents = {name: load_agent(name, allow_code=True) for name in options.agent}
    text = page(**given, server={"agents": described(agents)})
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
    names = data.get("players") or [f"player {seat + 1}" for seat in range(game.num_players)]
    say(in_lines(found, names), found, options.json)
