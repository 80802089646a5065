"""docs/files.md: pandas reads every file that a command writes by the page's line, as the page says."""

import json
import re
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas", reason="the test extra is not installed")
pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")

from cacao_env import Game, check
from cacao_env.agents.checkpoint import shipped_home
from cacao_env.check import bench
from cacao_env.check.bench.timing import Row
from cacao_env.cli import _parser, main
from tests.games import as_asked
from tests.metrics import documented, logged
from tests.tiers import mostly_slow

PAGE = (Path(__file__).parent.parent / "docs" / "files.md").read_text(encoding="utf-8")
(SETUP, _), *BLOCKS = re.findall(r"```python\n(.*?)```\n(.*?)(?=```python|\Z)", PAGE, re.S)
TEXTS = {line.strip(): text for line, text in BLOCKS}  # what follows a line of pandas, by the line
ROW = re.compile(r"^\| (`.*?`|all others) \| (.*?)(, optional)? \| (.+) \|$", re.M)
RESULTS = 'pd.DataFrame(data("evaluation.json")["results"])'
AS_RESULTS = "The columns are those of [the results of an evaluation](#evaluationjson)"
RUN = {"metrics.jsonl", "run.json", "manifest.json"}
TRAINERS = {"afterstate": "A", "ppo-rows": "P", "sb3": "S"}
TYPES = {"text": str, "boolean": (bool, np.bool_), "list": (list, np.ndarray), "object": dict}
TWO = ["tests.agents_for_tests:First", "tests.agents_for_tests:Half"]


def file_of(line):
    return re.search(r'"([\w/-]+\.(?:jsonl?|csv|parquet))"', line)[1]


def table_after(line):
    """The types by column of the table that follows a line; those that are optional."""
    text = TEXTS[line]
    types, optional = table_after(RESULTS) if AS_RESULTS in text else ({}, set())
    for head, kind, may_lack, meaning in ROW.findall(text):
        names, kinds = re.split("`?, `?", head.strip("`")), kind.split(", ")
        assert len(meaning.split()) <= 15, meaning
        types |= dict(zip(names, kinds if len(kinds) > 1 else kinds * len(names), strict=True))
        optional |= set(names) if may_lack else set()
    assert types, line
    return types, optional


def read(line):
    """What a line of the page returns, one row for a Series of keys."""
    names = {}
    exec(SETUP, names)
    found = eval(line, names)
    return pd.DataFrame([found.to_dict()]) if isinstance(found, pd.Series) else found


def check_column(column, kind):
    base, _, empty = kind.partition(" or ")
    if empty:
        column = column.dropna()
        if not len(column):
            return
    assert column.notna().all(), "a value is missing"
    if base in TYPES:
        assert all(isinstance(value, TYPES[base]) for value in column), (base, list(column)[:5])
        if base == "boolean" and not empty:
            assert column.dtype == bool
        return
    assert base in ("integer", "float"), base
    assert column.dtype != bool
    assert pd.api.types.is_numeric_dtype(column), (base, column.dtype)
    assert np.isfinite(column.astype(float)).all()
    if base == "integer":
        assert (column % 1 == 0).all()
        assert empty or pd.api.types.is_integer_dtype(column)


def check_table(line):
    found, (types, optional) = read(line), table_after(line)
    assert len(found)
    others = types.pop("all others", None)
    if others is None:
        assert set(found.columns) <= set(types)
    assert set(types) - optional <= set(found.columns)
    for name in found.columns:
        check_column(found[name], types.get(name, others))
    return found


def check_json(file):
    """JSON has neither NaN nor Infinity."""

    def refuse(word):
        raise AssertionError(f"{word} in {file}")

    text = file.read_text(encoding="utf-8")
    for part in text.splitlines() if file.suffix == ".jsonl" else [text]:
        json.loads(part, parse_constant=refuse)


# --- How each file is made, as cheaply as can be ---------------------------------------------------


def run(*words):
    assert main(list(map(str, words))) == 0


def evaluation(out, *words):
    run("evaluate", *words, "--deals", 1, "--workers", 1, "--out", out)


def make_evaluation():
    evaluation("out", "greedy", "random", "--players", "2,3", "--json", "evaluation.json")


def make_bench(patch):
    rows = [Row("a", "steps/s", "a", of_ceiling=0.5), Row("b", "steps/s", "b", observation_bytes=9)]
    patch.setattr(bench, "all_rows", lambda *_: iter(rows))
    run("bench", "--quick", "--seconds", 0.01, "--json", "bench.json")


def make_check(patch):
    gone = check.Library("Gone", "gone", ("no-such-package",), "nothing")
    there = check.Library("PettingZoo", "none", ("numpy",), "nothing")
    patch.setattr(check, "LIBRARIES", (gone, there))
    main(["check", "--json", "check.json"])


