"""A choice depends neither on threads nor on how many games are asked at once, for any agent.

Run as a program it prints what each agent says of the same positions, number by number.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from cacao_env.agents.onnx import OnnxAgent, described
from cacao_env.engine.options import Options
from cacao_env.greedy.candidates import Candidates
from cacao_env.registry import load_agent
from cacao_env.views import Form
from tests.checkpoints import network
from tests.games import played

OBSERVATIONS = {"flat": "flat", "planes": "planes", "rows": Candidates(24, 16)}
NAMES = (
    *("random", "greedy", "mc:sims=4", "forastero"),
    *("trinitario", "trinitario+search:sims=4", "tests.agents_for_tests:Half"),
)
GAMES, BATCHES = 64, (1, 7, 64)
THOUGHTS = 6  # positions of which an analysis is compared


def agents():
    for name in NAMES:
        yield load_agent(name, allow_code=True)
    for name, form in OBSERVATIONS.items():
        about = Form(Options(table_size=15, decisions="turn"), form)
        for spread in (1, 1e-8):  # with all but tied logits the last bit decides
            data = described(network(about, spread=spread), about)
            yield OnnxAgent(f"{name}-{spread}", data, name, {})


def report() -> dict[str, dict[str, object]]:
    """Choices of each agent in batches of each size, and a fingerprint of its analyses."""
    games, found = [played(2, seed, seed // 3) for seed in range(GAMES)], {}
    for agent in agents():
        own = {}
        for size in BATCHES:
            memory = [agent.begin(seed) for seed in range(GAMES)]
            parts = [slice(first, first + size) for first in range(0, GAMES, size)]
            chosen = [agent.act(games[part], memory[part]) for part in parts]
            own[str(size)] = [int(action) for part in chosen for action in part]
        numbers = hashlib.sha256()
        for seed in range(0, GAMES, GAMES // THOUGHTS):
            thought = agent.analyze(games[seed], agent.begin(seed))
            numbers.update(thought.actions.tobytes() + np.asarray(thought.weights).tobytes())
        found[agent.name] = own | {"analyses": numbers.hexdigest()}
    return found


def test_choices_depend_on_neither_threads_nor_the_number_of_games(tmp_path):
    reports = []
    for threads in (1, 2):
        names = ("OMP", "OPENBLAS", "MKL", "NUMBA")
        environment = os.environ | {f"{name}_NUM_THREADS": str(threads) for name in names}
        file = tmp_path / f"{threads}.json"
        command = [sys.executable, "-m", "tests.test_same_choices", str(file)]
        subprocess.run(command, env=environment, check=True)
        reports.append(json.loads(file.read_text()))
    one, two = reports
    assert len(one) == len(NAMES) + 2 * len(OBSERVATIONS)
    for name, own in one.items():
        for size in map(str, BATCHES[1:]):
            assert own[size] == own["1"], f"{name}: the choices of {size} games asked at once"
        assert own["1"] == two[name]["1"], f"{name}: its choices with two threads"
        assert own == two[name], f"{name}: its analyses with two threads"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(report()))
