"""Compiled entry points for one game, called from the interpreter.

Each takes the array that a game lives in, shape (1,), not its element: that is what Numba is called
with fastest.
"""

from __future__ import annotations

from .actions import LEGAL, legal_into, mask_into, why_illegal
from .decisions import play_forced as play_forced_moves
from .decisions import step
from .jit import njit
from .observation import observe_into
from .scoring import scores_into, temple_into, winners_into
from .state import deal, redeal, set_up


@njit
def play(states, action):
    """Carry an action out if it is legal; returns why not, or LEGAL."""
    code = why_illegal(states[0], action)
    if code == LEGAL:
        step(states[0], action)
    return code


@njit
def copy(target, source):
    """Copy a game's record."""
    target[0] = source[0]


@njit
def legal(states, ids):
    """Write the legal action ids; returns how many."""
    return legal_into(states[0], ids)


@njit
def mask(states, out):
    """Write the deciding seat's action mask."""
    mask_into(states[0], out)


@njit
def observe(states, viewer, out):
    """Write what a seat sees, raw."""
    observe_into(states[0], viewer, out)


@njit
def deal_game(states, rng):
    """Shuffle all piles and set the game up."""
    deal(states[0], rng)


@njit
def redeal_game(states, viewer, rng):
    """Deal anew all that a seat can't see."""
    redeal(states[0], viewer, rng)


@njit
def set_up_game(states):
    """Lay out the start of the game that was dealt."""
    set_up(states[0])


@njit
def scores(states, out):
    """Write the scores if the game ended now."""
    scores_into(states[0], out)


@njit
def winners(states, scores, out):
    """Write the scores if the game ended now and who leads; returns how many do."""
    scores_into(states[0], scores)
    return winners_into(states[0], scores, out)


@njit
def temple(states, cell, workers, prizes):
    """Write every seat's workers at one temple, and the gold they would bring."""
    temple_into(states[0], cell, workers, prizes)


@njit
def play_forced(states):
    """Make the automatic moves that come before the first decision."""
    if states[0].auto == 1:
        play_forced_moves(states[0])
