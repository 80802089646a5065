"""The check of installed libraries, and the page that shows its programs."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from cacao_env import check
from cacao_env.cli import main
from tests.tiers import mostly_slow

PAGES = Path(__file__).parent.parent / "docs" / "libraries"


@pytest.mark.parametrize("library", check.LIBRARIES, ids=lambda library: library.name)
def test_the_page_shows_the_program_that_is_run(library):
    shown = f'--8<-- "cacao_env/check/examples/{library.example}.py"'
    assert find_spec(f"{check.__name__}.examples.{library.example}") is not None
    assert sum(shown in page.read_text(encoding="utf-8") for page in PAGES.glob("*.md")) == 1


@pytest.mark.parametrize("library", mostly_slow(check.LIBRARIES), ids=lambda one: one.name)
def test_the_libraries_that_are_here_work(library):
    if check.versions(library) is None:
        pytest.skip(f"{library.name} is not installed")
    result = check.try_out(library)
    assert result["status"] == check.OK, result["words"]


def planted(tmp_path, monkeypatch, code):
    folder = tmp_path / "planted" / "examples"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "__init__.py").write_text("")
    (folder / "some.py").write_text(f'"""Some: all of it."""\n{code}')
    monkeypatch.setattr(check, "EXAMPLES", folder)
    monkeypatch.setattr(check, "__name__", "planted")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    library = check.Library("Some", "some", ("numpy",))
    gone = check.Library("Gone", "gone", ("no-such-package",))
    monkeypatch.setattr(check, "LIBRARIES", (library, gone))


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        ("print('hello')", 0, ("| ok ", "numpy ", "| all of it |")),
        ("print('half was left out: it needs more')", 0, ("all of it; half was left out: it n",)),
        ("print()\nassert 1 == 2, 'one is not two'", 1, ("FAILED", "AssertionError: one is not")),
        ("import time; time.sleep(60)", 1, ("FAILED", "no end after 0.5 s")),
    ],
)
def test_the_table_says_how_each_library_fared(code, status, words, tmp_path, monkeypatch, capsys):
    planted(tmp_path, monkeypatch, code)
    monkeypatch.setattr(check, "TIMEOUT", 0.5 if "sleep" in code else check.TIMEOUT)
    assert main(["check"]) == status
    *_, some, gone = capsys.readouterr().out.splitlines()
    assert all(word in some for word in words)
    assert "not installed" in gone


def test_json_on_standard_output_is_alone(tmp_path, monkeypatch, capsys):
    planted(tmp_path, monkeypatch, "print('hello')")
    assert main(["check", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    some, gone = json.loads(out)
    assert (some["library"], some["status"], some["words"]) == ("Some", "ok", "all of it")
    assert (gone["status"], gone["versions"], gone["seconds"]) == ("not installed", "", 0)
    assert "| ok " in err
