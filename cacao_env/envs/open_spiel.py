"""Cacao as a game of OpenSpiel: importing this module registers ``python_cacao``.

    import pyspiel, cacao_env.envs.open_spiel
    game = pyspiel.load_game("python_cacao(players=3)")

Chance nodes draw tiles at the moment when the game draws them: one node for each tile, with the kinds
left in that pile as its outcomes.  The engine deals all piles at the start.  This module replaces its
deal, before anything shows it, by the outcomes of the chance nodes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyspiel

from ..engine.observation import scale
from ..engine.options import Options
from ..engine.rng import RngArray, new_rng
from ..engine.scoring import zero_sum_win
from ..engine.state import set_up
from ..engine.tiles import (
    JUNGLE_DRAWS,
    JUNGLE_KINDS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    TILES_EACH,
    WORKER_KINDS,
)
from ..game import Game
from ..render.text import picture

NAME = "python_cacao"
JUNGLE = -1  # the jungle pile; the others are those of the seats
_MOST_DECISIONS = 20  # of a turn: a placement, fills, every edge
_GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Cacao",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MAX_PLAYERS,
    min_num_players=MIN_PLAYERS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={
        "players": 2,
        "volcanoes": False,
        "table_size": 0,  # 0: the default, which shows every legal placement
        "decisions": "auto",
    },
)


class CacaoGame(pyspiel.Game):
    """The game with its options; ``params`` as in ``python_cacao(players=3,volcanoes=True)``.

    Threads may share it.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        self.options = Options(
            num_players=given.get("players", 2),
            volcanoes=given.get("volcanoes", False),
            decisions=given.get("decisions", "auto"),
            table_size=given.get("table_size", 0) or None,
        )
        players = self.options.num_players
        self.factors = scale(players, self.options.table_size)
        self.tensor_size = self.options.observation_size
        turns = int(TILES_EACH[players]) * players
        info = pyspiel.GameInfo(
            num_distinct_actions=self.options.num_actions,
            max_chance_outcomes=len(WORKER_KINDS) + len(JUNGLE_KINDS),
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=turns * _MOST_DECISIONS,
        )
        super().__init__(_GAME_TYPE, info, given)
        self.draws = turns + int(JUNGLE_DRAWS[players, int(self.options.volcanoes)])

    def new_initial_state(self) -> CacaoState:
        """Return the state before the first tile is drawn."""
        return CacaoState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes: one for each tile drawn."""
        return self.draws

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return the observer: what a player sees, as a tensor and as a string."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self, kind, params)


class CacaoState(pyspiel.State):
    """A position; while tiles are drawn, the last action and the draws since."""

    def __init__(self, game: CacaoGame) -> None:
        super().__init__(game)
        self.game = Game.deal(game.options, seed=0)  # draws replace its deal one by one
        self.events: list[tuple[int, str]] = []  # (seat that may know it, text); -1: every seat
        self._pending: int | None = None  # the action whose draws are incomplete
        self.is_new = True  # the first tiles are being drawn
        self._drawn: Counter[int] = Counter()  # known draws of that action, by pile
        self._pile: int | None = None  # the pile of the next draw
        self._go_on(None)

    # --- OpenSpiel's interface ------------------------------------------------------------------

    def current_player(self) -> int:
        """Return the deciding player: a seat, chance, or the terminal player."""
        if self._pile is not None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.game.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def _legal_actions(self, player: int) -> list[int]:
        """Return the legal actions of the deciding player, ascending; none for others."""
        if self._pile is not None or player != self.game.seat:
            return []
        return [int(action) for action in self.game.legal_actions()]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the kinds that may be drawn now, with their probabilities."""
        assert self._pile is not None
        left = self._left(self._pile)
        kinds, counts = np.unique(left, return_counts=True)
        first = _first_outcome(self._pile) - (self._pile == JUNGLE)
        return [(first + int(k), float(n) / len(left)) for k, n in zip(kinds, counts)]

    def _apply_action(self, action: int) -> None:
        if self._pile is None:
            text = self.game.text(action)
            self._go_on(action)
            self.events.append((-1, text))
        else:
            kind = action - _first_outcome(self._pile)
            self.game = self.game.clone()  # a copy of this state may have it too
            left = self._left(self._pile)
            found = np.flatnonzero(left == kind + (self._pile == JUNGLE))
            if not len(found):
                raise ValueError(f"outcome {action} is no kind that is left in the pile")
            place = found[0]
            left[0], left[place] = left[place], left[0]
            self._drawn[self._pile] += 1
            self.events.append((self._pile, f"draws {_kind_name(self._pile, kind)}"))
            self._go_on(self._pending)

    def _action_to_string(self, player: int, action: int) -> str:
        """Return an action, or a draw, as a string."""
        if player == pyspiel.PlayerId.CHANCE:
            pile = JUNGLE if action >= len(WORKER_KINDS) else 0
            return f"draw {_kind_name(pile, action - _first_outcome(pile))}"
        try:
            return str(self.game.text(action))
        except ValueError:
            return f"action {action}"

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._pile is None and self.game.over

    def returns(self) -> list[float]:
        """Return each player's win share on a zero-sum scale; 0 before the end."""
        players = self.game.num_players
        if not self.is_terminal():
            return [0.0] * players
        return [float(zero_sum_win(share, players)) for share in self.game.win_shares()]

    def __str__(self) -> str:
        """Return the history, draws included."""
        return "; ".join(f"{who}:{what}" if who >= 0 else what for who, what in self.events)

    # --- Draws ----------------------------------------------------------------------------------

    def _known(self, pile: int) -> int:
        """Return how many draws from a pile are known."""
        return self._drawn[pile] + (0 if self.is_new else _drawn_from(self.game, pile))

    def _left(self, pile: int) -> Any:
        """Return the tiles left in a pile: worker kinds or jungle codes, a view of the deal.

        Their order means nothing yet, because each draw moves a tile to the front.
        """
        state = self.game.state
        if pile == JUNGLE:
            return state.jungle_draws[self._known(pile) : int(state.num_jungle)]
        return state.worker_draws[pile, self._known(pile) : int(state.tiles_each)]

    def _go_on(self, pending: int | None) -> None:
        """Play an action (None: the deal) as far as its draws are known.

        ValueError for an illegal action; nothing changes then.
        """
        one = self.game.clone()
        if pending is None:
            set_up(one.state)
        else:
            one.play(pending)
        piles = (JUNGLE, *range(one.num_players))
        unknown = (pile for pile in piles if _drawn_from(one, pile) > self._known(pile))
        self._pending, self._pile = pending, next(unknown, None)
        if self._pile is None:
            self.game, self._pending, self.is_new, self._drawn = one, None, False, Counter()

    # --- Search ---------------------------------------------------------------------------------

    def resampled(self, player: int, rng: RngArray) -> CacaoState:
        """Return a state that ``player`` can't tell from this one: everything hidden is dealt again.

        ValueError while tiles are drawn.
        """
        if self._pile is not None:
            raise ValueError("tiles are being drawn; call this at a decision of a player")
        seen = self.game.clone()
        seen.redeal(player, rng)
        new: CacaoState = self.get_game().new_initial_state()
        actions = iter(self.game.history)
        while new._pile is not None or new.game.ply < self.game.ply:
            pile = new._pile
            if pile is None:
                new.apply_action(next(actions))
                continue
            at, state = new._known(pile), seen.state
            value = state.jungle_draws[at] - 1 if pile == JUNGLE else state.worker_draws[pile, at]
            new.apply_action(_first_outcome(pile) + int(value))
        return new


