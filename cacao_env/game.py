"""``Game``: one game, for programs, agents and search."""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from json import JSONDecodeError
from typing import Any

import numpy as np
import numpy.typing as npt

from .checks import as_seat, as_seed, check_choice, check_type, in_short, keywords_of
from .engine import notation
from .engine.actions import LEGAL, MAX_LEGAL, apply, legal_into, mask_into, num_actions, why_illegal
from .engine.decisions import NONE
from .engine.jit import njit
from .engine.observation import (
    OBSERVATION_DTYPES,
    MaskIn,
    ObservationDtype,
    observation_size,
    observe_as,
)
from .engine.options import ASKED, Decisions, Options, check_supply
from .engine.rng import RngArray, as_rng, new_rng
from .engine.scoring import scores_into, win_shares_into
from .engine.state import EXPLICIT, OVER, PHASE_NAMES, StateArray, deal, redeal, set_up
from .engine.tiles import JUNGLE_KINDS, MAX_PLAYERS, WORKER_KINDS, jungle_supply, worker_supply
from .engine.types import b1, f4x1, f8x1, i1x1, i8, i8x1, u1x1
from .greedy.candidates import ObservationForm, as_candidates
from .greedy.turn import step_turn, unasked
from .render.text import picture
from .views import Form, look

# Added in a history to an action that was played while every elementary decision was asked.
ELEMENTARY = 1 << 13
LATE = "elementary actions are a history's first ones"
MAX_TEXT = 1_000_000  # characters of a game as text; a real one has some thousands
_RULES = ("volcanoes", "decisions", "table_size")  # in that text, beside the number of players


def is_elementary(noted: Any) -> bool:
    """Return whether an action of a history was played while every decision was asked."""
    return bool(ELEMENTARY <= noted < 2 * ELEMENTARY)


# Compiled entry points for frequent calls.  They take the array of a game, shape (1,), the fastest
# argument for Numba; rarer calls pass the record itself.


@njit
def try_action(states: StateArray, action: i8) -> i8:
    """Play an action if it is legal; return why it is not, or LEGAL."""
    code = why_illegal(states[0], action)
    if code == LEGAL:
        step_turn(states[0], action)
    return code


@njit
def _legal(states: StateArray, ids: i8x1) -> i8:
    return legal_into(states[0], ids)


@njit
def _mask(states: StateArray, out: i1x1) -> None:
    mask_into(states[0], out)


@njit
def _observe(states: StateArray, viewer: i8, scaled: b1, out: u1x1 | f4x1) -> None:
    observe_as(states[0], viewer, scaled, out)


@njit
def _result(states: StateArray, scores: i8x1, win_shares: f8x1) -> None:
    scores_into(states[0], scores)
    win_shares_into(states[0], scores, win_shares)


@njit
def _copy(target: StateArray, source: StateArray) -> None:
    target[0] = source[0]


@njit
def _redeal(states: StateArray, viewer: i8, rng: RngArray) -> None:
    redeal(states[0], viewer, rng)


