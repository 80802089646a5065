"""Mutated checkpoints: manifests, weights, and weights whose checksum a hostile author made right."""

import hashlib
import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from cacao_env import Game
from cacao_env.agents.checkpoint import FILES, MANIFEST, VALUE_NET
from cacao_env.registry import load_agent
from tests.checkpoints import checkpoint, value_checkpoint
from tests.fuzz.attack import Budget, Summary, attempt
from tests.fuzz.records import mutated


@cache
def sources() -> list[tuple[str, bytes]]:
    """(manifest, weights) of a small network of each kind."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        value, _ = value_checkpoint(Path(name) / "value")
        for folder in (checkpoint(Path(name)), value):
            manifest = (folder / MANIFEST).read_text(encoding="utf-8")
            found.append((manifest, (folder / FILES[json.loads(manifest)["network"]]).read_bytes()))
    return found


def attack(budget: Budget) -> Summary:
    """Load mutated checkpoints; what is accepted must play."""
    rng, summary = budget.rng(), Summary()
    game = Game.new(seed=0)
    for number in budget:
        manifest, weights = sources()[rng.integers(len(sources()))]
        data = json.loads(manifest)
        network = data["network"]
        if rng.random() < 0.7:
            weights = damaged(weights, rng, network == VALUE_NET)
        if rng.random() < 0.8:  # a hostile author's checksum is right
            data["sha256"] = hashlib.sha256(weights).hexdigest()
        if rng.random() < 0.5:
            data = mutated(data, rng)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / MANIFEST).write_text(json.dumps(data), encoding="utf-8")
            (folder / FILES[network]).write_bytes(weights)
            agent = attempt(summary, number, lambda: load_agent(str(folder)))  # noqa: B023
            if agent is not None and agent.supports(game.options):  # type: ignore[attr-defined]
                with np.errstate(over="ignore", invalid="ignore"):
                    action = agent.player(0).act(game)  # type: ignore[attr-defined]
                if action not in game.legal_actions():
                    summary.faults.append(f"try {number}: an illegal action")
    return summary


def damaged(weights: bytes, rng: np.random.Generator, tensors: bool) -> bytes:
    """A file with flipped bits or another length; one of safetensors may get another header."""
    kind, data = rng.integers(4 if tensors else 2), bytearray(weights)
    length = int.from_bytes(weights[:8], "little")
    if kind == 0:
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    elif kind == 1:
        return bytes(data[: rng.integers(len(data))])
    elif kind == 2:
        data[rng.integers(8 + length)] ^= 1 << rng.integers(8)
    else:
        header = json.dumps(mutated(json.loads(weights[8 : 8 + length]), rng)).encode()
        return len(header).to_bytes(8, "little") + header + weights[8 + length :]
    return bytes(data)
