"""The page: what its file is made of, and what the commands and the server for agents do with it."""

import gzip
import hashlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from unittest.mock import patch

import pytest

from cacao_env import Game
from cacao_env.agents.bots import Bot
from cacao_env.cli import main
from cacao_env.play import server as agent_server
from cacao_env.play.server import HOST, MAX_REQUEST, MAX_WAITING, AgentServer, described, page
from tests.agents_for_tests import Crowded
from tests.browser import BUILT, ROOT_PAGE, Page, begin, play_on
from tests.games import as_asked, recorded
from tests.sources import ROOT


def sources() -> list[Path]:
    """Every file that the page is made of, as build.mjs lists them."""
    rules = [ROOT / "docs" / "rules.md", *(ROOT / "docs/pictures/rules").iterdir()]
    others = [ROOT_PAGE / name for name in ("package.json", "build.mjs", "page.html")]
    drawings = ROOT / "cacao_env" / "render" / "art.svg"
    network = ROOT / "checkpoints" / "trinitario" / "weights.safetensors"
    inside = [path for path in (ROOT_PAGE / "src").rglob("*") if path.is_file()]
    return [*inside, *others, *rules, drawings, network]


def test_the_page_is_what_its_sources_make():
    """Where a source has changed, run ``npm run build`` in cacao_env/play/page."""
    digest = hashlib.sha256()
    for path in sorted(sources(), key=lambda path: str(path.relative_to(ROOT).as_posix())):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    stated = re.search(r'<meta name="sources" content="(\w+)">', page())
    assert stated
    assert stated[1] == digest.hexdigest(), "the page is older than its sources: npm run build"


def test_an_agent_is_listed_with_all_that_it_plays():
    [about] = described({"crowded": Crowded()})
    assert about == {"name": "crowded", "players": [3, 4], "volcanoes": [False, True]}


def test_the_page_names_no_other_host_and_is_small():
    text = page()
    assert len(gzip.compress(text.encode(), 9)) <= 1_400_000
    names = set(re.findall(r"https?://([\w.-]+)", text))
    assert names <= {"www.w3.org"}, "an SVG's namespace is the only address"


def test_what_is_given_can_not_end_its_script():
    text = page(record="</script><script>alert(1)</script>")
    assert "<script>alert(1)" not in text
    assert text.count("</script>") == page().count("</script>")


# --- The command ----------------------------------------------------------------------------------


def test_a_page_with_a_record_is_written(tmp_path, capsys):
    (tmp_path / "g.json").write_text(recorded())
    target = tmp_path / "g.html"
    assert main(["view", str(tmp_path / "g.json"), "--export", str(target)]) == 0
    assert "opens in any browser" in capsys.readouterr().out
    given = re.search(r"globalThis\.CACAO_GIVEN=(\{.*?\});</script>", target.read_text())
    assert json.loads(json.loads(given[1])["record"])["format"] == "cacao-record"


