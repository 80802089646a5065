"""Data sets: what is stored is what was played, what is shown is what seats saw, damage is refused."""

import json
import os
import shutil
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")

from pyarrow import parquet

from cacao_env.cli import main
from cacao_env.data import DataError, find, load, storage
from cacao_env.data.export import minari as to_minari
from cacao_env.data.folder import GameFolder
from cacao_env.data.games import Games
from cacao_env.engine.options import Options
from cacao_env.evaluation import make as making
from cacao_env.evaluation.luck import luck_of
from cacao_env.evaluation.make import Recipe, make
from cacao_env.greedy.candidates import Candidates
from cacao_env.text.chat import write_chat
from cacao_env.text.prompt import primer, prompt
from cacao_env.text.reply import action_of
from cacao_env.views import Form, look

RECIPE = Recipe(("random", "greedy"), Options(3, True), 4, 7, luck=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "some"
    make(path, RECIPE, {"name": "some"})
    return path


@pytest.fixture(scope="module")
def games(folder):
    return load(folder)


def test_what_is_loaded_is_what_was_played(folder, games):
    card = (folder / "README.md").read_text()
    assert card.startswith("---\nlicense: mit\n")
    assert all(f"- `{name}`, version `built-in`\n" in card for name in ("random", "greedy"))
    assert len(games) == 1 + 1 + 3 + 3  # each plays itself once, and the other in every seat
    rows = games.table.to_pylist()
    assert [row["agents"] for row in rows[:4]] == [
        *(["random"] * 3, ["greedy"] * 3),
        *(["random", "greedy", "greedy"], ["greedy", "random", "greedy"]),
    ]
    for number, row in enumerate(rows):
        game = games[number]
        assert game.over
        assert game.options == RECIPE.options
        assert (row["scores"], row["actions"]) == (game.scores(), list(game.history))
        assert row["win_shares"] == pytest.approx(game.win_shares())
        np.testing.assert_array_equal(np.array(row["luck"]).reshape(2, 3), luck_of(game))


FORMS = [
    *(("flat", None), ("flat", "float32"), ("planes", None)),
    *(("candidates", None), (Candidates(256, 4), None)),
]


@pytest.fixture(scope="module")
def positions(games):
    """Every position of two games in which a seat decided, and its action."""
    return {(k, ply): found for k in (0, 3) for ply, found in enumerate(games[k].plies())}


def test_returns_may_be_the_lead_in_gold(games):
    for batch in games.take(np.array([0, 3])).decisions(returns="relative_score"):
        scores = games.scores[np.array([0, 3])[batch.games]]
        own = scores[np.arange(len(scores)), batch.seats]
        others = (scores.sum(axis=1) - own) / 2
        np.testing.assert_allclose(batch.returns, (own - others) / 15, rtol=1e-6)


@pytest.mark.parametrize(("form", "dtype"), FORMS)
def test_decisions_show_what_the_game_shows(games, positions, form, dtype, monkeypatch):
    monkeypatch.setattr("cacao_env.data.games.LANES", 1)  # so that a batch has several parts
    kind = dtype or ("uint8" if form in ("flat", "planes") else "float32")
    shares, seen = [games[number].win_shares() for number in (0, 3)], 0
    for batch in games.take(np.array([0, 3])).decisions(form, dtype=dtype, batch=5):
        for i, (game, ply) in enumerate(zip(batch.games.tolist(), batch.plies.tolist())):
            position, action = positions[(0, 3)[game], ply]
            assert position.seat == batch.seats[i]
            assert batch.returns[i] == pytest.approx((3 * shares[game][position.seat] - 1) / 2)
            expected = position.observation(None, form, kind)
            for part in expected if form == "planes" else [None]:
                own = batch.observations if part is None else batch.observations[part]
                np.testing.assert_array_equal(own[i], expected if part is None else expected[part])
            if form in ("flat", "planes"):
                assert batch.actions[i] == action
                np.testing.assert_array_equal(batch.action_masks[i], position.action_mask())
            else:
                rows = look(position, Form(games.options, form, kind), position.seat)
                assert rows.actions[batch.actions[i]] == action
                np.testing.assert_array_equal(batch.action_masks[i], rows.action_mask)
            seen += 1
    few = form == "candidates"  # a choice beyond the 48 rows has none
    assert len(positions) * (0.9 if few else 1) <= seen <= len(positions)


def keys(batches):
    return [(g, p) for batch in batches for g, p in zip(batch.games.tolist(), batch.plies.tolist())]


@pytest.mark.parametrize("lanes", [64, 3])
def test_decisions_are_the_same_in_any_batch_thread_and_part(games, lanes, monkeypatch):
    monkeypatch.setattr("cacao_env.data.games.LANES", lanes)
    every = sorted(keys(games.decisions()))
    assert len(every) == len(set(every)) == len(games.actions)
    assert keys(games.decisions(batch=1)) == every
    assert sorted(keys(games.decisions(batch=100, threads=3))) == every
    shuffled = keys(games.decisions(batch=1, shuffle=1))
    assert shuffled != every
    assert sorted(shuffled) == every
    parts = [keys(games.decisions(part=(k, 3))) for k in range(3)]
    assert sorted(key for part in parts for key in part) == every
    third = [key for key in every if games.seats[games.first[key[0]] + key[1]] == 2]
    assert sorted(keys(games.decisions(seat=2))) == third
    second = sorted(keys(games.decisions(seat=1)))
    assert [keys([one]) for one in games.episodes(seat=1)] == [
        [key for key in second if key[0] == number] for number in range(len(games))
    ]
    third = [key for key in keys(games.episodes(seat=1)) if key[0] in (1, 4, 7)]
    assert keys(games.episodes(seat=1, part=(1, 3))) == third
    order = [keys([one])[0][0] for one in games.episodes(seat=1, shuffle=1)]
    assert order == list(dict.fromkeys(key[0] for key in shuffled)) != sorted(order)
    assert list(games[:0].decisions()) == list(games[:2].episodes(part=(2, 3))) == []
    for given, why in (
        ({"seat": 3}, "seat is 3"),
        ({"returns": "gold"}, "returns is 'gold'"),
        ({"part": (2, 2)}, "part is 2"),
        ({"part": 3}, "part is 3, expected \\(k, n\\)"),
        ({"part": (0, 0)}, "the number of parts is 0"),
        ({"observation": "rows"}, "observation is 'rows'"),
    ):
        with pytest.raises(ValueError, match=why):
            games.decisions(**given)


def test_a_flipped_bit_is_refused_with_its_place(folder, tmp_path):
    data, about = (folder / "games-00000.parquet").read_bytes(), folder / storage.MANIFEST
    end = json.loads(about.read_text())["files"][0]["parts"][0][0]
    for at in [*range(0, len(data), len(data) // 40), len(data) - 1]:
        broken = bytearray(data)
        broken[at] ^= 1 << at % 8
        (tmp_path / storage.MANIFEST).write_bytes(about.read_bytes())
        (tmp_path / "games-00000.parquet").write_bytes(broken)
        place = "row group 0, bytes 0" if at < end else f"its end, bytes {end:,}"
        with pytest.raises(DataError, match=f"games-00000.parquet: {place}"):
            load(tmp_path)
    (tmp_path / "games-00000.parquet").write_bytes(data + b"x")
    with pytest.raises(DataError, match="bytes, expected"):
        load(tmp_path)
    (tmp_path / "games-00000.parquet").write_bytes(data)
    text = about.read_bytes()
    for at in range(0, len(text), len(text) // 40):
        broken = bytearray(text)
        broken[at] ^= 1
        (tmp_path / storage.MANIFEST).write_bytes(broken)
        with pytest.raises(DataError, match=r"checksum differs|is not|expected"):
            load(tmp_path)


def test_a_row_group_ends_where_the_next_begins(monkeypatch, folder, tmp_path):
    monkeypatch.setattr(storage, "ROWS", 3)
    parts = storage.write_games(tmp_path / "x", load(folder)[:8].table)
    about = parquet.ParquetFile(tmp_path / "x").metadata
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    columns = [[one.column(i) for i in range(one.num_columns)] for one in groups]

    def begin(column):
        return column.dictionary_page_offset or column.data_page_offset

    assert [end for end, _ in parts[:2]] == [min(map(begin, one)) for one in columns][1:]
    assert parts[2][0] == max(begin(one) + one.total_compressed_size for one in columns[2])
    assert len(parts) == len(groups) + 1


def sealed(folder, table, manifest):
    """Write games with checksums that are right."""
    folder.mkdir(exist_ok=True)
    parts = storage.write_games(folder / "games-00000.parquet", table)
    entry = {**manifest["files"][0], "parts": parts}
    storage.write_manifest(folder, {**manifest, "files": [entry]})
    return folder


def changed(table, name, change):
    """The table with a column changed, as plain data."""
    values = table.column(name).to_pylist()
    change(values)
    return column(name, values, table.column(name).type)(table)


def put(game, place, value):
    def change(values):
        values[game][place] = value

    return change


WRONG = [
    ("actions", put(5, 3, 8000), r"game 5 of deal \d+, action number 4: illegal action 8000"),
    ("actions", lambda values: values[2].append(0), r"game 2 of deal \d+ goes on after its end"),
    (
        "actions",
        lambda values: values[6].pop(),
        r"game 6 of deal \d+ ends after \d+ actions, before",
    ),
    ("scores", put(4, 2, 1), r"game 4 of deal \d+ has scores"),
    ("cacao", put(4, 2, 7), r"game 4 of deal \d+ has scores"),
    ("win_shares", put(3, 0, 0.25), r"game 3 .*\[0.25, .* replay gives .*\[(?!0.25)[^]]*\]\)"),
    ("win_shares", put(3, 0, float("nan")), r"game 3 of deal \d+ has scores"),
]


@pytest.mark.parametrize(("name", "change", "why"), WRONG)
def test_a_game_that_can_not_be_is_refused_when_it_is_replayed(games, tmp_path, name, change, why):
    wrong = load(sealed(tmp_path, changed(games.table, name, change), games.manifest))
    for replay in (wrong.check, lambda: wrong.check(3), lambda: list(wrong.decisions(seat=0))):
        with pytest.raises(DataError, match=why):
            replay()
    with pytest.raises(DataError, match=why):
        wrong[int(why.lstrip("game ")[0])]


def test_games_in_which_no_choice_has_a_row_have_no_episode(games, monkeypatch):
    monkeypatch.setattr(type(games), "decisions", lambda self, **given: iter(()))
    assert list(games.episodes()) == []


def column(name, values, kind):
    values = pa.array(values, kind)
    return lambda table: table.set_column(table.schema.get_field_index(name), name, values)


ODD = [
    (lambda table: table.drop_columns(["scores"]), "has no column 'scores'"),
    (column("deal", [1] * 8, pa.int32()), "deal is int32, expected"),
    (column("deal", [None] + [1] * 7, pa.int64()), "without nulls"),
    (column("num_players", [2] * 8, pa.int8()), "num_players is 2, expected one of"),
    (column("cacao", [[1]] * 8, pa.list_(pa.int8())), "cacao has not 3 values"),
    (column("actions", [[1, None]] + [[1]] * 7, pa.list_(pa.uint16())), "without nulls"),
]


@pytest.mark.parametrize(("change", "why"), ODD)
def test_other_columns_are_refused(games, tmp_path, change, why):
    with pytest.raises(DataError, match=why):
        load(sealed(tmp_path, change(games.table), games.manifest))


def test_what_the_reader_of_parquet_can_not_read_is_refused_in_a_sentence(folder, monkeypatch):
    error = pa.lib.ArrowNotImplementedError("Integers with more than 64 bits not implemented")
    monkeypatch.setattr("pyarrow.parquet.ParquetFile.read", Mock(side_effect=error))
    with pytest.raises(DataError, match="not a folder of games: Integers with more than 64 bits"):
        load(folder)


def test_what_is_no_data_set_is_refused(folder, games, tmp_path):
    with pytest.raises(DataError, match="there are no games in 'nothing'"):
        load("nothing")
    for manifest, why in (
        ({"settings": {"options": [{"num_players": 9}]}, "files": []}, "num_players is 9"),
        ({"settings": {"options": [{}]}, "files": []}, "has no games yet"),
        ({"files": []}, "is not a folder of games: 'settings'"),
        ({"settings": 1, "files": []}, "is not a folder of games"),
        ({**games.manifest, "files": [{"name": "../x", "parts": []}]}, "x: No such file"),
    ):
        storage.write_manifest(tmp_path, manifest)
        with pytest.raises(DataError, match=why):
            load(tmp_path)


@pytest.mark.parametrize("names", ["a", "ab", "abcd"])
def test_all_pairings_of_a_data_set_play_as_many_deals(names):
    recipe, deals = Recipe((*names,), Options(), 2 * making.SHARD), Counter()
    for chunk in chain.from_iterable(recipe.shards(names)):
        deals[chunk.pairing] += len(chunk.blocks)
    assert deals.keys() == {*recipe.pairs(names)}
    assert deals.total() == recipe.deals
    assert max(deals.values()) - min(deals.values()) <= 2 * making.AT_ONCE


def test_the_same_command_resumes_and_another_recipe_is_refused(tmp_path, monkeypatch, folder):
    recipe = Recipe(("random",), Options(), 3 * making.AT_ONCE, 3)
    make(tmp_path / "whole", recipe, {"name": "x"})
    monkeypatch.setattr(making, "SHARD", 2 * making.AT_ONCE)
    add, calls = GameFolder.add, []

    def interrupted(self, rows):
        add(self, rows)
        calls.append(rows[0]["deal"])
        if len(calls) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(GameFolder, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path / "part", recipe, {"name": "x"})
    assert len(load(tmp_path / "part")) == making.AT_ONCE
    make(tmp_path / "part", recipe, {"name": "x"})
    assert len(calls) == len(set(calls)) == 3
    files = sorted(path.name for path in (tmp_path / "part").glob("[!.]*"))
    assert files == ["README.md", "games-00000.parquet", "games-00001.parquet", "manifest.json"]
    assert load(tmp_path / "part").table == load(tmp_path / "whole").table
    for seed in (2**63 - 2, -1):
        with pytest.raises(ValueError, match="--seed is"):
            make(tmp_path / "far", Recipe(**{**vars(RECIPE), "seed": seed}), {"name": "far"})
    given = Recipe(**{**vars(RECIPE), "agents": ("forastero",)})
    with pytest.raises(ValueError, match="forastero plays with 2 players"):
        make(tmp_path / "far", given, {"name": "far"})
    assert not (tmp_path / "far").exists()
    with pytest.raises(ValueError, match="holds games with other settings: its seed is 7, here 8"):
        make(folder, Recipe(**{**vars(RECIPE), "seed": 8}), {"name": "some"})


def test_an_agent_of_your_own_may_play(tmp_path):
    own = "tests.agents_for_tests:First"
    make(tmp_path, Recipe((own,), Options(), 1, 3), {"name": "own"})
    assert load(tmp_path).table.column("agents").to_pylist() == [[own, own]]


@pytest.mark.parametrize(
    ("games", "size"), [(999, "n<1K"), (1000, "1K<n<10K"), (10**8, "100M<n<1B"), (10**9, "n>1B")]
)
def test_a_card_names_the_size_as_the_hub_does(folder, games, size):
    manifest = storage.read_manifest(folder)
    manifest["files"] = [{"games": games}]
    assert f"size_categories: [{size}]\n" in making.card(manifest)


def test_names_are_looked_for_at_home_and_at_the_hub(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "data").mkdir(parents=True)
    (tmp_path / "runs" / "data" / "mine").symlink_to(folder)
    assert len(load("mine")) == 8
    hub = SimpleNamespace(snapshot_download=Mock(return_value=str(folder)))
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    assert len(load("hf://datasets/somebody/some")) == 8
    hub.snapshot_download.assert_called_once_with("somebody/some", repo_type="dataset")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ValueError, match="huggingface-hub is not installed: pip"):
        load("hf://datasets/somebody/some")


def test_the_shipped_set_is_small_sound_and_made_by_its_recipe(tmp_path):
    files = [path for path in find("expert-2p").iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 2_000_000
    games = load("expert-2p")
    assert len(games) == 10_000
    games.check(2)
    recipe = games.manifest["settings"]
    few = Recipe(("trinitario",), Options.from_dict(recipe["options"][0]), 3, recipe["seed"])
    assert few.settings([])["options"] == recipe["options"]
    assert make(tmp_path, few, {"name": "few"})["settings"]["agents"] == recipe["agents"]
    assert load(tmp_path).table == games[:3].table


READERS = {
    "pandas": lambda pd, at: pd.read_parquet(at / "games-00000.parquet").to_dict("list"),
    "polars": lambda pl, at: pl.read_parquet(at / "*.parquet").to_dict(as_series=False),
    "duckdb": lambda db, at: db.sql(f"select * from '{at}/*.parquet'").to_arrow_table().to_pydict(),
    "datasets": lambda ds, at: ds.load_dataset(str(at), cache_dir=str(at.parent / "x"))["train"][:],
}


@pytest.mark.parametrize("name", READERS)
def test_other_libraries_read_the_columns(folder, games, name):
    library = pytest.importorskip(name, reason=f"{name} is not installed")
    columns = READERS[name](library, folder)
    assert list(columns) == [*storage.COLUMNS, "luck"]
    assert list(columns["deal"]) == games.deals.tolist()
    assert [list(one) for one in columns["actions"]] == [list(game.history) for game in games]


def test_games_are_a_sequence(games):
    assert [game.history for game in games] == [games[k].history for k in range(len(games))]
    assert games[-1].history == games[len(games) - 1].history
    for number in (8, -9):
        words = f"number of a game is {number}, expected one of 8 games"
        with pytest.raises(IndexError, match=words):
            games[number]
    with pytest.raises(ValueError, match=r"number of a game is 1\.5"):
        games[1.5]


def test_conversations_are_those_of_the_games(games, tmp_path):
    assert write_chat(games[2:4], tmp_path / "x.jsonl") == 6
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    names = ["random", "greedy", "greedy"]
    assert [(line["agent"], line["seat"]) for line in lines[:3]] == list(zip(names, range(3)))
    assert sum(len(line["moves"]) for line in lines[:3]) == games[2].ply
    assert lines[3]["deal"] == int(games.deals[3])
    assert lines[0]["messages"][0] == {"role": "system", "content": primer()}
    said = [iter(line["messages"][1:]) for line in lines[:3]]
    for now, action in games[2].plies():
        asked, reply = next(said[now.seat]), next(said[now.seat])
        assert asked == {"role": "user", "content": prompt(now, now.seat)}
        assert action_of(now, reply["content"]) == action
    assert not any(list(rest) for rest in said)
    found = luck_of(games[2])
    for seat, line in enumerate(lines[:3]):
        outcome = [line[name] for name in ("win_share", "score")]
        assert outcome == [games[2].win_shares()[seat], games[2].scores()[seat]]
        luck = [line["luck"][name] for name in ("win_share", "score")]
        assert luck == pytest.approx(found[:, seat].tolist())
    assert write_chat(games[2:3], Path(os.devnull)) == 3


def test_minari_has_one_seats_episodes(games, tmp_path, monkeypatch):
    minari = pytest.importorskip("minari", reason="Minari is not installed")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    assert to_minari(games, "cacao/test-v0", seat=1) == 8
    found = list(minari.load_dataset("cacao/test-v0").iterate_episodes())
    for episode, own in zip(found, games.episodes(seat=1), strict=True):
        seen, shown = episode.observations, own.observations
        np.testing.assert_array_equal(seen[:-1], shown)
        np.testing.assert_array_equal(seen[-1], shown[-1])  # one more than choices
        np.testing.assert_array_equal(episode.actions, own.actions)
        np.testing.assert_array_equal(episode.infos["action_mask"][:-1], own.action_masks)
        assert not episode.infos["action_mask"][-1].any()  # nobody is asked at the end
        assert episode.rewards.sum() == episode.rewards[-1] == pytest.approx(own.returns[-1])
        assert episode.terminations.tolist() == [False] * (len(own.actions) - 1) + [True]


@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")  # on one core
def test_workers_of_a_loader_share_the_games(games):
    data = pytest.importorskip("torch.utils.data", reason="the training extra is not installed")
    from cacao_env.data.torch import DecisionSet

    every = sorted(keys(games.decisions(batch=3)))  # compiled here, the workers have it too
    found = DecisionSet(games, batch=3)
    assert sorted(keys(found)) == every  # without a loader
    loader = data.DataLoader(found, batch_size=None, num_workers=2)
    batches = list(loader)
    assert sorted(keys(batches)) == every
    assert batches[0].observations.shape == (3, RECIPE.options.observation_size)
    halves = [DecisionSet(games, batch=3, part=(k, 2)) for k in range(2)]
    loaders = [data.DataLoader(half, batch_size=None, num_workers=2) for half in halves]
    for number, loader in enumerate(loaders):
        own = keys(games.decisions(batch=3, part=(number, 2)))
        assert sorted(keys(loader)) == sorted(own) != every


def test_the_command_makes_checks_shows_and_exports(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["data", "make", "random", "--deals", "2", "--seed", "5", "--workers", "1"]) == 0
    assert "runs/data/random-2p: 2 games" in capsys.readouterr().out
    assert main(["data", "check", "random-2p"]) == 0
    assert "random-2p: 2 games, " in capsys.readouterr().out
    assert main(["data", "info", "random-2p"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["seed"] == 5
    for decisions in ("turn", "explicit"):
        given = ["--deals", "1", "--decisions", decisions, "--workers", "1", "--out", decisions]
        assert main(["data", "make", "random", *given]) == 0
        assert load(Path(decisions))[0].decisions == decisions
    capsys.readouterr()
    folder = find("random-2p")
    found = storage.read_manifest(folder)
    storage.write_manifest(folder, {**found, "settings": {**found["settings"], "deals": 3}})
    assert main(["data", "check", "random-2p"]) == 1
    assert "has games of 2 deals, expected 3: the command that makes it" in capsys.readouterr().err
    shutil.copytree(folder, "expert-2p")
    assert find("expert-2p") == Path("expert-2p"), (
        "a folder of one's own comes before a shipped one"
    )
    table = load(folder).table
    sealed(folder, changed(table, "scores", put(1, 0, 99)), found)
    assert main(["data", "check", "random-2p"]) == 1
    assert "game 1 of deal 6 has scores" in capsys.readouterr().err
    sealed(folder, changed(table, "agents", put(1, 0, "x" * 99)), found)
    assert main(["data", "export", "random-2p", "--as", "records", "--out", "records"]) == 0
    names = [json.loads(file.read_text())["players"] for file in Path("records").iterdir()]
    assert ["x" * 60, "random"] in names
    sealed(folder, table, found)
    assert main(["data", "export", "random-2p", "--out", "x.jsonl"]) == 0
    assert len((tmp_path / "x.jsonl").read_text().splitlines()) == 4
    for words, why in (
        (["data", "make", "nobody"], "there is no agent 'nobody'"),
        (["data", "make", "random", "--deals", "0"], "--deals is 0"),
        (["data", "export", "random-2p"], "--out is missing"),
        (["data", "check", "x.jsonl"], "there are no games in"),
    ):
        assert main(words) == 1
        assert why in capsys.readouterr().err


def test_games_need_no_manifest_of_their_own(games):
    """Somebody's own table of deals and actions is replayed and shown like a data set."""
    own = Games(games.options, games.table.slice(2, 3), {})
    own.check()
    assert own[0] == games[2]
    assert own[-1] == games[4]
