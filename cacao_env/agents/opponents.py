"""Who sits in the other seats: bots by name, agents of installed packages by name, or your own.

Anything with ``act(game) -> int`` can be an opponent.  It is handed a game in which everything that
its seat can't see has been dealt anew, so it may look at all of it, and without its history.

A name that is no bot's is offered to the packages that have an entry point in the group
``cacao_env.agents``: a function ``(name, seed) -> object with act`` that raises ValueError for a name
it does not know either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..envs.vector import OPPONENTS as COMPILED
from ..game import Game
from .bots import BOTS, Bot

GROUP = "cacao_env.agents"
NAMES = "cacao_env.agent_names"  # functions that list them: () -> [(name, what it is), ...]


@runtime_checkable
class Opponent(Protocol):
    """Chooses for the seat that decides."""

    def act(self, game: Game) -> int:
        """A legal action."""


# One opponent, odds of each for every game, or one for every other seat.
Opponents = str | Opponent | Mapping[str, float] | Sequence[str | Opponent]
# Who sits in the other seats of a game: one for all of them, or one for each.
_LineUp = tuple[str | Opponent, ...]


class Field:
    """The opponents that games are dealt against, checked.

    ``line_ups``: who may sit in the other seats, beginning with the seat clockwise after the
    learner's; ``odds``, float (len(line_ups),), sum to 1.  ``compiled_odds``, float (2,), are those of
    the bots that need no Python (:data:`cacao_env.envs.vector.OPPONENTS`), or None if some opponent does.
    """

    def __init__(self, opponents: Opponents, num_players: int) -> None:
        self.line_ups, self.odds = _line_ups(opponents, num_players)
        self._others = num_players - 1
        self.compiled_odds: npt.NDArray[np.float64] | None = None
        names = [_compiled_name(line_up) for line_up in self.line_ups]
        known = [name for name in names if name is not None]
        if len(known) == len(names):
            self.compiled_odds = np.zeros(len(COMPILED))
            for name, share in zip(known, self.odds):
                self.compiled_odds[COMPILED[name]] += share
        else:
            self.seat_agents(0)  # names are looked up now, so that a wrong one is refused now

    def seat_agents(self, seed: int) -> list[list[Opponent]]:
        """The agents of every line-up, one a seat; each name is made once, with a seed of its own."""
        rng = np.random.default_rng([seed % 2**64, 0x5EA7])
        made: dict[str, Opponent] = {}
        for line_up in self.line_ups:
            for one in line_up:
                if isinstance(one, str) and one not in made:
                    made[one] = find(one, int(rng.integers(2**63)))
        return [
            [made[one] if isinstance(one, str) else one for one in line_up]
            * (self._others // len(line_up))
            for line_up in self.line_ups
        ]


def find(name: str, seed: int) -> Opponent:
    """A bot, or an agent of an installed package; ValueError says what there is."""
    if name.partition(":")[0] in BOTS:
        return Bot(name, seed)
    reasons = []
    for point in entry_points(group=GROUP):
        try:
            agent = point.load()(name, seed)
        except ValueError as error:
            reasons.append(str(error))
            continue
        except ImportError as error:
            reasons.append(
                f"{name!r} is no bot's name, and {point.value} can't be loaded to ask it: {error}"
            )
            continue
        if not isinstance(agent, Opponent):
            raise ValueError(f"{point.value} made a {type(agent).__name__} without act(game)")
        return agent
    if reasons:
        raise ValueError("; ".join(reasons))
    raise ValueError(
        f"there is no bot {name!r}; there are: {', '.join(sorted(BOTS))}; other names, such as a "
        f"checkpoint's, need an installed package with an entry point in the group {GROUP}"
    )


def known_names() -> list[tuple[str, str]]:
    """(name, what it is) of the agents that installed packages bring, each package's best first."""
    found: list[tuple[str, str]] = []
    for point in entry_points(group=NAMES):
        try:
            found += point.load()()
        except ImportError:  # something that it needs is not installed: then they can't play
            continue
    return found


def _line_ups(
    opponents: Opponents, num_players: int
) -> tuple[list[_LineUp], npt.NDArray[np.float64]]:
    if isinstance(opponents, Mapping):
        return [(name,) for name in opponents], _odds(opponents)
    line_up: _LineUp
    if isinstance(opponents, str | Opponent):
        line_up = (opponents,)
    elif isinstance(opponents, Sequence):
        line_up = tuple(opponents)
        if len(line_up) != num_players - 1:
            raise ValueError(
                f"opponents names {len(line_up)}, expected one for each of the "
                f"{num_players - 1} other seats"
            )
    else:
        raise _wrong(opponents)
    for one in line_up:
        if not isinstance(one, str | Opponent):
            raise _wrong(one)
    return [line_up], np.ones(1)


def _odds(opponents: Mapping[str, float]) -> npt.NDArray[np.float64]:
    fine = all(
        isinstance(name, str) and isinstance(odds, int | float) and 0 <= odds < float("inf")
        for name, odds in opponents.items()
    )
    total = sum(opponents.values()) if fine else 0
    if total <= 0:
        raise ValueError(
            f"opponents are {dict(opponents)!r}, expected odds of {', '.join(BOTS)} or others by "
            "name, none below 0 and some above"
        )
    return np.array(list(opponents.values()), np.float64) / total


def _wrong(opponent: Any) -> ValueError:
    return ValueError(
        f"an opponent is {opponent!r}, expected a name, odds by name, one for each other seat, or "
        "an object with act(game)"
    )


def _compiled_name(line_up: _LineUp) -> str | None:
    """The name of the compiled bot in all seats of a line-up, if it is one."""
    names = {one if isinstance(one, str) else None for one in line_up}
    name = names.pop()
    return name if not names and name in COMPILED else None
