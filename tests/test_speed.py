"""Where training's time goes."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

from training import speed
from training.ppo.config import Sb3Config
from training.sb3.vec_env import CacaoVecEnv


def test_fractions_are_those_of_the_time_spent():
    rows = [
        {"seconds": 1.0, "decisions": 100, "seconds_network": 9.0, "seconds_learning": 9.0}
        | {"seconds_environment": 9.0},
        {"seconds": 3.0, "decisions": 300, "seconds_network": 0.6, "seconds_learning": 1.2}
        | {"seconds_environment": 0.2},
        {"seconds": 5.0, "decisions": 500, "seconds_network": 0.6, "seconds_learning": 1.2}
        | {"seconds_environment": 0.2},
    ]
    found = speed.fractions("x", rows, 3)
    assert found.generated == pytest.approx(100)
    assert found.learned == pytest.approx(300)
    assert (found.environment, found.net, found.learner) == pytest.approx((0.1, 0.3, 0.6))


def test_an_environment_that_does_nothing_has_the_same_spaces():
    config = Sb3Config(games=4, rollout=16, batch=32)
    real, nothing = CacaoVecEnv(speed.make_games(config)), CacaoVecEnv(speed.Nothing(config))
    assert real.observation_space == nothing.observation_space
    assert real.action_space == nothing.action_space
    ended = 0
    for _ in range(60):
        masks = nothing.action_masks()
        assert masks.any(axis=1).all()
        _, _, dones, _ = nothing.step(masks.argmax(axis=1))
        ended += int(dones.sum())
    assert ended == pytest.approx(4 * 60 / 25, abs=2)


def test_a_game_at_random_takes_some_decisions():
    decisions, seconds = speed.plain_games(50)
    assert 22 <= decisions <= 120
    assert seconds > 0


def test_every_trainer_gets_a_row(tmp_path, capsys):
    before = os.sched_getaffinity(0)
    try:
        assert speed.main(["--seconds", "6", "--json", str(tmp_path / "speed.json")]) == 0
    finally:
        os.sched_setaffinity(0, before)
    out = capsys.readouterr().out
    for name in ("afterstate values", "self-play PPO", "MaskablePPO", "sb3-contrib's distribution"):
        assert f"| {name}" in out or name in out
    assert "times those that it makes with sb3-contrib's distribution" in out
    assert (tmp_path / "speed.json").exists()
    with pytest.raises(ValueError, match=r"x: fewer than two rounds in that time"):
        speed.fractions("x", [{}], 1)
    assert speed.main(["--seconds", "0"]) == 1
    assert "--seconds is 0.0, expected more than 0" in capsys.readouterr().err
    assert np.isfinite(
        [float(word) for word in out.split() if word.replace(".", "").isdigit()]
    ).all()
