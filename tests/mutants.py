"""``python -m tests.mutants AREA --count 200 --seed 1``: mutants that the tests should kill.

Cosmic Ray makes the mutants (``pip install "cacao-env[test,mutants]"``).  The command first runs all
tests once and records which lines each of them runs.  Then it samples places of an area's modules,
changes one at a time in a copy of the checkout, and runs the tests that run the place, the quickest
first, until one fails.  Lines that are compiled are seen by tests that run them interpreted, so those
run interpreted here too.  Everything is kept in ``runs/mutants``: a run that was stopped resumes, and
tries survivors again.  A survivor is either equivalent, which a person judges, or a hole in the tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from coverage import CoverageData

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "runs" / "mutants"
PATIENCE = 900  # seconds for the tests of one mutant; a mutant that takes longer counts as killed
BUDGET = 300  # seconds that the tests of one mutant take without it, as many as fit
# Decorators compile functions and do not change what they compute.
LEFT_OUT = ("core/RemoveDecorator",)

AREAS = {
    "engine": ("cacao_env/engine/[!cjl]*.py", "cacao_env/game.py", "cacao_env/record.py"),
    "compiler": ("cacao_env/engine/[cjl]*.py",),
    "greedy": ("cacao_env/greedy/*.py",),
    "agents": ("cacao_env/agents/*.py", "cacao_env/agents/value/*.py"),
    "envs": ("cacao_env/envs/*.py",),
    "evaluation": ("cacao_env/evaluation/*.py",),
    "data": ("cacao_env/data/*.py",),
    "training": ("training/*.py", "training/*/*.py"),
}
# These run no Python of the package but the little that tests/test_page.py runs too.
IGNORED = ("tests/test_page_browser.py",)
INTERPRETED = (
    "tests/rules",
    "tests/test_against_reference.py",
    "tests/test_auto_decisions.py",
    "tests/test_bots.py",
    "tests/test_candidates.py",
    "tests/test_game.py",
    "tests/test_golden.py",
    "tests/test_hidden_information.py",
    "tests/test_interpreted.py",
    "tests/test_invariants.py",
    "tests/test_observation.py",
    "tests/test_symmetry.py",
    "tests/test_table_size.py",
    "tests/test_turn.py",
)


class Mutant(NamedTuple):
    """A change of one place: its module, its operator and which of the operator's places it is."""

    module: str
    line: int
    operator: str
    occurrence: int

    @property
    def name(self) -> str:
        return f"{self.module}:{self.line} {self.operator}#{self.occurrence}"


def mutants_of(path: Path, module: str) -> Iterator[tuple[tuple[int, int], Mutant]]:
    """Yield every mutant of a module with the position of its change."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names

    tree, left = get_ast_from_path(path), annotations(path)
    for name in operator_names():
        kind = get_operator(name)
        if name in LEFT_OUT or kind.arguments():
            continue
        occurrence = 0
        for node in ast_nodes(tree):
            for begin, _ in kind().mutation_positions(node):
                if not any(first <= begin < last for first, last in left):
                    yield begin, Mutant(module, begin[0], name, occurrence)
                occurrence += 1


def annotations(path: Path) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the spans of annotations, which nothing evaluates."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    found = [getattr(node, name, None) for node in nodes for name in ("annotation", "returns")]
    return [
        ((one.lineno, one.col_offset), (one.end_lineno or 0, one.end_col_offset or 0))
        for one in found
        if isinstance(one, ast.expr)
    ]


def sample(patterns: Sequence[str], count: int, seed: int, plain: bool) -> list[Mutant]:
    """Draw places of an area with equal probability, and one mutant for each.

    ``plain``: leave out the lines that are compiled.
    """
    places: dict[tuple[str, int, int], list[Mutant]] = {}
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            module = path.relative_to(ROOT).as_posix()
            for (line, column), mutant in mutants_of(path, module):
                if plain and compiled(path, line):
                    continue
                places.setdefault((module, line, column), []).append(mutant)
    rng = np.random.default_rng(seed)
    keys = sorted(places)
    found: list[Mutant] = []
    for i in rng.permutation(len(keys)):
        mutant = places[keys[i]][int(rng.integers(len(places[keys[i]])))]
        # A change that is no Python needs no test; Cosmic Ray fails at ``except module.Error``.
        with suppress(SyntaxError, AttributeError):
            ast.parse(mutated(mutant)[0])
            found.append(mutant)
        if len(found) == count:
            break
    return found


@cache
def compiled(path: Path, line: int) -> bool:
    """Return whether compiled code may depend on a line: it is outside of plain functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            names = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
            return bool(names & {"njit", "inlined"})
    return True


