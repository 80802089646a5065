"""Writing and checking game records."""

from __future__ import annotations

import random

from tests.reference.box import deal
from tests.reference.oracle import Oracle
from tests.reference.styles import choose_move

FORMAT = "cacao-record"
VERSION = 1
RESULT_FIELDS = ["scores", "winners", "gold", "temples", "cacao", "sun", "water"]


def move_to_json(move: tuple) -> list:
    """The list that stands for a move in a record: cells become lists."""
    return [list(part) if isinstance(part, tuple) else part for part in move]


def play_record(
    num_players: int, volcanoes: bool, seed: int, style: str = "random", with_legal: bool = False
) -> dict:
    """Play a whole game and return its record. Every decision counts as asked."""
    rng = random.Random(seed)
    worker_draws, jungle_draws = deal(num_players, volcanoes, rng)
    whim = rng.randrange(32)
    oracle = Oracle(num_players, volcanoes, worker_draws, jungle_draws)
    moves = []
    while oracle.player is not None:
        move = choose_move(oracle, style, rng, whim)
        entry = {"player": oracle.player, "move": move_to_json(move)}
        if with_legal:
            entry["legal"] = [move_to_json(legal) for legal in oracle.legal_moves()]
        moves.append(entry)
        oracle.play(move)
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": {"num_players": num_players, "volcanoes": volcanoes, "decisions": "explicit"},
        "worker_draws": worker_draws,
        "jungle_draws": jungle_draws,
        "moves": moves,
        "result": oracle.result(),
    }


def check_record(record: dict) -> None:
    """Raise ValueError with one sentence at the first thing that is wrong."""
    _check_head(record)
    rules = record["rules"]
    oracle = Oracle(
        rules["num_players"], rules["volcanoes"], record["worker_draws"], record["jungle_draws"]
    )
    for index, entry in enumerate(record["moves"]):
        _check_move(oracle, entry, index + 1, rules["decisions"])
    if oracle.player is not None:
        raise ValueError(
            f"Moves are missing: after all {len(record['moves'])} of them player {oracle.player} "
            f"still has to {oracle.phase}."
        )
    _check_result(record["result"], oracle.result())


def _is_int(value: object) -> bool:
    return type(value) is int


def _require(fine: bool, sentence: str) -> None:
    if not fine:
        raise ValueError(sentence)


def _check_head(record: dict) -> None:
    _require(isinstance(record, dict), "A record is a JSON object, and this is none.")
    if record.get("format") != FORMAT:
        raise ValueError(f"The format is {record.get('format')!r} instead of {FORMAT!r}.")
    version = record.get("version")
    if not _is_int(version) or version != VERSION:
        raise ValueError(f"The version is {version!r} instead of {VERSION}.")
    for field in ["rules", "worker_draws", "jungle_draws", "moves", "result"]:
        if field not in record:
            raise ValueError(f"The record has no field {field}.")
    rules = record["rules"]
    _require(isinstance(rules, dict), "The field rules is not an object.")
    for field in ["num_players", "volcanoes", "decisions"]:
        if field not in rules:
            raise ValueError(f"The rules have no field {field}.")
    if rules["decisions"] not in ("explicit", "auto", "turn"):
        raise ValueError(
            f"The rules say decisions {rules['decisions']!r}, not explicit, auto or turn."
        )
    if not _is_list_of(record["jungle_draws"], str):
        raise ValueError("The field jungle_draws is not a list of tile names.")
    draws = record["worker_draws"]
    if not isinstance(draws, list) or not all(_is_list_of(tiles, str) for tiles in draws):
        raise ValueError("The field worker_draws is not a list of lists of tile names.")
    _require(isinstance(record["moves"], list), "The field moves is not a list.")
    _require(isinstance(record["result"], dict), "The field result is not an object.")


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(type(item) is kind for item in value)


def _to_move(value: object, where: str) -> tuple:
    """A move of a record as the oracle wants it, or ValueError if it is not written as one."""
    if not isinstance(value, list) or len(value) != 4:
        raise ValueError(f"{where} {value!r} is not a list of four things.")
    if value[0] in ("place", "overbuild", "fill"):
        well_written = type(value[1]) is str and _is_int(value[2]) and _is_cell(value[3])
    elif value[0] == "act":
        well_written = _is_cell(value[1]) and _is_int(value[2]) and _is_int(value[3])
    else:
        raise ValueError(f"{where} {value!r} is none of place, overbuild, fill and act.")
    if not well_written:
        raise ValueError(f"{where} {value!r} is not written as the format wants it.")
    return tuple(tuple(part) if isinstance(part, list) else part for part in value)


def _is_cell(value: object) -> bool:
    return _is_list_of(value, int) and len(value) == 2


def _check_move(oracle: Oracle, entry: object, number: int, decisions: str) -> None:
    where = f"Move {number}"
    if not isinstance(entry, dict) or "player" not in entry or "move" not in entry:
        raise ValueError(f"{where} is not an object with player and move.")
    if oracle.player is None:
        raise ValueError(f"{where} is left over: the game is over by then.")
    move = _to_move(entry["move"], where)
    if not _is_int(entry["player"]) or entry["player"] != oracle.player:
        raise ValueError(
            f"{where} is given to player {entry['player']!r}, but player {oracle.player} decides."
        )
    legal = oracle.legal_moves()
    if "legal" in entry:
        _check_legal(entry["legal"], legal, where)
    if "auto" in entry and type(entry["auto"]) is not bool:
        raise ValueError(f"{where} has the value {entry['auto']!r} in field auto.")
    try:
        oracle.play(move)
    except ValueError as error:
        raise ValueError(f"{where} by player {entry['player']} is refused: {error}") from None
    if entry.get("auto") and decisions == "explicit" and len(legal) > 1:
        raise ValueError(
            f"{where} was made without asking, though there were {len(legal)} legal moves and "
            f"decisions are explicit."
        )


def _check_legal(listed: object, legal: list[tuple], where: str) -> None:
    _require(isinstance(listed, list), f"{where} has a field legal that is not a list.")
    seen = []
    for value in listed:
        move = _to_move(value, f"{where}: listed legal move")
        if move in seen:
            raise ValueError(f"{where}: the legal move {move!r} is listed twice.")
        if move not in legal:
            raise ValueError(f"{where}: {move!r} is listed as legal but is not.")
        seen.append(move)
    for move in legal:
        if move not in seen:
            raise ValueError(f"{where}: the legal move {move!r} is not listed.")


def _check_result(written: dict, replayed: dict) -> None:
    for field in RESULT_FIELDS:
        if field not in written:
            raise ValueError(f"The result has no field {field}.")
        if not _is_list_of(written[field], int) or written[field] != replayed[field]:
            raise ValueError(
                f"The result says {field} {written[field]!r}, "
                f"but the replay gives {replayed[field]!r}."
            )
