"""Measure what an agent's decisions lose, in gold.

    python -m cacao_env.evaluation.regret_command runs/quickstart --games 500

The agent plays itself, on every seat.  Its decisions near the end are held against the exact solution,
a few of the earlier ones against many playouts.  docs/evaluation.md has the method.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents.agent import Agent
from ..agents.registry import load_agent
from ..provenance import git_commit, machine, versions
from . import tables
from .evaluate import check_writable
from .intervals import LEVEL, resampled_means
from .matches import Rules
from .regret import NODES, GameLosses, Loss, Ruler
from .self_play import GAMES_AT_ONCE, play_and_judge
from .store import engine_version
from .workers import WorkerError, cores

FORMAT, VERSION = "cacao-regret", 1
GAMES = 200
BLUNDERS = (1.0, 3.0)  # gold; what loses more is one
LEVEL_GOLD = 1e-6  # what loses no more is as good as the best


Decisions = Callable[[GameLosses], list[Loss]]


def figures(games: Sequence[GameLosses], of: Decisions) -> dict[str, Any]:
    """Means over all decisions of a kind, and their 95 % intervals, by bootstrap over games."""
    rows = np.array([_sums(of(game)) for game in games])
    again = resampled_means(rows)
    count = dict(zip(_COLUMNS, rows.sum(axis=0), strict=True))
    found: dict[str, Any] = {
        "decisions": int(count["decisions"]),
        "placements": int(count["placements"]),
    }
    for name, part, whole in _RATIOS:
        top, bottom = _COLUMNS.index(part), _COLUMNS.index(whole)
        if not count[whole]:
            found[name] = None
            continue
        seen = again[again[:, bottom] > 0]
        low, high = np.percentile(seen[:, top] / seen[:, bottom], LEVEL)
        value = count[part] / count[whole]
        if part not in ("gold", "placement_gold"):
            low, high = _widened(value, low, high, len(games))
        found[name] = {"value": float(value), "low": float(low), "high": float(high)}
    return found


def _widened(value: float, low: float, high: float, games: int) -> tuple[float, float]:
    """An interval of a share; if it is none or all, a bootstrap is blind and games are counted."""
    rest = float(0.025 ** (1 / games))
    return (rest if value == 1 else low), (1 - rest if value == 0 else high)


_COLUMNS = (
    "decisions",
    "placements",
    "gold",
    "placement_gold",
    "best",
    *(f"over {b:g}" for b in BLUNDERS),
)
_RATIOS = (
    ("loss", "gold", "decisions"),
    ("placement_loss", "placement_gold", "placements"),
    ("best_share", "best", "decisions"),
    *((f"blunders_over_{b:g}", f"over {b:g}", "decisions") for b in BLUNDERS),
)


def _sums(decisions: Sequence[Loss]) -> list[float]:
    """A game's row, in the order of ``_COLUMNS``."""
    gold: npt.NDArray[np.float64] = np.array([loss.gold for loss in decisions])
    placed = np.array([loss.placement for loss in decisions], bool)
    blunders = [float((gold > most).sum()) for most in BLUNDERS]
    best = float((gold <= LEVEL_GOLD).sum())
    return [len(gold), float(placed.sum()), gold.sum(), gold[placed].sum(), best, *blunders]


def document(
    agent: Agent, players: int, rules: Rules, ruler: Ruler, games: list[GameLosses], seconds: float
) -> dict[str, Any]:
    """All figures as plain data: what ``--json`` writes."""
    rollouts = figures(games, lambda game: game.rollouts)
    for name in [key for key in rollouts if key.startswith("blunders")]:
        del rollouts[name]  # a single decision's loss is too uncertain to tell
    return {
        "format": FORMAT,
        "version": VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": {
            "agent": {agent.name: agent.version},
            "players": players,
            "volcanoes": rules.volcanoes,
            "games": len(games),
            "seed": rules.seed,
            **asdict(ruler),
            "nodes": NODES,
            "games_at_once": GAMES_AT_ONCE,
            "engine": engine_version(),
        },
        "exact": figures(games, lambda game: game.exact),
        "unsolved": sum(game.unsolved for game in games),
        "rollouts": rollouts if ruler.rollouts else None,
        "games": [asdict(game) for game in games],
        "seconds": seconds,
        "versions": versions(),
        "git_commit": git_commit(),
        "machine": machine(),
    }


