"""Every door to another library, driven by its own client, as one kind of conversation.

A door plays one game: ``speak(prompt) -> reply`` is asked for each decision of the seats that are left
to text.  It returns what was shown, and every seat's share of the win where the library tells it.
"""

import asyncio
import importlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from cacao_env.text.mcp import TRIES
from cacao_env.text.table import TextTable
from cacao_env.text.trl import CacaoTools
from tests.text_players import Speak, chat_server

with suppress(ImportError):  # verifiers
    from cacao_env.text import cacao_verifiers

    sys.modules.setdefault("cacao_verifiers", cacao_verifiers)  # as in a wheel

Talk = list[tuple[str, str]]  # position, reply
Door = Callable[[Speak, int, int], tuple[Talk, Any]]  # (speak, seed, players)
TURN = {"decisions": "turn"}


def position(text: str) -> str:
    """The position in a text, without the primer and a refusal before it."""
    return text[text.rindex("You are ") :] if "You are " in text else text


def _talk(speak: Speak, text: str, reply: Callable[[str], str | None]) -> Talk:
    """Reply until ``reply`` returns None."""
    said: Talk = []
    shown: str | None = text
    while shown is not None:
        said.append((position(shown), speak(position(shown))))
        shown = reply(said[-1][1])
    return said


def core(speak: Speak, seed: int, players: int, **given: Any) -> tuple[Talk, Any]:
    """No door: what the others must show too."""
    table = TextTable(seed, num_players=players, **TURN | given)

    def reply(text: str) -> str | None:
        table.reply(text)
        return None if table.over else table.prompt()

    return _talk(speak, table.prompt(), reply), table.win_shares()


core_against_greedy = partial(core, opponents="greedy")
core_with_patience = partial(core, opponents="greedy", tries=TRIES)


def mcp_stdio(speak: Speak, seed: int, players: int) -> tuple[Talk, Any]:
    from mcp import Client, StdioServerParameters, stdio_client

    command = StdioServerParameters(command=sys.executable, args=["-m", "cacao_env", "mcp"])
    return asyncio.run(mcp_game(Client(stdio_client(command)), speak, seed, players))


def mcp_http(speak: Speak, seed: int, players: int) -> tuple[Talk, Any]:
    from mcp import Client

    with server_of("mcp-http") as port:
        return asyncio.run(mcp_game(Client(f"http://127.0.0.1:{port}/mcp"), speak, seed, players))


async def mcp_game(client: Any, speak: Speak, seed: int, players: int) -> tuple[Talk, Any]:
    """A game over MCP; a refused move is followed by ``look``."""

    async def call(tool: str, **given: Any) -> str:
        return (await client.call_tool(tool, given)).content[0].text

    async with client:
        shown = await call("new_game", players=players, seed=seed, **TURN)
        game = shown.split()[1].rstrip(".")
        said: Talk = []
        while "The game is over" not in shown:
            if "You are " not in shown:
                shown = await call("look", game=game)
            said.append((position(shown), speak(position(shown))))
            shown = await call("play", game=game, move=said[-1][1])
    return said, None


def trl(speak: Speak, seed: int, players: int) -> tuple[Talk, Any]:
    tools = CacaoTools(num_players=players)
    begin = tools.reset(seed=seed, prompt="from the data set")

    def reply(text: str) -> str | None:
        shown = tools.play(text)
        return None if "The game is over" in shown else shown

    return _talk(speak, begin, reply), tools.get_reward()


def openenv(speak: Speak, seed: int, players: int) -> tuple[Talk, Any]:
    from cacao_env.text.openenv.client import CacaoAction, CacaoEnv

    patience = {"connect_timeout_s": 120, "message_timeout_s": 120}
    with (
        server_of("openenv") as port,
        CacaoEnv(base_url=f"http://127.0.0.1:{port}", **patience).sync() as env,
    ):
        last = [env.reset(seed=seed, num_players=players)]

        def reply(text: str) -> str | None:
            last.append(env.step(CacaoAction(message=text)))
            return None if last[-1].done else last[-1].observation.text

        return _talk(speak, last[0].observation.text, reply), last[-1].reward


def verifiers(speak: Speak, seed: int, players: int) -> tuple[Talk, Any]:
    import verifiers.v1 as vf
    from verifiers.v1.clients import EvalClientConfig, ModelContext

    from cacao_env.text.verifiers import CacaoEnv, CacaoEnvConfig

    said: Talk = []

    def listen(text: str) -> str:
        said.append((text, speak(text)))
        return said[-1][1]

    async def play(address: str) -> Any:
        given = {"seed": seed, "deals": 1, "num_players": players}
        env = CacaoEnv(CacaoEnvConfig(taskset={"id": "cacao-verifiers", **given}))
        client = EvalClientConfig(base_url=address, api_key_var="OPENAI_API_KEY")
        context = ModelContext(model="stand-in", client=client, sampling=vf.SamplingConfig())
        async with env.serving():
            (task,) = env.taskset
            return await env.run_episode(task, context)

    with chat_server(listen, every_try=True) as (address, _):
        episode = asyncio.run(play(address))
    assert episode.ok, episode.errors
    traces = sorted(episode.traces, key=lambda trace: trace.agent.name)
    return said, [trace.rewards["win_share"].score for trace in traces]


# Which package each door needs, and what it must show: all seats in text, or one against greedy.
DOORS: dict[str, tuple[Door, str, Door]] = {
    "mcp-stdio": (mcp_stdio, "mcp", core_with_patience),
    "mcp-http": (mcp_http, "mcp", core_with_patience),
    "trl": (trl, "cacao_env", core_against_greedy),
    "openenv": (openenv, "openenv", core_against_greedy),
    "verifiers": (verifiers, "verifiers", core),
}


def installed(door: str) -> bool:
    with suppress(ImportError):
        return importlib.import_module(DOORS[door][1]) is not None
    return False


SERVERS = {
    "mcp-http": ("cacao_env", "mcp", "--http", "--port"),
    "openenv": ("uvicorn", "cacao_env.text.openenv.server.app:app", "--port"),
}


@contextmanager
def server_of(door: str) -> Iterator[int]:
    """The port of a door's server."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = int(one.getsockname()[1])
    server = subprocess.Popen(
        [sys.executable, "-m", *SERVERS[door], str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert server.poll() is None, "the server has ended"
            time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait(30)
