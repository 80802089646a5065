"""The engine in the page: made from these sources, and the same as the package, game by game."""

import json
import math
import os
import subprocess
import sys
from decimal import Decimal, localcontext

import numpy as np
import pytest

from cacao_env.agents.elementary import exp_negative, log_above_one, tanh
from cacao_env.engine import jit
from cacao_env.play.wasm import build, entries

from .page_engine import NODE, PAGE, differences, listed

needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")


def test_the_module_was_built_from_these_sources():
    """After a change of what is compiled into it: ``python -m cacao_env.play.wasm``."""
    built = json.loads((build.OUT / "fields.json").read_text(encoding="utf-8"))
    assert built["sources"] == build.hash_of_sources()
    now = json.loads(json.dumps(build.fields()))
    assert {**built, "built_with": None} == {**now, "built_with": None}


@pytest.mark.skipif(not jit.COMPILED, reason="functions are not compiled")
def test_the_sources_are_all_that_is_compiled_into_the_module():
    reached = {inside for entry in entries.ENTRIES for inside in jit._reachable(entry)}
    names = {inside.py_func.__module__ for inside in reached}
    known = {path for part in build.SOURCES for path in build.PACKAGE.glob(part)}
    for name in names:
        path = build.PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py")
        assert path in known, f"{name} is compiled into the module"
    assert len(names) > 15


@needs_node
def test_the_javascript_passes_its_own_tests():
    tests = sorted((PAGE / "checks").glob("*.test.js"))
    if not (PAGE / "node_modules").is_dir():  # the page's own packages, which ``npm ci`` installs
        tests = [test for test in tests if test.name != "page.test.js"]
    command = [str(NODE), "--test", *map(str, tests)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_node
@pytest.mark.skipif(not jit.COMPILED, reason="in the interpreter these games take minutes")
@pytest.mark.parametrize(
    ("agent", "count", "sims"),
    [
        ("random", 48, 0),
        ("greedy", 24, 0),
        ("mc", 3, 8),
        ("trinitario", 12, 0),
        ("trinitario", 3, 4),
    ],
)
def test_games_in_the_page_are_those_of_the_package(agent, count, sims):
    assert differences(list(listed(agent, count, sims, thoughts=7)))[0] == []


# --- exp, tanh and log ------------------------------------------------------------------------


def ulps(found, exact):
    """The error of a float in units of the last place of the exact value."""
    return abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact)))


def test_exp_tanh_and_log_err_by_less_than_three_units_in_the_last_place():
    rng = np.random.default_rng(0)
    small = 10.0 ** -rng.uniform(0, 15, 500)
    negative = -np.concatenate([rng.uniform(0, 700, 500), rng.exponential(3, 500), small])
    both = np.concatenate([rng.normal(0, 1, 1000), small, -small, rng.uniform(-30, 30, 500)])
    above = np.concatenate([np.arange(2.0, 500), 1 + rng.exponential(50, 500), 1 + small])
    with localcontext() as context:
        context.prec = 50
        for x in negative.tolist():
            assert ulps(exp_negative(x), Decimal(x).exp()) < 1
        for x in both.tolist():
            squared = (2 * Decimal(x)).exp()
            assert ulps(tanh(x), (squared - 1) / (squared + 1)) < 3
        for x in above.tolist():
            if x > 1:
                assert ulps(log_above_one(x), Decimal(x).ln()) < 3


def test_exp_tanh_and_log_at_their_ends():
    assert [exp_negative(x) for x in (0.0, -709.0, -1e9, -math.inf)] == [1.0, 0.0, 0.0, 0.0]
    assert [tanh(x) for x in (0.0, 400.0, -400.0, math.inf)] == [0.0, 1.0, -1.0, 1.0]
    assert math.copysign(1, tanh(-0.0)) == -1
    assert log_above_one(1.0) == 0.0


SAY = """
import numpy as np
from cacao_env.agents.elementary import exp_negative, log_above_one, tanh
for x in np.random.default_rng(1).normal(0, 3, 400).tolist():
    print(exp_negative(-abs(x)).hex(), tanh(x).hex(), log_above_one(1 + abs(x)).hex())
"""


def test_compiled_and_interpreted_they_are_the_same():
    told = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        command = [sys.executable, "-c", SAY]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        told.append(done.stdout)
    assert told[0] == told[1]
    assert len(told[0].splitlines()) == 400
