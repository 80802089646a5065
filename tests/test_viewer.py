"""The viewer's server: what it answers, what it refuses, and that a refusal changes nothing."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from cacao_env import record
from cacao_env.agents.agent import play_game
from cacao_env.agents.bots import Bot
from cacao_env.cli import main
from cacao_env.game import Game
from cacao_env.play.catalogue import Catalogue, Shelf
from cacao_env.play.limits import MAX_REQUEST
from cacao_env.play.page import page
from cacao_env.play.server import listening
from cacao_env.play.store import Missing
from cacao_env.record import MAX_BYTES
from tests.browser import serving

JSON = {"Content-Type": "application/json"}


def some_record(players=2, seed=0):
    game = play_game(Game.new(players, seed), [Bot("greedy").player(s) for s in range(players)])
    return json.loads(record.dumps(record.record_of(game)))


@pytest.fixture(scope="module")
def catalogue():
    one = Catalogue()
    one.add_record(some_record(3), "three.json")
    return one


@pytest.fixture(scope="module")
def port(catalogue):
    with serving(catalogue) as address:
        yield urlsplit(address).port


def first_record(catalogue):
    return next(iter(catalogue.records.kept))


@pytest.fixture
def ask(port, catalogue):
    """``ask(path, body, **headers)``: (status, answer, headers); record "1" is the first one."""

    def asking(path, body=None, method=None, raw=None, **headers):
        link = HTTPConnection("127.0.0.1", port, timeout=60)
        if isinstance(body, dict) and body.get("record") == "1":
            body = body | {"record": first_record(catalogue)}
        data = raw if raw is not None else None if body is None else json.dumps(body)
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        more = (JSON if data is not None else {}) | more
        link.request(method or ("GET" if data is None else "POST"), path, data, more)
        answer = link.getresponse()
        text = answer.read().decode()
        link.close()
        kind = answer.headers.get("Content-Type", "")
        return answer.status, json.loads(text) if "json" in kind else text, answer.headers

    return asking


def begin(ask, *seats, **more):
    status, game, _ = ask("/api/games", {"seats": list(seats), **more})
    assert status == 200, game
    return game


# --- What it answers ----------------------------------------------------------------------------


def test_the_page_has_all_it_needs_inside(ask):
    status, text, headers = ask("/")
    assert status == 200
    outside = [part for part in text.split('"') if part.startswith(("http:", "https:", "//"))]
    assert set(outside) <= {"http://www.w3.org/2000/svg"}, "a name, not an address to fetch from"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "{{" not in text.split("<script>")[0]


def test_the_library_lists_agents_records_and_games(ask, catalogue):
    _, found, _ = ask("/api/catalogue")
    assert {"greedy", "mc:sims=256", "random"} <= {agent["name"] for agent in found["agents"]}
    assert found["records"][0] == {"id": first_record(catalogue), "title": "three.json"}
    goes_on = begin(ask, "human", "random", seed=4)["id"]
    over = begin(ask, "random", "random", seed=4)["id"]
    table = catalogue.games.get(over).table
    while not table.game.over:
        ply = len(table.history)
        assert ask(f"/api/games/{over}/advance", {"ply": ply})[0] == 200
    listed = [game["id"] for game in ask("/api/catalogue")[1]["games"]]
    assert goes_on in listed
    assert over not in listed, "a finished game can't be continued"


def test_a_game_by_requests_alone_and_its_record_holds(ask):
    game = begin(ask, "human", "random", seed=4)
    name, frames = game["id"], game["frames"]
    while not game["over"]:
        ply = len(frames) - 1
        if game["awaits"] == "person":
            body = {
                "action": game["choices"][len(frames) % len(game["choices"])]["action"],
                "ply": ply,
            }
            status, game, _ = ask(f"/api/games/{name}/play", body)
        else:
            status, game, _ = ask(f"/api/games/{name}/advance", {"ply": ply})
        assert status == 200, game
        assert game["since"] == len(frames)
        frames += game["frames"]
        assert game["length"] == len(frames)
    assert ask(f"/api/games/{name}")[1]["frames"] == frames
    status, data, headers = ask(f"/api/games/{name}/record")
    assert status == 200
    assert "attachment" in headers["Content-Disposition"]
    assert record.check(data).scores() == [seat["score"] for seat in frames[-1]["seats"]]


def test_undo_by_request(ask):
    game = begin(ask, "human", "human", seed=4)
    first = game["choices"][0]["action"]
    _, after, _ = ask(f"/api/games/{game['id']}/play", {"action": first, "ply": 0})
    assert after["length"] > 1
    _, back, _ = ask(f"/api/games/{game['id']}/undo", {"ply": after["length"] - 1})
    assert back["length"] == 1
    assert back["choices"] == game["choices"]
    assert not back["can_undo"]


def test_an_analysis_of_a_record_and_of_a_game(ask, catalogue):
    body = {"record": "1", "ply": 0, "agent": "mc:sims=32,top=4"}
    status, analysis, _ = ask("/api/think", body)
    assert status == 200
    assert len(analysis["win_shares"]) == len(analysis["scores"]) == 3
    assert sum(move["visits"] for move in analysis["moves"]) >= 24
    assert sum(cell["weight"] for cell in analysis["cells"]) == pytest.approx(1, abs=0.01)
    game = begin(ask, "human", "random", seed=4)
    status, analysis, _ = ask("/api/think", {"game": game["id"], "ply": 0, "agent": "greedy"})
    words = {choice["words"] for choice in game["choices"]}
    assert status == 200
    assert {move["words"] for move in analysis["moves"]} <= words


def test_other_hands_are_hidden_while_a_game_is_in_play(ask):
    """Neither by the frames, nor by asking what an agent would do in another's place."""
    game = begin(ask, "human", "random", "human", seed=2)
    name, ply = game["id"], 0
    while game["awaits"] == "person" and game["frames"][-1]["seat"] == 0:
        body = {"action": game["choices"][0]["action"], "ply": ply}
        _, game, _ = ask(f"/api/games/{name}/play", body)
        ply = game["length"] - 1
    for frame in ask(f"/api/games/{name}")[1]["frames"][:-1]:
        assert all(seat["hand"] is None for seat in frame["seats"])
    status, answer, _ = ask("/api/think", {"game": name, "ply": ply, "agent": "greedy"})
    assert (status, answer) == (400, {"error": "this hand is hidden until the game is over"})
    text = json.dumps(ask(f"/api/games/{name}")[1])
    assert "draws" not in text


