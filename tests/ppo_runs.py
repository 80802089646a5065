"""Short runs of PPO, for tests."""

from __future__ import annotations

import json

import numpy as np

from training.config import from_dict
from training.state import read_state
from training.train_ppo import PpoConfig

SMALL = {
    "name": "small",
    "games": 4,
    "rollout": 32,
    "batch": 32,
    "epochs": 1,
    "width": 8,
    "steps": 512,
    "minutes": 1e9,
    "eval_games": 4,
    "eval_minutes": 1e9,
    "blocks": 2,
    "against": ["random"],
    "device": "cpu",
}


def played(**keys) -> PpoConfig:
    """A configuration of short rollouts."""
    return PpoConfig(**{"rollout": 16, "batch": 32} | keys)


def config(**changes):
    return from_dict(PpoConfig, SMALL | changes)


def command(tmp_path, name, **changes):
    file = tmp_path / f"{name}.toml"
    given = SMALL | changes
    file.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in given.items()))
    return ["--config", str(file), "--out", str(tmp_path / name)]


def same(one, other, but=()):
    a, b = (read_state(folder)[0] for folder in (one, other))
    assert sorted(a) == sorted(b)
    return all(np.array_equal(a[name], b[name]) for name in a if name not in but)
