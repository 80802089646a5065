"""A table: one game whose seats are taken by people and agents, for the terminal."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from .. import record
from ..agents.agent import Agent, Player, decider, require, seat_seed
from ..agents.registry import installed_agents, load_agent
from ..engine.options import Options
from ..engine.tiles import MAX_PLAYERS, MIN_PLAYERS
from ..game import Game
from ..record import MAX_NAME

HUMAN = "human"
BEST_BOT = "mc:sims=256"
NOBODY = -1  # a viewer who sees no hand


class Table:
    """A game in play; ``seats`` has "human" or an agent's name for each seat, in playing order.

    ``load`` makes an agent of a name.  ValueError for a wrong number of seats and for a name without
    an agent.
    """

    def __init__(
        self,
        seats: Sequence[str],
        seed: int | None = None,
        volcanoes: bool = False,
        load: Callable[[str], Agent] = load_agent,
    ) -> None:
        if not MIN_PLAYERS <= len(seats) <= MAX_PLAYERS:
            raise ValueError(
                f"{len(seats)} seats are named, expected {MIN_PLAYERS} to {MAX_PLAYERS}"
            )
        self.seats = list(seats)
        seed = secrets.randbits(63) if seed is None else seed
        options = Options(len(seats), volcanoes)
        self.game = Game.deal(options, seed)
        agents = {name: load(name) for name in set(seats) if name != HUMAN}
        for agent in agents.values():
            require(agent, options)
        self._players: list[Player | None] = [
            None if name == HUMAN else agents[name].player(seat_seed(seed, 0, options, seats, seat))
            for seat, name in enumerate(seats)
        ]

    @property
    def names(self) -> list[str]:
        """The names of the seats for people: an agent's, "you", or "player 1"."""
        alone = self.seats.count(HUMAN) == 1
        return [
            short_name(name) if name != HUMAN else "you" if alone else f"player {seat + 1}"
            for seat, name in enumerate(self.seats)
        ]

    @property
    def viewer(self) -> int | None:
        """Whose hand is shown: the only person's, or the deciding person's.

        None shows all hands: nobody plays, or the game is over.
        """
        people = [seat for seat, name in enumerate(self.seats) if name == HUMAN]
        if not people or self.game.over:
            return None
        if len(people) == 1:
            return people[0]
        return self.game.seat if self.game.seat in people else NOBODY

    @property
    def awaits_person(self) -> bool:
        """Whether a person decides now."""
        return self.game.seat is not None and self._players[self.game.seat] is None

    def advance(self) -> None:
        """Let the deciding agent act; ValueError if no agent has to decide."""
        player = None if self.game.over else self._players[decider(self.game)]
        if player is None:
            raise ValueError("no agent has to decide now")
        self.game.play(player.act(self.game))

    def undo(self) -> None:
        """Take back the last decision of a person and everything after it."""
        game = self.game.clone()
        while game.ply:
            game.undo()
            if game.seat is not None and self._players[game.seat] is None:
                self.game = game
                return
        raise ValueError("there is no decision of a person to take back")

    def record(self) -> dict[str, Any]:
        """Return the record of the finished game; ValueError before its end."""
        names = [f"player {k + 1}" if n == "you" else n for k, n in enumerate(self.names)]
        return record.record_of(self.game, players=[name[:MAX_NAME] for name in names])


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