def statement(path: Path, line: int) -> range:
    """Return the lines of the innermost statement at a line; of a compound one, those of its head."""
    best = range(line, line + 1)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if node.lineno <= line <= last:
                best = range(node.lineno, last + 1)
    return best


class Seen(NamedTuple):
    """Which lines each test runs, and how many seconds each test takes."""

    data: CoverageData
    seconds: dict[str, float]

    def tests(self, module: str, lines: Iterable[int]) -> list[str]:
        """Return the tests that run one of the lines, or any line of the module if none does."""
        files = [one for one in self.data.measured_files() if one.endswith(f"/{module}")]
        file = min(files, key=len, default="")  # tests that copy the package make longer paths
        by_line = self.data.contexts_by_lineno(file) if file else {}

        def those(some: Iterable[int]) -> set[str]:
            contexts = {context for line in some for context in by_line.get(line, ())}
            return {context.rpartition("|")[0] for context in contexts} & set(self.seconds)

        found = sorted(those(lines) or those(by_line), key=lambda test: (self.seconds[test], test))
        total = np.cumsum([self.seconds[test] for test in found])
        return found[: max(int(np.searchsorted(total, BUDGET)), 1)]


def environment(place: Path, interpreted: bool) -> dict[str, str]:
    """Return what the tests of a copy run with: one cache of compiled code for all copies."""
    own = {"XDG_CACHE_HOME": str(place / ".cache"), "HYPOTHESIS_PROFILE": "quick"}
    return os.environ | own | ({"NUMBA_DISABLE_JIT": "1"} if interpreted else {})


def see(folder: Path, jobs: int, interpreted: bool) -> Seen:
    """Run the tests in a copy once, or read what an earlier run of the same files has seen."""
    from coverage import CoverageData

    name = KEPT / ("interpreted" if interpreted else "compiled")
    file, times = name.with_suffix(".coverage"), name.with_suffix(".json")
    if not times.exists():
        begin = time.monotonic()
        options = (
            "-vvv --durations=0 -p no:cacheprovider --cov=cacao_env --cov=training --cov-report="
        )
        command = [sys.executable, "-m", "pytest", *options.split(), "--cov-context=test"]
        done = subprocess.run(
            [
                *(*command, "-n", str(jobs), *(f"--ignore={one}" for one in IGNORED)),
                *(INTERPRETED if interpreted else ()),
            ],
            cwd=folder,
            env=environment(folder.parent, interpreted) | {"COVERAGE_FILE": str(file)},
            capture_output=True,
            text=True,
        )
        failed = set(re.findall(r"^(?:FAILED|ERROR) (\S+::.*?)(?: - .*)?$", done.stdout, re.M))
        seconds: dict[str, float] = {}
        for took, test in re.findall(r"^([\d.]+)s \w+ +(\S.*)$", done.stdout, re.M):
            if test not in failed:
                seconds[test] = seconds.get(test, 0.0) + float(took)
        print(f"{name.stem}: {len(seconds)} tests, {time.monotonic() - begin:.0f} s", flush=True)
        for test in sorted(failed):
            print(f"left out, because it fails without a mutant: {test}")
        times.write_text(json.dumps(seconds), encoding="utf-8")
    data = CoverageData(str(file))
    data.read()
    return Seen(data, json.loads(times.read_text(encoding="utf-8")))


