"""Short runs of PPO, for tests."""

from __future__ import annotations

import json

import numpy as np

from cacao_env.agents import greedy
from cacao_env.engine.actions import MAX_LEGAL
from training.config import from_dict
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


def appraisals(states):
    """Greedy's legal actions and their values."""
    ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
    count = greedy._appraise_into(states, ids, values)
    return ids[:count], values[:count]
