"""The regret of single decisions, as :mod:`.judge` finds it.

An agent plays itself on every seat.  The regret of a decision is the expected relative score in gold
(own score minus the mean of the others'), or the expected utility (``agents.utility.utility_of``), of
the best action minus that of the action chosen.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents.agent import Agent
from ..agents.endgame import NODES_TO_JUDGE, is_near_end, placements_left
from ..agents.utility import RELATIVE_SCORE, UTILITY
from ..checks import as_int
from ..engine.options import Options
from ..engine.progress import Bar
from ..engine.state import PLACE
from ..game import Game
from ..gold_sources import SOURCES
from ..provenance import provenance
from ..tables import DataTable
from .blocks import Chunk, Pairing, chunks
from .figures import ranged
from .intervals import LEVEL, resampled_means
from .judge import Judge, solved
from .matches import Progress, a_move, choices, replayed
from .store import engine_version
from .workers import ChunkPlayer, do_all

FORMAT, VERSION = "cacao-regret", 6
GAMES_AT_ONCE = 16  # determines the games that a network sees in one batch
BLUNDERS = {"gold": (1.0, 3.0), "utility": (0.01, 0.1)}  # a larger regret is a blunder
LEFT = ((1, 6), (7, 9), (10, 13), (14, 17), (18, 44))  # placements left, first and last of a row
BEST = 1e-6  # an action with no more regret is as good as the best


@dataclass(frozen=True)
class DecisionRegret:
    """The regret of one decision."""

    ply: int
    placement: bool
    regret: float
    left: int  # placements left in the game, the turn in progress included


@dataclass(frozen=True)
class GameRegret:
    """The regrets of the decisions of one game, all seats together."""

    block: int
    exact: list[DecisionRegret]
    rollouts: list[DecisionRegret]
    unsolved: int  # decisions near the end that the solver gave up
    counts: dict[str, float] = field(default_factory=dict)  # what the agent counted
    # Gold that the decisions lost which playouts judged, by source.
    sources: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SOURCES, 0.0))


@dataclass(frozen=True)
class RegretSettings:
    """How regrets are measured."""

    last: int = 2  # decisions with at most so many placements left in the game are solved
    rollouts: int = 64  # playouts a candidate for each earlier decision sampled; 0 for none
    sample: int = 4  # earlier decisions sampled in a game
    top: int = 16  # candidates, the best by greedy
    unit: str = "gold"  # or utility
    referees: tuple[str, ...] = ()  # value networks that play the playouts

    def __post_init__(self) -> None:
        """Check the ranges."""
        as_int("--last", self.last, 1, 6)
        as_int("--sample", self.sample, 1, 100)
        as_int("--top", self.top, 2, 256)
        if self.rollouts != 0 and not 2 <= self.rollouts <= 1_000_000:
            raise ValueError(f"--rollouts is {self.rollouts}, expected 0, or 2 to 1000000")
        if self.rollouts and not self.referees:
            raise ValueError("no value network is there to judge; name one, or give --rollouts 0")

    @property
    def objective(self) -> int:
        """What is maximised."""
        return UTILITY if self.unit == "utility" else RELATIVE_SCORE


# --- One decision, one game ---------------------------------------------------------------------


def game_regret(
    game: Game, block: int, settings: RegretSettings, seed: int, judge: Judge | None = None
) -> GameRegret:
    """Return the regrets of a finished game's decisions.

    Those near the end are solved; of the others the judge's playouts judge a few, which are sampled
    with equal probability.
    """
    exact, earlier, unsolved = [], [], 0
    for ply, (position, action) in enumerate(choices(game)):
        if is_near_end(position.state, settings.last):
            verdict = solved(position, action, settings.objective)
            if verdict is None:
                unsolved += 1
            else:
                exact.append(_decision(ply, position, verdict.loss))
        else:
            earlier.append((ply, position, action))
    rollouts, sources = [], dict.fromkeys(SOURCES, 0.0)
    if judge is not None and earlier:
        rng = np.random.default_rng(_seed(seed, block, 0))
        count = min(settings.sample, len(earlier))
        for place in sorted(rng.choice(len(earlier), count, replace=False)):
            ply, position, action = earlier[place]
            bits = _seed(seed, block, 1 + ply)
            half = settings.rollouts // 2
            verdict = judge.by_playouts(position, action, half, settings.rollouts - half, bits)
            rollouts.append(_decision(ply, position, verdict.loss))
            for name, lost in verdict.sources.items():
                sources[name] += lost
    return GameRegret(block, exact, rollouts, unsolved, sources=sources)


def _decision(ply: int, game: Game, regret: float) -> DecisionRegret:
    placing = bool(game.state.phase == PLACE)
    left = int(placements_left(game.state)) + (not placing)
    return DecisionRegret(ply, placing, regret, left)


def _seed(seed: int, block: int, what: int) -> int:
    """A seed for each thing that is drawn, independent of the agent and of what was drawn before."""
    text = f"regret {seed} {block} {what}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


# --- Many games -----------------------------------------------------------------------------------


class _Worker:
    """Plays games of self-play and measures the regret of their decisions."""

    def __init__(
        self, specs: Mapping[str, str], options: Options, seed: int, settings: RegretSettings
    ) -> None:
        self._player = ChunkPlayer(specs, seed, luck=False)
        self._seed, self._settings = seed, settings
        judges, objective = settings.referees, settings.objective
        self._judge = Judge(judges, options, objective, settings.top) if settings.rollouts else None

    def __call__(self, chunk: Chunk, progress: Progress) -> list[GameRegret]:
        found = []
        for played in self._player(chunk, lambda games: None).games:
            game = replayed(chunk.pairing, played, self._seed)
            one = game_regret(game, played.block, self._settings, self._seed, self._judge)
            counts = played.counts(range(game.num_players))
            found.append(replace(one, counts=dict(counts)))
            progress(1)
        return found


def measure_regret(
    spec: str,
    agent: Agent,
    options: Options,
    games: int,
    seed: int,
    settings: RegretSettings,
    workers: int | None = 1,
) -> list[GameRegret]:
    """Measure an agent, which ``spec`` names, game by game; returned in the order of the deals."""
    every = chunks([Pairing(options, agent.name, agent.name)], games, GAMES_AT_ONCE)
    todo = {chunk.key: chunk for chunk in every}
    make = partial(_Worker, {spec: agent.version}, options, seed, settings)
    with (
        Bar(total=games, unit="game") as bar,
        closing(do_all(todo, make, workers, bar.update)) as parts,
    ):
        found = [game for part in parts for game in part]
    return sorted(found, key=lambda game: game.block)


# --- Figures --------------------------------------------------------------------------------------


def figures(
    games: Sequence[Sequence[DecisionRegret]], blunders: Sequence[float] = BLUNDERS["gold"]
) -> dict[str, Any]:
    """Return means over the decisions of all games, with 95 % intervals by bootstrap over games.

    ``blunders``: a row has the share of decisions with a larger regret than each.
    """
    sums = [_sums(decisions, blunders) for decisions in games]
    rows = np.array([list(row.values()) for row in sums])
    total = dict(zip(sums[0], rows.sum(axis=0), strict=True))
    drawn = dict(zip(sums[0], resampled_means(rows).T, strict=True))
    found: dict[str, Any] = {key: int(total.pop(key)) for key in ("decisions", "placements")}
    for name, part in total.items():
        whole = "placements" if name == "placement_regret" else "decisions"
        if not found[whole]:
            found[name] = dict.fromkeys(("value", "low", "high"))
            continue
        seen = drawn[whole] > 0
        low, high = np.percentile(drawn[name][seen] / drawn[whole][seen], LEVEL)
        value = part / found[whole]
        if "regret" not in name:  # a share
            low, high = _widened(value, low, high, int((rows[:, 0] > 0).sum()))
        found[name] = {"value": float(value), "low": float(low), "high": float(high)}
    return found


def _widened(value: float, low: float, high: float, games: int) -> tuple[float, float]:
    """An interval of a share: where it is 0 or 1, the exact bound for so many games that have one."""
    rest = float(0.025 ** (1 / games))
    return (rest if value == 1 else low), (1 - rest if value == 0 else high)


def _sums(decisions: Sequence[DecisionRegret], blunders: Sequence[float]) -> dict[str, float]:
    """Return a game's sums, by the names of the figures that are made of them."""
    regret: npt.NDArray[np.float64] = np.array([one.regret for one in decisions])
    placed = np.array([one.placement for one in decisions], bool)
    return {
        "decisions": len(regret),
        "placements": float(placed.sum()),
        "regret": regret.sum(),
        "placement_regret": regret[placed].sum(),
        "best_share": float((regret <= BEST).sum()),
        **{f"blunders_over_{most:g}": float((regret > most).sum()) for most in blunders},
    }


