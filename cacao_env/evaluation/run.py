"""Evaluation runs: from a plan to its figures.

Everything that is played to measure agents is a plan: ``evaluate`` and the end of a training run have
one, ``tasks`` has several.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from ..agent import Agent, require
from ..checks import as_int, as_path, check_type
from ..data import load_each
from ..data.folder import GameFolder, Key
from ..data.games import Games
from ..data.storage import DataError
from ..engine.options import PLAYERS, Decisions, Options
from ..engine.progress import Bar
from ..engine.sources import engine_version
from ..envs.tasks import Task
from ..files import read_json, write_json
from ..provenance import provenance
from ..registry import load_agents
from . import BLOCKS, SEED
from .blocks import Chunk, Pairing, chunks, pairings
from .matches import ChunkResult, luck_pays, play_chunk, warm_up
from .rows import lucks_of, replayed_games, results_of, rows_of
from .sprt import SequentialTest, SprtResult
from .summary import Result, block_scores, summarise
from .workers import chunk_player, do_all

FORMAT, VERSION, FIGURES = "cacao-evaluation", 2, "evaluation.json"
MOST_BLOCKS = 10_000  # until a test is decided
TASKS_HOME = Path("runs/tasks")


@dataclass(frozen=True)
class Plan:
    """What to play: agents, games, and perhaps a sequential test.

    ``specs`` name the agents for ``load_agent``; ``versions`` are their versions by name.  They play
    against each other, or the others only against those whose names are ``against``, or each against
    the opponents of a named task.  With a test ``blocks`` is the most that it may take.
    """

    specs: Sequence[str]
    versions: Mapping[str, str]
    options: Sequence[Options]
    blocks: int = BLOCKS
    seed: int = SEED
    test: SequentialTest | None = None
    task: Task | None = None
    against: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the agents."""
        return list(self.versions)


def make_plan(
    specs: Sequence[str],
    players: Sequence[int] | None = None,
    volcanoes: bool = False,
    blocks: int = BLOCKS,
    seed: int = SEED,
    test: SequentialTest | None = None,
    against: Sequence[str] = (),
    decisions: Decisions = "auto",
) -> Plan:
    """Return a valid plan; ValueError says what is wrong with any other.

    ``players``: numbers of players; by default the first that all agents play, or 2.  ``against``: the
    opponents of ``specs``, which then don't play each other.  ``decisions``: those that all are asked.
    """
    specs = (*specs, *against)
    if len(specs) < 2:
        raise ValueError(
            "there is one agent, expected two or more: an agent is measured against others"
        )
    as_int("--deals", blocks, 1)
    agents = load_agents(specs, allow_code=True)
    if players is None:
        players = [n for n in PLAYERS if all(n in agent.players for agent in agents)][:1] or [2]
    if set(players) - set(PLAYERS) or len(set(players)) < len(players):
        text = ",".join(map(str, players))
        raise ValueError(f"--players is {text}, expected some of 2, 3 and 4, each once")
    options = tuple(Options(count, volcanoes, decisions) for count in players)
    for one in options:
        for agent in agents:
            require(agent, one)
    if test is not None and (len(agents) != 2 or len(options) != 1):
        raise ValueError("--until-decided compares two agents with one number of players")
    opponents = tuple(agent.name for agent in agents[len(specs) - len(against) :])
    return Plan(specs, versions_of(agents), options, blocks, seed, test, against=opponents)


def task_plans(tasks: Sequence[Task], specs: Sequence[str], deals: int) -> list[Plan]:
    """Return the plan of each task and agent that plays it; deal d is ``reset(seed=SEED + d)``."""
    as_int("--deals", deals, 1)
    agents = load_agents(specs, allow_code=True)
    return [
        Plan((spec,), versions_of([agent]), (task.options,), deals, task=task)
        for task in tasks
        for spec, agent in zip(specs, agents, strict=True)
        if agent.supports(task.options)
    ]


def versions_of(agents: Iterable[Agent]) -> dict[str, str]:
    """Return the versions of agents by their names."""
    return {agent.name: agent.version for agent in agents}


def settings(plan: Plan) -> dict[str, Any]:
    """Return everything that determines the games but their number, as plain data."""
    return {
        "agents": dict(plan.versions),
        "options": [one.as_dict() for one in plan.options],
        "task": plan.task and plan.task.id,
        "opponents": versions_of([plan.task.load_opponent()] if plan.task else []),
        "against": list(plan.against),
        "seed": plan.seed,
        "test": None if plan.test is None else asdict(plan.test),
        "engine": engine_version(),
    }


def file_name(words: Sequence[str]) -> str:
    """Return the words, most often agents, as part of a file's name."""
    return "-".join(re.sub(r"\W+", "_", word) for word in words)[:60]


def default_folder(plan: Plan) -> Path:
    """Return the folder of a plan's games; its name identifies the settings."""
    text = json.dumps(settings(plan), sort_keys=True)
    words = plan.names + ([plan.task.entry] if plan.task else [])
    players = "".join(str(one.num_players) for one in plan.options)
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    return Path("runs/evaluation") / f"{file_name(words)}-{players}p-{digest}"


