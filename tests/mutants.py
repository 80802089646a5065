"""``python -m tests.mutants 'cacao_env/envs/*.py' tests/test_gym.py``: mutants that tests should kill.

Cosmic Ray makes the mutants (``pip install cosmic-ray``).  The command samples places of
the modules, changes one at a time in a copy of the checkout, and runs the tests there until one fails.
Compiled lines are changed with ``NUMBA_DISABLE_JIT=1`` alone, under which they run interpreted.  A
survivor is either equivalent, which a person judges, or a hole in the tests.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from cacao_env.engine.jit import COMPILED
from tests.sources import ROOT

PATIENCE = 900  # seconds for the tests of one mutant; a mutant that takes longer counts as killed
# Decorators compile functions and do not change what they compute.
LEFT_OUT = ("core/RemoveDecorator",)


class Mutant(NamedTuple):
    """A change of one place: its module, its operator and which of the operator's places it is."""

    module: str
    line: int
    operator: str
    occurrence: int

    def change(self) -> tuple[str, str]:
        """Return the changed module, and its changed lines."""
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        before = (ROOT / self.module).read_text(encoding="utf-8")
        after = mutate_code(before, get_operator(self.operator)(), self.occurrence)
        pairs = zip(before.splitlines(), after.splitlines())
        return after, "; ".join(f"{a.strip()} -> {b.strip()}" for a, b in pairs if a != b)


def mutants_of(module: str) -> Iterator[tuple[tuple[int, int], Mutant]]:
    """Yield every mutant of a module with the position of its change."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names

    tree, left = get_ast_from_path(ROOT / module), annotations(module)
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


@cache
def nodes_of(module: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))))


def annotations(module: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the spans of annotations, which nothing evaluates."""
    names = ("annotation", "returns")
    found = [getattr(node, name, None) for node in nodes_of(module) for name in names]
    return [
        ((one.lineno, one.col_offset), (one.end_lineno or 0, one.end_col_offset or 0))
        for one in found
        if isinstance(one, ast.expr)
    ]


def compiled(module: str, line: int) -> bool:
    """Return whether compiled code may depend on a line: it is outside of plain functions."""
    for node in nodes_of(module):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            names = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
            return bool(names & {"njit", "inlined"})
    return True


def sample(pattern: str, count: int, seed: int) -> Iterator[Mutant]:
    """Draw places of modules with equal probability, and yield one mutant for each."""
    places: dict[tuple[str, tuple[int, int]], list[Mutant]] = {}
    for path in sorted(ROOT.glob(pattern)):
        module = path.relative_to(ROOT).as_posix()
        for place, mutant in mutants_of(module):
            if not (COMPILED and compiled(module, mutant.line)):
                places.setdefault((module, place), []).append(mutant)
    rng = np.random.default_rng(seed)
    for key in rng.permutation(len(places)):
        every = [*places.values()][key]
        mutant = every[rng.integers(len(every))]
        # A change that is no Python needs no test; Cosmic Ray fails at ``except module.Error``.
        with suppress(SyntaxError, AttributeError):
            ast.parse(mutant.change()[0])
            count -= 1
            yield mutant
        if not count:
            return


def passes(folder: Path, tests: Sequence[str]) -> bool:
    """Return whether the tests pass in a copy of the checkout."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    own = {"HYPOTHESIS_PROFILE": "quick"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=os.environ | own, capture_output=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", help="a pattern of files")
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    folders: SimpleQueue[Path] = SimpleQueue()
    survived = []
    left = shutil.ignore_patterns(".git", ".venv*", "runs", "site", "__pycache__", ".*_cache")

    def attempt(mutant: Mutant) -> None:
        folder, (after, change) = folders.get(), mutant.change()
        path = folder / mutant.module
        path.write_text(after, encoding="utf-8")
        if passes(folder, given.tests):
            survived.append(mutant)
            print(f"survived: {mutant.module}:{mutant.line}: {change}", flush=True)
        shutil.copy(ROOT / mutant.module, path)
        folders.put(folder)

    with tempfile.TemporaryDirectory() as home, ThreadPoolExecutor(given.jobs) as pool:
        for number in range(given.jobs):
            folders.put(shutil.copytree(ROOT, Path(home) / str(number), ignore=left))
        if not passes(folder := folders.get(), given.tests):
            parser.error("the tests fail without a mutant")
        folders.put(folder)
        mutants = list(sample(given.modules, given.count, given.seed))
        list(pool.map(attempt, mutants))
    print(f"{len(mutants) - len(survived)} of {len(mutants)} killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
