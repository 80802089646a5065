"""A class for TRL's ``environment_factory``: its methods with docstrings are the model's tools."""

from __future__ import annotations

from typing import Any

from ..checks import check_choice
from .prompt import primer
from .table import REWARDS, TextTable


class CacaoTools:
    """One game after another; ``environment_factory=CacaoTools``.

    ``settings``: fields of :class:`~cacao_env.engine.options.Options`, by default 2 players with
    ``decisions="turn"``, and arguments of :class:`~.table.TextTable`.  The model has ``seat``, and
    ``opponent`` plays the others.  Columns ``seed`` and ``seat`` of the data say which game is played.
    ``reward``: ``"win_share"`` or ``"gold"``, less luck; 0 until the game is over.
    """

    def __init__(
        self, opponent: str = "greedy", seat: int = 0, reward: str = "win_share", **settings: Any
    ) -> None:
        check_choice("reward", reward, REWARDS)
        self._opponent, self._seat, self._reward = opponent, seat, reward
        self._settings = {"decisions": "turn"} | settings
        self._table: TextTable | None = None
        TextTable(0, opponent, seat, **self._settings)  # raises what is wrong with them

    def reset(self, seed: int | None = None, seat: int | None = None, **columns: Any) -> str:
        """Begin a game; return the rules and the first position."""
        own = self._seat if seat is None else seat
        self._table = TextTable(seed, self._opponent, own, **self._settings)
        return f"{primer(tool=True)}\n\n{self.look()}"

    def look(self) -> str:
        """Look at the position.

        Returns:
            The position that you see, and what you have to decide.
        """
        return self._playing().prompt()

    def legal_moves(self, at: str = "") -> str:
        """List legal moves.

        Args:
            at: A tile such as 2101 or a cell such as 0,1; empty for all moves.

        Returns:
            Your legal moves, a line each.
        """
        return self._playing().legal_moves(at)

    def play(self, move: str) -> str:
        """Play a move.

        Args:
            move: The move, such as: place 2101/1 at 0,1

        Returns:
            The next position, after the reason if the move is refused.
        """
        return self._playing().answer(move)

    def get_reward(self) -> float:
        """Return the reward of the game."""
        return self._playing().rewards(self._reward)[self._playing().own]

    def _playing(self) -> TextTable:
        if self._table is None:
            raise ValueError("there is no game yet; reset begins one")
        return self._table
