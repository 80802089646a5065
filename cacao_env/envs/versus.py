"""One learner against opponents in many games at once, for single-agent learners.

Each game has one *learner* seat; opponents play the other seats inside the step.  A step's reward is
the sum of all rewards of the seat until its next decision, so every finished game shows the learner
its outcome exactly once, won or lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from ..agent import Agent, ask, decider
from ..checks import as_seat, as_seed, check_choice, keywords_of
from ..engine.actions import LEGAL, why_illegal
from ..engine.jit import njit
from ..engine.notation import as_action
from ..engine.observation import ObservationDtype
from ..engine.options import OptionFields, Options
from ..engine.rewards import WORST, Reward, rewards_into
from ..engine.rng import RngArray, next_bits, uniform
from ..engine.scoring import margin, scores_into, win_shares_into
from ..engine.state import OVER, StateArray, deal
from ..engine.tiles import MAX_PLAYERS
from ..engine.types import b1, b1x1, f4x1, f8, f8x1, f8x2, i2x2, i8, i8x1, i8x2
from ..game import Game, as_position
from ..greedy.candidates import Candidates, as_candidates
from .batch import Arrays, Batch, as_actions, as_flags, play
from .observations import view_of
from .opponents import NUM_COMPILED, Opponents, OpponentSpec, is_rng, play_compiled, waiting
from .threads import alone

Illegal = Literal["lose", "raise"]


@njit
def _deal(
    states: StateArray,
    which: b1x1,
    learners: i8x1,
    fixed: b1,
    kinds: i8x1,
    probabilities: f8x1,
    rngs: RngArray,
) -> None:
    """Deal the games in ``which``, choose their learners' seats and draw their opponents."""
    for g in range(len(states)):
        if not which[g]:
            continue
        rng = rngs[g : g + 1]
        deal(states[g], rng)
        if not fixed:
            learners[g] = (learners[g] + 1) % states[g].num_players
        draw = uniform(rng)
        kinds[g] = len(probabilities) - 1
        for kind in range(len(probabilities)):
            if draw < probabilities[kind]:
                kinds[g] = kind
                break
            draw -= probabilities[kind]


@njit
def _play(
    states: StateArray, chosen: i8x1, actions: i2x2, forgiving: b1, ended: b1x1, forfeits: b1x1
) -> i8:
    """Play the learners' actions, and mark the illegal ones, which lose their games.

    Nothing is played in games that have ``ended``.  Unless ``forgiving``, nothing changes if an action
    is illegal.  Returns the number of the first such game, or -1.
    """
    first = -1
    for g in range(len(states)):
        forfeits[g] = not ended[g] and why_illegal(states[g], chosen[g]) != LEGAL
        if forfeits[g] and first < 0:
            first = g
    if first >= 0 and not forgiving:
        for g in range(len(states)):
            forfeits[g] = False
        return first
    for g in range(len(states)):
        if not (forfeits[g] or ended[g]):
            play(states[g], chosen[g], actions[g])
    return first


@njit
def _reward(
    states: StateArray,
    learners: i8x1,
    forfeits: b1x1,
    mode: i8,
    potentials: f8x2,
    counted: i8x1,
    rewards: f4x1,
    dones: b1x1,
    ended: b1x1,
    final: i8x2,
    won: f8x1,
    worst: f8,
) -> i8:
    """Write the learners' rewards since their last decisions, which games are over, and their ends.

    Games that had ``ended`` before have neither.  Returns how many are over.  One call covers all steps
    since then: the changes of a potential add up, and other rewards come only at the end.
    """
    scores = np.zeros(MAX_PLAYERS, np.int64)
    win_shares = np.zeros(MAX_PLAYERS)
    each = np.zeros(MAX_PLAYERS)
    over = 0
    for g in range(len(states)):
        if ended[g]:
            rewards[g], dones[g] = 0, False
            continue
        state = states[g]
        learner = learners[g]
        before = potentials[g, learner]
        counted[g] = state.ply
        rewards_into(state, mode, potentials[g], scores, win_shares, each)
        rewards[g] = worst - before if forfeits[g] else each[learner]
        dones[g] = state.phase == OVER or forfeits[g]
        if dones[g]:
            over += 1
            scores_into(state, scores)
            final[g, 0] = scores[learner]
            final[g, 1] = scores[learner] - margin(scores, learner, np.int64(state.num_players))
            win_shares_into(state, scores, win_shares)
            won[g] = 0.0 if forfeits[g] else win_shares[learner]
            potentials[g, :] = 0
    return over


