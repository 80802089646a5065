"""One seat against opponents, many games at once: what a single-agent learner steps.

Each game has one *learner* seat; the other seats are played inside the step.  A step's reward is the
sum of all rewards the seat earned until it decides again, so every finished game shows the learner
its outcome exactly once, won or lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..agents.greedy import CHOICES
from ..agents.opponents import Field, Opponent, Opponents
from ..engine.actions import num_actions
from ..engine.jit import compile_once
from ..engine.observation import HIGH_SCORE, observation_size
from ..engine.options import Decisions, as_seat, as_seed, blank_states, check_choice
from ..engine.rewards import MARGIN_SCALE, OUTCOME, REWARDS, Reward
from ..engine.scaling import OBSERVATION_DTYPES, ObservationDtype
from ..engine.serialization import Arrays, arrays_of, restore_arrays
from ..engine.tiles import MAX_PLAYERS
from ..game import Game, as_action
from . import versus_loops as loops
from .vector import NUM_OPPONENTS, OPPONENTS, as_actions, play_others

Illegal = Literal["lose", "raise"]
FORFEIT = -1  # in place of an action: this game ends here, lost
NOBODY = -1
POLICY = NUM_OPPONENTS  # a kind of opponent, beside the bots that play in compiled code
# Raw observations (M, observation_size) and masks (M, num_actions), both uint8 -> legal actions (M,).
Policy = Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int8]], npt.NDArray[Any]]
_EVERY = np.zeros(0, np.bool_)
# Beside the states, what ``VersusGames`` needs to go on.
_KEPT = ("rngs", "learners", "kinds", "rewards", "dones", "forfeits", "final_scores", "_potentials")


class VersusGames:
    """N games in which the caller plays one seat and opponents the others.

    ``opponents``: a bot's name; odds of several, drawn for every game, e.g. ``{"random": 1,
    "greedy": 3}``; one for each other seat; or an object with ``act(game)`` (see
    :mod:`cacao_env.agents.opponents`).  Random and greedy bots alone play in compiled code; with any other
    opponent all are asked one by one from Python.  ``seat``: the learner's; None lets it rotate from
    game to game.  ``illegal``: an illegal action raises ValueError, or loses its game.
    ``policy`` plays all other seats in a share ``policy_share`` of the games, beside opponents that
    play in compiled code; it is asked for many games at once and handed what each deciding seat sees.
    It may be replaced at any time (``games.policy = ...``).
    ``begin=False`` leaves it to the caller to ``reset`` before anything else, and asks no opponent yet.

    Attributes, overwritten in place by each call:

    - ``observations`` (N, observation_size), from the learner's view: float32 in [0, 1], or raw uint8;
    - ``action_masks`` int8 (N, num_actions);
    - ``rewards`` float32 (N,), ``dones`` bool (N,): of the last step; a game that is done has been
      dealt again already (``AutoresetMode.SAME_STEP``);
    - ``final_observations``, as ``observations``: rows of games that are done hold their end;
    - ``final_scores`` int64 (N, 2): the learner's and the best other score of the last finished game;
    - ``forfeits`` bool (N,): the game was lost by an illegal action in the last step;
    - ``learners`` int64 (N,): the seat that the caller plays.
    """

    def __init__(
        self,
        num_games: int,
        opponents: Opponents,
        num_players: int = 2,
        volcanoes: bool = False,
        decisions: Decisions = "auto",
        table_size: int | None = None,
        reward: Reward = "outcome",
        seed: int | None = None,
        observation_dtype: ObservationDtype = "float32",
        seat: int | None = None,
        illegal: Illegal = "raise",
        begin: bool = True,
        policy: Policy | None = None,
        policy_share: float = 0.0,
    ) -> None:
        self._mode = check_choice("reward", reward, REWARDS)
        check_choice("observation_dtype", observation_dtype, OBSERVATION_DTYPES)
        self._forgiving = check_choice("illegal", illegal, ("raise", "lose")) == 1
        self.states = blank_states(num_games, num_players, volcanoes, decisions, table_size)
        players, size = num_players, int(self.states[0].table_size)
        self.num_games, self.num_players, self.table_size = num_games, players, size
        self.seat = None if seat is None else as_seat(seat, players)
        self._field = Field(opponents, players)
        shape = num_games, observation_size(players, size)
        self._scaled = observation_dtype == "float32"
        self.observations = np.zeros(shape, np.dtype(observation_dtype))
        self.final_observations = np.zeros_like(self.observations)
        self.action_masks = np.zeros((num_games, int(num_actions(size))), np.int8)
        self.rewards = np.zeros(num_games, np.float32)
        self.dones, self.forfeits = np.zeros((2, num_games), np.bool_)
        self.final_scores = np.zeros((num_games, 2), np.int64)
        self.learners, self.kinds, self._chosen = np.zeros((3, num_games), np.int64)
        self._choices = np.empty(1, CHOICES)
        self.policy = policy
        self._odds = self._shared_odds(policy_share)
        self._potentials = np.zeros((num_games, MAX_PLAYERS))
        if begin:
            self.reset(seed)

    def _shared_odds(self, share: float) -> npt.NDArray[np.float64]:
        """The odds of each kind of opponents, the policy's last if it has a share."""
        odds = self._field.compiled_odds
        if not 0 <= share <= 1 or (share > 0 and self.policy is None):
            raise ValueError(f"policy_share is {share!r}, expected 0 to 1, and 0 without a policy")
        if share == 0:
            return self._field.odds if odds is None else odds
        if odds is None:
            raise ValueError(
                "a policy goes with opponents that play in compiled code only: "
                f"{', '.join(OPPONENTS)}"
            )
        size = self.num_games
        self._numbers = np.zeros(size, np.int64)
        self._seen = np.zeros((size, self.observations.shape[1]), np.uint8)
        self._masks = np.zeros_like(self.action_masks)
        return np.append(odds * (1 - share), share)

    def reset(self, seed: int | None = None, first_seat: int = 0) -> None:
        """Deal all games anew; learners sit in every seat in turn, beginning after ``first_seat``.

        With the same ``seed`` the games and all named opponents' choices come out the same.
        """
        generator = np.random.default_rng(None if seed is None else as_seed(seed))
        self.rngs = generator.integers(2**64, size=self.num_games, dtype=np.uint64)
        if self._field.compiled_odds is None:
            self._agents = self._field.seat_agents(int(generator.integers(2**63)))
        self.learners[:] = (first_seat + np.arange(self.num_games)) % self.num_players
        if self.seat is not None:
            self.learners[:] = self.seat
        self.deal(np.ones(self.num_games, np.bool_))

    def deal(self, which: npt.NDArray[np.bool_]) -> None:
        """Give up the games in ``which``, bool (N,), for new ones."""
        self._potentials[which] = 0
        self.rewards[which] = 0
        self.dones[which] = self.forfeits[which] = False
        self._begin(which)
        self.look()

    def step(self, chosen: npt.NDArray[Any], deal: bool = True) -> None:
        """The learners' decisions, legal action ids, integers, shape (N,), and all that follows.

        ValueError for a wrong shape or type, or naming game, seat and action if one is illegal (and
        that is not to lose its game); then no game has advanced.  With ``deal=False`` finished games
        stay as they ended, and :meth:`deal` must be called for them before the next step.
        """
        self._take(chosen)
        loops.play(self.states, self._chosen, self.forfeits)
        self._let_others_play()
        loops.reward(
            self.states,
            self.learners,
            self.forfeits,
            self._mode,
            self._potentials,
            self.rewards,
            self.dones,
            self.final_scores,
            -1.0 if self._mode == OUTCOME else -HIGH_SCORE / MARGIN_SCALE,
        )
        if self.dones.any():
            loops.look(
                self.states, self.dones, self.learners, self._scaled, self.final_observations
            )
            if deal:
                self._begin(self.dones)
        self.look()

    def look(self) -> None:
        """Write observations and masks of the games as they are."""
        loops.look(self.states, _EVERY, self.learners, self._scaled, self.observations)
        loops.mask(self.states, self.learners, self.action_masks)

    def arrays(self) -> Arrays:
        """All that the games are, by name: ``restore`` goes on from there.

        ValueError if an opponent plays in Python: what that keeps is not known here.
        """
        if self._field.compiled_odds is None:
            raise ValueError(
                f"only games against {', '.join(OPPONENTS)} or a policy can be kept as arrays"
            )
        return arrays_of(self, _KEPT)

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Go on from what ``arrays`` of games with the same options gave; ValueError if others did."""
        restore_arrays(self, _KEPT, arrays)
        self.look()

    def game(self, number: int) -> Game:
        """A copy of a game as it is, without its history."""
        return Game(self.states[number : number + 1], []).clone()

    def _take(self, chosen: npt.NDArray[Any]) -> None:
        """Check and keep the actions."""
        self._chosen[:] = as_actions(chosen, self.num_games)
        wrong = int(loops.mark_illegal(self.states, self._chosen, self.forfeits))
        if wrong >= 0 and not self._forgiving:
            self.forfeits[:] = False
            raise ValueError(self.why_illegal(wrong, int(self._chosen[wrong])))

    def why_illegal(self, number: int, action: int) -> str:
        """One sentence on why an illegal action is refused in a game."""
        game = Game(self.states[number : number + 1], [])
        return f"game {number}, seat {game.seat}: {game.why_illegal(action)}"

    def _begin(self, which: npt.NDArray[np.bool_]) -> None:
        """Deal games and play up to their learners' first decisions."""
        fixed = self.seat is not None
        loops.deal(self.states, which, self.learners, fixed, self.kinds, self._odds, self.rngs)
        self._let_others_play()

    def _let_others_play(self) -> None:
        """Let the opponents play until each game's learner decides or the game is over."""
        if self._field.compiled_odds is not None:
            play_others(self.states, self.learners, self.kinds, self.rngs, self._choices)
            if len(self._odds) > POLICY:
                self._ask_policy()
            return
        g = loops.next_waiting(self.states, self.learners, 0)
        while g != NOBODY:
            self._ask_opponent(g)
            g = loops.next_waiting(self.states, self.learners, g)

    def _ask_policy(self) -> None:
        """Let the policy play in its games until the learner decides in all."""
        assert self.policy is not None
        while True:
            count = loops.waiting(
                self.states, self.learners, self._numbers, self._seen, self._masks
            )
            if count == 0:
                return
            numbers, masks = self._numbers[:count], self._masks[:count]
            chosen = as_actions(self.policy(self._seen[:count], masks), count)
            wrong = int(loops.step_some(self.states, numbers, chosen))
            if wrong >= 0:
                about = self.why_illegal(int(numbers[wrong]), int(chosen[wrong]))
                raise ValueError(f"{about} (the policy's)")

    def _ask_opponent(self, g: int) -> None:
        game = Game(self.states[g : g + 1], [])
        seat = int(self.states[g].seat)
        opponent = self._opponent(g, seat)
        guess = game.clone()
        guess.redeal(seat, self.rngs[g : g + 1])
        try:
            game.play(as_action(opponent.act(guess)))
        except ValueError as error:
            raise ValueError(f"game {g}, seat {seat}, an opponent: {error}") from error

    def _opponent(self, g: int, seat: int) -> Opponent:
        place = (seat - int(self.learners[g]) - 1) % self.num_players
        return self._agents[int(self.kinds[g])][place]


def _compile() -> None:
    for opponents in ("random", ["greedy"], _First()):
        for dtype in OBSERVATION_DTYPES:
            games = VersusGames(2, opponents, table_size=15, seed=0, observation_dtype=dtype)
            games.step(games.action_masks.argmax(axis=1))


class _First:
    """Plays the first legal action."""

    def act(self, game: Game) -> int:
        return int(game.legal_actions()[0])


compile_once("bots", _compile)
