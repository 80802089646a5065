"""Numbers of a configuration that overflow end a run with one sentence, and keep what was saved."""

from contextlib import closing, suppress
from dataclasses import fields

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

from cacao_env.agents.checkpoint import CheckpointError
from tests.golden.runs import RUNS
from tests.test_loop import counter
from tests.tiers import mostly_slow
from training import train_ppo
from training.config import ConfigError, from_dict
from training.loop import Loop
from training.train_ppo import PpoConfig
from training.train_rllib import RllibConfig


@pytest.mark.parametrize("name", ["afterstate", "ppo", "sb3"])
def test_no_number_is_larger_than_what_computes_with_it(name):
    _, config, given = RUNS[name]
    kinds = [config, RllibConfig] if config is PpoConfig else [config]
    for kind in kinds:
        for key in fields(kind):
            if str(key.type) in ("int", "float"):
                for value in (10**30, 10**400) if str(key.type) == "int" else (1e38, 1e300):
                    with pytest.raises(ConfigError) as error:
                        from_dict(kind, (given if kind is config else {}) | {key.name: value})
                    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("name", "changes"),
    mostly_slow(
        [
            ("ppo", {"learning_rate": 1, "final_learning_rate": 1, "entropy_coef": 1e15}),
            ("ppo", {"clip_range": 1e15, "value_coef": 1e15, "max_grad_norm": 1e15}),
            ("sb3", {"learning_rate": 1, "final_learning_rate": 1, "entropy_coef": 1e15}),
            ("afterstate", {"learning_rate": 1, "final_learning_rate": 1, "noise": 1e15}),
        ]
    ),
)
def test_the_largest_numbers_train_or_stop_with_a_sentence(name, changes, tmp_path):
    kind, config, given = RUNS[name]
    limit = {"rounds": 3} if "rounds" in given else {"steps": 384}
    settings = from_dict(config, given | limit | {"eval_opponents": []} | changes)
    with closing(kind(settings)) as learner:
        learner.start()
        with suppress(CheckpointError):
            Loop(learner, tmp_path).run()


@pytest.mark.parametrize("error", [RuntimeError, ValueError, OverflowError])
def test_an_error_in_a_round_is_reported_as_what_caused_it(error, tmp_path):
    learner = counter(eval_opponents=[])
    plain = learner.round

    def round_():
        if learner.value == 2:
            learner.value = np.inf
            raise error("value cannot be converted to type float without overflow")
        return plain()

    learner.round = round_
    with closing(Loop(learner, tmp_path)) as loop:
        loop.round()
        loop.round()
        loop.save()
        with pytest.raises(CheckpointError, match="round 3: value has numbers that are not finite"):
            loop.round()
        learner.value = 2
        learner.round = lambda: (_ for _ in ()).throw(error("something else"))
        with pytest.raises(error, match="something else"):
            loop.round()
    assert [one["rounds"] for one in learner.saved] == [2]


def test_a_run_that_has_no_room_gets_one_sentence(tmp_path, capsys):
    file = tmp_path / "huge.toml"
    file.write_text("games = 1000000000000\n")
    assert train_ppo.main(["--config", str(file), "--out", str(tmp_path / "run")]) == 1
    assert "there is not enough memory for this configuration" in capsys.readouterr().err
