"""A learning benchmark: recipes trained for the same time with several seeds, and a page with curves.

    python -m training.benchmark --out benchmark
    python -m training.benchmark --out benchmark --minutes 5 --seeds 1 --recipes ppo-rows,afterstate
    python -m training.benchmark --out ablation --recipes ppo-rows,ppo-rows:past_fraction=0
    python -m training.benchmark --out offline --minutes 1 --recipes clone:data=greedy-2p
    python -m training.benchmark --out speedrun --minutes 1.5 --recipes afterstate --deals 1000 --jobs 1

Each recipe is a trainer's configuration, trained for ``--minutes`` with each seed and
measured against greedy on the same fresh deals.  A recipe may set keys of its configuration, after
colons, which shows what one setting brings.  ``--jobs`` runs train at once, on a core each; one alone
has all cores.  A benchmark that was stopped resumes: runs that are done are read, others resume from
their last save.  ``--page`` only writes the page again.  The default, four recipes, three seeds and
an hour each on two cores, takes a night: six hours and the measurements.
"""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from cacao_env.agents.checkpoint import CheckpointError, read_manifest
from cacao_env.checks import as_path
from cacao_env.evaluation.figures import share
from cacao_env.files import read_json, write_json, write_whole
from cacao_env.provenance import git_commit, machine
from cacao_env.tables import DataTable

from .config import ConfigError
from .curves import COLOURS
from .loop import parser_of, run_command
from .run_folder import read_metrics
from .state import STATE

CONFIGS = Path(__file__).parent.parent / "configs"
PAGE, PICTURE, CURVES = "README.md", "curves.svg", "curves.csv"
OPPONENT, WINS = "greedy", "wins_greedy_2p"
_EVALUATIONS = 12  # periodic ones in a run


@dataclass(frozen=True)
class Recipe:
    """What is compared: a title, a trainer, its configuration, and keys of it that differ."""

    title: str
    trainer: str
    config: str
    keys: tuple[str, ...] = ()


RECIPES = {
    "afterstate": Recipe(
        "values of positions after a turn", "train_afterstate", "quickstart.toml", ("bars={}",)
    ),
    "sb3-raw": Recipe(
        "MaskablePPO, raw placements",
        "train_sb3",
        "maskable_ppo.toml",
        ("bars={}", "threads=1"),
    ),
    "sb3-rows": Recipe(
        "MaskablePPO, candidate rows", "train_sb3", "maskable_ppo_candidates.toml", ("threads=1",)
    ),
    "ppo-rows": Recipe("self-play PPO, candidate rows", "train_ppo", "ppo_candidates.toml"),
    "clone": Recipe("learning from a data set", "clone", "clone.toml"),
}

# What the benchmark sets, in the order of the values in ``Run.command``.
OWN = (
    *("name", "seed", "minutes", "save_minutes", "eval_minutes", "eval_games", "eval_opponents"),
    *("against", "deals"),
)


def recipe_of(name: str) -> Recipe:
    """Return the recipe with a name such as ``ppo-rows`` or ``ppo-rows:past_fraction=0``."""
    base, *keys = name.split(":")
    if base not in RECIPES:
        raise ConfigError(f"there is no recipe {base!r}; there are: {', '.join(RECIPES)}")
    for key in keys:
        if not re.fullmatch(r"[a-z_]+=[\w.\-/]+", key):
            raise ConfigError(
                f"recipe {name!r} sets {key!r}, expected key=value with a plain value"
            )
        if key.partition("=")[0] in OWN:
            raise ConfigError(
                f"recipe {name!r} sets {key!r}, but the benchmark sets that key itself"
            )
    recipe = RECIPES[base]
    title = ", ".join([recipe.title, *keys])
    return replace(recipe, title=title, keys=(*recipe.keys, *keys))


