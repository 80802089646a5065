"""Tiny runs of every learner: whole, and killed in its last round and resumed by the command."""

import importlib
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.runs import RUNS
from training.config import RunConfig, from_dict
from training.loop import Loop
from training.run_folder import read_metrics

SHORT = {"eval_games": 4, "eval_rounds": 2, "against": ["random"], "deals": 1}


@dataclass(frozen=True)
class Tiny:
    """A finished run: its learner's class, its configuration and its folder."""

    kind: Any
    config: RunConfig
    folder: Path

    @property
    def rows(self) -> list[dict[str, Any]]:
        return read_metrics(self.folder)


def settings(name: str) -> tuple[Any, RunConfig]:
    """The learner of a golden run and its configuration for two rounds, on CUDA where there is one."""
    kind, config, given = RUNS[name]
    given = {key: value for key, value in given.items() if key != "device"}
    limit = {"rounds": 2} if "rounds" in given else {"steps": 256}
    return kind, from_dict(config, given | limit | SHORT)


def run(name: str, folder: Path) -> Tiny:
    kind, config = settings(name)
    np.random.seed(1)  # noqa: NPY002  # somebody used NumPy's generator before
    with closing(kind(config)) as learner:
        learner.start()
        assert Loop(learner, folder).run()
    return Tiny(kind, config, folder)


def resumed(name: str, folder: Path) -> Tiny:
    """Train two rounds of which the first is saved, as a killed run has it; resume by the command."""
    kind, config = settings(name)
    np.random.seed(2)  # noqa: NPY002
    with closing(kind(config)) as learner:
        learner.start()
        with closing(Loop(learner, folder)) as loop:
            loop.round()
            loop.save()
            loop.round()
    assert importlib.import_module(f"training.{kind.command}").main(["--resume", str(folder)]) == 0
    return Tiny(kind, config, folder)
