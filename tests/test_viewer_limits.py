"""The limits of the page's server (the table in docs/viewer.md), each seen at work."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from cacao_env import Game
from cacao_env.agents.agent import Agent
from cacao_env.play import limits
from cacao_env.play.catalogue import Catalogue, SharedAgent
from cacao_env.play.limits import MAX_WAITING, Connection
from tests.browser import serving

JSON = {"Content-Type": "application/json"}


class Held(Agent):
    """An agent that thinks until it is told to stop."""

    name = "held"

    def __init__(self):
        self.began, self.go_on, self.asked = threading.Event(), threading.Event(), 0

    def act(self, games, memory):
        self.asked += 1
        self.began.set()
        assert self.go_on.wait(60)
        return [int(game.legal_actions()[0]) for game in games]


@pytest.fixture
def held():
    return Held()


@pytest.fixture
def port(held):
    catalogue = Catalogue()
    catalogue._agents["greedy"] = SharedAgent(held, None)
    with serving(catalogue) as address:
        yield urlsplit(address).port
        held.go_on.set()


def ask(port, path, body=None):
    data = None if body is None else json.dumps(body)
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as link:
        link.request("GET" if data is None else "POST", path, data, JSON if data else {})
        answer = link.getresponse()
        text = answer.read()
    return answer.status, json.loads(text) if text.startswith(b"{") else text


def begin(port):
    return ask(port, "/api/games", {"seats": ["greedy", "random"], "seed": 1})[1]["id"]


def test_while_an_agent_thinks_everything_else_is_answered_and_too_many_are_told_to_wait(
    port, held
):
    names = [begin(port) for _ in range(MAX_WAITING + 4)]
    with ThreadPoolExecutor(len(names)) as pool:
        first = pool.submit(ask, port, f"/api/games/{names[0]}/advance", {"ply": 0})
        assert held.began.wait(60)
        others = [
            pool.submit(ask, port, f"/api/games/{name}/advance", {"ply": 0}) for name in names[1:]
        ]
        refused = []
        while len(refused) < 3:
            refused = [one.result() for one in others if one.done()]
            assert ask(port, "/api/catalogue")[0] == 200
        assert all(
            status == 503 and "the server is busy" in answer["error"] for status, answer in refused
        )
        held.go_on.set()
        statuses = [one.result()[0] for one in (first, *others)]
    assert statuses.count(503) == 3
    assert statuses.count(200) == MAX_WAITING + 1


def test_an_analysis_waits_for_no_move(port, held):
    name, other = begin(port), ask(port, "/api/games", {"seats": ["human", "random"]})[1]["id"]
    with ThreadPoolExecutor(1) as pool:
        move = pool.submit(ask, port, f"/api/games/{name}/advance", {"ply": 0})
        assert held.began.wait(60)
        status, answer = ask(port, "/api/think", {"game": other, "ply": 0, "agent": "greedy"})
        assert (status, answer["agent"]) == (200, "greedy")
        assert ask(port, f"/api/games/{name}")[0] == 200, "the game itself can be looked at"
        assert not move.done()
        held.go_on.set()
        assert move.result()[0] == 200


def test_a_decision_whose_client_has_left_is_never_made(port, held):
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(ask, port, f"/api/games/{begin(port)}/advance", {"ply": 0})
        assert held.began.wait(60)
        name, body = begin(port), json.dumps({"ply": 0}).encode()
        left = socket.create_connection(("127.0.0.1", port))
        head = f"POST /api/games/{name}/advance HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        left.sendall(head.encode() + body)
        left.close()
        second = begin(port)  # asked after the one that left, so answered after it
        with ThreadPoolExecutor(1) as other:
            third = other.submit(ask, port, f"/api/games/{second}/advance", {"ply": 0})
            wait_until(lambda: not third.running() or held.asked == 1)
            threading.Event().wait(1.5)  # the server looks twice a second for clients that left
            held.go_on.set()
            assert (first.result()[0], third.result()[0]) == (200, 200)
    assert held.asked == 2
    assert ask(port, f"/api/games/{name}")[1]["length"] == 1


def test_a_decision_that_has_begun_is_made_once_though_its_client_has_left(port, held):
    name, body = begin(port), json.dumps({"ply": 0}).encode()
    head = f"POST /api/games/{name}/advance HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as left:
        left.sendall(head.encode() + body)
        assert held.began.wait(60)
    other = ask(port, "/api/games", {"seats": ["random", "random"]})[1]["id"]
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(ask, port, f"/api/games/{other}/advance", {"ply": 0})
        threading.Event().wait(1.5)  # the server looks twice a second for clients that left
        assert not second.done(), "one decision at a time, also after its client has left"
        held.go_on.set()
        assert second.result()[0] == 200
    assert held.asked == 1, "nobody makes it again"
    assert ask(port, f"/api/games/{name}")[1]["length"] > 1, "whoever comes back finds it played"


def test_decisions_that_fail_or_whose_clients_leave_make_room_for_others():
    class Client:
        def __init__(self, left):
            self.left = left

        async def is_disconnected(self):
            return self.left

    async def ask_many():
        queue, hold = limits.Thinking("test"), threading.Event()
        for _ in range(MAX_WAITING + 2):
            with pytest.raises(ZeroDivisionError):
                await queue.run(lambda: 1 // 0, Client(False))
        first = asyncio.create_task(queue.run(hold.wait, Client(False)))
        for _ in range(2):
            leaving = [queue.run(print, Client(True)) for _ in range(MAX_WAITING)]
            ended = await asyncio.gather(*leaving, return_exceptions=True)
            assert [type(one) for one in ended] == [limits.Gone] * MAX_WAITING
        hold.set()
        assert await first

    asyncio.run(ask_many())


def wait_until(condition):
    while not condition():
        threading.Event().wait(0.02)


def closed(link):
    """Whether the server closes a connection; it is given a minute."""
    link.settimeout(60)
    try:
        while link.recv(4096):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"GET"]
)
def test_a_connection_without_a_whole_request_is_closed(monkeypatch, port, sent):
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(sent)
        assert closed(link)
    assert ask(port, "/api/catalogue")[0] == 200


def test_a_connection_is_closed_after_an_answer_and_not_within():
    looks, closings = [], []
    connection = Connection.__new__(Connection)
    connection.cycle = SimpleNamespace(response_complete=False)
    connection.loop = SimpleNamespace(call_later=lambda _, look: looks.append(look))
    connection.transport = SimpleNamespace(
        close=lambda: closings.append(len(looks)), is_closing=lambda: bool(closings)
    )
    for _ in range(3):
        connection._close_if_idle()
    connection.cycle.response_complete = True
    connection._close_if_idle()
    assert closings == [3]


def test_a_second_request_that_never_ends_is_closed_as_well(monkeypatch, port):
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.2)
    whole = f"GET /api/catalogue HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(whole)
        assert link.recv(4096).startswith(b"HTTP/1.1 200")
        link.sendall(whole[:30])
        assert closed(link)


def test_a_body_that_never_ends_gets_a_sentence(monkeypatch, port):
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.2)
    head = (
        f"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    )
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(head.encode() + b"Content-Length: 900\r\n\r\n{")
        link.settimeout(60)
        answer = b"".join(iter(lambda: link.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"the request did not arrive in" in answer


def test_a_client_that_leaves_in_mid_body_is_no_error(port, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    head = (
        f"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    )
    reset = b"\1\0\0\0\0\0\0\0"  # linger for no time: the connection is torn, not closed
    for path, sent in (("games", 1), ("games", 15_000), ("records", 10), ("records", 900_000)):
        with socket.create_connection(("127.0.0.1", port)) as link:
            text = head.replace("/games", f"/{path}") + "Content-Length: 4000000\r\n\r\n{"
            link.sendall(text.encode() + b"x" * sent)
            if sent > 100:
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
    assert ask(port, "/api/catalogue")[0] == 200
    assert "Traceback" not in capfd.readouterr().err
    assert not [one for one in caplog.records if one.exc_info or one.levelno >= logging.ERROR]


def test_no_request_imports_a_module(monkeypatch, port):
    """A seat called criollo:Foo made the server import a module of the name criollo."""
    asked, original = [], importlib.import_module

    def watched(name, *more):
        asked.append(name)
        return original(name, *more)

    monkeypatch.setattr(importlib, "import_module", watched)
    for name in ("criollo:Foo", "os:path", "greedy:Foo", "criollo+search:Foo", "a.b:C"):
        assert ask(port, "/api/games", {"seats": [name, "random"]})[0] == 400
        body = {"agent": name, "game": "1", "ply": 0}
        assert ask(port, "/api/think", body)[0] in (400, 404)
    assert not {"criollo", "os", "greedy", "a.b"} & set(asked)


def test_too_many_connections_are_told_so(monkeypatch, port):
    links = [socket.create_connection(("127.0.0.1", port)) for _ in range(limits.MAX_CONNECTIONS)]
    try:
        assert ask(port, "/api/catalogue")[0] == 503
    finally:
        for one in links:
            one.close()
    wait_until(lambda: ask(port, "/api/catalogue")[0] == 200)


def test_networks_play_although_the_process_that_compiles_ahead_fails():
    class NoProcess:
        def compile(self, *_):
            raise OSError("no process can be started")

        def end(self):
            pass

    catalogue = Catalogue()
    catalogue.warm_up(NoProcess())
    game = Game.new(2, seed=0)
    agent = catalogue.agent("criollo")
    assert agent.act([game], [agent.begin(0)])[0] in game.legal_actions()
