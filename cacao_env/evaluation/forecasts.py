"""How much of the outcome an agent foresees, by the placements left in the game.

At every placement the agent tells the win shares and scores that it expects after it
(:class:`~cacao_env.agents.analysis.Analysis`).  The measure is the coefficient of determination, R²:
1 for the outcome itself, 0 for its mean.  Chance bounds it: no forecast can know the tiles to come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..agents.agent import Agent, decider, seat_seed
from ..agents.endgame import placements_left
from ..engine.options import Options
from ..engine.scoring import margin
from ..game import Game
from ..provenance import provenance
from ..tables import DataTable
from .intervals import LEVEL, resampled_means
from .store import engine_version

FORMAT, VERSION = "cacao-forecasts", 1


@dataclass(frozen=True)
class Foresight:
    """R² of an agent's forecasts with ``left`` placements to come, and 95 % intervals over games."""

    agent: str
    left: int
    games: int
    win_share: float
    win_share_low: float
    win_share_high: float
    margin: float
    margin_low: float
    margin_high: float


def measure_forecasts(
    agents: Sequence[Agent],
    options: Options,
    games: int,
    seed: int,
    progress: Callable[[int], object],
) -> list[Foresight]:
    """Play games of the first agent against itself and return every agent's R².

    Game g has the deal of ``seed + g``.  ValueError for an agent that tells no expected result.
    """
    if games < 2:
        raise ValueError(f"--games is {games}, expected at least 2")
    turns = placements_left(Game.deal(options, seed).states[0])
    # [game, agent, placements left, (forecast, outcome) of win share and margin]
    found = np.zeros((games, len(agents), turns, 4))
    for number in range(games):
        _play(agents, options, seed, number, found[number])
        progress(1)
    return [
        _foresight(agent.name, left, found[:, i, left])
        for left in reversed(range(turns))
        for i, agent in enumerate(agents)
    ]


def _play(agents: Sequence[Agent], options: Options, seed: int, number: int, found: Any) -> None:
    """Play one game; write its forecasts and outcomes."""
    game = Game.deal(options, seed + number)
    names = (agents[0].name,) * options.num_players
    rngs = [
        [agent.begin(seat_seed(seed, number, options, names, seat)) for agent in agents]
        for seat in range(options.num_players)
    ]
    seats = []
    while not game.over:
        seat = decider(game)
        # A copy with the hidden tiles dealt again: no agent sees the true deal.
        seen = game.determinise(seat, rngs[seat][0])
        if game.phase != "place":
            game.play(agents[0].act([seen], rngs[seat][:1])[0])
            continue
        left = int(placements_left(game.states[0])) - 1
        seats.append((left, seat))
        told = [agent.analyze(seen, rng) for agent, rng in zip(agents, rngs[seat], strict=True)]
        for row, agent, one in zip(found, agents, told, strict=True):
            if one.win_shares is None or one.scores is None:
                raise ValueError(f"{agent.name} does not tell the win shares and scores it expects")
            row[left, 0], row[left, 2] = (
                one.win_shares[seat],
                margin(one.scores, seat, game.num_players),
            )
        game.play(int(told[0].actions[0]))
    scores, win_shares = np.array(game.scores(), np.float64), game.win_shares()
    for left, seat in seats:
        found[:, left, 1], found[:, left, 3] = (
            win_shares[seat],
            margin(scores, seat, game.num_players),
        )


def _foresight(name: str, left: int, found: Any) -> Foresight:
    """R² and intervals of (games, 4) forecasts and outcomes."""
    figures: list[float] = []
    for forecast, outcome in (found[:, :2].T, found[:, 2:].T):
        parts = np.stack([(forecast - outcome) ** 2, outcome, outcome**2], 1)
        figures.append(float(_r2(parts.mean(0))))
        figures += np.percentile(_r2(resampled_means(parts)), LEVEL).tolist()
    return Foresight(name, left, len(found), *figures)


def _r2(means: Any) -> Any:
    """R² from the means of squared errors, outcomes and squared outcomes, (..., 3)."""
    spread = means[..., 2] - means[..., 1] ** 2
    return 1 - means[..., 0] / np.maximum(spread, 1e-12)


def document(
    rows: Sequence[Foresight], agents: Sequence[Agent], options: Options, seed: int
) -> dict[str, Any]:
    """Return the figures as plain data, as ``--json`` writes them."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "agents": {agent.name: agent.version for agent in agents},
        "options": options.as_dict(),
        "seed": seed,
        "engine": engine_version(),
        "rows": [asdict(row) for row in rows],
        **provenance(),
    }


def show(rows: Sequence[Foresight]) -> str:
    """Return a Markdown table, a line for each number of placements left."""
    names = list(dict.fromkeys(row.agent for row in rows))
    head = [
        "placements left",
        *(f"{name}: {what}" for name in names for what in ("wins", "margin")),
    ]
    lines: dict[int, list[str]] = {}
    for row in rows:
        lines.setdefault(row.left, []).extend(
            f"{x:.3f} [{low:.3f}, {high:.3f}]"
            for x, low, high in (
                (row.win_share, row.win_share_low, row.win_share_high),
                (row.margin, row.margin_low, row.margin_high),
            )
        )
    return DataTable(head, [[left, *cells] for left, cells in lines.items()], "r").markdown()
