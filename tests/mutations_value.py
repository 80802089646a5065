"""Plant bugs in the value network's features, turns and search, and see that the tests catch each.

``python -m tests.mutations_value [WORD ...]``, as :mod:`tests.mutations` does for the engine.
"""

from __future__ import annotations

import sys

from tests.planting import plant_all

VALUE = ("tests/test_value.py",)
FEATURES, SEARCH = (
    ("tests/test_features.py",),
    (*VALUE, "-k", "simulation or hidden or time_looks or leaves_fills"),
)
TURNS = (*VALUE, "-k", "best_end or greedy")

# What is broken, file, text, replacement, tests that must fail.
MUTATIONS = [
    (
        "the display is seen as it is after the draw",
        "value/features.py",
        "if (state.refilled >> slot) & 1:",
        "if False:",
        FEATURES,
    ),
    (
        "what the display hides is not on the pile",
        "value/features.py",
        "numbers[PILE + code - 1] += 1 / 4.0",
        "numbers[PILE + code - 1] += 0.0",
        FEATURES,
    ),
    (
        "the tile just drawn is in hand",
        "value/features.py",
        "int(state.hand[viewer, kind]) - (kind == drawn)",
        "int(state.hand[viewer, kind])",
        FEATURES,
    ),
    (
        "slots drawn into are forgotten",
        "state.py",
        "                state.refilled |= 1 << slot\n",
        "                state.refilled |= 1\n",
        FEATURES,
    ),
    (
        "seats are counted from the first player",
        "value/features.py",
        "        seat = (viewer + i) % players\n        first",
        "        seat = i\n        first",
        FEATURES,
    ),
    (
        "other hands are looked into",
        "value/features.py",
        "numbers[first + 5 + LIKE[kind]] += state.unplaced[seat, kind] / 5.0",
        "numbers[first + 5 + LIKE[kind]] += state.hand[seat, kind] / 5.0",
        FEATURES,
    ),
    (
        "mirror images of worker tiles are told apart",
        "value/features.py",
        "LIKE = np.array([0, 1, 2, 2], np.int64)",
        "LIKE = np.array([0, 1, 2, 1], np.int64)",
        FEATURES,
    ),
    (
        "a volcano's letter is that of its far side",
        "value/patterns.py",
        "VOLCANO_GOLD[_code - VOLCANO, opposite(_side)]",
        "VOLCANO_GOLD[_code - VOLCANO, 0]",
        FEATURES,
    ),
    (
        "own and other workers at temples are swapped for some",
        "value/features.py",
        "            if seat != viewer:\n                most",
        "            if seat != 0:\n                most",
        FEATURES,
    ),
    (
        "edges without a second tile have absolute seats",
        "value/features.py",
        "seat = (int(OWNER[code]) - viewer) % players",
        "seat = int(OWNER[code])",
        FEATURES,
    ),
    (
        "prospects count on what was just drawn",
        "value/prospects.py",
        "if (state.refilled >> slot) & 1:",
        "if False:",
        FEATURES,
    ),
    (
        "prospects are all of who is to move",
        "value/prospects.py",
        "        here.seat = seat\n",
        "",
        FEATURES,
    ),
    (
        "prospects are of seats from the first player",
        "value/prospects.py",
        "        seat = (viewer + i) % players\n        gold",
        "        seat = i\n        gold",
        FEATURES,
    ),
    (
        "prospects are those of the first turn found",
        "value/prospects.py",
        "choices.values[: choices.count].max()",
        "choices.values[0]",
        FEATURES,
    ),
    (
        "prospects are seen with all tiles to come",
        "value/features.py",
        "state.placed[viewer] <= LAST:",
        "state.placed[viewer] <= LAST + 1:",
        FEATURES,
    ),
    (
        "rows that four at a time leave are left out",
        "value/net.py",
        "for i in range(whole, len(rows)):",
        "for i in range(0, 0):",
        (*VALUE, "-k", "compiled"),
    ),
    (
        "inputs that four at a time leave are left out",
        "value/net.py",
        "for i in range(whole, len(inputs)):",
        "for i in range(0, 0):",
        (*VALUE, "-k", "compiled"),
    ),
    (
        "numbers that four at a time leave are left out",
        "value/net.py",
        "for i in range(whole, count):",
        "for i in range(0, 0):",
        (*VALUE, "-k", "compiled"),
    ),
    (
        "a row is added twice in place of its neighbour",
        "value/net.py",
        "c, d = table[int(rows[i + 2]) - first], table[int(rows[i + 3]) - first]",
        "c, d = table[int(rows[i + 2]) - first], table[int(rows[i + 2]) - first]",
        (*VALUE, "-k", "compiled"),
    ),
    (
        "compiled code takes all patterns for those of open cells",
        "value/net.py",
        "    for i in range(open_cells):\n",
        "    for i in range(patterns):\n",
        VALUE,
    ),
    (
        "a tie is a whole win",
        "value/net.py",
        "scratch.shares[seat] = wins[seat] / winners",
        "scratch.shares[seat] = wins[seat]",
        VALUE,
    ),
    (
        "positions of a turn with other gold are taken for one",
        "value/turns.py",
        "        key = mixed(key ^ np.uint64(state.gold[seat]))\n",
        "",
        TURNS,
    ),
    (
        "positions of a turn with other stocks are taken for one",
        "value/turns.py",
        "        key = mixed(key ^ np.uint64(stocks))\n",
        "",
        TURNS,
    ),
    (
        "positions of a turn with other fills are taken for one",
        "value/turns.py",
        "key ^ np.uint64(state.board[NEIGHBOR[state.last, side]] & 127)",
        "key",
        TURNS,
    ),
    (
        "positions of a turn with other edges to come are taken for one",
        "value/turns.py",
        "        key = mixed(key ^ np.uint64(state.pending[seat]))\n",
        "",
        TURNS,
    ),
    (
        "a turn is worth its first end",
        "value/turns.py",
        "best = max(best, utility_of(scratch, int(here.num_players), seat))",
        "best = utility_of(scratch, int(here.num_players), seat) if ends == 0 else best",
        TURNS,
    ),
    (
        "a turn's end is judged by who comes next",
        "value/turns.py",
        "best = max(best, utility_of(scratch, int(here.num_players), seat))",
        "best = max(best, utility_of(scratch, int(here.num_players), int(here.seat)))",
        TURNS,
    ),
    (
        "search looks at the true deal",
        "value/search.py",
        "        redeal(here[0], seat, rng)\n",
        "",
        SEARCH,
    ),
    (
        "search stops at anybody's next turn",
        "value/search.py",
        "state.phase == PLACE and state.seat == seat and state.turn > turn:",
        "state.phase == PLACE and state.turn > turn:",
        SEARCH,
    ),
    (
        "candidates meet deals of their own",
        "value/search.py",
        "            here[1] = here[0]\n",
        "            here[1] = here[0]\n            redeal(here[1], seat, rng)\n",
        SEARCH,
    ),
    (
        "candidates' dice go on from one to the next",
        "value/search.py",
        "            dice[0] = bits\n",
        "            dice[0] = next_bits(rng)\n",
        SEARCH,
    ),
    (
        "turns are added up, not averaged",
        "value/search.py",
        "sums[i] += total / seen",
        "sums[i] += total",
        SEARCH,
    ),
    (
        "the outcome counts for nothing",
        "value/search.py",
        "total += utility_of(scratch, int(state.num_players), seat)",
        "total += 0 * utility_of(scratch, int(state.num_players), seat)",
        SEARCH,
    ),
    (
        "a search goes on when its time is over",
        "bots/halving.py",
        "                break  # a pass can take longer than its round",
        "                pass",
        ("tests/test_thinking.py", "-k", "halving"),
    ),
    (
        "the end is near for everybody",
        "value/search.py",
        "return MAX_TURNS if placements_left(state) <= near else turns",
        "return MAX_TURNS",
        SEARCH,
    ),
    (
        "a long search looks no further than a short one",
        "value/search.py",
        "usual = LONG if (ms >= LONG_MS if ms else sims >= LONG_SIMS) else SHORT",
        "usual = SHORT",
        SEARCH,
    ),
    (
        "the first opinion counts as much where simulations go on to the end",
        "value/search.py",
        "return min(prior, 1) if turns == MAX_TURNS else prior",
        "return prior",
        SEARCH,
    ),
    (
        "fills are searched",
        "value/search.py",
        "        if states[0].phase != PLACE:\n            return int(",
        "        if False:\n            return int(",
        SEARCH,
    ),
    (
        "others play their worst",
        "value/search.py",
        "if values[k] > values[best]:",
        "if values[k] < values[best]:",
        SEARCH,
    ),
]


if __name__ == "__main__":
    sys.exit(plant_all("cacao_env", MUTATIONS, sys.argv[1:] or [""]))
