"""Ratings of all agents on one scale: Plackett-Luce, in Elo units.

The model gives each agent a strength g; among the seats not yet ranked the next one is agent i with
probability g_i / (sum of their g).  A game is ranked by score, then stored cacao.  The ranking is
split into all its pairs of different agents, half a win each for a tie.  Under this model agent i is
before agent j with probability g_i / (g_i + g_j) whoever else plays, so the estimate converges to the
strengths that whole rankings give, ties need no further rule, and an agent may take several seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .intervals import LEVEL, resampled_means
from .matches import PlayedGame

ELO = 400 / np.log(10)
ANCHOR = "greedy"
PRIOR = 0.5  # wins added to each side of every pair that met, so that strengths are finite
DOUBT = 3.7  # lost games of an agent that lost none, for its bound: -log(2.5 %)
SAMPLES = 500


@dataclass(frozen=True)
class Rating:
    """An agent's strength in Elo above the anchor, whose rating is 0."""

    agent: str
    players: int
    elo: float
    low: float | None  # None: unbounded, because no game went the other way
    high: float | None


def pair_wins(
    game: PlayedGame, seats: Sequence[str], number: dict[str, int]
) -> npt.NDArray[np.float64]:
    """Return wins[i, j]: pairs of a seat of i before one of j, ties half; (agents, agents)."""
    wins = np.zeros((len(number), len(number)))
    places = [
        (seat != game.forfeiter, *place)
        for seat, place in enumerate(zip(game.scores, game.cacao, strict=True))
    ]
    for one, place in enumerate(places):
        for other, behind in enumerate(places):
            if seats[one] != seats[other] and place >= behind:
                wins[number[seats[one]], number[seats[other]]] += 1 if place > behind else 0.5
    return wins


def strengths(wins: npt.NDArray[np.float64], met: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the Elo of each agent, mean 0, from wins of one over the other, (agents, agents).

    ``met``: the pairs that get the prior.  ValueError if some did not meet, not even through others.
    """
    if not _chains(met).all():
        raise ValueError(
            "some agents did not meet, not even through others: they have no one scale"
        )
    counted = wins + PRIOR * met
    params, total = np.zeros(len(wins)), counted + counted.T
    for _ in range(200):  # damped Newton steps to the most likely log-strengths
        probabilities = 1 / (1 + np.exp(params[None, :] - params[:, None]))
        slope = (counted - total * probabilities).sum(axis=1)
        curve = total * probabilities * (1 - probabilities)
        hessian = np.diag(curve.sum(axis=1)) - curve + 1 / len(wins)
        step = np.linalg.solve(hessian, slope)
        params += step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(params - np.mean(params)) * ELO


def rate(
    agents: Sequence[str], players: int, wins: npt.NDArray[np.float64], seed: int = 0
) -> list[Rating]:
    """Return ratings with 95 % intervals, best first; ``wins`` (blocks, agents, agents)."""
    anchor = agents.index(ANCHOR) if ANCHOR in agents else 0
    total = wins.sum(axis=0)
    met = (total + total.T) > 0  # in a sample of few blocks some pairs may not

    def above_anchor(won: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        elo = strengths(won, met)
        return elo - elo[anchor]

    def if_they_had_won(
        some: npt.NDArray[np.bool_], others: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float64]:
        """The ratings if some agents had won DOUBT games against others, which they never beat."""
        pairs = met & np.outer(some, others)
        return above_anchor(total + max(0.0, DOUBT / pairs.sum() - PRIOR) * pairs)

    elo = above_anchor(total)
    samples = np.array([above_anchor(m * len(wins)) for m in resampled_means(wins, SAMPLES, seed)])
    low, high = np.percentile(samples, LEVEL, axis=0)
    over = _chains(total > 0)
    rows = []
    for i, agent in enumerate(agents):
        bounds: list[float | None] = [None, None]
        wins, loses = over[i, anchor], over[anchor, i]  # through others too
        if wins:
            least = low[i] if loses else if_they_had_won(~over[:, i], over[:, i])[i]
            bounds[0] = float(min(low[i], least))
        if loses:
            most = high[i] if wins else if_they_had_won(over[i], ~over[i])[i]
            bounds[1] = float(max(high[i], most))
        rows.append(Rating(agent, players, float(elo[i]), *bounds))
    return sorted(rows, key=lambda row: -row.elo)


def _chains(won: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the closure of "has beaten": over[i, j] if i beat j, or beat one that is over j."""
    steps = np.maximum(won, np.eye(len(won)))
    return np.asarray(np.linalg.matrix_power(steps, len(won)) > 0)
