"""The history of a game: every elementary move with the position after it, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import record
from ..engine import decisions
from ..engine.geometry import cell_index
from ..engine.notation import Move
from ..engine.state import AUTO
from ..engine.tiles import ACTION_CLASS, ERUPT, SELL_CACAO, TAKE_GOLD
from ..evaluation.gold_sources import MINES, SALES, SOURCES, VOLCANOES
from ..game import Game
from .choices import in_words, parts_of
from .position import position_of

Frame = dict[str, Any]
NOBODY = -1  # a viewer who sees no hand
COIN_SOURCES = SOURCES[: VOLCANOES + 1]  # of coins; the other sources count at the end


class History:
    """The frames of a game from its deal on.

    ``frames[k]`` is the position after k elementary moves (:mod:`cacao_env.play.position`) and the move
    that led to it: ``move`` (in words, None at the start), ``mover`` (seat), ``auto`` (made without
    asking) and ``at`` (its cells).  ``sources``: each seat's, which add up to its score if it ended.
    ``viewer``: a seat, NOBODY, or None for all hands.  Only one thread may change it at a time.
    """

    def __init__(self, game: Game, viewer: int | None = None) -> None:
        self._game = _dealt(game)
        self._coins = [[0] * len(COIN_SOURCES) for _ in range(game.num_players)]
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
        source, before = _source(game, move), game.state.gold.copy()
        game.play(game.action(move))
        if source is not None and mover is not None:
            self._coins[mover][source] += int(game.state.gold[mover]) - int(before[mover])
        cells: list[Sequence[int]] = [list(part) for part in move if isinstance(part, tuple)]
        made = {"move": text, "mover": mover, "auto": auto, "at": cells}
        self.frames.append(self._position(viewer) | made)

    def follow(self, game: Game, viewer: int | None) -> None:
        """Add the moves that the game has made since; remove those that it has taken back."""
        moves = game.elementary_moves()
        if len(moves) < len(self):
            self._game = self.game_at(len(moves))
            del self.frames[len(moves) + 1 :]
            seats = self.frames[-1]["sources"]
            self._coins = [[seat[name] for name in COIN_SOURCES] for seat in seats]
        for _, auto, move in moves[len(self) :]:
            self.add(move, auto, viewer)

    def _position(self, viewer: int | None) -> Frame:
        """The position; a tile that did not change is the same object in all frames."""
        position = position_of(self._game, viewer)
        position["tiles"] = [self._tiles.setdefault(repr(one), one) for one in position["tiles"]]
        state = self._game.state
        ends = [(seat["worth"], seat["sun"]) for seat in position["seats"]]
        position["sources"] = [
            dict(zip(SOURCES, [*coins, *end, int(temples)], strict=True))
            for coins, end, temples in zip(self._coins, ends, state.temples)
        ]
        return position

    def game_at(self, ply: int) -> Game:
        """Return the game after ``ply`` elementary moves; IndexError if there were fewer."""
        if not 0 <= ply <= len(self):
            raise IndexError(f"ply is {ply}, expected 0 to {len(self)}")
        game = _dealt(self._game)
        for action in self._game.history[:ply]:
            game.play(action)
        return game


def _source(game: Game, move: Move) -> int | None:
    """Where a move's coins come from, by its place in ``SOURCES``; None for no coins."""
    if move[0] != "act":
        return None
    row, column = parts_of(move)["cell"]
    kind = int(ACTION_CLASS[game.state.board[int(cell_index(row, column))]])
    return {SELL_CACAO: SALES, TAKE_GOLD: MINES, ERUPT: VOLCANOES}.get(kind)


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


def pack(frames: Sequence[Frame]) -> dict[str, Any]:
    """Return frames with each different tile stored once: a frame's ``tiles`` become numbers."""
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
