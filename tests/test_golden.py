"""Golden games: whole games come out as they are written in ``tests/golden``."""

from __future__ import annotations

import json

import pytest

from cacao_env.record import check
from tests.golden.regenerate import FOLDER, GAMES, files
from tests.reference.records import check_record


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_comes_out_as_it_is_written(name):
    for file_name, text in files(name).items():
        assert (FOLDER / file_name).read_text(encoding="utf-8") == text, (
            f"{file_name} differs; if that is meant: python -m tests.golden.regenerate"
        )


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_record_holds_here_and_for_the_reference(name):
    record = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    check(record)
    check_record(record)
