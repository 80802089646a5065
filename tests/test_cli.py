"""The command line, as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cacao_env.cli import main
from tests.reference.records import check_record, play_record

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("volcanoes", [[], ["--volcanoes"]])
def test_a_recorded_game_holds_when_it_is_replayed(players, volcanoes, tmp_path, capsys):
    file = str(tmp_path / "r.json")
    for decisions in ("auto", "explicit"):
        arguments = ["record", "--players", str(players), "--seed", "1", "--decisions", decisions]
        assert main([*arguments, "--with-legal", *volcanoes, "--out", file]) == 0
        assert main(["replay", file, "--check"]) == 0
        assert capsys.readouterr().out == "1 record holds\n"


def test_many_games_go_to_a_folder_one_file_a_seed(tmp_path, capsys):
    folder = tmp_path / "records"
    arguments = ["record", "--games", "3", "--seed", "7", "--agents", "random,greedy"]
    assert main([*arguments, "--out", str(folder)]) == 0
    files = sorted(folder.iterdir())
    assert [f.name for f in files] == [f"cacao-2p-seed{s}.json" for s in (7, 8, 9)]
    for file in files:
        check_record(json.loads(file.read_text()))
    assert main(["replay", str(folder), "--check"]) == 0
    assert capsys.readouterr().out == "3 records hold\n"
    again = tmp_path / "again.json"
    single = ["record", "--seed", "8", "--agents", "random,greedy", "--out", str(again)]
    assert main(single) == 0
    assert again.read_text() == files[1].read_text()


def test_without_out_a_record_goes_to_standard_output(capsys):
    assert main(["record", "--seed", "3"]) == 0
    check_record(json.loads(capsys.readouterr().out))


def test_check_names_each_bad_file_and_still_reads_the_others(tmp_path, capsys):
    for name, style in (("a", "stretch"), ("b", "triple"), ("c", "random")):
        record = play_record(2, True, 5, style, with_legal=True)
        if name == "b":
            record["result"]["gold"][0] += 1
        (tmp_path / f"{name}.json").write_text(json.dumps(record))
    (tmp_path / "d.json").write_text("{")
    assert main(["replay", str(tmp_path), "--check"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 2
    assert "b.json: result.gold is" in lines[0]
    assert "d.json: not a game record: not JSON" in lines[1]


def test_a_large_number_of_files_is_checked_by_several_processes(tmp_path, capsys):
    text = json.dumps(play_record(2, False, 5))
    for number in range(120):
        (tmp_path / f"{number:03}.json").write_text(text if number != 77 else text[:-9])
    assert main(["replay", str(tmp_path), "--check"]) == 1
    err = capsys.readouterr().err
    assert [line.split(":")[0] for line in err.splitlines()] == [str(tmp_path / "077.json")]
    (tmp_path / "077.json").unlink()
    assert main(["replay", str(tmp_path), "--check"]) == 0
    assert capsys.readouterr().out == "119 records hold\n"


def test_an_empty_folder_is_one_problem_among_others(tmp_path, capsys):
    (tmp_path / "none").mkdir()
    (tmp_path / "good.json").write_text(json.dumps(play_record(2, False, 5)))
    (tmp_path / "bad.json").write_text("[]")
    files = [str(tmp_path / name) for name in ("good.json", "none", "bad.json")]
    assert main(["replay", *files, "--check"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.rsplit("/", 1)[1].split(":")[0] for line in lines] == ["none", "bad.json"]


def test_replay_shows_the_moves_and_the_table(tmp_path, capsys):
    file = tmp_path / "r.json"
    main(["record", "--seed", "2", "--out", str(file)])
    assert main(["replay", str(file)]) == 0
    out = capsys.readouterr().out
    assert "turn 22" in out
    assert "(made without asking)" in out
    assert "The game is over" in out
    assert main(["replay", str(file), "--ply", "3"]) == 0
    assert "turn 22" not in capsys.readouterr().out.split("display")[0]


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    file = tmp_path / "r.json"
    assert main(["record", "--out", str(file)]) == 0
    command = f"{sys.executable} -m cacao_env replay {f'{file} ' * 60} | head -c 10"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT)
    assert ran.stdout.startswith("turn 1")
    assert "Broken pipe" not in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["record", "--players", "5"], "num_players is 5, expected 2, 3 or 4"),
        (["record", "--agents", "random"], "--agents names 1 agents, expected 2"),
        (
            ["record", "--agents", "random,genius"],
            "there is no agent 'genius': neither a bot (endgame, greedy",
        ),
        (["record", "--games", "0"], "--games is 0, expected at least 1"),
        (["record", "--games", "2"], "--out is missing: several games need a folder"),
        (
            ["record", "--out", "/nowhere/r.json"],
            "/nowhere/r.json can't be written: No such",
        ),
        (["replay", "/nowhere/r.json", "--check"], "can't be read: No such file or directory"),
        (["replay", "tests/rules"], "there is no record in this folder"),
        (["spec", "--table-size", "5"], "table_size is 5, expected 11 to 32"),
        (["bench", "--seconds", "0"], "--seconds is 0.0, expected more than 0"),
        (["bench", "--compare", "/nowhere.json"], "/nowhere.json can't be read: No such file"),
        (["bench", "--compare", "README.md"], "README.md is not JSON, expected what bench --json"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_1(arguments, message, capsys):
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if "compiling" not in line]
    assert len(lines) == 1
    assert message in lines[0]
    assert out == ""