def plan_chunks(plan: Plan) -> list[Chunk]:
    """Return all chunks that may have to be played, in order."""
    names = plan.names
    pairs = pairings(names, plan.options)
    if plan.against:
        own = [name for name in names if name not in plan.against]
        pairs = [Pairing(one, *pair) for one in plan.options for pair in product(own, plan.against)]
    if task := plan.task:
        pairs = [Pairing(task.options, name, task.opponent, task.id) for name in names]
    if plan.test is not None:
        pairs = pairs[:1]  # a test needs only the first agent's games
    return chunks(pairs, plan.blocks)


def play(
    plan: Plan,
    todo: Sequence[Chunk],
    workers: int | None = None,
    ray: str | None = None,
    luck: Collection[Pairing] = (),
) -> Generator[ChunkResult, None, None]:
    """Play chunks of a plan under a progress bar, in ``workers`` processes or on a Ray cluster.

    ``luck``: the pairings whose games have luck.
    """
    versions = dict(zip(plan.specs, plan.versions.values(), strict=True))
    make = partial(chunk_player, versions, plan.seed, luck)
    jobs = {chunk.key: chunk for chunk in todo}
    with (
        Bar(total=sum(chunk.num_games for chunk in todo), unit="game") as bar,
        closing(do_all(jobs, make, workers, bar.update, ray)) as results,
    ):
        yield from results


def missing(chunk: Chunk, seed: int, keys: Collection[Key]) -> Chunk | None:
    """Return a chunk of the blocks that lack a game, None if no block does; ``keys``: of the games."""
    pairing = chunk.pairing
    about = pairing.options.num_players, pairing.options.volcanoes
    seatings = [pairing.seats(rotation) for rotation in range(pairing.rotations)]
    if pairing.task:  # its environment chooses the seat
        seatings, done = [()], {(*key[:3], ()) for key in keys}
    else:
        done = keys  # type: ignore[assignment]
    left = [
        block
        for block in chunk.blocks
        if not all((*about, seed + block, seats) in done for seats in seatings)
    ]
    return replace(chunk, blocks=left) if left else None


def run_evaluation(
    plan: Plan,
    folder: GameFolder,
    workers: int | None,
    ray: str | None = None,
    luck: bool | None = None,
) -> dict[str, Any]:
    """Play the games that the folder lacks; write the figures beside them and return them.

    The standard error says which games are used again, and why those of an agent are not.  ``luck``:
    whether the games have luck; None lets the cost of the first ones decide.  ValueError if the
    folder's games were played otherwise.
    """
    every = plan_chunks(plan)
    todo = [one for chunk in every if (one := missing(chunk, plan.seed, folder.keys))]
    versions = settings(plan)["agents"] | settings(plan)["opponents"]
    if folder.dropped:
        names = " and ".join(sorted(name for name in versions if not versions[name]))
        print(f"games of {names}, without a version, are played again", file=sys.stderr)
    kept = sum(chunk.num_games for chunk in every) - sum(chunk.num_games for chunk in todo)
    if kept:
        print(f"{kept} games from {folder.path} are not played again", file=sys.stderr)
    scores: dict[int, float] = {}
    for games in replayed_games(folder.path) if plan.test and folder.keys else ():
        for result in results_of(games, plan.seed):
            scores |= block_scores(result)
    sprt = sprt_result(plan, scores)
    if todo and not (sprt and sprt.accepted):
        with closing(play(plan, todo, workers, ray, _with_luck(plan, folder, luck))) as results:
            for result in results:
                folder.add(rows_of(result, plan.seed, versions))
                scores |= block_scores(result)
                sprt = sprt_result(plan, scores)
                if sprt and sprt.accepted:
                    break
    folder.finish()
    data = {
        "format": FORMAT,
        "version": VERSION,
        "settings": {**settings(plan), "blocks": plan.blocks},
        "specs": dict(zip(plan.names, plan.specs, strict=True)),
        **figures_of(plan, folder.path, replayed_games(folder.path)),
        **provenance(),
    }
    write_json(folder.path / FIGURES, data)
    return data


def _with_luck(plan: Plan, folder: GameFolder, luck: bool | None) -> set[Pairing]:
    """Return the pairings whose games have luck: as in the folder, as is wanted, or where it pays."""
    stored: dict[Pairing, bool] = {}
    for games in load_each(folder.path) if folder.keys else ():
        stored |= lucks_of(games)
    every = {chunk.pairing for chunk in plan_chunks(plan)}
    for pairing, own in stored.items():
        if pairing in every and luck is not None and own != luck:
            there, option = ("luck", "--no-luck") if own else ("no luck", "--luck")
            raise ValueError(
                f"the games in {folder.path} have {there}, expected the same for all: leave out "
                f"{option}, or name another --out"
            )
    rest = {pairing for pairing in every if pairing not in stored and not plan.task}
    if luck is None and rest:
        agents = {one.name: one for one in load_agents(plan.specs, allow_code=True)}
        rest = {pairing for pairing in rest if luck_pays(pairing, agents, plan.seed)}
    chosen = set() if luck is False else rest
    return chosen | {pairing for pairing, own in stored.items() if own}


