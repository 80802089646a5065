"""Cases that run only with ``--slow``."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest

slow = pytest.mark.slow


def mostly_slow(cases: Sequence[Any], fast: Collection[int] = (0,)) -> list[Any]:
    """The cases of a slow test, all of them slow but those with these numbers."""
    values = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*value, marks=() if number in fast else slow)
        for number, value in enumerate(values)
    ]
