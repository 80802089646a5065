"""Sum up the games of an evaluation: pairings, ratings, seats, scores and sources of gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..agent import RANDOM
from ..engine.options import Decisions
from ..gold_sources import SOURCES
from .blocks import Pairing
from .intervals import counted, interval, percent, ranged, share_interval
from .matches import ChunkResult, PlayedGame, a_move
from .ratings import Rating, pair_wins, rate

Games = dict[Pairing, list[PlayedGame]]
Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """How an agent performed against one opponent; intervals are 95 %."""

    agent: str
    opponent: str
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
    # Win share and margin on each seat; not of a task.
    by_seat: list[dict[str, float]] = field(default_factory=list)
    # Less the luck of the draw (luck.py); the same expectation, and narrower intervals.  Without luck
    # these are the figures above.
    luck: bool = False
    adjusted_win_share: float = 0.0
    adjusted_low: float = 0.0
    adjusted_high: float = 0.0
    adjusted_margin: float = 0.0
    adjusted_margin_low: float = 0.0
    adjusted_margin_high: float = 0.0
    fewer_deals: float = 1.0  # variance of a deal's margin, as a multiple of the adjusted one's
    counts: dict[str, float] = field(default_factory=dict)  # what the agent counted, a move
    forfeits: int = 0  # games that the agent forfeited
    decisions: Decisions = "auto"  # that the game asks

    def line(self) -> str:
        """Return the result as one line for people."""
        parts = [
            f"{self.agent} against {self.opponent}, {kind_of_game(self.players, self.decisions)}: "
            f"wins {percent(self.win_share, self.low, self.high)} of "
            f"{self.blocks * self.players} games ({counted(self.blocks, 'deal')}, every seat), margin "
            f"{ranged(self.margin, self.margin_low, self.margin_high)} gold, "
            f"mean score {self.score:.1f}"
        ]
        if self.luck:
            wins = percent(self.adjusted_win_share, self.adjusted_low, self.adjusted_high)
            margin = self.adjusted_margin, self.adjusted_margin_low, self.adjusted_margin_high
            parts.append(f"less luck: wins {wins}, margin {ranged(*margin)} gold")
        return "; ".join(parts + self.helped())

    def helped(self) -> list[str]:
        """Return in words what part of the agent's games was not its own play."""
        random = self.counts.get(RANDOM, 0.0)
        own = [f"{1 - random:.1%} of the moves are its own, the others random"] if random else []
        games = f"{counted(self.forfeits, 'game')} forfeited, lost with no gold"
        return own + ([games] if self.forfeits else [])


def kind_of_game(players: int, decisions: Decisions = "auto") -> str:
    """Return the number of players in words, and which decisions are asked if not the usual ones."""
    asked = {"auto": "", "turn": ", placements alone", "explicit": ", every decision"}
    return f"{players} players{asked[decisions]}"


@dataclass(frozen=True)
class Seat:
    """The result of a seat, over all agents that took it."""

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
    """All figures of an evaluation."""

    results: list[Result]
    ratings: list[Rating]
    seats: list[Seat]
    scores: list[Scores]


def summarise(agents: Sequence[str], chunk_results: Sequence[ChunkResult]) -> Summary:
    """Sum up results, which must contain all blocks of each pairing."""
    games: Games = {}
    for chunk in chunk_results:
        games.setdefault(chunk.pairing, []).extend(chunk.games)
    for played in games.values():
        played.sort(key=lambda game: (game.block, game.rotation))
    results = [
        _result(agent, pairing, played)
        for pairing, played in games.items()
        for agent in pairing.candidates()
    ]
    order = {name: i for i, name in enumerate(agents)}
    results.sort(key=lambda r: (r.players, order[r.agent], order.get(r.opponent, 0)))
    summary = Summary(results, [], [], [])
    between = {pairing: played for pairing, played in games.items() if not pairing.task}
    for players in sorted({pairing.players for pairing in between}):
        some = {pairing: of for pairing, of in between.items() if pairing.players == players}
        wins = _by_block(some, lambda p, game: pair_wins(game, p.seats(game.rotation), order))
        summary.ratings.extend(rate(agents, players, wins))
        summary.seats.extend(_seats(some, players))
        candidates = {name for pairing in some for name in pairing.candidates()}
        summary.scores.extend(_scores(name, some, players) for name in agents if name in candidates)
    return summary


