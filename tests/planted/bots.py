"""Planted bugs: bots."""

from __future__ import annotations

from .harness import Bug

GREEDY = ("tests/test_bots.py", "-k", "expects")
HIDDEN = ("tests/test_hidden_information.py", "-k", "every_bot_plays")
SEARCH = ("tests/test_search.py",)
MARGINS = ("tests/test_endgame.py",)
ENDGAME = ("tests/test_endgame.py", "-k", "draws or bounds or limits")

BUGS = [
    Bug(
        "a bot sees gains at a temple with workers only",
        "cacao_env/engine/heuristic.py:tile_value",
        "value += look.gain[side, workers]  #",
        "value += look.gain[side, workers] * (workers > 0 or look.code[side] != TEMPLE)  #",
        GREEDY,
    ),
    Bug(
        "a bot counts each step of water twice",
        "cacao_env/engine/heuristic.py:worth_of_sums",
        "water + sums[CARRIED])]",
        "water + 2 * sums[CARRIED])]",
        GREEDY,
    ),
    Bug(
        "a bot fears for gold that it does not have",
        "cacao_env/engine/heuristic.py:worth_of_sums",
        "value -= min(np.int64(state.gold[seat]), sums[PAID])",
        "value -= sums[PAID]",
        GREEDY,
    ),
    Bug(
        "a bot thinks that overbuilding is free",
        "cacao_env/engine/heuristic.py:prepare",
        "look.sums[TOKENS] = -overbuilds",
        "look.sums[TOKENS] = 0",
        GREEDY,
    ),
    Bug(
        "a bot keeps the temple workers of a tile that it covers",
        "cacao_env/engine/heuristic.py:_prepare_temple",
        "packed -= WORKERS[covered, side] << (8 * seat)",
        "packed -= 0",
        GREEDY,
    ),
    Bug(
        "a bot harvests before it sells",
        "cacao_env/engine/heuristic.py:trade",
        "before = min(sold, cacao)",
        "before = 0",
        GREEDY,
    ),
    Bug(
        "a bot lays volcanoes one way only",
        "cacao_env/engine/greedy.py:orientations",
        "return 2 if side != NOWHERE and state.display[slot] == VOLCANO else 1",
        "return 1",
        GREEDY,
    ),
    Bug(
        "a bot sells with all workers of an edge or none",
        "cacao_env/engine/greedy.py:best_orders",
        "least = 0 if ACTION_CLASS[code] == SELL_CACAO else most",
        "least = most",
        GREEDY,
    ),
    Bug(
        "a bot takes the first of equals",
        "cacao_env/agents/greedy.py:greedy_choice",
        "if below(rng, ties) == 0:",
        "if False:",
        ("tests/test_bots.py", "-k", "same_seed and greedy"),
    ),
    Bug(
        "a bot counts a shared win as a whole one",
        "cacao_env/agents/playout.py:value_of",
        "    win_shares_into(state, scores, win_shares)\n    return",
        "    win_shares_into(state, scores, win_shares)\n    win_shares[:] = win_shares > 0\n    return",
        SEARCH,
    ),
    Bug(
        "all seats of a playout think like the first",
        "cacao_env/agents/playout.py:play_out",
        "weights[state.seat], rng))",
        "weights[0], rng))",
        ("tests/test_bots.py", "-k", "believing"),
    ),
    Bug(
        "mc believes in the hands that there are",
        "cacao_env/agents/mc.py:run_passes",
        "        redeal(work[0], seat, rng)\n",
        "",
        HIDDEN,
    ),
    Bug(
        "each of mc's candidates meets a deal of its own",
        "cacao_env/agents/mc.py:run_passes",
        "            work[1] = work[0]\n",
        "            work[1] = work[0]\n            redeal(work[1], seat, rng)\n",
        SEARCH,
    ),
    Bug(
        "the margin is to the mean of all",
        "cacao_env/engine/scoring.py:relative_score",
        "return (num_players * scores[seat] - total) / (num_players - 1)",
        "return (num_players * scores[seat] - total) / num_players",
        MARGINS,
    ),
    Bug(
        "mc's candidates meet different luck",
        "cacao_env/agents/mc.py:run_passes",
        "dice[0] = bits",
        "dice[0] = next_bits(rng)",
        SEARCH,
    ),
    Bug(
        "halving keeps the worst",
        "cacao_env/agents/halving.py:keep_best",
        "if sums[i] > sums[best]:",
        "if sums[i] < sums[best]:",
        SEARCH,
    ),
    Bug(
        "mc tries what greedy thinks least of",
        "cacao_env/engine/greedy.py:sort_best",
        "if choices.values[k] > choices.values[best]:",
        "if choices.values[k] < choices.values[best]:",
        SEARCH,
    ),
    Bug(
        "ismcts believes in the hands that there are",
        "cacao_env/agents/ismcts.py:iterate",
        "        redeal(state, seat, rng)\n",
        "",
        HIDDEN,
    ),
    Bug(
        "ismcts does not count what was available",
        "cacao_env/agents/ismcts.py:_select",
        "nodes[child].available += 1",
        "nodes[child].available += 0",
        SEARCH,
    ),
    Bug(
        "ismcts gives every seat the searcher's gains",
        "cacao_env/agents/ismcts.py:iterate",
        "gains[nodes[path[i]].seat]",
        "gains[seat]",
        SEARCH,
    ),
    Bug(
        "ismcts takes the least visited",
        "cacao_env/agents/ismcts.py:most_visited",
        "if nodes[child].visits > nodes[best].visits:",
        "if nodes[child].visits < nodes[best].visits:",
        SEARCH,
    ),
    Bug(
        "the solved end weighs a second draw by the whole pile",
        "cacao_env/agents/endgame.py:_probability",
        "weight *= alike / (len(draws) - i)",
        "weight *= alike / len(draws)",
        ENDGAME,
    ),
    Bug(
        "the solved end weighs a draw as if all tiles differed",
        "cacao_env/agents/endgame.py:_probability",
        "alike += draws[k] == draws[i]",
        "alike += k == i",
        ENDGAME,
    ),
    Bug(
        "the solved end tries equal draws twice",
        "cacao_env/agents/endgame.py:_reorder_pile",
        "if draws[other] > draws[rises]:",
        "if draws[other] >= draws[rises]:",
        ENDGAME,
    ),
    Bug(
        "the solved end narrows the window of the wrong seat",
        "cacao_env/agents/endgame.py:_take",
        "        if seat == 0:\n            frame.low",
        "        if seat == 1:\n            frame.low",
        ENDGAME,
    ),
    Bug(
        "the solved end takes later draws for nothing",
        "cacao_env/agents/endgame.py:_search",
        "rest = most * max(0.0, 1 - frame.done - frame.weight)",
        "rest = 0.0",
        ENDGAME,
    ),
    Bug(
        "the solved end begins while hands are secret",
        "cacao_env/agents/endgame.py:is_near_end",
        "if state.drawn[seat] < state.tiles_each:",
        "if False:",
        ENDGAME,
    ),
    Bug(
        "the solved end forgets the turn in progress",
        "cacao_env/agents/endgame.py:is_near_end",
        "if state.phase != PLACE:",
        "if False:",
        ENDGAME,
    ),
]
