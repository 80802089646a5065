"""The history of a game: every elementary move with the position after it, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import record
from ..engine import decisions
from ..engine.notation import Move
from ..engine.state import AUTO
from ..game import Game
from ..gold_sources import SOURCES, gold_by_source
from .position import position_of
from .words import in_words

Frame = dict[str, Any]
NOBODY = -1  # a viewer who sees no hand


class History:
    """The frames of a game from its deal on.

    ``frames[k]`` is the position after k elementary moves (:mod:`cacao_env.play.position`) and the move
    that led to it: ``move`` (in words, None at the start), ``mover`` (seat), ``auto`` (made without
    asking) and ``at`` (its cells).  ``sources``: each seat's, which add up to its score if it ended.
    ``viewer``: a seat, NOBODY, or None for all hands.  Only one thread may change it at a time.
    """

    def __init__(self, game: Game, viewer: int | None = None) -> None:
        self._game = _dealt(game)
        self._tiles: dict[str, Any] = {}
        nothing: Frame = {"move": None, "mover": None, "auto": False, "at": []}
        self.frames: list[Frame] = [self._position(viewer) | nothing]

    @classmethod
    def from_record(cls, data: Any) -> History:
        """Return the history of a game record; RecordError if the record is not valid."""
        record.check(data)
        history = cls(record.start_of(data))
        for move, auto in record.moves_of(data):
            history.add(move, auto, None)
        return history

    def __len__(self) -> int:
        """Return the number of elementary moves."""
        return len(self.frames) - 1

    @property
    def game(self) -> Game:
        """The game with every decision asked; do not change it."""
        return self._game

    def add(self, move: Move, auto: bool, viewer: int | None) -> None:
        """Make a legal move and add its frame."""
        game = self._game
        mover, text = game.seat, in_words(game, move)
        game.play(game.action(move))
        cells: list[Sequence[int]] = [list(part) for part in move if isinstance(part, tuple)]
        made = {"move": text, "mover": mover, "auto": auto, "at": cells}
        self.frames.append(self._position(viewer) | made)

    def follow(self, game: Game, viewer: int | None) -> None:
        """Add the moves that the game has made since; remove those that it has taken back."""
        moves = game.elementary_moves()
        if len(moves) < len(self):
            self._game = self.game_at(len(moves))
            del self.frames[len(moves) + 1 :]
        for _, auto, move in moves[len(self) :]:
            self.add(move, auto, viewer)

    def _position(self, viewer: int | None) -> Frame:
        """The position; a tile that did not change is the same object in all frames."""
        position = position_of(self._game, viewer)
        position["tiles"] = [self._tiles.setdefault(repr(one), one) for one in position["tiles"]]
        gold = gold_by_source(self._game.states, self._game.history)
        position["sources"] = [dict(zip(SOURCES, row, strict=True)) for row in gold.tolist()]
        return position

    def game_at(self, ply: int) -> Game:
        """Return the game after ``ply`` elementary moves; IndexError if there were fewer."""
        if not 0 <= ply <= len(self):
            raise IndexError(f"ply is {ply}, expected 0 to {len(self)}")
        game = _dealt(self._game)
        for action in self._game.history[:ply]:
            game.play(action)
        return game


def _dealt(game: Game) -> Game:
    """The deal of a game, with every decision asked."""
    workers, jungle = game.draws
    return Game.from_draws(workers, jungle, volcanoes=game.volcanoes, decisions="explicit")


def with_auto_decisions(game: Game) -> Game:
    """Return a copy that makes forced decisions itself, where the next decision is a real one.

    Agents are made for such games; the legal actions are the same.
    """
    one = game.clone()
    if not one.over and int(decisions.forced_action(one.state)) == decisions.NONE:
        one.state.decisions = AUTO
    return one
