"""Evaluations: which games are played, what is made of them, and that nothing gets lost."""

import importlib
import json
import multiprocessing
import shutil
import sys
from contextlib import closing
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import cacao_env
from cacao_env import Game, record
from cacao_env.cli import main as cacao

pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")

from cacao_env.agent import decider
from cacao_env.agents.bots import Bot
from cacao_env.agents.onnx import described
from cacao_env.data import DataError, load, storage
from cacao_env.data.folder import LINES, GameFolder, key_of, read_folder
from cacao_env.data.storage import MANIFEST
from cacao_env.engine import sources
from cacao_env.engine.options import Options
from cacao_env.engine.sources import engine_version
from cacao_env.evaluation import SEED, matches, run, workers
from cacao_env.evaluation.blocks import BLOCKS_AT_ONCE, Pairing, chunks, pairings
from cacao_env.evaluation.luck import luck_of
from cacao_env.evaluation.matches import PlayedGame, play_chunk
from cacao_env.evaluation.rows import rows_of
from cacao_env.evaluation.run import measure, print_results
from cacao_env.evaluation.sprt import SequentialTest
from cacao_env.evaluation.summary import values
from cacao_env.evaluation.workers import WorkerError, do_all
from cacao_env.registry import load_agents
from cacao_env.views import Form
from tests.agents_for_tests import worker
from tests.checkpoints import checkpoint, network
from tests.kills import left_behind
from tests.tiers import mostly_slow

pytestmark = pytest.mark.usefixtures("no_luck")
HERE = "tests.agents_for_tests"
TIMES = ["seconds", "placement_seconds"]
KEPT = {"options": [Options().as_dict()]}


def evaluate(arguments):
    return cacao(["evaluate", *arguments])


def games_of(folder):
    """What is kept of an evaluation's games, without what was measured."""
    manifest, table = read_folder(folder)
    order = [("num_players", "ascending"), ("deal", "ascending"), ("candidate", "ascending")]
    return manifest["settings"], table.drop_columns(TIMES).sort_by(order).to_pylist()


def outcomes_of(names, players, blocks):
    agents = {agent.name: agent for agent in load_agents(names, allow_code=True)}
    parts = chunks(pairings(names, [Options(players)]), blocks)
    return [play_chunk(chunk, agents, SEED) for chunk in parts]