def cache_of(folder: Path) -> Path | None:
    """Return the folder of the compiled code of a copy; None if the package can't be imported."""
    program = "from cacao_env.engine.code_cache import FOLDER; print(FOLDER)"
    command = [sys.executable, "-c", program]
    own = environment(folder.parent, False)
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True)
    return Path(done.stdout.strip()) if done.stdout else None


def run(folder: Path, tests: Sequence[str], interpreted: bool) -> tuple[bool, str, float]:
    """Run tests in a copy; return whether they pass, the first failure, and the seconds."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [*command, *tests],
            cwd=folder,
            env=environment(folder.parent, interpreted),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return False, "no end", time.monotonic() - begin
    lines = done.stdout.splitlines()
    failed = next((line for line in lines if line.startswith(("FAILED", "ERROR"))), "")
    return done.returncode == 0, failed, time.monotonic() - begin


def mutated(mutant: Mutant) -> tuple[str, str]:
    """Return the mutant's module, and its changed lines."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    before = (ROOT / mutant.module).read_text(encoding="utf-8")
    after = mutate_code(before, get_operator(mutant.operator)(), mutant.occurrence)
    pairs = zip(before.splitlines(), after.splitlines())
    return after, "; ".join(f"{a.strip()} -> {b.strip()}" for a, b in pairs if a != b)


def try_out(
    seen: Mapping[bool, Seen], folder: Path, mutant: Mutant, cached: Path | None
) -> dict[str, object]:
    """Change a copy, run the tests, restore the copy; return what came of it."""
    after, change = mutated(mutant)
    path = folder / mutant.module
    interpreted = compiled(ROOT / mutant.module, mutant.line)
    before = path.read_text(encoding="utf-8")
    tests = seen[interpreted].tests(mutant.module, statement(path, mutant.line))
    path.write_text(after, encoding="utf-8")
    now = None if interpreted else cache_of(folder)
    if cached and now and now != cached:  # no compiled code depends on the line
        now.mkdir(exist_ok=True)
        for one in cached.iterdir():
            with suppress(FileExistsError):
                os.link(one, now / one.name)
    fine, failed, seconds = run(folder, tests, interpreted) if tests else (True, "", 0.0)
    path.write_text(before, encoding="utf-8")
    if now and now != cached:
        shutil.rmtree(now, ignore_errors=True)
    state = "survived" if fine else "killed"
    print(f"{state} {seconds:.0f} s, {len(tests)} tests: {mutant.name}", flush=True)
    return {"name": mutant.name, "change": change, "survived": fine, "by": failed}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("area", choices=AREAS)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--plain", action="store_true", help="only lines that are not compiled")
    given = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{given.area}-{given.seed}.jsonl"
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    known = {row["name"]: row for row in map(json.loads, lines)}
    mutants = sample(AREAS[given.area], given.count, given.seed, given.plain)
    kinds = {compiled(ROOT / mutant.module, mutant.line) for mutant in mutants}
    folders: SimpleQueue[Path] = SimpleQueue()
    left = shutil.ignore_patterns(".git", ".venv*", "runs", "site", "__pycache__", ".*_cache")
    for number in range(given.jobs):
        folder = KEPT / f"copy-{number}"  # always the same, so compiled code is used again
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ROOT, folder, ignore=left)
        folders.put(folder)
    seen = {interpreted: see(folder, given.jobs, interpreted) for interpreted in kinds}
    warm_up = [sys.executable, "-m", "cacao_env", "warmup"]
    subprocess.run(warm_up, cwd=folder, env=environment(KEPT, False), check=True)
    cached = cache_of(folder)

    def one(mutant: Mutant) -> None:
        if mutant.name in known and not known[mutant.name]["survived"]:
            return
        own = folders.get()
        known[mutant.name] = row = try_out(seen, own, mutant, cached)
        folders.put(own)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(one, mutants))
    rows = [known[mutant.name] for mutant in mutants]
    survivors = [row for row in rows if row["survived"]]
    for row in survivors:
        print(f"survived: {row['name']}: {row['change']}")
    print(f"{given.area}: {len(rows) - len(survivors)} of {len(rows)} killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
