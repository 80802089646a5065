"""What the page may call: entry points over one block of memory, and that memory's layout.

All arguments but four integers lie in one record, ``MEMORY``.  JavaScript reads and writes its fields by
their offsets, which the build writes to ``fields.json``.  An entry point contains no rule and no
judgement of its own: it passes fields of the record to functions of the package.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from ...agents.checkpoint import find
from ...agents.endgame import NODES, end_values, is_near_end, placements_left, solve
from ...agents.greedy import _appraise_into, greedy_action
from ...agents.mc import best_actions, run_passes
from ...agents.playout import forecast
from ...agents.random import random_action
from ...agents.utility import UTILITY
from ...agents.value.checkpoint import read_value
from ...agents.value.net import Net, Scratch, from_params, new_scratch
from ...agents.value.best_turn import Room
from ...agents.value.search import look_ahead
from ...agents.value.tree import Tree, begin_search
from ...agents.value.turns import Work, expect_after, new_work, value_actions
from ...engine.actions import LEGAL, MAX_LEGAL, legal_into, why_illegal
from ...engine.decisions import forced_action
from ...engine.jit import njit
from ...engine.scoring import scores_into, temple_into, win_shares_into
from ...engine.state import STATE, deal, redeal, set_options, set_up
from ...engine.tiles import MAX_PLAYERS
from ...gold_sources import SOURCES, _sources_into
from ...greedy.turn import step_turn, unasked

MAX_ACTIONS = 4096  # of a game; one that asks everything has some hundreds

# --- Rules ----------------------------------------------------------------------------------


@njit
def begin(m, dealt, b, c, d):
    """Set the game up whose options are written; deal it first with ``rng`` unless it is ``dealt``."""
    state = m.states[0]
    set_options(
        state,
        np.int64(state.num_players),
        np.int64(state.volcanoes),
        np.int64(state.decisions),
        np.int64(state.table_size),
    )
    if dealt:
        set_up(state)
    else:
        deal(state, m.rng[:])
    return 0


@njit
def why(m, action, b, c, d):
    """Return why an action is illegal, or LEGAL."""
    return why_illegal(m.states[0], action)


@njit
def play(m, action, b, c, d):
    """Play an action if it is legal; return why it is not, or LEGAL."""
    code = why_illegal(m.states[0], action)
    if code == LEGAL:
        step_turn(m.states[0], action)
    return code


@njit
def legal(m, a, b, c, d):
    """Write the legal actions into ``ids``; return their number."""
    return legal_into(m.states[0], m.ids[:])


@njit
def not_asked(m, decisions, b, c, d):
    """Return the move that a game with these ``decisions`` does not ask for, or NONE."""
    return unasked(m.states[0], decisions)


@njit
def forced(m, a, b, c, d):
    """Return the move that cannot matter, or NONE."""
    return forced_action(m.states[0])


@njit
def result(m, a, b, c, d):
    """Write ``scores`` and ``win_shares`` as if the game ended now."""
    scores_into(m.states[0], m.scores[:])
    win_shares_into(m.states[0], m.scores[:], m.win_shares[:])
    return 0


@njit
def temple(m, cell, b, c, d):
    """Write the workers at a temple into ``ids``, their gold into ``scores``."""
    temple_into(m.states[0], cell, m.ids[:], m.scores[:])
    return 0


@njit
def sources(m, decisions, count, c, d):
    """Replay ``count`` of ``actions`` with every decision asked; write gold into ``sources``."""
    m.sources[:] = 0
    _sources_into(m.states[:], decisions, m.actions[:count], m.sources[:])
    return 0


@njit
def hide(m, viewer, b, c, d):
    """Deal everything hidden from a seat again."""
    redeal(m.states[0], viewer, m.rng[:])
    return 0


RULES = (begin, why, play, legal, not_asked, forced, result, temple, sources, hide)
ENTRIES = RULES
MEMORY = np.dtype((np.record, np.dtype([
        ("states", STATE, (1,)),
        ("rng", "u8", (1,)),
        ("ids", "i8", (MAX_LEGAL,)),
        ("values", "f8", (MAX_LEGAL,)),
        ("sums", "f8", (MAX_LEGAL,)),
        ("scores", "i8", (MAX_PLAYERS,)),
        ("win_shares", "f8", (MAX_PLAYERS,)),
        ("mean_scores", "f8", (MAX_PLAYERS,)),
        ("actions", "i8", (MAX_ACTIONS,)),
        ("sources", "i8", (MAX_PLAYERS, len(SOURCES))),
        ("luck", "f8", (2, MAX_PLAYERS)),
], align=True)))
