"""Speed on this machine: what one core does, each row saying what it counts.

The machine may be shared: every row is timed in several slices and the median is given.
"""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .cacao_v0 import env, raw_env
from .jit import njit
from .rng import below, new_rng
from .vector import VectorGames, playouts
from .version import __version__

BATCH = 64
SLICES = 5


@njit
def _random_legal(mask, rng):
    """A legal action id, drawn from its mask."""
    count = 0
    for action in range(len(mask)):
        count += mask[action]
    choice = below(rng, count)
    for action in range(len(mask)):
        if mask[action]:
            if choice == 0:
                return action
            choice -= 1
    return -1


def rate(work: Callable[[], int], seconds: float) -> float:
    """Median over slices of what ``work`` returns per second; it is called once beforehand."""
    work()
    rates = []
    for _ in range(SLICES):
        done, begin = 0, time.perf_counter()
        while (passed := time.perf_counter() - begin) < seconds / SLICES:
            done += work()
        rates.append(done / passed)
    return statistics.median(rates)


def _step(num_players: int, table_size: int | None, look: bool) -> Callable[[], int]:
    games = VectorGames(BATCH, num_players, table_size=table_size, seed=0)

    def work() -> int:
        for _ in range(200):
            games.step(games.sample(), look)
        return 200 * BATCH

    return work


def _playouts(num_players: int) -> Callable[[], int]:
    games = VectorGames(BATCH, num_players, seed=0)
    return lambda: playouts(games.states, games.rngs, 10)


def _aec(make: Callable[..., Any], table_size: int | None) -> Callable[[], int]:
    environment, rng = make(table_size=table_size), new_rng(0)
    environment.reset(seed=0)

    def work() -> int:
        decisions = 0
        for _ in range(200):
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                environment.reset()
                continue
            environment.step(_random_legal(observation["action_mask"], rng))
            decisions += 1
        return decisions

    return work


def rows() -> list[tuple[str, str, str, Callable[[], int]]]:
    """(name, unit, what is counted, the work) of each row."""
    unit = "decisions/s"
    found: list[tuple[str, str, str, Callable[[], int]]] = []
    for players in (2, 3, 4):
        for label, size in (("t15", 15), ("default", None)):
            name = f"p{players}.{label}"
            text = f"batch of {BATCH}, sampled legal actions, rewards, autoreset"
            found += [
                (f"step.{name}", unit, text, _step(players, size, False)),
                (
                    f"step_observe_mask.{name}",
                    unit,
                    f"{text}, uint8 observation, mask",
                    _step(players, size, True),
                ),
            ]
    for players in (2, 3, 4):
        text = "whole games, sampled legal actions"
        found.append((f"playouts.p{players}", "games/s", text, _playouts(players)))
    for label, size in (("t15", 15), ("default", None)):
        text = "last(), action drawn from the mask, step()"
        found.append((f"aec_raw.p2.{label}", unit, f"raw_env: {text}", _aec(raw_env, size)))
        found.append((f"aec.p2.{label}", unit, f"env: {text}", _aec(env, size)))
    return found


def run(seconds: float, json_file: str | None) -> int:
    """Print the table, and write it to a file when one is named; returns the exit status."""
    if seconds <= 0:
        raise ValueError(f"--seconds is {seconds}, expected more than 0")
    print(f"cacao_env {__version__}, numpy {np.__version__}, Python {platform.python_version()}")
    print(f"one thread; median of {SLICES} slices of {seconds / SLICES:.2g} s a row\n")
    results = []
    for name, unit, text, work in rows():
        value = rate(work, seconds)
        results.append({"name": name, "value": value, "unit": unit, "counts": text})
        print(f"{name:<28} {value:>12,.0f} {unit:<12} {text}")
    if json_file is not None:
        Path(json_file).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0
