"""Golden files: games, choices of agents and tiny training runs are as written in ``tests/golden``."""

import json

import pytest

from cacao_env.engine.jit import COMPILED
from tests.golden.choices import AGENTS, FILE, choices
from tests.golden.regenerate import FOLDER, GAMES, files
from tests.tiers import mostly_slow

GOLDEN_RUNS = ("afterstate", "afterstate-3p", "ppo", "ppo-rows", "sb3", "sb3-rows")


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_comes_out_as_it_is_written(name):
    for file_name, text in files(name).items():
        assert (FOLDER / file_name).read_text(encoding="utf-8") == text, (
            f"{file_name} differs; if that is meant: python -m tests.golden.regenerate"
        )


@pytest.mark.skipif(not COMPILED, reason="interpreted, searching takes too long")
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_chooses_as_it_is_written(name):
    written = json.loads(FILE.read_text(encoding="utf-8"))
    assert choices(name) == written[name], "if that is meant: python -m tests.golden.choices"
    assert len(set(written[name])) > 50


@pytest.mark.skipif(not COMPILED, reason="interpreted training takes half an hour")
@pytest.mark.parametrize("name", mostly_slow(GOLDEN_RUNS))
def test_a_golden_run_comes_out_as_it_is_written(name):
    runs = pytest.importorskip("tests.golden.runs", reason="the training extra is not installed")
    assert list(runs.RUNS) == list(GOLDEN_RUNS)
    expected = json.loads(runs.FILE.read_text(encoding="utf-8"))[name]
    found = runs.figures(name)
    why = "if that is meant: python -m tests.golden.runs"
    # Sums of other processors differ in the last digits.
    assert found["norms"] == pytest.approx(expected["norms"], rel=1e-4), why
    for row, written in zip(found["rounds"], expected["rounds"], strict=True):
        assert row.pop("played_by", None) == written.pop("played_by", None)
        assert row == pytest.approx(written, rel=1e-3, abs=1e-6), why