def figures_of(plan: Plan, path: Path, every: Sequence[Games]) -> dict[str, Any]:
    """Sum up the replayed games of a plan that a folder has; DataError if one lacks or is odd.

    Returns ``results``, ``ratings``, ``seats``, ``scores`` and ``sprt`` as plain data.
    """
    task = plan.task.id if plan.task else ""
    results = [result for games in every for result in results_of(games, plan.seed, task)]
    found = {result.pairing: result for result in results}
    wanted = dict.fromkeys(chunk.pairing for chunk in plan_chunks(plan))  # in order
    for odd in [pairing for pairing in found if pairing not in wanted]:
        raise DataError(
            f"{path} has a game of {odd.agent} against {odd.opponent}, which was not planned"
        )
    results = [found.get(pairing, ChunkResult(pairing, [])) for pairing in wanted]
    sprt = sprt_result(plan, block_scores(results[0])) if plan.test else None
    blocks = sprt.blocks if sprt else plan.blocks
    used = [
        ChunkResult(pairing, [game for game in games if game.block < blocks])
        for pairing, games in results
    ]
    for pairing, games in used:
        there = Counter(game.block for game in games)
        for block in range(blocks):
            if there[block] != pairing.rotations:
                raise DataError(
                    f"{path} has {there[block]} games of deal {plan.seed + block} with {pairing.agent} "
                    f"against {pairing.opponent}, expected {pairing.rotations}"
                )
    tested = None if sprt is None else {**asdict(sprt), "text": sprt.line()}
    return {**asdict(summarise(plan.names, used)), "sprt": tested}


def evaluated(home: Path, plan: Plan, workers: int | None) -> dict[str, Any]:
    """Play a plan, or the rest of it, with its games in a folder below ``home``; return its figures."""
    path = home / default_folder(plan).name
    with closing(GameFolder(path, settings(plan))) as folder:
        return run_evaluation(plan, folder, workers)


def sprt_result(plan: Plan, scores: Mapping[int, float]) -> SprtResult | None:
    """Run the plan's test, if it has one, on the scores of its blocks up to the first that is missing.

    Blocks are taken in their order, a few at a time, whichever were played first.
    """
    if plan.test is None:
        return None
    parts = (chunk.blocks for chunk in plan_chunks(plan))
    there = takewhile(lambda part: all(block in scores for block in part), parts)
    found = (np.array([scores[block] for block in part]) for part in there)
    return plan.test.run(found, plan.options[0].num_players)


def loaded(path: str | Path) -> dict[str, Any]:
    """Read the figures of an evaluation from a file; ValueError for another file."""
    data = read_json(as_path(path), f"a {FORMAT} file")
    if not isinstance(data, dict) or (data.get("format"), data.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{path} is not a {FORMAT} file of version {VERSION}")
    return data


def measure(
    agent: Agent,
    opponent: Agent,
    options: Options | None = None,
    blocks: int = BLOCKS,
    seed: int = SEED,
    luck: bool | None = None,
) -> Result:
    """Play an agent against one opponent in this process; block b has the deal of ``seed + b``.

    ``luck``: whether figures are adjusted for luck; None adjusts them where that narrows an interval
    more than as many seconds of more games.
    """
    for name, value in (("agent", agent), ("opponent", opponent)):
        check_type(name, value, Agent, "an Agent")
    if agent.name == opponent.name:
        raise ValueError(f"both agents are named {agent.name!r}")
    blocks, seed = as_int("blocks", blocks, 1), as_int("seed", seed)
    options = options or Options()
    for one in (agent, opponent):
        require(one, options)
    both = {agent.name: agent, opponent.name: opponent}
    pairing = Pairing(options, agent.name, opponent.name)
    parts = chunks([pairing], blocks)
    total = blocks * options.num_players
    with Bar(total=total, unit="game", leave=False) as bar:
        if luck is None:
            luck = luck_pays(pairing, both, seed)
        else:
            warm_up(pairing, both, seed)
        results = [play_chunk(chunk, both, seed, bar.update, luck) for chunk in parts]
    return summarise(list(both), results).results[0]


def print_results(results: Sequence[Result], bars: Mapping[str, float]) -> int:
    """Print each result and whether its lower end reached the bar of its opponent.

    Returns how many did not.
    """
    missed = 0
    for result in results:
        print(result.line())
        if result.opponent in bars:
            bar = bars[result.opponent]
            missed += result.low < bar
            verdict = "reached" if result.low >= bar else "MISSED"
            print(f"  bar of {bar:.0%} against {result.opponent}: {verdict}")
    return missed