def document(
    agent: Agent,
    options: Options,
    seed: int,
    settings: RegretSettings,
    games: list[GameRegret],
    seconds: float,
) -> dict[str, Any]:
    """Return all figures as plain data, as ``--json`` writes them."""
    blunders, ends = BLUNDERS[settings.unit], [game.exact for game in games]
    judged = [game.rollouts for game in games]
    count = sum(map(len, judged))
    return {
        "format": FORMAT,
        "version": VERSION,
        "settings": {
            "agent": {agent.name: agent.version},
            "options": options.as_dict(),
            "games": len(games),
            "seed": seed,
            **asdict(settings),
            "nodes": NODES_TO_JUDGE,
            "games_at_once": GAMES_AT_ONCE,
            "engine": engine_version(),
        },
        "exact": figures(ends, blunders),
        "exact_by_left": {
            str(left): figures(_with_left(ends, left, left), blunders)
            for left in range(1, settings.last + 1)
        },
        "unsolved": sum(game.unsolved for game in games),
        "counts": a_move(Counter(game.counts) for game in games),
        # Playouts measure the regret of one decision too roughly to tell blunders.
        "rollouts": figures(judged, ()) if settings.rollouts else None,
        "rollouts_by_left": {
            f"{first} to {last}": figures(_with_left(judged, first, last), ())
            for first, last in LEFT
        },
        # The gold that a judged decision loses.
        "sources": {
            name: sum(game.sources[name] for game in games) / count for name in SOURCES if count
        },
        "games": [asdict(game) for game in games],
        "seconds": seconds,
        **provenance(),
    }


