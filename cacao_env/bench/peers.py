"""Other environments on the same machine: random legal play with observation and mask.

Each runs in a separate process, bound to one core, with its game most similar to Cacao.  Games
differ, so the rows compare how long a learner waits, not the quality of the code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from .aec import loop, numpy_policy
from .timing import Row

BATCH = 64
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}
Work = Callable[[], int]


def _aec(environment: Any) -> Work:
    """PettingZoo's loop with the README's policy."""
    environment.reset(seed=0)
    return loop(environment, numpy_policy())


def cacao_batch() -> Work:
    """This environment, VectorGames"""
    from ..envs.vector import VectorGames
    from .batch import stepping

    return stepping(VectorGames(BATCH, seed=0))


def cacao_aec() -> Work:
    """This environment, PettingZoo env()"""
    from ..envs.aec import env

    return _aec(env())


def pettingzoo_connect_four() -> Work:
    """PettingZoo connect_four_v3: two players fill a grid"""
    from pettingzoo.classic import connect_four_v3

    return _aec(connect_four_v3.env())


def pettingzoo_go() -> Work:
    """PettingZoo go_v5, 19 x 19: stones on a grid as large as the default table"""
    from pettingzoo.classic import go_v5

    return _aec(go_v5.env(board_size=19))


def open_spiel() -> Work:
    """OpenSpiel gin_rummy: hidden hands, open and closed draws; its Python interface"""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    rng = np.random.default_rng(0)
    states = [game.new_initial_state()]

    def work() -> int:
        decisions = 0
        while decisions < 50:
            state = states[0]
            if state.is_terminal():
                states[0] = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes())
                state.apply_action(int(rng.choice(outcomes, p=probabilities)))
            else:
                np.array(state.observation_tensor(), np.float32)
                mask = np.array(state.legal_actions_mask(), np.int8)
                state.apply_action(int(rng.choice(np.flatnonzero(mask))))
                decisions += 1
        return decisions

    return work


def rlcard() -> Work:
    """RLCard gin-rummy: hidden hands, open and closed draws"""
    import rlcard as library

    environment = library.make("gin-rummy", config={"seed": 0})
    rng = np.random.default_rng(0)
    now = list(environment.reset())

    def work() -> int:
        for _ in range(50):
            if environment.is_over():
                now[:] = environment.reset()
            state, _ = now
            now[:] = environment.step(int(rng.choice(list(state["legal_actions"]))))
        return 50

    return work


def pgx() -> Work:
    """pgx sparrow_mahjong: hidden tiles, three players; compiled, a batch on the CPU"""
    import jax
    import pgx as library
    from pgx.experimental import auto_reset

    environment = library.make("sparrow_mahjong")
    one_step = auto_reset(environment.step, environment.init)

    def turn(state: Any, key: Any) -> Any:
        """A random legal action and what follows, observation and mask included."""
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        action = jax.random.categorical(key, logits, axis=-1)
        return jax.vmap(one_step)(state, action, jax.random.split(key, BATCH))

    step, split = jax.jit(turn), jax.jit(jax.random.split)
    key, first = jax.random.split(jax.random.PRNGKey(0))
    now = [jax.jit(jax.vmap(environment.init))(jax.random.split(first, BATCH)), key]

    def work() -> int:
        for _ in range(20):
            now[1], key = split(now[1])
            now[0] = step(now[0], key)
        jax.block_until_ready((now[0].observation, now[0].legal_action_mask))
        return 20 * BATCH

    return work


def envpool() -> Work:
    """EnvPool Blackjack-v1: a hidden card; one player, no mask (all actions are legal)"""
    import envpool as library

    environment = library.make("Blackjack-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1)
    rng = np.random.default_rng(0)
    environment.reset()

    def work() -> int:
        for _ in range(50):
            environment.step(rng.integers(2, size=BATCH).astype(np.int32))
        return 50 * BATCH

    return work


def catanatron() -> Work:
    """Catanatron, 2 players: tiles, roads, hidden cards; legal actions listed, nothing observed"""
    from catanatron import Color, Game, RandomPlayer

    def new() -> Any:
        return Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)])

    games = [new()]

    def work() -> int:
        for _ in range(50):
            if games[0].winning_color() is not None:
                games[0] = new()
            games[0].play_tick()
        return 50

    return work


# Name of the row, what must be importable, the loop, batch.
PEERS: list[tuple[str, str, Callable[[], Work], int]] = [
    ("cacao_batch", "cacao_env", cacao_batch, BATCH),
    ("cacao_aec", "cacao_env", cacao_aec, 1),
    ("pettingzoo.connect_four_v3", "pettingzoo", pettingzoo_connect_four, 1),
    ("pettingzoo.go_v5", "pettingzoo", pettingzoo_go, 1),
    ("open_spiel", "pyspiel", open_spiel, 1),
    ("rlcard", "rlcard", rlcard, 1),
    ("pgx", "pgx", pgx, BATCH),
    ("envpool", "envpool", envpool, BATCH),
    ("catanatron", "catanatron", catanatron, 1),
]
_CHILD = "import sys; from cacao_env.bench.peers import main; main(sys.argv[1:])"
_PACKAGES = {"pyspiel": "open_spiel", "cacao_env": "cacao-env"}


def rows(seconds: float) -> tuple[list[Row], dict[str, str]]:
    """A row for each peer that is installed, and why the others have none."""
    found, skipped = [], {}
    for name, module, make, batch in PEERS:
        if find_spec(module) is None:
            skipped[f"peer.{name}"] = "not installed"
            continue
        ran = subprocess.run(
            [sys.executable, "-c", _CHILD, name, str(seconds)],
            capture_output=True,
            text=True,
            env={**os.environ, **ONE_THREAD},
        )
        if ran.returncode:
            reason = (ran.stderr.strip().splitlines() or ["it ended without a word"])[-1]
            missing = reason.startswith("ModuleNotFoundError")
            skipped[f"peer.{name}"] = f"{'not installed' if missing else 'did not run'}: {reason}"
            continue
        result = json.loads(ran.stdout.splitlines()[-1])
        text = f"{make.__doc__}; random legal actions; one core; {result['version']}"
        found.append(Row(f"peer.{name}", result["value"], "decisions/s", text, batch))
    return found, skipped


def run_one(name: str, seconds: float) -> dict[str, Any]:
    """Time a peer in this process, bound to one core."""
    from importlib.metadata import PackageNotFoundError, version

    from .timing import rate_once

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    _, module, make, _ = next(peer for peer in PEERS if peer[0] == name)
    work = make()
    begin = time.perf_counter()
    while time.perf_counter() - begin < min(1.0, seconds):  # also lets a compiler finish
        work()
    value = float(np.median([rate_once(work, seconds / 5) for _ in range(5)]))
    try:
        about = f"{module} {version(_PACKAGES.get(module, module))}"
    except PackageNotFoundError:
        about = module
    return {"name": name, "value": value, "version": about}


def main(arguments: list[str]) -> None:
    """What the process of a peer runs: its name and the seconds; prints the result."""
    print(json.dumps(run_one(arguments[0], float(arguments[1]))))
