"""requirements.lock is in step with constraints.txt, and a page says how to use it."""

import re

from tests.sources import ROOT

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.M)


def pins(text):
    """Versions by name, in the form that package indexes compare."""
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in PIN.findall(text)}


def test_every_pin_is_locked_with_hashes():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert pins(text) == pins(constraints)
    assert len(pins(text)) > 80
    for entry in re.split(r"\n(?=[A-Za-z0-9])", text[text.index("\n" + PIN.search(text)[0]) + 1 :]):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}( \\)?$", entry, re.M), entry.split("\n")[0]


def test_the_page_installs_as_the_lock_file_says():
    """The commands in the head of the lock file, and the script that looks up what is known of it."""
    head = (ROOT / ".ci" / "lock").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    command = re.search(r'"# (pip install torch.*)"', head)[1]
    for part in command.split(" && "):
        assert part in page, part
    assert f"# {command}" in (ROOT / "requirements.lock").read_text(encoding="utf-8")
    torch = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))["torch"]
    assert f"pip install torch=={torch} " in command
    for script in (".ci/lock", ".ci/audit"):
        assert script in page
        assert (ROOT / script).is_file()
