"""The check of installed libraries, and the page that shows its programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cacao_env import check
from cacao_env.cli import main

PAGES = Path(__file__).parent.parent / "docs" / "libraries"


def installed(library):
    return check.versions(library) is not None


@pytest.mark.parametrize("library", check.LIBRARIES, ids=lambda library: library.name)
def test_the_page_shows_the_program_that_is_run(library):
    shown = f'--8<-- "cacao_env/check/examples/{library.example}.py"'
    assert (check.EXAMPLES / f"{library.example}.py").is_file()
    assert sum(shown in page.read_text(encoding="utf-8") for page in PAGES.glob("*.md")) == 1


@pytest.mark.parametrize("library", check.LIBRARIES, ids=lambda library: library.name)
def test_the_libraries_that_are_here_work(library):
    if not installed(library):
        pytest.skip(f"{library.name} is not installed")
    result = check.try_out(library)
    assert result["status"] == check.OK, result["words"]


def planted(tmp_path, monkeypatch, code):
    folder = tmp_path / "planted" / "examples"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "__init__.py").write_text("")
    (folder / "some.py").write_text(code)
    monkeypatch.setattr(check, "__name__", "planted")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    library = check.Library("Some", "some", ("numpy",), "all of it")
    gone = check.Library("Gone", "gone", ("no-such-package",), "nothing")
    monkeypatch.setattr(check, "LIBRARIES", (library, gone))


def test_a_library_that_works_and_one_that_is_not_there(tmp_path, monkeypatch, capsys):
    planted(tmp_path, monkeypatch, "print('hello')")
    assert main(["check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "| ok " in lines[2]
    assert "numpy " in lines[2]
    assert "all of it" in lines[2]
    assert "not installed" in lines[3]


def test_what_is_left_out_is_said(tmp_path, monkeypatch, capsys):
    planted(tmp_path, monkeypatch, "print('hello')\nprint('half was left out: it needs more')")
    assert main(["check", "some"]) == 0
    assert "| all of it; half was left out: it needs more |" in capsys.readouterr().out


def test_json_on_standard_output_is_alone(tmp_path, monkeypatch, capsys):
    planted(tmp_path, monkeypatch, "print('hello')")
    assert main(["check", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    some, gone = json.loads(out)
    assert (some["library"], some["status"], some["words"]) == ("Some", "ok", "all of it")
    assert (gone["status"], gone["versions"], gone["seconds"]) == ("not installed", "", 0)
    assert "| ok " in err


def test_one_that_fails_says_why_and_fails_the_command(tmp_path, monkeypatch, capsys):
    planted(tmp_path, monkeypatch, "print('so far')\nassert 1 == 2, 'one is not two'")
    assert main(["check", "some"]) == 1
    text = capsys.readouterr().out
    assert "FAILED" in text
    assert "AssertionError: one is not two" in text


def test_one_that_never_ends_fails(tmp_path, monkeypatch, capsys):
    planted(tmp_path, monkeypatch, "import time; time.sleep(60)")
    monkeypatch.setattr(check, "TIMEOUT", 0.5)
    assert main(["check"]) == 1
    assert "no end after 0.5 s" in capsys.readouterr().out
