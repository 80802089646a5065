"""Records: what is written holds, what is damaged is refused with one sentence."""

from __future__ import annotations

import copy
import json
import re

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine.actions import MAX_LEGAL
from cacao_env.record import RecordError, check, dumps, load, positions, record_of
from tests.games import STYLES
from tests.games import positions as play_through
from tests.reference.records import check_record, play_record


def written(players=2, seed=1, volcanoes=False, decisions="explicit", style="random", legal=True):
    game = Game.new(players, seed, volcanoes=volcanoes, decisions=decisions)
    for _ in play_through(game, np.random.default_rng(seed), STYLES[style]):
        pass
    return record_of(game, legal)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("volcanoes", [False, True])
@pytest.mark.parametrize("decisions", ["auto", "explicit"])
def test_a_written_record_holds_also_after_a_round_trip_as_text(players, volcanoes, decisions):
    for style in STYLES:
        record = written(players, 3, volcanoes, decisions, style)
        again = json.loads(dumps(record))
        assert again == json.loads(json.dumps(record))
        assert check(again).scores() == record["result"]["scores"]
        check_record(again)


def test_explicit_records_ask_everything_and_auto_ones_mark_what_they_did_not():
    explicit, auto = written(decisions="explicit"), written(decisions="auto")
    assert not any("auto" in entry for entry in explicit["moves"])
    assert all("legal" in entry for entry in explicit["moves"])
    for entry in auto["moves"]:
        assert ("auto" in entry) != ("legal" in entry)
    assert any("auto" in entry for entry in auto["moves"])
    assert all(len(entry["legal"]) > 1 for entry in auto["moves"] if "legal" in entry)
    assert not any("legal" in entry for entry in written(legal=False)["moves"])


def test_a_game_on_a_small_table_makes_a_record_that_lists_all_legal_moves():
    for seed in range(12):
        game = Game.new(
            3, seed, volcanoes=False, decisions="explicit" if seed % 2 else "auto", table_size=11
        )
        for _ in play_through(game, np.random.default_rng(seed), STYLES["stretch"]):
            pass
        record = record_of(game, with_legal=True)
        check(record)
        check_record(record)


def test_an_error_is_one_short_line_whatever_the_file_holds():
    record = written()
    number = first(record, "fill")
    for tile in ("place\nq", "x" * 100_000):
        damaged = copy.deepcopy(record)
        damaged["moves"][number]["move"][1] = tile
        with pytest.raises(RecordError) as error:
            check(damaged)
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 300
    record["result"]["gold"] = [1] * 100_000
    with pytest.raises(RecordError) as error:
        check(record)
    assert len(str(error.value)) < 300


def test_a_game_in_progress_makes_no_record():
    with pytest.raises(ValueError, match="only a finished game"):
        record_of(Game.new(2, 0))


def first(record, kind, start=0):
    for number, entry in enumerate(record["moves"][start:], start):
        if entry["move"][0] == kind:
            return number
    raise AssertionError(kind)


def damage_format(r):
    r["format"] = "chess-record"


def damage_version(r):
    r["version"] = 2


def damage_version_type(r):
    r["version"] = True


def drop_moves(r):
    del r["moves"]


def damage_players(r):
    r["rules"]["num_players"] = 7


def damage_players_count(r):
    r["rules"]["num_players"] = 3


def damage_volcanoes(r):
    r["rules"]["volcanoes"] = 1


def damage_decisions(r):
    r["rules"]["decisions"] = "some"


def damage_supply(r):
    r["jungle_draws"][0] = "temple" if r["jungle_draws"][0] != "temple" else "sun"


def damage_tile_kind(r):
    r["worker_draws"][1][3] = "2110"


def damage_cell(r):
    r["moves"][0]["move"][3] = [0, 0]


def damage_far_cell(r):
    row, column = r["moves"][0]["move"][3]
    r["moves"][0]["move"][3] = [row + 32, column]


def damage_float(r):
    r["moves"][0]["move"][2] = 0.0


def damage_player(r):
    r["moves"][3]["player"] ^= 1


def damage_edge(r):
    number = first(r, "act")
    r["moves"][number]["move"][2] = (r["moves"][number]["move"][2] + 2) % 4


def damage_workers(r):
    entry = next(e for e in r["moves"] if e["move"][0] == "act" and len(e["legal"]) == 2)
    entry["move"][3] = 3  # of an edge that has one worker


def damage_fill(r):
    number = first(r, "fill")
    r["moves"][number]["move"][2] = 1


def damage_legal_more(r):
    r["moves"][0]["legal"].append(["place", "1111", 0, [1, 2]])


def damage_legal_less(r):
    r["moves"][0]["legal"].pop()


def damage_legal_twice(r):
    r["moves"][0]["legal"].append(r["moves"][0]["legal"][0])


def damage_legal_many(r):
    r["moves"][0]["legal"] *= 1 + MAX_LEGAL // len(r["moves"][0]["legal"])


def cut_short(r):
    r["moves"].pop()


def make_long(r):
    r["moves"].append(copy.deepcopy(r["moves"][-1]))


def swap_moves(r):
    r["moves"][4], r["moves"][5] = r["moves"][5], r["moves"][4]


