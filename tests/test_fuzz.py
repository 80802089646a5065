"""Each attack of ``python -m tests.fuzz``, a few tries of it, and that the fuzzer notices faults."""

from __future__ import annotations

import pytest

from .fuzz.attack import Budget, Summary, attempt
from .fuzz.registry import ATTACKS

# The attack on runs trains for minutes before its first try, so only the command makes it.
COUNTS = {"states": 160, "records": 120, "checkpoints": 40}


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "runs"])
def test_an_attack_finds_no_fault(name):
    summary = ATTACKS[name](Budget(seed=3, count=COUNTS[name]))
    assert summary.faults == []
    assert summary.tried == summary.refused + summary.accepted > 0
    assert summary.accepted > 0
    assert summary.refused > 0


def fail(error: Exception):
    raise error


@pytest.mark.parametrize(
    "error", [KeyError("x"), ValueError(""), ValueError("one\ntwo"), ValueError("x" * 2000)]
)
def test_a_fault_is_what_is_not_a_sentence(error):
    summary = Summary()
    assert attempt(summary, 7, lambda: fail(error)) is None
    assert len(summary.faults) == 1
    assert "try 7" in summary.faults[0]
    assert attempt(summary, 8, lambda: fail(ValueError("a sentence"))) is None
    assert attempt(summary, 9, lambda: 5) == 5
    assert (summary.tried, summary.accepted, len(summary.faults)) == (3, 1, 1)


def test_a_budget_is_a_number_of_tries_or_of_seconds():
    assert list(Budget(0, count=3)) == [0, 1, 2]
    assert list(Budget(0, seconds=-1)) == []
