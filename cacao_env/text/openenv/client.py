"""The client of the OpenEnv environment, and what it exchanges with the server."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import Action, Observation, State


class CacaoAction(Action):
    """A reply, which states a move."""

    message: str


class CacaoObservation(Observation):
    """What the seat sees, after the reason if its reply was refused."""

    text: str = ""


class CacaoEnv(EnvClient[CacaoAction, CacaoObservation, State]):
    """A connection that plays one game after another; ``reset`` takes the server's settings."""

    def _step_payload(self, action: CacaoAction) -> dict[str, Any]:
        return {"message": action.message}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[CacaoObservation]:
        reward, done = payload.get("reward"), payload.get("done", False)
        text = payload["observation"]["text"]
        return StepResult(CacaoObservation(text=text, reward=reward, done=done), reward, done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
