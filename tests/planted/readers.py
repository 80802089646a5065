"""Bugs that a reader who knew no test planted, and that no test of their area caught then."""

from __future__ import annotations

from .harness import Bug

LEARNING = ("tests/test_value_learning.py",)

BUGS = [
    Bug(
        "Lambda-returns are cut at the turn after the one with the random move (strayed[t], not t + 1)",
        "training/afterstate/games.py:play_sample_games",
        "strayed[t + 1] and not by_greedy",
        "strayed[t] and not by_greedy",
        ("tests/test_samples.py", "-k", "cuts"),
    ),
    Bug(
        "against an opponent, samples are kept of every seat's view of the learner's turns, instead of the learner's view of all turns",
        "training/afterstate/games.py:play_sample_games",
        "wanted = learner < 0 or viewer == learner",
        "wanted = learner < 0 or mover == learner",
        ("tests/test_samples.py", "-k", "opponent"),
    ),
    Bug(
        "a searching opponent plays without its search in training games: its simulations are not passed on",
        "training/train_afterstate.py:AfterstateLearner.behaviour",
        "            opponent_sims=self._opponent.sims,\n",
        "",
        LEARNING,
    ),
    Bug(
        "the learning rate follows the rounds alone, so it never falls in a run that the minutes end",
        "training/train_afterstate.py:AfterstateLearner.learning_rate",
        "math.cos(math.pi * self.progress)",
        "math.cos(math.pi * self.fraction_done())",
        LEARNING,
    ),
    Bug(
        "the replay is cleared one round late: greedy's games stay a round longer and the network's first round is lost",
        "training/train_afterstate.py:AfterstateLearner.round",
        "if number == config.greedy_rounds:",
        "if number == config.greedy_rounds + 1:",
        LEARNING,
    ),
    Bug(
        "after starting from a checkpoint the first round is still played by the random weights (acting is not refreshed)",
        "training/train_afterstate.py:AfterstateLearner.start",
        '            raise ConfigError(f"start is {self.config.start!r}: {error}") from None\n        self.acting = self.fitter.mean.params()\n',
        '            raise ConfigError(f"start is {self.config.start!r}: {error}") from None\n',
        LEARNING,
    ),
    Bug(
        "the running mean takes the smaller of its two weights: slow at first, and slower and slower for ever",
        "training/afterstate/learning.py:Fitter._follow",
        "weight = max(self._average, 1 / (1 + self.steps / 4))",
        "weight = min(self._average, 1 / (1 + self.steps / 4))",
        LEARNING,
    ),
    Bug(
        "loaded networks are shared by name, not by checksum: another checkpoint of the same name plays with the first one's weights",
        "cacao_env/agents/value/checkpoint.py:load_value_agent",
        '    other = _LOADED.get(manifest["sha256"])\n    net = from_params(params, layout) if other is None else other.net  # 7 MB of a shipped one\n    agent = (\n        ValueAgent(net, name, manifest)\n        if search is None\n        else SearchAgent(net, name, manifest, **search)\n    )\n    _LOADED.setdefault(manifest["sha256"], agent)\n',
        '    other = _LOADED.get(manifest["name"])\n    net = from_params(params, layout) if other is None else other.net  # 7 MB of a shipped one\n    agent = (\n        ValueAgent(net, name, manifest)\n        if search is None\n        else SearchAgent(net, name, manifest, **search)\n    )\n    _LOADED.setdefault(manifest["name"], agent)\n',
        LEARNING,
    ),
    Bug(
        "with several processes each clips its own gradients before they are averaged, not their mean",
        "training/ppo/learner.py:PpoFitter._descend",
        "        average_gradients(self.net)\n        torch.nn.utils.clip_grad_norm_(self.net.parameters(), c.max_grad_norm)\n",
        "        torch.nn.utils.clip_grad_norm_(self.net.parameters(), c.max_grad_norm)\n        average_gradients(self.net)\n",
        ("tests/test_ppo.py", "-k", "mean_of_all"),
    ),
    Bug(
        "every process plays the same deals: the games' seed does not depend on the rank",
        "training/train_ppo.py:PpoLearner.__init__",
        "            seed=config.seed + rank(),\n",
        "            seed=config.seed,\n",
        ("tests/test_ppo.py", "-k", "share_a_network"),
    ),
    Bug(
        "the draw that picks the earlier self is the same in every round",
        "training/train_ppo.py:PpoLearner.round",
        "np.random.default_rng([config.seed, self.rounds + 1]).random()",
        "np.random.default_rng([config.seed, config.past_rounds]).random()",
        ("tests/test_ppo.py", "-k", "earlier_self"),
    ),
    Bug(
        "beyond 2000 blocks the bootstrap repeats the same resamples: each part draws from the same seed",
        "cacao_env/evaluation/intervals.py:resampled_means",
        "picks = rng.integers(0, blocks, (count, blocks))",
        "picks = np.random.default_rng(seed).integers(0, blocks, (count, blocks))",
        ("tests/test_ratings.py", "-k", "parts"),
    ),
    Bug(
        "five stored cacao count as much as one gold: such seats share the win (factor 5 instead of more than 5)",
        "cacao_env/engine/scoring.py:win_shares_into",
        "    best = scores[0] * 8 + state.cacao[0]\n    for seat in range(1, state.num_players):\n        best = max(best, scores[seat] * 8 + state.cacao[seat])\n    winners = 0\n    for seat in range(state.num_players):\n        out[seat] = 1.0 if scores[seat] * 8 + state.cacao[seat] == best else 0.0\n",
        "    best = scores[0] * 5 + state.cacao[0]\n    for seat in range(1, state.num_players):\n        best = max(best, scores[seat] * 5 + state.cacao[seat])\n    winners = 0\n    for seat in range(state.num_players):\n        out[seat] = 1.0 if scores[seat] * 5 + state.cacao[seat] == best else 0.0\n",
        ("tests/test_game.py", "-k", "stored"),
    ),
    Bug(
        "scaled observations are decoded by cutting off, not by rounding, so some numbers are 1 too small",
        "cacao_env/engine/observation.py:decode",
        "np.rint(observation * highs).astype(np.uint8)",
        "(observation * highs).astype(np.uint8)",
        ("tests/test_observation.py", "-k", "gives_back"),
    ),
]
