"""The newest checkpoint of a run and an earlier one, for watching it learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock

from ..agents.agent import Agent
from ..agents.checkpoint import read_manifest
from ..agents.registry import load_agent

NEWEST, EARLIER = "newest", "earlier"


def watched(folder: Path, named: Mapping[str, Agent]) -> Callable[[], Mapping[str, Agent]]:
    """Return a function that gives the agents by name, with what the run has saved by then.

    The earlier one is the checkpoint before the newest, or the only one.  CheckpointError if the
    folder has none.
    """
    saved: list[tuple[str, Agent]] = []
    lock = Lock()  # threads of the server ask

    def agents() -> Mapping[str, Agent]:
        with lock:
            # Results that are added to a checkpoint's manifest make no new one.
            network = read_manifest(folder).get("sha256", "")
            if not saved or saved[-1][0] != network:
                saved.append((network, load_agent(str(folder))))
                del saved[:-2]
            return {NEWEST: saved[-1][1], EARLIER: saved[0][1], **named}

    return agents
