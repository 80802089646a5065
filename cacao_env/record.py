"""Game records: JSON files through which programs exchange games and check each other.

``record_of`` makes the record of a game, from the piles to the score.  ``check`` replays a record and
reports the first error.  ``players``, the names of the players in playing order, is optional.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .checks import as_int, as_path, check_type, in_short
from .engine.actions import MAX_LEGAL
from .engine.notation import Move, as_move, is_int, to_text
from .engine.options import Options
from .engine.tiles import WATER_TRACK
from .files import read_json, write_whole
from .game import Game

FORMAT, VERSION = "cacao-record", 1
MAX_BYTES = 5_000_000  # a record with all legal moves listed has about half a million
_KEYS = ("format", "version", "rules", "worker_draws", "jungle_draws", "moves", "result")
_RULES = ("num_players", "volcanoes", "decisions")
_MOVE = ("player", "move", "auto", "legal")
MAX_NAME = 60  # characters of a player's name


class RecordError(ValueError):
    """A file is not the record of a game; the message says why in one sentence."""


def result_of(game: Game) -> dict[str, list[int]]:
    """Return the ``result`` of a record: the final one, or the one if the game ended now."""
    state, seats = game.state, slice(game.num_players)
    goods = {name: state[name][seats].tolist() for name in ("gold", "temples", "cacao", "sun")}
    water = WATER_TRACK[state.water[seats]].tolist()
    return {"scores": game.scores(), "winners": game.leaders(), **goods, "water": water}


def record_of(
    game: Game, with_legal: bool = False, players: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the record of a finished game; ``with_legal`` lists each decision's legal moves.

    ``players``: their names, one a seat.  ValueError for a game that is not over and for other names.
    """
    check_type("game", game, Game, "a Game")
    if not game.over:
        raise ValueError("only a finished game makes a record")
    if players is not None:
        check_type("players", players, (list, tuple), "a list of names")
        check_names(list(players), game.num_players)
    workers, jungle = game.draws
    # On the default table, because a small one would not list every move that the rules allow.
    table = Game.from_draws(workers, jungle, volcanoes=game.volcanoes, decisions="explicit")
    moves = []
    for seat, auto, move in game.elementary_moves():
        entry: dict[str, Any] = {"player": seat, "move": _to_json(move)}
        if auto:
            entry["auto"] = True
        elif with_legal:
            entry["legal"] = [_to_json(choice) for choice in table.legal_moves()]
        if with_legal:
            table.play(table.action(move))
        moves.append(entry)
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": {
            "num_players": game.num_players,
            "volcanoes": game.volcanoes,
            "decisions": game.decisions,
        },
        **({} if players is None else {"players": list(players)}),
        "worker_draws": workers,
        "jungle_draws": jungle,
        "moves": moves,
        "result": result_of(game),
    }


def dumps(record: dict[str, Any]) -> str:
    """Return a record as text, with one line for each move, so it is easy to read and to diff."""
    check_type("record", record, dict, "what record_of returns")
    lines = []
    for key, value in record.items():
        if key == "moves":
            rows = ",\n    ".join(json.dumps(entry) for entry in value)
            lines.append(f'  "moves": [\n    {rows}\n  ]')
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_conversations(
    path: Path, names: Sequence[str], notes: Sequence[Mapping[str, Any]]
) -> None:
    """Write the conversations in agents' notes, one a seat, beside the record at ``path``."""
    lines = [
        json.dumps({"seat": seat, "agent": name, **one})
        for seat, (name, one) in enumerate(zip(names, notes))
        if "messages" in one
    ]
    if lines and (path.is_file() or not path.exists()):  # not beside a pipe
        beside = path.with_name(path.name.removesuffix(".json") + ".chat.jsonl")
        write_whole(beside, "\n".join(lines) + "\n")


def check(record: Any) -> Game:
    """Replay a record and return the finished game.

    Raises RecordError at the first error: format, version, supply of tiles, a move (with its number),
    listed legal moves, the result (with both values).
    """
    game = start_of(record)
    moves, explicit = record["moves"], record["rules"]["decisions"] == "explicit"
    for number, entry in enumerate(moves):
        try:
            _replay_move(game, entry, explicit)
        except ValueError as error:
            raise RecordError(f"move {number + 1} (moves[{number}]): {error}") from None
    if not game.over:
        raise RecordError(f"the moves end after number {len(moves)}, before the game is over")
    _check_result(record["result"], result_of(game))
    return game


def positions(record: Any, ply: int | None = None) -> tuple[Game, list[tuple[int, int, str, bool]]]:
    """Return the game after ``ply`` moves (all if None), and these moves as (turn, seat, text, auto).

    Raises RecordError for a bad record, ValueError for a ply that it does not have.
    """
    check(record)
    game = start_of(record)
    entries = record["moves"]
    if ply is not None:
        ply = as_int("ply", ply, 0, len(entries))
    moves = []
    for entry in entries[:ply]:
        move = as_move(entry["move"])
        moves.append((game.turn, int(game.state.seat), to_text(move), entry.get("auto", False)))
        game.play(game.action(move))
    return game, moves


