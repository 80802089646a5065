"""What ``cacao data check`` says of a folder that somebody hands over, and what it refuses."""

import json
import shutil

import pytest

pa = pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")

from cacao_env.cli import main
from cacao_env.data import load, storage
from tests.test_data import changed, put, sealed
from tests.tiers import mostly_slow


def said(capsys, *words):
    status = main([*map(str, words)])
    printed = capsys.readouterr()
    return status, (printed.err if status else printed.out).strip()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An evaluation with 2 and 3 players, and one of a task."""
    folder = tmp_path_factory.mktemp("whole")
    command = ["random", "greedy", "--players", "2,3", "--deals", "2", "--seed", "3", "--luck"]
    assert main(["evaluate", *command, "--workers", "1", "--out", str(folder / "games")]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        task = ["--tasks", "2p-greedy", "--agents", "greedy", "--deals", "3", "--workers", "1"]
        assert main(["tasks", *task]) == 0
    [path] = (folder / "runs" / "tasks").iterdir()
    path.rename(folder / "task")
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole / "games", tmp_path / "games")


def test_every_figure_is_counted_again_from_the_games_alone(whole, capsys):
    status, text = said(capsys, "data", "check", whole / "games")
    figures = json.loads((whole / "games" / "evaluation.json").read_text())
    assert status == 0
    assert text.startswith(f"{whole / 'games'}: 16 games, ")
    assert int(text.splitlines()[-1].split()[0]) > sum(len(row) for row in figures["results"])
    status, text = said(capsys, "data", "check", whole / "task")
    assert (status, text.splitlines()[0][-18:]) == (0, "decisions, all replayed"[-18:])
    assert "figures counted again" in text


FIGURES = ["results.0.win_share", "results.2.adjusted_margin_low", "results.1.ms_per_move"]
FIGURES += ["ratings.0.elo", "seats.3.margin", "scores.1.gold.water", "scores.0.deviation"]


@pytest.mark.parametrize("name", mostly_slow(FIGURES))
def test_a_changed_figure_is_named_with_both_values(folder, name, capsys):
    path = folder / "evaluation.json"
    figures = json.loads(path.read_text())
    part, (*places, last) = figures, name.split(".")
    for key in places:
        part = part[int(key) if key.isdigit() else key]
    part[last] = round(part[last] + 0.01, 6)
    path.write_text(json.dumps(figures))
    status, text = said(capsys, "data", "check", folder)
    assert status == 1
    assert text.startswith(f"{path}: {name} is {part[last]!r}, but the games give ")


def of(column, change):
    return lambda table: changed(table, column, change)


CHANGES = [
    (of("scores", put(1, 0, 99)), "game 1 of deal 3 has scores"),
    (of("luck", put(2, 0, 0.5)), "game 2 of deal 4: its luck is not that of its draws"),
    (of("seconds", put(0, 0, 9.0)), "ms_per_move is"),
    (
        of("candidate", lambda values: values.__setitem__(0, 1 - values[0])),
        "has a game of greedy against random, which was not planned",
    ),
    (of("candidate", lambda values: values.__setitem__(0, 7)), "is not an evaluation: "),
    (of("agents", put(0, 1, "random")), "a game of random against random, which was not planned"),
    (lambda t: t.slice(1), "has 1 games of deal 3 with random against greedy, expected 2"),
    (
        lambda t: pa.concat_tables([t, t.slice(0, 1)]),
        "game 4, deal 3 with random, greedy, is there",
    ),
]


@pytest.mark.parametrize(("change", "why"), mostly_slow(CHANGES, fast=[1, 6, 7]))
def test_changed_games_are_refused_although_their_checksum_is_right(folder, change, why, capsys):
    manifest = storage.read_manifest(folder)
    table = next(storage.read_tables(folder, manifest))  # the games of 2 players
    sealed(folder, change(table), manifest)
    status, text = said(capsys, "data", "check", folder)
    assert status == 1
    assert why in text


def test_another_version_of_the_engine_is_told_in_a_sentence(folder, capsys):
    manifest = storage.read_manifest(folder)
    older = {**manifest, "settings": {**manifest["settings"], "engine": "0"}}
    storage.write_manifest(folder, older)
    status, text = said(capsys, "data", "check", folder)
    assert status == 0
    assert "another version of the engine played these games; they follow this one's rules" in text


def test_answers_to_positions_are_looked_up_again(tmp_path, capsys):
    path = tmp_path / "answers.json"
    assert main(["positions", "greedy", "--subset", "--workers", "1", "--json", str(path)]) == 0
    capsys.readouterr()
    status, text = said(capsys, "data", "check", path)
    assert status == 0
    assert text.startswith(f"{path}: 100 answers of greedy, ")
    data = json.loads(path.read_text())
    path.write_text(json.dumps([data, data | {"agent": {"other": ""}}]))  # as of two agents
    status, text = said(capsys, "data", "check", path)
    assert status == 0
    assert [line.split()[4] for line in text.splitlines()] == ["greedy,", "other,"]
    for change, why in (
        (lambda d: d["answers"][3].update(gold=0.0, action=-1), "position 3: illegal action -1"),
        (
            lambda d: d["answers"][3].update(gold=-1.0),
            "greedy, the answer to position 3.gold is -1.0, but",
        ),
        (lambda d: d["rows"][0].update(gold=0.1), "rows.0.gold is 0.1, but the games give"),
        (lambda d: d.update(sha256="0"), "has answers to another file of positions"),
    ):
        other = json.loads(json.dumps(data))
        change(other)
        path.write_text(json.dumps([data, other]))
        status, text = said(capsys, "data", "check", path)
        assert status == 1
        assert why in text


def test_a_folder_with_several_numbers_of_players_asks_which(whole):
    with pytest.raises(storage.DataError, match="games with 2, 3 players: expected num_players"):
        load(whole / "games")
    assert len(load(whole / "games", num_players=3)) == 12
