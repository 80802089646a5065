"""Small checkpoints for tests, made without PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cacao_env.agents.policy import param_shapes, save_policy

WIDTH = 8


def checkpoint(
    folder: Path,
    name: str = "net",
    players: int = 2,
    size: int = 15,
    volcanoes: bool = False,
    seed: int = 0,
) -> Path:
    """Write a policy network with random parameters and return its folder."""
    rng = np.random.default_rng(seed)
    params = {
        key: (rng.normal(size=shape) / np.sqrt(max(1, np.prod(shape[1:])))).astype(np.float32)
        for key, shape in param_shapes(players, size, WIDTH).items()
    }
    rules = {"num_players": players, "table_size": size, "volcanoes": volcanoes, "width": WIDTH}
    save_policy(folder / name, name, params, rules)
    return folder / name
