"""What the page may call: entry points over one block of memory, and that memory's layout.

All arguments but four integers lie in one record, ``MEMORY``.  JavaScript reads and writes its fields
by their offsets, which the build writes to ``fields.json``.  An entry point contains no rule and no
judgement of its own: it passes fields of the record to functions of the package.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...agents.checkpoint import find
from ...agents.endgame import add_end_gold, end_values, is_near_end, placements_left, solve
from ...agents.greedy import appraise_into, greedy_action
from ...agents.halving import keep_best
from ...agents.mc import best_actions, run_passes
from ...agents.playout import forecast
from ...agents.random import random_action
from ...agents.utility import UTILITY
from ...agents.value.best_turn import Room
from ...agents.value.checkpoint import read_value
from ...agents.value.features import PATTERN_TABLES
from ...agents.value.net import Net, Scratch, from_params, new_scratch
from ...agents.value.ordering import NUM_WORDS, OVERBUILDS, PAIRS, part_number
from ...agents.value.patterns import NUM_LETTERS, NUM_PATTERNS, part_numbers
from ...agents.value.search import look_ahead
from ...agents.value.tree import Tree, begin_search
from ...agents.value.turns import Work, expect_after, new_work, value_actions
from ...engine.actions import LEGAL, MAX_LEGAL, WORKER_CHOICES, legal_into, why_illegal
from ...engine.jit import Forms, inlined, njit, source_of
from ...engine.scoring import scores_into, temple_into, win_shares_into
from ...engine.state import STATE, deal, redeal, set_options, set_up
from ...engine.tiles import EDGES, MAX_PLAYERS, NUM_VARIANTS
from ...engine.types import struct
from ...evaluation.judge import network_playout
from ...evaluation.luck import add_luck
from ...gold_sources import SOURCES, sources_into
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
    sources_into(m.states[:], decisions, m.actions[:count], m.sources[:])
    return 0


@njit
def hide(m, viewer, b, c, d):
    """Deal everything hidden from a seat again."""
    redeal(m.states[0], viewer, m.rng[:])
    return 0


RULES = (begin, why, play, legal, not_asked, result, temple, sources, hide)
# --- Agents that need no network ------------------------------------------------------------


@njit
def play_random(m, a, b, c, d):
    """Return a legal action, uniformly at random."""
    return random_action(m.states[:], m.rng[:])


@njit
def play_greedy(m, a, b, c, d):
    """Return greedy's choice."""
    return greedy_action(m.states[:], m.rng[:])


@njit
def appraise(m, a, b, c, d):
    """Write greedy's ``values`` of the actions; return their number."""
    return appraise_into(m.states[:], m.ids[:], m.values[:])


@njit
def best_by_greedy(m, top, b, c, d):
    """Write greedy's best actions, best first; return their number."""
    return best_actions(m.states[:], top, m.ids[:top])


@njit
def greedy_playouts(m, alive, passes, c, d):
    """Add the results of greedy's playouts of the first ``alive`` actions to ``sums``."""
    run_passes(m.states[:], m.ids[:], alive, m.sums[:], passes, m.rng[:], UTILITY)
    return 0


@njit
def outlook(m, games, b, c, d):
    """Write mean ``win_shares`` and ``mean_scores`` if all seats play like greedy."""
    forecast(m.states[:], m.rng[:], games, m.win_shares[:], m.mean_scores[:])
    return 0


@njit
def best(m, alive, keep, by_values, d):
    """Move the actions of the highest ``sums``, or ``values``, to the front."""
    keep_best(m.ids[:], m.values[:] if by_values else m.sums[:], alive, keep)
    return 0


@njit
def left(m, a, b, c, d):
    """Return the placements that are left."""
    return placements_left(m.states[0])


@njit
def near_end(m, exact, b, c, d):
    """Return whether hands are no secret and at most ``exact`` placements are left."""
    return is_near_end(m.states[0], exact)


@njit
def solve_end(m, exact, nodes, c, d):
    """Return the best action when at most ``exact`` placements are left, or NOT_SOLVED."""
    return solve(m.states[:], exact, UTILITY, nodes)


