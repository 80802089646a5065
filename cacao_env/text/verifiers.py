"""An environment for verifiers, in which models take all seats: the taskset ``cacao-verifiers``."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any, Literal

import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.runtimes import ProgramResult

from ..engine.options import Decisions, Options
from ..render.text import LETTERS
from .prompt import primer
from .table import TRIES, TextTable


class CacaoData(vf.TaskData):
    """A deal: its seed and the options of the game."""

    seed: int
    options: dict[str, Any]


class CacaoTask(vf.Task[CacaoData]):
    """One deal; every seat is told the rules, and then each position that it decides."""


class CacaoTasksetConfig(vf.TasksetConfig):
    """Which deals are played: ``deals`` consecutive seeds from ``seed`` on."""

    deals: int = 100
    seed: int = 0
    num_players: int = 2
    volcanoes: bool = False
    decisions: Decisions = "turn"


class CacaoTaskset(vf.Taskset[CacaoTask, CacaoTasksetConfig]):
    """Deals of one kind of game."""

    def load(self) -> Iterable[CacaoTask]:
        """Yield the deals."""
        given = self.config
        options = Options(given.num_players, given.volcanoes, given.decisions)
        for seed in range(given.seed, given.seed + given.deals):
            data = CacaoData(seed=seed, options=options.as_dict(), system_prompt=primer())
            yield CacaoTask(data, given.task)


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model once for each message, in this process and without tools."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> ProgramResult:
        """Ask for the reply to the conversation so far."""
        system, messages = self.resolve_prompt(data)
        said = [{"role": "system", "content": system}, *map(message_to_wire, messages or [])]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0) as client:
            await client.chat.completions.create(model=ctx.model, messages=said)
        return ProgramResult(0, "", "")


# A model that runs nothing needs no sandbox.
_SEAT = vf.AgentConfig(runtime=vf.SubprocessConfig())


class CacaoEnvConfig(vf.EnvConfig):
    """The seats ``a`` to ``d`` in playing order; ``reward`` is ``win_share`` or ``gold``, less luck."""

    a: vf.AgentConfig = _SEAT
    b: vf.AgentConfig = _SEAT
    c: vf.AgentConfig = _SEAT
    d: vf.AgentConfig = _SEAT
    reward: Literal["win_share", "gold"] = "win_share"
    tries: int = TRIES
    failure: Literal["forfeit", "random"] = "forfeit"
    listed: bool = True


class CacaoEnv(vf.Env[CacaoEnvConfig]):
    """Plays a deal with a model on every seat, and rewards each seat's trace."""

    async def run(self, task: CacaoTask, agents: Any) -> None:
        """Play a game; a seat whose run ends before the game forfeits."""
        given = self.config
        how = {"tries": given.tries, "failure": given.failure, "listed": given.listed}
        table = TextTable(task.data.seed, **how, **task.data.options)
        async with AsyncExitStack() as stack:
            talks = [
                await stack.enter_async_context(getattr(agents, letter).interaction(task))
                for letter in LETTERS[: table.game.num_players].lower()
            ]
            shown = table.prompt()
            while (seat := table.seat) is not None:
                said = await talks[seat].turn(shown)
                if said.terminated:
                    table.forfeit()
                    break
                shown = table.answer(said.last_reply)
        for talk, reward, count in zip(talks, table.rewards(given.reward), table.refused):
            talk.trace.record_reward(given.reward, reward)
            talk.trace.record_metric("refused", float(count))
