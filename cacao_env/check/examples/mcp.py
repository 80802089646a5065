"""MCP: a client starts ``cacao mcp`` and plays a game through its tools."""

import asyncio
import sys

from mcp import Client, StdioServerParameters, stdio_client

from cacao_env.check.examples.stand_in import reply

SERVER = StdioServerParameters(command=sys.executable, args=["-m", "cacao_env", "mcp"])


async def play():
    """Take a hint back, and then play as the model."""
    async with Client(stdio_client(SERVER)) as client:

        async def call(tool, **arguments):
            return (await client.call_tool(tool, arguments)).content[0].text

        tools = await client.list_tools()
        print("tools:", ", ".join(tool.name for tool in tools.tools))
        text = await call("new_game", opponents=["random"], seed=1, decisions="explicit")
        game = text.split()[1].rstrip(".")
        best = (await call("hint", game=game)).splitlines()[0]
        assert best.partition(" (")[0] in await call("legal_moves", game=game)
        await call("play", game=game, move=best.partition(" (")[0])
        text = await call("take_back", game=game)
        assert text == await call("look", game=game)
        while "The game is over" not in text:
            text = await call("play", game=game, move=reply(text))
        print(text.splitlines()[0])


asyncio.run(play())
