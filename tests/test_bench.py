"""The benchmark's rows and file.  Nothing here depends on how fast anything is."""

import json

import pytest

from cacao_env import tables
from cacao_env.check import bench
from cacao_env.check.bench import timing
from cacao_env.check.bench.timing import Row
from cacao_env.cli import main

NAMES = [
    *(
        f"{kind}.p{players}.{table}"
        for kind in ("step", "step_observe_mask")
        for players in (2, 3, 4)
        for table in ("t15", "default")
    ),
    *("step_batch.p2.t15", "threads.1.p2.t15", "threads.2.p2.t15", "threads_speedup.p2.t15"),
    *("candidates.48.0", "candidates.24.16"),
    *(f"playouts.p{players}" for players in (2, 3, 4)),
    *(f"mc_playouts.p{players}" for players in (2, 3, 4)),
    *("aec_raw.p2", "aec_raw_ceiling.p2", "aec.p2", "aec_ceiling.p2"),
    *("aec_raw_lean.p2", "aec_raw_lean_ceiling.p2", "aec_lean.p2", "aec_lean_ceiling.p2"),
    *("gym.p2", "gym_vector.p2", "gym_vector.p2.no_copy", "gym_vector.p2.no_copy.uint8"),
    "write_bandwidth",
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What the command printed and wrote, run as briefly as can be."""
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    assert main(["bench", "--quick", "--seconds", "0.01", "--json", str(file)]) == 0
    return file


def test_every_row_is_there_and_says_what_it_counts(ran):
    data = json.loads(ran.read_text())
    entries = data["rows"]
    by_name = {entry["name"]: entry for entry in entries}
    assert len(by_name) == len(entries)
    for name in NAMES:
        assert by_name[name]["counts"], name
        assert by_name[name]["unit"], name
        assert by_name[name]["value"] > 0
        assert by_name[name]["batch"] >= 1 <= by_name[name]["threads"]
    libraries = {"cacao-env", "python", "numpy", "llvmlite", "gymnasium", "pettingzoo"}
    assert libraries <= set(data["versions"])
    assert set(by_name) == set(NAMES)


def test_the_table_goes_between_the_markers_of_a_page(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n")
    row = Row("step.p2.t15", "decisions/s", "steps", value=1234.5)
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
        return Row(name, "x/s", "", lambda: calls.append(name) or amount)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing.time, "thread_time", clock)
        timed = timing.measure([work("a", 2), work("b", 3)], 0.027, 3)
    assert calls == ["a", "b", *["a", "b"] * 3]
    assert [row.value for row in timed] == pytest.approx([200, 300])
