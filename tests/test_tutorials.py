"""The tutorials' programs and commands run as they stand, in order, with smaller numbers.

Those that need no checkout run in ``.ci/package`` instead, with the installed wheel.  A page's
``python`` blocks have a title, the file that they are written to; a second block of the same title is
added to it.  ``bash`` blocks run; ``sh`` blocks wait for a person and do not.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.sources import ROOT
from tests.tiers import mostly_slow

# Pages, and the package of their extra.
PAGES = {"first-agent": "torch", "offline": "pyarrow"}
SMALL = {"MINUTES": "0.02", "DEALS": "2"}
BLOCK = re.compile(r"^```(python|bash)(?: title=\"(.*?)\")?\n(.*?)^```", re.S | re.M)


def smaller(setting):
    """A setting of games with a number that takes no time."""
    return f"{setting[0].partition(' = ')[0]} = 2"


@pytest.fixture
def checkout(tmp_path):
    """An empty folder with the configurations, and a shell in which ``python`` is this one."""
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    for name, deals in (("quickstart", "100"), ("clone", "300")):
        path = tmp_path / "configs" / f"{name}.toml"
        text, times = re.subn(
            f"^(deals = {deals}|eval_games = 100)$", smaller, path.read_text(), flags=re.M
        )
        assert times == 2
        path.write_text(text)
    (tmp_path / "bin").mkdir()
    for name, words in (("python", ""), ("cacao", " -m cacao_env")):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("page", mostly_slow([*PAGES]))
def test_a_tutorial_runs(page, checkout):
    if shutil.which("bash") is None:
        pytest.skip("there is no bash here")
    pytest.importorskip(PAGES[page])
    path = f"{checkout / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, **SMALL, "PATH": path, "PYTHONPATH": str(ROOT)}
    commands = 0
    for found in BLOCK.finditer((ROOT / f"docs/tutorials/{page}.md").read_text(encoding="utf-8")):
        language, title, text = found.groups()
        if language == "python":
            assert title, "a program has no title, so nobody knows its file"
            with (checkout / title).open("a", encoding="utf-8") as file:
                file.write("\n\n" + text if file.tell() else text)
            continue
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=checkout,
            env=env,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, f"{text}\n{run.stdout[-2000:]}\n{run.stderr[-4000:]}"
        commands += 1
    assert commands >= 2


def test_every_tutorial_is_run():
    found = {path.stem for path in (ROOT / "docs" / "tutorials").glob("*.md")}
    others = re.search(r"for page in \((.*)\):", (ROOT / ".ci" / "try_installed.py").read_text())
    assert found == {*PAGES, *re.findall(r'"(.*?)"', others[1]), "index", "fine-tune"}
