"""An environment for TextArena; importing this module registers ``Cacao-v0``."""

from __future__ import annotations

from typing import Any

import textarena as ta
from textarena.envs.registration import ENV_REGISTRY, register

from ..engine.scoring import zero_sum_win
from .prompt import primer
from .table import TextTable


class CacaoEnv(ta.Env):
    """A game whose players are TextArena's, 2 to 4.

    ``settings``: fields of :class:`~cacao_env.engine.options.Options`, by default ``decisions="turn"``,
    and arguments of :class:`~.table.TextTable`.  A reward is 1 for a sole win and less for a shared
    one; the rewards sum to zero.
    """

    def __init__(self, **settings: Any) -> None:
        self._settings = {"decisions": "turn"} | settings

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal a game; the seed is the game's alone, and no global random numbers change."""
        self._table = TextTable(seed, num_players=num_players, **self._settings)
        self.state = ta.State(num_players)
        roles = {seat: f"Player {seat}" for seat in range(num_players)}
        self.state.standard_resets(
            player_prompt_function=lambda player_id, game_state: primer(), role_mapping=roles
        )
        self._show(self._table.prompt())

    def step(self, action: str) -> tuple[bool, ta.Info]:
        """Play a reply; a seat sees its own refusals, and no seat another's replies."""
        seat = self._table.seat
        if seat is None:
            raise ValueError("the game is over; reset begins another")
        before = self._table.refused[seat]
        self._show(self._table.answer(action))
        refused = self._table.refused[seat] > before
        self.state.game_info[seat]["turn_count"] += not refused
        self.state.game_info[seat]["invalid_move"] |= refused
        return self.state.step()

    def _show(self, message: str) -> None:
        """Show the seat that is asked a message, or end the game."""
        if self._table.over:
            players = self._table.game.num_players
            shares = enumerate(self._table.win_shares())
            self.state.rewards = {s: float(zero_sum_win(share, players)) for s, share in shares}
            self.state.done = True
            return
        self.state.current_player_id = seat = self._table.seat
        self.state.add_observation(message, ta.ObservationType.GAME_BOARD, to_id=seat)


if "Cacao-v0" not in ENV_REGISTRY:
    register("Cacao-v0", CacaoEnv, [ta.wrappers.GameBoardObservationWrapper])
