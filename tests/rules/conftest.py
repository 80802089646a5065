"""The fixture that hands every rule test a table: the oracle's, then the engine's."""

from __future__ import annotations

import importlib.util

import pytest

MODULES = {
    "oracle": ("tests.reference.oracle", "Oracle"),
    "engine": ("tests.adapter", "EngineTable"),
}


@pytest.fixture(params=sorted(MODULES, reverse=True))
def table(request):
    """A factory of games: ``table(num_players, volcanoes, worker_draws, jungle_draws)``."""
    module, name = MODULES[request.param]
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} does not exist yet")
    return getattr(importlib.import_module(module), name)