def _bits(seed: int | None, count: int) -> npt.NDArray[np.uint64]:
    """Draw the states of generators, uint64 (count,), from a seed."""
    generator = np.random.default_rng(None if seed is None else as_seed(seed))
    return generator.integers(2**64, size=count, dtype=np.uint64)


class VersusGames(Batch):
    """N games in which the caller plays one seat and opponents the others.

    ``opponents``: a name, an Agent, or an object with ``act(game)`` for all other seats; weights from
    which every game draws one, such as ``{"random": 1, "greedy": 3}``; or one for each other seat,
    clockwise after the learner's.  Random and greedy play in compiled code; Python asks all others, for
    many games at once.  ``options``, or its fields as keyword arguments: the game
    (:class:`~cacao_env.engine.options.Options`).  ``seat``: the learner's; None rotates it from
    game to game.  ``illegal``: an illegal action raises ValueError, or loses its game.
    With ``begin=False`` call ``reset`` before anything else; no opponent is asked before that.

    Only one thread may use it at a time: a call during another one raises RuntimeError.
    Attributes, overwritten in place by each call:

    - ``observations`` (N, observation_size), from the learner's view: float32 in [0, 1], or raw uint8;
      with ``observation="candidates"`` (:mod:`cacao_env.greedy.candidates`) float32 (N, rows + 1,
      columns), and masks and actions of rows;
    - ``action_masks`` int8 (N, num_actions);
    - ``rewards`` float32 (N,), ``dones`` bool (N,): of the last step; with ``deal=True`` a new game has
      already replaced a finished one (``AutoresetMode.SAME_STEP``);
    - ``final_observations``, as ``observations``: rows of finished games have their end;
    - ``final_scores`` int64 (N, 2): the learner's and the best other score of the last finished game;
    - ``final_win_shares`` float64 (N,): the learner's win share in it, 0 if it was forfeited;
    - ``forfeits`` bool (N,): the game was lost by an illegal action in the last step;
    - ``ended`` bool (N,): the game is over, and the next step replaces it;
    - ``learners`` int64 (N,): the seat that the caller plays;
    - ``deals`` uint64 (N,): the seed of the game, where this object has dealt it;
    - ``interrupted``: an opponent's error, or the user, ended a step in its middle: reset is needed;
    - ``candidates``: the size of the candidate view, or None.
    """

    _saved = (
        *("rngs", "learners", "kinds", "rewards", "dones", "forfeits", "ended"),
        *("final_scores", "final_win_shares"),
    )
    _derived = ("observations", "action_masks", "_view", "_chosen", "_numbers")

    @keywords_of(Options)
    def __init__(
        self,
        num_games: int,
        opponents: OpponentSpec = "random",
        options: Options | None = None,
        *,
        reward: Reward = "outcome",
        seed: int | None = None,
        observation: Literal["flat", "candidates"] | Candidates = "flat",
        observation_dtype: ObservationDtype = "float32",
        seat: int | None = None,
        illegal: Illegal = "raise",
        begin: bool = True,
        **fields: Unpack[OptionFields],
    ) -> None:
        super().__init__(num_games, options, fields, reward)
        self._forgiving = check_choice("illegal", illegal, ("raise", "lose")) == 1
        self.seat = None if seat is None else as_seat(seat, self.num_players)
        self._opponents = Opponents(opponents, self.options)
        self._observation, self._dtype = observation, observation_dtype
        self.candidates = as_candidates(observation)
        self.rewards = np.zeros(num_games, np.float32)
        self.dones, self.forfeits, self.ended = np.zeros((3, num_games), np.bool_)
        self.final_scores = np.zeros((num_games, 2), np.int64)
        self.final_win_shares = np.zeros(num_games)
        self.learners, self.kinds = np.zeros((2, num_games), np.int64)
        self.deals = np.zeros(num_games, np.uint64)
        self._memory: list[dict[int, Any]] = [{} for _ in range(num_games)]  # of agents, by seat
        self._allocate()
        self.final_observations = np.zeros_like(self.observations)
        if begin:
            self.reset(seed)

    def _allocate(self) -> None:
        super()._allocate()
        self._view = view_of(self.num_games, self.options, self._observation, self._dtype)
        self.observations, self.action_masks = self._view.observations, self._view.action_masks
        self._chosen, self._numbers = np.zeros((2, self.num_games), np.int64)

    @alone
    def reset(
        self, seed: int | Sequence[int] | None = None, first_seat: int | Sequence[int] = 0
    ) -> None:
        """Deal all games; learners take every seat in turn, beginning with ``first_seat``.

        The same ``seed`` gives the same games and the same choices of the opponents.  A seed and a seat
        for each game give the games that these give alone.
        """
        if isinstance(seed, Sequence):
            drawn = np.concatenate([_bits(one, 1) for one in seed])
            seats = np.array(first_seat)
        else:
            drawn = _bits(seed, self.num_games)
            seats = first_seat + np.arange(self.num_games)
        self.interrupted = True
        self.rngs[:] = drawn
        self.learners[:] = seats % self.num_players
        if self.seat is not None:
            self.learners[:] = self.seat
        self._replace(np.ones(self.num_games, np.bool_))

    @alone
    def deal(self, which: npt.NDArray[np.bool_]) -> None:
        """Replace the games in ``which``, bool (N,), by new ones."""
        which = as_flags("which", which, self.num_games)  # a copy, as it may be ``dones``
        self._require_whole()
        self._replace(which)

    def _replace(self, which: npt.NDArray[np.bool_]) -> None:
        self.rewards[which] = 0
        self.dones[which] = self.forfeits[which] = False
        self.interrupted = True
        self._begin(which)
        self._look()
        self.interrupted = False

    @alone
    def truncate(self, which: npt.NDArray[np.bool_]) -> None:
        """End the games in ``which``, bool (N,), without a result: the next step replaces them."""
        self.ended |= as_flags("which", which, self.num_games)
        self._look()

    @alone
    def start(self, number: int, game: Game) -> None:
        """Replace a game by a copy of another with the same options; opponents play on from there.

        The learner's is the fixed seat, or without one the seat that decides in ``game``.  ValueError,
        and nothing has changed, if that seat has no decision left.
        """
        self._require_whole()
        before, game = self.game(number), as_position(game, self.options)
        learner, memory, rng = self.learners[number], self._memory[number], self.rngs[number]
        counted = self._counted[number], self._potentials[number].copy()
        self._put(number, game)
        self.learners[number] = decider(game) if self.seat is None else self.seat
        self._memory[number] = {}
        try:
            self._let_others_play()
            if self.states[number].phase == OVER:
                raise ValueError(
                    f"seat {self.seat} has no decision left in the game to start from, expected one or "
                    "more"
                )
        except BaseException:
            self._put(number, before)
            self._counted[number], self._potentials[number] = counted
            self.learners[number], self._memory[number], self.rngs[number] = learner, memory, rng
            raise
        self.rewards[number] = 0
        self.dones[number] = self.forfeits[number] = self.ended[number] = False
        self._look()

    @alone
    def step(self, chosen: npt.NDArray[Any], deal: bool = True) -> None:
        """Play the learners' actions, legal ids, integers, (N,), and everything that follows.

        ValueError for a wrong shape or type, or for an illegal action (unless it loses its game),
        naming game, seat and action; no game advances then.  With ``deal=False`` finished games stay
        until :meth:`deal` or the next step replaces them.  That step ignores their actions and gives no
        reward (``AutoresetMode.NEXT_STEP``).
        """
        self._require_whole()
        self._take(chosen)
        self.interrupted = True
        self._let_others_play()
        played = self.states, self.learners, self.forfeits
        before = self._mode, self._potentials, self._counted
        results = self.rewards, self.dones, self.ended, self.final_scores, self.final_win_shares
        over = _reward(*played, *before, *results, WORST[self._mode])
        if over:
            self._view.look_at_ends(self.states, self.dones, self.learners, self.final_observations)
        if over or self.ended.any():
            replaced = self.ended | self.dones if deal else self.ended.copy()
            self._begin(replaced)
            self.ended |= self.dones & ~replaced
        self._look()
        self.interrupted = False

    def _require_whole(self) -> None:
        """Refuse games that an opponent's error, or a user, left in the middle of a step."""
        if self.interrupted:
            raise ValueError("a step was interrupted, perhaps by an opponent's error: call reset()")

    @alone
    def look(self) -> None:
        """Write observations and masks of the games in their present positions."""
        self._look()

    def _look(self) -> None:
        self._view.look(self.states, self.learners)
        if self.ended.any():  # a forfeited game has legal actions left
            self._view.look_at_ends(self.states, self.ended, self.learners, self.observations)
            self.action_masks[self.ended] = 0

    @alone
    def arrays(self) -> Arrays:
        """Save the games as arrays by name; ValueError if an opponent's memory can't be saved."""
        self._require_whole()
        unsaved = self._opponents.unsaved()
        if unsaved is not None:
            raise ValueError(
                f"games against {unsaved} can't be saved: its memory is not random numbers"
            )
        # Whether there is one, and its bits.
        memory = np.zeros((self.num_games, self.num_players, 2), np.uint64)
        for g, seats in enumerate(self._memory):
            for seat, one in seats.items():
                memory[g, seat] = 1, 0 if one is None else one[0]
        return super().arrays() | {"memory": memory}

    @alone
    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Restore what ``arrays`` saved; ValueError, and nothing changes, for anything else."""
        like = np.zeros((self.num_games, self.num_players, 2), np.uint64)
        self._restore(arrays, {"memory": like})
        for g, seats in enumerate(np.array(arrays["memory"])):
            self._memory[g] = {}
            for seat in np.flatnonzero(seats[:, 0]).tolist():
                if self.kinds[g] < NUM_COMPILED or seat == self.learners[g]:
                    continue  # no agent in Python plays this seat
                self._memory[g][seat] = self._agent(g, seat).begin(0)
                if is_rng(self._memory[g][seat]):
                    self._memory[g][seat][0] = seats[seat, 1]
        self._look()
        self.interrupted = False

    def _check(self) -> None:
        if (self.learners < 0).any() or (self.learners >= self.num_players).any():
            raise ValueError("a learner has no seat")
        if not np.isin(self.kinds, np.flatnonzero(self._opponents.probabilities)).all():
            raise ValueError("a game has an opponent that there is not")
        if waiting(self.states, self.learners, np.zeros_like(self.learners)):
            raise ValueError("another seat than the learner's decides")
        over = self.states["phase"] == OVER
        if (over & ~self.ended).any():
            raise ValueError("a game is over that was not done")

    def _take(self, chosen: npt.NDArray[Any]) -> None:
        """Check the actions and play them."""
        choices = as_actions(chosen, self.num_games)
        self._view.choose(choices, self._chosen)
        flags = self._forgiving, self.ended, self.forfeits
        wrong = _play(self.states, self._chosen, self.actions, *flags)
        if wrong >= 0 and not self._forgiving:
            raise ValueError(self._view.explain(self.states, choices, wrong))

    def _begin(self, which: npt.NDArray[np.bool_]) -> None:
        """Deal games and play up to their learners' first decisions."""
        fixed = self.seat is not None
        probabilities = self._opponents.probabilities
        self.deals[which] = self.rngs[which]
        _deal(self.states, which, self.learners, fixed, self.kinds, probabilities, self.rngs)
        self._counted[which] = 0
        self._potentials[which] = 0
        self.ended[which] = False
        for g in np.flatnonzero(which):
            self._memory[g] = {}
        self._let_others_play()

    def _let_others_play(self) -> None:
        """Let the opponents play until each game's learner decides or the game is over."""
        play_compiled(self.states, self.actions, self.learners, self.kinds, self.rngs)
        if not self._opponents.line_ups:
            return
        while count := int(waiting(self.states, self.learners, self._numbers)):
            asked: dict[int, tuple[Agent, list[int]]] = {}  # agents may have no hash
            for g in self._numbers[:count].tolist():
                agent = self._agent(g, int(self.states[g].seat))
                asked.setdefault(id(agent), (agent, []))[1].append(g)
            for agent, numbers in asked.values():
                self._ask(agent, numbers)

    def _ask(self, agent: Agent, numbers: list[int]) -> None:
        """Let an agent make one decision in each of some games."""
        games = [self._in_place(g) for g in numbers]
        seen, memory = [], []
        for g, game in zip(numbers, games):
            seats, seat = self._memory[g], int(game.state.seat)
            seen.append(game.determinise(seat, self.rngs[g : g + 1]))  # no agent sees the true deal
            if seat not in seats:
                seats[seat] = agent.begin(int(next_bits(self.rngs[g : g + 1])))
            memory.append(seats[seat])
        for g, game, action in zip(numbers, games, ask(agent, seen, memory)):
            deciding, ply = game.seat, game.ply
            try:
                number = as_action(action)
                game.play(number)
            except ValueError as error:
                raise ValueError(f"game {g}, seat {deciding}, {agent.name}: {error}") from error
            self.actions[g, ply] = number

    def _agent(self, g: int, seat: int) -> Agent:
        """Return the opponent in Python on a seat of a game."""
        place = (seat - int(self.learners[g]) - 1) % self.num_players
        return self._opponents.agent(int(self.kinds[g]), place)
