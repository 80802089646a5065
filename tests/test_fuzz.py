"""Each attack of ``python -m tests.fuzz``, a few tries of it, and that the fuzzer notices faults."""

import pytest

from .fuzz.__main__ import main
from .fuzz.attack import Budget
from .fuzz.registry import ATTACKS

COUNTS = {"states": 160, "records": 120, "checkpoints": 40, "data": 30}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_finds_no_fault(name):
    if name == "data":
        pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")
    summary = ATTACKS[name](Budget(seed=3, count=COUNTS[name]))
    assert summary.faults == []
    assert summary.tried == summary.refused + summary.accepted > 0
    assert summary.accepted > 0
    assert summary.refused > 0


@pytest.mark.parametrize(("count", "status"), [(9, 0), (0, 1)])
def test_the_command_prints_what_was_tried_and_fails_if_nothing_was(count, status, capsys):
    assert main(["states", "--count", str(count)]) == status
    line, *faults = capsys.readouterr().out.splitlines()
    assert line.startswith(f"states: {count} tried, ")
    assert faults == ["  nothing was tried"] * status
