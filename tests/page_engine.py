"""Compares the engine in the page with the package: whole games, move by move.

``python -m tests.page_engine`` plays 10,000 games of random and 500 of the network in both, and some
with search; it needs Node.  Moves, scores and random numbers must be the same.
"""

import argparse
import json
import math
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cacao_env import Game
from cacao_env.agents.analysis import Analysis
from cacao_env.agents.registry import load_agent

PAGE = Path(__file__).parents[1] / "cacao_env" / "play" / "page"
NODE = shutil.which("node")


def listed(agent: str, count: int, sims: int = 0, thoughts: int = 0) -> Iterator[dict[str, Any]]:
    """Games of all numbers of players, with and without volcanoes, in all ways of asking."""
    for seed in range(count):
        yield {
            "players": 2 + seed % 3,
            "volcanoes": seed % 2 == 1,
            "decisions": ("auto", "auto", "auto", "turn")[seed // 6 % 4],
            "seed": seed,
            "agent": agent,
            "sims": sims,
            "thoughts": thoughts,
        }


def in_the_page(games: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Play the games in Node; ``actions, scores, rng, thought, ms`` of each."""
    assert NODE is not None
    text = "\n".join(map(json.dumps, games))
    command = [NODE, str(PAGE / "checks" / "games.mjs")]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def natively(one: dict[str, Any]) -> dict[str, Any]:
    name = one["agent"]
    if one["sims"]:
        name += f"{':' if name == 'mc' else '+search:'}sims={one['sims']}"
    agent, seed = load_agent(name), one["seed"]
    options = {"volcanoes": one["volcanoes"], "decisions": one["decisions"]}
    game = Game.new(one["players"], seed, **options)
    memory = [agent.begin(10 * seed + seat) for seat in range(game.num_players)]
    thought = []
    began = time.perf_counter()
    while game.seat is not None:
        if one["thoughts"] and game.ply % one["thoughts"] == 0:
            thought.append(as_data(agent.analyze(game, agent.begin(seed))))
        game.play(agent.act([game], [memory[game.seat]])[0])
    ms = 1000 * (time.perf_counter() - began)
    rng = [str(int(own[0])) for own in memory]
    actions = list(game.history)
    return {"actions": actions, "scores": game.scores(), "rng": rng, "thought": thought, "ms": ms}


def as_data(analysis: Analysis) -> dict[str, Any]:
    """An analysis as the page has it: what is known of each action, the best first."""
    known = (analysis.actions, analysis.weights, analysis.values, analysis.visits)
    columns = [column.tolist() for column in known if column is not None]
    assert analysis.win_shares is not None
    assert analysis.scores is not None
    expected = {"win_shares": analysis.win_shares.tolist(), "scores": analysis.scores.tolist()}
    return {"candidates": [list(row) for row in zip(*columns, strict=True)], **expected}


def alike(own: Any, page: Any) -> bool:
    """Whether plain data are the same, numbers to nine digits."""
    if isinstance(own, dict):
        return own.keys() == page.keys() and all(alike(own[key], page[key]) for key in own)
    if isinstance(own, list):
        return len(own) == len(page) and all(map(alike, own, page))
    return bool(math.isclose(own, page, rel_tol=1e-9, abs_tol=1e-9))


def differences(games: list[dict[str, Any]]) -> tuple[list[str], float]:
    """What differs, a line a game; and the speed in the page over that of Python, both in one run."""
    found, ours, theirs = [], 0.0, 0.0
    natively(games[0])  # compile
    for one, page in zip(games, in_the_page(games), strict=True):
        own = natively(one)
        ours, theirs = ours + own["ms"], theirs + page["ms"]
        found += [f"{one}: {key}" for key in ("actions", "scores", "rng") if own[key] != page[key]]
        found += [] if alike(own["thought"], page["thought"]) else [f"{one}: thought"]
    return found, ours / theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=10_000)
    parser.add_argument("--network", type=int, default=500)
    parser.add_argument("--search", type=int, default=12)
    given = parser.parse_args()
    every = [("random", given.random, 0), ("greedy", given.network, 0), ("mc", given.search, 16)]
    every += [("trinitario", given.network, 0), ("trinitario", given.search, 8)]
    wrong = []
    for agent, count, sims in every:
        found, ratio = differences(list(listed(agent, count, sims)))
        print(
            f"{count} games of {agent} sims={sims}: {len(found)} differ; speed {ratio:.2f} of Python's"
        )
        wrong += found
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
