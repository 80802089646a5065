"""A table: one game whose seats are taken by people and by agents."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from .. import record
from ..agents.analysis import Analysis, certain
from ..agents.bots import seat_seeds
from ..agents.opponents import Opponent, find, known_names
from ..engine.tiles import MAX_PLAYERS, MIN_PLAYERS
from ..game import Game
from .choices import Choice, choices_of
from .history import NOBODY, Story

HUMAN = "human"
BEST_BOT = "mc:sims=256"


class Table:
    """A game in play; ``seats`` has "human" or an agent's name for each, in playing order.

    ValueError for a wrong number of seats and for what no agent is called.
    """

    def __init__(
        self, seats: Sequence[str], seed: int | None = None, volcanoes: bool = False
    ) -> None:
        if not MIN_PLAYERS <= len(seats) <= MAX_PLAYERS:
            raise ValueError(
                f"{len(seats)} seats are named, expected {MIN_PLAYERS} to {MAX_PLAYERS}"
            )
        self.seats = list(seats)
        seed = secrets.randbits(63) if seed is None else seed
        self.game = Game.new(len(seats), seed, volcanoes=volcanoes)
        self._agents: list[Opponent | None] = [
            None if name == HUMAN else find(name, own)
            for name, own in zip(seats, seat_seeds(seed, len(seats)))
        ]
        for agent in self._agents:
            check_plays(agent, self.game)
        self.story = Story(self.game, self.viewer)

    @property
    def names(self) -> list[str]:
        """What the seats are called in words: the agent, or who."""
        people = self.seats.count(HUMAN)
        person = "you" if people == 1 else None
        return [
            (person or f"player {seat + 1}") if name == HUMAN else short_name(name)
            for seat, name in enumerate(self.seats)
        ]

    @property
    def viewer(self) -> int | None:
        """Whose hand may be seen: the only person's, among several that of who decides, else all."""
        people = [seat for seat, name in enumerate(self.seats) if name == HUMAN]
        if not people or self.game.over:
            return None
        if len(people) == 1:
            return people[0]
        return self.game.seat if self.game.seat in people else NOBODY

    @property
    def awaits_person(self) -> bool:
        """Whether a person decides now."""
        return self.game.seat is not None and self._agents[self.game.seat] is None

    def choices(self) -> list[Choice]:
        """What a person may do now; nothing while an agent decides."""
        return choices_of(self.game, self.names) if self.awaits_person else []

    def play(self, action: int) -> None:
        """A person's action; ValueError if it is not their turn or the action is illegal."""
        if self.game.over:
            raise ValueError("the game is over: there is nothing to decide")
        if not self.awaits_person:
            raise ValueError(f"it is for {self.seats[self._seat()]} to decide, not for a person")
        self.game.play(action)
        self._tell()

    def advance(self) -> None:
        """Let the agent whose decision it is decide; ValueError if there is none."""
        agent = None if self.game.over else self._agents[self._seat()]
        if agent is None:
            raise ValueError("no agent has to decide now")
        self.game.play(int(agent.act(self.game)))
        self._tell()

    @property
    def can_undo(self) -> bool:
        """Whether a person has decided something that can be taken back."""
        return any(
            frame["mover"] is not None and self._agents[frame["mover"]] is None
            for frame in self.story.frames
            if not frame["auto"]
        )

    def undo(self) -> None:
        """Take back the last decision of a person, and all that came after it."""
        game, last = self.game.clone(), None
        while game.ply:
            game.undo()
            if game.seat is not None and self._agents[game.seat] is None:
                last = game
                break
        if last is None:
            raise ValueError("there is no decision of a person to take back")
        self.game = last
        self._tell()

    def record(self) -> dict[str, Any]:
        """The record of the finished game; ValueError while it goes on."""
        return record.record_of(self.game)

    def _seat(self) -> int:
        seat = self.game.seat
        assert seat is not None
        return seat

    def _tell(self) -> None:
        self.story.follow(self.game, self.viewer)


def best_agent() -> str:
    """The strongest agent there is here: the first that an installed package lists, else a bot."""
    return next((name for name, _ in known_names()), BEST_BOT)


def short_name(agent: str) -> str:
    """An agent's name without the folders that a checkpoint lies in."""
    head, mark, rest = agent.partition("+" if "+" in agent else ":")
    return head.rstrip("/").rpartition("/")[2] + mark + rest


def check_plays(agent: Any, game: Game) -> None:
    """ValueError unless an agent plays games like this one, where it can say so."""
    check = getattr(agent, "check", None)
    if check is not None:
        check(game.num_players, game.volcanoes)


def analysis_of(agent: Any, game: Game) -> Analysis:
    """What an agent makes of the decision to be made; of one that says nothing, its choice."""
    if hasattr(agent, "think"):
        analysis: Analysis = agent.analyze(game)
        return analysis
    return certain(int(agent.act(game)), "its choice; it says no more")
