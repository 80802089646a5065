"""Kill trainers and the evaluator at any time, resume them, and compare with an uninterrupted run."""

import json
import tempfile
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from cacao_env.agents.registry import load_agent
from cacao_env.evaluation.run import make_plan, run_evaluation, settings
from cacao_env.evaluation.store import GAMES, Store
from tests.fuzz.attack import Budget, Summary, attempt
from tests.fuzz.kills import killed_after, killed_at

ROUNDS = 5  # of a run; then the next one begins
BLOCKS = 24
# A kill is at a random time, or at a random line of what writes.
FILES = (
    *("cacao_env/files.py", "agents/checkpoint.py", "evaluation/store.py", "pathlib.py"),
    *("training/loop.py", "training/state.py", "training/run_folder.py"),
)
MOST_LINES = 1500


class Trainer:
    """A tiny run of a trainer that saves after every round."""

    def __init__(self, name: str) -> None:
        from tests.golden.runs import RUNS
        from training.config import from_dict

        self.name = name
        self.kind, config, given = RUNS[name]
        limit = {"rounds": ROUNDS} if "rounds" in given else {"steps": 128 * ROUNDS}
        more = limit | {"save_minutes": 1e-9, "eval_minutes": 1e9, "against": ["random"]}
        self.config = from_dict(config, given | more)
        self.expected: list[dict[str, Any]] = []  # weights after each round

    def prepare(self) -> None:
        """Train without an interruption; what is compiled and imported here is so in all forks."""
        with closing(self.kind(self.config)) as learner:
            learner.start()
            while learner.progress < 1:
                learner.round()
                learner.rounds += 1
                self.expected.append({key: x.copy() for key, x in learner.weights().items()})

    def work(self, folder: Path) -> None:
        """Begin or resume the run, up to its end."""
        from training.loop import Loop, resumed
        from training.run_folder import RunFolder
        from training.state import STATE

        RunFolder.draw = lambda self: None  # type: ignore[method-assign]  # takes longer than a round
        new = not (folder / STATE).exists()
        learner = self.kind(self.config) if new else resumed(self.kind, folder)
        if new:
            learner.start()
        Loop(learner, folder).run()

    def done(self, folder: Path) -> int:
        """Rounds done; ValueError unless all that is in the folder is of an uninterrupted run."""
        from training.loop import resumed
        from training.run_folder import read_metrics
        from training.state import STATE

        if not (folder / STATE).exists():
            return 0
        logged = [row["round"] for row in read_metrics(folder)]
        with closing(resumed(self.kind, folder)) as learner:
            rounds, weights = learner.rounds, learner.weights()
        if logged[:rounds] != list(range(1, rounds + 1)) or len(logged) > rounds + 1:
            raise ValueError(f"{rounds} rounds are saved, but the metrics have {logged}")
        for key, array in self.expected[rounds - 1].items():
            if not np.array_equal(array, weights[key]):
                raise ValueError(f"{key} differs after round {rounds}")
        load_agent(str(folder))
        return rounds


class Evaluator:
    name = "evaluation"

    def __init__(self) -> None:
        self._plan = make_plan(["random", "greedy"], [2, 3], blocks=BLOCKS)
        self.expected: set[str] = set()

    def prepare(self) -> None:
        """Play it all once."""
        with tempfile.TemporaryDirectory() as name:
            self.work(Path(name))
            self.expected = self._rows(Path(name))

    def work(self, folder: Path) -> None:
        """Begin or resume the evaluation, up to its end."""
        with closing(Store(folder, settings(self._plan))) as store:
            run_evaluation(self._plan, store, 1)

    def _rows(self, folder: Path) -> set[str]:
        with closing(Store(folder, settings(self._plan))) as store:
            rows = [asdict(result) for result in store.results.values()]
        for row in rows:
            del row["timings"]
        return {json.dumps(row, sort_keys=True) for row in rows}

    def done(self, folder: Path) -> int:
        """Chunks played; ValueError if one differs from an uninterrupted run's."""
        if not (folder / GAMES).exists():
            return 0
        rows = self._rows(folder)
        if rows - self.expected:
            raise ValueError("games differ from those of an uninterrupted run")
        return len(rows)


def attack(budget: Budget) -> Summary:
    """Kill each trainer and the evaluator in turn, each time further on in its run."""
    rng, summary = budget.rng(), Summary()
    victims: list[Any] = [Evaluator()]
    try:
        victims += [Trainer(name) for name in ("afterstate", "ppo-rows", "sb3")]
    except ImportError:
        summary.notes.append("the trainers are left out: the training extra is not installed")
    kills, ended = dict.fromkeys([one.name for one in victims], 0), 0
    with tempfile.TemporaryDirectory() as name:
        lasts = []  # seconds that a whole run takes
        for victim in victims:
            victim.prepare()
            begin = time.monotonic()
            killed_after(lambda v=victim: v.work(Path(name) / f"whole {v.name}"), None)
            lasts.append(time.monotonic() - begin)
        folders = [Path(name) / f"{number}-0" for number in range(len(victims))]
        reached = [0] * len(victims)
        for number in budget:
            which = number % len(victims)
            victim, folder = victims[which], folders[which]

            def work(victim: Any = victim, folder: Path = folder) -> None:
                victim.work(folder)

            if rng.random() < 0.5:
                killed_at(work, int(rng.integers(MOST_LINES)), FILES)
            else:
                killed_after(work, lasts[which] * rng.random())
            kills[victim.name] += 1
            done = attempt(summary, number, lambda v=victim, f=folder: v.done(f))
            if done is None or done < reached[which]:
                summary.faults.append(f"try {number}: {victim.name} lost what {folder.name} had")
            if done is None or done == len(victim.expected):
                ended += done is not None
                folders[which], done = Path(name) / f"{which}-{number + 1}", 0
            reached[which] = int(done)  # type: ignore[call-overload]
    each = ", ".join(f"{name} {count}" for name, count in kills.items())
    if ended == 0 and summary.tried > 40 * len(victims):
        summary.faults.append("no run reached its end")
    summary.notes.append(f"killed: {each}; {ended} runs reached their end")
    return summary