def stored_as(*versions):
    """Rows of one chunk of games for each version that its agents have."""
    names = [f"{HERE}:First", "random"]
    parts = outcomes_of(names, 2, len(versions) * BLOCKS_AT_ONCE)
    return [rows_of(one, SEED, dict.fromkeys(names, v)) for one, v in zip(parts, versions)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_agent_sits_on_every_seat_of_every_deal(players):
    names = ["a", "b", "c"]
    seen = {}
    for chunk in chunks(pairings(names, [Options(players)]), 20):
        for block, rotation in chunk.games():
            seats = chunk.pairing.seats(rotation)
            assert (block, seats) not in seen
            seen[block, seats] = chunk.pairing
    for block, agent, opponent, seat in product(range(20), names, names, range(players)):
        if agent != opponent:
            seats = tuple(agent if s == seat else opponent for s in range(players))
            assert (block, seats) in seen
    assert len(seen) == 20 * 3 * players * (1 if players == 2 else 2)


def test_games_of_a_block_share_the_deal_and_blocks_do_not():
    outcome = outcomes_of(["random", "greedy"], 3, 2)[0]
    draws = []
    for played in outcome.games:
        game = Game.new(3, SEED + played.block)
        for action in played.actions:
            game.play(action)
        assert game.over
        assert (game.scores(), game.win_shares()) == (played.scores, played.win_shares)
        assert sum(played.decisions) == len(played.actions)
        assert [sum(row) for row in played.gold] == played.scores
        draws.append((played.block, game.draws))
    assert all((one[0] == two[0]) == (one[1] == two[1]) for one in draws for two in draws)


def test_a_pairing_s_games_are_the_same_whoever_else_is_measured():
    two = outcomes_of(["random", "greedy"], 2, 10)
    three = outcomes_of(["random", f"{HERE}:First", "greedy"], 2, 10)
    again = [o for o in three if o.pairing == Pairing(Options(2), "random", "greedy")]
    timed = {"seconds": [], "placement_seconds": []}
    one, other = ([replace(g, **timed) for o in some for g in o.games] for some in (two, again))
    assert one == other


def test_measure_says_what_the_command_says(tmp_path, capsys):
    with patch.object(run, "Bar", wraps=run.Bar) as bar:
        result = measure(*load_agents(["greedy", "random"]), options=Options(3), blocks=5, seed=7)
    assert bar.call_args.kwargs["total"] == 15
    out = tmp_path / "e.json"
    command = ["greedy", "random", "--players", "3", "--deals", "5", "--seed", "7"]
    command += ["--workers", "1"]
    assert evaluate([*command, "--out", str(tmp_path / "o"), "--json", str(out)]) == 0
    assert result.line() in capsys.readouterr().out
    data = json.loads(out.read_text())
    row = data["results"][0]
    for key in ("agent", "opponent", "players", "volcanoes", "blocks", "win_share", "low", "high"):
        assert row[key] == getattr(result, key)
    assert row["margin"] == result.margin
    assert data["settings"]["seed"] == 7
    assert data["versions"]["numpy"] == np.__version__
    assert data["machine"]["cores"] >= 1
    assert {"results", "ratings", "seats", "scores", "git_commit"} <= set(data)
    for score in data["scores"]:
        assert sum(score["gold"].values()) == pytest.approx(score["score"])
        assert sum(score["counts"].values()) == score["games"] == 15


def test_a_bar_is_reached_by_the_lower_end_of_the_interval(capsys):
    result = measure(*load_agents(["greedy", "mc:sims=4"]), blocks=10, seed=7)
    assert result.low < result.win_share < result.high
    for bar, missed in ((result.low - 0.01, 0), (result.low + 0.01, 1), (result.high, 1)):
        assert print_results([result], {"mc:sims=4": bar}) == missed
        assert ("MISSED" in capsys.readouterr().out) == bool(missed)
    assert print_results([result], {}) == 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of an evaluation by one process: its games, page and figures."""
    folder = tmp_path_factory.mktemp("whole")
    command = [str(checkpoint(folder, "net")), "random", f"{HERE}:Half", *SOME, "--workers", "1"]
    places = {"out": "out", "html": "r.html", "json": "e.json"}
    more = [word for option, name in places.items() for word in (f"--{option}", str(folder / name))]
    assert evaluate([*command, *more]) == 0
    return folder


SOME = ("--deals", "9", "--seed", "3", "--luck")  # two chunks a pairing


def test_the_page_needs_nothing_else_and_is_well_formed(whole):
    text = (whole / "r.html").read_text()
    assert text == (whole / "out" / "report.html").read_text()
    for word in ("<script", "src=", "http", "url("):
        assert word not in text
    body = text[text.index("<body>") : text.index("</body>")] + "</body>"
    tree = ElementTree.fromstring(body)
    assert len(list(tree.iter("svg"))) == 4  # ratings, gold, scores and seats
    assert all(drawn.get("aria-label") for drawn in tree.iter("svg"))
    assert f"{HERE}:Half" in "".join(tree.itertext())


def test_records_hold_and_say_who_sat_where(whole, tmp_path):
    export = ["data", "export", str(whole / "out"), "--as", "records", "--out", str(tmp_path)]
    assert cacao(export) == 0
    found = sorted(tmp_path.glob("*.json"))
    games = load(whole / "out")
    assert len(found) == len(games) == 3 * 9 * 2
    for path, names in zip(found, games.table.column("agents").to_pylist(), strict=True):
        assert record.load(path)["players"] == names
    assert cacao(["replay", "--check", str(tmp_path)]) == 0


def test_results_do_not_depend_on_workers(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(matches, "luck_of", luck_of)  # those of ``whole`` have luck
    command = [str(whole / "net"), "random", f"{HERE}:Half", *SOME, "--workers", "2"]
    assert evaluate([*command, "--out", str(tmp_path)]) == 0
    assert games_of(tmp_path) == games_of(whole / "out")


@pytest.mark.parametrize(
    ("deed", "error", "message"),
    mostly_slow(
        [
            ("kill", WorkerError, "a worker process ended while it played .*second"),
            ("leave", WorkerError, "a worker process ended while it played .*second"),
            ("refuse", ValueError, "one sentence"),
            ("fail", WorkerError, "a worker failed:\nTraceback (.|\n)*KeyError: 'nothing'"),
        ]
    ),
)
def test_a_worker_that_fails_ends_all_and_says_why(deed, error, message):
    todo = {"first": "square", "second": deed} | dict.fromkeys("345", "sleep")
    with pytest.raises(error, match=f"^{message}"):
        list(do_all(todo, worker, 2, lambda games: None))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("count", [1, 2])
def test_libraries_use_one_thread_here_as_in_workers(count):
    """A policy in NumPy or PyTorch then has the same last bits in any number of processes."""
    before = threadpool_info()
    assert list(do_all(dict.fromkeys("12", "threads"), worker, count, lambda games: None)) == [1, 1]
    assert threadpool_info() == before


def test_workers_end_with_the_caller_who_has_seen_enough():
    played = []
    todo = {"first": "square"} | dict.fromkeys("234", "sleep")
    results = do_all(todo, worker, 2, played.append)
    assert next(results) == 49
    assert played == [7]
    assert len(multiprocessing.active_children()) == 2
    results.close()
    assert multiprocessing.active_children() == []


def unfinished(folder, rows):
    """Turn a finished folder into one that was stopped: some rows as lines, the last cut off."""
    manifest, table = read_folder(folder)
    every = table.to_pylist()
    (folder / manifest["files"][0]["name"]).unlink()
    storage.write_manifest(folder, {**manifest, "files": []})
    lines = [json.dumps(every[first : first + 8]) for first in range(0, rows + 8, 8)]
    (folder / LINES).write_text("\n".join(lines)[:-20])


def test_a_run_that_was_cut_off_resumes(tmp_path, monkeypatch, capsys):
    command = ["random", "greedy", "--deals", "40", "--workers", "1"]
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    assert evaluate([*command, "--out", str(whole)]) == 0
    assert "not played again" not in capsys.readouterr().err
    shutil.copytree(whole, parted)
    unfinished(parted, 24)  # of 80 games: 12 blocks
    played = []
    real = workers.play_chunk

    def counted(chunk, *arguments):
        played.extend(chunk.blocks)
        return real(chunk, *arguments)

    monkeypatch.setattr(workers, "play_chunk", counted)
    assert evaluate([*command, "--out", str(parted)]) == 0
    assert played == list(range(12, 40))
    assert games_of(parted) == games_of(whole)
    assert not (parted / LINES).exists()
    assert evaluate([*command, "--out", str(parted)]) == 0
    assert len(played) == 28  # nothing was left to play
    assert f"80 games from {parted} are not played again\n" in capsys.readouterr().err
    more = [*command[:3], "44", *command[4:]]
    assert evaluate([*more, "--out", str(parted)]) == 0
    assert played[28:] == list(range(40, 44))  # no deal is there twice
    assert len(load(parted)) == 88


def test_a_part_that_became_a_file_just_before_a_kill_is_not_there_twice(tmp_path):
    command = ["random", "greedy", "--deals", "4", "--workers", "1", "--out", str(tmp_path)]
    assert evaluate(command) == 0
    _, table = read_folder(tmp_path)
    (tmp_path / LINES).write_text(json.dumps(table.to_pylist()) + "\n")
    assert len(load(tmp_path)) == 8
    assert evaluate(command) == 0
    assert len(load(tmp_path)) == 8
    assert not (tmp_path / LINES).exists()


AGENT = """
class Base:
    version = {version!r}
    def __init__(self, seed):
        pass
    def act(self, game):
        return game.legal_actions()[{which}]
class Mine(Base):
    pass
"""
INHERITS = """
import pathlib
from cacao_env.agents.onnx import OnnxAgent
class Mine(OnnxAgent):
    def __init__(self):
        super().__init__("mine", pathlib.Path("net.onnx").read_bytes(), "net.onnx", {{}})
    def act(self, games, memory):
        return [int(game.legal_actions()[{which}]) for game in games]
"""
ABOUT = Form(Options(table_size=15))
EVALUATE = ["evaluate"]


def written(way, changed):
    """Write an agent into the current folder, or change it in place; return its name."""
    if way == "checkpoint":
        shutil.rmtree("net", ignore_errors=True)
        return f"./{checkpoint(Path(), seed=changed).name}"
    if way in ("onnx", "inherited"):
        seed = changed if way == "onnx" else 0
        Path("net.onnx").write_bytes(described(network(ABOUT, seed=seed), ABOUT))
        Path("mine.py").write_text(INHERITS.format(which=-changed))
        return "net.onnx" if way == "onnx" else "mine:Mine"
    version = "12"[changed] if way == "version" else "1"
    Path("mine.py").write_text(AGENT.format(version=version, which=-changed))
    return "mine:Base" if way == "version" else "mine:Mine"  # which has no version of its own


CHANGES = [(EVALUATE, way) for way in ("child", "version", "onnx", "checkpoint", "inherited")]
CHANGES += [(["tasks", "--tasks", "2p-random", "--agents"], way) for way in ("child", "version")]


@pytest.mark.parametrize(("command", "way"), mostly_slow(CHANGES, fast=[0, 3]))
def test_games_of_a_changed_agent_are_not_used_again(command, way, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    others = ["random"] if command == EVALUATE else []
    more = ["--deals", "6", "--workers", "1", "--json", "figures.json"]
    figures, said = [], []
    for changed in (0, 0, 1):
        name = written(way, changed)
        sys.modules.pop("mine", None)
        importlib.invalidate_caches()
        assert cacao([*command, name, *others, *more]) == 0
        data = json.loads(Path("figures.json").read_text())
        figures.append((data if others else data[0])["results"][0]["score"])
        said.append(capsys.readouterr().err)
    assert figures[0] == figures[1] != figures[2]
    assert "played again" not in said[0]
    knows = way in ("version", "onnx", "checkpoint")
    assert ("are not played again" if knows else "without a version, are played again") in said[1]
    assert ("played again" in said[2]) is not knows


def test_an_agent_that_changes_after_the_evaluation_has_begun_is_refused():
    with pytest.raises(ValueError, match=r"^random was changed after the evaluation had begun$"):
        workers.chunk_player({"greedy": "built-in", "random": "older"}, 1)


@pytest.mark.parametrize("players", mostly_slow([3, 2]))
def test_against_measures_the_agents_before_it_alone(players, tmp_path, capsys):
    few = ["--players", str(players), "--deals", "2", "--workers", "1", "--out", str(tmp_path)]
    own, others = ["random", f"{HERE}:First"], ["greedy", f"{HERE}:Half", "mc:sims=2,top=2"]
    assert evaluate([*own, "--against", *others, *few, "--json", str(tmp_path / "e.json")]) == 0
    results = json.loads((tmp_path / "e.json").read_text())["results"]
    pairs = {(row["agent"], row["opponent"]) for row in results}
    asked = set(product(own, others))
    assert pairs == (asked | {pair[::-1] for pair in asked} if players == 2 else asked)
    assert "is given twice" not in capsys.readouterr().err


def test_a_plan_s_folder_players_and_pairs():
    alone, each = (run.make_plan(["greedy", "random"], against=a) for a in (["mc"], []))
    whole = run.make_plan(["greedy", "random", "mc"])
    assert len({run.default_folder(plan) for plan in (alone, each, whole)}) == 3
    assert [one.num_players for one in whole.options] == [2]
    own = run.make_plan([f"{HERE}:Crowded", "greedy"])  # the first number that both play
    assert [one.num_players for one in own.options] == [3]


def test_an_interrupt_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    real = workers.play_chunk

    def interrupted(chunk, *arguments):
        if chunk.blocks[0] >= 2 * BLOCKS_AT_ONCE:
            raise KeyboardInterrupt
        return real(chunk, *arguments)

    monkeypatch.setattr(workers, "play_chunk", interrupted)
    command = ["random", "greedy", "--deals", "40", "--workers", "1", "--out", str(tmp_path)]
    assert evaluate(command) == 130
    err = capsys.readouterr().err
    assert "interrupted; 32 games are in" in err
    assert "the same command resumes" in err


@cache
def whole_blocks():
    """After how many blocks the test of greedy against random is decided, played one by one."""
    count = total = squares = 0
    for outcome in outcomes_of(["greedy", "random"], 2, 80):
        shares = values("greedy", outcome.pairing, outcome.games, PlayedGame.win_share).mean(axis=1)
        count, total = count + len(shares), total + shares.sum()
        squares += (shares**2).sum()
        if SequentialTest().verdict(SequentialTest().log_ratio(count, total, squares), count):
            return count
    raise AssertionError("not decided")


def test_a_decided_test_does_not_depend_on_the_order_of_its_chunks(tmp_path, monkeypatch, capsys):
    """Workers may be ahead: all chunks that decide, and two more, are ready in reverse."""
    real, count = run.do_all, whole_blocks() // BLOCKS_AT_ONCE + 2

    def reverse(todo, *arguments):
        jobs = list(todo.items())
        return real(dict([*jobs[count - 1 :: -1], *jobs[count:]]), *arguments)

    monkeypatch.setattr(run, "do_all", reverse)
    out, data = tmp_path / "out", tmp_path / "e.json"
    command = ["greedy", "random", "--until-decided", "--workers", "1"]
    assert evaluate([*command, "--out", str(out), "--json", str(data)]) == 0
    assert "H1, +20 Elo rather than +0 Elo" in capsys.readouterr().out
    found = json.loads(data.read_text())
    assert found["sprt"]["accepted"] == "H1"
    assert found["sprt"]["blocks"] == whole_blocks(), "deals until the test is decided"
    assert found["results"][0]["blocks"] == whole_blocks(), "deals that the results count"
    assert len(load(out)) == 2 * count * BLOCKS_AT_ONCE
    monkeypatch.setattr(run, "do_all", None)  # nobody is asked to play
    assert evaluate([*command, "--out", str(out), "--json", str(data)]) == 0
    assert json.loads(data.read_text())["sprt"] == found["sprt"]


@pytest.mark.parametrize("players", mostly_slow(["2", "3"]))
def test_a_test_may_run_out_of_blocks(players, tmp_path, capsys):
    command = [f"{HERE}:First", f"{HERE}:Half", "--until-decided", "--deals", "16"]
    command += ["--players", players, "--workers", "1"]
    assert evaluate([*command, "--out", str(tmp_path)]) == 0
    assert "not decided between +0 Elo and +20 Elo after 16 blocks" in capsys.readouterr().out


def test_other_settings_are_refused(tmp_path, capsys):
    command = ["random", "greedy", "--out", str(tmp_path), "--workers", "1"]
    assert evaluate([*command, "--deals", "2"]) == 0
    before = games_of(tmp_path)
    capsys.readouterr()
    assert evaluate([*command, "--deals", "2", "--seed", "5"]) == 1
    assert evaluate(["random", f"{HERE}:First", "--deals", "2", "--out", str(tmp_path)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "its seed is 1000000000, here 5; give another folder" in lines[0]
    assert "its agents differ in greedy, tests.agents_for_tests:First" in lines[1]
    assert games_of(tmp_path) == before
    manifest = storage.read_manifest(tmp_path)
    older = {**manifest, "settings": {**manifest["settings"], "engine": "0"}}
    storage.write_manifest(tmp_path, older)
    assert evaluate([*command, "--deals", "2"]) == 1
    assert "holds games of another version of the engine; give another" in capsys.readouterr().err


def test_a_source_that_games_depend_on_changes_the_version(tmp_path, monkeypatch):
    copy, skipped = tmp_path / "cacao_env", shutil.ignore_patterns("page", "sets", "checkpoints")
    shutil.copytree(Path(cacao_env.__file__).parent, copy, ignore=skipped)
    monkeypatch.setattr(sources, "PACKAGE", copy)
    found = [engine_version()]
    for name in ("game", "engine/rules", "greedy/turn", "agents/value/search", "envs/gym"):
        with (copy / f"{name}.py").open("a") as file:
            file.write("\n")
        found.append(engine_version())
    assert len(set(found)) == len(found)
    (copy / "play" / "server.py").write_text("")
    assert engine_version() == found[-1]


def test_the_time_of_placements_is_a_part_of_all_time():
    bots = {name: Bot(name) for name in ("greedy", "random")}
    match = matches._Match(chunks([Pairing(Options(), "greedy", "random")], 1)[0], 0, 0, bots, 1)
    for _ in range(6):
        before = list(match.seconds)
        seat = decider(match.game)
        matches._act([(match, seat)], bots[match.names[seat]])
        assert match.seconds[seat] > before[seat]
    assert sum(match.decisions) == 6 > sum(match.placements) > 0
    for seat in range(2):
        assert match.placement_seconds[seat] <= match.seconds[seat]
    assert sum(match.placement_seconds) < sum(match.seconds)


def test_an_evaluation_that_is_killed_at_any_line_has_what_was_stored(tmp_path):
    played = stored_as("1", "1", "1")

    def stored(folder, *more):
        with closing(GameFolder(folder, {"seed": 1, "options": [Options().as_dict()]})) as games:
            for rows in more:
                games.add(rows)
            if more:
                games.finish()
            return len(games.keys)

    folder = tmp_path / "games"
    left = left_behind(lambda: stored(folder, *played), folder, tmp_path)
    found = [stored(copy) for copy in left]
    assert found == sorted(found)
    assert {*found, stored(folder)} == {0, 16, 32, 48}


def test_games_after_a_line_that_was_cut_off_are_kept(tmp_path):
    first, second = stored_as("1", "1")
    for rows in (first, second):
        with closing(GameFolder(tmp_path, KEPT)) as games:
            games.add(rows)
        with (tmp_path / LINES).open("a") as file:
            file.write('[{"blo')
    assert len(load(tmp_path)) == len(first) + len(second)


def test_what_has_a_version_stays_where_others_go_from_files_and_lines(tmp_path):
    """As many are dropped from the lines as are kept of the file."""
    kept, *others = stored_as("1", "", "")
    with closing(GameFolder(tmp_path, KEPT)) as games:
        games.add(kept)
        games.add(others[0])
        games.finish()
        games.add(others[1])
    for dropped in (True, False):
        with closing(GameFolder(tmp_path, KEPT)) as games:
            assert games.dropped == dropped
            assert games.keys == {key_of(row) for row in kept}
    assert len(load(tmp_path)) == len(kept)


# Files of other programs, cut off or not.
@pytest.mark.parametrize(
    "content",
    ["hello", "1", "[]", "[1]\n", "{}\n", "[" * 100_000, '[{"deal": "a", "agents": 3}]'],
)
def test_a_foreign_file_is_refused(content, tmp_path):
    settings = {"a": 1, "options": []}
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(DataError, match="manifest"):
        GameFolder(tmp_path, settings)
    assert (tmp_path / MANIFEST).read_text() == content
    (tmp_path / MANIFEST).unlink()
    (tmp_path / LINES).write_text(content)
    with pytest.raises(DataError, match=f"{LINES} has no {MANIFEST}"):
        GameFolder(tmp_path, settings)
    (tmp_path / LINES).unlink()
    GameFolder(tmp_path, settings).close()
    (tmp_path / LINES).write_text(f"{content}\n")
    if content != "[]":
        with pytest.raises(DataError, match="is not a file of games") as error:
            GameFolder(tmp_path, settings)
        assert len(str(error.value)) < 500
        assert (tmp_path / LINES).read_text() == f"{content}\n"


def test_games_are_in_the_file_as_soon_as_they_are_added(tmp_path):
    row = {"num_players": 2, "volcanoes": False, "deal": 1, "agents": [], "versions": []}
    with closing(GameFolder(tmp_path, {"options": []})) as games:
        games.add([row])
        assert (tmp_path / LINES).read_bytes().count(b"\n") == 1
