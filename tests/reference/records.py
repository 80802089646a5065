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
    """Raise ValueError at the first thing that is wrong."""
    _require(isinstance(record, dict), "A record is a JSON object, and this is none.")
    for field in ["rules", "worker_draws", "jungle_draws", "moves", "result"]:
        _require(field in record, f"The record has no field {field}.")
    head = [record.get("format"), record.get("version")]
    _require(head == [FORMAT, VERSION] and type(head[1]) is int, f"Another format: {head}.")
    rules = record["rules"]
    _require(rules["decisions"] in ("explicit", "auto", "turn"), "Other decisions.")
    deal = record["worker_draws"], record["jungle_draws"]
    oracle = Oracle(rules["num_players"], rules["volcanoes"], *deal)
    for number, entry in enumerate(record["moves"], 1):
        _play(oracle, entry, rules["decisions"] == "explicit", f"Move {number}")
    _require(oracle.player is None, "Moves are missing at the end.")
    for field in RESULT_FIELDS:
        told, replayed = record["result"].get(field), oracle.result()[field]
        integers = isinstance(told, list) and all(type(number) is int for number in told)
        _require(integers and told == replayed, f"{field} is {told!r}, by replay {replayed!r}.")


def _require(fine: bool, sentence: str) -> None:
    if not fine:
        raise ValueError(sentence)


def _to_move(value: list, where: str) -> tuple:
    """A move of a record as the oracle wants it, or ValueError if it has other types."""
    move = tuple(tuple(part) if isinstance(part, list) else part for part in value)
    kinds = {"act": [str, list, int, int]}.get(move[0], [str, str, int, list])
    cell = value[kinds.index(list)]
    sound = [type(part) for part in value] == kinds and [type(n) for n in cell] == [int, int]
    _require(sound, f"{where} {value!r} is not written as the format wants it.")
    return move


def _play(oracle: Oracle, entry: dict, explicit: bool, where: str) -> None:
    _require(oracle.player is not None, f"{where} is left over: the game is over by then.")
    player, move = entry["player"], _to_move(entry["move"], where)
    _require(type(player) is int and player == oracle.player, f"{where} is not of this player.")
    legal = oracle.legal_moves()
    if "legal" in entry:
        listed = [_to_move(value, where) for value in entry["legal"]]
        _require(sorted(listed) == sorted(legal), f"{where} has other legal moves.")
    alone = entry.get("auto") and explicit and len(legal) > 1
    _require(not alone, f"{where} was made without asking, though there was a choice.")
    oracle.play(move)
