"""The server: ``python -m cacao_env.text.openenv.server.app``, over HTTP, WebSocket and MCP."""

from __future__ import annotations

from typing import Any

from fastmcp import FastMCP
from openenv.core.env_server import create_app
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.types import EnvironmentMetadata, State

from cacao_env import __version__
from cacao_env.text.mcp import tools
from cacao_env.text.openenv.client import CacaoAction, CacaoObservation
from cacao_env.text.prompt import primer
from cacao_env.text.table import TextTable


class CacaoEnvironment(MCPEnvironment):
    """A seat against agents: ``reset``, ``step`` and ``state``; over MCP the tools of ``cacao mcp``."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        server = FastMCP("cacao")
        for tool in tools():
            server.tool(tool)
        super().__init__(server)
        self._state = State()
        self.reset()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        opponent: str = "greedy",
        seat: int = 0,
        reward: str = "win_share",
        **settings: Any,
    ) -> CacaoObservation:
        """Begin a game; ``settings`` are those of ``TextTable``, ``reward`` one of its rewards."""
        self._reward = reward
        self._table = TextTable(seed, opponent, seat, **{"decisions": "turn"} | settings)
        self._state = State(episode_id=episode_id)
        return self._seen(f"{primer()}\n\n")

    def _step_impl(
        self, action: CacaoAction, timeout_s: float | None = None, **more: Any
    ) -> CacaoObservation:
        self._state.step_count += 1
        refused = self._table.reply(action.message)
        return self._seen(f"{refused}\n\n" if refused else "")

    def _seen(self, before: str) -> CacaoObservation:
        reward = self._table.rewards(self._reward)[self._table.own]
        text = before + self._table.prompt()
        return CacaoObservation(text=text, reward=reward, done=self._table.over)

    @property
    def state(self) -> State:
        """The id of the episode and how many replies it has had; nothing of the game."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the environment's name and description."""
        about = "The board game Cacao in text, against agents."
        return EnvironmentMetadata(name="cacao", description=about, version=__version__)


app = create_app(CacaoEnvironment, CacaoAction, CacaoObservation, "cacao", max_concurrent_envs=1024)


def main(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve until interrupted."""
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
