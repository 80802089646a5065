"""Bugs for batches, whose tests take too long interpreted: run by :mod:`tests.mutations`.

Each, like those of :mod:`tests.mutations_bots`, is compiled in a folder of its own, with what is
compiled of the unchanged modules before the changed one copied there first: modules import only from
those before them, so it is still valid.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.mutations import Mutation, copy_sources, failing
from tests.test_architecture import LAYERS

BATCH = ("tests/test_threads.py", "-k")
SHARES = (*BATCH, "one_share")
THREADS = (*BATCH, "threads_changes or its_own")
SKIPS = (*BATCH, "by_hand or add_up")
REFUSALS = (*BATCH, "illegal")
EQUIVALENCE = ("tests/test_equivalence.py", "-k", "batch and 2-True-auto")
POLICY, KEEPING = ("tests/test_policy_opponent.py",), ("tests/test_keeping.py",)

# What is broken, file, text, replacement, tests that must fail.
MUTATIONS: list[Mutation] = [
    (
        "a batch's shares leave a game out",
        "threads.py",
        "slice(first, last) for",
        "slice(first + (first > 0), last) for",
        SHARES,
    ),
    (
        "a batch's share is given whole arrays",
        "threads.py",
        "else argument[share]",
        "else argument",
        SHARES,
    ),
    (
        "a batch deals with the random numbers of each share's first game",
        "vector.py",
        "_finish(state, rngs[g : g + 1], scores",
        "_finish(state, rngs[0:1], scores",
        THREADS,
    ),
    (
        "a batch samples with the random numbers of each share's first game",
        "vector.py",
        "chosen[g] = sample(states[g], rngs[g : g + 1])",
        "chosen[g] = sample(states[g], rngs[0:1])",
        THREADS,
    ),
    (
        "a batch's opponents draw the random numbers of their neighbour",
        "vector.py",
        "play_others(states[one], learners[one], kinds[one], rngs[one], choices)",
        "play_others(states[one], learners[one], kinds[one], rngs[max(0, g - 1) : max(1, g)], choices)",
        SKIPS,
    ),
    (
        "a batch with threads steps one share before it has asked another",
        "vector.py",
        "if self._shares.several:",
        "if False:",
        REFUSALS,
    ),
    (
        "a batch asks its first game only whether its action is legal",
        "vector.py",
        "wrong = first_refused(states, chosen)",
        "wrong = first_refused(states[:1], chosen)",
        REFUSALS,
    ),
    (
        "a batch names a refused game by its place in the share",
        "vector.py",
        "share.start + number",
        "number",
        REFUSALS,
    ),
    (
        "a batch skips one decision too far",
        "vector.py",
        "        _look(state, seen[g], masks[g], seats[one])",
        "        step(state, sample(state, rngs[one]))\n"
        "        _look(state, seen[g], masks[g], seats[one])",
        SKIPS,
    ),
    (
        "a batch's greedy opponents play at random",
        "vector.py",
        "if kinds[g] == GREEDY:",
        "if kinds[g] == RANDOM:",
        SKIPS,
    ),
    (
        "a batch forgets what a seat earned before others played",
        "vector.py",
        "rewards[g, seat] += each[seat]",
        "rewards[g, seat] = each[seat]",
        SKIPS,
    ),
    (
        "a batch counts a new game's opening to the game before",
        "vector.py",
        "if state.phase == OVER or not (new or terminations[g]):",
        "if True:",
        SKIPS,
    ),
    (
        "a batch's final scores are of the game after",
        "vector.py",
        "        final[seat] = scores[seat]\n    potentials[:] = 0\n    deal_anew(state, rng)",
        "        pass\n    potentials[:] = 0\n    deal_anew(state, rng)\n"
        "    for seat in range(state.num_players):\n        final[seat] = state.gold[seat]",
        EQUIVALENCE,
    ),
    (
        "a batch shows the mask of the game that is over",
        "vector.py",
        "if looking:  # at once",
        "if looking and not terminations[g]:  # at once",
        EQUIVALENCE,
    ),
    (
        "a batch measures a new game's shaped reward from the end of the last",
        "vector.py",
        "    potentials[:] = 0\n    deal_anew",
        "    deal_anew",
        EQUIVALENCE,
    ),
    (
        "a batch names whose turn it is, not who decides",
        "vector.py",
        "seat[0] = state.seat",
        "seat[0] = state.active",
        EQUIVALENCE,
    ),
    (
        "a batch keeps every sample",
        "vector.py",
        "        return self._chosen\n",
        '        self.__dict__.setdefault("kept", []).append(self._chosen.copy())\n'
        "        return self._chosen\n",
        (*BATCH, "memory and sample"),
    ),
    (
        "a batch makes new observations at every step",
        "vector.py",
        "        self._refuse(refused)\n        self._new",
        "        self.observations = self.observations.copy()\n        self._new",
        (*BATCH, "memory and step"),
    ),
    (
        "a number beyond 64 bits becomes another action",
        "vector.py",
        "if too_large is not None and too_large.any():",
        "if False:",
        (*BATCH, "wrong_shape"),
    ),
    (
        "a policy sees what the learner sees",
        "versus_loops.py",
        "observe_into(state, state.seat, seen[count])",
        "observe_into(state, learners[g], seen[count])",
        POLICY,
    ),
    (
        "a policy plays for the learner, too",
        "versus_loops.py",
        "if state.phase != OVER and state.seat != learners[g]:\n            numbers",
        "if state.phase != OVER and (count < 1 or state.seat != learners[g]):\n            numbers",
        POLICY,
    ),
    (
        "a policy's actions go to the first games",
        "versus_loops.py",
        "step(states[numbers[i]], chosen[i])",
        "step(states[i], chosen[i])",
        POLICY,
    ),
    (
        "a policy has all games or none",
        "versus.py",
        "np.append(odds * (1 - share), share)",
        "np.append(odds * 0, 1)",
        POLICY,
    ),
    (
        "a policy's illegal action is played",
        "versus_loops.py",
        "if refusal(states[numbers[i]], chosen[i]) != LEGAL:",
        "if refusal(states[numbers[i]], chosen[i]) == 12345:",
        POLICY,
    ),
    (
        "games kept forget how often each drew",
        "versus.py",
        '_KEPT = ("rngs", ',
        "_KEPT = (",
        KEEPING,
    ),
    (
        "games kept forget what their shaped rewards were measured from",
        "vector.py",
        '"_samplers", "_potentials", ',
        '"_samplers", ',
        KEEPING,
    ),
    (
        "games kept are views of the games",
        "keeping.py",
        "getattr(games, name).copy() for",
        "getattr(games, name) for",
        KEEPING,
    ),
    (
        "games under other rules are taken over",
        "keeping.py",
        "if (states[name] != games.states[name]).any():",
        "if False:",
        KEEPING,
    ),
    (
        "games that are refused are taken over in part",
        "keeping.py",
        "    states = np.asc",
        '    games.rngs[...] = arrays["rngs"]\n    states = np.asc',
        KEEPING,
    ),
]
LEVELS = {module: level for level, layer in enumerate(LAYERS) for module in layer}


class Workplace:
    """One copy of the sources, always at the same place: Numba ties what it keeps to the path."""

    def __init__(self, folder: Path) -> None:
        self._copy, self._environment = folder / "copy", {"NUMBA_CACHE_DIR": str(folder / "cache")}
        self._passed: set[tuple[str, ...]] = set()
        self._before: Path | None = None

    def caught(self, file: str, old: str, new: str, tests: tuple[str, ...]) -> str:
        """The test that fails, compiled, with this change, or ""; without it all must pass."""
        if self._before is None:
            copy_sources(self._copy)
            self._before = self._cache()
        if tests not in self._passed:
            failed = failing(self._copy, tests, self._environment)
            if failed:
                raise RuntimeError(f"without any change: {failed}")
            self._passed.add(tests)
        source = self._copy / "cacao_env" / file
        text, dates = source.read_text(encoding="utf-8"), source.stat()
        source.write_text(text.replace(old, new), encoding="utf-8")
        cache = self._cache()
        try:
            self._keep_valid(file.removesuffix(".py").replace("/", "."), cache)
            return failing(self._copy, tests, self._environment)
        finally:
            shutil.rmtree(cache)
            source.write_text(text, encoding="utf-8")
            os.utime(source, ns=(dates.st_atime_ns, dates.st_mtime_ns))

    def _cache(self) -> Path:
        """Where the copy as it is now keeps what it compiles."""
        run = subprocess.run(
            [sys.executable, "-c", "from cacao_env.engine.jit import CACHE; print(CACHE)"],
            cwd=self._copy,
            env={**os.environ, "PYTHONPATH": "", **self._environment, "NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        return Path(run.stdout.strip())

    def _keep_valid(self, changed: str, cache: Path) -> None:
        """Copy what is compiled of the modules that can't import the changed one."""
        assert self._before is not None
        for kept in self._before.rglob("*.*"):
            package = kept.parent.name.rsplit("_", 1)[0].removeprefix("cacao_env")
            module = f"{package}.{kept.name.split('.')[0]}".removeprefix(".")
            if kept.suffix in (".nbi", ".nbc"):
                if module == changed or LEVELS[module] > LEVELS[changed]:
                    continue
            elif kept.suffix != ".done":
                continue
            target = cache / kept.relative_to(self._before)
            target.parent.mkdir(exist_ok=True)
            shutil.copy2(kept, target)
