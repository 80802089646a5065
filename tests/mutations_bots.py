"""Bugs for bots, planted as those of :mod:`tests.mutations_compiled` are."""

from __future__ import annotations

from tests.mutations import Mutation

GREEDY = ("tests/test_bots.py", "-k", "expects")
HIDDEN = ("tests/test_hidden_information.py", "-k", "every_bot_plays")
SEARCH = ("tests/test_search.py",)
MARGINS = ("tests/test_endgame.py",)
ENDGAME = ("tests/test_endgame.py", "-k", "draws or bounds or limits")

# What is broken, file, text, replacement, tests that must fail.
MUTATIONS: list[Mutation] = [
    (
        "a bot sees gains at a temple with workers only",
        "bots/appraisal.py",
        "value += look.gain[side, workers]  #",
        "value += look.gain[side, workers] * (workers > 0 or look.code[side] != TEMPLE)  #",
        GREEDY,
    ),
    (
        "a bot counts each step of water twice",
        "bots/appraisal.py",
        "water + sums[CARRIED])]",
        "water + 2 * sums[CARRIED])]",
        GREEDY,
    ),
    (
        "a bot fears for gold that it does not have",
        "bots/appraisal.py",
        "value -= min(int(state.gold[seat]), sums[PAID])",
        "value -= sums[PAID]",
        GREEDY,
    ),
    (
        "a bot thinks that overbuilding is free",
        "bots/appraisal.py",
        "look.sums[TOKENS] = -overbuilds",
        "look.sums[TOKENS] = 0",
        GREEDY,
    ),
    (
        "a bot keeps the temple workers of a tile that it covers",
        "bots/appraisal.py",
        "packed -= WORKERS[covered, side] << (8 * seat)",
        "packed -= 0",
        GREEDY,
    ),
    (
        "a bot harvests before it sells",
        "bots/appraisal.py",
        "before = min(sold, cacao)",
        "before = 0",
        GREEDY,
    ),
    (
        "a bot lays volcanoes one way only",
        "bots/greedy.py",
        "return 2 if side != NOWHERE and state.display[slot] == VOLCANO else 1",
        "return 1",
        GREEDY,
    ),
    (
        "a bot sells with all workers of an edge or none",
        "bots/greedy.py",
        "least = 0 if ACTION_CLASS[code] == SELL_CACAO else most",
        "least = most",
        GREEDY,
    ),
    (
        "a bot takes the first of equals",
        "bots/greedy.py",
        "if below(rng, ties) == 0:",
        "if False:",
        ("tests/test_bots.py", "-k", "same_seed and greedy"),
    ),
    (
        "a bot counts a shared win as a whole one",
        "bots/playout.py",
        "    share = wins[seat] / winners\n    return",
        "    share = 1.0 * wins[seat]\n    return",
        SEARCH,
    ),
    (
        "all seats of a playout think like the first",
        "bots/playout.py",
        "weights[state.seat], rng))",
        "weights[0], rng))",
        ("tests/test_bots.py", "-k", "believing"),
    ),
    (
        "mc believes in the hands that there are",
        "bots/mc.py",
        "        redeal(work[0], seat, rng)\n",
        "",
        HIDDEN,
    ),
    (
        "each of mc's candidates meets a deal of its own",
        "bots/mc.py",
        "            work[1] = work[0]\n",
        "            work[1] = work[0]\n            redeal(work[1], seat, rng)\n",
        SEARCH,
    ),
    (
        "the margin is to the mean of all",
        "bots/playout.py",
        "(players * score(state, seat) - total) / (players - 1)",
        "(players * score(state, seat) - total) / players",
        MARGINS,
    ),
    (
        "mc's candidates meet different luck",
        "bots/mc.py",
        "dice[0] = bits",
        "dice[0] = next_bits(rng)",
        SEARCH,
    ),
    (
        "halving keeps the worst",
        "bots/halving.py",
        "if sums[i] > sums[best]:",
        "if sums[i] < sums[best]:",
        SEARCH,
    ),
    (
        "mc tries what greedy thinks least of",
        "bots/greedy.py",
        "if choices.values[k] > choices.values[best]:",
        "if choices.values[k] < choices.values[best]:",
        SEARCH,
    ),
    (
        "ismcts believes in the hands that there are",
        "bots/ismcts.py",
        "        redeal(state, seat, rng)\n",
        "",
        HIDDEN,
    ),
    (
        "ismcts does not count what was available",
        "bots/ismcts.py",
        "nodes[child].available += 1",
        "nodes[child].available += 0",
        SEARCH,
    ),
    (
        "ismcts gives every seat the searcher's gains",
        "bots/ismcts.py",
        "gains[nodes[path[i]].seat]",
        "gains[seat]",
        SEARCH,
    ),
    (
        "ismcts takes the least visited",
        "bots/ismcts.py",
        "if nodes[child].visits > nodes[best].visits:",
        "if nodes[child].visits < nodes[best].visits:",
        SEARCH,
    ),
    (
        "the solved end weighs a second draw by the whole pile",
        "bots/endgame.py",
        "weight *= alike / (len(draws) - i)",
        "weight *= alike / len(draws)",
        ENDGAME,
    ),
    (
        "the solved end weighs a draw as if all tiles differed",
        "bots/endgame.py",
        "alike += draws[k] == draws[i]",
        "alike += k == i",
        ENDGAME,
    ),
    (
        "the solved end tries equal draws twice",
        "bots/endgame.py",
        "if draws[other] > draws[rises]:",
        "if draws[other] >= draws[rises]:",
        ENDGAME,
    ),
    (
        "the solved end narrows the window of the wrong seat",
        "bots/endgame.py",
        "        if seat == 0:\n            frame.low",
        "        if seat == 1:\n            frame.low",
        ENDGAME,
    ),
    (
        "the solved end keeps its window below a draw",
        "bots/endgame.py",
        "bounded = frame.weight == 1.0",
        "bounded = True",
        ENDGAME,
    ),
    (
        "the solved end begins while hands are secret",
        "bots/endgame.py",
        "if state.drawn[seat] < state.tiles_each:",
        "if False:",
        ENDGAME,
    ),
    (
        "the solved end forgets the turn in progress",
        "bots/endgame.py",
        "if state.phase != PLACE:",
        "if False:",
        ENDGAME,
    ),
]
