"""Every planted bug of ``python -m tests.planted`` can still be planted."""

from __future__ import annotations

import re
import shutil

import pytest

from .planted.harness import ROOT, Bug, plant
from .planted.lists import BUGS


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.what)
def test_a_bug_can_be_planted(bug, tmp_path):
    name = bug.where.partition(":")[0]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / name, tmp_path / name)
    path, before = plant(tmp_path, bug)
    after = path.read_text(encoding="utf-8")
    assert after != before
    if name.endswith(".py"):
        compile(after, name, "exec")


@pytest.mark.parametrize("tests", sorted({bug.tests for bug in BUGS}), ids=" ".join)
def test_tests_that_shall_notice_a_bug_are_there(tests):
    files = [ROOT / name for name in tests if name.startswith("tests/")]
    assert all(file.exists() for file in files)
    if "-k" in tests and files[0].is_file():
        names = re.findall(r"def (test_\w+)", files[0].read_text(encoding="utf-8"))
        for part in tests[tests.index("-k") + 1].removeprefix("not ").split(" or "):
            assert any(word in name for word in part.split(" and ") for name in names), part


def test_no_description_is_used_twice():
    names = [bug.what for bug in BUGS]
    assert len(set(names)) == len(names)


def test_only_the_function_named_is_searched(tmp_path):
    (tmp_path / "a.py").write_text(
        "def f():\n    return 1\n\n\nclass C:\n    def f(self):\n        return 1\n"
    )
    path, _ = plant(tmp_path, Bug("x", "a.py:C.f", "return 1", "return 2", ()))
    assert path.read_text().count("return 2") == 1
    assert path.read_text().endswith("return 2\n")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("b.py:f", "'x' can't be planted: there is no file b.py"),
        ("a.py:g", "'x' can't be planted: there is no a.py:g"),
        ("a.py:f", "'x' can't be planted: a.py:f has 0 times 'gone'"),
        ("a.py", "'x' can't be planted: a.py has 0 times 'gone'"),
    ],
)
def test_a_bug_that_has_no_place_is_an_error(where, message, tmp_path):
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    with pytest.raises(ValueError, match=re.escape(message)):
        plant(tmp_path, Bug("x", where, "gone", "", ()))
