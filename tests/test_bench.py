"""The benchmark's rows and file.  Nothing here depends on how fast anything is."""

import json
import re

import pytest

from cacao_env import tables
from cacao_env.check import bench
from cacao_env.check.bench import timing
from cacao_env.check.bench.timing import Row
from cacao_env.cli import main
from cacao_env.tables import read_between
from tests.sources import ROOT

# Rows of the page on one machine depend on its cores.
SHOWN = set(re.findall(r"^\| `([\w.]+)` ", read_between(ROOT / "docs" / "benchmark.md"), re.M))
NAMES = {name for name in SHOWN if not name.startswith("threads")}
NAMES |= {"threads.1.p2.t15", "threads.2.p2.t15", "threads_speedup.p2.t15"}
NAMES |= {"candidates.48.0", "candidates.24.16"}


def test_every_row_is_there(tmp_path):
    file = tmp_path / "bench.json"
    assert main(["bench", "--quick", "--seconds", "0.01", "--json", str(file)]) == 0
    data = json.loads(file.read_text())
    entries = data["rows"]
    by_name = {entry["name"]: entry for entry in entries}
    assert len(by_name) == len(entries)
    assert set(by_name) == NAMES
    for name, row in by_name.items():
        assert row["unit"], name
        assert row["value"] > 0
        assert row["batch"] >= 1 <= row["threads"]
    libraries = {"cacao-env", "python", "numpy", "llvmlite", "gymnasium", "pettingzoo"}
    assert libraries <= set(data["versions"])


def test_the_table_goes_between_the_markers_of_a_page(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n")
    row = Row("step.p2.t15", "decisions/s", value=1234.5)
    monkeypatch.setattr(bench, "all_rows", lambda *_: iter([row]))
    assert main(["bench", "--quick", "--seconds", "0.01", "--page", str(page)]) == 0
    text = page.read_text()
    assert text.startswith(f"before\n{tables.BEGIN}\n\n| row |")
    assert text.endswith(f"{tables.END}\nafter\n")
    assert "| step.p2.t15 | 1,234 | decisions/s |" in text
    assert "old" not in text


def test_rows_in_turns_and_medians():
    calls = []
    times = iter(range(10_000))

    def clock():
        return next(times) * 0.01

    def work(name, amount):
        return Row(name, "x/s", lambda: calls.append(name) or amount)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing.time, "thread_time", clock)
        timed = timing.measure([work("a", 2), work("b", 3)], 0.027, 3)
    assert calls == ["a", "b", *["a", "b"] * 3]
    assert [row.value for row in timed] == pytest.approx([200, 300])
