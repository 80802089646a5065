"""The options of a game and the supply of its tiles, checked; errors name what is wrong."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .geometry import DEFAULT_TABLE, MAX_TABLE, MIN_TABLE
from .state import StateArray, empty_states, set_options
from .tiles import MAX_PLAYERS, MIN_PLAYERS

Decisions = Literal["auto", "explicit"]
DECISIONS: tuple[Decisions, ...] = ("auto", "explicit")


def check_options(
    num_players: int, decisions_mode: str, table_size: int | None
) -> tuple[int, bool, int]:
    """Validated (num_players, auto, table_size); ValueError names the option that is wrong."""
    players = as_int("num_players", num_players, "2, 3 or 4")
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise ValueError(f"num_players is {num_players!r}, expected 2, 3 or 4")
    if decisions_mode not in DECISIONS:
        raise ValueError(f"decisions is {decisions_mode!r}, expected 'auto' or 'explicit'")
    auto = decisions_mode == "auto"
    if table_size is None:
        return players, auto, DEFAULT_TABLE[players]
    size = as_int("table_size", table_size, f"{MIN_TABLE} to {MAX_TABLE}")
    if not MIN_TABLE <= size <= MAX_TABLE:
        raise ValueError(f"table_size is {table_size!r}, expected {MIN_TABLE} to {MAX_TABLE}")
    return players, auto, size


def as_int(name: str, value: Any, expected: str) -> int:
    """An integer of any kind as a plain one; ValueError names the option for anything else."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise ValueError(f"{name} is {value!r}, expected {expected}")


def as_bool(name: str, value: Any) -> bool:
    """A truth value as a plain one; ValueError names the option for anything else."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ValueError(f"{name} is {value!r}, expected True or False")


def as_seat(value: Any, num_players: int) -> int:
    """A seat of the game; ValueError for anything else."""
    seat = as_int("seat", value, f"0 to {num_players - 1}")
    if not 0 <= seat < num_players:
        raise ValueError(f"seat is {value!r}, expected 0 to {num_players - 1}")
    return seat


def as_seed(value: Any) -> int:
    """A seed, any integer, taken modulo 2**64; ValueError for anything else."""
    return as_int("seed", value, "an integer or None") % 2**64


def check_choice(name: str, value: object, allowed: Sequence[object]) -> int:
    """Number of a value among those allowed; ValueError names the option if it is none of them."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, expected one of {', '.join(map(repr, allowed))}")
    return list(allowed).index(value)


def blank_states(
    count: int, num_players: int, volcanoes: bool, decisions_mode: str, table_size: int | None
) -> StateArray:
    """States with their options written and nothing dealt; ValueError for an option out of range."""
    count = as_int("num_games", count, "at least 1")
    if count < 1:
        raise ValueError(f"num_games is {count!r}, expected at least 1")
    players, auto, size = check_options(num_players, decisions_mode, table_size)
    states = empty_states(count)
    for state in states:
        set_options(state, players, int(as_bool("volcanoes", volcanoes)), int(auto), size)
    return states


def check_supply(
    name: str, draws: Sequence[str], kinds: Sequence[str], supply: Sequence[int]
) -> None:
    """ValueError unless ``draws`` has exactly the supply's copies of each kind."""
    unknown = [kind for kind in draws if kind not in kinds]
    if unknown:
        raise ValueError(f"{name} has {unknown[0]!r}, which is not a kind of tile")
    for kind, copies in zip(kinds, supply, strict=True):
        if list(draws).count(kind) != copies:
            raise ValueError(f"{name} has {list(draws).count(kind)} of {kind}, expected {copies}")
