"""The engine behind the interface of the reference rules, so that one test drives both."""

from __future__ import annotations

from typing import Any

import numpy as np

from cacao_env import Game
from cacao_env.engine.geometry import NEIGHBOR, opposite
from cacao_env.engine.notation import absolute
from cacao_env.engine.state import (
    ACT,
    FILL,
    OVERBUILT,
    OWNER,
    VARIANT,
    pending_cell,
    pending_workers,
)
from cacao_env.engine.tiles import (
    JUNGLE_KINDS,
    VARIANTS,
    VOLCANO,
    VOLCANO_TURNED,
    WATER_TRACK,
    WORKER_KINDS,
)
from cacao_env.record import result_of


class EngineTable:
    """A :class:`cacao_env.Game` that speaks moves and positions instead of ids and records."""

    def __init__(
        self,
        num_players: int,
        volcanoes: bool,
        worker_draws: list[list[str]],
        jungle_draws: list[str],
    ) -> None:
        if len(worker_draws) != num_players:
            raise ValueError("one list of worker_draws a player")
        given = {"volcanoes": volcanoes, "decisions": "explicit"}
        self.game = Game.from_draws(worker_draws, jungle_draws, **given)

    @classmethod
    def of(cls, game: Game) -> EngineTable:
        table = object.__new__(cls)
        table.game = game
        return table

    @property
    def player(self) -> int | None:
        return self.game.seat

    def __getattr__(self, name: str) -> Any:
        """``phase``, ``turn`` and ``legal_moves`` are the game's."""
        return getattr(self.game, name)

    def play(self, move: tuple[Any, ...]) -> None:
        self.game.play(self.game.action(move))

    def position(self) -> dict[str, Any]:
        game, state = self.game, self.game.state
        workers, jungle = game.draws
        players, hands = range(game.num_players), state.hand[: game.num_players]
        return {
            "player": game.seat,
            "phase": game.phase,
            "turn": game.turn,
            "workers": dict(self._worker_tile(i) for i in range(int(state.worker_count))),
            "jungle": dict(self._jungle_tile(i) for i in range(int(state.jungle_count))),
            "hands": [sorted(np.repeat(WORKER_KINDS, hand).tolist()) for hand in hands],
            "piles": [workers[seat][int(state.drawn[seat]) :] for seat in players],
            "display": sorted(JUNGLE_KINDS[int(c) - 1] for c in state.display if c > 0),
            "jungle_pile": jungle[int(state.jungle_drawn) :],
            "gold": [int(state.gold[seat]) for seat in players],
            "cacao": [int(state.cacao[seat]) for seat in players],
            "sun": [int(state.sun[seat]) for seat in players],
            "water": [int(WATER_TRACK[state.water[seat]]) for seat in players],
            "to_fill": sorted(
                absolute(state, int(NEIGHBOR[state.last, side]))
                for side in range(4)
                if state.phase == FILL and (int(state.to_fill) >> side) & 1
            ),
            "pending": sorted(self._pending()),
        }

    def _worker_tile(self, i: int) -> tuple[Any, Any]:
        state = self.game.state
        cell = int(state.worker_cells[i])
        code = int(state.board[cell])
        assert (code >= OVERBUILT) == (state.under[i] > 0)
        under = VARIANTS[int(state.under[i]) - 1] if state.under[i] else None
        return absolute(state, cell), (int(OWNER[code]), *VARIANTS[int(VARIANT[code])], under)

    def _jungle_tile(self, i: int) -> tuple[Any, Any]:
        state = self.game.state
        cell = int(state.jungle_cells[i])
        code = int(state.board[cell])
        turned = code == VOLCANO_TURNED
        kind = JUNGLE_KINDS[(VOLCANO if turned else code) - 1]
        return absolute(state, cell), (kind, int(turned))

    def _pending(self) -> list[tuple[Any, ...]]:
        state = self.game.state
        return [
            (
                seat,
                absolute(state, int(pending_cell(state, side, facing))),
                int(opposite(facing)),
                int(pending_workers(state, side, facing)),
            )
            for seat in range(self.game.num_players)
            for side in range(4)
            for facing in range(4)
            if state.phase == ACT and (state.pending[seat] >> (4 * side + facing)) & 1
        ]

    def scores_if_ended_now(self) -> dict[str, Any]:
        return result_of(self.game)

    def result(self) -> dict[str, Any]:
        if not self.game.over:
            raise ValueError("the game goes on")
        return result_of(self.game)
