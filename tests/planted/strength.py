"""Bugs in the move ordering, the time bank, and what measures strength."""

from __future__ import annotations

from .harness import Bug

ORDERING = ("tests/test_ordering.py",)
TIME = ("tests/test_value.py", "-k", "time or placement")
FORECASTS = ("tests/test_forecasts.py",)
REFEREE = ("tests/test_referee.py",)

BUGS = [
    Bug(
        "a placement is ordered by another seat's stage",
        "cacao_env/agents/value/ordering.py:order_into",
        "np.int64(state.placed[seat])",
        "np.int64(state.placed[0])",
        ORDERING,
    ),
    Bug(
        "a placement is ordered by what lies there before the fills",
        "cacao_env/agents/value/ordering.py:word_after",
        "if way[slot] == side and way[slot] != NOWHERE",
        "if way[slot] == side and way[slot] == NOWHERE",
        ORDERING,
    ),
    Bug(
        "greedy's value does not count in the order",
        "cacao_env/agents/value/ordering.py:order_into",
        "weights[stage, 1] * choices.values[i] + table",
        "table",
        ORDERING,
    ),
    Bug(
        "overbuilding is ordered as any placement",
        "cacao_env/agents/value/ordering.py:order_into",
        "        if state.board[cell] > 0:\n            value += weights[stage, 0]\n",
        "",
        ORDERING,
    ),
    Bug(
        "opposite pairs are taken for adjacent ones",
        "cacao_env/agents/value/ordering.py",
        "(0, 2, 1), (1, 3, 1)",
        "(0, 2, 0), (1, 3, 0)",
        ORDERING,
    ),
    Bug(
        "a placement without time to search is not paid for",
        "cacao_env/agents/value/search.py:time_bank",
        " - one_ply * (weights.count(0.0) - 1)",
        "",
        TIME,
    ),
    Bug(
        "a placement may take all that is left",
        "cacao_env/agents/value/search.py:time_bank",
        "min(weight * each, MOST * mean)",
        "weight * each",
        TIME,
    ),
    Bug(
        "the solver takes as long whatever the placement has",
        "cacao_env/agents/value/search.py:SearchAgent.choose",
        "NODES_A_MS * 1000 * seconds if",
        "NODES_A_MS * self._ms if",
        TIME,
    ),
    Bug(
        "the pace is never measured",
        "cacao_env/agents/value/search.py:SearchAgent._search",
        "self._pace += 0.2 *",
        "self._pace += 0.0 *",
        TIME,
    ),
    Bug(
        "a forecast is compared with the first seat's outcome",
        "cacao_env/evaluation/forecasts.py:_play",
        "            win_shares[seat],\n",
        "            win_shares[0],\n",
        FORECASTS,
    ),
    Bug(
        "a forecast is made with the true deal",
        "cacao_env/evaluation/forecasts.py:_play",
        "seen = game.determinise(seat, rngs[seat][0])",
        "seen = game.clone()",
        FORECASTS,
    ),
    Bug(
        "R² forgets the outcome's mean",
        "cacao_env/evaluation/forecasts.py:_r2",
        "means[..., 2] - means[..., 1] ** 2",
        "means[..., 2]",
        FORECASTS,
    ),
    Bug(
        "an agent is judged by its own network",
        "cacao_env/evaluation/referee.py:other_networks",
        " and other.version != agent.version",
        "",
        REFEREE,
    ),
    Bug(
        "the referee's playouts know the deal",
        "cacao_env/evaluation/referee.py:play_out",
        "    redeal(here[0], seat, rng)\n",
        "",
        REFEREE,
    ),
    Bug(
        "the referee's candidates meet different deals",
        "cacao_env/evaluation/referee.py:play_out",
        "        here[1] = here[0]\n",
        "        here[1] = here[0]\n        redeal(here[1], seat, rng)\n",
        REFEREE,
    ),
    Bug(
        "only one referee plays",
        "cacao_env/evaluation/referee.py:Referee.regret",
        "turns = cycle(self._nets)",
        "turns = cycle(self._nets[:1])",
        REFEREE,
    ),
    Bug(
        "luck of the playouts counts as regret",
        "cacao_env/evaluation/referee.py:Referee.regret",
        "return float(sums[0] - sums[1]) / (rollouts - half)",
        "return float(abs(sums[0] - sums[1])) / (rollouts - half)",
        ("tests/test_regret.py", "-k", "random_loses"),
    ),
    Bug(
        "the referee's networks choose candidates by the true deal",
        "cacao_env/evaluation/referee.py:Referee.regret",
        "agent.act([game], [rng])[0]",
        "agent.choose(game.states, rng)",
        REFEREE,
    ),
]