def make_review(patch):
    patch.setattr("cacao_env.play.review.CHOOSING", 3)
    patch.setattr("cacao_env.play.review.COMPARING", 18)
    run("record", "--agents", "greedy,random", "--out", "reviewed.json")
    run("review", "reviewed.json", "--json", "review.json")


def make_saved():
    """What the page exports: a game of a person and an agent, without its moves."""
    one = {
        **as_asked(Game.new(2, 3)),
        **{"id": "a", "kind": "game", "seed": 3, "created": 0, "changed": 0, "over": False},
        **{"scores": [-10, -10], "winners": [], "turn": 0, "turns": 22},
        "players": [{"person": True, "name": ""}, {"person": False, "name": "Kin"}],
    }
    Path("cacao-games.json").write_text(
        json.dumps({"format": "cacao-games", "version": 1, "games": [one]})
    )


def copy_checkpoints():
    shutil.copytree(shipped_home(), "checkpoints")


def make_set():
    run("data", "make", "random", "--deals", 2, "--workers", 1, "--luck", "--out", "set")


MAKERS = {
    "evaluation.json": make_evaluation,
    "positions.json": lambda: run(
        *("positions", "greedy", "--subset", "--workers", 1, "--json", "positions.json")
    ),
    "set/manifest.json": make_set,
    "set/games-00000.parquet": make_set,
    "game.json": lambda: run("record", "--with-legal", "--out", "game.json"),
    "review.json": make_review,
    "cacao-games.json": make_saved,
    "checkpoints/trinitario/evaluation.json": copy_checkpoints,
    "checkpoints/order.json": copy_checkpoints,
    "agents.json": lambda: run("agents", "--json", "agents.json"),
    "spec.json": lambda: run("spec", "--json", "spec.json"),
    "bench.json": make_bench,
    "check.json": make_check,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """``made(file)``: write a file, unless it is there, and return it."""
    folder = tmp_path_factory.mktemp("files")

    def make(file):
        if not (folder / file).exists():
            maker = MAKERS[file]
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(folder)
                maker(*[patch] * maker.__code__.co_argcount)
        return folder / file

    return make


@pytest.mark.usefixtures("no_luck")
@pytest.mark.parametrize(
    "line", [line for line in TEXTS if file_of(line) not in RUN and "sprt" not in line]
)
def test_pandas_reads_what_the_page_says(line, made, monkeypatch):
    file = made(file_of(line))
    monkeypatch.chdir(file.parents[file_of(line).count("/")])
    check_table(line)
    for one in file.glob("*.json") if file.is_dir() else [file]:
        if one.suffix not in (".csv", ".parquet"):
            check_json(one)


def test_every_command_that_writes_json_is_on_the_page():
    commands = next(one.choices for one in _parser()._actions if isinstance(one.choices, dict))
    writing = [name for name, one in commands.items() if "as JSON" in one.format_help()]
    assert len(writing) == 8
    for name in writing:
        assert f"`cacao {name} --json FILE`" in PAGE


@pytest.mark.usefixtures("no_luck")
def test_a_test_that_is_not_decided(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evaluation(".", *TWO, "--until-decided")
    check_table('pd.Series(data("evaluation.json")["sprt"])')
    check_table('pd.Series(data("evaluation.json"))')
    check_table('pd.Series(data("evaluation.json")["settings"])')


@pytest.mark.parametrize("name", mostly_slow([*TRAINERS]))
def test_files_of_a_run(name, tiny, tmp_path, monkeypatch):
    trained = tiny(name)
    from training.loop import final_evaluation

    folder, config = shutil.copytree(trained.folder, tmp_path / "run"), trained.config
    found = [(row.agent, row.players, row.opponent) for row in final_evaluation(config, folder)]
    games = product(config.games_played, config.against)
    assert found == [(config.name, options.num_players, name) for options, name in games]
    monkeypatch.chdir(folder)
    for line in TEXTS:
        if file_of(line) in RUN:
            check_table(line)
    rows = pd.read_json("metrics.jsonl", lines=True).to_dict("records")
    assert logged(rows) == documented(TRAINERS[name])
    for file in (*folder.glob("*.json"), *folder.glob("*.jsonl")):
        check_json(file)


def test_metrics_have_no_number_that_json_has_not(tmp_path):
    pytest.importorskip("torch", reason="the training extra is not installed")
    from training.run_folder import RunFolder, read_metrics

    notes = RunFolder(tmp_path, {})
    notes.log({"round": 1, "loss_value": float("nan"), "approx_kl": float("inf"), "entropy": 0.5})
    notes.close()
    check_json(tmp_path / "metrics.jsonl")
    assert read_metrics(tmp_path) == [{"round": 1, "entropy": 0.5}]
