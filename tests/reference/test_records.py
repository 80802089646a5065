"""Checks of the reference implementation's players and of its reading of records."""

from __future__ import annotations

import copy
import json
import random

import pytest

from tests.reference.oracle import Oracle, deal
from tests.reference.records import check_record, play_record
from tests.reference.styles import STYLES, choose_move


@pytest.mark.parametrize(("players", "bound"), [(2, 23), (3, 30), (4, 30)])
def test_stretch_reaches_the_bound(players: int, bound: int) -> None:
    record = play_record(players, False, 3, "stretch")
    cells = [entry["move"][3] for entry in record["moves"] if entry["move"][0] != "act"]
    spans = [max(c[i] for c in cells) - min(c[i] for c in cells) + 1 for i in range(2)]
    assert max(spans) == bound


@pytest.mark.parametrize("whim", range(32))
def test_triple_gets_three_cells(whim: int) -> None:
    rng = random.Random(whim)
    players = 2 + whim % 3
    game = Oracle(players, False, *deal(players, False, rng))
    most = 0
    while game.player is not None:
        most = max(most, len(game.position()["to_fill"]))
        game.play(choose_move(game, "triple", rng, whim))
    assert most == 3


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_records_are_accepted(style: str, players: int) -> None:
    record = play_record(players, players % 2 == 0, 5, style, with_legal=style == "random")
    check_record(json.loads(json.dumps(record)))
    record["rules"]["decisions"] = "auto"
    record["moves"][-1]["auto"] = True
    check_record(record)


def changed(path: list, value: object) -> dict:
    record = play_record(2, True, 11, "random", with_legal=True)
    part = record
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return record


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (["format"], "cocoa-record", "format"),
        (["version"], 2, "version"),
        (["version"], True, "version"),
        (["rules", "num_players"], 5, "number of players"),
        (["rules", "volcanoes"], False, "mine1"),
        (["rules", "volcanoes"], 1, "option volcanoes"),
        (["rules", "decisions"], "some", "decisions"),
        (["worker_draws", 0, 0], "9999", "Player 0"),
        (["jungle_draws", 0], "lake", "lake"),
        (["moves", 0, "player"], 1, "Move 1 is given to player 1"),
        (["moves", 0, "move"], ["place", "1111", 0, [0, 7]], "Move 1 by player 0 is refused"),
        (["moves", 0, "move"], ["fill", "water", 0, [0, 2]], "place or overbuild"),
        (["moves", 0, "move"], ["place", "1111", False, [0, 1]], "not written"),
        (["moves", 0, "move"], ["place", "1111", 0], "four things"),
        (["moves", 0, "legal"], [], "Move 1: the legal move .* is not listed"),
        (["moves", 0, "legal"], [["place", "1111", 0, [9, 9]]], "but is not"),
        (["moves", 0, "auto"], True, "without asking"),
        (["moves"], [], "missing"),
        (["result", "gold"], [0, 99], r"gold \[0, 99\], but the replay gives"),
        (["result"], {}, "no field scores"),
    ],
)
def test_wrong_records_are_refused(path: list, value: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_record(changed(path, value))


def test_more_wrong_records_are_refused() -> None:
    record = play_record(3, False, 12, with_legal=True)
    twice = copy.deepcopy(record)
    twice["moves"][4]["legal"].append(twice["moves"][4]["legal"][0])
    with pytest.raises(ValueError, match=r"Move 5: .* listed twice"):
        check_record(twice)
    longer = copy.deepcopy(record)
    longer["moves"].append(longer["moves"][-1])
    with pytest.raises(ValueError, match="left over"):
        check_record(longer)
    shorter = copy.deepcopy(record)
    shorter["moves"].pop()
    with pytest.raises(ValueError, match="missing"):
        check_record(shorter)
    with pytest.raises(ValueError, match="JSON object"):
        check_record([])