def show(data: dict[str, Any]) -> str:
    """The figures as text."""
    settings, exact, rollouts = data["settings"], data["exact"], data["rollouts"]
    name = next(iter(settings["agent"]))
    with_or_without = "with" if settings["volcanoes"] else "without"
    kinds = [(f"the last {settings['last']} placements, solved", exact)]
    if rollouts:
        kinds.append((f"before that, {settings['rollouts']} playouts", rollouts))
    rows = [
        (
            what,
            f"{row['decisions']:,}",
            _gold(row["loss"]),
            _gold(row["placement_loss"]),
            _share(row["best_share"]),
            *(_share(row.get(f"blunders_over_{b:g}")) for b in BLUNDERS),
        )
        for what, row in kinds
    ]
    head = ("gold lost", "decisions", "a decision", "a placement", "nothing lost")
    blunders = [f"more than {b:g}" for b in BLUNDERS]
    looked_at = sum(row["decisions"] for _, row in kinds)
    lines = [
        f"{name} against itself, {settings['players']} players, {with_or_without} volcanoes, "
        f"{settings['games']:,} games, seed {settings['seed']}\n",
        *_turned((*head, *blunders), rows),
        f"\n{looked_at:,} decisions in {data['seconds']:.1f} s, games included "
        f"({looked_at / data['seconds']:,.0f} a second)",
    ]
    if data["unsolved"]:
        lines.append(f"not solved within {settings['nodes']:,} positions: {data['unsolved']}")
    return "\n".join(lines)


def _turned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table with a column for each of the few rows: seven columns would not fit a terminal."""
    first, *rest = zip(head, *rows, strict=True)
    return [tables.plain(first, rest)]


def _gold(ratio: dict[str, float] | None) -> str:
    if ratio is None:
        return "·"
    return f"{ratio['value']:.3f} [{ratio['low']:.3f}, {ratio['high']:.3f}]"


def _share(ratio: dict[str, float] | None) -> str:
    if ratio is None:
        return "·"
    return f"{ratio['value']:.1%} [{ratio['low']:.1%}, {ratio['high']:.1%}]"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    options = _parser().parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        rules = Rules(options.seed, options.volcanoes)
        ruler = Ruler(options.last, options.rollouts, options.sample, options.top)
        agent = load_agent(options.agent)
        players = _players(options, agent)
        agent.check(players, rules.volcanoes)
        check_writable(options.json)
        begin = time.perf_counter()
        workers = cores() if options.workers is None else options.workers
        games = play_and_judge(options.agent, agent, players, options.games, rules, ruler, workers)
        data = document(agent, players, rules, ruler, games, time.perf_counter() - begin)
        print(show(data))
        if options.json:
            Path(options.json).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        return 0
    except KeyboardInterrupt:
        print("interrupted; nothing is kept", file=sys.stderr)
        return 130
    except (ValueError, WorkerError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _players(options: argparse.Namespace, agent: Agent) -> int:
    """How many play; ValueError for what is out of range."""
    for name in ("games", "workers"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ValueError(f"--{name} is {value}, expected at least 1")
    made = agent.players[0]
    players = made if options.players is None else int(options.players)
    if players not in (2, 3, 4):
        raise ValueError(f"--players is {players}, expected 2, 3 or 4")
    return players


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cacao_env.evaluation.regret_command", description=__doc__
    )
    add = parser.add_argument
    ruler = Ruler()
    add("agent", help="a bot (greedy), a checkpoint (a folder) or a class (module:Class)")
    add("--players", type=int, help="2, 3 or 4; a checkpoint's own, or 2")
    add("--volcanoes", action="store_true")
    add("--games", type=int, default=GAMES, help=f"deals, each played once; {GAMES} if not given")
    add("--last", type=int, default=ruler.last, metavar="P", help="solve decisions with at most P "
        f"placements left in the game, 1 to 4; {ruler.last} if not given")  # fmt: skip
    add("--rollouts", type=int, default=ruler.rollouts, metavar="R", help="playouts a candidate, "
        f"half of them to choose it; 0 for none, {ruler.rollouts} if not given")  # fmt: skip
    add("--sample", type=int, default=ruler.sample, metavar="D", help="earlier decisions of a game "
        f"that are looked at; {ruler.sample} if not given")  # fmt: skip
    add("--top", type=int, default=ruler.top, help=f"candidates, greedy's best; {ruler.top}")
    add("--seed", type=int, default=Rules.seed, help="seed of the first deal")
    add("--workers", type=int, help="processes; all cores if not given")
    add("--json", metavar="FILE", help="write the figures and every loss there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