@njit
def end(m, objective, nodes, c, d):
    """Write the exact ``values`` of the actions; return their number, or NOT_SOLVED."""
    return end_values(m.states[:], objective, nodes, True, m.ids[:], m.values[:])


@njit
def end_gold(m, action, objective, nodes, row):
    """Add every seat's expected gold after an action to a row of ``gold``, if it can be solved."""
    return add_end_gold(m.states[:], action, objective, nodes, m.gold[row])


# --- The network ----------------------------------------------------------------------------

NETWORK = "trinitario"
_FOLDER = find(NETWORK)
assert _FOLDER is not None
_PARAMS, MANIFEST = read_value(_FOLDER)
NET = from_params(_PARAMS)
_STAGE = NET.stage.copy()
_ARRAYS: list[tuple[str, Any, tuple[int, ...]]] = []
part_of = inlined(part_number)
_PARTS = np.sort(part_numbers(), axis=1).astype(np.uint8)


def _views(value: Any, name: str) -> str:
    """Return an expression that makes ``value`` of fields of ``m``, and list these fields."""
    if isinstance(value, np.ndarray):
        _ARRAYS.append((name, value.dtype, value.shape))
        return f"m.{name}[:]"
    if not hasattr(value, "_asdict"):
        return repr(value)
    parts = [_views(part, f"{name}_{field}") for field, part in value._asdict().items()]
    return f"{type(value).__name__}({', '.join(parts)})"


def _reader(value: Any, name: str) -> Any:
    """Return a compiled function of ``m`` that makes what ``value`` is an example of."""
    scope: dict[str, Any] = {kind.__name__: kind for kind in (Net, Room, Scratch, Tree, Work)}
    scope["__name__"] = __name__
    exec(f"def {name}_of(m):\n    return {_views(value, name)}", scope)
    return njit(scope[f"{name}_of"])


net_of = _reader(NET, "net")
scratch_of = _reader(new_scratch(NET), "scratch")
work_of = _reader(new_work(), "work")


@njit
def expand(m, a, b, c, d):
    """Sum up the trained parts into tables of all patterns and placements, as Python does.

    ``part_rows``, ``part_best`` and ``ordering`` are those of the checkpoint; its other arrays are read
    into the network's own.
    """
    for i in range(len(_STAGE)):
        m.net_stage[i] = _STAGE[i]
    m.net_rows[-1, :] = 0
    for stage in range(m.ordering.shape[0]):
        for i in range(m.net_ordering_weights.shape[1]):
            m.net_ordering_weights[stage, i] = m.ordering[stage, OVERBUILDS + i]
    letters = np.empty(4, np.int64)
    for word in range(NUM_WORDS):
        rest = word
        for side in range(3, -1, -1):
            letters[side] = rest % NUM_LETTERS
            rest //= NUM_LETTERS
        _order(m, word, letters)
    for table in range(PATTERN_TABLES):
        _sum_parts(m.part_rows[table], m.net_patterns[:], table * NUM_PATTERNS)
    _sum_parts(m.part_best[:], m.net_best[:], 0)
    return 0


@njit
def _order(m, word, letters):
    for stage in range(m.ordering.shape[0]):
        weights = m.ordering[stage]
        for variant in range(NUM_VARIANTS):
            total = np.float32(0)
            for side in range(4):
                total += weights[letters[side] * WORKER_CHOICES + EDGES[variant, side]]
            for one, other, pair in PAIRS:
                a = letters[one] * WORKER_CHOICES + EDGES[variant, one]
                b = letters[other] * WORKER_CHOICES + EDGES[variant, other]
                total += weights[part_of(pair, a, b)]
            m.net_ordering[stage, word, variant] = total


@njit
def _sum_parts(weights, totals, first):
    """Write the sums of the parts of all patterns, from row ``first`` on."""
    for pattern in range(NUM_PATTERNS):
        parts, total = _PARTS[pattern], totals[first + pattern]
        total[:] = 0
        for i in range(len(parts)):
            if i > 0 and parts[i] == parts[i - 1]:
                continue
            times, row = np.float32((parts == parts[i]).sum()), weights[parts[i]]
            for k in range(len(total)):
                total[k] += times * row[k]


