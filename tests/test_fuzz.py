"""Each attack of ``python -m tests.fuzz``, a few tries of it, and that the fuzzer notices faults."""

import pytest

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
