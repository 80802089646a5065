"""An evaluation from its plan to its figures: what to play, what is missing, what came out."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..agents.agent import Agent
from ..agents.registry import load_agents
from ..provenance import git_commit, machine, versions
from .blocks import BLOCKS_AT_ONCE, Chunk, Pairing, chunks, pairings
from .matches import Outcome, Rules
from .sprt import Test
from .store import Store, engine_version
from .summary import Summary, summarise, values
from .workers import PlayAll, cores, play_all

FORMAT, VERSION = "cacao-evaluation", 1


@dataclass(frozen=True)
class Plan:
    """What is to be played; ``specs`` are agents as ``load_agent`` takes them."""

    specs: tuple[str, ...]
    players: tuple[int, ...]
    blocks: int = 200
    rules: Rules = field(default_factory=Rules)
    test: Test | None = None  # play until it is decided, ``blocks`` at most


@dataclass(frozen=True)
class Verdict:
    """How a sequential test came out."""

    accepted: str  # "H0", "H1" or "" when the blocks ran out
    blocks: int
    log_ratio: float
    test: Test

    def line(self) -> str:
        """The verdict as one line for people."""
        zero, one = f"{self.test.elo0:+g} Elo", f"{self.test.elo1:+g} Elo"
        if not self.accepted:
            return f"not decided between {zero} and {one} after {self.blocks} blocks"
        kept, other = (one, zero) if self.accepted == "H1" else (zero, one)
        return f"decided after {self.blocks} blocks: {self.accepted}, {kept} rather than {other}"


@dataclass(frozen=True)
class Evaluation:
    """A finished evaluation."""

    plan: Plan
    agents: list[Agent]
    summary: Summary
    outcomes: list[Outcome]
    verdict: Verdict | None


def make_plan(
    specs: Sequence[str],
    players: Sequence[int] | None = None,
    blocks: int = 200,
    rules: Rules | None = None,
    test: Test | None = None,
) -> tuple[Plan, list[Agent]]:
    """A plan that can be carried out, and its agents; ValueError says what is wrong with others."""
    rules = rules or Rules()
    if len(specs) < 2:
        raise ValueError(
            "there is one agent, expected two or more: an agent is measured against others"
        )
    if blocks < 1:
        raise ValueError(f"--blocks is {blocks}, expected at least 1")
    agents = load_agents(specs)
    if players is None:
        made = [a.players[0] for a in agents if len(a.players) == 1]
        players = made[:1] or [2]
    for count in players:
        if count not in (2, 3, 4) or list(players).count(count) > 1:
            text = ",".join(map(str, players))
            raise ValueError(f"--players is {text}, expected some of 2, 3 and 4, each once")
        for agent in agents:
            agent.check(count, rules.volcanoes)
    if test is not None and (len(agents) != 2 or len(players) != 1):
        raise ValueError("--until-decided compares two agents with one number of players")
    return Plan(tuple(specs), tuple(players), blocks, rules, test), agents


def settings(plan: Plan, agents: Sequence[Agent]) -> dict[str, Any]:
    """All that decides which games are played, as plain data."""
    return {
        "agents": {agent.name: agent.version for agent in agents},
        "players": list(plan.players),
        "blocks": plan.blocks,
        "blocks_at_once": BLOCKS_AT_ONCE,
        "seed": plan.rules.seed,
        "volcanoes": plan.rules.volcanoes,
        "test": None if plan.test is None else asdict(plan.test),
        "engine": engine_version(),
    }


def default_folder(plan: Plan, agents: Sequence[Agent]) -> Path:
    """Where a plan's games are kept if nothing else is said: a name for exactly these settings."""
    text = json.dumps(settings(plan, agents), sort_keys=True)
    names = "-".join(re.sub(r"\W+", "_", agent.name) for agent in agents)[:60]
    players = "".join(map(str, plan.players))
    return Path("runs/evaluation") / (
        f"{names}-{players}p-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
    )


