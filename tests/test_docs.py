"""The documents show what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cacao_env.cli import main
from cacao_env.engine.options import Options
from cacao_env.envs.spec import tables

ROOT = Path(__file__).parent.parent
# Commands that wait for a person, take long or need a trained agent.
WAITING = r" bench| check| play| view(?!.*--export)| evaluate| regret"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


def test_no_page_has_gaps_or_remains_of_a_merge():
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"^([A-Z]{4,}|[<>=]{7}( .*)?)$", text, re.M), page


def test_the_tables_are_those_of_the_code(capsys):
    page = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
    assert tables(2) in page
    assert main(["spec"]) == 0
    assert capsys.readouterr().out.strip() in page


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_the_readme_s_python_runs(number, capsys):
    exec(compile(blocks("python")[number], f"README block {number}", "exec"), {})


@pytest.mark.parametrize("page", ["guide", "tasks"])
def test_the_python_of_other_pages_runs(page, capsys):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        if "torch" not in block:  # tests/test_sb3.py runs that
            exec(compile(block, page, "exec"), {})


def test_the_readme_s_commands_run(tmp_path, monkeypatch, capsys):
    """Those of the environment; the two that install and train are run as they are elsewhere."""
    monkeypatch.chdir(tmp_path)
    commands = [
        line.split("#")[0].split()[3:]
        for block in blocks("bash")
        for line in block.splitlines()
        if line.startswith("python -m cacao_env") and not re.search(WAITING, line)
    ]
    assert len(commands) == 8
    for command in commands:
        assert main(command) == 0


def test_the_readme_lists_every_option_of_the_environment():
    from inspect import signature

    from cacao_env import cacao_v0

    parameters = signature(cacao_v0.raw_env).parameters
    for name in {*parameters, *Options().as_dict()} - {"fields"}:
        assert f"| `{name}` |" in README
    assert "23 with 2 players, 30 with 3 or 4" in README
    assert [Options(n).table_size for n in (2, 3, 4)] == [23, 30, 30]


def test_pyproject_and_constraints_agree_on_what_is_installed():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    assert [re.split(r"[>=<]", w)[0] for w in wanted] == [
        "numpy",
        "numba",
        "gymnasium",
        "pettingzoo",
        "safetensors",
        "tqdm",
    ]
    for extra in ("train", "test"):
        wanted += project["optional-dependencies"][extra]
    pinned = (ROOT / "constraints.txt").read_text().lower()
    for requirement in wanted:
        name = re.split(r"[>=<]", requirement)[0].lower()
        assert re.search(rf"^{name}==", pinned, re.M), name
    assert "torch==2.13.0" in pinned
