"""The compiled code's cache: never stale, and never in the way."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cacao_env.engine.jit import COMPILED, SOURCES, _can_write

PACKAGE = Path(__file__).parent.parent / "cacao_env"
ASK = """
from cacao_env import Game
from cacao_env.engine import scoring
print(scoring.score(Game.new(seed=0).state, 0))
"""

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


def run(folder, code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def test_an_edit_in_one_file_is_seen_by_the_functions_of_another(tmp_path):
    """Numba's own cache would go on with the old water track."""
    shutil.copytree(PACKAGE, tmp_path / "cacao_env", ignore=shutil.ignore_patterns("__pycache__"))
    init = tmp_path / "cacao_env" / "__init__.py"
    init.write_text("from .game import Game\n")  # without compiling everything at once
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(tmp_path, ASK, **cache).stdout == "-10\n"
    assert any((tmp_path / "cache").rglob("*.nbi"))
    tiles = tmp_path / "cacao_env" / "engine" / "tiles.py"
    tiles.write_text(tiles.read_text().replace("[-10, -4, -1,", "[-7, -4, -1,"))
    assert run(tmp_path, ASK, **cache).stdout == "-7\n"


def test_it_works_where_no_folder_can_be_made_in_the_home(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    ran = run(
        PACKAGE.parent,
        "import cacao_env.engine.jit as jit; print(jit.CACHE)",
        XDG_CACHE_HOME=str(blocked),
        NUMBA_CACHE_DIR="",
        TMPDIR=str(tmp_path),
    )
    assert ran.returncode == 0, ran.stderr
    assert str(tmp_path) in ran.stdout


def test_it_works_where_the_cache_can_t_be_written(tmp_path):
    """As another user's, or on a read-only disk: a folder that is there already."""
    code = (
        "import cacao_env.engine.jit as jit\n"
        "tried = []\n"
        "jit._can_write = lambda folder: tried.append(folder)\n"
        "print(jit._cache_directory(), len(tried))\n"
        "jit.CACHE = jit.Path('/nowhere')\n"
        "jit.compile_once('part', lambda: print('compiled'))\n"
    )
    ran = run(PACKAGE.parent, code, TMPDIR=str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(str(tmp_path))
    assert ran.stdout.endswith(" 2\ncompiled\n")


def test_a_folder_that_can_t_be_written_is_told_from_one_that_can(tmp_path):
    (tmp_path / "file").write_text("")
    assert _can_write(tmp_path / "new")
    assert _can_write(tmp_path / "new")
    assert not _can_write(tmp_path / "file")
    assert not _can_write(Path("/proc/self/new"))


def test_the_first_import_says_that_it_compiles_and_the_next_says_nothing(tmp_path):
    code = (
        "from cacao_env.engine.jit import compile_once\n"
        "compile_once('test part', lambda: print('compiled'))\n"
    )
    stub = tmp_path / "cacao_env"
    stub.mkdir()
    (stub / "engine").mkdir()
    for folder in (stub, stub / "engine"):
        (folder / "__init__.py").write_text("")
    shutil.copy(PACKAGE / "engine" / "jit.py", stub / "engine")
    first, second = (run(tmp_path, code, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2))
    assert first.stdout == "compiled\n"
    assert "compiling the test part" in first.stderr
    assert (second.stdout, second.stderr) == ("", "")


def test_compiled_functions_call_only_those_whose_edits_are_noticed():
    """A compiled function outside of SOURCES calls imported ones of SOURCES alone."""
    root = PACKAGE.parent
    trees, compiled = {}, {}
    for file in [*PACKAGE.rglob("*.py"), *(root / "training").rglob("*.py")]:
        parts = file.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        trees[name] = ast.parse(file.read_text(encoding="utf-8"))
        compiled[name] = {
            node.name
            for node in ast.walk(trees[name])
            if isinstance(node, ast.FunctionDef)
            and any(ast.unparse(one) in ("njit", "inlined") for one in node.decorator_list)
        }
    outside = [name for name in trees if compiled[name] and not noticed(name)]
    assert len(outside) > 2
    for name in outside:
        for module, imported in imports(name, trees[name]):
            if imported in compiled.get(module, ()):
                assert noticed(module), f"{name} calls {module}.{imported}"
    assert noticed("cacao_env.game")
    assert not noticed("cacao_env.bench.batch")


def noticed(module):
    package, _, rest = module.partition(".")
    first = rest.split(".")[0]
    return package == "cacao_env" and (first in SOURCES or f"{first}.py" in SOURCES)


def imports(name, tree):
    """(module, name) of everything that a module imports by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = name.split(".")[: -node.level] if node.level else []
            target = ".".join([*base, *(node.module.split(".") if node.module else [])])
            yield from ((target, alias.name) for alias in node.names)
