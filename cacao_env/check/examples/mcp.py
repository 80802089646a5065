"""MCP: a client starts ``cacao mcp`` and plays a game through its tools."""

import asyncio
import sys

from mcp import Client, StdioServerParameters, stdio_client

from cacao_env.check.examples.stand_in import reply

SERVER = StdioServerParameters(command=sys.executable, args=["-m", "cacao_env", "mcp"])


async def play():
    """Play a hint first, and then as the model."""
    async with Client(stdio_client(SERVER)) as client:

        async def call(tool, **arguments):
            return (await client.call_tool(tool, arguments)).content[0].text

        tools = await client.list_tools()
        print("tools:", ", ".join(tool.name for tool in tools.tools))
        text = await call("new_game", opponents=["random"], seed=1, decisions="turn")
        game = text.split()[1].rstrip(".")
        best = (await call("hint", game=game)).splitlines()[0]
        text = await call("play", game=game, move=best.partition(" (")[0])
        while "The game is over" not in text:
            text = await call("play", game=game, move=reply(text))
        print(text.splitlines()[0])


asyncio.run(play())
