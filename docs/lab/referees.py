"""What two agents' choices in Cacao Positions differ by, by each referee alone; in the checkout:

    python docs/lab/referees.py mc:sims=64 nacional

A file of positions has each referee's values for the placements that were judged longest, and bad
choices seldom are.  So wherever the two agents choose differently, each referee alone plays both
choices, with the same deals and draws.  Where the end is solved, the file's values are exact.
``--file`` names another file of positions.
"""

import argparse
from pathlib import Path

import numpy as np

from cacao_env.agents.registry import load_agent
from cacao_env.evaluation.figures import ranged
from cacao_env.evaluation.intervals import LEVEL, resampled_means
from cacao_env.evaluation.judged_positions import REFEREES, _Playouts
from cacao_env.evaluation.positions import FILE, ask, read_positions

PASSES = 64  # of each choice by each referee
SEED = 1


def main() -> None:
    """Print what the first agent loses more than the second, in gold a position, by each referee."""
    parser = argparse.ArgumentParser()
    parser.add_argument("agents", nargs=2)
    parser.add_argument("--file", type=Path, default=FILE)
    about = parser.parse_args()
    positions = read_positions(about.file)
    answers = [
        ask(spec, load_agent(spec), positions, 0, 1, lambda done: None) for spec in about.agents
    ]
    nets = [load_agent(name).tools for name in REFEREES]
    more = np.zeros((len(REFEREES), len(positions)))
    for one, *two in zip(positions, *answers, strict=True):
        first, second = (answer.action for answer in two)
        if first == second:
            continue
        if not any(one.errors):  # solved
            more[:, one.number] = two[0].gold - two[1].gold
            continue
        for referee, net in enumerate(nets):
            found = _Playouts([net], one.game(), None, {}, SEED + one.number)
            both = np.searchsorted(found.legal, [first, second])
            found.run(both, PASSES, until_known=False)
            gold = found._gold[:PASSES, both].mean(0)
            more[referee, one.number] = gold[1] - gold[0]
    for name, of_one in zip(REFEREES, more, strict=True):
        low, high = np.percentile(resampled_means(of_one), LEVEL)
        print(f"{name}: {ranged(of_one.mean(), low, high, '+z.3f')}")


if __name__ == "__main__":
    main()