def test_the_page_is_opened_as_a_file(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("cacao_env.cli.games.webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert main(["view"]) == 0
    assert len(opened) == 1
    assert Path(opened[0].removeprefix("file://")).read_bytes() == BUILT.read_bytes()
    assert main(["view", "--no-open"]) == 0
    assert len(opened) == 1


# --- The server for agents ------------------------------------------------------------------------


class Slow(Bot):
    """A bot that waits until it is let go."""

    def __init__(self) -> None:
        super().__init__("greedy")
        self.go, self.begun = threading.Event(), threading.Event()

    def act(self, games, memory):
        self.begun.set()
        assert self.go.wait(60)
        return super().act(games, memory)


class Broken(Slow):
    def act(self, games, memory):
        raise RuntimeError("it is\nbroken")


@contextmanager
def server_of(**agents: Bot) -> Iterator[AgentServer]:
    with AgentServer(agents, page(server={"agents": described(agents)}), 0) as served:
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            served.shutdown()
            thread.join(10)


@pytest.fixture
def serving() -> Iterator[AgentServer]:
    slow = Slow()
    with server_of(greedy=Bot("greedy"), mc=Bot("mc:sims=16"), slow=slow, broken=Broken()) as one:
        yield one
        slow.go.set()


def test_a_page_that_goes_away_leaves_no_trace(serving, capfd):
    link = socket.create_connection(serving.server_address)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset at close
    head = f"GET / HTTP/1.1\r\nHost: {HOST}:{serving.server_address[1]}\r\n\r\n"
    with (
        patch.object(serving, "page", "x" * 10_000_000),
        patch.object(agent_server._Handler, "_require_own", lambda handler: link.close()),
    ):
        link.sendall(head.encode())
        for _ in range(200):
            if link.fileno() < 0:
                break
            time.sleep(0.05)
    assert ask(serving, "/")[0] == 200
    assert capfd.readouterr().err == ""


def ask(served, path, body=None, **headers):
    link = HTTPConnection(HOST, served.server_address[1], timeout=120)
    data = body if body is None or isinstance(body, bytes) else json.dumps(body)
    link.request("GET" if body is None else "POST", path, data, headers)
    answer = link.getresponse()
    text = answer.read().decode()
    link.close()
    plain = answer.headers["Content-Type"].startswith("text")
    return answer.status, text if plain else json.loads(text)


def wish(game: Game, agent: str = "greedy"):
    return {**as_asked(game), "agent": agent, "seed": 1}


def test_a_game_comes_in_and_a_move_goes_out(serving):
    game = Game.new(2, 5)
    for _ in range(6):
        status, answer = ask(serving, "/api/choose", wish(game))
        assert status == 200
        assert answer == {"action": Bot("greedy").player(1).act(game)}
        game.play(answer["action"])
    status, found = ask(serving, "/api/analyze", wish(game, "mc"))
    assert status == 200
    assert found["seat"] == game.seat
    assert set(found["actions"]) <= set(game.legal_actions().tolist())
    status, text = ask(serving, "/")
    assert (status, "CACAO_GIVEN={" in text) == (200, True)


@pytest.mark.parametrize(
    ("change", "status", "why"),
    [
        ({"agent": "os:system"}, 404, "there is no agent 'os:system'; there are: greedy"),
        ({"seed": -1}, 400, "seed is not an integer"),
        ({"seed": True}, 400, "seed is not an integer"),
        ({"actions": [0, 0, 0]}, 400, "illegal action 0"),
        ({"actions": ["0"]}, 400, "action is '0' (str), expected an integer"),
        ({"deal": {}}, 400, "a game has options, a deal and actions: KeyError('worker_draws')"),
        ({"options": None}, 400, "a game has options, a deal and actions"),
        ({"agent": "broken"}, 500, "broken failed: RuntimeError: it is broken"),
    ],
)
def test_what_makes_no_sense_gets_one_sentence(serving, change, status, why):
    got, answer = ask(serving, "/api/choose", wish(Game.new(2, 5)) | change)
    assert (got, why in answer["error"]) == (status, True), answer


def test_requests_have_limits(serving):
    assert ask(serving, "/api/choose", b"x" * (MAX_REQUEST + 1))[0] == 413
    assert ask(serving, "/api/choose", b"{")[0] == 400
    assert ask(serving, "/api/choose", b"[]")[0] == 400
    assert ask(serving, "/api/nothing", {})[0] == 404
    assert ask(serving, "/etc/passwd")[0] == 404
    assert ask(serving, "/api/choose", wish(Game.new(2, 5)) | {"agent": ["x"]})[0] == 404
    assert ask(serving, "/api/choose", b"{}", **{"Content-Length": "9" * 5000})[0] == 413
    for header in ({"Host": "example.org"}, {"Origin": "http://example.org"}):
        assert ask(serving, "/", **header)[0] == 403
        assert ask(serving, "/api/choose", wish(Game.new(2, 5)), **header)[0] == 403


def test_too_many_moves_at_once_are_told_to_wait(serving):
    game, answers = Game.new(2, 5), []

    def one() -> None:
        answers.append(ask(serving, "/api/choose", wish(game, "slow"))[0])

    threads = [threading.Thread(target=one) for _ in range(MAX_WAITING)]
    for thread in threads:
        thread.start()
    slow = serving.agents["slow"]
    assert slow.begun.wait(60)
    while serving.room._value:  # until all of them wait
        time.sleep(0.01)
    assert ask(serving, "/api/choose", wish(game))[0] == 503
    assert ask(serving, "/")[0] == 200, "the page is served meanwhile"
    slow.go.set()
    for thread in threads:
        thread.join(60)
    assert answers == [200] * MAX_WAITING
    for _ in range(MAX_WAITING + 1):
        assert ask(serving, "/api/choose", wish(game) | {"actions": [10**6]})[0] == 400
    assert ask(serving, "/api/choose", wish(game))[0] == 200


def test_a_request_that_never_ends_is_closed(serving, monkeypatch):
    monkeypatch.setattr(agent_server._Handler, "timeout", 0.3)
    link = HTTPConnection(HOST, serving.server_address[1], timeout=60)
    link.putrequest("POST", "/api/choose")
    link.putheader("Content-Length", "10")
    link.endheaders()
    link.send(b"{")
    assert link.getresponse().status == 408
    link.close()


def test_the_page_plays_agents_of_the_command_line(browser):
    """A class of the user's own is a level; the page says that its first move takes a while."""
    slow = Slow()
    with server_of(mine=slow) as served:
        one = Page(browser, address=served.address)
        begin(one.page, seats=("mine", ""), seed=3)
        one.page.wait_for_selector(".decision:has-text('loaded and compiled')")
        slow.go.set()
        one.page.wait_for_selector("#confirm")
        assert "loaded and compiled" not in one.page.inner_text(".decision")
        begin(one.page, "mine", seed=3)
        play_on(one.page, 2)
        assert one.page.locator(".player .level").all_inner_texts() == ["mine"]
        one.page.wait_for_function("() => Number(document.getElementById('slider').max) > 2")
        assert one.problems == []
        one.context.close()
