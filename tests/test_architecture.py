"""Imports go one way: packages in one order, modules of a package in another, and no circles."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE, TRAINING = ROOT / "cacao_env", ROOT / "training"
# The packages of cacao_env in order: each imports only from those before it.  The root's own modules
# stand beside the package that they belong to.
PACKAGES = (
    ("checks",),
    ("files", "provenance", "tables"),
    ("engine",),
    ("greedy",),
    ("game", "gold_sources", "record"),
    ("agents",),
    ("envs", "cacao_v0"),
    ("evaluation",),
    ("play", "text"),
    ("bench",),
    ("check",),
    ("cli", "__main__"),
)
# The same for training, which stands on all of them.
TRAINING_ORDER = (
    ("config", "curves", "state"),
    ("run_folder",),
    ("loop", "masked", "networks"),
    ("policies", "rllib_module", "sb3_policy", "values"),
    ("train_afterstate", "train_ppo", "train_rllib", "train_sb3"),
    ("benchmark", "distil_ordering", "exploit", "ship"),
)
# Pictures are drawn, and models asked, when somebody wants it: these imports stand inside functions.
LATE = {
    ("game", "agents"),
    ("agents", "text"),
    ("game", "play"),
    ("envs", "play"),
}


@cache
def modules(package: Path) -> dict[str, Path]:
    """Dotted names below a package, "" for the package itself."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, package: Path) -> set[tuple[str, str, bool]]:
    """(package, module, whether it stands inside a function) of the project's modules imported."""
    whole = [package.name, *(name.split(".") if name else [])]
    base = whole if path.name == "__init__.py" else whole[:-1]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    late = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            start = base[: len(base) - node.level + 1] if node.level else []
            target = [*start, *(node.module.split(".") if node.module else [])]
            names = [[*target, alias.name] for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        else:
            continue
        for top, *rest in names:
            if top in (PACKAGE.name, TRAINING.name):
                there = modules(ROOT / top)
                while ".".join(rest) not in there:
                    rest.pop()
                found.add((top, ".".join(rest), id(node) in late))
    return found


def ours(package: Path) -> list[str]:
    """All modules but the programs that show other libraries."""
    return sorted(name for name in modules(package) if not name.startswith("check.examples"))


def part(module: str) -> str:
    """The package, or the module of the root, that a module belongs to."""
    return module.partition(".")[0]


@pytest.mark.parametrize("name", ours(PACKAGE))
def test_cacao_env_imports_in_the_order_of_its_packages(name):
    level = {one: i for i, row in enumerate(PACKAGES) for one in row}
    for top, module, late in imports(name, modules(PACKAGE)[name], PACKAGE):
        assert top == "cacao_env", f"{name} imports {top}.{module}"
        if not module or not name:  # the package itself: its version, its doors
            continue
        here, there = part(name), part(module)
        if late and (here, there) in LATE:
            continue
        assert level[there] <= level[here], f"{name} imports {module}"


@pytest.mark.parametrize("name", ours(TRAINING))
def test_training_imports_in_the_order_of_its_packages(name):
    level = {one: i for i, row in enumerate(TRAINING_ORDER) for one in row}
    for top, module, _ in imports(name, modules(TRAINING)[name], TRAINING):
        if top == "training" and name and module:
            here, there = part(name), part(module)
            assert here == there or level[there] < level[here], f"{name} imports {module}"


@pytest.mark.parametrize("package", [PACKAGE, TRAINING], ids=lambda package: package.name)
def test_no_modules_import_each_other_in_a_circle(package):
    """Not even within a package, nor folders with their own."""
    edges = {
        name: {
            module
            for top, module, late in imports(name, path, package)
            if top == package.name and not late and module not in ("", name)
        }
        for name, path in modules(package).items()
    }
    open_, done = set(), set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in open_, f"a circle: {' -> '.join([*trail, name])}"
        if name in done:
            return
        open_.add(name)
        for other in sorted(edges[name]):
            visit(other, (*trail, name))
        open_.discard(name)
        done.add(name)

    for name in edges:
        visit(name, ())


def test_every_module_has_a_place_in_the_order():
    assert len(PACKAGES) <= 12
    for package, rows in ((PACKAGE, PACKAGES), (TRAINING, TRAINING_ORDER)):
        known = {one for row in rows for one in row}
        assert {part(name) for name in modules(package) if name} == known


def test_the_root_has_few_doors():
    assert len(list(PACKAGE.glob("*.py"))) <= 10
    folders = [path for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert len(folders) <= 10


def test_the_environment_never_imports_training_or_torch():
    for name in ours(PACKAGE):
        for node in ast.walk(ast.parse(modules(PACKAGE)[name].read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            else:
                continue
            for imported in names:
                top = imported.split(".")[0]
                assert top not in {"torch", "training", "sb3_contrib"}, name
                assert top != "stable_baselines3" or name in ("envs.sb3", "agents.sb3"), name


def test_importing_the_core_loads_only_its_four_libraries():
    """In a fresh interpreter: what importing everything brings in from outside."""
    code = (
        "import sys, cacao_env.cacao_v0, cacao_env.envs.versus, cacao_env.cli\n"
        "import cacao_env.agents.registry\n"
        "print(' '.join(sorted({m.split('.')[0] for m in sys.modules})))\n"
        "import cacao_env.evaluation.run, cacao_env.play.server\n"
        "print(' '.join(sorted({m.split('.')[0] for m in sys.modules})))\n"
        "print('cacao_env.text' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    core, more, text = run.stdout.splitlines()
    assert text == "False"
    models = "mcp openai httpx verifiers textarena openenv fastmcp trl transformers"
    assert not set(more.split()) & {*models.split(), "starlette", "uvicorn"}
    loaded = set(core.split())
    assert {"numpy", "numba", "gymnasium", "pettingzoo"} <= loaded
    assert not loaded & {
        "torch",
        "training",
        "safetensors",
        "stable_baselines3",
        "sb3_contrib",
        "tqdm",
        "matplotlib",
        "pygame",
    }


def test_shipped_agents_play_without_torch():
    code = (
        "import sys\n"
        "from cacao_env import Game\n"
        "from cacao_env.agents.registry import load_agent\n"
        "for name in ('criollo', 'forastero'):\n"
        "    game = Game.new(seed=0)\n"
        "    game.play(load_agent(name).player(seed=0).act(game))\n"
        "assert not {'torch', 'training'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_stable_baselines3_is_needed_by_its_own_script_alone():
    """RLlib's environment and plain PPO do without it."""
    code = (
        "import sys, training.train_ppo, training.train_afterstate, training.ship\n"
        "import cacao_env.evaluation.leaderboard, cacao_env.evaluation.cluster\n"
        "print(' '.join(sorted({m.split('.')[0] for m in sys.modules})))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "torch" in loaded
    assert not loaded & {"stable_baselines3", "sb3_contrib"}
