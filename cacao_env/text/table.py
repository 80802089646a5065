"""A game whose seats reply in text, or are agents: what every door to another library is made of."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from typing import Any

from ..agent import Agent, Player, require, seat_seed
from ..agents.random import random_action
from ..checks import as_bool, as_int, as_seat, as_seed, check_choice, in_short
from ..engine.notation import to_text
from ..engine.options import Options
from ..engine.rewards import RELATIVE_SCORE, SCORE_SCALE, WORST
from ..engine.rng import new_rng
from ..game import Game
from ..registry import as_agent
from ..render.position import Position, position_of
from ..render.text import LETTERS
from .prompt import prompt
from .reply import Refused, action_of

FAILURES = ("forfeit", "random")
TRIES = 3  # replies to a decision
REWARDS = ("win_share", "gold")  # the second less luck


class TextTable:
    """One game, all of whose seats reply in text, or one: then ``opponents`` have the others.

    ``opponents``: agents or their names in playing order; one is for all.  ``seat``: the one that is
    left to text.  After ``tries`` refused replies to a decision a seat forfeits the game or, with
    ``failure="random"``, a random legal move is played for it.  ``listed``: whether prompts list the
    legal moves.  ``fields``: those of :class:`~cacao_env.engine.options.Options`.

    The same seed and replies give the same game.
    """

    def __init__(
        self,
        seed: int | None = None,
        opponents: Agent | str | Sequence[Agent | str] = (),
        seat: int = 0,
        tries: int = TRIES,
        failure: str = "forfeit",
        listed: bool = True,
        **fields: Any,
    ) -> None:
        options = Options.of(None, fields)
        seed = secrets.randbits(63) if seed is None else as_seed(seed)
        check_choice("failure", failure, FAILURES)
        self._tries, self._failure = as_int("tries", tries, 1), failure
        self._listed = as_bool("listed", listed)
        self.own = as_seat(seat, options.num_players)
        self.game = Game.deal(options, seed)
        alone = isinstance(opponents, str) or not isinstance(opponents, Sequence)
        given: Any = [opponents] if alone else opponents
        others = options.num_players - 1
        agents = [as_agent(one) for one in given] * (others if len(given) == 1 else 1)
        if len(agents) not in (0, others):
            raise ValueError(f"opponents has {len(agents)} names, expected one or {others}")
        self.names = [agent.name for agent in agents] or ["text"] * others
        self.names.insert(self.own, "text")
        self._players: dict[int | None, Player] = {}
        for other, agent in zip([s for s in range(len(self.names)) if s != self.own], agents):
            require(agent, options)
            self._players[other] = agent.player(seat_seed(seed, 0, options, self.names, other))
        # Apart from the numbers that dealt the game, which would deal the same tiles again.
        self._rng = new_rng(seat_seed(seed, 0, options, self.names, self.own))
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
        """Return what a seat sees; by default the one that is asked, or that was left to text."""
        if self.forfeited is not None:
            return f"The game is over: {LETTERS[self.forfeited]} forfeited it."
        return prompt(self.game, self._viewer(seat), self._listed)

    def position(self, seat: int | None = None) -> Position:
        """Return the same as plain data: ``position_of``, and ``forfeited``, a seat or None."""
        return position_of(self.game, self._viewer(seat)) | {"forfeited": self.forfeited}

    def _viewer(self, seat: int | None) -> int:
        if seat is None:
            return self.own if self.seat is None else self.seat
        return as_seat(seat, self.game.num_players)

    def legal_moves(self, at: str = "") -> str:
        """Return the legal moves, a line each: all, or those of a tile or a cell.

        ``at``: a tile as in moves, such as 2101 or 2101/1, or a cell such as 0,1.
        """
        wanted = re.sub(r"[\s()]", "", at)
        moves = [] if self.over else map(to_text, self.game.legal_moves())
        found = []
        for text in moves:
            _, what, _, where, *_ = text.split()  # of an action "what" is the cell
            if not wanted or wanted in (what, what.partition("/")[0], where):
                found.append(text)
        return "\n".join(found) or (
            f"No legal move has {in_short(at)}, expected a tile such as 2101 or a cell such as 0,1."
            if wanted
            else "There is no legal move."
        )

    def reply(self, text: str) -> str:
        """Play the move that a reply states; return "", or one sentence on why it is refused."""
        self._advance()  # an agent may have failed in the reply before
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
            tries = f"this was try {self._failed} of {self._tries}"
            return f"{str(error)[:-1]}; {tries}, so {self._give_up()}."
        self.play(action)
        return ""

    def answer(self, text: str) -> str:
        """Play a reply; return the next prompt, after the refusal if the same seat is asked again."""
        seat, refused = self.seat, self.reply(text)
        again = refused and self.seat is not None and self.seat == seat
        return f"{refused}\n\n{self.prompt()}" if again else self.prompt()

    def forfeit(self) -> None:
        """End the game: the seat that is asked loses it."""
        self.forfeited = self.game.seat

    def _give_up(self) -> str:
        if self._failure == "forfeit":
            self.forfeit()
            return "the game is forfeited"
        self.play(int(random_action(self.game.states, self._rng)))
        return "a random legal move is played"

    def play(self, action: int) -> None:
        """Play an action of the seat that is asked, and then the agents' turns."""
        self.game.play(action)
        self._failed = 0
        self._advance()

    def _advance(self) -> None:
        while player := self._players.get(self.seat):
            self.game.play(player.act(self.game))

    def rewards(self, kind: str) -> list[float]:
        """Return every seat's reward by its name in ``REWARDS``; 0 until the game is over."""
        check_choice("reward", kind, REWARDS)
        if not self.over:
            return [0.0] * self.game.num_players
        return self.win_shares() if kind == "win_share" else self.gold()

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
            rest = -worst / (players - 1)
            return [worst if s == self.forfeited else rest for s in range(players)]
        from ..evaluation.luck import SCORES, luck_of

        own = [a - b for a, b in zip(self.game.scores(), luck_of(self.game)[SCORES])]
        return [float(a - (sum(own) - a) / (players - 1)) for a in own]