@dataclass(frozen=True)
class Run:
    """One recipe with one seed, in a folder of its own."""

    recipe: Recipe
    seed: int
    folder: Path

    @property
    def done(self) -> bool:
        """Whether it has been trained and measured."""
        try:
            return "results" in read_manifest(self.folder)
        except CheckpointError:
            return False

    def command(self, minutes: float, deals: int) -> list[str]:
        """Return the command that begins or resumes it."""
        start = [sys.executable, "-m", f"training.{self.recipe.trainer}"]
        if (self.folder / STATE).exists():
            return [*start, "--resume", str(self.folder)]
        against = f'["{OPPONENT}"]'
        values = (
            *(self.folder.parent.name, self.seed, minutes, min(4.0, minutes / 4)),
            *(minutes / _EVALUATIONS, 200, against, against, deals),
        )
        own = (f"{key}={value}" for key, value in zip(OWN, values, strict=True))
        keys = [*self.recipe.keys, *own]
        sets = [part for key in keys for part in ("--set", key)]
        config = ["--config", str(CONFIGS / self.recipe.config)]
        return [*start, *config, "--out", str(self.folder), "--overwrite", *sets]

    def train(self, minutes: float, deals: int) -> None:
        """Train and measure it, if that is not done; ConfigError if its command fails."""
        if self.done:
            return
        name = f"{self.folder.parent.name}, seed {self.seed}"
        print(f"{name}: training", flush=True)
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        command = self.command(minutes, deals)
        found = subprocess.run(command, env=environment, capture_output=True, text=True)
        if found.returncode != 0:
            lines = found.stderr.strip().splitlines() or [f"exit status {found.returncode}"]
            raise ConfigError(f"{name}: {lines[-1]}")
        print(f"{name}: done", flush=True)

    def result(self) -> dict[str, Any]:
        """Return the final result against greedy."""
        result: dict[str, Any] = read_manifest(self.folder)["results"][0]
        return result


def _take_core(numbers: Iterator[int]) -> None:
    """Confine this thread, and the runs that it starts, to a core of its own where the system can."""
    with suppress(AttributeError):  # only Linux can
        own = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {own[next(numbers) % len(own)]})


def runs_in(folder: Path, names: Sequence[str], seeds: int) -> list[Run]:
    """Return all runs, seed by seed, so that a benchmark cut short has something of each recipe."""
    return [
        Run(recipe_of(name), seed, folder / name.replace(":", "_") / f"seed{seed}")
        for seed in range(seeds)
        for name in names
    ]


# --- The page ---------------------------------------------------------------------------------


def page(runs: Sequence[Run], settings: Mapping[str, Any]) -> str:
    """Return the text of the page."""
    done = [run for run in runs if run.done]
    rows = []
    for recipe in dict.fromkeys(run.recipe for run in done):
        own = [run for run in done if run.recipe == recipe]
        wins = np.array([run.result()["win_share"] for run in own])
        by_seed = ", ".join(share(run.result()) for run in own)
        last = [read_metrics(run.folder)[-1] for run in own]
        speed = [row.get("decisions", row.get("samples", 0)) / row["seconds"] for row in last]
        rows.append(
            (
                recipe.title,
                len(own),
                f"{wins.mean():.1%}",
                by_seed,
                f"{np.mean([row.get('games', 0) for row in last]):,.0f}",  # 0: from a data set
                f"{np.mean(speed):,.0f}",
            )
        )
    head = ("recipe", "seeds", "wins, mean", "wins by seed", "games", "decisions/s")
    blocks = {run.result()["blocks"] for run in done}
    measured = " or ".join(f"{count}" for count in sorted(blocks))
    return (
        "# Learning benchmark\n\n"
        f"Each recipe was trained for {settings['minutes']:g} minutes on {settings['cores']}, and "
        "measured against greedy "
        f"on {measured} deals that training had not seen, in both seats. `decisions/s` are those that "
        "were generated and learned from; values count samples.\n\n"
        f"{DataTable(head, rows).markdown()}\n\n"
        f"![wins over minutes and games]({PICTURE})\n\n"
        f"One line a seed: periodic evaluations of 200 games, which are also in {CURVES}. Written by "
        f"`python -m training.benchmark` at commit {git_commit() or 'unknown'} on "
        f"{machine()['processor']}.\n"
    )