# --- What it refuses ----------------------------------------------------------------------------


def test_other_hosts_and_origins_are_refused(ask, port):
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", ""):
        status, answer, _ = ask("/api/catalogue", Host=host)
        assert status == 403
        assert "is not this server's" in answer["error"]
        assert ask("/", Host=host)[0] == 403
    for origin in ("http://evil.example", f"https://127.0.0.1:{port}", "null", "http://localhost"):
        status, answer, _ = ask("/api/games", {"seats": ["random", "random"]}, Origin=origin)
        assert status == 403
        assert "origin" in answer["error"]
    assert ask("/api/catalogue", Origin=f"http://127.0.0.1:{port}")[0] == 200
    assert (
        ask("/api/catalogue", Host=f"localhost:{port}", Origin=f"http://localhost:{port}")[0] == 200
    )


def test_long_and_foreign_messages_are_refused(ask):
    status, answer, _ = ask("/api/games", raw="x" * (MAX_REQUEST + 1))
    assert (status, answer["error"]) == (413, f"the request has more than {MAX_REQUEST} bytes")
    assert ask("/api/records", raw="x" * (MAX_BYTES + 1))[0] == 413
    assert ask("/api/games", raw="{}", Content_Type="text/plain")[0] == 415
    for raw in ("{", "[]", "null", '"x"', "[" * 9000):
        status, answer, _ = ask("/api/games", raw=raw)
        assert status == 400
        assert answer["error"].startswith("the request is not JSON") or "object" in answer["error"]
    assert ask("/api/games", raw=b"\xff\xfe\x00")[0] == 400


