"""What both batches of games share: their games as options, deals and actions.

A saved batch has no state in it.  ``restore`` and unpickling deal the saved piles and replay the saved
actions through the rules, so a file from outside leads to a position of play or to one sentence.
Whatever follows from the positions (observations, masks, potentials) is computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..checks import as_int, check_array, check_choice, check_type, owned
from ..engine.decisions import MAX_DECISIONS
from ..engine.jit import inlined
from ..engine.options import OptionFields, Options
from ..engine.rewards import REWARDS, Reward, potentials_into
from ..engine.tiles import JUNGLE_KINDS, MAX_PLAYERS, WORKER_KINDS
from ..game import Game
from ..greedy.turn import step_turn

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
_DEAL = ("worker_draws", "jungle_draws")
_OPTIONS = ("num_players", "volcanoes", "decisions", "table_size")


@inlined
def play(state, action, actions):
    """Note a legal action, and play it and all moves that are not asked.

    ``actions``: of this game.
    """
    actions[state.ply] = action
    step_turn(state, action)


def as_actions(chosen: Any, num_games: int) -> npt.NDArray[np.int64]:
    """Return integers of any type and byte order as int64 (num_games,); ValueError for others."""
    actions = np.asarray(chosen)
    if actions.shape != (num_games,) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"actions have shape {actions.shape} and type {actions.dtype}, expected "
            f"({num_games},) and integers"
        )
    too_large = actions > np.iinfo(np.int64).max if actions.dtype == np.uint64 else None
    if too_large is not None and too_large.any():  # the conversion below would change it
        game = int(np.argmax(too_large))
        raise ValueError(f"game {game}: {int(actions[game])} is not an action, expected a legal id")
    return actions.astype(np.int64, copy=False)


def as_flags(name: str, given: Any, num_games: int) -> npt.NDArray[np.bool_]:
    """Return a copy of an array of bool, (num_games,); ValueError for anything else."""
    flags = np.array(given)
    if flags.shape != (num_games,) or flags.dtype != np.bool_:
        raise ValueError(
            f"{name} has shape {flags.shape} and type {flags.dtype}, expected ({num_games},) and bool"
        )
    return flags


class Batch:
    """N games with the same options, their deals and their actions.

    ``_allocate`` makes the arrays that follow from the games.
    ``_saved`` names the attributes that ``arrays`` saves beside deals and actions.  ``_counted``, int64
    (N,), is the number of actions after which each game's potentials were computed.
    """

    _saved: ClassVar[tuple[str, ...]]
    _derived: ClassVar[tuple[str, ...]]  # attributes that ``_allocate`` makes
    interrupted = False  # a step ended in its middle: the games have to be dealt again

    def __init__(
        self, num_games: int, options: Options | None, fields: OptionFields, reward: Reward
    ) -> None:
        self._mode = check_choice("reward", reward, REWARDS)
        self.options = Options.of(options, fields)
        self.num_games = as_int("num_games", num_games, 1)
        self.num_players = self.options.num_players
        self.rngs = np.zeros(self.num_games, np.uint64)

    def _allocate(self) -> None:
        """Make the arrays of the games, and those that follow from them."""
        self.states = self.options.blank_states(self.num_games)
        self.actions = np.zeros((self.num_games, MAX_DECISIONS), np.int16)
        self._potentials = np.zeros((self.num_games, MAX_PLAYERS))
        self._counted = np.zeros(self.num_games, np.int64)

    def game(self, number: int) -> Game:
        """Return a copy of a game with its history; it contains everything hidden."""
        return self._in_place(as_int("number", number, 0, self.num_games - 1)).clone()

    def _in_place(self, number: int) -> Game:
        """Return a game that plays on in ``states``; the caller writes down its actions."""
        states = self.states[number : number + 1]
        return Game(states, self.actions[number, : int(states["ply"][0])].tolist())

    def _put(self, number: int, game: Game) -> None:
        """Replace a game by a copy of another with the same options."""
        self.states[number] = game.states[0]
        self.actions[number, : game.ply] = game.history
        self._counted[number] = game.ply  # rewards are counted from here on
        potentials_into(game.state, self._mode, self._potentials[number])

    def arrays(self) -> Arrays:
        """Save the games as arrays by name: deals, actions and the attributes in ``_saved``."""
        if not self.states["jungle_count"].all():
            raise ValueError("these games have not been dealt: call reset() before saving them")
        plies = self.states["ply"].astype(np.int64)
        return {
            **{name: getattr(self, name).copy() for name in self._saved},
            **{name: self.states[name][:1].astype(np.int64) for name in _OPTIONS},
            **{name: self.states[name].copy() for name in _DEAL},
            "actions": self.actions[:, : plies.max()].copy(),
            "plies": plies,
            "_counted": self._when_counted(),
        }

    def _when_counted(self) -> npt.NDArray[np.int64]:
        return self._counted.copy()

    def _restore(self, arrays: Mapping[str, Any], more: Mapping[str, Array]) -> None:
        """Restore what ``arrays`` saved; ValueError, and nothing changes, if it does not fit.

        ``more``: arrays like those that a subclass saved beside these.
        """
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        Batch._allocate(other)
        try:
            other._load(arrays, more)
        except ValueError as error:
            raise ValueError(f"saved games do not match: {error}") from None
        for name in (*self._saved, "states", "actions", "_potentials", "_counted"):
            getattr(self, name)[...] = getattr(other, name)

    def _load(self, arrays: Mapping[str, Any], more: Mapping[str, Array]) -> None:
        """Replay saved games; ValueError for anything that is none."""
        check_type("what was saved", arrays, Mapping, "arrays by their names")
        for name in _OPTIONS:
            own = self.states[name][:1].astype(np.int64)
            check_array(name, arrays.get(name), own)
            if arrays[name][0] != own[0]:
                raise ValueError(f"{name} differs")
        for name, like in more.items():
            check_array(name, arrays.get(name), like)
        for name in self._saved:
            check_array(name, arrays.get(name), getattr(self, name))
            setattr(self, name, np.array(arrays[name]))
        for name in _DEAL:
            check_array(name, arrays.get(name), self.states[name])
        plies, counted = (self._lengths(name, arrays.get(name)) for name in ("plies", "_counted"))
        actions: Any = arrays.get("actions")
        width = min(int(plies.max()), MAX_DECISIONS)
        check_array("actions", actions, np.zeros((self.num_games, width), np.int16))
        if (plies > MAX_DECISIONS).any() or (counted > plies).any():
            raise ValueError("a game has more actions than there are decisions")
        for number in range(self.num_games):
            history = actions[number, : plies[number]].tolist()
            try:
                game = self._dealt(*(arrays[name][number] for name in _DEAL))
                game.replay(history[: counted[number]])
                potentials_into(game.state, self._mode, self._potentials[number])
                game.replay(history[counted[number] :])
            except ValueError as error:
                raise ValueError(f"game {number}: {error}") from None
            self.states[number] = game.states[0]
            self.actions[number, : game.ply] = game.history
        self._counted[:] = counted
        self._check()

    def _lengths(self, name: str, given: Any) -> npt.NDArray[np.int64]:
        check_array(name, given, np.zeros(self.num_games, np.int64))
        if (given < 0).any():
            raise ValueError(f"{name} has numbers below 0")
        return np.array(given)

    def _dealt(self, workers: Array, jungle: Array) -> Game:
        """Return a saved deal; ValueError unless it is the supply of the box (rules 1, 7)."""
        given = self.options.as_dict()
        like = self.states[0]
        dealt = workers[: given.pop("num_players"), : int(like["tiles_each"])]
        game = Game.from_draws(
            np.take(WORKER_KINDS, dealt, mode="wrap").tolist(),
            np.take(JUNGLE_KINDS, jungle[: int(like["num_jungle"])] - 1, mode="wrap").tolist(),
            **given,
        )
        if any((game.state[name] != own).any() for name, own in zip(_DEAL, (workers, jungle))):
            raise ValueError("the draws have tiles beyond the supply of the box")
        return game

    def _check(self) -> None:
        """Raise ValueError, after the replay, for what only this kind of batch refuses."""

    def __getstate__(self) -> dict[str, Any]:
        dealt = self.states["jungle_count"].all() and not self.interrupted
        left = {*self._derived, "states", "actions", "_potentials", "_counted", "_at_work"}
        kept = {name: value for name, value in vars(self).items() if name not in left}
        return kept | {"_games": Batch.arrays(self) if dealt else None}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        games = attributes.pop("_games")
        vars(self).update(owned(attributes))
        self._allocate()
        if games is not None:
            self._load(games, {})
            self._look()

    def _look(self) -> None:
        """Write what follows from the positions."""
        raise NotImplementedError
