"""A game whose seats reply in text, or are agents: what every door to another library is made of."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from ..agents.agent import Agent, decider, require, seat_seed
from ..agents.registry import as_agent, load_agent
from ..checks import as_int, as_seat, as_seed, check_choice
from ..engine.notation import to_text
from ..engine.options import Options
from ..engine.rewards import RELATIVE_SCORE, SCORE_SCALE, WORST
from ..engine.rng import below, new_rng
from ..game import Game
from ..play.position import Position, position_of
from ..play.render.text import LETTERS
from ..play.table import best_agent
from .prompt import prompt
from .reply import Refused, action_of

Failure = Literal["forfeit", "random"]
FAILURES: tuple[Failure, ...] = ("forfeit", "random")
TRIES = 3  # replies to a decision
REWARDS = ("win_share", "gold")  # the second less luck


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

    @classmethod
    def against(
        cls, opponents: str | Sequence[str], seat: int, seed: int | None, **given: Any
    ) -> Self:
        """Return a table whose one seat replies in text; one opponent is for all others.

        ``given``: fields of the options, and the other arguments of the class.
        """
        fields = {name: given.pop(name) for name in [*given] if name in Options().as_dict()}
        options = Options(**fields)
        others = [s for s in range(options.num_players) if s != as_seat(seat, options.num_players)]
        names = [opponents] if isinstance(opponents, str) else list(opponents)
        names = names * len(others) if len(names) == 1 else names
        if len(names) != len(others):
            raise ValueError(f"opponents has {len(names)} names, expected {len(others)}")
        return cls(options, seed, dict(zip(others, names)), **given)

    @property
    def seat(self) -> int | None:
        """The seat that is asked for a reply; None when the game is over."""
        return None if self.forfeited is not None else self.game.seat

    @property
    def over(self) -> bool:
        """Whether the game is finished or forfeited."""
        return self.seat is None

    def prompt(self, seat: int | None = None) -> str:
        """Return what a seat sees, by default the one that is asked; once the game is over, seat 0."""
        if self.forfeited is not None:
            return f"The game is over: {LETTERS[self.forfeited]} forfeited it."
        if seat is None:
            seat = self.game.seat or 0
        return prompt(self.game, as_seat(seat, self.game.num_players), self._listed)

    def position(self, seat: int | None = None) -> Position:
        """Return the same as plain data, as ``position_of`` does."""
        seat = self.game.seat or 0 if seat is None else as_seat(seat, self.game.num_players)
        return position_of(self.game, seat)

    def legal_moves(self, at: str = "") -> str:
        """Return the legal moves, a line each: all, or those of a tile or a cell such as 0,1."""
        moves = [] if self.over else map(to_text, self.game.legal_moves())
        found = [text for text in moves if not at.strip() or at.strip() in re.split("[ /]", text)]
        return "\n".join(found) or "There is no such legal move."

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
            return f"{str(error)[:-1]}, so after {self._tries} tries {self._give_up()}."
        self.play(action)
        return ""

    def forfeit(self) -> None:
        """End the game: the seat that is asked loses it."""
        self.forfeited = self.game.seat

    def _give_up(self) -> str:
        if self._failure == "forfeit":
            self.forfeit()
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

    def take_back(self) -> str:
        """Take back the last action; "", or one sentence on why that isn't allowed.

        It is while the turn goes on, for then nothing hidden has been shown.
        """
        before = self.game.clone()
        if before.ply:
            before.undo()
        if self.over or before.ply == self.game.ply or before.turn != self.game.turn:
            return "Nothing can be taken back: a turn that is finished has shown hidden tiles."
        if (
            before.seat != self.game.seat
            or before.state.jungle_drawn != self.game.state.jungle_drawn
        ):
            return "Nothing can be taken back: another seat has decided or a hidden tile was drawn."
        self.game, self._failed = before, 0
        return ""

    def hint(self, agent: str = "") -> str:
        """Return the moves that an agent, by default a strong one, would play, the best first."""
        if self.over:
            return "The game is over."
        one = load_agent(agent or best_agent(self.game.options).partition("+")[0])
        require(one, self.game.options)
        memory = one.begin(0)
        analysis = one.analyze(self.game.determinise(decider(self.game), new_rng(0)), memory)
        best = zip(analysis.actions[:3].tolist(), analysis.weights[:3].tolist())
        return "\n".join(f"{self.game.text(action)} ({weight:.0%})" for action, weight in best)

    def review(self) -> str:
        """Return the review of a finished game: gold lost by decisions, blunders, luck."""
        if not self.game.over:
            return "Only a finished game can be reviewed."
        from ..play.history import History
        from ..play.review import in_lines, review

        history = History(self.game)
        history.follow(self.game, None)
        names = [f"{letter} ({name})" for letter, name in zip(LETTERS, self.names)]
        return in_lines(review(history).as_dict(), names)

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
            return [
                worst if s == self.forfeited else -worst / (players - 1) for s in range(players)
            ]
        from ..evaluation.luck import SCORES, luck_of

        own = [a - b for a, b in zip(self.game.scores(), luck_of(self.game)[SCORES])]
        return [float(a - (sum(own) - a) / (players - 1)) for a in own]
