"""The two tiers of the tests: slow cases run only with ``--slow``."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources import ROOT
from tests.tiers import mostly_slow, slow


@slow
def test_that_is_marked_slow():
    pass


@pytest.mark.parametrize("case", mostly_slow([1, 2]))
def test_that_has_a_slow_case(case):
    pass


@given(st.booleans())
def test_that_draws_more_cases_in_the_slow_tier(drawn):
    pass


@pytest.mark.parametrize(
    ("options", "passed", "left_out"),
    mostly_slow([("-n 1", 2, 4), ("--slow", 4, 0), ("--slow -m slow", 3, 0)]),
)
def test_slow_cases_run_when_asked_for_and_a_line_counts_those_left_out(options, passed, left_out):
    command = [sys.executable, "-m", "pytest", *options.split(), "-k", "that_", "-p"]
    done = subprocess.run(
        [*command, "no:cacheprovider", "tests/test_tiers.py"],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert f"{passed} passed" in done.stdout
    line = f"slow cases left out: {left_out}; --slow runs them too"
    assert (line in done.stdout) == (left_out > 0)
    assert ("left out" in done.stdout) == (left_out > 0)
