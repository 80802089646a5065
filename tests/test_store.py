"""Nothing lost: games on disk while they go on, saved games, names, tabs, reviews on request."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from http.client import HTTPConnection
from urllib.parse import urlsplit

from cacao_env import record
from cacao_env.engine.options import Options
from cacao_env.evaluation.judge import Judge
from cacao_env.evaluation.luck import WIN_SHARES, luck_of
from cacao_env.game import Game
from cacao_env.gold_sources import SOURCES, gold_by_source
from cacao_env.play import store
from cacao_env.play.catalogue import Catalogue
from cacao_env.play.review import (
    BLUNDER,
    INACCURACY,
    Reviewer,
    _decisions,
    review,
)
from cacao_env.play.store import MAX_OPEN, Changed, Games, Missing, folder_for
from cacao_env.play.table import HUMAN, Table
from tests.browser import serving


def played(seats, seed, turns=None, **options):
    """A table on which everybody plays; people take their first choice."""
    return play_on(Table(seats, seed, **options), turns)


def play_on(table, turns=None):
    while not table.game.over and (turns is None or table.game.turn < turns):
        if table.awaits_person:
            table.play(int(table.game.legal_actions()[0]))
        else:
            table.advance()
    return table


def ask(address, path, body=None):
    link = HTTPConnection("127.0.0.1", urlsplit(address).port, timeout=120)
    headers = {} if body is None else {"Content-Type": "application/json"}
    link.request("GET" if body is None else "POST", path, body and json.dumps(body), headers)
    answer = link.getresponse()
    text = answer.read().decode()
    link.close()
    return answer.status, json.loads(text)


def test_a_server_that_is_started_again_goes_on(tmp_path):
    with serving(Catalogue(folder=tmp_path)) as address:
        _, game = ask(address, "/api/games", {"seats": [HUMAN, "random"], "seed": 3})
        action = {"action": game["choices"][2]["action"], "ply": 0}
        _, after = ask(address, f"/api/games/{game['id']}/play", action)
    assert re.fullmatch(r"[\w-]{16}", game["id"]), "nobody guesses it"
    with serving(Catalogue(folder=tmp_path)) as address:
        _, found = ask(address, "/api/catalogue")
        assert [one["id"] for one in found["games"]] == [game["id"]]
        status, again = ask(address, f"/api/games/{game['id']}")
        assert status == 200
        assert again["frames"][1:] == after["frames"]
        assert (again["choices"], again["changes"]) == (after["choices"], after["changes"])
        status, answer = ask(address, "/api/games/AAAAAAAAAAAAAAAA")
        assert (status, answer["error"]) == (404, "there is no game 'AAAAAAAAAAAAAAAA' here")
        assert ask(address, "/api/games/..%2f..%2fetc")[0] == 404


def test_two_servers_on_one_folder_follow_each_other(tmp_path):
    with (
        serving(Catalogue(folder=tmp_path)) as one,
        serving(Catalogue(folder=tmp_path)) as two,
    ):
        _, game = ask(one, "/api/games", {"seats": [HUMAN, HUMAN], "seed": 3})
        path = f"/api/games/{game['id']}"
        assert [row["id"] for row in ask(two, "/api/catalogue")[1]["games"]] == [game["id"]]
        assert ask(two, path)[1]["choices"] == game["choices"]
        body = {"action": game["choices"][0]["action"], "ply": 0, "changes": 0}
        assert ask(one, f"{path}/play", body)[0] == 200
        other = body | {"action": game["choices"][5]["action"]}
        status, answer = ask(two, f"{path}/play", other)
        assert (status, "it has moved on" in answer["error"]) == (409, True)
        assert ask(two, f"{path}/changes")[1] == {"changes": 1}
        assert ask(two, path)[1]["frames"] == ask(one, path)[1]["frames"]
        ply = ask(two, path)[1]["length"] - 1
        assert ask(two, f"{path}/undo", {"ply": ply, "changes": 1})[0] == 200
        assert ask(one, path)[1]["choices"] == game["choices"]


def test_two_servers_that_play_at_the_same_moment_lose_no_move(tmp_path):
    """Both have read the game before either writes."""
    one, two = (Games(Catalogue().agent, tmp_path) for _ in range(2))
    name = one.add(Table([HUMAN, HUMAN], 3))
    first, second = one.get(name), two.get(name)
    legal = first.table.game.legal_actions()
    with first.lock, second.lock:
        first.table.play(int(legal[0]))
        second.table.play(int(legal[9]))
        one.save(name, first)
        with pytest.raises(Changed, match="another server has changed this game"):
            two.save(name, second)
    assert two.get(name).table.game == one.get(name).table.game == first.table.game


def test_where_games_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert folder_for(None) == tmp_path / "state" / "cacao_env" / "games"
    assert folder_for(str(tmp_path / "here")).is_dir()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert folder_for(None) is None, "then games are kept in memory"
    with pytest.raises(OSError, match="file"):
        folder_for(str(tmp_path / "file" / "games"))


def test_an_old_tab_plays_neither_in_another_position_nor_in_another_game(tmp_path):
    with serving(Catalogue()) as address:
        _, game = ask(address, "/api/games", {"seats": [HUMAN, HUMAN], "seed": 3})
        path, first = f"/api/games/{game['id']}", game["choices"][0]["action"]
        assert ask(address, f"{path}/play", {"action": first, "ply": 0, "changes": 0})[0] == 200
        ply = ask(address, path)[1]["length"] - 1
        assert ask(address, f"{path}/undo", {"ply": ply})[0] == 200
        body = {"action": first, "ply": 0, "changes": 0}  # the same ply, but time has passed
        status, answer = ask(address, f"{path}/play", body)
        assert status == 409
        assert "it has moved on" in answer["error"]
        assert ask(address, f"{path}/changes")[1] == {"changes": 2}


@pytest.mark.parametrize("folder", [True, False])
def test_memory_holds_few_tables_and_loses_no_game(tmp_path, folder, monkeypatch):
    games = Games(Catalogue().agent, tmp_path if folder else None)
    tables = {games.add(played(["random", "random"], s, 2)): s for s in range(MAX_OPEN + 4)}
    assert len(games.kept) == MAX_OPEN
    for name, seed in tables.items():
        assert games.get(name).table.game == played(["random", "random"], seed, 2).game
        assert len(games.kept) <= MAX_OPEN
    busy = games.get(next(iter(tables)))
    with busy.lock:  # a game that is being changed stays
        for name in tables:
            games.get(name)
        assert games.get(next(iter(tables))) is busy
    monkeypatch.setattr(store, "MAX_GAMES", 5)
    games.add(played(["random", "random"], 50, 2))
    assert len(games.unfinished()) == 5
    with pytest.raises(Missing, match="there is no game"):
        games.get(next(iter(tables)))


def test_finished_games_make_room_before_unfinished_ones(monkeypatch):
    monkeypatch.setattr(store, "MAX_GAMES", 3)
    games = Games(Catalogue().agent)
    first = games.add(played(["random", "random"], 1, 2))
    over = games.add(played(["random", "random"], 2))
    others = [games.add(played(["random", "random"], seed, 2)) for seed in (3, 4)]
    with pytest.raises(Missing, match="there is no game"):
        games.get(over)
    assert {name for name in (first, *others) if games.get(name)} == {first, *others}


def test_of_two_requests_at_once_for_one_position_one_is_answered():
    catalogue = Catalogue()
    with serving(catalogue) as address:
        _, game = ask(address, "/api/games", {"seats": [HUMAN, HUMAN], "seed": 3})
        opened, path = catalogue.games.get(game["id"]), f"/api/games/{game['id']}/play"
        body = {"action": game["choices"][0]["action"], "ply": 0}
        with ThreadPoolExecutor(2) as pool:
            with opened.lock:
                both = [pool.submit(ask, address, path, body) for _ in range(2)]
                threading.Event().wait(0.5)  # both have arrived
            assert sorted(one.result()[0] for one in both) == [200, 409]


def test_agents_of_one_checkpoint_share_its_network():
    catalogue = Catalogue()
    agents = [catalogue.agent("criollo"), catalogue.agent("criollo+search:ms=16")]
    agents.append(catalogue.thinker("criollo"))
    assert len({id(one._agent.net) for one in agents}) == 1


def test_a_saved_game_goes_on_where_it_was(tmp_path):
    table = played([HUMAN, "greedy", HUMAN], 5, 7, people=["Ana", "", "Bruno"])
    data = json.loads(json.dumps(table.saved()))
    with serving(Catalogue()) as address:
        status, game = ask(address, "/api/records", data)
        assert status == 200
        assert game["names"] == ["Ana", "greedy", "Bruno"]
        assert game["length"] == len(table.history) + 1
        for wrong, why in [
            ({"seats": [HUMAN, "nobody", HUMAN]}, "there is no agent 'nobody'"),
            ({"seats": [HUMAN]}, "seats are not those of its game"),
            ({"people": ["\n", "", ""]}, "expected 1 to 60 characters"),
            ({"seed": "x"}, "seed or changes"),
            ({"game": {}}, "not a saved game"),
            ({"version": 2}, "expected format 'cacao-saved-game', version 1"),
        ]:
            status, answer = ask(address, "/api/records", data | wrong)
            assert status == 400
            assert why in answer["error"]


def test_records_carry_names(tmp_path):
    table = played([HUMAN, "greedy"], 5, people=["Ana"])
    data = json.loads(record.dumps(table.record()))
    assert record.players_of(data) == ["Ana", "greedy"]
    assert record.check(data).scores() == table.game.scores()
    assert record.players_of(played([HUMAN, HUMAN], 5).record()) == ["player 1", "player 2"]
    for names, why in [
        (["Ana"], "expected a name for each of 2"),
        ("Ana", "expected a name for each of 2"),
        (["Ana", ""], "expected 1 to 60 characters"),
        (["Ana", "x" * 61], "expected 1 to 60 characters"),
        (["Ana", "a\nb"], "expected 1 to 60 characters"),
    ]:
        with pytest.raises(record.RecordError, match=why):
            record.check(data | {"players": names})
    del data["players"]
    record.check(data)


@pytest.mark.parametrize("seats", [2, 4])
def test_sources_add_up_at_every_position(seats):
    table = played(["greedy"] * seats, 2, volcanoes=seats > 2)
    for frame in table.history.frames:
        assert [sum(one.values()) for one in frame["sources"]] == [
            seat["score"] for seat in frame["seats"]
        ]
    final = [[one[name] for name in SOURCES] for one in table.history.frames[-1]["sources"]]
    assert final == gold_by_source(table.game.states, table.game.history).tolist()


def test_sources_add_up_after_undo():
    table = Table([HUMAN, HUMAN], 2)
    undone = 0
    while not table.game.over:
        before = table.history.frames[-1]["sources"]
        table.play(int(table.game.legal_actions()[-1]))
        if table.history.frames[-1]["sources"][0]["sales"] > before[0]["sales"] and undone < 3:
            table.undo()
            undone += 1
            assert table.history.frames[-1]["sources"] == before
            table.play(int(table.game.legal_actions()[-1]))
    assert undone == 3
    frame = table.history.frames[-1]
    assert [sum(one.values()) for one in frame["sources"]] == table.game.scores()


def test_edges_that_have_still_to_act_are_named():
    table = Table(["greedy", "greedy", "greedy"], 4)
    seen = set()
    while not table.game.over:
        table.advance()
        frame = table.history.frames[-1]
        if frame["phase"] == "act":
            own = [one for one in frame["pending"] if one["seat"] == frame["seat"]]
            acts = [table.game.move(int(a)) for a in table.game.legal_actions()]
            assert {(tuple(one["worker"]), one["edge"]) for one in own} >= {
                (move[1], move[2]) for move in acts
            }
            assert all(one["workers"] > 0 for one in frame["pending"])
            seen |= {one["seat"] == frame["seat"] for one in frame["pending"]}
        else:
            assert frame["pending"] == []
    assert seen == {True, False}


# --- Reviews --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reviewed():
    table = played(["greedy", "random"], 8)
    return table, review(table.history)


def test_a_review_finds_the_player_who_plays_at_random(reviewed):
    table, found = reviewed
    data = found.as_dict()
    json.dumps(data)
    greedy, random = data["seats"]
    assert random["mean_loss"] > 2 * greedy["mean_loss"]
    assert random["blunders"] > greedy["blunders"]
    for one in data["decisions"]:
        assert 0 <= one["low"] <= one["gold"] <= one["high"]
        assert (one["grade"] == "blunder") <= (one["gold"] >= BLUNDER)
        assert (one["grade"] == "inaccuracy") <= (one["gold"] >= INACCURACY)
        assert one["move"] == table.history.frames[one["ply"] + 1]["move"]
        assert sum(one["shares"]) == pytest.approx(1, abs=0.01)
        if one["gold"] == 0:
            assert one["grade"] == ""
    assert data["decisions"][-1]["exact"]
    assert not data["decisions"][0]["exact"]
    early = [one for one in data["decisions"] if not one["exact"] and one["seat"] == 1]
    assert sum(one["gold"] for one in early) > 10
    big = max(early, key=lambda one: one["gold"])
    _, game, action = next(row for row in _decisions(table.history) if row[0] == big["ply"])
    # A judge of another lineage, with more candidates and playouts, finds the same loss.
    other = Judge(["criollo"], game.options).by_playouts(game, action, 32, 128, 1)
    assert other.loss == pytest.approx(big["gold"], abs=2.5)
    worst = data["decisions"][random["worst"]]
    assert worst["gold"] == max(one["gold"] for one in data["decisions"] if one["seat"] == 1)
    assert data["result"] == table.game.win_shares()


def test_a_review_knows_nothing_hidden(reviewed):
    """The same decision is judged in the same way whatever the hidden tiles are."""
    table, _ = reviewed
    reviewer = Reviewer(table.game.options)
    ply, game, action = list(_decisions(table.history))[8]
    other = game.determinise(game.seat, 99)
    assert other.draws != game.draws
    assert reviewer.judged(ply, game, action) == reviewer.judged(ply, other, action)


def test_luck_is_the_luck_of_the_draw(reviewed):
    table, found = reviewed
    luck = luck_of(table.game)[WIN_SHARES]
    assert [seat.luck for seat in found.seats] == luck.tolist()
    assert abs(luck[0]) > 0.001


def test_without_a_network_there_is_no_review(monkeypatch):
    monkeypatch.setattr("cacao_env.evaluation.judge.shipped_names", list)
    with pytest.raises(ValueError, match="no value network is installed that judges 2 players"):
        Reviewer(Options())


def test_a_game_that_ended_again_is_reviewed_again(monkeypatch):
    catalogue = Catalogue()
    name = catalogue.games.add(played([HUMAN, "random"], 3))
    asked = []
    monkeypatch.setattr(catalogue.reviews, "ask", lambda key, _: asked.append(key) or {})
    with serving(catalogue) as address:
        for _ in range(2):
            assert ask(address, "/api/review", {"game": name})[0] == 200
        table = catalogue.games.get(name).table
        table.undo()
        play_on(table)
        assert ask(address, "/api/review", {"game": name})[0] == 200
    assert asked[0] == asked[1] != asked[2]


@pytest.fixture
def few_playouts(monkeypatch):
    """Reviews take seconds less."""
    monkeypatch.setattr("cacao_env.play.review.CHOOSING", 2)
    monkeypatch.setattr("cacao_env.play.review.COMPARING", 4)


@pytest.mark.usefixtures("few_playouts")
def test_a_game_is_reviewed_once_by_request():
    catalogue = Catalogue()
    table = played(["random", "random"], 3)
    name = catalogue.add_record(json.loads(record.dumps(table.record())), "a.json")
    unfinished = catalogue.games.add(Table(["random", "random"], 3))
    with serving(catalogue) as address:
        seen = set()
        while True:
            status, answer = ask(address, "/api/review", {"record": name})
            assert status == 200
            if answer["review"]:
                break
            seen.add(answer["done"])
        assert answer["review"] == review(table.history).as_dict()
        assert len(seen) > 2, "its progress is seen"
        status, answer = ask(address, "/api/review", {"game": unfinished})
        assert (status, answer["error"]) == (400, "only a finished game can be reviewed")
        assert ask(address, "/api/compiling") == (200, {})


@pytest.mark.usefixtures("few_playouts")
def test_the_command(tmp_path, capsys):
    from cacao_env.cli import main

    game = tmp_path / "game.json"
    assert main(["record", "--agents", "random,greedy", "--seed", "2", "--out", str(game)]) == 0
    assert main(["review", str(game), "--json", str(tmp_path / "review.json")]) == 0
    text = capsys.readouterr().out
    data = json.loads((tmp_path / "review.json").read_text())
    assert f"random: {data['seats'][0]['decisions']} decisions" in text
    assert text.count(", blunder: ") == sum(seat["blunders"] for seat in data["seats"])
    game.write_text("{}")
    assert main(["review", str(game)]) == 1
    assert "game.json: format is None" in capsys.readouterr().err


@pytest.mark.usefixtures("few_playouts")
def test_a_game_of_explicit_decisions_is_reviewed_where_something_was_decided():
    game = Game.new(2, 3, decisions="explicit")
    while not game.over:
        game.play(int(game.legal_actions()[0]))
    from cacao_env.play.history import History

    history = History.from_record(json.loads(record.dumps(record.record_of(game))))
    found = review(history)
    assert 20 < len(found.decisions) < len(history)
