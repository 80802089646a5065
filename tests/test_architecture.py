"""Imports go one way: each module imports only from those before it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "cacao_env"
# From the rule book's words to the learner's and on to people.  Modules of one line are equals and
# do not import each other.
LAYERS = [
    ["files", "jit", "pages", "thinking", "version"],
    ["rng", "tiles"],
    ["geometry"],
    ["state"],
    ["scoring", "options", "keeping"],
    ["rules", "threads"],
    ["actions"],
    ["decisions", "notation", "observation", "rewards"],
    ["symmetry", "calls", "scaling"],
    ["game"],
    ["spec", "record", "render.text", "render.position", "render.shapes", "bots.random"],
    ["bots.appraisal", "render.art"],
    ["render.scene"],
    ["render.svg", "render.raster"],
    ["render.window", "render.film"],
    ["render.modes", "render.command"],
    ["bots.greedy"],
    ["bots.playout"],
    ["bots.endgame", "bots.ismcts"],
    ["bots.halving"],
    ["bots.mc"],
    ["bots"],
    ["value.patterns", "value.prospects"],
    ["value.features"],
    ["value.net"],
    ["value.turns"],
    ["value.agent"],
    ["value.search"],
    ["value"],
    ["vector", "binding"],
    ["opponents", "cacao_v0"],
    ["versus_loops"],
    ["versus"],
    ["gym", "people.effects"],
    ["people.choices"],
    ["people.story", "check", "open_spiel"],
    ["people.table"],
    ["people.terminal", "viewer.page", "viewer.catalogue"],
    ["viewer.answers"],
    ["viewer.server"],
    ["viewer.command"],
    ["bench.timing"],
    ["bench.batch", "bench.report"],
    ["bench.aec", "bench.memory", "bench.peers"],
    ["bench"],
    ["__init__"],
    ["__main__"],
]
# Game prints itself: the picture is imported when it is asked for.
LATE = {("game", "render.text")}


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found[name] = path
    return found


def imports(name: str, path: Path) -> set[str]:
    """Modules of the package that a module imports."""
    here = name.split(".")
    base = here if path.name == "__init__.py" and name != "__init__" else here[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        start = base[: len(base) - node.level + 1]
        target = [*start, *(node.module.split(".") if node.module else [])]
        for alias in node.names:
            whole = ".".join([*target, alias.name])
            found.add(whole if whole in modules() else ".".join(target) or "__init__")
    return found


def ours() -> list[str]:
    """All modules but the programs that show other libraries."""
    return sorted(name for name in modules() if not name.startswith("check.examples"))


@pytest.mark.parametrize("name", ours())
def test_a_module_imports_only_from_those_before_it(name):
    level = {module: i for i, layer in enumerate(LAYERS) for module in layer}
    level |= {"render": 0, "people": 0, "viewer": 0}  # a docstring and nothing else
    assert name in level, f"{name} has no place in LAYERS yet"
    for other in imports(name, modules()[name]):
        if (name, other) not in LATE:
            assert level[other] < level[name], f"{name} imports {other}"


def test_every_layer_names_modules_that_exist():
    assert {m for layer in LAYERS for m in layer} <= set(modules())


def test_the_environment_never_imports_training_or_torch():
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom) and node.level == 0
                else []
            )
            for imported in names:
                top = imported.split(".")[0]
                if name.startswith("check.examples"):
                    continue  # programs that use other libraries
                assert top not in {"torch", "training", "stable_baselines3", "sb3_contrib"}, name


def test_the_core_needs_only_its_four_libraries():
    """In a fresh interpreter: what importing everything pulls in from outside."""
    code = (
        "import sys, cacao_env.envs.aec, cacao_env.envs.versus, cacao_env.cli\n"
        "print(' '.join(sorted({m.split('.')[0] for m in sys.modules})))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert {"numpy", "numba", "gymnasium", "pettingzoo"} <= loaded
    assert not loaded & {
        "torch",
        "stable_baselines3",
        "sb3_contrib",
        "tqdm",
        "matplotlib",
        "pygame",
    }


def test_stable_baselines3_is_needed_by_its_own_script_alone():
    """RLlib's environment and plain PPO do without it."""
    code = (
        "import sys, training.train_ppo, training.train_afterstate, cacao_env.evaluation.evaluate\n"
        "import cacao_env.evaluation.leaderboard, training.zoo.__main__, cacao_env.evaluation.regret_command, cacao_env.evaluation.cluster\n"
        "print(' '.join(sorted({m.split('.')[0] for m in sys.modules})))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "torch" in loaded
    assert not loaded & {"stable_baselines3", "sb3_contrib"}


def test_files_are_short():
    for path in [*PACKAGE.rglob("*.py"), *(ROOT / "training").rglob("*.py")]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 400, f"{path.relative_to(ROOT)} has {lines} lines"
