"""The options of a game, validated once; every error names the option that is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypedDict

import numpy as np

from ..checks import as_bool, as_int, check_choice, check_type, in_short
from .actions import num_actions
from .geometry import DEFAULT_TABLE, MAX_TABLE, MIN_TABLE
from .observation import observation_size
from .state import StateArray, empty_states, set_options
from .tiles import MAX_PLAYERS, MIN_PLAYERS

Decisions = Literal["auto", "explicit", "turn"]
DECISIONS: tuple[Decisions, ...] = ("auto", "explicit", "turn")
ASKED: tuple[Decisions, ...] = ("explicit", "auto", "turn")  # by their numbers in a state
PLAYERS = tuple(range(MIN_PLAYERS, MAX_PLAYERS + 1))


class OptionFields(TypedDict, total=False):
    """The fields of :class:`Options` as keyword arguments of an environment."""

    num_players: int
    volcanoes: bool
    decisions: Decisions
    table_size: int | None


@dataclass(frozen=True, init=False)
class Options:
    """The options of a game.  ValueError names the field out of range.

    - ``num_players``: 2, 3 or 4.
    - ``volcanoes``: play with the mini-expansion (rules 7).
    - ``decisions``: ``"auto"`` asks only for decisions that can matter, ``"explicit"`` for every
      elementary one (:mod:`cacao_env.engine.decisions`), ``"turn"`` for placements, with all fills and
      actions made as greedy makes them (:mod:`cacao_env.greedy.turn`).
    - ``table_size``: side W of the square window that actions and observations refer to, 11 to 32.
      None chooses the smallest that shows every legal placement of every game: 23 with 2 players,
      30 with 3 or 4.
    """

    num_players: int
    volcanoes: bool
    decisions: Decisions
    table_size: int

    def __init__(
        self,
        num_players: int = 2,
        volcanoes: bool = False,
        decisions: Decisions = "auto",
        table_size: int | None = None,
    ) -> None:
        players = as_int("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS, "2, 3 or 4")
        check_choice("decisions", decisions, DECISIONS)
        size = DEFAULT_TABLE[players]
        if table_size is not None:
            size = as_int("table_size", table_size, MIN_TABLE, MAX_TABLE)
        checked = (players, as_bool("volcanoes", volcanoes), decisions, size)
        for field, value in zip(fields(self), checked, strict=True):
            object.__setattr__(self, field.name, value)

    @classmethod
    def of(cls, options: Options | None, given: Mapping[str, Any]) -> Options:
        """Return ``options``, or build them from keyword arguments; TypeError for both."""
        if options is None:
            return cls(**given)
        check_type("options", options, cls, "an Options")
        if given:
            raise TypeError(f"{next(iter(given))} is given beside options, expected one of them")
        return options

    @classmethod
    def of_state(cls, state: Any) -> Options:
        """Read the options of a state record."""
        return cls(
            int(state.num_players),
            bool(state.volcanoes),
            ASKED[int(state.decisions)],
            int(state.table_size),
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Options:
        """Build options from what ``as_dict`` returned; ValueError for anything else."""
        try:
            return cls(**data)
        except TypeError as error:
            raise ValueError(str(error)) from None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)

    @property
    def observation_size(self) -> int:
        """Length of the flat observation vector."""
        return observation_size(self.num_players, self.table_size)

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return int(num_actions(self.table_size))

    def blank_states(self, count: int = 1) -> StateArray:
        """Return ``count`` states, shape (count,), with the options written and nothing dealt."""
        states = empty_states(as_int("num_games", count, 1))
        set_options(
            states[0],
            self.num_players,
            int(self.volcanoes),
            ASKED.index(self.decisions),
            self.table_size,
        )
        states[1:] = states[0]
        return states

    def __str__(self) -> str:
        return (
            f"{self.num_players} players on table size {self.table_size} "
            f"{'with' if self.volcanoes else 'without'} volcanoes"
        )


def check_supply(
    name: str, draws: Sequence[str], kinds: Sequence[str], supply: Sequence[int]
) -> None:
    """Raise ValueError unless ``draws`` has exactly the supply's copies of each kind."""
    check_type(name, draws, (Sequence, np.ndarray), "a list of kinds of tiles")
    unknown = [kind for kind in draws if not isinstance(kind, str) or kind not in kinds]
    if unknown:
        raise ValueError(f"{name} has {in_short(unknown[0])}, which is not a kind of tile")
    for kind, copies in zip(kinds, supply, strict=True):
        if list(draws).count(kind) != copies:
            raise ValueError(f"{name} has {list(draws).count(kind)} of {kind}, expected {copies}")
