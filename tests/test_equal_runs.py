"""Two equal runs write equal files."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

from cacao_env.agents.checkpoint import WEIGHTS
from tests.golden.runs import RUNS
from training.config import from_dict
from training.loop import Loop, resumed
from training.run_folder import read_metrics
from training.state import STATE


@pytest.mark.parametrize("name", ["afterstate", "ppo", "sb3"])
def test_weights_and_states_have_the_same_bytes(name, tmp_path):
    kind, config, given = RUNS[name]
    limit = {"rounds": 2} if "rounds" in given else {"steps": 256}
    settings = from_dict(config, given | limit | {"eval_opponents": []})

    def run(place, seed, rounds=None):
        np.random.seed(seed)  # noqa: NPY002  # somebody used NumPy's generator before
        with closing(kind(settings)) as learner:
            learner.start()
            if rounds is None:
                assert Loop(learner, tmp_path / place).run()
                return
            with closing(Loop(learner, tmp_path / place)) as loop:
                for _ in range(rounds):
                    loop.round()
                loop.save()

    run("one", 1)
    run("other", 2)
    run("resumed", 3, rounds=1)
    np.random.seed(4)  # noqa: NPY002
    with closing(resumed(kind, tmp_path / "resumed")) as learner:
        assert learner.seconds == read_metrics(tmp_path / "resumed")[0]["seconds"] > 0
        assert Loop(learner, tmp_path / "resumed").run()
    for file in (WEIGHTS, STATE):
        files = {(tmp_path / place / file).read_bytes() for place in ("one", "other", "resumed")}
        assert len(files) == 1, file
