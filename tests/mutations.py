"""Plant bugs, one at a time, and see that the tests catch each: ``python -m tests.mutations``.

Every mutation is made in a copy of the sources, against the tests that should notice it: those of the
rules interpreted (NUMBA_DISABLE_JIT=1), those of batches and bots compiled
(:mod:`tests.mutations_compiled`, :mod:`tests.mutations_bots`).  Prints a line for each and exits with 1
if one goes unnoticed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
RULES = ("tests/rules", "-k", "engine")
REFERENCE = ("tests/test_against_reference.py",)
TIMEOUT = 600  # seconds; a bug that makes the tests run on for so long is noticed too
Mutation = tuple[str, str, str, str, tuple[str, ...]]

# What is broken, file, text, replacement, tests that must fail.
MUTATIONS: list[Mutation] = [
    (
        "3-0-0-1 and 3-1-0-0 turn counter-clockwise",
        "tiles.py",
        "(side - turn) % 4",
        "(side + turn) % 4",
        RULES,
    ),
    (
        "with 4 players only 1-1-1-1 is removed",
        "tiles.py",
        "4: (1, 1, 0, 0)",
        "4: (1, 0, 0, 0)",
        RULES,
    ),
    ("water track 4, 7, 11 are 4, 8, 11", "tiles.py", "2, 4, 7, 11, 16", "2, 4, 8, 11, 16", RULES),
    (
        "one worker beside a jungle cell fills it",
        "rules.py",
        "state.board[beside] <= -2",
        "state.board[beside] <= -1",
        RULES,
    ),
    (
        "the display is refilled as soon as one slot is empty",
        "rules.py",
        "state.display[0] == 0 and state.display[1] == 0",
        "(state.display[0] == 0 or state.display[1] == 0)",
        RULES,
    ),
    (
        "other tiles at a filled cell are not activated",
        "rules.py",
        "if (state.filled >> side) & 1:",
        "if (state.filled >> side) & 1 and state.turn < 0:",
        RULES,
    ),
    (
        "every tile at every adjacent jungle tile is activated",
        "rules.py",
        "if (state.filled >> side) & 1:",
        "if state.turn >= 0:",
        RULES,
    ),
    (
        "others act before the active player",
        "rules.py",
        "    seat = int(state.active)\n    for _ in range(state.num_players):",
        "    seat = next_seat(state, int(state.active))\n    for _ in range(state.num_players):",
        RULES,
    ),
    (
        "cacao is stored without end",
        "rules.py",
        "min(CACAO_PLACES, state.cacao",
        "min(99, state.cacao",
        RULES,
    ),
    (
        "a market pays for cacao that is not there",
        "rules.py",
        "sold = min(workers, int(state.cacao[seat]))",
        "sold = workers",
        RULES,
    ),
    (
        "a volcano leaves debts",
        "rules.py",
        "max(0, state.gold[seat] + gold * workers)",
        "state.gold[seat] + gold * workers",
        RULES,
    ),
    (
        "the volcano's orientations are swapped",
        "tiles.py",
        "[[-1, 2, -1, 2], [2, -1, 2, -1]]",
        "[[2, -1, 2, -1], [-1, 2, -1, 2]]",
        RULES,
    ),
    (
        "a volcano may be forgone",
        "actions.py",
        "return workers if ACTION_CLASS[code] == ERUPT else 0",
        "return 0",
        RULES,
    ),
    ("a stack may be three tiles high", "rules.py", "code < OVERBUILT and OWNER", "OWNER", RULES),
    (
        "overbuilding costs nothing",
        "rules.py",
        "state.sun[seat] -= 1",
        "state.sun[seat] -= 0",
        RULES,
    ),
    (
        "overbuilding opens with the pile, not the display, empty",
        "rules.py",
        "    if jungle_left(state) == 0:\n        state.overbuilding = 1",
        "    if state.jungle_drawn == state.num_jungle:\n        state.overbuilding = 1",
        RULES,
    ),
    (
        "a shared first place still pays a second",
        "scoring.py",
        "if ahead == 1:",
        "if ahead >= 1:",
        RULES,
    ),
    (
        "a tie is broken by nothing",
        "scoring.py",
        "best = scores[0] * 8 + state.cacao[0]",
        "state.cacao[:] = 0\n    best = scores[0] * 8 + state.cacao[0]",
        RULES,
    ),
    (
        "equal tiles in the display are offered twice",
        "actions.py",
        "kind != 0 and (slot == 0 or kind != state.display[0])",
        "kind != 0",
        RULES,
    ),
    (
        "the hand is not refilled in the last third",
        "rules.py",
        "    draw_worker(state, int(state.active))",
        "    if state.turn < 20:\n        draw_worker(state, int(state.active))",
        RULES,
    ),
    (
        "a tile is laid one row too far when the table wraps",
        "state.py",
        "first = int(state.row_min) - 2",
        "first = int(state.row_min) + 1",
        REFERENCE,
    ),
    (
        "auto mode takes plantations although a sale should come first",
        "decisions.py",
        "markets == 0 or cacao + harvest <= CACAO_PLACES",
        "markets == 0 or cacao + harvest <= CACAO_PLACES + 1",
        ("tests/test_auto_decisions.py",),
    ),
    (
        "auto mode collects gold before paying a volcano",
        "decisions.py",
        "if VOLCANO_GOLD[code - VOLCANO, facing] < 0:",
        "if VOLCANO_GOLD[code - VOLCANO, facing] > 0:",
        ("tests/test_auto_decisions.py",),
    ),
    (
        "auto mode fills two cells with two different tiles by itself",
        "decisions.py",
        "one_choice = first == second and rest & (rest - 1) == 0",
        "one_choice = rest & (rest - 1) == 0",
        ("tests/test_auto_decisions.py",),
    ),
    (
        "an observation shows the next tile of the pile",
        "observation.py",
        "    pending = jungle + NUM_JUNGLE_KINDS + 1\n",
        "    pending = jungle + NUM_JUNGLE_KINDS + 1\n    out[4] = state.jungle_draws[25]\n",
        ("tests/test_hidden_information.py",),
    ),
    (
        "a bot sees the order of its opponent's pile",
        "state.py",
        "        shuffle_pool(draws[first : state.tiles_each], pool, rng)\n",
        "        shuffle_pool(draws[first : state.tiles_each], pool * (seat == viewer), rng)\n",
        ("tests/test_hidden_information.py",),
    ),
    (
        "owners are shown from seat 0's point of view",
        "observation.py",
        "_relative(OWNER[code], viewer, players)",
        "OWNER[code]",
        ("tests/test_symmetry.py", "tests/test_observation.py"),
    ),
    (
        "a mirrored 3-0-0-1 stays a 3-0-0-1 in the hand",
        "symmetry.py",
        "return (*order[:2], order[3], order[2]) if g >= 4 else tuple(order)",
        "return tuple(order)",
        ("tests/test_symmetry.py",),
    ),
    (
        "the loser's reward is forgotten",
        "rewards.py",
        "rewards[seat] = (players * share - 1) / (players - 1)",
        "rewards[seat] = max(0.0, (players * share - 1) / (players - 1))",
        ("tests/test_pettingzoo.py",),
    ),
    (
        "opponents are handed the true game",
        "versus.py",
        "        guess.redeal(seat, self.rngs[g : g + 1])\n",
        "",
        ("tests/test_gym.py", "-k", "dealt_anew"),
    ),
    (
        "the learner never changes seats",
        "versus_loops.py",
        "learners[g] = (learners[g] + 1) % states[g].num_players",
        "learners[g] = learners[g] % states[g].num_players",
        ("tests/test_gym.py", "-k", "rotates"),
    ),
    (
        "the end that a batch shows is the next game's beginning",
        "gym.py",
        "end = games.final_observations[g].copy()",
        "end = games.observations[g].copy()",
        ("tests/test_gym_vector.py", "-k", "vector_of_one"),
    ),
    (
        "scaling forgets what follows the board",
        "scaling.py",
        "features[i] *= _FEATURE_FACTORS[players, i]",
        "features[i] *= 1",
        ("tests/test_pettingzoo.py", "-k", "scaled or lie_in"),
    ),
    (
        "a refused action is carried out all the same",
        "calls.py",
        "    if code == LEGAL:\n        step(states[0], action)",
        "    step(states[0], max(0, action) % 100)",
        ("tests/test_game.py",),
    ),
    (
        "a small table lets tiles grow past its rim",
        "rules.py",
        "return not tight or fits_table(state, cell)",
        "return True",
        ("tests/test_table_size.py",),
    ),
    (
        "undo takes back two decisions",
        "game.py",
        "history = self._history[:-1]",
        "history = self._history[:-2]",
        ("tests/test_game.py",),
    ),
    (
        "a record's listed legal moves are not compared",
        "record.py",
        '    if "legal" in entry:',
        '    if "legal" in entry and explicit is None:',
        ("tests/test_record.py",),
    ),
]


def copy_sources(to: Path) -> None:
    """Copy all that the tests need, dates included."""
    for part in ("cacao_env", "tests"):
        shutil.copytree(ROOT / part, to / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", to)


def failing(copy: Path, tests: tuple[str, ...], environment: dict[str, str]) -> str:
    """The first test that fails in a copy, or "" if all pass; RuntimeError if they can't be run."""
    try:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests],
            cwd=copy,
            env={
                **os.environ,
                "PYTHONPATH": str(copy),
                "HYPOTHESIS_PROFILE": "quick",
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return f"none of them ends within {TIMEOUT} s"
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{tests} can't be run: {run.stdout[-2000:]} {run.stderr[-2000:]}")
    lines = [line for line in run.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return (lines or ["a test"])[0] if run.returncode else ""


@cache
def check_unchanged(tests: tuple[str, ...]) -> None:
    """RuntimeError if the tests fail, interpreted, without any bug planted."""
    failed = failing(ROOT, tests, {"NUMBA_DISABLE_JIT": "1"})
    if failed:
        raise RuntimeError(f"without any change: {failed}")


def caught(file: str, old: str, new: str, tests: tuple[str, ...]) -> str:
    """The test that fails, interpreted, on a copy of the sources with this change, or ""."""
    check_unchanged(tests)
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        copy_sources(copy)
        source = copy / "cacao_env" / file
        text = source.read_text(encoding="utf-8")
        source.write_text(text.replace(old, new), encoding="utf-8")
        return failing(copy, tests, {"NUMBA_DISABLE_JIT": "1"})


def check_all_apply(mutations: list[Mutation]) -> None:
    """ValueError if the text that a mutation changes is not in the sources any more."""
    for what, file, old, _, _ in mutations:
        if old not in (ROOT / "cacao_env" / file).read_text(encoding="utf-8"):
            raise ValueError(f"{what!r} can't be planted: {file} has no {old!r} to change")


def main() -> int:
    """Try all mutations, or those whose description contains a word given."""
    from tests.mutations_bots import MUTATIONS as BOTS
    from tests.mutations_compiled import MUTATIONS as BATCHES
    from tests.mutations_compiled import Workplace

    compiled = [*BATCHES, *BOTS]
    wanted = sys.argv[1:] or [""]
    check_all_apply([*MUTATIONS, *compiled])
    chosen = [m for m in [*MUTATIONS, *compiled] if any(word in m[0] for word in wanted)]
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        workplace = Workplace(Path(name))
        for mutation in chosen:
            what, file, old, new, tests = mutation
            begin = time.perf_counter()
            plant = workplace.caught if mutation in compiled else caught
            found = plant(file, old, new, tests)
            missed += not found
            seconds = time.perf_counter() - begin
            verdict = "caught" if found else "MISSED"
            print(f"{verdict}  {seconds:5.1f} s  {file}: {what}", flush=True)
            if found:
                print(f"        {found[:150]}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} planted bugs caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