def start_of(record: Any) -> Game:
    """Return the game of a record before its first move, with every decision asked; or RecordError."""
    if not isinstance(record, dict):
        raise RecordError("not a game record: expected a JSON object")
    if record.get("format") != FORMAT:
        raise RecordError(f"format is {in_short(record.get('format'))}, expected {FORMAT!r}")
    if not is_int(record.get("version")) or record["version"] != VERSION:
        raise RecordError(f"version is {in_short(record.get('version'))}, expected {VERSION}")
    for key in _KEYS:
        if key not in record:
            raise RecordError(f"the record has no {key!r}")
    _check_keys("the record", record, (*_KEYS, "players"))
    rules = record["rules"]
    if not isinstance(rules, dict):
        raise RecordError("rules is not an object")
    _check_keys("rules", rules, _RULES)
    if not isinstance(record["moves"], list):
        raise RecordError("moves is not a list")
    try:
        options = Options.from_dict({name: rules.get(name) for name in _RULES})
        if "players" in record:
            check_names(record["players"], options.num_players)
        draws = record["worker_draws"], record["jungle_draws"]
        game = Game.from_draws(*draws, volcanoes=options.volcanoes, decisions="explicit")
    except ValueError as error:
        raise RecordError(str(error)) from None
    if game.num_players != options.num_players:
        raise RecordError(
            f"worker_draws has {game.num_players} lists, expected one for {options.num_players} players"
        )
    return game


def _check_keys(what: str, given: dict[str, Any], known: Sequence[str]) -> None:
    """Raise RecordError if ``given`` has a key that is not known: it may be a misspelled one."""
    for odd in given:
        if odd not in known:
            expected = f"{', '.join(known[:-1])} or {known[-1]}"
            raise RecordError(f"{what} has the key {in_short(odd)}, expected {expected}")


def check_names(names: Any, players: int) -> None:
    """Raise RecordError unless ``names`` is one short line of text for each player."""
    if not isinstance(names, list) or len(names) != players:
        raise RecordError(f"players is {in_short(names)}, expected a name for each of {players}")
    for name in names:
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
            raise RecordError(f"players has {in_short(name)}, expected 1 to {MAX_NAME} characters")


def _replay_move(game: Game, entry: Any, explicit: bool) -> None:
    """Play one entry of ``moves``; ValueError says what is wrong."""
    if not isinstance(entry, dict) or "move" not in entry or "player" not in entry:
        raise ValueError("expected an object with 'player' and 'move'")
    if game.over:
        raise ValueError("the game is over already")
    move = as_move(entry["move"])
    if not is_int(entry["player"]) or entry["player"] != game.seat:
        raise ValueError(f"player is {in_short(entry['player'])}, but player {game.seat} decides")
    _check_keys("a move", entry, _MOVE)
    auto = entry.get("auto", False)
    if not isinstance(auto, bool):
        raise ValueError(f"auto is {in_short(auto)}, expected true or false")
    if auto and (explicit or game.phase == "place") and len(game.legal_actions()) > 1:
        raise ValueError("a decision with several legal moves is asked, expected it not to be auto")
    if "legal" in entry:
        _check_legal(game, entry["legal"])
    try:
        action = game.action(move)
    except ValueError as error:
        raise ValueError(f"{to_text(move)} is illegal: {error}") from None
    game.play(action)


def _check_legal(game: Game, listed: Any) -> None:
    """Raise ValueError unless ``listed`` names every legal move exactly once."""
    if not isinstance(listed, list):
        raise ValueError("legal is not a list of moves")
    if len(listed) > MAX_LEGAL:
        raise ValueError(f"legal lists {len(listed)} moves, more than there can be")
    named = [as_move(move) for move in listed]
    legal = set(game.legal_moves())
    seen = set(named)
    if len(seen) != len(named):
        twice, _ = Counter(named).most_common(1)[0]
        raise ValueError(f"legal lists {to_text(twice)} twice")
    if extra := sorted(seen - legal, key=str):
        raise ValueError(f"legal lists {to_text(extra[0])}, which is not legal")
    if missing := sorted(legal - seen, key=str):
        raise ValueError(f"legal lacks {to_text(missing[0])}")


def _check_result(result: Any, replayed: dict[str, list[int]]) -> None:
    """Raise RecordError unless the result is that of the replay."""
    if not isinstance(result, dict):
        raise RecordError("result is not an object")
    _check_keys("result", result, list(replayed))
    for field, value in replayed.items():
        if field not in result:
            raise RecordError(f"result has no {field!r}")
        stated = result[field]
        if field == "winners" and isinstance(stated, list) and all(map(is_int, stated)):
            stated = sorted(stated)
        if not isinstance(stated, list) or not all(map(is_int, stated)) or stated != value:
            raise RecordError(
                f"result.{field} is {in_short(result[field])}, but the replay gives {value}"
            )


def load(path: str | Path) -> Any:
    """Return the JSON in a file; RecordError if it can't be read or is not JSON."""
    path = as_path(path, RecordError)
    if path.is_dir():
        raise RecordError(f"there is no record in the folder {path}")
    return read_json(path, "a game record", RecordError, MAX_BYTES)


def _to_json(move: Move) -> list[Any]:
    """Return a move as in JSON: cells as lists."""
    return [list(part) if isinstance(part, tuple) else part for part in move]
