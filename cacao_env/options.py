"""The options of a game and the supply of its tiles, checked; errors name what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .geometry import DEFAULT_TABLE, MAX_TABLE, MIN_TABLE
from .state import StateArray, empty_states, set_options
from .tiles import MAX_PLAYERS, MIN_PLAYERS

Decisions = Literal["auto", "explicit"]
DECISIONS: tuple[Decisions, ...] = ("auto", "explicit")


def check_options(
    num_players: int, decisions_mode: str, table_size: int | None
) -> tuple[int, bool, int]:
    """Validated (num_players, auto, table_size); ValueError names the option that is wrong."""
    if num_players not in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        raise ValueError(f"num_players is {num_players!r}, expected 2, 3 or 4")
    if decisions_mode not in DECISIONS:
        raise ValueError(f"decisions is {decisions_mode!r}, expected 'auto' or 'explicit'")
    if table_size is None:
        table_size = DEFAULT_TABLE[num_players]
    if table_size not in range(MIN_TABLE, MAX_TABLE + 1):
        raise ValueError(f"table_size is {table_size!r}, expected {MIN_TABLE} to {MAX_TABLE}")
    return num_players, decisions_mode == "auto", table_size


def check_choice(name: str, value: object, allowed: Sequence[object]) -> int:
    """Number of a value among those allowed; ValueError names the option if it is none of them."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, expected one of {', '.join(map(repr, allowed))}")
    return list(allowed).index(value)


def blank_states(
    count: int, num_players: int, volcanoes: bool, decisions_mode: str, table_size: int | None
) -> StateArray:
    """States with their options written and nothing dealt; ValueError for an option out of range."""
    if count < 1:
        raise ValueError(f"num_games is {count!r}, expected at least 1")
    players, auto, size = check_options(num_players, decisions_mode, table_size)
    states = empty_states(count)
    for state in states:
        set_options(state, players, int(bool(volcanoes)), int(auto), size)
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
