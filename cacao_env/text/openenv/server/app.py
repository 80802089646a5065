"""The server: ``python -m cacao_env.text.openenv.server.app``, over HTTP, WebSocket and MCP."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse
from fastmcp import FastMCP
from openenv.core.env_server import create_app
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.types import EnvironmentMetadata, State

from cacao_env import __version__
from cacao_env.checks import check_choice
from cacao_env.text.mcp import tools
from cacao_env.text.openenv.client import CacaoAction, CacaoObservation
from cacao_env.text.prompt import primer
from cacao_env.text.table import REWARDS, TextTable

TOOLS = tools()  # of games that all environments share, for a request may have one of its own


class CacaoEnvironment(MCPEnvironment):
    """A seat against agents: ``reset``, ``step`` and ``state``; over MCP the tools of ``cacao mcp``."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        server = FastMCP("cacao")
        for tool in TOOLS:
            server.tool(tool)
        super().__init__(server)
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
        check_choice("reward", reward, REWARDS)
        self._table = TextTable(seed, opponent, seat, **{"decisions": "turn"} | settings)
        self._reward, self._state = reward, State(episode_id=episode_id)
        return self._seen(f"{primer()}\n\n{self._table.prompt()}")

    def _step_impl(
        self, action: CacaoAction, timeout_s: float | None = None, **more: Any
    ) -> CacaoObservation:
        self._state.step_count += 1
        return self._seen(self._table.answer(action.message))

    def _seen(self, text: str) -> CacaoObservation:
        reward = self._table.rewards(self._reward)[self._table.own]
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
for kind in (TypeError, ValueError):  # a wrong setting
    app.add_exception_handler(kind, lambda _, error: JSONResponse({"detail": str(error)}, 422))


def main(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve until interrupted."""
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
