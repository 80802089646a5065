"""The benchmark's rows, file and comparison.  Nothing here depends on how fast anything is."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cacao_env.check import bench
from cacao_env.check.bench import compare, peers, rows, timing
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
    *("write_bandwidth", "yardstick"),
    *("allocations_per_step", "memory_growth"),
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What the command printed and wrote, run as briefly as can be."""
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "YARDSTICK_SECONDS", 0.0)
        allocations, growth = rows.allocations, rows.growth
        patch.setattr(rows, "allocations", lambda steps: allocations(steps // 50))
        patch.setattr(rows, "growth", lambda decisions: growth(decisions // 50))
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
        assert by_name[name]["value"] > 0 or name == "memory_growth"
        assert by_name[name]["batch"] >= 1 <= by_name[name]["threads"]
    libraries = {"cacao-env", "python", "numpy", "numba", "gymnasium", "pettingzoo"}
    assert libraries <= set(data["versions"])
    assert data["skipped"] == {}
    assert set(by_name) == set(NAMES)


def test_the_table_goes_between_the_markers_of_a_page(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{bench.BEGIN}\nold\n{bench.END}\nafter\n")
    row = Row("step.p2.t15", "decisions/s", "steps", value=1234.5)
    monkeypatch.setattr(bench, "all_rows", lambda *_: iter([row]))
    monkeypatch.setattr(bench.others, "rows", lambda _: ([], {"peer.pgx": "not installed"}))
    assert main(["bench", "--quick", "--seconds", "0.01", "--peers", "--page", str(page)]) == 0
    text = page.read_text()
    assert text.startswith(f"before\n{bench.BEGIN}\n\n| row |")
    assert text.endswith(f"{bench.END}\nafter\n")
    assert "| step.p2.t15 | 1,234 | decisions/s |" in text
    assert "peer.pgx was skipped: not installed." in text
    assert "old" not in text


def test_a_slower_machine_is_no_slower_row():
    earlier = {"a": {"name": "a", "value": 100.0, "yardstick": 10.0}}
    row = Row("a", "games/s", "", value=30.0, yardstick=3.0)
    assert compare([row], earlier) == ([f"{'a':<30} {1:>6.2f} times as fast"], False)
    assert compare([replace(row, value=23.0)], earlier)[1]
    assert not compare([replace(row, value=23.0, name="peer.a")], {"peer.a": earlier["a"]})[1]
    missing = [f"{'b':<30} not in the earlier file"]
    assert compare([replace(row, name="b")], earlier) == (missing, False)


def test_the_command_returns_what_the_comparison_says(ran, monkeypatch, tmp_path, capsys):
    file = tmp_path / "earlier.json"
    file.write_text(json.dumps({"rows": [{"name": "a", "value": 100.0, "yardstick": 10.0}]}))
    for value, status in ((100.0, 0), (50.0, 1)):
        row = Row("a", "games/s", "", value=value, yardstick=10.0)
        monkeypatch.setattr(bench, "all_rows", lambda *_, row=row: iter([row]))
        assert main(["bench", "--quick", "--seconds", "0.01", "--compare", str(file)]) == status
        assert ("SLOWER by more than 20%" in capsys.readouterr().out) == bool(status)
    file.write_text("[]")
    assert main(["bench", "--compare", str(file)]) == 1
    assert "has no rows with a yardstick" in capsys.readouterr().err


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
    assert all(row.yardstick > 0 for row in timed)


def test_the_yardstick_never_changes():
    """Comparisons over time rest on it; this number is what it came to when it was written."""
    assert timing.turn_yardstick(np.arange(4096, dtype=np.int64), 1000) == 1059066


def test_peers_that_are_not_installed_are_skipped_and_say_so(monkeypatch):
    chosen = {"cacao_batch": peers.PEERS["cacao_batch"]}
    chosen["nobody"] = ("no-such-package", "no_such_package", peers.rlcard, 1)
    monkeypatch.setattr(peers, "PEERS", chosen)
    found, skipped = peers.rows(0.05)
    assert skipped == {"peer.nobody": "not installed"}
    assert [row.name for row in found] == ["peer.cacao_batch"]
    assert found[0].value > 0
    words = "This environment, VectorGames; random legal actions; one core"
    assert found[0].counts.startswith(words)
    assert all(make.__doc__ for _, _, make, _ in peers.PEERS.values())


def test_a_kept_observation_would_show_as_an_allocation(monkeypatch):
    kept = []

    class Leaky(rows.VectorGames):
        def step(self, chosen, look=True):
            super().step(chosen, look)
            kept.append(self.observations.copy())

    clean = rows.allocations(50).value
    monkeypatch.setattr(rows, "VectorGames", Leaky)
    leaky = rows.allocations(50).value
    assert clean < 10_000 < kept[0].nbytes <= leaky
