"""Mutated JSON: game records and saved games."""

import copy
import json
from functools import cache
from typing import Any

import numpy as np

from cacao_env import Game
from cacao_env.play.server import game_of
from cacao_env.record import check, dumps, record_of
from tests.fuzz.attack import Budget, Summary, attempt
from tests.games import as_asked, played, positions

ASKED = "asked"  # a game that the page asks the server for agents about
HOSTILE: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 13, 2**31, -(2**31), 2**63, 10**400, 0.5, 1e308),
    *("", "0", "place", "2101", "temple", "\x00", "☃" * 50, [], {}, [[]], [None], {"a": 1}),
    [[[[[[[[]]]]]]]],
    list(range(300)),
]
KINDS = ((2, False, "auto"), (3, True, "explicit"), (4, True, "auto"))
_WHOLE = ["", "[]", "{}", "null", "[" * 100_000, '{"a":' * 50_000, "[]," * 1000, "NaN", "\ud800"]


@cache
def documents() -> list[Any]:
    """Records, with and without legal moves, and saved games, as plain data."""
    rng, found = np.random.default_rng(1), []
    for players, volcanoes, decisions in KINDS:
        game = Game.new(players, 1, volcanoes=volcanoes, decisions=decisions)
        found.append(json.loads(game.to_json()))
        for number, _ in enumerate(positions(game, rng)):
            if number == 20:
                found.append(json.loads(game.to_json()))
        found += [json.loads(game.to_json()), record_of(game), record_of(game, with_legal=True)]
        found.append(record_of(game, players=["Ana", "Bruno", "Carla", "Dora"][:players]))
        begun = played(players, 2, 15, volcanoes=volcanoes, decisions=decisions)
        found.append({"format": ASKED, **as_asked(begun)})
    return json.loads(json.dumps(found))


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in plain data."""
    found = [path] if path else []
    if isinstance(data, dict):
        items: Any = data.items()
    else:
        items = enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        found += places(value, (*path, key))
    return found


def mutated(data: Any, rng: np.random.Generator) -> Any:
    """A copy of plain data with a value replaced, removed, doubled or exchanged."""
    data = copy.deepcopy(data)
    for _ in range(1 + int(rng.integers(3))):
        every = places(data)
        if not every:
            break
        *path, key = every[rng.integers(len(every))]
        home = data
        for step in path:
            home = home[step]
        kind = rng.integers(5)
        if kind == 0:
            del home[key]
        elif kind == 1 and isinstance(home, list):
            home.insert(key, copy.deepcopy(home[key]))
        elif kind == 2 and isinstance(home, list):
            other = int(rng.integers(len(home)))
            home[key], home[other] = home[other], home[key]
        elif kind == 3 and type(home[key]) is int:
            home[key] += int(rng.integers(-3, 4))
        else:
            home[key] = copy.deepcopy(HOSTILE[rng.integers(len(HOSTILE))])
    return data


def attack(budget: Budget) -> Summary:
    """Read mutated records and saved games; what is accepted is written and read again."""
    rng, summary = budget.rng(), Summary()
    for number in budget:
        data = documents()[rng.integers(len(documents()))]
        if rng.random() < 0.02:
            text = _WHOLE[rng.integers(len(_WHOLE))]
        else:
            text = json.dumps(mutated(data, rng))
        if rng.random() < 0.2:
            at = int(rng.integers(len(text) + 1))
            text = text[:at] + chr(int(rng.integers(1, 128))) + text[at + int(rng.integers(2)) :]
        if data["format"] == "cacao-game" or rng.random() < 0.1:
            game = attempt(summary, number, lambda: Game.from_json(text))  # noqa: B023
            if game is not None and Game.from_json(game.to_json()) != game:  # type: ignore[attr-defined]
                summary.faults.append(f"try {number}: a saved game changes when it is saved again")
        elif data["format"] == ASKED:
            game = attempt(summary, number, lambda: game_of(parsed(text)))  # noqa: B023
            if game is not None and game.over:  # type: ignore[attr-defined]
                summary.faults.append(f"try {number}: a game that is over was accepted")
        else:
            game = attempt(summary, number, lambda: check(parsed(text)))  # noqa: B023
            if game is not None and dumps(record_of(game)) != dumps(
                record_of(check(record_of(game)))
            ):  # type: ignore[arg-type]
                summary.faults.append(f"try {number}: a record changes when it is written again")
    return summary


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
