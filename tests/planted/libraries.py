"""Planted bugs: libraries."""

from __future__ import annotations

from .harness import Bug

SPIEL = ("tests/test_open_spiel.py",)
CLUSTER = ("tests/test_cluster.py",)

BUGS = [
    Bug(
        "open_spiel: all kinds are drawn equally often",
        "cacao_env/envs/open_spiel.py:CacaoState.chance_outcomes",
        "float(n) / len(left)",
        "1.0 / len(kinds)",
        SPIEL,
    ),
    Bug(
        "open_spiel: a draw does not reach the pile",
        "cacao_env/envs/open_spiel.py:CacaoState._arranged",
        "order[at], order[place] = order[place], order[at]",
        "pass",
        SPIEL,
    ),
    Bug(
        "open_spiel: players see what others draw",
        "cacao_env/envs/open_spiel.py:Observer.string_from",
        "if who in (-1, JUNGLE, player)]",
        "if who >= -1]",
        SPIEL,
    ),
    Bug(
        "open_spiel: resampling keeps the true deal",
        "cacao_env/envs/open_spiel.py:CacaoState.resampled",
        "        seen.redeal(player, rng)\n",
        "",
        SPIEL,
    ),
    Bug(
        "open_spiel: the winner alone is paid",
        "cacao_env/envs/open_spiel.py:CacaoState.returns",
        "float(zero_sum_win(share, players)) for share",
        "float(share) for share",
        SPIEL,
    ),
    Bug(
        "open_spiel: tiles are drawn before they are needed",
        "cacao_env/envs/open_spiel.py:CacaoState._go_on",
        "pending, self._next_draw(one)",
        "pending, (self._next_draw(one) if self._is_new else None)",
        SPIEL,
    ),
    Bug(
        "open_spiel: an illegal action is noted",
        "cacao_env/envs/open_spiel.py:CacaoState._apply_action",
        "            self._go_on(action)\n            self.events.append((-1, text))",
        "            self.events.append((-1, text))\n            self._go_on(action)",
        SPIEL,
    ),
    Bug(
        "open_spiel: the tensor is another player's",
        "cacao_env/envs/open_spiel.py:Observer.set_from",
        "state.game.observation(player), self._factors",
        "state.game.observation(0), self._factors",
        SPIEL,
    ),
    Bug(
        "cluster: illegal actions keep some probability",
        "training/rllib/module.py",
        "ILLEGAL = -1e9",
        "ILLEGAL = -1.0",
        CLUSTER,
    ),
    Bug(
        "cluster: only who acts is paid",
        "training/rllib/env.py:CacaoTable.step",
        "for who in self.possible_agents}\n        done",
        "for who in [name]}\n        done",
        CLUSTER,
    ),
    Bug(
        "cluster: a seat acts that was not asked",
        "training/rllib/env.py:CacaoTable.step",
        "if name != self._game.agent_selection:",
        "if not name:",
        CLUSTER,
    ),
    Bug(
        "cluster: blocks on Ray have other deals",
        "cacao_env/evaluation/cluster.py:play",
        "_player(specs, seed)(chunk",
        "_player(specs, seed + 1)(chunk",
        CLUSTER,
    ),
    Bug(
        "cluster: an evaluation plays here instead",
        "cacao_env/cli/measure.py:_player_on",
        "if ray is None:",
        "if True:",
        CLUSTER,
    ),
    Bug(
        "cluster: a leaderboard plays here instead",
        "cacao_env/cli/measure.py:_leaderboard",
        "_player_on(options.ray)",
        "_player_on(None)",
        CLUSTER,
    ),
    Bug(
        "cluster: an agent's mistake is a traceback",
        "cacao_env/evaluation/cluster.py:RayPlayers._result",
        "if isinstance(error.cause, ValueError):",
        "if isinstance(error.cause, KeyError):",
        CLUSTER,
    ),
    Bug(
        "cluster: a lost runner is not started again",
        "training/train_rllib.py:algorithm_config",
        "restart_failed_env_runners=True",
        "restart_failed_env_runners=False",
        CLUSTER,
    ),
    Bug(
        "cluster: a resumed run has new weights",
        "training/train_rllib.py:RllibLearner.restore",
        "        self.rllib.learner_group.set_weights({POLICY: weights})\n",
        "",
        CLUSTER,
    ),
    Bug(
        "cluster: the checkpoint is that of another network",
        "training/train_rllib.py:RllibLearner.net",
        "net.load_state_dict(net_weights(self.weights()))",
        "pass",
        CLUSTER,
    ),
]
