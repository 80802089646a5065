"""``python -m tests.mutants AREA --count 200 --seed 1``: mutants that the tests should kill.

Cosmic Ray makes the mutants (``pip install "cacao-env[mutants]"``).  The command samples places of an
area's modules, changes one at a time in a copy of the checkout, runs the area's tests until the first
failure and prints what survived.  Tests that name the changed module come first.  Results are kept in
``runs/mutants``, so a run that was stopped resumes.  A survivor is either equivalent, which a person
judges, or a hole in the tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 900  # seconds for the tests of one mutant; a mutant that takes longer counts as killed
# Decorators compile functions and do not change what they compute.
LEFT_OUT = ("core/RemoveDecorator",)


class Area(NamedTuple):
    """The modules of an area, the tests that should kill their mutants, and how they run."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    interpreted: bool = False


def _tests(names: str) -> tuple[str, ...]:
    files = [name if "/" in name else f"test_{name}.py" for name in names.split()]
    return tuple(f"tests/{name}" for name in files)


AREAS = {
    "engine": Area(
        ("cacao_env/engine/[!cjl]*.py", "cacao_env/game.py", "cacao_env/record.py"),
        _tests(
            "rules/ game record observation auto_decisions turn symmetry table_size golden"
            " against_reference invariants hidden_information interpreted"
        ),
        interpreted=True,
    ),
    "compiler": Area(("cacao_env/engine/[cjl]*.py",), _tests("jit")),
    "greedy": Area(("cacao_env/greedy/*.py",), _tests("bots candidates turn")),
    "agents": Area(
        ("cacao_env/agents/*.py", "cacao_env/agents/value/*.py"),
        _tests(
            "agents bots endgame features value tree search ordering analysis onnx trust same_choices"
        ),
    ),
    "envs": Area(
        ("cacao_env/envs/*.py",),
        _tests(
            "pettingzoo gym gym_vector saved_games threads equivalence forms conventions"
            " versus_agents open_spiel tasks candidates"
        ),
    ),
    "evaluation": Area(
        ("cacao_env/evaluation/*.py",),
        _tests(
            "summary regret judge ratings report sequential forecasts luck tally leaderboard tasks"
            " evaluate positions"
        ),
    ),
    "data": Area(("cacao_env/data/*.py",), _tests("data submissions")),
    "training": Area(
        ("training/*.py", "training/*/*.py"),
        _tests(
            "value_learning samples masked ppo loop sb3 runs afterstate training resume_trust exploit"
            " ship golden"
        ),
    ),
}


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


def sample(area: Area, count: int, seed: int) -> list[Mutant]:
    """Draw places of an area with equal probability, and one mutant for each."""
    places: dict[tuple[str, int, int], list[Mutant]] = {}
    for pattern in area.modules:
        for path in sorted(ROOT.glob(pattern)):
            module = path.relative_to(ROOT).as_posix()
            for (line, column), mutant in mutants_of(path, module):
                places.setdefault((module, line, column), []).append(mutant)
    rng = np.random.default_rng(seed)
    keys = sorted(places)
    found: list[Mutant] = []
    for i in rng.permutation(len(keys)):
        mutant = places[keys[i]][int(rng.integers(len(places[keys[i]])))]
        with suppress(SyntaxError):  # such a change needs no test
            ast.parse(mutated(mutant)[0])
            found.append(mutant)
        if len(found) == count:
            break
    return found


def compiled(path: Path, line: int) -> bool:
    """Return whether compiled code may depend on a line: it is outside of plain functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            names = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
            return bool(names & {"njit", "inlined"})
    return True


def tests_of(area: Area, module: str) -> list[str]:
    """Return an area's tests, those first whose name or text has the module's name."""
    stem = Path(module).stem

    def place(test: str) -> tuple[bool, bool]:
        file = ROOT / test
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        return stem not in file.stem, f"{stem} import" not in text

    return sorted((one for one in area.tests if (ROOT / one).exists()), key=place)


def cache_of(folder: Path) -> Path | None:
    """Return the folder of the compiled code of a copy; None if the package can't be imported."""
    program = "from cacao_env.engine.code_cache import FOLDER; print(FOLDER)"
    environment = dict(os.environ, XDG_CACHE_HOME=str(folder / ".cache"))
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return Path(done.stdout.strip()) if done.stdout else None


def run(area: Area, folder: Path, tests: list[str]) -> tuple[bool, str, float]:
    """Run tests in a copy; return whether they pass, the first failure, and the seconds."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    environment = dict(
        os.environ, XDG_CACHE_HOME=str(folder / ".cache"), HYPOTHESIS_PROFILE="quick"
    )
    environment |= {"NUMBA_DISABLE_JIT": "1"} if area.interpreted else {}
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [*command, *tests],
            cwd=folder,
            env=environment,
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


def try_out(area: Area, folder: Path, mutant: Mutant, cached: Path | None) -> dict[str, object]:
    """Change a copy, run the tests, restore the copy; return what came of it."""
    after, change = mutated(mutant)
    path = folder / mutant.module
    before = path.read_text(encoding="utf-8")
    path.write_text(after, encoding="utf-8")
    now = cache_of(folder)
    if cached and now and now != cached and not compiled(ROOT / mutant.module, mutant.line):
        shutil.copytree(cached, now, copy_function=os.link, dirs_exist_ok=True)
    fine, failed, seconds = run(area, folder, tests_of(area, mutant.module))
    path.write_text(before, encoding="utf-8")
    if now and now != cached:
        shutil.rmtree(now, ignore_errors=True)
    print("survived" if fine else "killed", f"{seconds:.0f} s", mutant.name, flush=True)
    return {"name": mutant.name, "change": change, "survived": fine, "by": failed}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("area", choices=AREAS)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    area = AREAS[given.area]
    kept = ROOT / "runs" / "mutants" / f"{given.area}-{given.seed}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    known = {row["name"]: row for row in map(json.loads, lines)}
    mutants = sample(area, given.count, given.seed)
    with tempfile.TemporaryDirectory() as place:
        folders: SimpleQueue[tuple[Path, Path | None]] = SimpleQueue()

        def prepare(number: int) -> bool:
            folder = Path(place) / str(number)
            left = shutil.ignore_patterns(
                ".git", ".venv*", "runs", "site", "__pycache__", ".*_cache"
            )
            shutil.copytree(ROOT, folder, ignore=left)
            fine, failed, seconds = run(area, folder, tests_of(area, ""))
            print(f"without a mutant: {seconds:.0f} s {failed}", flush=True)
            folders.put((folder, cache_of(folder)))
            return fine

        def one(mutant: Mutant) -> None:
            if mutant.name in known:
                return
            folder, cached = folders.get()
            row = try_out(area, folder, mutant, cached)
            folders.put((folder, cached))
            known[mutant.name] = row
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

        with ThreadPoolExecutor(given.jobs) as pool:
            if not all(pool.map(prepare, range(given.jobs))):
                print("the tests fail without a mutant")
                return 1
            list(pool.map(one, mutants))
    rows = [known[mutant.name] for mutant in mutants]
    survivors = [row for row in rows if row["survived"]]
    for row in survivors:
        print(f"survived: {row['name']}: {row['change']}")
    print(f"{given.area}: {len(rows) - len(survivors)} of {len(rows)} killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
