"""Plant bugs in what other libraries use, and see that the tests catch each.

``python -m tests.mutations_libraries WORD ...`` in an environment that has the library:
``open_spiel`` in the one, ``cluster`` in Ray's (docs/libraries.md).
"""

from __future__ import annotations

import sys

from tests.planting import plant_all

SPIEL, CLUSTER = ("tests/test_open_spiel.py",), ("tests/test_cluster.py",)

# What is broken, file, text, replacement, tests that must fail.
ENGINE = [
    (
        "open_spiel: all kinds are drawn equally often",
        "open_spiel.py",
        "float(n) / len(left)",
        "1.0 / len(kinds)",
        SPIEL,
    ),
    (
        "open_spiel: a draw does not reach the pile",
        "open_spiel.py",
        "order[at], order[place] = order[place], order[at]",
        "pass",
        SPIEL,
    ),
    (
        "open_spiel: players are told what others draw",
        "open_spiel.py",
        "if who in (-1, JUNGLE, player)]",
        "if who >= -1]",
        SPIEL,
    ),
    (
        "open_spiel: resampling keeps the true deal",
        "open_spiel.py",
        "        seen.redeal(player, rng)\n",
        "",
        SPIEL,
    ),
    (
        "open_spiel: the winner alone is paid",
        "open_spiel.py",
        "(players * share - 1) / (players - 1) for share",
        "share for share",
        SPIEL,
    ),
    (
        "open_spiel: tiles are drawn before they are needed",
        "open_spiel.py",
        "pending, self._next_draw(one)",
        "pending, (self._next_draw(one) if self._is_new else None)",
        SPIEL,
    ),
    (
        "open_spiel: an illegal action is noted",
        "open_spiel.py",
        "            self._go_on(action)\n            self.events.append((-1, text))",
        "            self.events.append((-1, text))\n            self._go_on(action)",
        SPIEL,
    ),
    (
        "open_spiel: the tensor is another player's",
        "open_spiel.py",
        "state.game.observation(player), self._factors",
        "state.game.observation(0), self._factors",
        SPIEL,
    ),
]
TRAINING = [
    (
        "cluster: illegal actions keep some probability",
        "cluster/module.py",
        "ILLEGAL = -1e9",
        "ILLEGAL = -1.0",
        CLUSTER,
    ),
    (
        "cluster: only who acts is paid",
        "cluster/env.py",
        "for who in self.possible_agents}\n        done",
        "for who in [name]}\n        done",
        CLUSTER,
    ),
    (
        "cluster: a seat acts that was not asked",
        "cluster/env.py",
        "if name != self._game.agent_selection:",
        "if not name:",
        CLUSTER,
    ),
    (
        "cluster: blocks on Ray have other deals",
        "cluster/tasks.py",
        "return _player(specs, rules)(chunk",
        "return _player(specs, Rules(rules.seed + 1))(chunk",
        CLUSTER,
    ),
    (
        "cluster: an evaluation plays here instead",
        "evaluate.py",
        "if ray is None:",
        "if True:",
        CLUSTER,
    ),
    (
        "cluster: a leaderboard plays here instead",
        "leaderboard.py",
        "player_on(options.ray)",
        "player_on(None)",
        CLUSTER,
    ),
    (
        "cluster: an agent's mistake is a traceback",
        "cluster/tasks.py",
        "if isinstance(error.cause, ValueError):",
        "if isinstance(error.cause, KeyError):",
        CLUSTER,
    ),
    (
        "cluster: a lost runner is not started again",
        "train_rllib.py",
        "restart_failed_env_runners=True",
        "restart_failed_env_runners=False",
        CLUSTER,
    ),
    (
        "cluster: a run that goes on begins anew",
        "train_rllib.py",
        '        run.restore(arrays, about["numbers"])\n',
        "",
        CLUSTER,
    ),
    (
        "cluster: the checkpoint is that of another network",
        "train_rllib.py",
        "net.load_state_dict(net_weights(self.weights()))",
        "pass",
        CLUSTER,
    ),
]


def main() -> int:
    """Try all mutations, or those whose description contains a word given."""
    wanted = sys.argv[1:] or [""]
    engine, training = (
        [m for m in found if any(word in m[0] for word in wanted)] for found in (ENGINE, TRAINING)
    )
    status = plant_all("cacao_env", engine, [""]) if engine else 0
    return (plant_all("training", training, [""]) if training else 0) or status


if __name__ == "__main__":
    sys.exit(main())
