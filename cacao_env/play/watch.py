"""The newest checkpoint of a run and an earlier one, for watching it learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ..agents.agent import Agent
from ..agents.registry import load_agent

NEWEST, EARLIER = "newest", "earlier"


def watched(folder: Path, named: Mapping[str, Agent]) -> Callable[[], Mapping[str, Agent]]:
    """Return a function that gives the agents by name, with what the run has saved by then.

    The earlier one is the checkpoint before the newest, or the only one.  AgentError if the folder
    has no checkpoint.
    """
    saved: list[tuple[int, Agent]] = []

    def agents() -> Mapping[str, Agent]:
        manifest = folder / "manifest.json"
        changed = manifest.stat().st_mtime_ns if manifest.exists() else 0
        if not saved or saved[-1][0] != changed:
            saved.append((changed, load_agent(str(folder))))
            del saved[:-2]
        return {NEWEST: saved[-1][1], EARLIER: saved[0][1], **named}

    return agents
