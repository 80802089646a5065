"""Planted bugs: decisions by turns, candidate rows, and learning on them."""

from __future__ import annotations

from .harness import Bug

TURN = ("tests/test_turn.py",)
ROWS = ("tests/test_candidates.py",)
PPO = ("tests/test_ppo_rows.py",)

BUGS = [
    Bug(
        "rows: by turns, fills are asked",
        "cacao_env/engine/decisions.py:unasked",
        "(state.phase == FILL or state.phase == ACT)",
        "state.phase == ACT",
        (*TURN, "-k", "only_placements"),
    ),
    Bug(
        "rows: by turns, the last of equal choices is made",
        "cacao_env/engine/turn.py:late_choice",
        "if this > rank:",
        "if True:",
        (*TURN, "-k", "every_time"),
    ),
    Bug(
        "rows: by turns, the worst choice is made",
        "cacao_env/engine/turn.py:late_choice",
        "best = max(best, choices.values[i])",
        "best = min(best, choices.values[i])",
        (*TURN, "-k", "best_choice"),
    ),
    Bug(
        "rows: moves made for a player are not marked",
        "cacao_env/game.py:Game.elementary_moves",
        "played != NONE, game.move(action)",
        "False, game.move(action)",
        (*TURN, "-k", "only_placements"),
    ),
    Bug(
        "rows: the true pile is drawn from",
        "cacao_env/engine/candidates.py:candidates_into",
        "deal_pile(dealt[0], viewer)",
        "pass",
        (*ROWS, "-k", "nothing_hidden"),
    ),
    Bug(
        "rows: the next seat's hand is seen",
        "cacao_env/engine/replies.py:look_ahead",
        "state.hand[follower, kind] = state.unplaced[follower, kind]",
        "pass",
        (*ROWS, "-k", "nothing_hidden"),
    ),
    Bug(
        "rows: the own next tile is seen",
        "cacao_env/engine/replies.py:look_ahead",
        "state.hand[viewer, kind] = before.hand[viewer, kind] - used",
        "pass",
        (*ROWS, "-k", "nothing_hidden"),
    ),
    Bug(
        "rows: the next seat holds its best tile",
        "cacao_env/engine/replies.py:_mean_best",
        "mean += best[top] * (above - none)",
        "mean = max(mean, best[top])",
        (*ROWS, "-k", "mean_over_its_hands"),
    ),
    Bug(
        "rows: those of equal value stay as they come",
        "cacao_env/engine/candidates.py:_order_ties",
        "order[places[at - 1]] < this",
        "False",
        (*ROWS, "-k", "images"),
    ),
    Bug(
        "rows: the next seat's gains are the others'",
        "cacao_env/engine/candidate_rows.py:_temple",
        "elif other == follower:",
        "elif False:",
        (*ROWS, "-k", "both_standings"),
    ),
    Bug(
        "rows: numbers leave their ranges",
        "cacao_env/engine/candidate_rows.py:clip",
        "row[column] = min(max(row[column], LOWS[column]), HIGHS[column])",
        "pass",
        (*ROWS, "-k", "in_range"),
    ),
    Bug(
        "rows: a row without a choice is played",
        "cacao_env/envs/vector.py:VectorGames.step",
        "if wrong >= 0:",
        "if False:",
        (*ROWS, "-k", "refused"),
    ),
    Bug(
        "rows: old rows are chosen after a step without a look",
        "cacao_env/envs/views.py:Rows.forget",
        "self._actions.fill(NONE)",
        "pass",
        (*ROWS, "-k", "refused"),
    ),
    Bug(
        "rows: one learns from the seats of others",
        "training/ppo/rollout.py:SelfPlay.collect",
        "advantages[not_learned] = np.nan",
        "pass",
        (*PPO, "-k", "seats_of_others"),
    ),
    Bug(
        "rows: margins do not count",
        "training/ppo/rollout.py:SelfPlay._add_margins",
        "(1 - weight) * rewards[ended] + weight * margins",
        "rewards[ended]",
        (*PPO, "-k", "seats_of_others"),
    ),
    Bug(
        "rows: cloning learns the last row",
        "training/ppo/learner.py:PpoFitter.clone",
        "log_prob_and_entropy(logits, masks, rollout.greedy[rows])",
        "log_prob_and_entropy(logits, masks, masks.long().sum(1) - 1)",
        (*PPO, "-k", "cloning"),
    ),
    Bug(
        "rows: earlier selves are not saved",
        "training/train_ppo.py:PpoLearner.arrays",
        'arrays |= named("past", self.past.arrays())',
        "pass",
        (*PPO, "-k", "on_rows_clones"),
    ),
    Bug(
        "policies: greedy's choices on the table have a seed of their own",
        "training/ppo/rollout.py:SelfPlay._greedy_choices",
        "int(torch.randint(1 << 62, (1,)))",
        "int(np.random.default_rng().integers(1 << 62))",
        (*PPO, "-k", "on_the_table_clones"),
    ),
    Bug(
        "policies: RLlib ignores a start",
        "training/ppo/config.py",
        "        if self.start:\n            raise ConfigError(\n                f\"start is {self.start!r}, expected '': RLlib",
        "        if False:\n            raise ConfigError(\n                f\"start is {self.start!r}, expected '': RLlib",
        (*PPO, "-k", "rllib_refuses"),
    ),
    Bug(
        "policies: the keys of a recipe are ignored",
        "training/benchmark.py:recipe_of",
        "keys=(*recipe.keys, *keys)",
        "keys=recipe.keys",
        ("tests/test_benchmark.py", "-k", "set_keys"),
    ),
]