def damage_scores(r):
    r["result"]["scores"][0] += 1


def damage_winners(r):
    r["result"]["winners"] = [1 - r["result"]["winners"][0]]


def damage_temples(r):
    r["result"]["temples"] = [99, 99]


def drop_water(r):
    del r["result"]["water"]


def claim_auto(r):
    r["moves"][0]["auto"] = True


DAMAGES = {
    damage_format: "format is 'chess-record', expected 'cacao-record'",
    damage_version: "version is 2, expected 1",
    damage_version_type: "version is True, expected 1",
    drop_moves: "the record has no 'moves'",
    damage_players: "num_players is 7, expected 2, 3 or 4",
    damage_players_count: "worker_draws has 2 lists, expected one for 3 players",
    damage_volcanoes: "volcanoes is 1, expected true or false",
    damage_decisions: "decisions is 'some', expected 'auto' or 'explicit'",
    damage_supply: r"jungle_draws has \d of \w+, expected \d",
    damage_tile_kind: "worker_draws of player 1 has '2110', which is not a kind of tile",
    damage_cell: r"move 1 \(moves\[0\]\): place .* at 0,0 is illegal: the cell is neither",
    damage_far_cell: r"move 1 \(moves\[0\]\): place .* is illegal: .* far from every tile",
    damage_float: r"move 1 \(moves\[0\]\): .* is not a move",
    damage_player: r"move 4 \(moves\[3\]\): player is \d, but player \d decides",
    damage_edge: r"move \d+ .*: act .* is illegal: ",
    damage_workers: r"move \d+ .*: act .* is illegal: ",
    damage_fill: r"move \d+ .*: fill .* is illegal: ",
    damage_legal_more: r"move 1 .*: legal lists place 1111/0 at 1,2",
    damage_legal_less: r"move 1 .*: legal lacks place",
    damage_legal_twice: r"move 1 .*: legal lists place .* twice",
    damage_legal_many: r"move 1 .*: legal lists \d+ moves, more than there can be",
    cut_short: "the moves end after number",
    make_long: r"move \d+ .*: the game is over already",
    swap_moves: r"move 5 .*: ",
    damage_scores: r"result.scores is \[.*\], but the replay gives \[.*\]",
    damage_winners: r"result.winners is \[.*\], but the replay gives \[.*\]",
    damage_temples: r"result.temples is \[99, 99\], but the replay gives \[.*\]",
    drop_water: "result has no 'water'",
    claim_auto: r"move 1 .*: a decision with several legal moves is asked in explicit mode",
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda d: d.__name__)
def test_a_damaged_record_is_refused_with_one_sentence(damage):
    record = written(2, 6)
    check(record)
    damage(record)
    with pytest.raises(RecordError, match=DAMAGES[damage]) as error:
        check(json.loads(json.dumps(record)))
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError):  # the reference refuses it too
        check_record(json.loads(json.dumps(record)))


@pytest.mark.parametrize("value", [None, [], 3, "x", {}, {"format": "cacao-record"}])
def test_json_that_is_no_record_is_refused(value):
    with pytest.raises(RecordError):
        check(value)


def test_no_single_changed_value_brings_anything_but_a_sentence():
    """Any leaf of a record replaced by nonsense: refused, or without effect; never a crash."""
    rng = np.random.default_rng(0)
    record = written(2, 6, True)
    nonsense = [None, -1, 10**30, 1.5, "", "temple", [], {}, True, [[]], [0, 0], float("nan")]
    sentences = []
    for _ in range(300):
        damaged = copy.deepcopy(record)
        node = damaged
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            key = keys[int(rng.integers(len(keys)))]
            if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.9:
                node = node[key]
                continue
            node[key] = nonsense[int(rng.integers(len(nonsense)))]
            break
        try:
            check(damaged)
        except RecordError as error:
            sentences.append(str(error))
    assert len(sentences) > 250
    assert all(re.fullmatch(r"[^\n]+", sentence) for sentence in sentences)


def test_files_that_can_t_be_read_are_refused(tmp_path):
    cases = {
        "empty.json": b"",
        "binary.json": b"\xff\xfe\x00",
        "cut.json": dumps(written())[:500].encode(),
        "deep.json": b"[" * 200_000,
        "digits.json": b"1" * 10_000,
    }
    for name, data in cases.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RecordError, match=r"not a game record|not JSON"):
            check(load(tmp_path / name))
    with pytest.raises(RecordError, match="can't be read: No such file"):
        load(tmp_path / "missing.json")
    with pytest.raises(RecordError, match="there is no record in this folder"):
        load(tmp_path)


def test_positions_along_a_record():
    record = written(3, 2)
    game, moves = positions(record, 0)
    assert (game.turn, moves) == (0, [])
    game, moves = positions(record)
    assert game.over
    assert len(moves) == len(record["moves"])
    with pytest.raises(RecordError, match="ply is 1000, expected 0 to"):
        positions(record, 1000)


def test_unknown_extra_keys_do_no_harm():
    record = play_record(2, False, 3)
    record["note"] = "played on a train"
    record["rules"]["house"] = None
    check(record)
