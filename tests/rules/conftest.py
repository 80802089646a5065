"""The fixture that hands every rule test a table: the oracle's, then the engine's."""

import pytest

from tests.adapter import EngineTable
from tests.reference.oracle import Oracle


@pytest.fixture(params=[Oracle, EngineTable], ids=["oracle", "engine"])
def table(request):
    """A factory of games: ``table(num_players, volcanoes, worker_draws, jungle_draws)``."""
    return request.param