def _with_left(
    games: Sequence[Sequence[DecisionRegret]], first: int, last: int
) -> list[list[DecisionRegret]]:
    """Return the decisions of each game with so many placements left."""
    return [[one for one in decisions if first <= one.left <= last] for decisions in games]


def show(data: dict[str, Any]) -> str:
    """Return the figures as text."""
    settings, exact, rollouts = data["settings"], data["exact"], data["rollouts"]
    name, options, unit = next(iter(settings["agent"])), settings["options"], settings["unit"]
    with_or_without = "with" if options["volcanoes"] else "without"
    blunders = [f"blunders_over_{most:g}" for most in BLUNDERS[unit]]
    kinds = [("solved", exact), *data["exact_by_left"].items()]
    if rollouts:
        kinds += [("judged", rollouts), *data["rollouts_by_left"].items()]
    rows = [
        (
            what if what in ("solved", "judged") else f"  {what} left",
            f"{row['decisions']:,}",
            *(_interval(row[key], ".3f") for key in ("regret", "placement_regret")),
            *(_interval(row.get(key), ".1%") for key in ("best_share", *blunders)),
        )
        for what, row in kinds
        if row["decisions"] or what in ("solved", "judged")
    ]
    head = (
        *(f"{unit} lost", "decisions", "a decision", "a placement", "nothing lost"),
        *(f"more than {most:g}" for most in BLUNDERS[unit]),
    )
    judged = f"; judged: {settings['rollouts']} playouts by {', '.join(settings['referees'])}"
    decisions = exact["decisions"] + (rollouts["decisions"] if rollouts else 0)
    lines = [
        f"{name} against itself, {options['num_players']} players, {with_or_without} volcanoes, "
        f"{settings['games']:,} games, seed {settings['seed']}\n",
        DataTable(head, rows).text(),
        f"\nsolved: at most {settings['last']} placements left{judged if rollouts else ''}",
        f"{decisions:,} decisions in {data['seconds']:.1f} s, games included "
        f"({decisions / data['seconds']:,.0f} a second)",
    ]
    if data["sources"]:
        of_source = (f"{name} {lost:+.3f}" for name, lost in data["sources"].items())
        lines.append(f"gold lost a judged decision, by source: {', '.join(of_source)}")
    if data["counts"]:
        counted = (f"{name} {number:.3g}" for name, number in data["counts"].items())
        lines.append(f"a move: {', '.join(counted)}")
    if data["unsolved"]:
        lines.append(f"not solved within {settings['nodes']:,} positions: {data['unsolved']}")
    return "\n".join(lines)


def _interval(ratio: dict[str, Any] | None, form: str) -> str:
    if ratio is None or ratio["value"] is None:
        return "·"
    return ranged(ratio["value"], ratio["low"], ratio["high"], form)
