"""Find greedy's weights: the values of its heuristic (:class:`cacao_env.greedy.values.Weights`).

    python -m training.tune_greedy --minutes 10

The cross-entropy method (Rubinstein, 1999) moves a normal distribution over weights towards those
that do best against the initial weights, on common deals with 2, 3 and 4 players, seats rotated.
Prints the weights found and their results against the old ones on other deals; writes no file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cacao_env.agents.playout import match
from cacao_env.engine.options import Options
from cacao_env.engine.rng import new_rng
from cacao_env.greedy.values import Weights

Array = npt.NDArray[np.float64]
PLAYERS = (2, 3, 4)
SMALLEST = 0.01  # no weight is below this: fades divide
ELITE = 0.25
FINAL_BLOCKS = 2000


def play(new: Array, old: Array, blocks: int, seed: int, volcanoes: bool = False) -> Array:
    """Utility and win share of ``new`` against ``old``, (players, 2), on common deals."""
    found = np.zeros((len(PLAYERS), 2))
    for row, players in enumerate(PLAYERS):
        states = Options(players, volcanoes).blank_states(3)
        results = np.zeros((blocks, 2))
        match(states, np.stack([new, old]), new_rng(seed + players), blocks, results)
        found[row] = results.mean(axis=0)
    return found


def tune(start: Array, minutes: float, population: int, blocks: int, seed: int) -> Array:
    """Return the mean of the distribution when the time is over."""
    rng = np.random.default_rng(seed)
    mean, spread = start.copy(), 0.3 * np.maximum(start, 0.2)
    end = time.monotonic() + 60 * minutes
    generation = 0
    while time.monotonic() < end:
        tried = np.maximum(SMALLEST, rng.normal(mean, spread, (population, len(mean))))
        deals = int(rng.integers(2**62))
        values = np.array([play(new, start, blocks, deals)[:, 0].mean() for new in tried])
        best = tried[np.argsort(values)[-max(2, int(ELITE * population)) :]]
        mean = 0.5 * mean + 0.5 * best.mean(axis=0)
        spread = 0.5 * spread + 0.5 * best.std(axis=0)
        generation += 1
        weights = ", ".join(f"{value:.2f}" for value in mean)
        print(f"{generation:>3}: mean utility {values.mean():+.3f}, weights {weights}", flush=True)
    return mean


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.tune_greedy", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--population", type=int, default=32, help="weights tried in a round")
    parser.add_argument("--blocks", type=int, default=60, help="deals each for 2, 3, 4 players")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for name, least in (("minutes", 0), ("population", 7), ("blocks", 0)):
        if getattr(options, name) <= least:
            print(
                f"--{name} is {getattr(options, name)}, expected more than {least}", file=sys.stderr
            )
            return 1
    start = np.array(Weights())
    found = tune(start, options.minutes, options.population, options.blocks, options.seed)
    for name, old, new in zip(Weights._fields, start, found):
        print(f"{name:<12} {old:>6.3f} -> {new:>6.3f}")
    for players, (utility, win_share) in zip(PLAYERS, play(found, start, FINAL_BLOCKS, 10**9)):
        print(
            f"{players} players: wins {win_share:.1%} of {FINAL_BLOCKS * players} games against "
            f"the old weights (equal would be {1 / players:.1%}), utility {utility:+.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