class Game:
    """One game of Cacao.

    Create one with :meth:`new`, :meth:`deal` or :meth:`from_draws`.  Seats are 0 to ``num_players - 1``
    in playing order; actions are ids of one ``Discrete(num_actions)`` (see
    :mod:`cacao_env.engine.actions`).  ``state`` is the record itself (:mod:`cacao_env.engine.state`),
    which you may read but not write.
    """

    __slots__ = ("_history", "_states")

    def __init__(self, states: StateArray, history: list[int]) -> None:
        self._states = states
        self._history = history

    @classmethod
    @keywords_of(Options)
    def new(cls, num_players: int = 2, seed: int | None = None, **options: Any) -> Game:
        """Deal a game; ``options`` are the other fields of :class:`Options`.

        The same seed gives the same deal for any ``decisions`` and ``table_size``; without a seed
        the deal is random.  ValueError for an option out of range.
        """
        return cls.deal(Options.of(None, {"num_players": num_players} | options), seed)

    @classmethod
    def deal(cls, options: Options, seed: int | None = None) -> Game:
        """Deal a game with these options."""
        check_type("options", options, Options, "an Options")
        game = cls(options.blank_states(), [])
        deal(game.state, new_rng(secrets.randbits(63) if seed is None else as_seed(seed)))
        return game

    @classmethod
    @keywords_of(Options, without=("num_players",))
    def from_draws(
        cls, worker_draws: Sequence[Sequence[str]], jungle_draws: Sequence[str], **options: Any
    ) -> Game:
        """Make a game with given drawing orders, in kinds as a game record names them.

        ``options`` are the fields of :class:`Options` except ``num_players``.  ValueError when the
        draws are not the supply of the box (rules 1, 7).
        """
        check_type("worker_draws", worker_draws, (Sequence, np.ndarray), "one list a player")
        chosen = Options.of(None, {"num_players": len(worker_draws)} | options)
        players = chosen.num_players
        game = cls(chosen.blank_states(), [])
        state = game.state
        for seat, draws in enumerate(worker_draws):
            check_supply(
                f"worker_draws of player {seat}", draws, WORKER_KINDS, worker_supply(players)
            )
            kinds = [WORKER_KINDS.index(kind) for kind in draws]
            state.worker_draws[seat, : len(kinds)] = kinds
        supply = jungle_supply(players, chosen.volcanoes)
        check_supply("jungle_draws", jungle_draws, JUNGLE_KINDS, supply)
        codes = [JUNGLE_KINDS.index(kind) + 1 for kind in jungle_draws]
        state.jungle_draws[: len(codes)] = codes
        set_up(state)
        return game

    @property
    def state(self) -> Any:
        """The record of this game (a record of ``STATE``)."""
        return self._states[0]

    @property
    def states(self) -> StateArray:
        """The array, shape (1,), that holds the record; compiled functions take it."""
        return self._states

    def note(self, action: int) -> None:
        """Add an action to the history that was applied to ``states`` directly."""
        self._history.append(action)

    def _number(self, field: str) -> int:
        """Return a field of the record, ten times faster than as an attribute of ``state``."""
        return int(self._states[field][0])

    @property
    def options(self) -> Options:
        """The options that the game was dealt with."""
        return Options.of_state(self.state)

    @property
    def num_players(self) -> int:
        """2, 3 or 4."""
        return self._number("num_players")

    @property
    def volcanoes(self) -> bool:
        """Whether volcanoes replace the gold mines."""
        return bool(self._number("volcanoes"))

    @property
    def decisions(self) -> Decisions:
        """``"auto"``, ``"explicit"`` or ``"turn"``."""
        return ASKED[self._number("decisions")]

    @property
    def table_size(self) -> int:
        """Side of the window."""
        return self._number("table_size")

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return int(num_actions(self.table_size))

    @property
    def seat(self) -> int | None:
        """The deciding seat; None when the game is over."""
        return None if self.over else self._number("seat")

    @property
    def active(self) -> int | None:
        """The seat whose turn it is; None when the game is over."""
        return None if self.over else self._number("active")

    @property
    def phase(self) -> str:
        """``"place"``, ``"fill"``, ``"act"`` or ``"over"``."""
        return PHASE_NAMES[self._number("phase")]

    @property
    def turn(self) -> int:
        """Finished turns."""
        return self._number("turn")

    @property
    def ply(self) -> int:
        """Decisions made so far."""
        return len(self._history)

    @property
    def over(self) -> bool:
        """Whether the last turn is finished."""
        return self._number("phase") == OVER

    @property
    def history(self) -> tuple[int, ...]:
        """The actions played so far; those before ``with_options`` are elementary, plus ELEMENTARY."""
        return tuple(self._history)

    @property
    def draws(self) -> tuple[list[list[str]], list[str]]:
        """(worker_draws, jungle_draws) as in a game record; players must not see them."""
        state = self.state
        seats = state.worker_draws[: self.num_players, : int(state.tiles_each)]
        workers = [[WORKER_KINDS[kind] for kind in draws] for draws in seats.tolist()]
        codes = state.jungle_draws[: int(state.num_jungle)].tolist()
        return workers, [JUNGLE_KINDS[code - 1] for code in codes]

    # --- Playing ----------------------------------------------------------------------------

    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Return the ids of the legal actions, each once, ascending; empty when the game is over."""
        ids = np.empty(MAX_LEGAL, np.int64)
        return np.sort(ids[: _legal(self._states, ids)])

    def action_mask(self) -> npt.NDArray[np.int8]:
        """Return 1 for each legal action and 0 for others, int8, shape (num_actions,)."""
        mask = np.empty(self.num_actions, np.int8)
        _mask(self._states, mask)
        return mask

    def play(self, action: int) -> None:
        """Play an action; if it is illegal, ValueError explains why and nothing changes."""
        number = notation.as_action(action)
        code = try_action(self._states, number)
        if code != LEGAL:
            raise ValueError(self.why_illegal(number, code))
        self.note(number)

    def why_illegal(self, action: int, code: int | None = None) -> str:
        """Return one sentence that explains why an action is illegal now."""
        if code is None:
            action = notation.as_action(action)
            code = int(why_illegal(self.state, action))
        try:
            meaning = f" ({self.text(action)})"
        except ValueError:
            meaning = ""
        return f"illegal action {action}{meaning}: {notation.reason(self.state, code)}"

    def undo(self) -> None:
        """Take back the last action; ValueError when there is none."""
        if not self._history:
            raise ValueError("there is no action to undo")
        history = self._history
        before = after = [move for *_, move in self.elementary_moves()]
        # After `with_options` other moves than those taken back may be played unasked.
        while len(after) == len(before) or after != before[: len(after)]:
            history, self._history = history[:-1], []
            set_up(self.state)
            self.replay(history)
            after = [move for *_, move in self.elementary_moves()]

    def replay(self, history: Sequence[int]) -> None:
        """Play the actions of a ``history``; ValueError names the first that is illegal."""
        state, own = self.state, self.state.decisions
        for number, noted in enumerate(history):
            elementary = isinstance(noted, int) and is_elementary(noted)
            if elementary and self._history and not is_elementary(self._history[-1]):
                raise ValueError(f"action number {self.ply}: {LATE}")
            if elementary:
                state.decisions = EXPLICIT
            try:
                self.play(noted - ELEMENTARY if elementary else noted)
            except ValueError as error:
                raise ValueError(f"action number {self.ply}: {error}") from None
            finally:
                if elementary:
                    state.decisions = own
            if elementary:
                self._history[-1] = noted
                if number + 1 == len(history) or not is_elementary(history[number + 1]):
                    self._play_unasked()

    def _play_unasked(self) -> None:
        """Play all moves that are not asked, after elementary ones."""
        while (action := unasked(self.state, int(self.state.decisions))) != NONE:
            apply(self.state, action)

    def with_options(
        self, decisions: Decisions | None = None, table_size: int | None = None
    ) -> Game:
        """Return a copy that goes on with other decisions or another window; None for the game's own.

        It begins with the next decision that these options ask.  The moves so far count as asked:
        ``ply`` counts all of them, and a record marks none as automatic.  ValueError if the window is
        too small for the table, or would have hidden a move.
        """
        asked: dict[str, Any] = {"decisions": decisions, "table_size": table_size}
        own = self.options
        other = replace(own, **{name: x for name, x in asked.items() if x is not None})
        if other == own:
            return self.clone()
        game = Game.from_draws(*self.draws, **{name: getattr(other, name) for name in _RULES})
        game.state.decisions = EXPLICIT
        try:
            for _, _, move in self.elementary_moves():
                game.play(game.action(move))
        except ValueError:
            raise ValueError(
                f"the table does not fit a window of size {game.table_size}, or the window would have "
                "hidden a move"
            ) from None
        if other.decisions != "explicit":
            game._history = [action + ELEMENTARY for action in game.history]
            game.state.decisions = ASKED.index(other.decisions)
            game._play_unasked()
        return game

    def plies(self) -> Iterator[tuple[Game, int]]:
        """Yield a copy of each position in which an action was chosen, and that action.

        Of a game that went on with other options these are all its moves.
        """
        game = self.plain()
        again = Game(game.clone().states, [])
        set_up(again.state)
        for action in game.history:
            yield again.clone(), action
            again.play(action)

    def plain(self) -> Game:
        """Return a game with the same moves whose history can be played from the deal on.

        That is the game itself, or if it goes on after ``with_options``, one that asks everything.
        """
        return self.with_options("explicit") if any(map(is_elementary, self._history)) else self

    def clone(self) -> Game:
        """Return an independent copy."""
        states = np.zeros(1, self._states.dtype)  # with padding: games are compared as bytes
        _copy(states, self._states)
        return Game(states, self._history.copy())

    def determinise(self, seat: int, rng: np.random.Generator | RngArray | int) -> Game:
        """Copy the game and deal everything hidden from ``seat`` again; everything it can see stays.

        ``rng`` is a NumPy generator, one of :mod:`cacao_env.engine.rng`, or a seed.
        """
        game = self.clone()
        game.redeal(seat, rng)
        return game

    def redeal(self, seat: int, rng: np.random.Generator | RngArray | int) -> None:
        """Deal everything hidden from ``seat`` again, in place; ``rng`` as for ``determinise``."""
        _redeal(self._states, as_seat(seat, self.num_players), as_rng(rng))

    # --- Observations and results -------------------------------------------------------------

    def observation(
        self,
        seat: int | None = None,
        observation: ObservationForm = "flat",
        observation_dtype: ObservationDtype | None = None,
        mask_in: MaskIn = "info",
        table_size: int | None = None,
    ) -> Any:
        """Return what a seat sees, as an environment with these options shows it.

        :mod:`cacao_env.views` explains the options.  ``seat``: None for the deciding one.
        ``observation_dtype``: by default raw numbers, uint8, but
        float32 for rows.  ``table_size``: that of the environment, None for the game's own.  By default
        the result is the flat vector, uint8 (observation_size,).
        """
        if seat is None and (seat := self.seat) is None:
            raise ValueError("the game is over, so seat must be given: no seat decides")
        seat = as_seat(seat, self.num_players)
        dtype = observation_dtype or "uint8"
        if observation == "flat" and mask_in == "info" and table_size in (None, self.table_size):
            check_choice("observation_dtype", dtype, OBSERVATION_DTYPES)
            out = np.empty(observation_size(self.num_players, self.table_size), np.dtype(dtype))
            _observe(self._states, seat, dtype == "float32", out)
            return out
        if as_candidates(observation) is not None:
            dtype = observation_dtype or "float32"
        size = self.table_size if table_size is None else table_size
        options = Options(self.num_players, self.volcanoes, self.decisions, size)
        return look(self, Form(options, observation, dtype, mask_in), seat).observation

    def scores(self) -> list[int]:
        """Return the scores if the game ended now; the final scores once it is over."""
        return self._result()[0]

    def win_shares(self) -> list[float]:
        """Return every seat's win share if the game ended now; the final shares once it is over."""
        return self._result()[1]

    def _result(self) -> tuple[list[int], list[float]]:
        scores, win_shares = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS)
        _result(self._states, scores, win_shares)
        players = self.num_players
        return scores[:players].tolist(), win_shares[:players].tolist()

    def leaders(self) -> list[int]:
        """Return the seats that would share the win if the game ended now."""
        return [seat for seat, share in enumerate(self.win_shares()) if share > 0]

    def winners(self) -> list[int]:
        """Return the seats that share the win; empty until the game is over."""
        return self.leaders() if self.over else []

    # --- Words ------------------------------------------------------------------------------

    def move(self, action: int) -> notation.Move:
        """Return what an action means now, as a move of a game record."""
        return notation.to_move(self.state, notation.as_action(action))

    def action(self, move: notation.Move | str) -> int:
        """Return the id of a legal move, given as a move or a text; ValueError says what is wrong."""
        if isinstance(move, str):
            move = notation.from_text(move)
        return notation.to_action(self.state, move)

    def text(self, action: int) -> str:
        """Return an action as text."""
        return notation.to_text(self.move(action))

    def legal_moves(self) -> list[notation.Move]:
        """Return all legal moves of the decision to make now."""
        return notation.to_moves(self.state, self.legal_actions().tolist())

    def elementary_moves(self) -> list[tuple[int, bool, notation.Move]]:
        """Replay the game and return every move so far as (seat, played without asking, move)."""
        game, decisions = self.clone(), self.state.decisions
        game.state.decisions = EXPLICIT
        set_up(game.state)
        asked = deque(self._history)
        moves: list[tuple[int, bool, notation.Move]] = []
        while True:
            state, played = game.state, NONE
            if not asked or not is_elementary(asked[0]):
                played = unasked(state, decisions)
            if state.phase == OVER or (played == NONE and not asked):
                return moves
            action = asked.popleft() % ELEMENTARY if played == NONE else played
            moves.append((int(state.seat), played != NONE, game.move(action)))
            apply(state, action)

    # --- Serialization ----------------------------------------------------------------------

    def to_json(self) -> str:
        """Serialize the game: options, drawing orders (hidden ones too) and actions."""
        workers, jungle = self.draws
        return json.dumps(
            {
                "format": "cacao-game",
                "version": 1,
                **{name: getattr(self, name) for name in _RULES},
                "worker_draws": workers,
                "jungle_draws": jungle,
                "actions": self._history,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Game:
        """Restore the game that ``to_json`` wrote; ValueError for anything else."""
        if not isinstance(text, str | bytes):
            raise ValueError(f"not a saved game: {in_short(text)} is not text")
        if len(text) > MAX_TEXT:
            raise ValueError(f"not a saved game: it is longer than {MAX_TEXT:,} characters")
        try:
            data = json.loads(text)
            if data["format"] != "cacao-game" or data["version"] is True or data["version"] != 1:
                raise ValueError("not a game of format cacao-game, version 1")
            game = cls.from_draws(
                data["worker_draws"],
                data["jungle_draws"],
                **{name: data[name] for name in _RULES},
            )
            check_type("actions", data["actions"], list, "a list")
            game.replay(data["actions"])
        except (KeyError, TypeError, AttributeError, RecursionError, JSONDecodeError) as error:
            raise ValueError(f"not a saved game: {error!r}"[:300]) from None
        except ValueError as error:
            raise ValueError(str(error)[:300]) from None  # values in it may be of any length
        return game

    def __copy__(self) -> Game:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return Game.from_json, (self.to_json(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        same: bool = self._states.tobytes() == other._states.tobytes()
        return same and self._history == other._history

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return picture(self)

    def __repr__(self) -> str:
        return f"<Game: {self.num_players} players, turn {self.turn}, {self.phase}, ply {self.ply}>"


def as_position(game: Any, options: Options) -> Game:
    """Return a copy of a game to start from, with these options; ValueError if that can't be.

    The game may ask other decisions and have another table size.
    """
    check_type("the game to start from", game, Game, "a Game")
    for name in ("num_players", "volcanoes"):
        own, wanted = getattr(game, name), getattr(options, name)
        if own != wanted:
            raise ValueError(
                f"the game to start from has {name} {own!r}, expected {wanted!r} as in the environment"
            )
    position = game.with_options(options.decisions, options.table_size)
    if position.over:
        raise ValueError(
            "the game to start from has no decision left with "
            f"decisions={options.decisions!r}, expected one or more"
        )
    return position
