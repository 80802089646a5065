"""The command line, as a user calls it."""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from cacao_env import files
from cacao_env.cli import _parser, main
from cacao_env.cli.common import check_writable
from cacao_env.engine.observation import layout
from cacao_env.engine.options import Options
from cacao_env.evaluation import workers
from cacao_env.record import dumps, record_of
from tests.checkpoints import checkpoint
from tests.games import played
from tests.reference.records import check_record
from tests.sources import ROOT


def test_many_games_go_to_a_folder_one_file_a_seed(tmp_path, capsys):
    folder = tmp_path / "records"
    arguments = ["record", "--games", "3", "--seed", "7", "--agents", "random,greedy"]
    assert main([*arguments, "--out", str(folder)]) == 0
    written = sorted(folder.iterdir())
    assert [f.name for f in written] == [f"cacao-2p-seed{s}.json" for s in (7, 8, 9)]
    for file in written:
        check_record(json.loads(file.read_text()))
    assert main(["replay", str(folder), "--check"]) == 0
    assert capsys.readouterr().out == "3 records hold\n"
    again = tmp_path / "again.json"
    options = ["--players", "3", "--volcanoes", "--decisions", "explicit", "--with-legal"]
    assert main(["record", "--seed", "1", *options, "--out", str(again)]) == 0
    assert main(["replay", str(again), "--check"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 record holds"
    record = json.loads(again.read_text())
    assert record["rules"] == {"num_players": 3, "volcanoes": True, "decisions": "explicit"}
    assert record["moves"][0]["legal"]
    single = ["record", "--seed", "8", "--agents", "random,greedy"]
    assert main([*single, "--out", str(again)]) == 0
    assert again.read_text() == written[1].read_text()
    capsys.readouterr()
    assert main(single) == 0
    assert capsys.readouterr().out.strip() == again.read_text().strip()


def test_paths_are_those_that_a_shell_s_user_means(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PLACE", "ein Ordner, sehr lang " + "ü" * 80)
    monkeypatch.chdir(tmp_path)
    assert main(["record", "--out=~/a.json"]) == 0
    assert main(["record", "--games", "2", "--out=$PLACE"]) == 0
    assert main(["replay", "~/a.json", "$PLACE"]) == 0
    assert len(list((tmp_path / os.environ["PLACE"]).iterdir())) == 2
    assert not (tmp_path / "~").exists()


def test_check_names_each_bad_file_and_still_reads_the_others(tmp_path, capsys):
    for name, style in (("a", "stretch"), ("b", "overbuild"), ("c", "random")):
        record = record_of(played(2, 5, style=style, volcanoes=True), with_legal=True)
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
    assert "d.json is not JSON, expected a game record" in lines[1]


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


@pytest.mark.parametrize(
    ("words", "reader", "seen"),
    [
        (f"replay {'r.json ' * 60}", "head -c 6", "turn 1"),
        ("evaluate random greedy --deals 1 --workers 1 --no-luck --out e", "true", ""),
    ],
)
def test_a_reader_that_has_seen_enough_is_no_error(words, reader, seen, tmp_path):
    assert main(["record", "--out", str(tmp_path / "r.json")]) == 0
    command = f"{sys.executable} -m cacao_env {words} | {reader}; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, seen, "")


def test_a_module_of_the_current_folder_is_found_as_by_python_m(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import friend\nclass Last:\n    def __init__(self, seed): pass\n"
        "    def act(self, game): return friend.last(game)\n"
    )
    (tmp_path / "friend.py").write_text("def last(game): return game.legal_actions()[-1]\n")
    words = ["record", "--agents", "mine:Last,random"]
    found = f"from cacao_env.cli import main; sys.exit(main({words!r}))"
    alone = f"import sys; sys.path.remove(''); {found}"  # as for an installed ``cacao``
    for program, status in ((["-c", alone], 0), (["-P", "-c", f"import sys; {found}"], 1)):
        ran = subprocess.run(
            [sys.executable, *program],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert ran.returncode == status, ran.stderr


def test_wrong_usage_has_status_2_and_an_interrupted_command_130(monkeypatch, capsys):
    with pytest.raises(SystemExit) as exited:
        main(["spec", "--no-such-option"])
    assert exited.value.code == 2
    with pytest.raises(SystemExit):
        main(["evaluate", "greedy", "random", "--players", "2,x"])
    assert "'2,x' is not a list of whole numbers such as 2,3" in capsys.readouterr().err

    interrupted = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("cacao_env.cli.tools._spec", interrupted)
    assert main(["spec"]) == 130
    assert capsys.readouterr().err.endswith("interrupted\n")


def test_an_interrupted_measurement_says_what_is_stored(monkeypatch, capsys):
    interrupted = Mock(side_effect=KeyboardInterrupt)
    ended = Mock(side_effect=workers.WorkerError("a worker process ended"))
    monkeypatch.setattr("cacao_env.evaluation.run.evaluated", interrupted)
    assert main(["tasks", "--deals", "1"]) == 130
    assert capsys.readouterr().err.endswith("interrupted; the same command resumes\n")
    monkeypatch.setattr("cacao_env.evaluation.run.evaluated", ended)
    assert main(["tasks", "--deals", "1"]) == 1
    assert capsys.readouterr().err.endswith("a worker process ended\n")


def test_agents_lists_every_bot_and_checkpoint_with_its_parameters(capsys, tmp_path):
    assert main(["agents"]) == 0
    words = capsys.readouterr().out
    assert main(["agents", "--json", "-"]) == 0
    agents = {agent["name"]: agent for agent in json.loads(capsys.readouterr().out)}
    for name in ("trinitario", "random", "greedy", "mc"):
        assert f"\n{name} " in f"\n{words}"
        assert agents[name]["what"]
    sims = agents["mc"]["parameters"]["sims"]
    assert (sims["default"], sims["low"], sims["high"]) == (256, 1, 1_000_000)
    assert main(["agents", "--json", str(tmp_path / "a.json")]) == 0
    assert capsys.readouterr().out == words
    assert len(json.loads((tmp_path / "a.json").read_text())) == len(agents)


def test_spec_as_json_is_the_layout_of_the_observation(capsys):
    assert main(["spec", "--players", "3", "--table-size", "15", "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    entries = layout(3, 15)
    assert [entry["name"] for entry in data["observation"]] == [entry.name for entry in entries]
    assert data["observation"][-1]["stop"] == data["observation_size"] == entries[-1].stop
    assert data["options"] == Options(3, table_size=15).as_dict()
    places, fills, acts = data["actions"]
    assert (places["start"], places["stop"]) == (0, fills["start"])
    assert acts["stop"] == data["num_actions"]
    assert len(data["channels"]) == entries[0].shape[0]


def test_a_shell_can_complete_commands_and_options(tmp_path):
    def completed(line):
        out = tmp_path / "out"
        environment = {
            **os.environ, "_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(out),
            "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n",
        }  # fmt: skip
        subprocess.run([sys.executable, "-m", "cacao_env"], env=environment, cwd=ROOT)
        return out.read_text().split()

    assert completed("cacao rec") == ["record"]
    assert completed("cacao render --ti") == ["--tile"]


def test_a_full_disk_gets_one_sentence_that_names_the_file(tmp_path, capfd, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    game = tmp_path / "game.json"
    assert main(["record", "--out", str(game)]) == 0
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "cacao_env", "replay", str(game)],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == "standard output: No space left on device"

    no_space = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr(files, "write_through", no_space)
    capfd.readouterr()
    for suffix in ("png", "svg"):
        picture = tmp_path / f"a.{suffix}"
        assert main(["render", str(game), "-o", str(picture)]) == 1
        *_, said = capfd.readouterr().err.splitlines()
        assert said == f"{picture} can't be written: No space left on device"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.json"]


def test_a_link_to_a_file_that_is_not_there_stays_a_link(tmp_path):
    link, there = tmp_path / "link.json", tmp_path / "there.json"
    link.symlink_to(there)
    check_writable(str(link))
    assert link.is_symlink()
    assert not there.exists(), "nothing was written yet"
    for _ in range(2):  # the second time the file is there
        assert main(["agents", "--json", str(link)]) == 0
        assert link.is_symlink()
        assert json.loads(there.read_text())


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path, capsys):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_text)
        assert main(["agents", "--json", str(pipe)]) == 0
        if not pipe.is_fifo():  # it was replaced, and the reader waits
            pipe.unlink()
            raise AssertionError
        assert json.loads(read.result())


HERE = "tests.agents_for_tests"
# Commands with a {net}, a {game}, a {file}, a {folder}, a {page}, one {marked}; what they say.
REFUSED = [
    ("record --players 5", "num_players is 5, expected 2, 3 or 4"),
    ("record --agents random", "--agents names 1 agents, expected 2"),
    (
        "record --agents random,genius",
        "there is no agent 'genius': neither a bot (greedy, mc, random",
    ),
    ("record --games 0", "--games is 0, expected at least 1"),
    ("record --games 2", "--out is missing: several games need a folder"),
    ("record --out {file}/r.json", "file"),
    ("review {game} --json {file}/r.json", "file"),
    ("check gymnasium --json {file}/c.json", "file"),
    ("bench --json {file}/b.json", "file"),
    ("data export expert-2p --as chat --out {file}/c.jsonl", "file"),
    ("replay /nowhere/r.json --check", "can't be read: No such file or directory"),
    ("replay {folder}", "there is no record in the folder"),
    ("review {file}", "is not JSON, expected a game record"),
    ("replay /dev/zero", "/dev/zero can't be read: it is not a regular file"),
    ("render nofile.json -o a.svg", "nofile.json can't be read: No such file or directory"),
    ("spec --table-size 5", "table_size is 5, expected 11 to 32"),
    ("check nothing", "there is no check of 'nothing'; there are: PettingZoo, Gymnasium"),
    ("bench --seconds 0", "--seconds is 0.0, expected more than 0"),
    ("bench --page {page}", "has no lines"),
    ("evaluate greedy nobody", "there is no agent 'nobody'"),
    ("evaluate greedy", "there is one agent, expected two or more"),
    ("evaluate greedy random greedy", "agent 'greedy' is given twice"),
    ("evaluate greedy random --deals 0", "--deals is 0, expected at least 1"),
    ("evaluate greedy random --players 5", "--players is 5, expected some of 2, 3 and 4"),
    ("evaluate greedy random --players 2,2", "--players is 2,2, expected some of"),
    ("evaluate greedy random --workers 0", "--workers is 0, expected at least 1"),
    ("evaluate greedy random --out {file}", "file can't be written"),
    ("evaluate greedy random --json {file}/x.json", "file"),
    ("evaluate greedy random --html {folder}", "Is a directory"),
    ("evaluate {net} random --players 3", "net plays with 2 players on table size 15"),
    ("evaluate {net} random --volcanoes", "without volcanoes, not with 2 players"),
    ("evaluate greedy random --until-decided --players 2,3", "compares two agents with one"),
    ("evaluate greedy random {net} --until-decided", "compares two agents with one"),
    ("evaluate greedy random --until-decided --elo1 -5", "--elo0 is 0, expected less than"),
    (
        f"evaluate {HERE}:Illegal random",
        "Illegal on seat 0 of block 0, decision 1: illegal action -3",
    ),
    (f"evaluate {HERE}:Words random", "action is 'north' (str), expected an integer"),
    (f"evaluate {HERE}:Broken random", "Broken failed in act: KeyError: 'nothing' (agents_"),
    ("tasks --agents random --deals 0", "--deals is 0, expected at least 1"),
    ("tasks --agents random --workers 0", "--workers is 0, expected at least 1"),
    ("tasks --agents random --tasks 3p", "there is no task '3p'; there are: 2p-random"),
    ("tasks --agents genius", "there is no agent 'genius'"),
    ("tasks --agents random --page none.md", "none.md can't be read: No such file or directory"),
    ("evaluate greedy random --page {page}", "has no lines"),
    ("positions greedy --page none.md", "can't be read"),
    ("view --export x.txt", "--export is 'x.txt', expected a file that ends in .html"),
    ("view none.json --export x.html", "none.json can't be read"),
    ("view --export x.html --agent greedy", "--export writes a file"),
    ("view --agent nobody", "nobody"),
    ("view --agent greedy --port 99999 --no-open", "port 99999 can't be used"),
    ("render {game} -o x.gif", "-o is 'x.gif', expected a file that ends in one of png, svg"),
    ("render {game} -o x.png --ply 9999", "ply is 9999, expected 0 to"),
    ("render {game} -o x.png --tile 4", "--tile is 4, expected 16 to 240 pixels"),
    ("render {game} -o x.png --viewer 7", "seat is 7"),
    ("render {game} -o {file}/x.png", "file"),
]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("places")
    (folder / "folder").mkdir()
    (folder / "file").touch()
    (folder / "page.md").write_text("no markers")
    (folder / "game.json").write_text(dumps(record_of(played(2, 5))))
    return {path.stem: path for path in folder.iterdir()} | {"net": checkpoint(folder)}


@pytest.mark.usefixtures("no_luck")
@pytest.mark.parametrize(("command", "message"), REFUSED)
def test_bad_input_gets_one_sentence(command, message, places, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = command.format(**places).split()
    plays = words[0] == "evaluate"
    assert main([*words, *(["--deals", "2"] if plays and "--deals" not in words else [])]) == 1
    out, err = capsys.readouterr()
    (line,) = [line for line in err.splitlines() if "compiling" not in line]
    assert message in line
    assert out == ""
    assert plays or list(tmp_path.iterdir()) == []


def test_the_help_of_each_command_has_an_example_that_is_understood(capsys):
    commands = next(one.choices for one in _parser()._actions if isinstance(one.choices, dict))
    assert len(commands) >= 14
    for command in commands:
        with pytest.raises(SystemExit) as exited:
            main([command, "--help"])
        assert exited.value.code == 0
        _, _, examples = capsys.readouterr().out.partition("example:\n")
        lines = [shlex.split(line) for line in examples.splitlines() if line.strip()]
        assert lines
        for words in lines:
            assert words[:2] == ["cacao", command]
            assert callable(_parser().parse_args(words[1:]).run)
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert "exit status: 0 success; 1 wrong input" in " ".join(out.split())
    assert all(f"\n    {command}" in out for command in commands)


def test_a_large_number_of_files_is_checked_by_several_processes(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("cacao_env.cli.games.MANY_FILES", 20)
    text = dumps(record_of(played(2, 5)))
    for number in range(21):
        (tmp_path / f"{number:03}.json").write_text(text[:-9] if number in (7, 20) else text)
    bad = [tmp_path / "007.json", tmp_path / "020.json"]
    assert main(["replay", str(tmp_path), "--check"]) == 1
    err = capsys.readouterr().err
    assert [line.split(" is ")[0] for line in err.splitlines()] == list(map(str, bad))
    for file in bad:
        file.write_text(text)
    assert main(["replay", str(tmp_path), "--check"]) == 0
    assert capsys.readouterr().out == "21 records hold\n"
