"""One seat against built-in opponents, many games at once: what a single-agent learner steps.

Each game has one *learner* seat, which rotates from game to game; the other seats are played inside
the compiled loop.  A step's reward is the sum of all rewards the seat earned until it decides
again, so every finished game shows the learner its outcome exactly once, won or lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .actions import MAX_LEGAL, mask_into, num_actions
from .decisions import deal_anew, step
from .game import Game
from .jit import compile_once, njit
from .observation import observation_size, observe_into, scale
from .options import Decisions, blank_states, check_choice
from .rewards import REWARDS, Reward, rewards_into
from .rng import uniform
from .state import OVER, empty_states
from .tiles import MAX_PLAYERS
from .vector import OPPONENTS, first_refused, play_others


@njit
def _begin(states, learners, kinds, odds, rngs, trial, ids, g):
    """Deal game ``g``, seat its learner and draw its opponents, and play up to its first decision."""
    state = states[g]
    rng = rngs[g : g + 1]
    deal_anew(state, rng)
    learners[g] = (learners[g] + 1) % state.num_players
    draw = uniform(rng)
    kinds[g] = len(odds) - 1
    for kind in range(len(odds)):
        if draw < odds[kind]:
            kinds[g] = kind
            break
        draw -= odds[kind]
    play_others(states[g : g + 1], learners[g : g + 1], kinds[g : g + 1], rng, trial, ids)


@njit
def _begin_all(states, learners, kinds, odds, rngs, trial, ids):
    for g in range(len(states)):
        _begin(states, learners, kinds, odds, rngs, trial, ids, g)


@njit
def _step_all(
    states, chosen, learners, kinds, odds, rngs, mode, potentials, rewards, dones, final, trial, ids
):
    """The learners' actions, the others' answers, the rewards of both; finished games anew."""
    scores = np.zeros(MAX_PLAYERS, np.int64)
    wins = np.zeros(MAX_PLAYERS, np.int64)
    each = np.zeros(MAX_PLAYERS)
    for g in range(len(states)):
        state = states[g]
        step(state, chosen[g])
        rng = rngs[g : g + 1]
        play_others(states[g : g + 1], learners[g : g + 1], kinds[g : g + 1], rng, trial, ids)
        # One call covers all steps since the last: a potential's changes add up to their sum, and
        # the other rewards come at the end only.
        rewards_into(state, mode, potentials[g], scores, wins, each)
        rewards[g] = each[learners[g]]
        dones[g] = state.phase == OVER
        if state.phase == OVER:
            own = scores[learners[g]]
            best_other = -(10**6)
            for seat in range(state.num_players):
                if seat != learners[g]:
                    best_other = max(best_other, scores[seat])
            final[g, 0], final[g, 1] = own, best_other
            potentials[g, :] = 0
            _begin(states, learners, kinds, odds, rngs, trial, ids, g)


@njit
def _look(states, learners, factors, raw, observations, masks):
    for g in range(len(states)):
        observe_into(states[g], learners[g], raw)
        for i in range(len(raw)):
            observations[g, i] = raw[i] * factors[i]
        mask_into(states[g], masks[g])


class VersusGames:
    """N games in which the caller plays one seat and built-in bots the others.

    ``opponents`` gives the odds of each bot, drawn for every game, e.g. ``{"random": 1,
    "greedy": 3}``.  Attributes, overwritten in place by each call:

    - ``observations`` float32 (N, observation_size) in [0, 1], from the learner's view;
    - ``action_masks`` int8 (N, num_actions);
    - ``rewards`` float32 (N,), ``dones`` bool (N,): of the last step; a game that is done has been
      dealt again already (``AutoresetMode.SAME_STEP``);
    - ``final_scores`` int64 (N, 2): the learner's and the best other score of the last finished game;
    - ``learners`` int64 (N,): the seat that the caller plays.
    """

    def __init__(
        self,
        num_games: int,
        opponents: Mapping[str, float],
        num_players: int = 2,
        volcanoes: bool = False,
        decisions: Decisions = "auto",
        table_size: int | None = None,
        reward: Reward = "outcome",
        seed: int | None = None,
    ) -> None:
        self._mode = check_choice("reward", reward, REWARDS)
        unknown = [name for name in opponents if name not in OPPONENTS]
        if unknown or not opponents or sum(opponents.values()) <= 0:
            raise ValueError(
                f"opponents are {dict(opponents)!r}, expected odds of {', '.join(OPPONENTS)}"
            )
        self.states = blank_states(num_games, num_players, volcanoes, decisions, table_size)
        players, size = num_players, int(self.states[0].table_size)
        self.num_games, self.num_players, self.table_size = num_games, players, size
        total = sum(opponents.values())
        self._odds = np.array([opponents.get(name, 0) / total for name in OPPONENTS])
        self.observations = np.zeros((num_games, observation_size(players, size)), np.float32)
        self.action_masks = np.zeros((num_games, int(num_actions(size))), np.int8)
        self.rewards = np.zeros(num_games, np.float32)
        self.dones = np.zeros(num_games, np.bool_)
        self.final_scores = np.zeros((num_games, 2), np.int64)
        self.learners = np.zeros(num_games, np.int64)
        self.kinds = np.zeros(num_games, np.int64)
        self._factors = scale(players, size)
        self._raw = np.zeros(self.observations.shape[1], np.uint8)
        self._potentials = np.zeros((num_games, MAX_PLAYERS))
        self._trial, self._ids = empty_states(2), np.zeros(MAX_LEGAL, np.int64)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Deal all games anew; learners sit in every seat in turn."""
        self.rngs = np.random.default_rng(seed).integers(
            2**64, size=self.num_games, dtype=np.uint64
        )
        self.learners[:] = np.arange(self.num_games) % self.num_players
        self._potentials[:] = 0
        _begin_all(
            self.states, self.learners, self.kinds, self._odds, self.rngs, self._trial, self._ids
        )
        self._look()

    def _look(self) -> None:
        _look(
            self.states,
            self.learners,
            self._factors,
            self._raw,
            self.observations,
            self.action_masks,
        )

    def step(self, chosen: npt.NDArray[Any]) -> None:
        """The learners' decisions, legal action ids of shape (N,), and all that follows.

        ValueError naming the game if an action is illegal; then no game has advanced.
        """
        chosen = np.asarray(chosen, np.int64)
        if chosen.shape != (self.num_games,):
            raise ValueError(f"actions have shape {chosen.shape}, expected ({self.num_games},)")
        wrong = int(first_refused(self.states, chosen))
        if wrong >= 0:
            game = Game(self.states[wrong : wrong + 1], [])
            raise ValueError(
                f"game {wrong}, seat {game.seat}: {game.complaint(int(chosen[wrong]))}"
            )
        _step_all(
            self.states,
            chosen,
            self.learners,
            self.kinds,
            self._odds,
            self.rngs,
            self._mode,
            self._potentials,
            self.rewards,
            self.dones,
            self.final_scores,
            self._trial,
            self._ids,
        )
        self._look()


def _compile() -> None:
    games = VersusGames(2, {"random": 1, "greedy": 1}, table_size=15, seed=0)
    games.step(games.action_masks.argmax(axis=1))


compile_once("bots", _compile)
