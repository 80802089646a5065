"""The documents show what the code does, and each of them stands."""

import re
import tomllib
from collections import defaultdict
from inspect import signature

import pytest

from cacao_env import cacao_v0
from cacao_env.cli import main
from cacao_env.engine.options import Options
from cacao_env.envs.gym import CacaoVectorEnv
from cacao_env.text.llm import PARAMETERS
from tests.sources import ROOT

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Commands that wait for a person, take long or need a trained agent.
WAITING = r"/| bench| check| view(?!.*--export)| evaluate| tasks "
# Pages whose programs do not run here: tests/test_check.py runs those of the libraries,
# tests/test_files_for_others.py runs those that read files,
# and the page on measuring shows parts of programs.
LEFT_OUT = {"files.md", "evaluation.md"}


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


PROGRAMS = [
    (page.name, number, block)
    for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("guides/*.md")))
    if page.name not in LEFT_OUT
    for number, block in enumerate(blocks(page.read_text(encoding="utf-8"), "python"))
    if "torch" not in block  # tests/test_sb3.py runs that
]


def test_no_page_has_gaps_or_remains_of_a_merge():
    for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"^([A-Z]{4,}|[<>=]{7}( .*)?)$", text, re.M), page


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 150


def test_the_readme_s_links_lead_somewhere():
    """mkdocs build --strict checks those of all other pages."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert len(links) > 20
    for link in links:
        assert (ROOT / link).exists(), link


@pytest.mark.parametrize(
    ("page", "number", "program"), PROGRAMS, ids=[f"{page}-{n}" for page, n, _ in PROGRAMS]
)
def test_the_python_of_the_pages_runs(page, number, program, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(program, f"{page} block {number}", "exec"), {})


def test_there_are_programs_to_run():
    shown = {"README.md", "environment.md", "game.md", "observations.md", "opponents.md"}
    assert shown <= {page for page, *_ in PROGRAMS}


def test_the_commands_of_the_pages_run(tmp_path, monkeypatch, capsys, quick_reviews):
    """Those of a game and its record; the others wait for a person or take long."""
    monkeypatch.chdir(tmp_path)
    commands = [
        line.split("#")[0].split()[3:]
        for block in blocks(text_of("commands.md"), "bash")
        for line in block.splitlines()
        if line.startswith("python -m cacao_env") and not re.search(WAITING, line)
    ]
    assert len(commands) == 9
    for command in commands:
        assert main(command) == 0


def test_the_environment_s_page_has_every_option_and_its_facts():
    page = text_of("environment.md")
    for maker in (cacao_v0.raw_env, CacaoVectorEnv):
        for name in {*signature(maker).parameters, *Options().as_dict()}:
            if name not in ("fields", "arguments", "num_envs"):
                assert f"| `{name}` |" in page, name
    sizes = [Options(players) for players in (2, 3, 4)]
    assert "23 with 2 players, 30 with 3 or 4" in page
    assert [one.table_size for one in sizes] == [23, 30, 30]
    assert [one.num_actions for one in sizes] == [3512, 5930, 5930]
    assert "`Discrete(3512)` with 2 players, `Discrete(5930)` with 3 or 4" in page
    two, three, four = (one.observation_size for one in sizes)
    assert f"({two},) with 2 players, ({three},) with 3, ({four},) with 4" in page
    turns = [n * int(one.blank_states()[0].tiles_each) for n, one in zip((2, 3, 4), sizes)]
    assert "{} turns with 2 players, {} with 3, {} with 4".format(*turns) in page


def test_pyproject_and_constraints_agree_on_what_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    names = ["numpy", "llvmlite", "gymnasium", "pettingzoo", "safetensors", "filelock", "tqdm"]
    assert [re.split(r"[>=<]", w)[0] for w in wanted] == names
    for extra in ("train", "test", "dev"):
        wanted += project["optional-dependencies"][extra]
    assert {re.split(r"[>=<[]", requirement)[0].lower() for requirement in wanted} <= set(PINNED)
    assert PINNED["torch"] == "2.13.0"


# --- Each figure stands on one page ----------------------------------------------------------------

NUMBER = r"[+\-−]?\d+(?:\.\d+)?"
# 96.6 % [95.8, 97.4], 96.6% [95.8%, 97.4%], +11.1 [+10.8, +11.3], 53.2 % ± 1.9
WITH_INTERVAL = re.compile(rf"({NUMBER}) ?%? ?(?:\[({NUMBER}) ?%?, ({NUMBER}) ?%?\]|± ?({NUMBER}))")
SPEED = re.compile(
    r"\d[\d,.]* ?(?:k|M|million)? ?(?:decisions|games|steps)(?:/s| (?:a|per) second)"
)
SPEEDS = {"benchmark.md", "environment.md", "policies.md"}  # the environment's; the trainers'


def pages():
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def test_a_result_stands_on_one_page():
    found = defaultdict(set)
    for page in pages():
        for match in WITH_INTERVAL.finditer(page.read_text(encoding="utf-8")):
            figure = tuple(part.lstrip("+−-") for part in match.groups() if part)
            if "." in match[1] and match[1] not in ("0.0", "50.0", "100.0"):
                found[figure].add(str(page.relative_to(ROOT)))
    assert len(found) > 150
    twice = {" ".join(figure): sorted(where) for figure, where in found.items() if len(where) > 1}
    assert twice == {}


def test_speeds_stand_on_the_pages_of_speeds():
    for page in pages():
        if page.name not in SPEEDS:
            assert SPEED.findall(page.read_text(encoding="utf-8")) == [], page


# --- What is installed ------------------------------------------------------------------------------

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.M)


def pins(text):
    """Versions by name, in the form that package indexes compare."""
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in PIN.findall(text)}


PINNED = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))


def test_the_page_has_the_keys_of_llm_and_their_defaults():
    rows = re.findall(
        r"^\| `(\w+)` \| `?([^|`]+)`? \|", text_of("tutorials/language-model.md"), re.M
    )
    shown = {"base_url": "OPENAI_BASE_URL", "temperature": "not sent", "max_tokens": "not sent"}
    defaults = {name: f"{one.default}".removesuffix(".0") for name, one in PARAMETERS.items()}
    assert dict(rows) == defaults | shown


def test_every_pin_is_locked_with_hashes():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert pins(text) == PINNED
    assert len(pins(text)) > 80
    for entry in re.split(r"\n(?=[A-Za-z0-9])", text[text.index("\n" + PIN.search(text)[0]) + 1 :]):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}( \\)?$", entry, re.M), entry.split("\n")[0]


def test_the_page_installs_as_the_lock_file_says():
    """The commands in the head of the lock file, and the script that looks up what is known of it."""
    head = (ROOT / ".ci" / "lock").read_text(encoding="utf-8")
    page = text_of("install.md")
    command = re.search(r'"# (pip install torch.*)"', head)[1]
    for part in command.split(" && "):
        assert part in page, part
    assert f"# {command}" in (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert f"pip install torch=={PINNED['torch']} " in command
    for script in (".ci/lock", ".ci/audit"):
        assert script in page
        assert (ROOT / script).is_file()
