"""Ratings of all agents on one scale: Plackett-Luce, in Elo units, by the ``choix`` library.

The model gives each agent a strength g and says that of those not yet ranked the next is agent i
with probability g_i / (sum of their g).  A game is ranked by score, then stored cacao.  The ranking
is broken into all its pairs of different agents, half a win each for a tie: under this model the
pairs of a ranking have the odds g_i : g_j whoever else plays, so the estimate tends to the same
strengths as that from whole rankings, ties need no further rule, and an agent may sit at a table
several times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .intervals import LEVEL, resampled_means
from .matches import Played

ELO = 400 / np.log(10)
ANCHOR = "greedy"
PRIOR = 0.5  # wins granted to each side of every pair that met: nobody is infinitely strong
DOUBT = 3.7  # the same for the bound of one who won all: -log(2.5 %), so many might have been lost
SAMPLES = 500


@dataclass(frozen=True)
class Rating:
    """An agent's strength in Elo above the anchor, whose rating is 0."""

    agent: str
    players: int
    elo: float
    low: float | None  # None: nothing bounds it, for no game went the other way
    high: float | None


def pair_wins(
    game: Played, seats: Sequence[str], number: dict[str, int]
) -> npt.NDArray[np.float64]:
    """wins[i, j]: how many of agent j's seats those of agent i came before, halves for ties."""
    wins = np.zeros((len(number), len(number)))
    places = list(zip(game.scores, game.cacao, strict=True))
    for one, place in enumerate(places):
        for other, behind in enumerate(places):
            if seats[one] != seats[other] and place >= behind:
                wins[number[seats[one]], number[seats[other]]] += 1 if place > behind else 0.5
    return wins


def strengths(wins: npt.NDArray[np.float64], prior: float = PRIOR) -> npt.NDArray[np.float64]:
    """Elo of each agent, mean 0, from wins of one over the other, shape (agents, agents)."""
    import choix  # it brings scipy, which takes a while

    met = (wins + wins.T) > 0
    counted = wins + prior * met
    try:
        params = choix.ilsr_pairwise_dense(counted, max_iter=1000)
    except RuntimeError:  # it went to and fro: the same optimum, found by Newton's method
        pairs = np.argwhere(met)
        params = _newton(counted, pairs)
    return np.asarray(params - np.mean(params)) * ELO


def _newton(wins: npt.NDArray[np.float64], pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The most likely log-strengths, by damped Newton steps."""
    params = np.zeros(len(wins))
    total = wins + wins.T
    for _ in range(200):
        odds = 1 / (1 + np.exp(params[None, :] - params[:, None]))
        slope = (wins - total * odds).sum(axis=1)
        curve = total * odds * (1 - odds)
        hessian = np.diag(curve.sum(axis=1)) - curve + 1 / len(wins)
        step = np.linalg.solve(hessian, slope)
        params += step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            break
    return params


def rate(
    agents: Sequence[str], players: int, wins: npt.NDArray[np.float64], seed: int = 0
) -> list[Rating]:
    """Ratings with 95 % intervals, best first, from wins of each block, (blocks, agents, agents)."""
    anchor = agents.index(ANCHOR) if ANCHOR in agents else 0
    total = wins.sum(axis=0)

    def above_anchor(won: npt.NDArray[np.float64], prior: float = PRIOR) -> npt.NDArray[np.float64]:
        elo = strengths(won, prior)
        return elo - elo[anchor]

    elo, doubtful = above_anchor(total), above_anchor(total, DOUBT)
    drawn = np.array([above_anchor(m * len(wins)) for m in resampled_means(wins, SAMPLES, seed)])
    low, high = np.percentile(drawn, LEVEL, axis=0)
    over = _chains(total > 0)
    rows = []
    for i, agent in enumerate(agents):
        bounds: list[float | None] = [float(low[i]), float(high[i])]
        if not over[anchor, i]:  # not even by way of others
            bounds = [float(min(low[i], doubtful[i])), None]
        elif not over[i, anchor]:
            bounds = [None, float(max(high[i], doubtful[i]))]
        rows.append(Rating(agent, players, float(elo[i]), *bounds))
    return sorted(rows, key=lambda row: -row.elo)


def _chains(won: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """over[i, j]: i has beaten j, or one who has beaten j, and so on; everyone is over itself."""
    over = won | np.eye(len(won), dtype=bool)
    for _ in range(len(won)):
        over = over | (over.astype(int) @ over.astype(int) > 0)
    return over
