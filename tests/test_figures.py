"""Each figure stands on one page: a result with its interval, and every speed of the environment."""

import re
from collections import defaultdict

from tests.sources import ROOT

DOCS = ROOT / "docs"
NUMBER = r"[+\-−]?\d+(?:\.\d+)?"
# 96.6 % [95.8, 97.4], 96.6% [95.8%, 97.4%], +11.1 [+10.8, +11.3], 53.2 % ± 1.9
WITH_INTERVAL = re.compile(rf"({NUMBER}) ?%? ?(?:\[({NUMBER}) ?%?, ({NUMBER}) ?%?\]|± ?({NUMBER}))")
SPEED = re.compile(
    r"\d[\d,.]* ?(?:k|M|million)? ?(?:decisions|games|steps)(?:/s| a second| per second)"
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