@njit
def evaluate(m, top, last_tried, c, d):
    """Write the network's ``values`` of the actions; return their number."""
    return value_actions(
        *(net_of(m), scratch_of(m), work_of(m), m.states[0], top, last_tried),
        *(m.ids[:], m.values[:], m.rng[:]),
    )


@njit
def expected(m, action, b, c, d):
    """Write the ``win_shares`` and ``mean_scores`` expected after the turn of an action."""
    expect_after(net_of(m), scratch_of(m), work_of(m), m.states[:], action, m.rng[:])
    _tell(m, scratch_of(m))
    return 0


@njit
def _tell(m, scratch):
    """Write the ``win_shares`` and ``mean_scores`` that the network expected last."""
    for seat in range(MAX_PLAYERS):
        m.win_shares[seat] = scratch.win_shares[seat]
        m.mean_scores[seat] = scratch.scores[seat]


@njit
def new_search(m, a, b, c, d):
    """Forget what earlier searches found."""
    begin_search(work_of(m).tree)
    return 0


@njit
def search(m, alive, passes, inner, turns):
    """Add simulations of the first ``alive`` actions to ``sums``; tell the result of the last one."""
    look_ahead(
        *(net_of(m), scratch_of(m), work_of(m), m.states[:], m.ids[:], alive, m.sums[:]),
        *(passes, inner, turns, m.rng[:]),
    )
    _tell(m, scratch_of(m))
    return 0


@njit
def playout(m, alive, inner, c, d):
    """Add outcomes of the first ``alive`` actions to ``sums``, every seat's gold to ``gold``."""
    network_playout(
        *(net_of(m), scratch_of(m), work_of(m), m.states[:], m.ids[:], alive, inner),
        *(m.rng[:], m.sums[:], m.gold[:]),
    )
    return 0


@njit
def draws(m, count, b, c, d):
    """Write each seat's ``luck`` in a game of ``count`` ``actions``."""
    m.luck[:] = 0
    add_luck(net_of(m), scratch_of(m), work_of(m), m.states[:], m.actions[:count], m.luck[:])
    return 0


ENTRIES = (
    *RULES,
    *(play_random, play_greedy, appraise, best_by_greedy, greedy_playouts, outlook, best),
    *(left, near_end, solve_end, end, end_gold),
    *(expand, evaluate, expected, new_search, search, playout, draws),
)


def dispatcher(forms: Forms) -> Any:
    """Return a function that calls the entry point of a number."""
    names = [entry.__name__ for entry in ENTRIES]
    lines = ["def call(m, which, a, b, c, d):"]
    for number, name in enumerate(names):
        lines += [f"    if which == {number}:", f"        return {name}(m, a, b, c, d)"]
    scope: dict[str, Any] = {}
    for name, entry in zip(names, ENTRIES, strict=True):
        source = source_of(entry)
        assert source is not None
        scope[name] = forms(source)
    exec("\n".join([*lines, "    return -1"]), scope)
    return scope["call"]


_NUMBERS = [
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
    ("gold", "f8", (MAX_LEGAL, MAX_PLAYERS, len(SOURCES))),
    ("luck", "f8", (2, MAX_PLAYERS)),
]
_TRAINED = [(name, "f4", _PARAMS[name].shape) for name in ("part_rows", "part_best", "ordering")]


def _memory(fields: list[Any]) -> np.dtype[Any]:
    """Return a record whose fields begin at multiples of 64 bytes."""
    formats = [np.dtype((kind, shape)) for _, kind, shape in fields]
    ends = np.cumsum([-(-one.itemsize // 64) * 64 for one in formats]).tolist()
    names = [name for name, _, _ in fields]
    of_fields = {
        "names": names,
        "formats": formats,
        "offsets": [0, *ends[:-1]],
        "itemsize": ends[-1],
    }
    return struct(of_fields)


MEMORY = _memory([*_NUMBERS, *_TRAINED, *_ARRAYS])
