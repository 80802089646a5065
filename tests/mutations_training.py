"""Plant bugs in ``training``, one at a time, and see that its tests catch each.

``python -m tests.mutations_training [WORD ...]``, as :mod:`tests.mutations` does for the engine; the
engine stays as it is here, so everything runs compiled.
"""

from __future__ import annotations

import sys

from tests import mutations_learning, mutations_runs
from tests.planting import plant_all

AGENTS, EVALUATE = ("tests/test_agents.py",), ("tests/test_evaluate.py",)
RATINGS, SEQUENTIAL = ("tests/test_ratings.py",), ("tests/test_sequential.py",)
REGRET = ("tests/test_regret.py",)
TALLY, EXPLOIT = ("tests/test_tally.py",), ("tests/test_exploit.py",)

# What is broken, file, text, replacement, tests that must fail.
MUTATIONS = [
    (
        "a class is handed the true deal",
        "agents.py",
        "seen.redeal(decider(game), rng)",
        "decider(game)",
        AGENTS,
    ),
    (
        "a class is handed the game itself",
        "agents.py",
        "seen = game.clone()\n            seen.redeal(decider(game), rng)",
        "seen = game",
        AGENTS,
    ),
    (
        "all seats' bots draw the same numbers",
        "agents.py",
        "return Bot(self.name, seed)",
        "return Bot(self.name, 0)",
        AGENTS,
    ),
    (
        "a window of another size has its corner elsewhere",
        "ppo/window.py",
        "state.corner_row, state.corner_column = row, column",
        "pass",
        AGENTS,
    ),
    (
        "a small window withholds nothing",
        "ppo/window.py",
        "if size < own and self._fits:",
        "if False:",
        AGENTS,
    ),
    (
        "cells outside of an outgrown window are shown at other places",
        "ppo/window.py",
        "state[count] = int(kept.sum())",
        "pass",
        AGENTS,
    ),
    (
        "an action of a window is not translated",
        "ppo/window.py",
        "return int(index[cell]) * NUM_VARIANTS + variant",
        "return chosen",
        AGENTS,
    ),
    (
        "the candidate never sits on the last seat",
        "measure/blocks.py",
        "for rotation in range(self.pairing.players):",
        "for rotation in range(self.pairing.players - 1):",
        EVALUATE,
    ),
    (
        "with more players only one of two is the candidate",
        "measure/blocks.py",
        "(combinations if count == 2 else permutations)",
        "combinations",
        EVALUATE,
    ),
    (
        "all games of an evaluation have one seed",
        "measure/blocks.py",
        "str(seed), str(block),",
        "str(seed),",
        EVALUATE,
    ),
    (
        "the games of a block have deals of their own",
        "measure/arena.py",
        "rules.seed + block, rules.volcanoes)\n        self.kept",
        "rules.seed + 7 * block + rotation, rules.volcanoes)\n        self.kept",
        EVALUATE,
    ),
    (
        "a shared win counts whole",
        "measure/arena.py",
        "1 / len(self.winners)",
        "1.0",
        EVALUATE,
    ),
    (
        "the margin is to the worst other",
        "measure/arena.py",
        "self.scores[seat] - max(",
        "self.scores[seat] - min(",
        EVALUATE,
    ),
    (
        "the opponent's results are those of the candidate's seat",
        "measure/summary.py",
        "seat = game.rotation if agent == pairing.agent else 1 - game.rotation\n        found",
        "seat = game.rotation\n        found",
        EVALUATE,
    ),
    (
        "times are given for the other agent",
        "measure/summary.py",
        "1000 * spent.placement_seconds / max(1, spent.placements)",
        "1000 * spent.seconds / max(1, spent.placements)",
        EVALUATE,
    ),
    (
        "what finished before a stop is played again",
        "measure/campaign.py",
        "if chunk.key not in store.outcomes]",
        "]",
        EVALUATE,
    ),
    (
        "a line that was cut off stays",
        "measure/store.py",
        "self._file.truncate(whole)",
        "pass",
        EVALUATE,
    ),
    (
        "a resume under another seed is accepted",
        "measure/store.py",
        "if kept.get(key) != settings[key]:",
        'if key != "seed" and kept.get(key) != settings[key]:',
        EVALUATE,
    ),
    (
        "a test looks at chunks in the order in which they come",
        "measure/campaign.py",
        "if chunk.key not in store.outcomes:\n            return None",
        "if chunk.key not in store.outcomes:\n            continue",
        EVALUATE,
    ),
    (
        "a dead worker is not noticed as such",
        "measure/workers.py",
        'how = f"by signal {-code}" if code is not None and code < 0 else',
        'how = f"by signal {code}" if code is not None and code > 0 else',
        EVALUATE,
    ),
    (
        "games are drawn, not blocks",
        "measure/intervals.py",
        "means[first : first + count] = times @ flat / blocks",
        "means[first : first + count] = flat.mean(axis=0) + (times @ (flat - flat.mean(axis=0))"
        " / blocks) / 3",
        RATINGS,
    ),
    (
        "intervals are those of 80 %",
        "measure/intervals.py",
        "LEVEL = (2.5, 97.5)",
        "LEVEL = (10, 90)",
        RATINGS,
    ),
    (
        "all won is taken for certain",
        "measure/intervals.py",
        "low = rest",
        "pass",
        RATINGS,
    ),
    (
        "ties count for neither",
        "measure/ratings.py",
        "1 if place > behind else 0.5",
        "1 if place > behind else 0",
        RATINGS,
    ),
    (
        "cacao does not break ties in rankings",
        "measure/ratings.py",
        "zip(game.scores, game.cacao, strict=True)",
        "zip(game.scores, game.scores, strict=True)",
        RATINGS,
    ),
    (
        "the anchor is the first agent although greedy is there",
        "measure/ratings.py",
        "agents.index(ANCHOR) if ANCHOR in agents else 0",
        "len(agents) - 1",
        RATINGS,
    ),
    (
        "ratings are in natural units",
        "measure/ratings.py",
        "ELO = 400 / np.log(10)",
        "ELO = 400.0",
        RATINGS,
    ),
    (
        "only those who beat the anchor themselves are bounded",
        "measure/ratings.py",
        "for _ in range(len(won)):",
        "for _ in range(0):",
        RATINGS,
    ),
    (
        "the sequential test stops at half the evidence",
        "measure/sequential.py",
        "upper = np.log((1 - self.beta) / self.alpha)",
        "upper = np.log((1 - self.beta) / self.alpha) / 2",
        SEQUENTIAL,
    ),
    (
        "the sequential test accepts H0 too soon",
        "measure/sequential.py",
        "lower = np.log(self.beta / (1 - self.alpha))",
        "lower = np.log(self.beta / (1 - self.alpha)) / 2",
        SEQUENTIAL,
    ),
    (
        "the sequential test takes the variance of games for that of blocks",
        "measure/sequential.py",
        "np.maximum(squares / count - mean * mean, 1e-6)",
        "np.maximum(mean * (1 - mean), 1e-6)",
        SEQUENTIAL,
    ),
    (
        "the sequential test knows only 2 players",
        "measure/sequential.py",
        "strength / (strength + players - 1)",
        "strength / (strength + 1)",
        SEQUENTIAL,
    ),
    (
        "gold of mines is put down to sales",
        "measure/tally.py",
        "source = MINES",
        "source = SALES",
        TALLY,
    ),
    (
        "volcanoes that take gold are not counted",
        "measure/tally.py",
        "out[seat, source] += int(state.gold[seat]) - before",
        "out[seat, source] += max(0, int(state.gold[seat]) - before)",
        TALLY,
    ),
    (
        "moves made without asking are not played again",
        "measure/tally.py",
        "automatic(state) if auto else NONE",
        "NONE",
        TALLY,
    ),
    (
        "the learner keeps its seat",
        "ppo/versus_agents.py",
        "self.learners[g] = (own + 1) % self.num_players",
        "pass",
        EXPLOIT,
    ),
    (
        "the learner's reward is another seat's",
        "ppo/versus_agents.py",
        "each[self.learners[g]]",
        "each[self.learners[g] - 1]",
        EXPLOIT,
    ),
    (
        "potentials are kept from one game to the next",
        "ppo/versus_agents.py",
        "            self._potentials[g] = 0\n",
        "",
        EXPLOIT,
    ),
    (
        "illegal actions are played until one is refused",
        "ppo/versus_agents.py",
        "if not known or not self.action_masks[g, action]:",
        "if False:",
        EXPLOIT,
    ),
    (
        "a loss is measured from the worst action",
        "measure/losses.py",
        "float(values[:count].max() - chosen)",
        "float(chosen - values[:count].min())",
        REGRET,
    ),
    (
        "an action's value is looked up at its place among the legal ones",
        "measure/losses.py",
        "values[:count][ids[:count] == action][0]",
        "values[:count][np.sort(ids[:count]) == action][0]",
        REGRET,
    ),
    (
        "the root is searched with bounds: what is worse has no value of its own",
        "measure/losses.py",
        "MARGIN, NODES, True, ids, values",
        "MARGIN, NODES, False, ids, values",
        REGRET,
    ),
    (
        "ends are solved for the share of the win",
        "measure/losses.py",
        "end_values(game.states, MARGIN,",
        "end_values(game.states, 0,",
        REGRET,
    ),
    (
        "a rival is chosen and compared by the same playouts",
        "measure/losses.py",
        "    return float(margins[0] - margins[1]) / (rollouts - half)",
        "    own = sums[:count][ids[:count] == action][0]\n    return float(sums.max() - own) / half",
        REGRET,
    ),
    (
        "decisions near the end are sampled, too",
        "measure/losses.py",
        "        else:\n            earlier.append",
        "        if True:\n            earlier.append",
        REGRET,
    ),
    (
        "only the first decisions of a game are sampled",
        "measure/losses.py",
        "rng.choice(len(earlier), count, replace=False)",
        "rng.choice(count, count, replace=False)",
        REGRET,
    ),
    (
        "what is not solved is forgotten",
        "measure/losses.py",
        "unsolved += 1",
        "pass",
        REGRET,
    ),
    (
        "deals are played once for each seat",
        "measure/self_play.py",
        "yield block, 0",
        "yield from ((block, 0), (block, 1))",
        REGRET,
    ),
    (
        "games come in the order in which workers finish",
        "measure/self_play.py",
        "return sorted(found, key=lambda game: game.block)",
        "return sorted(found, key=lambda game: -game.block)",
        REGRET,
    ),
    (
        "a loss of just one gold is a blunder",
        "regret.py",
        "(gold > most)",
        "(gold >= most)",
        REGRET,
    ),
    (
        "a placement's loss is divided by all decisions",
        "regret.py",
        '("placement_loss", "placement_gold", "placements")',
        '("placement_loss", "placement_gold", "decisions")',
        REGRET,
    ),
    (
        "decisions are drawn, not games",
        "regret.py",
        "rows = np.array([_sums(of(game)) for game in games])",
        "rows = np.array([_sums([x]) for g in games for x in of(g)] or [[0.0] * 7])",
        REGRET,
    ),
    (
        "no blunder seen is none there",
        "regret.py",
        "low, high = _widened(value, low, high, len(games))",
        "pass",
        REGRET,
    ),
]


def main() -> int:
    """Try all mutations, or those whose description contains a word given."""
    every = [*MUTATIONS, *mutations_learning.MUTATIONS, *mutations_runs.MUTATIONS]
    return plant_all("training", every, sys.argv[1:] or [""])


if __name__ == "__main__":
    sys.exit(main())
