"""Bugs that a reader who knew no test planted, and that no test caught then."""

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
]