@pytest.mark.parametrize(
    ("path", "body", "status", "why"),
    [
        ("/api/games", {}, 400, "seats is not a list of names"),
        ("/api/games", {"seats": ["human"]}, 400, "1 seats are named, expected 2 to 4"),
        ("/api/games", {"seats": ["random", 5]}, 400, "seats is not a list of names"),
        ("/api/games", {"seats": ["random", "nobody"]}, 400, "there is no agent 'nobody' here"),
        ("/api/games", {"seats": ["random", "/etc"]}, 400, "there is no agent '/etc' here"),
        ("/api/games", {"seats": ["random", "../runs/x"]}, 400, "there is no agent"),
        ("/api/games", {"seats": ["random", "os:path"]}, 400, "there is no agent 'os:path' here"),
        ("/api/games", {"seats": ["random", "mc:sims=0"]}, 400, "sims of bot mc is '0'"),
        ("/api/games", {"seats": ["random", "mc:sims=900000"]}, 400, "sims is above 20000"),
        ("/api/games", {"seats": ["random", "mc:ms=600000"]}, 400, "ms is above 30000"),
        *(
            ("/api/games", {"seats": ["random", f"{agent}={budget}"]}, 400, "expected an integer")
            for agent in ("mc:sims", "mc:ms", "criollo+search:sims", "criollo+search:ms")
            for budget in ("300_001", "+300001", " 300001", "300001 ", "3e5", "٣٠٠٠٠١")
        ),
        ("/api/games", {"seats": ["random", "criollo+search:sims=20001"]}, 400, "sims is above"),
        ("/api/games", {"seats": ["random", "criollo+search:ms=30001"]}, 400, "ms is above 30000"),
        (
            "/api/games",
            {"seats": ["random", "criollo+search:sims=9,inner=256"]},
            400,
            "inner can't be chosen here",
        ),
        ("/api/games", {"seats": ["random", "criollo:Foo"]}, 400, "no agent 'criollo:Foo' here"),
        ("/api/games", {"seats": ["random", "criollo+search:Foo"]}, 400, "no parameter 'Foo'"),
        ("/api/games", {"seats": ["random"] * 2, "seed": "x"}, 400, "seed is not an integer"),
        ("/api/games", {"seats": ["random"] * 2, "volcanoes": 1}, 400, "volcanoes is neither"),
        ("/api/think", {"record": "1", "ply": 0}, 400, "agent is not a name"),
        ("/api/think", {"record": "1", "ply": 9999, "agent": "greedy"}, 400, "ply is 9999"),
        (
            "/api/think",
            {"record": "1", "ply": "0", "agent": "greedy"},
            400,
            "ply is not an integer",
        ),
        ("/api/think", {"record": "77", "ply": 0, "agent": "greedy"}, 404, "there is no record"),
        ("/api/think", {"ply": 0, "agent": "greedy"}, 404, "there is no game 'None' here"),
        ("/api/games/77/play", {"action": 1, "ply": 0}, 404, "there is no game '77' here"),
        ("/api/nothing", {}, 404, "nothing at this address"),
        ("/api/catalogue", {}, 405, "POST is not possible at this address"),
    ],
)
def test_wrong_requests_get_one_sentence(ask, path, body, status, why):
    got, answer, _ = ask(path, body)
    assert got == status
    assert why in answer["error"]
    assert "\n" not in answer["error"]


def test_an_illegal_request_changes_nothing(ask, catalogue):
    game = begin(ask, "human", "greedy", seed=4)
    table = catalogue.games.get(game["id"]).table
    before = table.game.clone()
    action = game["choices"][0]["action"]
    for what, body, why in [
        ("play", {"action": 1, "ply": 0}, "illegal action 1"),
        ("play", {"action": 10**12, "ply": 0}, "action is not an integer"),
        ("play", {"action": True, "ply": 0}, "action is not an integer"),
        ("play", {"action": action, "ply": 5}, "ply is 5, but the game is at 0"),
        ("play", {"action": action}, "ply is not an integer"),
        ("advance", {"ply": 0}, "no agent has to decide now"),
        ("undo", {"ply": 0}, "no decision of a person"),
    ]:
        status, answer, _ = ask(f"/api/games/{game['id']}/{what}", body)
        assert status == (409 if "but the game is at" in why else 400)
        assert why in answer["error"]
        assert table.game == before
        assert len(table.history) == 0


