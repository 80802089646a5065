"""Hypothesis profiles: the suite's own, a ``long`` and a ``quick`` one (``HYPOTHESIS_PROFILE=...``).

Fixtures for tests of the page in a real browser: they serve the ``catalogue`` of the module.
"""

from __future__ import annotations

import os
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

from cacao_env.engine.jit import PROGRESS
from tests.browser import WIDE, Page, browsing, serving

_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("suite", max_examples=60, derandomize=True, **_common)
settings.register_profile("long", max_examples=3000, **_common)
settings.register_profile("quick", max_examples=8, derandomize=True, **_common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

PROGRESS.announced = True  # tests count lines of standard error, whatever is compiled already


@pytest.fixture(scope="module")
def browser():
    with browsing() as one:
        yield one


@pytest.fixture(scope="module")
def catalogue():
    from cacao_env.play.catalogue import Catalogue

    return Catalogue()


@pytest.fixture(scope="module")
def address(catalogue):
    with serving(catalogue) as url:
        yield url


@pytest.fixture
def opened(browser, address):
    """``opened(path, size, **context)``: a page; its console is silent, and it asks no other host."""
    made = []

    def open_page(path="", size=WIDE, **context):
        one = Page(browser, size, **context)
        made.append(one)
        one.page.goto(address + path)
        return one

    yield open_page
    for one in made:
        one.page.close()
        assert one.problems == []
        assert one.asked <= {address.split("/")[2]}, "the page asked another host"


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """``tiny(name)``: a tiny finished run of a learner (:mod:`tests.tiny_runs`), one a session."""
    runs = pytest.importorskip("tests.tiny_runs", reason="the training extra is not installed")
    return cache(lambda name: runs.run(name, tmp_path_factory.mktemp(name)))
