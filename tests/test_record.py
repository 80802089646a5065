"""Records: what is written holds, what is damaged is refused with one sentence."""

import json

import pytest

from cacao_env import Game
from cacao_env.engine.actions import MAX_LEGAL
from cacao_env.record import RecordError, check, dumps, load, positions, record_of
from tests.games import STYLES, played
from tests.reference.records import check_record
from tests.tiers import mostly_slow


def written(players=2, seed=1, volcanoes=False, decisions="explicit", style="random", legal=True):
    given = {"volcanoes": volcanoes, "decisions": decisions}
    return record_of(played(players, seed, style=style, **given), legal)


@pytest.mark.parametrize("players", mostly_slow([2, 3, 4]))
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
        decisions = "explicit" if seed % 2 else "auto"
        game = played(3, seed, style="stretch", decisions=decisions, table_size=11)
        record = record_of(game, with_legal=True)
        check(record)
        check_record(record)


def test_a_game_in_progress_makes_no_record():
    with pytest.raises(ValueError, match="only a finished game"):
        record_of(Game.new(2, 0))


def first(record, kind, start=0):
    for number, entry in enumerate(record["moves"][start:], start):
        if entry["move"][0] == kind:
            return number
    raise AssertionError(kind)


def put(value, *path):
    """A damage: this value at a path of the record."""

    def damage(r):
        for key in path[:-1]:
            r = r[key]
        r[path[-1]] = value

    return damage


def wrong_tile(r):
    r["jungle_draws"][0] = "temple" if r["jungle_draws"][0] != "temple" else "sun"


def far_cell(r):
    r["moves"][0]["move"][3][0] += 32


def other_edge(r):
    move = r["moves"][first(r, "act")]["move"]
    move[2] = (move[2] + 2) % 4


def more_workers(r):
    entry = next(e for e in r["moves"] if e["move"][0] == "act" and len(e["legal"]) == 2)
    entry["move"][3] = 3  # of an edge that has one worker


def swap_moves(r):
    r["moves"][4], r["moves"][5] = r["moves"][5], r["moves"][4]


def legal_of_first(change):
    return lambda r: change(r["moves"][0]["legal"])


