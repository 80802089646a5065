"""A game as one tells it: every elementary move with the position after it, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import record
from ..engine import decisions
from ..engine.notation import Move
from ..game import Game
from .choices import in_words
from .position import position_of

Frame = dict[str, Any]
NOBODY = -1  # a viewer who sees no hand


class Story:
    """The frames of a game that began as ``game`` and goes on move by move.

    ``frames[k]`` is the position after k elementary moves (:mod:`cacao_env.play.position`), and of
    the move that led there ``move`` (in words, None at the start), ``mover`` (seat), ``auto`` (made
    without asking) and ``at`` (the cells it concerned).  ``viewer``: a seat, NOBODY, or None for all
    hands.
    """

    def __init__(self, game: Game, viewer: int | None = None) -> None:
        workers, jungle = game.draws
        self._game = Game.from_draws(
            workers, jungle, volcanoes=game.volcanoes, decisions="explicit"
        )
        self.frames: list[Frame] = [_start(self._game, viewer)]

    def __len__(self) -> int:
        """How many moves have been made."""
        return len(self.frames) - 1

    @property
    def game(self) -> Game:
        """The game as it stands, every decision asked; to look at."""
        return self._game

    def add(self, move: Move, auto: bool, viewer: int | None) -> None:
        """Make a legal move and tell it."""
        game = self._game
        mover, text = game.seat, in_words(game, move)
        game.play(game.action(move))
        told = {"move": text, "mover": mover, "auto": auto, "at": _cells(move)}
        self.frames.append(position_of(game, viewer) | told)

    def follow(self, game: Game, viewer: int | None) -> None:
        """Tell all that has happened since in the game that this is the story of.

        Where moves were taken back, what they led to is forgotten.
        """
        moves = game.elementary_moves()
        if len(moves) < len(self):
            self._game = self.game_at(len(moves))
            del self.frames[len(moves) + 1 :]
        for _, auto, move in moves[len(self) :]:
            self.add(move, auto, viewer)

    def game_at(self, ply: int) -> Game:
        """The game after so many elementary moves; IndexError if there were fewer."""
        if not 0 <= ply <= len(self):
            raise IndexError(f"ply is {ply}, expected 0 to {len(self)}")
        workers, jungle = self._game.draws
        game = Game.from_draws(
            workers, jungle, volcanoes=self._game.volcanoes, decisions="explicit"
        )
        for action in self._game.history[:ply]:
            game.play(action)
        return game


def told(data: Any) -> Story:
    """The story of a record; RecordError if it does not hold."""
    record.check(data)
    story = Story(record.start_of(data))
    for move, auto in record.moves_of(data):
        story.add(move, auto, None)
    return story


def to_think_about(game: Game) -> Game:
    """A copy whose small decisions are made without asking, where the next one is to be asked.

    Agents are made for games of that kind; what they may do now is the same.
    """
    one = game.clone()
    if not one.over and int(decisions.forced_action(one.state)) == decisions.NONE:
        one.state.auto = 1
    return one


def _start(game: Game, viewer: int | None) -> Frame:
    return position_of(game, viewer) | {"move": None, "mover": None, "auto": False, "at": []}


def _cells(move: Move) -> list[Sequence[int]]:
    return [list(part) for part in move if isinstance(part, tuple)]


def pack(frames: Sequence[Frame]) -> dict[str, Any]:
    """Frames with each different tile once, for sending: ``tiles`` of a frame become numbers."""
    numbers: dict[str, int] = {}
    tiles: list[Any] = []
    packed = []
    for frame in frames:
        own = []
        for tile in frame["tiles"]:
            key = repr(tile)
            if key not in numbers:
                numbers[key] = len(tiles)
                tiles.append(tile)
            own.append(numbers[key])
        packed.append(frame | {"tiles": own})
    return {"tiles": tiles, "frames": packed}