def picture(runs: Sequence[Run]) -> bytes:
    """Return the curves as SVG: wins against greedy over minutes, and over games."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, key, label in zip(axes, ("seconds", "games"), ("minutes", "games"), strict=True):
        axis.set_xlabel(label)
        axis.set_ylim(0, 1)
        axis.grid(alpha=0.3)
        shown: dict[Recipe, str] = {}
        for run in runs:
            rows = [row for row in read_metrics(run.folder) if WINS in row and key in row]
            if not rows:
                continue
            new = run.recipe not in shown
            colour = shown.setdefault(run.recipe, COLOURS[len(shown) % len(COLOURS)])
            along = np.array([row[key] for row in rows]) / (60 if key == "seconds" else 1)
            wins = [row[WINS] for row in rows]
            name = run.recipe.title if new else None
            axis.plot(along, wins, color=colour, linewidth=1.2, alpha=0.9, label=name)
        if shown:
            axis.legend(fontsize=8, loc="lower right")
    axes[1].set_xscale("log")
    axes[0].set_ylabel("wins against greedy")
    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "cacao"}):  # the same bytes for the same runs
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def curves(runs: Sequence[Run]) -> str:
    """Return the curves as CSV: a row for each periodic evaluation of each run."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("recipe", "seed", "seconds", "games", "wins", "half_width"))
    for run in runs:
        for row in read_metrics(run.folder):
            if WINS in row:
                cells = [row.get(key) for key in ("seconds", "games", WINS, f"{WINS}_half_width")]
                writer.writerow((run.recipe.title, run.seed, *cells))
    return out.getvalue()


def write_page(folder: Path, runs: Sequence[Run], settings: Mapping[str, Any]) -> None:
    """Write page and curves of the runs that are done."""
    if any(run.done for run in runs):
        write_whole(folder / CURVES, curves(runs))
        write_whole(folder / PICTURE, picture(runs))
        write_whole(folder / PAGE, page(runs, settings))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = parser_of("benchmark", __doc__)
    parser.add_argument(
        "--out", metavar="FOLDER", default="benchmark", help="the folder of all runs"
    )
    parser.add_argument(
        "--recipes",
        default=",".join(name for name in RECIPES if name != "clone"),
        help="names, with commas between; name:key=value sets a key",
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=60.0, help="of training, each run")
    parser.add_argument(
        "--deals", "--blocks", type=int, default=300, help="deals of the final measurement"
    )
    parser.add_argument("--jobs", type=int, default=2, help="runs at once, a core each")
    parser.add_argument("--page", action="store_true", help="only write the page again")
    options = parser.parse_args(arguments)

    def work() -> int:
        names = options.recipes.split(",")
        if len(set(names)) < len(names):
            raise ConfigError(f"recipes is {options.recipes!r}, which has a recipe twice")
        for key, least in (("seeds", 1), ("deals", 1), ("jobs", 1), ("minutes", 1e-9)):
            if not getattr(options, key) >= least:
                raise ConfigError(f"{key} is {getattr(options, key)}, expected more than 0")
        folder = as_path(options.out)
        runs = runs_in(folder, names, options.seeds)
        folder.mkdir(parents=True, exist_ok=True)
        limits = {"minutes": options.minutes, "deals": options.deals}
        settings = limits | {"cores": "one core" if options.jobs > 1 else "all cores"}
        settings = _settings(folder / "benchmark.json", settings, options.page)
        confine = _take_core if options.jobs > 1 else next  # which confines nothing
        if not options.page:
            with ThreadPoolExecutor(
                options.jobs, initializer=confine, initargs=(count(),)
            ) as pool:  # after an error it begins no other run
                for _ in pool.map(lambda run: run.train(**limits), runs):
                    write_page(folder, runs, settings)
        write_page(folder, runs, settings)
        print(
            f"{sum(run.done for run in runs)} of {len(runs)} runs are done; page: {folder / PAGE}"
        )
        return 0

    return run_command(work, "; the same command resumes the benchmark")


def _settings(path: Path, given: dict[str, Any], page: bool) -> dict[str, Any]:
    """Return the settings of a benchmark, which are written if it is new.

    ConfigError if the folder has a benchmark with others, unless only its ``page`` is written.
    """
    if not path.exists():
        write_json(path, given)
    there: dict[str, Any] = read_json(path, "the settings of a benchmark", ConfigError)
    if there != given and not page:
        raise ConfigError(f"{path.parent} has a benchmark with {there}, not with {given}")
    return there


if __name__ == "__main__":
    sys.exit(main())
