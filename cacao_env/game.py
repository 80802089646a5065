"""``Game``: one game, for people, bots and search."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import actions, decisions, notation, scoring
from .geometry import DEFAULT_TABLE, MAX_TABLE, MIN_TABLE
from .jit import njit
from .observation import observe_into, observation_size
from .rng import RngArray, new_rng
from .state import (
    OVER,
    PHASE_NAMES,
    StateArray,
    deal,
    empty_states,
    redeal,
    set_options,
    set_up,
)
from .tiles import (
    JUNGLE_KINDS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    WORKER_KINDS,
    jungle_supply,
    worker_supply,
)

Decisions = Literal["auto", "explicit"]
DECISIONS: tuple[Decisions, ...] = ("auto", "explicit")


# Each takes the array a game lives in, not its element: that is what Numba is called with fastest.
@njit
def _play(states, action):
    """Carry an action out if it is legal; returns why not, or LEGAL."""
    code = actions.refusal(states[0], action)
    if code == actions.LEGAL:
        decisions.step(states[0], action)
    return code


@njit
def _copy(target, source):
    target[0] = source[0]


@njit
def _legal(states, ids):
    return actions.legal_into(states[0], ids)


@njit
def _mask(states, mask):
    actions.mask_into(states[0], mask)


@njit
def _observe(states, viewer, out, scores):
    observe_into(states[0], viewer, out, scores)


@njit
def _deal(states, rng):
    deal(states[0], rng)


@njit
def _redeal(states, viewer, rng):
    redeal(states[0], viewer, rng)


@njit
def _set_up(states):
    set_up(states[0])


@njit
def _scores(states, out):
    scoring.scores_into(states[0], out)


@njit
def _winners(states, scores, out):
    return scoring.winners_into(states[0], scores, out)


def check_options(
    num_players: int, decisions_mode: str, table_size: int | None
) -> tuple[int, bool, int]:
    """Validated (num_players, auto, table_size); ValueError names the option that is wrong."""
    if num_players not in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        raise ValueError(f"num_players is {num_players!r}, expected 2, 3 or 4")
    if decisions_mode not in DECISIONS:
        raise ValueError(f"decisions is {decisions_mode!r}, expected 'auto' or 'explicit'")
    if table_size is None:
        table_size = DEFAULT_TABLE[num_players]
    if table_size not in range(MIN_TABLE, MAX_TABLE + 1):
        raise ValueError(f"table_size is {table_size!r}, expected {MIN_TABLE} to {MAX_TABLE}")
    return num_players, decisions_mode == "auto", table_size


class Game:
    """One game of Cacao.

    Make one with :meth:`new` or :meth:`from_draws`.  Seats are 0 to ``num_players - 1`` in playing
    order; actions are ids of one ``Discrete(num_actions)`` (see :mod:`cacao_env.actions`).
    ``state`` is the record itself (:mod:`cacao_env.state`), to be read and not written.
    """

    __slots__ = ("_states", "_history")

    def __init__(self, states: StateArray, history: list[int]) -> None:
        self._states = states
        self._history = history

    # --- Making games -----------------------------------------------------------------------

    @classmethod
    def new(
        cls,
        num_players: int = 2,
        seed: int | None = None,
        volcanoes: bool = False,
        decisions: Decisions = "auto",
        table_size: int | None = None,
    ) -> Game:
        """Deal a game.

        The same seed gives the same deal, whatever ``decisions`` and ``table_size``; without one
        the deal is drawn anew.  ``table_size`` is the side of the square window that actions and
        observations speak of; the default shows every legal placement of every game.  Raises
        ValueError for an option out of range.
        """
        game = cls._blank(num_players, volcanoes, decisions, table_size)
        _deal(game._states, new_rng(secrets.randbits(63) if seed is None else int(seed)))
        game._settle()
        return game

    @classmethod
    def from_draws(
        cls,
        worker_draws: Sequence[Sequence[str]],
        jungle_draws: Sequence[str],
        volcanoes: bool = False,
        decisions: Decisions = "auto",
        table_size: int | None = None,
    ) -> Game:
        """A game with given drawing orders, in kinds as a game record names them.

        Raises ValueError when they are not the supply of the box (rules 1, 7).
        """
        players = len(worker_draws)
        game = cls._blank(players, volcanoes, decisions, table_size)
        state = game.state
        for seat, draws in enumerate(worker_draws):
            _check_supply(f"worker_draws of player {seat}", draws, WORKER_KINDS, worker_supply(players))
            kinds = [WORKER_KINDS.index(kind) for kind in draws]
            state.worker_draws[seat, : len(kinds)] = kinds
        _check_supply("jungle_draws", jungle_draws, JUNGLE_KINDS, jungle_supply(players, volcanoes))
        codes = [JUNGLE_KINDS.index(kind) + 1 for kind in jungle_draws]
        state.jungle_draws[: len(codes)] = codes
        _set_up(game._states)
        game._settle()
        return game

    @classmethod
    def _blank(
        cls, num_players: int, volcanoes: bool, decisions_mode: str, table_size: int | None
    ) -> Game:
        players, auto, size = check_options(num_players, decisions_mode, table_size)
        states = empty_states(1)
        set_options(states[0], players, int(bool(volcanoes)), int(auto), size)
        return cls(states, [])

    def _settle(self) -> None:
        if self.state.auto:
            decisions.settle(self.state)

    # --- What is there ----------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The record of this game (np.record of ``STATE``)."""
        return self._states[0]

    @property
    def states(self) -> StateArray:
        """The array, shape (1,), that the record lives in: what compiled functions take."""
        return self._states

    def note(self, action: int) -> None:
        """Add to the history an action that was carried out on ``states`` directly."""
        self._history.append(action)

    @property
    def num_players(self) -> int:
        """2, 3 or 4."""
        return int(self.state.num_players)

    @property
    def volcanoes(self) -> bool:
        """Whether volcanoes stand in for the gold mines."""
        return bool(self.state.volcanoes)

    @property
    def decisions(self) -> Decisions:
        """``"auto"`` or ``"explicit"``."""
        return "auto" if self.state.auto else "explicit"

    @property
    def table_size(self) -> int:
        """Side of the window."""
        return int(self.state.table_size)

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return int(actions.num_actions(self.table_size))

    @property
    def seat(self) -> int | None:
        """Who decides now; None when the game is over."""
        return None if self.over else int(self.state.seat)

    @property
    def active(self) -> int | None:
        """Whose turn it is; None when the game is over."""
        return None if self.over else self.turn % self.num_players

    @property
    def phase(self) -> str:
        """``"place"``, ``"fill"``, ``"act"`` or ``"over"``."""
        return PHASE_NAMES[int(self.state.phase)]

    @property
    def turn(self) -> int:
        """Finished turns."""
        return int(self.state.turn)

    @property
    def ply(self) -> int:
        """Decisions made so far."""
        return len(self._history)

    @property
    def over(self) -> bool:
        """Whether the last turn is finished."""
        return bool(self.state.phase == OVER)

    @property
    def history(self) -> tuple[int, ...]:
        """The actions played so far."""
        return tuple(self._history)

    @property
    def draws(self) -> tuple[list[list[str]], list[str]]:
        """(worker_draws, jungle_draws) in the words of a game record.  Hidden from the players."""
        state = self.state
        workers = [
            [WORKER_KINDS[int(kind)] for kind in state.worker_draws[seat, : int(state.tiles_each)]]
            for seat in range(self.num_players)
        ]
        return workers, [JUNGLE_KINDS[int(c) - 1] for c in state.jungle_draws[: int(state.num_jungle)]]

    # --- Playing ----------------------------------------------------------------------------

    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Ids of the legal actions, each once, ascending; empty when the game is over."""
        ids = np.empty(actions.MAX_LEGAL, np.int64)
        return np.sort(ids[: _legal(self._states, ids)])

    def action_mask(self) -> npt.NDArray[np.int8]:
        """1 for each legal action, int8, shape (num_actions,)."""
        mask = np.empty(self.num_actions, np.int8)
        _mask(self._states, mask)
        return mask

    def play(self, action: int) -> None:
        """Carry out an action; ValueError says what is wrong with an illegal one, nothing changes."""
        try:
            number = int(action.__index__())
        except AttributeError:
            raise ValueError(f"action is {action!r}, expected an integer id") from None
        code = _play(self._states, number)
        if code != actions.LEGAL:
            raise ValueError(self.complaint(number, code))
        self.note(number)

    def complaint(self, action: int, code: int | None = None) -> str:
        """One sentence on why an illegal action is refused now."""
        if code is None:
            code = int(actions.refusal(self.state, action))
        try:
            meaning = f" ({self.text(action)})"
        except ValueError:
            meaning = ""
        return f"illegal action {action}{meaning}: {notation.reason(self.state, code)}"

    def undo(self) -> None:
        """Take the last action back; ValueError when there is none."""
        if not self._history:
            raise ValueError("there is no action to undo")
        history = self._history[:-1]
        _set_up(self._states)
        self._settle()
        self._history = []
        for action in history:
            self.play(action)

    def clone(self) -> Game:
        """An independent copy."""
        states = np.empty(1, self._states.dtype)
        _copy(states, self._states)
        return Game(states, self._history.copy())

    def determinise(self, seat: int, rng: np.random.Generator | int) -> Game:
        """A copy in which all that ``seat`` can't see is dealt anew, and all it can see is kept.

        ``rng`` is a NumPy generator, or a seed.
        """
        game = self.clone()
        bits = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else int(rng)
        game.redeal(seat, new_rng(bits))
        return game

    def redeal(self, seat: int, rng: RngArray) -> None:
        """The same in place, with a generator of :mod:`cacao_env.rng`."""
        if seat not in range(self.num_players):
            raise ValueError(f"seat is {seat!r}, expected 0 to {self.num_players - 1}")
        _redeal(self._states, seat, rng)

    def seen_by(self, seat: int, rng: RngArray) -> StateArray:
        """A copy of the state as an array, shape (1,), with all that ``seat`` can't see dealt anew."""
        states = np.empty(1, self._states.dtype)
        _copy(states, self._states)
        _redeal(states, seat, rng)
        return states

    # --- Looking ----------------------------------------------------------------------------

    def observation(self, seat: int) -> npt.NDArray[np.uint8]:
        """What a seat sees, raw (see :mod:`cacao_env.observation`), shape (observation_size,)."""
        out = np.empty(observation_size(self.num_players, self.table_size), np.uint8)
        _observe(self._states, seat, out, np.empty(MAX_PLAYERS, np.int64))
        return out

    def scores(self) -> list[int]:
        """Score of each seat if the game ended now; the final scores once it is over."""
        out = np.zeros(MAX_PLAYERS, np.int64)
        _scores(self._states, out)
        return [int(score) for score in out[: self.num_players]]

    def winners(self) -> list[int]:
        """All seats that share the win; empty while the game goes on."""
        return self.leaders() if self.over else []

    def leaders(self) -> list[int]:
        """Who would share the win if the game ended now."""
        scores, out = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS, np.int64)
        _scores(self._states, scores)
        _winners(self._states, scores, out)
        return [seat for seat in range(self.num_players) if out[seat]]

    # --- Words ------------------------------------------------------------------------------

    def move(self, action: int) -> notation.Move:
        """What an action means now, as a move of a game record."""
        return notation.to_move(self.state, int(action))

    def action(self, move: notation.Move | str) -> int:
        """The id of a legal move, given as a move or in words; ValueError says what is wrong."""
        if isinstance(move, str):
            move = notation.from_text(move)
        return notation.to_action(self.state, move)

    def text(self, action: int) -> str:
        """An action in words."""
        return notation.to_text(self.move(action))

    def legal_moves(self) -> list[notation.Move]:
        """All legal moves of the decision to make now."""
        return notation.to_moves(self.state, self.legal_actions().tolist())

    def elementary_moves(
        self, with_legal: bool = False
    ) -> list[tuple[int, bool, notation.Move, list[notation.Move]]]:
        """Every move so far as (seat, made without asking, move, legal moves).

        The game is played again from its deal.  Legal moves are given where ``with_legal`` wants
        them and the decision was asked, else the list is empty.
        """
        game = self.clone()
        game.state.auto = 0
        _set_up(game._states)
        auto = bool(self.state.auto)
        asked = iter(self._history)
        moves = []
        while True:
            state = game.state
            forced = int(decisions.automatic(state)) if auto else decisions.NONE
            action = next(asked, None) if forced == decisions.NONE else forced
            if action is None or state.phase == OVER:
                return moves
            was_asked = forced == decisions.NONE
            legal = game.legal_moves() if was_asked and with_legal else []
            moves.append((int(state.seat), not was_asked, game.move(action), legal))
            actions.carry_out(state, action)

    # --- Keeping ----------------------------------------------------------------------------

    def to_json(self) -> str:
        """The game as JSON: options, drawing orders, actions.  Contains what is hidden."""
        workers, jungle = self.draws
        return json.dumps(
            {
                "format": "cacao-game",
                "version": 1,
                "volcanoes": self.volcanoes,
                "decisions": self.decisions,
                "table_size": self.table_size,
                "worker_draws": workers,
                "jungle_draws": jungle,
                "actions": self._history,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Game:
        """The game that ``to_json`` wrote; ValueError for anything else."""
        try:
            data = json.loads(text)
            if data["format"] != "cacao-game" or data["version"] != 1:
                raise ValueError("not a game of format cacao-game, version 1")
            game = cls.from_draws(
                data["worker_draws"],
                data["jungle_draws"],
                data["volcanoes"],
                data["decisions"],
                data["table_size"],
            )
            game._replay(data["actions"])
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            raise ValueError(f"not a saved game: {error!r}") from None
        return game

    def _replay(self, history: Iterable[int]) -> None:
        for number, action in enumerate(history):
            try:
                self.play(action)
            except ValueError as error:
                raise ValueError(f"action number {number}: {error}") from None

    def __copy__(self) -> Game:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._states.tobytes(), tuple(self._history))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        same: bool = self._states.tobytes() == other._states.tobytes()
        return same and self._history == other._history

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        from .render.text import picture  # the picture is drawn from a Game: it comes after it

        return picture(self)

    def __repr__(self) -> str:
        return f"<Game: {self.num_players} players, turn {self.turn}, {self.phase}, ply {self.ply}>"


def _restore(data: bytes, history: tuple[int, ...]) -> Game:
    """Unpickle a game."""
    states = empty_states(1)
    states.view(np.uint8)[:] = np.frombuffer(data, np.uint8)
    return Game(states, list(history))


def _check_supply(
    name: str, draws: Sequence[str], kinds: Sequence[str], supply: Sequence[int]
) -> None:
    """ValueError unless ``draws`` has exactly the supply's copies of each kind."""
    unknown = [kind for kind in draws if kind not in kinds]
    if unknown:
        raise ValueError(f"{name} has {unknown[0]!r}, which is not a kind of tile")
    for kind, copies in zip(kinds, supply, strict=True):
        if list(draws).count(kind) != copies:
            raise ValueError(f"{name} has {list(draws).count(kind)} of {kind}, expected {copies}")
