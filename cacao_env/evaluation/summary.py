"""What the games of an evaluation say: the cross-table, ratings, seats, where the gold comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from dataclasses import field as default
from typing import Any

import numpy as np
import numpy.typing as npt

from .blocks import Pairing
from .gold_sources import SOURCES
from .intervals import interval, share_interval
from .matches import Outcome, Played, Spent
from .ratings import Rating, pair_wins, rate

Games = dict[Pairing, list[Played]]
Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """How an agent fared against one opponent; intervals are 95 %."""

    agent: str
    field: str
    players: int
    volcanoes: bool
    blocks: int
    win_share: float
    low: float
    high: float
    margin: float
    margin_low: float
    margin_high: float
    score: float
    ms_per_move: float = 0.0
    ms_per_placement: float = 0.0
    decisions_per_game: float = 0.0  # of all seats
    by_seat: list[dict[str, float]] = default(default_factory=list)  # win_share, margin

    def line(self) -> str:
        """The result as one line for people."""
        return (
            f"{self.agent} against {self.field}, {self.players} players: wins "
            f"{self.win_share:.1%} [{self.low:.1%}, {self.high:.1%}] of "
            f"{self.blocks * self.players} games ({self.blocks} deals, every seat), margin "
            f"{self.margin:+.1f} [{self.margin_low:+.1f}, {self.margin_high:+.1f}] gold, "
            f"mean score {self.score:.1f}"
        )

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Seat:
    """What a seat is worth when those who sit on it take turns."""

    players: int
    seat: int
    win_share: float
    low: float
    high: float
    margin: float
    margin_low: float
    margin_high: float


@dataclass(frozen=True)
class Scores:
    """An agent's scores as a candidate, over all its opponents."""

    agent: str
    players: int
    games: int
    score: float
    deviation: float
    quantiles: list[float]  # 5, 25, 50, 75, 95 %
    counts: dict[str, int]  # games by final score
    gold: dict[str, float]  # mean by source; adds up to the score


@dataclass(frozen=True)
class Summary:
    """Everything that is reported of an evaluation."""

    results: list[Result]
    ratings: list[Rating]
    seats: list[Seat]
    scores: list[Scores]


def summarise(agents: Sequence[str], volcanoes: bool, outcomes: Sequence[Outcome]) -> Summary:
    """Sum up the outcomes; each pairing's blocks must all be there."""
    games: Games = {}
    spent: dict[Pairing, dict[str, Spent]] = {}
    for outcome in outcomes:
        games.setdefault(outcome.pairing, []).extend(outcome.games)
        for name, time in outcome.spent.items():
            spent.setdefault(outcome.pairing, {}).setdefault(name, Spent()).add(time)
    for played in games.values():
        played.sort(key=lambda game: (game.block, game.rotation))
    results = [
        _result(agent, pairing, played, volcanoes, spent[pairing][agent])
        for pairing, played in games.items()
        for agent in _candidates(pairing)
    ]
    order = {name: i for i, name in enumerate(agents)}
    results.sort(key=lambda r: (r.players, order[r.agent], order[r.field]))
    counts = sorted({pairing.players for pairing in games})
    return Summary(
        results,
        [row for players in counts for row in _ratings(agents, _of(games, players))],
        [row for players in counts for row in _seats(_of(games, players))],
        [
            _scores(name, _of(games, players))
            for players in counts
            for name in agents
            if any(p.players == players and name in _candidates(p) for p in games)
        ],
    )


def _candidates(pairing: Pairing) -> tuple[str, ...]:
    """Whose results a pairing's games are: with 2 players each is the other's whole field."""
    return (pairing.agent, pairing.field) if pairing.players == 2 else (pairing.agent,)


def _of(games: Games, players: int) -> Games:
    return {pairing: played for pairing, played in games.items() if pairing.players == players}


def values(
    agent: str,
    pairing: Pairing,
    played: Sequence[Played],
    what: Callable[[Played, int], float],
) -> Values:
    """``what(game, seat)`` of an agent as candidate, in each block on each seat: (blocks, players)."""
    found = np.empty((len(played) // pairing.players, pairing.players))
    for number, game in enumerate(played):
        seat = game.rotation if agent == pairing.agent else 1 - game.rotation
        found[number // pairing.players, seat] = what(game, seat)
    return found


def _result(
    agent: str, pairing: Pairing, played: list[Played], volcanoes: bool, spent: Spent
) -> Result:
    wins = values(agent, pairing, played, Played.share)
    margins = values(agent, pairing, played, Played.margin)
    scores = values(agent, pairing, played, lambda game, seat: game.scores[seat])
    return Result(
        agent,
        pairing.field if agent == pairing.agent else pairing.agent,
        pairing.players,
        volcanoes,
        len(wins),
        float(wins.mean()),
        *share_interval(wins.mean(axis=1)),
        float(margins.mean()),
        *interval(margins.mean(axis=1)),
        float(scores.mean()),
        1000 * spent.seconds / max(1, spent.decisions),
        1000 * spent.placement_seconds / max(1, spent.placements),
        float(np.mean([sum(game.decisions) for game in played])),
        [
            {"win_share": float(share), "margin": float(margin)}
            for share, margin in zip(wins.mean(axis=0), margins.mean(axis=0), strict=True)
        ],
    )


def _by_block(games: Games, what: Callable[[Pairing, Played], Values]) -> Values:
    """The sum of ``what`` over all games of a deal: (blocks, ...).

    Pairings share their deals, so a deal's games are drawn together when an interval is made.
    """
    rows: dict[int, Values] = {}
    for pairing, played in games.items():
        for game in played:
            found = what(pairing, game)
            rows[game.block] = rows[game.block] + found if game.block in rows else found
    return np.array(list(rows.values()))


def _ratings(agents: Sequence[str], games: Games) -> list[Rating]:
    number = {name: i for i, name in enumerate(agents)}
    players = next(iter(games)).players
    wins = _by_block(games, lambda p, game: pair_wins(game, p.seats(game.rotation), number))
    return rate(agents, players, wins)


def _seats(games: Games) -> list[Seat]:
    """Shares and margins of seats; every pairing has each of its agents on every seat."""
    players = next(iter(games)).players
    each = sum(len(played) for played in games.values())

    def both(pairing: Pairing, game: Played) -> Values:
        return np.array([(game.share(s), game.margin(s)) for s in range(players)], float)

    found = _by_block(games, both)
    found *= len(found) / each  # the mean of a block
    return [
        Seat(
            players,
            seat,
            float(found[:, seat, 0].mean()),
            *share_interval(found[:, seat, 0]),
            float(found[:, seat, 1].mean()),
            *interval(found[:, seat, 1]),
        )
        for seat in range(players)
    ]


def _scores(agent: str, games: Games) -> Scores:
    scores: list[int] = []
    gold: list[list[int]] = []
    for pairing, played in games.items():
        if agent in _candidates(pairing):
            for game in played:
                seat = game.rotation if agent == pairing.agent else 1 - game.rotation
                scores.append(game.scores[seat])
                gold.append(game.gold[seat])
    kinds, counts = np.unique(scores, return_counts=True)
    means = np.mean(gold, axis=0)
    return Scores(
        agent,
        next(iter(games)).players,
        len(scores),
        float(np.mean(scores)),
        float(np.std(scores)),
        [float(q) for q in np.percentile(scores, (5, 25, 50, 75, 95))],
        {str(kind): int(count) for kind, count in zip(kinds, counts, strict=True)},
        {source: float(mean) for source, mean in zip(SOURCES, means, strict=True)},
    )
