"""A table: one game whose seats are taken by people and agents."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from .. import record
from ..agents.agent import Agent, Player, decider, require, seat_seed
from ..agents.registry import installed_agents, load_agent
from ..engine.notation import is_int
from ..engine.options import Options
from ..engine.tiles import MAX_PLAYERS, MIN_PLAYERS
from ..game import Game
from ..record import MAX_NAME, check_names
from .choices import Choice, choices_of
from .history import NOBODY, History

HUMAN = "human"
SAVED = "cacao-saved-game"
BEST_BOT = "mc:sims=256"


class Table:
    """A game in play; ``seats`` has "human" or an agent's name for each seat, in playing order.

    ``load`` makes an agent of a name; ``people`` are names of people, one a seat, "" for none.
    ``changes`` counts what has happened, undo included.  ValueError for a wrong number of seats and
    for a name without an agent.
    """

    def __init__(
        self,
        seats: Sequence[str],
        seed: int | None = None,
        volcanoes: bool = False,
        load: Callable[[str], Agent] = load_agent,
        people: Sequence[str] = (),
    ) -> None:
        if not MIN_PLAYERS <= len(seats) <= MAX_PLAYERS:
            raise ValueError(
                f"{len(seats)} seats are named, expected {MIN_PLAYERS} to {MAX_PLAYERS}"
            )
        self.seats, self.changes = list(seats), 0
        self.people_names = [*people, *[""] * len(seats)][: len(seats)]
        check_names("people", [name or "-" for name in self.people_names], len(seats))
        self._seed = seed = secrets.randbits(63) if seed is None else seed
        options = Options(len(seats), volcanoes)
        self.game = Game.deal(options, seed)
        agents = {name: load(name) for name in set(seats) if name != HUMAN}
        for agent in agents.values():
            require(agent, options)
        self._players: list[Player | None] = [
            None if name == HUMAN else agents[name].player(seat_seed(seed, 0, options, seats, seat))
            for seat, name in enumerate(seats)
        ]
        self.history = History(self.game, self.viewer)

    @property
    def names(self) -> list[str]:
        """The names of the seats for people: a given one, an agent's, "you", or "player 1"."""
        alone = self.seats.count(HUMAN) == 1
        return [
            name or ("you" if alone else f"player {seat + 1}")
            for seat, name in enumerate(self._known_names())
        ]

    def _known_names(self) -> list[str]:
        return [
            given if name == HUMAN else short_name(name)
            for name, given in zip(self.seats, self.people_names, strict=True)
        ]

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, name in enumerate(self.seats) if name == HUMAN]

    @property
    def viewer(self) -> int | None:
        """Whose hand is shown: the only person's, or the deciding person's.

        None shows all hands: nobody plays, or the game is over.
        """
        people = self.people
        if not people or self.game.over:
            return None
        if len(people) == 1:
            return people[0]
        return self.game.seat if self.game.seat in people else NOBODY

    @property
    def awaits_person(self) -> bool:
        """Whether a person decides now."""
        return self.game.seat is not None and self._players[self.game.seat] is None

    def choices(self) -> list[Choice]:
        """Return what a person may do now; nothing while an agent decides."""
        return choices_of(self.game, self.names) if self.awaits_person else []

    def play(self, action: int) -> None:
        """Play a person's action; ValueError if it is not their turn or the action is illegal."""
        seat = decider(self.game)
        if not self.awaits_person:
            raise ValueError(f"it is for {self.seats[seat]} to decide, not for a person")
        self.game.play(action)
        self._changed()

    def advance(self) -> None:
        """Let the deciding agent act; ValueError if no agent has to decide."""
        self.play_for_agent(self.agents_action())

    def agents_action(self) -> int:
        """Return what the deciding agent does, without doing it."""
        player = None if self.game.over else self._players[decider(self.game)]
        if player is None:
            raise ValueError("no agent has to decide now")
        return player.act(self.game.clone())

    def play_for_agent(self, action: int) -> None:
        """Play what the deciding agent has chosen."""
        self.game.play(action)
        self._changed()

    @property
    def can_undo(self) -> bool:
        """Whether a person has made a decision that can be taken back."""
        return any(
            frame["mover"] is not None and self._players[frame["mover"]] is None
            for frame in self.history.frames
            if not frame["auto"]
        )

    def undo(self) -> None:
        """Take back the last decision of a person and everything after it."""
        game, last = self.game.clone(), None
        while game.ply:
            game.undo()
            if game.seat is not None and self._players[game.seat] is None:
                last = game
                break
        if last is None:
            raise ValueError("there is no decision of a person to take back")
        self.game = last
        self._changed()

    def _changed(self) -> None:
        self.changes += 1
        self.history.follow(self.game, self.viewer)

    def record(self) -> dict[str, Any]:
        """Return the record of the finished game; ValueError before its end."""
        names = [name or f"player {seat + 1}" for seat, name in enumerate(self._known_names())]
        return record.record_of(self.game, players=[name[:MAX_NAME] for name in names])

    def saved(self) -> dict[str, Any]:
        """Return the game as plain data, from which ``restored`` makes the table again."""
        return {
            "format": SAVED,
            "version": 1,
            "seats": self.seats,
            "people": self.people_names,
            "seed": self._seed,
            "changes": self.changes,
            "game": json.loads(self.game.to_json()),
        }

    @classmethod
    def restored(cls, data: Any, load: Callable[[str], Agent] = load_agent) -> Table:
        """Return the table of a saved game; ValueError says what is wrong with the data."""
        if not isinstance(data, dict) or data.get("format") != SAVED or data.get("version") != 1:
            raise ValueError(f"not a saved game: expected format {SAVED!r}, version 1")
        seats, people, seed = (data.get(key) for key in ("seats", "people", "seed"))
        if not _is_strings(seats) or not _is_strings(people):
            raise ValueError("seats or people of the saved game is not a list of names")
        if not is_int(seed) or not is_int(data.get("changes")):
            raise ValueError("seed or changes of the saved game is not an integer")
        game = Game.from_json(json.dumps(data.get("game")))
        if game.num_players != len(seats) or game.decisions != "auto":
            raise ValueError("the saved game's seats are not those of its game")
        table = cls(seats, seed, game.volcanoes, load, people)
        table.game, table.changes = game, data["changes"]
        table.history = History(game, table.viewer)
        table.history.follow(game, table.viewer)
        return table


def _is_strings(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def best_agent(options: Options | None = None) -> str:
    """Return the name of the strongest agent installed that plays such games, or of a bot."""
    for name, _ in installed_agents():
        if options is None or load_agent(name).supports(options):
            return name
    return BEST_BOT


def short_name(agent: str) -> str:
    """Return an agent's name without the folders of its checkpoint."""
    head, mark, rest = agent.partition("+" if "+" in agent else ":")
    return head.rstrip("/").rpartition("/")[2] + mark + rest
