"""Compiled entry points for frequent calls on one game.

They take the array of a game, shape (1,), the fastest argument for Numba; rarer calls pass the record
itself.
"""

from __future__ import annotations

from .actions import legal_into, mask_into
from .jit import njit
from .observation import observe_into
from .scoring import scores_into, win_shares_into
from .state import redeal


@njit
def one_legal(states, ids):
    """Write the legal actions; return how many."""
    return legal_into(states[0], ids)


@njit
def one_mask(states, out):
    """Write the mask of the legal actions."""
    mask_into(states[0], out)


@njit
def one_observe(states, viewer, out):
    """Write what a seat sees."""
    observe_into(states[0], viewer, out)


@njit
def one_result(states, scores, win_shares):
    """Write scores and win shares if the game ended now."""
    scores_into(states[0], scores)
    win_shares_into(states[0], scores, win_shares)


@njit
def one_copy(target, source):
    """Copy a state."""
    target[0] = source[0]


@njit
def one_redeal(states, viewer, rng):
    """Deal everything hidden from a seat again."""
    redeal(states[0], viewer, rng)
