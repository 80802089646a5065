"""Two tiers: cases marked ``slow`` run only with ``--slow``, which draws three times as many games too.

``HYPOTHESIS_PROFILE=long`` draws thousands of games, ``quick`` a few.  Fixtures for tests of the page
in a real browser open its file.
"""

import os
import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from cacao_env.engine.jit import BY_NUMBA, COMPILED
from tests.browser import BUILT, WIDE, Page, begin, browsing

_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("short", max_examples=20, derandomize=True, **_common)
settings.register_profile("slow", max_examples=60, derandomize=True, **_common)
settings.register_profile("long", max_examples=3000, **_common)
settings.register_profile("quick", max_examples=8, derandomize=True, **_common)


def pytest_configure(config):
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of programs that tests start, as below
    tier = "slow" if config.option.slow else "short"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", tier))


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the cases that are marked slow too")


@pytest.hookimpl(tryfirst=True)  # before ``-m slow`` selects
def pytest_collection_modifyitems(config, items):
    """Leave out what is slow; begin with what takes longest, so no worker waits for it at the end."""
    if config.option.slow:
        for item in items:
            if getattr(item.obj, "is_hypothesis_test", False):  # it draws more games now
                item.add_marker("slow")
    else:
        LEFT_OUT[:] = [item.nodeid for item in items if item.get_closest_marker("slow")]
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
    items.sort(key=lambda item: item.path.name != "test_tutorials.py")


LEFT_OUT = []  # the slow cases that this process, or each of its workers, does not run
WITH_NUMBA = []  # whether each process imported it


def pytest_sessionfinish(session):
    """Fail if the short tier needed Numba, which users do not have."""
    WITH_NUMBA.append("numba" in sys.modules)
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput |= {"left_out": LEFT_OUT, "with_numba": WITH_NUMBA[0]}
    elif COMPILED and not (BY_NUMBA or session.config.option.slow) and any(WITH_NUMBA):
        session.exitstatus = 1
        print("Numba was imported", file=sys.stderr)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    told = getattr(node, "workeroutput", {})
    LEFT_OUT[:] = told.get("left_out", LEFT_OUT)
    WITH_NUMBA.append(told.get("with_numba"))


def pytest_terminal_summary(terminalreporter):
    if LEFT_OUT:
        terminalreporter.line(f"slow cases left out: {len(LEFT_OUT)}; --slow runs them too")


def pytest_runtest_call():
    """Let torch run in one thread: two spin while they wait, four times as long for small networks."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


@pytest.fixture
def no_luck(monkeypatch):
    """Games of this process have no luck: its network takes most of the time of a game."""
    nothing = lambda game: np.zeros((2, game.num_players))  # noqa: E731
    monkeypatch.setattr("cacao_env.evaluation.matches.luck_of", nothing)


@pytest.fixture
def quick_reviews(monkeypatch):
    """Let reviews compare moves by a few games: they say less, and look the same."""
    for name, few in {"LAST": 0, "CHOOSING": 2, "COMPARING": 4, "TOP": 2}.items():
        monkeypatch.setattr(f"cacao_env.play.review.{name}", few)


@pytest.fixture(scope="module")
def browser():
    with browsing() as one:
        yield one


@pytest.fixture
def opened(browser):
    """``opened(hash, size, **context)``: the page; its console is silent, and it asks no host."""
    made = []

    def open_page(path="", size=WIDE, **context):
        one = Page(browser, size, BUILT.as_uri() + path, **context)
        made.append(one)
        return one

    yield open_page
    for one in made:
        one.context.close()
        assert one.problems == []
        assert one.asked <= {"file", "data", "blob"}, "the page asked a host"


@pytest.fixture
def page(opened):
    """The page, at the first decision of a game against one grower."""
    page = opened().page
    begin(page, "grower", seed=3)
    return page


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """``tiny(name)``: a tiny finished run of a learner (:mod:`tests.tiny_runs`), one a session."""
    runs = pytest.importorskip("tests.tiny_runs", reason="the training extra is not installed")
    return cache(lambda name: runs.run(name, tmp_path_factory.mktemp(name)))
