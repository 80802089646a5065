"""Imports go one way: four levels, packages of a level in an order, and no circles."""

import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from cacao_env.engine.jit import BY_NUMBA
from tests.sources import ROOT, imports, modules

PACKAGE = ROOT / "cacao_env"
# The levels, lowest first, each with its packages and the root's modules in an order: each imports
# only from its own row and from those before it.  Nothing knows what stands above.
LEVELS = {
    "environment": (
        ("checks",),
        ("files",),
        ("engine",),
        ("greedy",),
        ("views", "render", "game", "gold_sources", "record", "agent", "analysis", "registry"),
        ("envs", "cacao_v0"),
    ),
    "agents": (("provenance",), ("agents",)),
    "laboratory": (("tables",), ("data",), ("evaluation",)),
    "doors": (("play", "text"), ("check",), ("cli", "__main__")),
}
PACKAGES = tuple(row for rows in LEVELS.values() for row in rows)
# The same for training, which stands on all of them.
TRAINING_ORDER = (
    ("config", "kernels", "state"),
    ("run_folder",),
    ("loop", "masked", "networks"),
    ("policies", "rllib_module", "sb3_policy", "values"),
    ("clone", "train_afterstate", "train_ppo", "train_rllib", "train_sb3"),
    ("card",),
)


def imported(name: str) -> set[tuple[str, bool]]:
    """(module, whether a type checker alone imports it) of the project's modules."""
    found = set()
    for source, what, _, typing in imports(name):
        module = f"{source}.{what}" if f"{source}.{what}" in modules() else source
        if module in modules():
            found.add((module, typing))
    return found


def ours(package: str) -> list[str]:
    """All modules of a package but the programs that show other libraries."""
    every = (name for name in modules() if name.split(".")[0] == package)
    return sorted(name for name in every if not name.startswith("cacao_env.check.examples"))


def part(module: str) -> str:
    """The package, or the module of the root, that a module belongs to; "" for the root itself."""
    return [*module.split("."), ""][1]


@pytest.mark.parametrize("name", ours("cacao_env"))
def test_cacao_env_imports_in_the_order_of_its_levels(name):
    """Late imports too.  Only the registry looks upwards, by names that others register."""
    place = {one: i for i, row in enumerate(PACKAGES) for one in row}
    for module, _ in imported(name):
        assert module.startswith("cacao_env"), f"{name} imports {module}"
        here, there = part(name), part(module)
        if here and there:  # the root: its version, and what is registered
            assert place[there] <= place[here], f"{name} imports {module}"


@pytest.mark.parametrize("name", ours("training"))
def test_training_imports_in_the_order_of_its_packages(name):
    level = {one: i for i, row in enumerate(TRAINING_ORDER) for one in row}
    for module, _ in imported(name):
        here, there = part(name), part(module)
        if module.startswith("training") and here and there:
            assert here == there or level[there] < level[here], f"{name} imports {module}"


@pytest.mark.parametrize("package", ["cacao_env", "training"])
def test_no_modules_import_each_other_in_a_circle(package):
    """Not even within a package, nor folders with their own."""
    own = {name for name in modules() if name.startswith(f"{package}.")}
    edges = {name: {one for one, typing in imported(name) if not typing} & own for name in own}
    sorter = TopologicalSorter({name: others - {name} for name, others in edges.items()})
    sorter.prepare()  # raises CycleError with the circle


def test_every_module_has_a_place_in_the_order():
    assert len(LEVELS) == 4
    for package, rows in (("cacao_env", PACKAGES), ("training", TRAINING_ORDER)):
        known = {one for row in rows for one in row}
        assert {part(name) for name in modules() if name.startswith(f"{package}.")} == known


def test_the_root_has_few_doors():
    assert len(list(PACKAGE.glob("*.py"))) <= 14
    folders = [path for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert len(folders) <= 11


def test_the_environment_never_imports_training_or_torch():
    for name in ours("cacao_env"):
        for source, *_ in imports(name):
            top = source.split(".")[0]
            assert top not in {"torch", "training", "sb3_contrib"}, name
            doors = ("cacao_env.envs.sb3", "cacao_env.agents.sb3")
            assert top != "stable_baselines3" or name in doors, name


def loaded(*names: str) -> set[str]:
    """All modules of a fresh interpreter that imports these."""
    code = f"import sys, {', '.join(names)}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_core_loads_only_its_libraries():
    core = ("cacao_v0", "envs.versus", "cli", "registry")
    found = loaded(*(f"cacao_env.{name}" for name in core))
    assert {"numpy", "gymnasium", "pettingzoo"} <= found
    others = "torch training safetensors stable_baselines3 sb3_contrib tqdm matplotlib pygame"
    compilers = set() if BY_NUMBA else {"numba", "llvmlite"}
    assert not found & {*compilers, *others.split()}
    more = (*core, "evaluation.run", "play.server")
    models = "mcp openai httpx verifiers openenv fastmcp trl transformers"
    unwanted = {*models.split(), "starlette", "uvicorn", "cacao_env.text"}
    assert not loaded(*(f"cacao_env.{name}" for name in more)) & unwanted


def test_stable_baselines3_is_needed_by_its_own_script_alone():
    """RLlib's environment and plain PPO do without it."""
    training = ("training.train_ppo", "training.train_afterstate", "training.card")
    found = loaded(*training, "cacao_env.evaluation.workers")
    assert "torch" in found
    assert not found & {"stable_baselines3", "sb3_contrib"}