def test_no_file_is_served(ask):
    for path in ("/etc/passwd", "/../../etc/passwd", "/page.js", "/api/records/../../etc/passwd"):
        status, answer, _ = ask(path)
        assert status == 404
        assert "root:" not in json.dumps(answer)


def test_corrupt_records_get_one_sentence_and_are_not_kept(ask, catalogue):
    kept = len(catalogue.records.kept)
    good = some_record()
    wrong = json.loads(json.dumps(good))
    wrong["moves"][3]["player"] = 1 - wrong["moves"][3]["player"]
    for raw, why in [
        ("{", "not JSON"),
        ("[]", "not a game record"),
        (json.dumps(good | {"format": "x"}), "format is 'x'"),
        (json.dumps(wrong), "move 4 (moves[3])"),
        ("[" * 100_000, "not a game record"),
    ]:
        status, answer, _ = ask("/api/records", raw=raw)
        assert status == 400
        assert why in answer["error"]
    assert len(catalogue.records.kept) == kept
    status, answer, _ = ask("/api/records?title=good.json", raw=json.dumps(good))
    assert status == 200
    assert answer["title"] == "good.json"


def test_garbage_does_not_stop_it(ask, port):
    for garbage in (
        b"\x00\xff" * 500,
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\xff",
        b"A" * 100_000,
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
            try:
                link.sendall(garbage)
                link.settimeout(2)
                link.recv(1000)
            except (ConnectionError, TimeoutError):
                pass
    assert ask("/api/catalogue")[0] == 200


# --- Parts --------------------------------------------------------------------------------------


def test_it_listens_on_this_machine_alone():
    with listening(0) as one:
        assert one.getsockname()[0] == "127.0.0.1"
        port = one.getsockname()[1]
        with pytest.raises(ValueError, match=rf"port {port} can't be used: .*--port"):
            listening(port)
    with pytest.raises(ValueError, match="port 99999 can't be used"):
        listening(99_999)


def test_old_things_make_room():
    shelf = Shelf("game", 3)
    names = [shelf.add(str(number), number) for number in range(5)]
    assert [shelf.kept[name] for name in names[2:]] == [2, 3, 4]
    with pytest.raises(Missing, match="there is no game '1' here"):
        shelf.get("1")


def test_data_can_not_end_its_script():
    text = page("</title><script>alert(1)</script>", {"title": "</script><script>alert(2)"})
    assert "<script>alert" not in text
    assert "\\u003c/script" in text


def view(*arguments):
    command = [sys.executable, "-m", "cacao_env", "view", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


def test_the_command_refuses_in_one_sentence(tmp_path, capsys):
    bad, good = tmp_path / "bad.json", tmp_path / "good.json"
    bad.write_text("{}", encoding="utf-8")
    good.write_text(json.dumps(some_record()), encoding="utf-8")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, why in [
            ([str(tmp_path / "none.json"), "--port", "0"], "none.json: can't be read"),
            ([str(bad), "--port", "0"], "bad.json: format is None"),
            (["--agent", "nobody", "--port", "0"], "nobody"),
            (["--port", port], f"port {port} can't be used"),
            (
                [str(good), "--export", str(tmp_path / "x.txt")],
                "expected a file that ends in .html",
            ),
            (["--export", str(tmp_path / "x.html")], "--export shows one record, 0 are given"),
            ([str(good), "--export", str(tmp_path / "no" / "x.html")], "can't be written"),
        ]:
            if "--export" in arguments:
                status, said = main(["view", *arguments]), capsys.readouterr().err
            else:  # which lets another process compile
                run = view(*arguments)
                status, said = run.returncode, run.stderr
            assert status == 1, arguments
            assert why in said
            assert len([line for line in said.splitlines() if "compiling" not in line]) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["bad.json", "good.json"]
