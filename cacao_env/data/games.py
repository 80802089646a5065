"""The games of a data set: arrays of deals and actions, and what seats saw, computed by replay.

Games are replayed side by side.  Each lane shows one decision after the other of its games, so a batch
has decisions of as many games as it has lanes, from all parts of a game.  Whatever is replayed is
checked: an illegal action, a game that goes on or ends early, and a wrong result raise DataError.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import as_int, as_seat, as_seed, check_choice, in_short
from ..engine.actions import LEGAL, why_illegal
from ..engine.decisions import NONE
from ..engine.jit import njit
from ..engine.observation import ObservationDtype
from ..engine.options import Options
from ..engine.rewards import SCORE_SCALE
from ..engine.scoring import scores_into, win_shares_into
from ..engine.state import OVER, StateArray, deal
from ..engine.tiles import MAX_PLAYERS
from ..engine.types import f4x2, i1x1, i1x2, i2x2, i8, i8x1, u2x1
from ..envs.observations import view_of
from ..envs.threads import Workers
from ..game import Game
from ..greedy.candidates import ObservationForm
from ..greedy.turn import step_turn
from ..views import Form
from .storage import DataError

Array = npt.NDArray[Any]
RETURNS = ("outcome", "relative_score")
ALL = -1  # seats
NOBODY = -2  # no decision is shown: every game is replayed to its end
LANES = 64  # games that one thread replays side by side: their states stay in its cache


class Decisions(NamedTuple):
    """A batch of N decisions.

    - ``observations``: (N, ...) in the form that was asked for, of the deciding seats;
    - ``action_masks``: int8 (N, choices); ``actions``: int64 (N,), the choices that were made;
    - ``returns``: float32 (N,), what the game brought the deciding seat in the end;
    - ``seats``, ``games``, ``plies``: int64 (N,), who decided, in which game, its number there.
    """

    observations: Any
    action_masks: Array
    actions: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float32]
    seats: npt.NDArray[np.int64]
    games: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]


class _Table(NamedTuple):
    """The columns of the games, and where the deciding seats are written."""

    deals: i8x1
    first: i8x1
    actions: u2x1
    scores: i2x2
    cacao: i1x2
    win_shares: f4x2
    seats: i1x1


@njit
def _advance(
    table: _Table, states: StateArray, ranks: i8x1, at: i8x1, order: i8x1, stride: i8, seat: i8
) -> i8:
    """Move each lane to its next decision of ``seat``; return the first lane that is wrong, or -1.

    A lane plays the games ``order[rank]``, every ``stride``-th; ``at`` is the place of its decision in
    the actions of ``table``, -1 before a game.
    """
    rng = np.zeros(1, np.uint64)
    scores, win_shares = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS)
    for lane in range(len(states)):
        state = states[lane]
        while ranks[lane] < len(order):
            game = order[ranks[lane]]
            if at[lane] < 0:
                rng[0] = np.uint64(table.deals[game])
                deal(state, rng)
                at[lane] = table.first[game]
            else:
                step_turn(state, np.int64(table.actions[at[lane]]))
                at[lane] += 1
            if state.phase == OVER:
                if at[lane] != table.first[game + 1]:
                    return lane
                scores_into(state, scores)
                win_shares_into(state, scores, win_shares)
                for one in range(state.num_players):
                    if (
                        scores[one] != table.scores[game, one]
                        or state.cacao[one] != table.cacao[game, one]
                        or not abs(win_shares[one] - table.win_shares[game, one]) < 1e-6
                    ):
                        return lane
                ranks[lane] += stride
                at[lane] = -1
                continue
            if at[lane] == table.first[game + 1]:
                return lane
            if why_illegal(state, np.int64(table.actions[at[lane]])) != LEGAL:
                return lane
            table.seats[at[lane]] = state.seat
            if seat == ALL or seat == state.seat:
                break
    return -1


class _Lanes:
    """Lanes ``first`` to ``first + count`` of ``stride``, and what they show."""

    def __init__(self, games: Games, order: Array, first: int, count: int, stride: int) -> None:
        self.games, self.order, self.stride = games, order, stride
        self.states = games.options.blank_states(count)
        self.ranks, self.at = np.arange(first, first + count), np.full(count, -1)

    def advance(self, seat: int) -> None:
        """Move on to the next decisions; DataError if a game is wrong."""
        games = self.games
        table = _Table(*(getattr(games, name) for name in _Table._fields))
        lanes = self.states, self.ranks, self.at, self.order, self.stride
        wrong = _advance(table, *lanes, seat)
        if wrong >= 0:
            raise DataError(games.explain(self.states[wrong : wrong + 1], *self.place(wrong)))

    def place(self, lane: int) -> tuple[int, int]:
        """Return the game of a lane, and its place there."""
        game = int(self.order[self.ranks[lane]])
        return game, int(self.at[lane] - self.games.first[game])


def as_part(part: Sequence[int]) -> tuple[int, int]:
    """Return ``(k, n)``, the k-th of n parts; ValueError for anything else."""
    if not isinstance(part, tuple | list) or len(part) != 2:
        raise ValueError(f"part is {in_short(part)}, expected (k, n) for the k-th of n parts")
    count = as_int("the number of parts", part[1], 1)
    return as_int("part", part[0], 0, count - 1), count


class Games:
    """Games with the same options; ``games[3]`` is a :class:`~cacao_env.Game`, a slice some games.

    - ``table``: the columns (docs/files.md), a ``pyarrow.Table``; ``manifest``: of the data set;
    - ``deals``: int64 (G,); ``first``: int64 (G + 1,), where each game's actions begin;
    - ``actions``: uint16 (D,), ids, all games one after the other;
    - ``scores`` int16, ``cacao`` int8, ``win_shares`` float32: (G, players), at the end;
    - ``seats``: int8 (D,), who decided; :meth:`check` writes it, and whatever replays a game.

    Threads may share it.
    """

    def __init__(self, options: Options, table: Any, manifest: dict[str, Any]) -> None:
        self.options, self.table, self.manifest = options, table, manifest
        self.deals = _numbers(table, "deal")
        lengths = table.column("actions").combine_chunks().value_lengths()
        self.first = np.concatenate([[0], np.cumsum(lengths.to_numpy())]).astype(np.int64)
        self.actions = _numbers(table, "actions")
        self.scores, self.cacao, self.win_shares = (
            self._by_seat(name) for name in ("scores", "cacao", "win_shares")
        )
        self.seats = np.full(len(self.actions), -1, np.int8)

    def _by_seat(self, name: str) -> Array:
        column, players = self.table.column(name).combine_chunks(), self.options.num_players
        if any(count != players for count in column.value_lengths().unique().to_pylist()):
            raise DataError(f"{name} has not {players} values in each game")
        return _numbers(self.table, name).reshape(-1, players)

    def __len__(self) -> int:
        return len(self.deals)

    def __getitem__(self, which: int | slice) -> Any:
        if isinstance(which, slice):
            return self.take(np.arange(len(self))[which])
        number = as_int("number of a game", which)
        if not -len(self) <= number < len(self):  # iteration ends there too
            raise IndexError(f"number of a game is {number}, expected one of {len(self)} games")
        number %= len(self)
        game = Game.deal(self.options, int(self.deals[number]) % 2**64)
        with suppress(ValueError):  # which action is wrong follows
            for action in self.actions[self.first[number] : self.first[number + 1]].tolist():
                game.play(action)
            stated = self.scores[number], self.cacao[number], self.win_shares[number]
            ended = game.scores(), game.state.cacao[: game.num_players], game.win_shares()
            if game.over and all(map(partial(np.allclose, atol=1e-6), stated, ended)):
                return game
        raise DataError(self.explain(game.states, number, game.ply))

    def take(self, numbers: Array) -> Games:
        """Return some of the games, by their numbers."""
        return Games(self.options, self.table.take(numbers), self.manifest)

    def explain(self, states: Any, game: int, ply: int) -> str:
        """Return one sentence on what is wrong with a game; ``states``: where its replay stopped."""
        where = f"game {game} of deal {self.deals[game]}"
        length = int(self.first[game + 1] - self.first[game])
        now = Game(states, [])
        if now.over and ply < length:
            return f"{where} goes on after its end: it has {length} actions, expected {ply}"
        if now.over:
            stated = self.scores[game].tolist(), self.cacao[game].tolist()
            found = now.scores(), states["cacao"][0, : now.num_players].tolist()
            shares = self.win_shares[game].tolist(), now.win_shares()
            return (
                f"{where} has scores, cacao and win shares {(*stated, shares[0])}, but the replay "
                f"gives {(*found, shares[1])}"
            )
        if ply >= length:
            return f"{where} ends after {length} actions, before it is over"
        reason = now.why_illegal(int(self.actions[self.first[game] + ply]))
        return f"{where}, action number {ply + 1}: {reason}"

    def check(self, threads: int = 1) -> None:
        """Replay every game; DataError names the first error that a thread finds."""
        lanes = min(as_int("threads", threads, 1), len(self))
        order = np.arange(len(self))
        every = [_Lanes(self, order, lane, 1, lanes) for lane in range(lanes)]
        _on_threads(every, threads, lambda one: one.advance(NOBODY))

    def decisions(
        self,
        observation: ObservationForm = "flat",
        seat: int | None = None,
        dtype: ObservationDtype | None = None,
        batch: int = 256,
        returns: str = "outcome",
        shuffle: int | None = None,
        threads: int = 1,
        part: tuple[int, int] = (0, 1),
    ) -> Iterator[Decisions]:
        """Yield all decisions, in batches of at most ``batch``; no array is used again.

        - ``observation``, ``dtype``: as ``Game.observation`` takes them.  With rows an action is the
          number of a row, and decisions whose action has no row are left out.
        - ``seat``: whose decisions; None for all.
        - ``returns``: ``"outcome"``, from -1 to 1, or ``"relative_score"`` in units of 15 gold.
        - ``shuffle``: a seed for the order of the games; None for the order of the data set.
        - ``threads``: that replay.  They change nothing but the time.
        - ``part``: ``(k, n)`` for the k-th of n parts of the games.
        """
        kind = dtype or ("uint8" if observation in ("flat", "planes") else "float32")
        form = Form(self.options, observation, kind, "info")
        whose = ALL if seat is None else as_seat(seat, self.options.num_players)
        values = self._returns(returns)
        order = self._order(shuffle, part)
        lanes = min(as_int("batch", batch, 1), max(1, len(order)))
        every = [
            _Lanes(self, order, first, min(LANES, lanes - first), lanes)
            for first in range(0, lanes, LANES)
        ]
        return self._batches(form, whose, values, every, threads)

    def _order(self, shuffle: int | None, part: tuple[int, int]) -> Array:
        """Return the numbers of the games of a part."""
        order = np.arange(len(self))
        if shuffle is not None:
            order = np.random.default_rng(as_seed(shuffle)).permutation(len(self))
        number, parts = as_part(part)
        return np.ascontiguousarray(order[number::parts])

    def _batches(
        self, form: Form, seat: int, values: Array, every: Sequence[_Lanes], threads: int
    ) -> Iterator[Decisions]:
        if not len(every[0].order):
            return
        flat = view_of(1, self.options, form.rows or "flat", form.dtype_name)
        count = sum(len(one.states) for one in every)
        cuts = np.cumsum([0, *(len(one.states) for one in every)])
        views = [
            view_of(len(one.states), self.options, form.rows or "flat", form.dtype_name)
            for one in every
        ]

        def show(number: int) -> Array:
            lanes, view = every[number], views[number]
            part = slice(cuts[number], cuts[number + 1])
            lanes.advance(seat)
            view.observations, view.action_masks = seen[part], masks[part]
            view.look(lanes.states, lanes.states["seat"].astype(np.int64))
            return view.found(self.actions[lanes.at].astype(np.int64))

        while True:
            seen = np.empty((count, *flat.observations.shape[1:]), flat.observations.dtype)
            masks = np.empty((count, flat.action_masks.shape[1]), np.int8)
            chosen = np.concatenate(_on_threads(range(len(every)), threads, show))
            ranks, at = (
                np.concatenate([getattr(one, n) for one in every]) for n in ("ranks", "at")
            )
            order = every[0].order
            left = ranks < len(order)
            if not left.any():
                return
            games = order[np.minimum(ranks, len(order) - 1)]
            seats = np.concatenate([one.states["seat"] for one in every]).astype(np.int64)
            found = Decisions(
                *(seen, masks, chosen, values[games, seats], seats, games, at - self.first[games])
            )
            kept = left & (chosen != NONE)
            if not kept.all():
                found = Decisions(*(array[kept] for array in found))
            if len(found.actions):
                yield found._replace(observations=form.of(found.observations, found.action_masks))

    def _returns(self, kind: str) -> npt.NDArray[np.float32]:
        """Return what each game brought each seat, (G, players)."""
        players = self.options.num_players
        if check_choice("returns", kind, RETURNS) == 0:
            return np.asarray((players * self.win_shares - 1) / (players - 1), np.float32)
        scores = self.scores.astype(np.float32)
        others = (scores.sum(1, keepdims=True) - scores) / (players - 1)
        return np.asarray((scores - others) / SCORE_SCALE, np.float32)

    def episodes(
        self,
        seat: int | None = None,
        shuffle: int | None = None,
        part: tuple[int, int] = (0, 1),
        **options: Any,
    ) -> Iterator[Decisions]:
        """Yield each seat's decisions of each game, in order, as one batch; of one seat, if given.

        A seat without a decision to show is left out.  ``shuffle``, ``part`` and ``options``: of
        :meth:`decisions`, but ``batch``.
        """
        order = self._order(shuffle, part)
        for start in range(0, len(order), LANES):
            some = order[start : start + LANES]
            parts = list(self.take(some).decisions(seat=seat, batch=LANES, **options))
            if not parts:
                continue
            observed = [part.observations for part in parts]
            dicts = isinstance(observed[0], dict)
            seen: Any = (
                {key: np.concatenate([one[key] for one in observed]) for key in observed[0]}
                if dicts
                else np.concatenate(observed)
            )
            rest = [np.concatenate(column) for column in list(zip(*parts))[1:]]
            whole = Decisions(seen, *rest)
            for key in np.unique(whole.games * MAX_PLAYERS + whole.seats):
                own = np.flatnonzero(whole.games * MAX_PLAYERS + whole.seats == key)
                own = own[np.argsort(whole.plies[own])]
                shown = {k: v[own] for k, v in seen.items()} if dicts else seen[own]
                found = Decisions(shown, *(column[own] for column in rest))
                yield found._replace(games=some[found.games])


def _numbers(table: Any, name: str) -> Array:
    """Return the numbers of a column as an array of its own."""
    column = table.column(name).combine_chunks()
    values = column.flatten() if hasattr(column, "flatten") and name != "deal" else column
    return np.array(values.to_numpy(zero_copy_only=False))


def _on_threads(jobs: Any, threads: int, work: Any) -> list[Any]:
    """Do jobs on threads; return their results in order."""
    every = np.empty(len(jobs), object)
    every[:] = list(jobs)
    parts = Workers(len(every), threads).run(lambda some: [work(job) for job in some], every)
    return [result for part in parts for result in part]
