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
from .blocks import Pairing, chunks
from .figures import ranged
from .intervals import LEVEL, resampled_means
from .matches import PlayedGame, choices, play_chunk, replayed
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
    player, turns = agents[0], placements_left(Game.deal(options, seed).states[0])
    # [game, agent, placements left, (forecast, outcome) of win share and margin]
    found = np.zeros((games, len(agents), turns, 4))
    for chunk in chunks([Pairing(options, player.name, player.name)], games):
        for played in play_chunk(chunk, {player.name: player}, seed, luck=False).games:
            _foresee(agents, chunk.pairing, played, seed, found[played.block])
            progress(1)
    return [
        _foresight(agent.name, left, found[:, i, left])
        for left in reversed(range(turns))
        for i, agent in enumerate(agents)
    ]


def _foresee(
    agents: Sequence[Agent], pairing: Pairing, played: PlayedGame, seed: int, found: Any
) -> None:
    """Write the forecasts and the outcomes of one game."""
    names, players = pairing.seats(0), pairing.players
    memory = [
        [agent.begin(seat_seed(seed, played.block, pairing.options, names, s)) for agent in agents]
        for s in range(players)
    ]
    for game, _ in choices(replayed(pairing, played, seed)):
        if game.phase != "place":
            continue
        seat, left = decider(game), placements_left(game.state) - 1
        # A copy with the hidden tiles dealt again: no agent sees the true deal.
        seen = game.determinise(seat, played.block)
        for row, agent, own in zip(found, agents, memory[seat], strict=True):
            told = agent.analyze(seen, own)
            if told.win_shares is None or told.scores is None:
                raise ValueError(f"{agent.name} does not tell the win shares and scores it expects")
            row[left] = (
                *(told.win_shares[seat], played.win_share(seat)),
                *(margin(told.scores, seat, players), played.margin(seat)),
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
    told = [f"{name}: {what}" for name in names for what in ("wins", "margin")]
    lines: dict[int, list[str]] = {}
    for row in rows:
        lines.setdefault(row.left, []).extend(
            (
                ranged(row.win_share, row.win_share_low, row.win_share_high, ".3f"),
                ranged(row.margin, row.margin_low, row.margin_high, ".3f"),
            )
        )
    cells = [[left, *line] for left, line in lines.items()]
    return DataTable(["placements left", *told], cells, "r").markdown()
