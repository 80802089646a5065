"""What simulations found out about replies: a search tree in a table.

The network's choice of a placement inside simulations takes only the rest of one turn into account.
The tree corrects it.  It stores, for each placement that simulations to the end of the game have
played, how often they played it and what the seat that moved got.  A node is what all seats have seen
since the searched decision: the placements, fills and actions, and the display.  Hands differ from
deal to deal, so the statistics are means over them, as in information set Monte Carlo tree search.

Source: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search" (IEEE TCIAIG 2012);
the bonus for exploration is UCB1's (Auer, Cesa-Bianchi, Fischer, 2002).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...engine.jit import njit
from ...engine.rng import mixed
from ...engine.tiles import MAX_TURNS
from ...engine.types import Array, Record, f8x1, i8x1, name, struct, u4x1, u8x1
from ..elementary import log_above_one

TRUST = 3.0  # visits that the network's value of a reply counts as
EXPLORE = 0.07  # utility, of UCB1's bonus
ENTRIES = 1 << 18  # untouched pages of the table take no memory
PROBES = 8  # places where an entry may be
ENTRY = struct([("key", "u8"), ("search", "u4"), ("visits", "u4"), ("total", "f8")])
Entries: TypeAlias = Any
name("Entry", Record(ENTRY))
name("Entries", Array(ENTRY, 1))


class Tree(NamedTuple):
    """The table, and the path of the simulation in progress.  Each thread needs its own."""

    entries: Entries  # (ENTRIES,) ENTRY; a reply of an earlier search counts as free
    search: u4x1  # uint32 (1,), the number of the search
    passes: i8x1  # int64 (1,), the simulations of each candidate so far
    depth: i8x1  # int64 (1,), the length of the path
    path: u8x1  # uint64 (MAX_TURNS,), the key of each reply of the simulation
    seats: i8x1  # int64 (MAX_TURNS,), the seat that moved


def new_tree(entries: int = ENTRIES) -> Tree:
    """Make an empty tree; ``entries`` is a power of 2."""
    return Tree(
        np.zeros(entries, ENTRY),
        np.zeros(1, np.uint32),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(MAX_TURNS, np.uint64),
        np.zeros(MAX_TURNS, np.int64),
    )


@njit
def begin_search(tree: Tree) -> None:
    """Forget what earlier searches found."""
    tree.search[0] += np.uint32(1)
    tree.passes[0] = 0


@njit
def extended(line, action):
    """Return the key of a line of actions with one more action."""
    return mixed(line ^ np.uint64(action + 1))


@njit
def _place_of(tree, key):
    """Return where the entry with a key is or can be written, -1 if there is no room."""
    entries, last = tree.entries, len(tree.entries) - 1
    first = np.int64(key >> np.uint64(32))
    for probe in range(PROBES):
        place = (first + probe) & last
        if entries[place].search != tree.search[0] or entries[place].key == key:
            return place
    return -1


@njit
def choose_reply(tree, state, line, actions, values, count):
    """Return the index of the reply to play next; add it to the path.

    ``values``: the network's utilities of the first ``count`` of ``actions`` for the deciding seat;
    ``line``: key of the actions since the searched decision.
    """
    one, two = np.int64(state.display[0]), np.int64(state.display[1])
    node = extended(extended(line, min(one, two)), max(one, two))
    visits, total = np.zeros(count), np.zeros(count)
    for i in range(count):
        key = extended(node, actions[i])
        place = _place_of(tree, key)
        if place >= 0 and tree.entries[place].search == tree.search[0]:
            visits[i] = tree.entries[place].visits
            total[i] = tree.entries[place].total
    unknown = log_above_one(1.0 + visits.sum())
    best, most = 0, -math.inf
    for i in range(count):
        weight = TRUST + visits[i]
        value = (TRUST * values[i] + total[i]) / weight + EXPLORE * math.sqrt(unknown / weight)
        if value > most:
            best, most = i, value
    depth = tree.depth[0]
    tree.path[depth] = extended(node, actions[best])
    tree.seats[depth] = state.seat
    tree.depth[0] = depth + 1
    return best


@njit
def record(tree: Tree, utilities: f8x1) -> None:
    """Add the outcome, every seat's utility, to the replies of the path; begin a new path."""
    for i in range(tree.depth[0]):
        place = _place_of(tree, tree.path[i])
        if place < 0:
            continue
        entry = tree.entries[place]
        if entry.search != tree.search[0]:
            entry.key, entry.search = tree.path[i], tree.search[0]
            entry.visits, entry.total = 0, 0.0
        entry.visits += 1
        entry.total += utilities[tree.seats[i]]
    tree.depth[0] = 0