def values(
    agent: str,
    pairing: Pairing,
    played: Sequence[PlayedGame],
    what: Callable[[PlayedGame, int], float],
) -> Values:
    """Return ``what(game, seat)`` of a candidate in the games of each block.

    Shape (blocks, players), by its seat; (blocks, 1) where a block is one game.
    """
    games = pairing.rotations
    found = np.empty((len(played) // games, games))
    for number, game in enumerate(played):
        seat = _seat_of(agent, pairing, game)
        found[number // games, seat % games] = what(game, seat)
    return found


def block_scores(chunk: ChunkResult) -> dict[int, float]:
    """Return the candidate's mean win share in each block."""
    games = sorted(chunk.games, key=lambda game: (game.block, game.rotation))
    wins = values(chunk.pairing.agent, chunk.pairing, games, PlayedGame.win_share)
    return dict(zip(dict.fromkeys(game.block for game in games), wins.mean(axis=1).tolist()))


def _seat_of(agent: str, pairing: Pairing, game: PlayedGame) -> int:
    """The seat of a candidate: of the two players of a pairing either may be the agent."""
    return game.rotation if agent == pairing.agent else 1 - game.rotation


def _seats_of(agent: str, pairing: Pairing, game: PlayedGame) -> list[int]:
    return [seat for seat, name in enumerate(pairing.seats(game.rotation)) if name == agent]


def _result(agent: str, pairing: Pairing, played: list[PlayedGame]) -> Result:
    wins = values(agent, pairing, played, PlayedGame.win_share)
    margins = values(agent, pairing, played, PlayedGame.margin)
    adjusted_wins = values(agent, pairing, played, PlayedGame.adjusted_win_share)
    adjusted = values(agent, pairing, played, PlayedGame.adjusted_margin)
    scores = values(agent, pairing, played, PlayedGame.score)
    spread = adjusted.mean(axis=1).var()
    own = [(game, seat) for game in played for seat in _seats_of(agent, pairing, game)]
    decisions = sum(game.decisions[seat] for game, seat in own)
    placements = sum(game.placements[seat] for game, seat in own)
    seconds = sum(game.seconds[seat] for game, seat in own)
    placing = sum(game.placement_seconds[seat] for game, seat in own)
    by_seat = [
        {"win_share": float(share), "margin": float(margin)}
        for share, margin in zip(wins.mean(axis=0), margins.mean(axis=0), strict=True)
        if pairing.rotations == pairing.players
    ]
    return Result(
        agent=agent,
        opponent=pairing.opponent if agent == pairing.agent else pairing.agent,
        players=pairing.players,
        volcanoes=pairing.options.volcanoes,
        blocks=len(wins),
        **_mean(wins, ("win_share", "low", "high"), share_interval),
        **_mean(margins, ("margin", "margin_low", "margin_high")),
        score=float(scores.mean()),
        ms_per_move=1000 * seconds / max(1, decisions),
        ms_per_placement=1000 * placing / max(1, placements),
        decisions_per_game=float(np.mean([sum(game.decisions) for game in played])),
        by_seat=by_seat,
        luck=all(game.luck is not None for game in played),
        **_mean(adjusted_wins, ("adjusted_win_share", "adjusted_low", "adjusted_high")),
        **_mean(adjusted, ("adjusted_margin", "adjusted_margin_low", "adjusted_margin_high")),
        fewer_deals=float(margins.mean(axis=1).var() / spread) if spread > 0 else 1.0,
        counts=a_move(game.counts(_seats_of(agent, pairing, game)) for game in played),
        forfeits=sum(game.forfeiter == seat for game, seat in own),
        decisions=pairing.options.decisions,
    )


def _mean(
    found: Values,
    names: tuple[str, str, str],
    interval_of: Callable[[Values], tuple[float, float]] = interval,
) -> dict[str, float]:
    """Return, by names, the mean of (blocks, games of a block) and its interval over blocks."""
    return dict(zip(names, (float(found.mean()), *interval_of(found.mean(axis=1)))))


def _by_block(games: Games, what: Callable[[Pairing, PlayedGame], Values]) -> Values:
    """Return the sum of ``what`` over all games of a deal, (blocks, ...).

    Pairings share their deals, so intervals resample all games of a deal together.
    """
    rows: dict[int, Values] = {}
    for pairing, played in games.items():
        for game in played:
            found = what(pairing, game)
            rows[game.block] = rows[game.block] + found if game.block in rows else found
    return np.array(list(rows.values()))


def _seats(games: Games, players: int) -> list[Seat]:
    """The results of seats; in every pairing each agent takes every seat equally often."""

    def both(pairing: Pairing, game: PlayedGame) -> Values:
        return np.array([(game.win_share(s), game.margin(s)) for s in range(players)], float)

    found = _by_block(games, both)
    found *= len(found) / sum(len(played) for played in games.values())  # the mean of a block
    return [
        Seat(
            players=players,
            seat=seat,
            **_mean(found[:, seat, :1], ("win_share", "low", "high"), share_interval),
            **_mean(found[:, seat, 1:], ("margin", "margin_low", "margin_high")),
        )
        for seat in range(players)
    ]


def _scores(agent: str, games: Games, players: int) -> Scores:
    taken = [
        (game, _seat_of(agent, pairing, game))
        for pairing, played in games.items()
        if agent in pairing.candidates()
        for game in played
    ]
    scores = [game.score(seat) for game, seat in taken]
    kinds, counts = np.unique(scores, return_counts=True)
    gold = [np.multiply(game.gold[seat], seat != game.forfeiter) for game, seat in taken]
    means = np.mean(gold, axis=0)
    return Scores(
        agent=agent,
        players=players,
        games=len(scores),
        score=float(np.mean(scores)),
        deviation=float(np.std(scores)),
        quantiles=[float(q) for q in np.percentile(scores, (5, 25, 50, 75, 95))],
        counts={str(kind): int(count) for kind, count in zip(kinds, counts, strict=True)},
        gold={source: float(mean) for source, mean in zip(SOURCES, means, strict=True)},
    )
