"""Rewards of a step for each seat (a *score* is gold at the end; a *reward* is for learning).

All are zero-sum over the seats.

``outcome``         at the end only: (N w - 1) / (N - 1) with w the seat's share of the win.  1 for a
                    sole win; with 2 players -1 for a loss and 0 for a shared win.
``relative_score``  at the end only: own score minus the mean of the others', over ``SCORE_SCALE``.
``shaped``          at every step: the change of the relative score if the game ended now
                    (potential-based, discount 1; Ng, Harada, Russell 1999).  Sums to
                    ``relative_score``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .jit import njit
from .observation import HIGH_SCORE
from .scoring import relative_score, scores_into, win_shares_into, zero_sum_win
from .state import OVER, StateArray
from .tiles import MAX_PLAYERS
from .validate import StateError

Reward = Literal["outcome", "relative_score", "shaped"]
REWARDS: tuple[Reward, ...] = ("outcome", "relative_score", "shaped")
OUTCOME, RELATIVE_SCORE, SHAPED = range(len(REWARDS))
SCORE_SCALE = 15.0  # gold: the difference in score that counts as 1; such a lead is nearly a win
MOST = HIGH_SCORE / SCORE_SCALE  # no relative score counts more


@njit
def rewards_into(state, mode, potentials, scores, win_shares, rewards):
    """Write the rewards of the step that led to ``state`` into ``rewards``, float, (num_players,).

    ``potentials`` keeps the shaped reward's relative scores from one step to the next; set it to 0
    when a game begins.  ``scores``, int64 (4,), and ``win_shares``, float64 (4,), are scratch space.
    """
    players = np.int64(state.num_players)
    over = state.phase == OVER
    if not over and mode != SHAPED:
        rewards[:players] = 0
        return
    scores_into(state, scores)
    if mode == OUTCOME:
        win_shares_into(state, scores, win_shares)
        for seat in range(players):
            rewards[seat] = zero_sum_win(win_shares[seat], players)
        return
    for seat in range(players):
        potential = relative_score(scores, seat, players) / SCORE_SCALE
        if mode == SHAPED:
            rewards[seat] = potential - potentials[seat]
            potentials[seat] = potential
        else:
            rewards[seat] = potential


def potentials_into(state: Any, potentials: npt.NDArray[np.float64]) -> None:
    """Write the shaped reward's relative scores of a position that an episode starts from."""
    scratch = np.empty((2, MAX_PLAYERS))
    rewards_into(state, SHAPED, potentials, np.empty(MAX_PLAYERS, np.int64), *scratch)


# --- Whether saved rewards can have come up ------------------------------------------------------

Flags = npt.NDArray[np.bool_]


def check_potentials(
    mode: int, states: StateArray, potentials: npt.NDArray[Any], new: Flags, started: bool
) -> None:
    """Raise StateError unless potentials are those of the states.

    They may be 0 in ``new`` games.  If games were ``started`` in given positions, they may be those of
    earlier positions.
    """
    implied = np.zeros_like(potentials)
    if mode == SHAPED:
        for state, row in zip(states, implied):
            potentials_into(state, row)
    right = _equal(potentials, implied) | (new & _equal(potentials, 0))
    if started and mode == SHAPED:
        beyond = potentials[:, int(states["num_players"][0]) :]
        right |= _relative(potentials, MOST) & _equal(beyond, 0)
    _refuse("_potentials", right)


def check_rewards(mode: int, arrays: Mapping[str, Any]) -> None:
    """Raise StateError unless the rewards of all seats can be those of the last step."""
    rewards, scores = arrays["rewards"], arrays["final_scores"]
    players = rewards.shape[1]
    _refuse("final_scores", (np.clip(scores, -HIGH_SCORE, HIGH_SCORE) == scores).all(1))
    if mode == SHAPED:
        _refuse("rewards", _relative(rewards, 2 * MOST))
        return
    if mode == OUTCOME:
        won = rewards > zero_sum_win(0, players)
        shares = won / np.maximum(won.sum(1, keepdims=True), 1)
        right = _equal(rewards, zero_sum_win(shares, players)) & won.any(1)
        right &= ((scores == scores.max(1, keepdims=True)) | ~won).all(1)
    else:
        others = scores.sum(1, keepdims=True) - scores
        right = _equal(rewards, (scores - others / (players - 1)) / SCORE_SCALE)
    _refuse("rewards", np.where(arrays["terminations"], right, _equal(rewards, 0)))


def check_learners_rewards(mode: int, players: int, arrays: Mapping[str, Any]) -> None:
    """Raise StateError unless the learners' rewards can be those since their last decisions."""
    rewards, dones, forfeits = arrays["rewards"], arrays["dones"], arrays["forfeits"]
    scores, shares = arrays["final_scores"], arrays["final_win_shares"]
    own, other = scores.T
    _refuse("forfeits", dones | ~forfeits)
    _refuse("final_scores", (np.clip(scores, -HIGH_SCORE, HIGH_SCORE) == scores).all(1))
    some = np.isin(shares, 1 / np.arange(1, players + 1)) & (own >= other) & ~forfeits
    _refuse("final_win_shares", some | (shares == 0))
    if mode == SHAPED:
        _refuse("rewards", np.abs(rewards) <= 2 * MOST)
        return
    if mode == OUTCOME:
        right = np.isclose(rewards, np.where(forfeits, -1, zero_sum_win(shares, players)))
    else:
        # The mean of the others is at most the best of them; two players have no other.
        least = (own - other) / SCORE_SCALE - 1e-5
        right = (rewards >= least) & (rewards <= (MOST if players > 2 else least + 2e-5))
        right = np.where(forfeits, np.isclose(rewards, -MOST), right)
    _refuse("rewards", np.where(dones, right, rewards == 0))


def _equal(given: npt.NDArray[Any], expected: Any) -> Flags:
    """Whether each row is as expected, rounding aside."""
    return np.asarray(np.isclose(given, expected, rtol=1e-6, atol=1e-6).all(1))


def _relative(given: npt.NDArray[Any], most: float) -> Flags:
    """Whether each row is zero-sum, with nothing beyond ``most``."""
    clipped = np.clip(given, -most, most)
    return np.asarray((clipped == given).all(1) & (np.abs(clipped.sum(1)) <= 1e-4))


def _refuse(name: str, right: Flags) -> None:
    """Raise StateError for the first game that is not right."""
    if not right.all():
        raise StateError(
            f"saved games do not match: {name} of game {int(np.argmin(right))} can't have come up"
        )
