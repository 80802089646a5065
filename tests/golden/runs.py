"""Tiny runs of every trainer.  ``python -m tests.golden.runs`` writes their figures again.

A change in them is a change of what a learner does with the same games: read the diff.
"""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from training.config import from_dict
from training.loop import Learner
from training.train_afterstate import AfterstateConfig, AfterstateLearner
from training.train_ppo import PpoConfig, PpoLearner
from training.train_sb3 import Sb3Config, Sb3Learner

FILE = Path(__file__).parent / "runs.json"
ROUNDS = 4
# A number that is added to the scores of all rows changes no probability, so its gradient is rounding
# alone, which differs between processors.
WITHOUT_MEANING = {"score.bias"}
_ENDLESS = {"name": "golden", "minutes": 1e9, "deals": 2, "seed": 5}
_VALUES = _ENDLESS | {
    **{"greedy_rounds": 1, "greedy_games": 12, "games": 8, "rounds": ROUNDS, "threads": 1},
    **{"batch": 32, "replay": 2, "sums": 8, "maxima": 4, "units": 4, "top": 4},
}
_POLICIES = _ENDLESS | {
    **{"games": 4, "rollout": 32, "batch": 32, "epochs": 2, "width": 8, "steps": 512},
    **{"learning_rate": 0.01, "clip_range": 0.05},  # large steps, so that ratios are clipped
}
_PPO = {"device": "cpu", "reward": "outcome", "margin_weight": 0.3}
_PPO |= {"past_fraction": 0.5, "past_rounds": 1}
_ROWS = {"observation": "candidates", "decisions": "turn", "rows": 8, "replies": 2}
_SB3 = {"snapshot_fraction": 0.5, "snapshot_rounds": 1}
# name: learner, configuration
RUNS: dict[str, tuple[type[Learner], type[Any], dict[str, Any]]] = {
    "afterstate": (AfterstateLearner, AfterstateConfig, _VALUES),
    "afterstate-3p": (AfterstateLearner, AfterstateConfig, _VALUES | {"players": {"3": 1.0}}),
    "ppo": (PpoLearner, PpoConfig, _POLICIES | _PPO),
    "ppo-rows": (PpoLearner, PpoConfig, _POLICIES | _PPO | _ROWS | {"greedy_fraction": 0.3}),
    "sb3": (Sb3Learner, Sb3Config, _POLICIES | _SB3),
    "sb3-rows": (Sb3Learner, Sb3Config, _POLICIES | _ROWS),
}


def figures(name: str) -> dict[str, Any]:
    """Each round's metrics without times, and the norm of every array of weights in the end."""
    kind, config, settings = RUNS[name]
    with closing(kind(from_dict(config, settings))) as learner:
        rows = []
        for _ in range(ROUNDS):
            metrics = learner.round() | learner.counts
            learner.rounds += 1
            rows.append({key: metrics[key] for key in sorted(metrics) if "second" not in key})
        weights = learner.weights()
    keys = sorted(weights.keys() - WITHOUT_MEANING)
    norms = {key: float(np.linalg.norm(weights[key])) for key in keys}
    return {"rounds": rows, "norms": norms}


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: figures(name) for name in RUNS}, indent=1) + "\n")
