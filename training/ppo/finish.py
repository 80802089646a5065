"""The measurement at the end of a run."""

from __future__ import annotations

from pathlib import Path

from cacao_env.agents.board_agent import BoardAgent
from cacao_env.agents.checkpoint import add_to_manifest
from cacao_env.agents.registry import load_agent
from cacao_env.evaluation.evaluate import measure
from cacao_env.evaluation.summary import Result

from .checkpoint import load
from .config import BoardConfig


def evaluate(config: BoardConfig, folder: Path) -> list[Result]:
    """Measure the checkpoint in ``folder`` on deals that training has not seen."""
    agent = BoardAgent(load(folder))
    results = [
        measure(
            agent,
            load_agent(name),
            config.num_players,
            config.volcanoes,
            config.blocks,
            config.evaluation_seed,
        )
        for name in config.against
    ]
    add_to_manifest(folder, results=[result.as_dict() for result in results])
    return results