def plan_chunks(plan: Plan, agents: Sequence[Agent]) -> list[Chunk]:
    """All that may have to be played, in order."""
    pairs = pairings([agent.name for agent in agents], plan.players)
    if plan.test is not None:
        pairs = pairs[:1]  # the first agent's games alone are the test's
    return chunks(pairs, plan.blocks)


def run_evaluation(
    plan: Plan,
    store: Store,
    agents: list[Agent],
    workers: int | None,
    play: PlayAll = play_all,
) -> Evaluation:
    """Play what the store lacks, and sum up; ``play`` says where."""
    every = plan_chunks(plan, agents)
    verdict = _verdict(plan, every, store)
    todo = [chunk for chunk in every if chunk.key not in store.outcomes]
    if todo and verdict is None:
        total = sum(chunk.blocks * chunk.pairing.players for chunk in every)
        with tqdm(total=total, initial=store.games, unit="game", disable=None) as bar:
            outcomes = play(todo, plan.specs, plan.rules, workers or cores(), bar.update)
            try:
                for outcome in outcomes:
                    store.add(outcome)
                    verdict = _verdict(plan, every, store)
                    if verdict is not None:
                        break
            finally:
                outcomes.close()
    used = [store.outcomes[chunk.key] for chunk in every if chunk.key in store.outcomes]
    if plan.test is not None:
        verdict = verdict or _undecided(plan, used)
        used = used[: -(-verdict.blocks // BLOCKS_AT_ONCE)]
    summary = summarise([agent.name for agent in agents], plan.rules.volcanoes, used)
    return Evaluation(plan, agents, summary, used, verdict)


def _verdict(plan: Plan, every: list[Chunk], store: Store) -> Verdict | None:
    """The test's verdict on the blocks up to the first that is missing, or None.

    It is asked after each chunk in their order, whichever was played first.
    """
    if plan.test is None:
        return None
    sums = _Sums()
    for chunk in every:
        if chunk.key not in store.outcomes:
            return None
        sums.add(store.outcomes[chunk.key])
        ratio = sums.log_ratio(plan.test)
        accepted = int(plan.test.verdict(ratio, sums.count))
        if accepted:
            return Verdict("H1" if accepted > 0 else "H0", sums.count, ratio, plan.test)
    return None


def _undecided(plan: Plan, used: list[Outcome]) -> Verdict:
    assert plan.test is not None
    sums = _Sums()
    for outcome in used:
        sums.add(outcome)
    return Verdict("", sums.count, sums.log_ratio(plan.test), plan.test)


class _Sums:
    """Block scores of the candidate, summed up."""

    def __init__(self) -> None:
        self.count, self.total, self.squares, self.players = 0, 0.0, 0.0, 2

    def add(self, outcome: Outcome) -> None:
        pairing: Pairing = outcome.pairing
        shares = values(pairing.agent, pairing, outcome.games, lambda g, s: g.share(s)).mean(axis=1)
        self.count += len(shares)
        self.total += float(shares.sum())
        self.squares += float((shares * shares).sum())
        self.players = pairing.players

    def log_ratio(self, test: Test) -> float:
        return float(test.log_ratio(self.count, self.total, self.squares, self.players))


def document(evaluation: Evaluation) -> dict[str, Any]:
    """The evaluation as plain data: what ``--json`` writes."""
    plan, summary = evaluation.plan, evaluation.summary
    verdict = evaluation.verdict
    return {
        "format": FORMAT,
        "version": VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": settings(plan, evaluation.agents),
        "specs": dict(zip((a.name for a in evaluation.agents), plan.specs, strict=True)),
        "results": [result.as_dict() for result in summary.results],
        "ratings": [asdict(row) for row in summary.ratings],
        "seats": [asdict(row) for row in summary.seats],
        "scores": [asdict(row) for row in summary.scores],
        "verdict": None if verdict is None else {**asdict(verdict), "text": verdict.line()},
        "versions": versions(),
        "git_commit": git_commit(),
        "machine": machine(),
    }
