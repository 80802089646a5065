"""Every planted bug of ``python -m tests.mutations`` can still be planted."""

from __future__ import annotations

import pytest

from tests import (
    mutations,
    mutations_bots,
    mutations_compiled,
    mutations_learning,
    mutations_libraries,
    mutations_people,
    mutations_runs,
    mutations_training,
    mutations_value,
)

LISTS = {
    "cacao_env": [
        *mutations.MUTATIONS,
        *mutations_compiled.MUTATIONS,
        *mutations_bots.MUTATIONS,
        *mutations_value.MUTATIONS,
        *mutations_people.MUTATIONS,
        *mutations_libraries.ENGINE,
    ],
    "training": [
        *mutations_training.MUTATIONS,
        *mutations_learning.MUTATIONS,
        *mutations_runs.MUTATIONS,
        *mutations_libraries.TRAINING,
    ],
}


@pytest.mark.parametrize("package", LISTS)
def test_the_text_that_it_changes_is_there(package):
    for what, file, old, new, tests in LISTS[package]:
        text = (mutations.ROOT / package / file).read_text(encoding="utf-8")
        assert old in text, f"{what}: {file} has no {old!r}"
        assert new != old
        assert (mutations.ROOT / tests[0]).exists(), tests[0]


def test_no_description_is_used_twice():
    names = [mutation[0] for found in LISTS.values() for mutation in found]
    assert len(set(names)) == len(names)


def test_a_text_that_is_gone_is_an_error():
    gone = ("nothing", "rules.py", "no such text in there", "", ("tests/rules",))
    with pytest.raises(ValueError, match=r"'nothing' can't be planted: rules\.py has no 'no such"):
        mutations.check_all_apply([gone])
