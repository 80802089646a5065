"""A game whose seats reply in text, or are agents: what every door to another library is made of."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Literal

from ..agents.agent import Agent, require, seat_seed
from ..agents.registry import as_agent
from ..checks import as_int, as_seat, as_seed, check_choice
from ..engine.options import Options
from ..engine.rewards import RELATIVE_SCORE, SCORE_SCALE, WORST
from ..engine.rng import below, new_rng
from ..game import Game
from .prompt import prompt
from .reply import Refused, action_of

Failure = Literal["forfeit", "random"]
FAILURES: tuple[Failure, ...] = ("forfeit", "random")
TRIES = 3  # replies to a decision


class TextTable:
    """One game; seats without an agent reply in text.

    ``agents``: agents or their names, by seat.  After ``tries`` refused replies to a decision the seat
    forfeits the game or, with ``failure="random"``, a random legal move is played for it.
    ``listed``: whether prompts list the legal moves.  The same seed and replies give the same game.
    """

    def __init__(
        self,
        options: Options | None = None,
        seed: int | None = None,
        agents: Mapping[int, Agent | str] | None = None,
        tries: int = TRIES,
        failure: Failure = "forfeit",
        listed: bool = True,
    ) -> None:
        options = options or Options()
        self._seed = secrets.randbits(63) if seed is None else as_seed(seed)
        check_choice("failure", failure, FAILURES)
        self._tries, self._failure, self._listed = as_int("tries", tries, 1), failure, listed
        self.game = Game.deal(options, self._seed)
        named = {
            as_seat(seat, options.num_players): as_agent(agent)
            for seat, agent in (agents or {}).items()
        }
        self.names = [named[s].name if s in named else "text" for s in range(options.num_players)]
        for agent in named.values():
            require(agent, options)
        self._players = {
            seat: agent.player(seat_seed(self._seed, 0, options, self.names, seat))
            for seat, agent in named.items()
        }
        self._rng = new_rng(self._seed)
        self.refused = [0] * options.num_players  # replies of each seat
        self.forfeited: int | None = None  # the seat that forfeited
        self._failed = 0  # refused replies to the decision at hand
        self._advance()

    @property
    def seat(self) -> int | None:
        """The seat that is asked for a reply; None when the game is over."""
        return None if self.forfeited is not None else self.game.seat

    @property
    def over(self) -> bool:
        """Whether the game is finished or forfeited."""
        return self.seat is None

    def prompt(self, seat: int | None = None) -> str:
        """Return what a seat sees, by default the one that is asked."""
        if seat is None and (seat := self.seat) is None:
            raise ValueError("the game is over: no seat is asked")
        return prompt(self.game, as_seat(seat, self.game.num_players), self._listed)

    def reply(self, text: str) -> str:
        """Play the move that a reply states; return "", or one sentence on why it is refused."""
        seat = self.seat
        if seat is None:
            return "The game is over."
        try:
            action = action_of(self.game, text)
        except Refused as error:
            self.refused[seat] += 1
            self._failed += 1
            if self._failed < self._tries:
                return str(error)
            return f"{str(error)[:-1]}, so after {self._tries} tries {self._give_up(seat)}."
        self.play(action)
        return ""

    def _give_up(self, seat: int) -> str:
        if self._failure == "forfeit":
            self.forfeited = seat
            return "the game is forfeited"
        legal = self.game.legal_actions()
        self.play(int(legal[int(below(self._rng, len(legal)))]))
        return "a random legal move is played"

    def play(self, action: int) -> None:
        """Play an action of the seat that is asked, and then the agents' turns."""
        self.game.play(action)
        self._failed = 0
        self._advance()

    def _advance(self) -> None:
        while (seat := self.game.seat) in self._players:
            seen = self.game.determinise(seat, self._rng)  # no agent sees the true deal
            self.game.play(self._players[seat].act(seen))

    def win_shares(self) -> list[float]:
        """Return every seat's share of the win; a seat that forfeits leaves it to the others."""
        if self.forfeited is None:
            return self.game.win_shares()
        others = self.game.num_players - 1
        return [float(seat != self.forfeited) / others for seat in range(others + 1)]

    def gold(self) -> list[float]:
        """Return every seat's relative score less its luck; a forfeit costs the most there is."""
        players = self.game.num_players
        if self.forfeited is not None:
            worst = WORST[RELATIVE_SCORE] * SCORE_SCALE
            return [
                worst if s == self.forfeited else -worst / (players - 1) for s in range(players)
            ]
        from ..evaluation.luck import SCORES, luck_of

        own = [a - b for a, b in zip(self.game.scores(), luck_of(self.game)[SCORES])]
        return [float(a - (sum(own) - a) / (players - 1)) for a in own]
