"""Measure agents against each other.

    python -m cacao_env.evaluation.evaluate greedy random runs/quickstart --players 2 --blocks 500

The unit is the *deal block*: one deal, played once with the candidate in each seat and the opponent
in all others.  Wins (a shared win counts its share) and margins are averaged inside a block;
intervals are bootstrapped over blocks.  docs/evaluation.md has the method.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..agents.agent import Agent
from . import tables
from .blocks import Pairing, chunks
from .matches import Rules, play_chunk, warm_up
from .records import write_records
from .report import page
from .run import Evaluation, Plan, default_folder, document, make_plan, run_evaluation, settings
from .sprt import Test
from .store import Store
from .summary import Result, summarise
from .workers import PlayAll, WorkerError, play_all

BLOCKS, MOST_BLOCKS = 200, 10_000  # by default; the second until a test is decided
MANY_RESULTS = 6  # more are shown as a cross-table alone


def measure(
    agent: Agent,
    opponent: Agent,
    num_players: int = 2,
    volcanoes: bool = False,
    blocks: int = BLOCKS,
    seed: int = Rules.seed,
) -> Result:
    """Play an agent against a field of one opponent, here and now; deals ``seed`` and following."""
    if agent.name == opponent.name:
        raise ValueError(f"both agents are named {agent.name!r}")
    if blocks < 1:
        raise ValueError(f"blocks is {blocks}, expected at least 1")
    for one in (agent, opponent):
        one.check(num_players, volcanoes)
    both = {agent.name: agent, opponent.name: opponent}
    parts = chunks([Pairing(num_players, agent.name, opponent.name)], blocks)
    with tqdm(total=blocks * num_players, unit="game", disable=None, leave=False) as bar:
        rules = Rules(seed, volcanoes)
        warm_up(parts[0], both, rules)
        outcomes = [play_chunk(chunk, both, rules, bar.update) for chunk in parts]
    return summarise(list(both), volcanoes, outcomes).results[0]


def print_results(results: Sequence[Result], bars: Mapping[str, float]) -> int:
    """Print each result and whether its lower end reached the bar of its field; how many did not."""
    missed = 0
    for result in results:
        print(result.line())
        if result.field in bars:
            bar = bars[result.field]
            missed += result.low < bar
            verdict = "reached" if result.low >= bar else "MISSED"
            print(f"  bar of {bar:.0%} against {result.field}: {verdict}")
    return missed


def show(evaluation: Evaluation, data: dict[str, Any]) -> str:
    """The figures as text."""
    results = evaluation.summary.results
    parts = [r.line() for r in results] if len(results) <= MANY_RESULTS else []
    for players in evaluation.plan.players:
        kinds = [tables.ratings, tables.gold, tables.seats]
        if len(results) > MANY_RESULTS:
            kinds.insert(0, tables.cross_table)
        parts.append(f"\n{players} players")
        parts += [tables.plain(*kind(data, players)) + "\n" for kind in kinds]
    if evaluation.verdict:
        parts.append(evaluation.verdict.line())
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    options = _parser().parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        plan, agents = _plan(options)
        folder = Path(options.out) if options.out else default_folder(plan, agents)
        for path in (options.json, options.html):
            check_writable(path)
        if options.records:
            Path(options.records).mkdir(parents=True, exist_ok=True)
        store = Store(folder, settings(plan, agents))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    try:
        play = player_on(options.ray)
        _write_all(run_evaluation(plan, store, agents, options.workers, play), folder, options)
        return 0
    except KeyboardInterrupt:
        print(f"interrupted; {_how_to_go_on(store)}", file=sys.stderr)
        return 130
    except (ValueError, WorkerError, OSError) as error:
        print(f"{error}; {_how_to_go_on(store)}", file=sys.stderr)
        return 1
    finally:
        store.close()


def player_on(ray: str | None) -> PlayAll:
    """What plays: processes of this machine, or tasks of the Ray cluster at an address."""
    if ray is None:
        return play_all
    from .cluster import RayPlayers  # Ray is an extra

    return RayPlayers(ray)


def add_playing_options(parser: argparse.ArgumentParser) -> None:
    """Who plays the games: ``--workers`` and ``--ray``."""
    add = parser.add_argument
    add("--workers", type=int, help="processes; all cores if not given")
    add("--ray", nargs="?", const="local", metavar="ADDRESS", help="play on a Ray cluster, one task a "
        "block of deals: auto, an address, or nothing for one made here")  # fmt: skip


def _plan(options: argparse.Namespace) -> tuple[Plan, list[Agent]]:
    """What the command line asks for; ValueError says what is wrong with it."""
    if options.workers is not None and options.workers < 1:
        raise ValueError(f"--workers is {options.workers}, expected at least 1")
    test = Test(options.elo0, options.elo1) if options.until_decided else None
    blocks = options.blocks
    if blocks is None:
        blocks = MOST_BLOCKS if test else BLOCKS
    rules = Rules(options.seed, options.volcanoes)
    return make_plan(options.agents, options.players, blocks, rules, test)


def _write_all(evaluation: Evaluation, folder: Path, options: argparse.Namespace) -> None:
    """Print the figures and write all files asked for."""
    data = document(evaluation)
    text, html = json.dumps(data, indent=2) + "\n", page(data)
    print(show(evaluation, data))
    for path in (folder / "evaluation.json", options.json):
        if path:
            Path(path).write_text(text, encoding="utf-8")
    for path in (folder / "report.html", options.html):
        if path:
            Path(path).write_text(html, encoding="utf-8")
    if options.records:
        count = write_records(evaluation, Path(options.records))
        print(f"records: {count} in {options.records}")
    print(f"report: {folder / 'report.html'}")


def check_writable(path: str | None) -> None:
    """OSError, before anything is played, for a file that can't be written."""
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with Path(path).open("a", encoding="utf-8"):
            pass


def _how_to_go_on(store: Store) -> str:
    return (
        f"{store.games} games are kept in {store.path.parent}, the same command goes on from there"
    )


def _counts(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cacao_env.evaluation.evaluate", description=__doc__
    )
    add = parser.add_argument
    add("agents", nargs="+", help="bots (greedy), checkpoints (a folder), classes (module:Class)")
    add("--players", type=_counts, metavar="N[,N...]", help="2, 3 and 4; a checkpoint's own, or 2")
    add("--blocks", type=int, help=f"deals, each played in every seat; {BLOCKS} if not given")
    add("--until-decided", action="store_true", help="a sequential test of the first against the "
        f"second; --blocks is the most it may take, {MOST_BLOCKS:,} if not given")  # fmt: skip
    add("--elo0", type=float, default=0.0, help="the test's first hypothesis")
    add("--elo1", type=float, default=20.0, help="its second")
    add("--volcanoes", action="store_true")
    add("--seed", type=int, default=Rules.seed, help="seed of the first deal")
    add_playing_options(parser)
    add("--out", metavar="DIR", help="where games are kept; under runs/evaluation if not given")
    add("--json", metavar="FILE", help="write the figures there as well")
    add("--html", metavar="FILE", help="write the report there as well")
    add("--records", metavar="DIR", help="write every game there as a record")
    return parser


if __name__ == "__main__":
    sys.exit(main())