def resampler(seed: int) -> Any:
    """Return the function that ``ISMCTSBot.set_resampler`` takes."""
    rng = new_rng(seed)
    return lambda state, player: state.resampled(player, rng)


def _first_outcome(pile: int) -> int:
    """Return the chance outcome of a pile's kind 0."""
    return len(WORKER_KINDS) if pile == JUNGLE else 0


def _kind_name(pile: int, kind: int) -> str:
    return JUNGLE_KINDS[kind] if pile == JUNGLE else WORKER_KINDS[kind]


def _drawn_from(game: Game, pile: int) -> int:
    return int(game.state.jungle_drawn if pile == JUNGLE else game.state.drawn[pile])


class Observer:
    """A player's view: ``tensor``, float32 in [0, 1], as in :mod:`cacao_env.engine.observation`.

    For both kinds of observation the tensor has everything that matters for the rest of the game.  As a
    string, perfect recall adds the history.
    """

    def __init__(self, game: CacaoGame, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are {params}, expected none")
        self._factors = game.factors
        self._recall = bool(kind.perfect_recall)
        self.tensor = np.zeros(game.tensor_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: CacaoState, player: int) -> None:
        """Write what a player sees into ``tensor``, while tiles are drawn as it was before."""
        if state.is_new:  # nothing is drawn yet
            self.tensor[:] = 0
            return
        np.multiply(state.game.observation(player), self._factors, out=self.tensor)

    def string_from(self, state: CacaoState, player: int) -> str:
        """Return what a player sees, as a string."""
        if not self._recall:
            if state.is_new:
                return ""
            return picture(state.game, player)
        own = [what for who, what in state.events if who in (-1, JUNGLE, player)]
        return f"player {player}: {'; '.join(own)}"


pyspiel.register_game(_GAME_TYPE, CacaoGame)