DAMAGES = [
    (put("chess-record", "format"), "format is 'chess-record', expected 'cacao-record'"),
    (put(2, "version"), "version is 2, expected 1"),
    (put(True, "version"), "version is True, expected 1"),
    (lambda r: r.pop("moves"), "the record has no 'moves'"),
    (put(7, "rules", "num_players"), "num_players is 7, expected 2, 3 or 4"),
    (put(3, "rules", "num_players"), "worker_draws has 2 lists, expected one for 3 players"),
    (put(1, "rules", "volcanoes"), r"volcanoes is 1 \(int\), expected True or False"),
    (put("no", "rules", "decisions"), "decisions is 'no', expected 'auto', 'explicit' or 'turn'"),
    (wrong_tile, r"jungle_draws has \d of \w+, expected \d"),
    (put("2110", "worker_draws", 1, 3), "worker_draws of player 1 has '2110', which is not a kind"),
    (
        put([0, 0], "moves", 0, "move", 3),
        r"move 1 \(moves\[0\]\): place .* at 0,0 is illegal: the cell is neither",
    ),
    (far_cell, r"move 1 \(moves\[0\]\): place .* is illegal: .* far from every tile"),
    (put(0.0, "moves", 0, "move", 2), r"move 1 \(moves\[0\]\): .* is not a move"),
    (put(1, "moves", 0, "player"), r"move 1 \(moves\[0\]\): player is \d, but player \d decides"),
    (other_edge, r"move \d+ .*: act .* is illegal: "),
    (more_workers, r"move \d+ .*: act .* is illegal: "),
    (lambda r: put(1, "moves", first(r, "fill"), "move", 2)(r), r"move \d+ .*: fill .* is illegal"),
    (
        legal_of_first(lambda legal: legal.append(["place", "1111", 0, [1, 2]])),
        r"move 1 .*: legal lists place 1111/0 at 1,2",
    ),
    (legal_of_first(list.pop), r"move 1 .*: legal lacks place"),
    (legal_of_first(lambda all: all.append(all[0])), r"move 1 .*: legal lists place .* twice"),
    (
        legal_of_first(lambda legal: legal.extend(legal * (MAX_LEGAL // len(legal)))),
        r"move 1 .*: legal lists \d+ moves, more than there can be",
    ),
    (put(True, "moves", 0, "outo"), r"move 1 .*: a move has the key 'outo', expected player, move"),
    (put(["A", "B"], "playerz"), "the record has the key 'playerz', expected .*, result or"),
    (put(True, "rules", "table_size"), "rules has the key 'table_size', expected num_players, vol"),
    (put([0, 0], "result", "suns"), "result has the key 'suns', expected scores, .*, sun or water"),
    (lambda r: r["moves"].pop(), "the moves end after number"),
    (lambda r: r["moves"].append(r["moves"][-1]), r"move \d+ .*: the game is over already"),
    (swap_moves, r"move 5 .*: "),
    (put(99, "result", "scores", 0), r"result.scores is \[.*\], but the replay gives \[.*\]"),
    (put([1, 0], "result", "winners"), r"result.winners is \[.*\], but the replay gives \[.*\]"),
    (put([99, 99], "result", "temples"), r"result.temples is \[99, 99\], but the replay gives"),
    (
        lambda r: r["result"].update(gold=[float(gold) for gold in r["result"]["gold"]]),
        r"result.gold is \[\d+.0, \d+.0\], but the replay gives",
    ),
    (lambda r: r["result"].pop("water"), "result has no 'water'"),
    *(
        (lambda r, tile=tile: put(tile, "moves", first(r, "fill"), "move", 1)(r), r"move \d+ ")
        for tile in ("place\nq", "x" * 100_000)
    ),
    (put([1] * 100_000, "result", "gold"), r"result.gold is \[1, 1, .*, but the replay gives"),
    (
        lambda r: put("auto", "rules", "decisions")(r) or put(True, "moves", 0, "auto")(r),
        r"move 1 .*: a decision with several legal moves",
    ),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES, ids=[what for _, what in DAMAGES])
def test_a_damaged_record_is_refused_with_one_sentence(damage, message):
    record = written(2, 6)
    check(record)
    damage(record)
    with pytest.raises(RecordError, match=message) as error:
        check(json.loads(json.dumps(record)))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


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
        with pytest.raises(RecordError, match=r"not a game record|not JSON|not text in UTF"):
            check(load(tmp_path / name))
    (tmp_path / "latin-1.json").write_text('{"players": ["José"]}', encoding="latin-1")
    with pytest.raises(RecordError, match=r"latin-1\.json is not text in UTF-8"):
        load(tmp_path / "latin-1.json")
    with pytest.raises(RecordError, match="can't be read: No such file"):
        load(tmp_path / "missing.json")
    with pytest.raises(RecordError, match="there is no record in the folder"):
        load(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_says_how_a_record_is_encoded(encoding, tmp_path):
    (tmp_path / "r.json").write_text(dumps(written()), encoding=encoding)
    check(load(tmp_path / "r.json"))


def test_positions_along_a_record():
    record = written(3, 2)
    game, moves = positions(record, 0)
    assert (game.turn, moves) == (0, [])
    game, moves = positions(record)
    assert game.over
    assert [seat for _, seat, *_ in moves] == [one["player"] for one in record["moves"]]
    for wrong in (1000, -1, "3", 1.5, True):
        with pytest.raises(ValueError, match=r"ply is .*, expected "):
            positions(record, wrong)


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["", "b"], "expected 1 to 60 characters"),
        (["a", "x" * 61], "expected 1 to 60 characters"),
        (["a\nb", "c"], "expected 1 to 60 characters"),
        (["a\u00a0b", "c"], "expected 1 to 60 characters"),
        (["a"], "expected a name for each of 2"),
        ("ab", "expected a"),
    ],
)
def test_names_that_can_not_be_are_neither_read_nor_written(names, why):
    game = played(2, 1)
    assert record_of(game, players=["a", "🌰" * 60])["players"] == ["a", "🌰" * 60]
    for door in (
        lambda: record_of(game, players=names),
        lambda: check(record_of(game) | {"players": names}),
    ):
        with pytest.raises(ValueError, match=why):
            door()
