"""Other environments on the same machine: random legal play with observation and mask.

Each runs in a separate process, bound to one core, with its game most similar to Cacao.  Games
differ, so the rows compare how long a learner waits, not the quality of the code.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np

from .pettingzoo import loop, numpy_policy
from .rows import BATCH, stepping
from .timing import Row, Work, rate_once

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


def _aec(environment: Any) -> Work:
    """PettingZoo's loop with the README's policy."""
    environment.reset(seed=0)
    return loop(environment, numpy_policy())


def _many(turn: Callable[[], object], count: int, each: int = 1) -> Work:
    """Return work: ``count`` turns of ``each`` decisions."""

    def work() -> int:
        for _ in range(count):
            turn()
        return count * each

    return work


def cacao_batch() -> Work:
    """This environment, VectorGames"""
    from ..envs.vector import VectorGames

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

    game, rng = pyspiel.load_game("gin_rummy"), np.random.default_rng(0)
    state = game.new_initial_state()

    def decide() -> None:
        nonlocal state
        while state.is_terminal() or state.is_chance_node():
            if state.is_terminal():
                state = game.new_initial_state()
                continue
            outcomes, probabilities = zip(*state.chance_outcomes())
            state.apply_action(int(rng.choice(outcomes, p=probabilities)))
        np.array(state.observation_tensor(), np.float32)
        mask = np.array(state.legal_actions_mask(), np.int8)
        state.apply_action(int(rng.choice(np.flatnonzero(mask))))

    return _many(decide, 50)


def rlcard() -> Work:
    """RLCard gin-rummy: hidden hands, open and closed draws"""
    import rlcard as library

    environment = library.make("gin-rummy", config={"seed": 0})
    rng = np.random.default_rng(0)
    state, _ = environment.reset()

    def decide() -> None:
        nonlocal state
        if environment.is_over():
            state, _ = environment.reset()
        state, _ = environment.step(int(rng.choice(list(state["legal_actions"]))))

    return _many(decide, 50)


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
    state = jax.jit(jax.vmap(environment.init))(jax.random.split(first, BATCH))

    def work() -> int:
        nonlocal state, key
        for _ in range(20):
            key, own = split(key)
            state = step(state, own)
        jax.block_until_ready((state.observation, state.legal_action_mask))
        return 20 * BATCH

    return work


def envpool() -> Work:
    """EnvPool Blackjack-v1: a hidden card; one player, no mask (all actions are legal)"""
    import envpool as library

    environment = library.make("Blackjack-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1)
    rng = np.random.default_rng(0)
    environment.reset()
    return _many(lambda: environment.step(rng.integers(2, size=BATCH).astype(np.int32)), 50, BATCH)


def catanatron() -> Work:
    """Catanatron, 2 players: tiles, roads, hidden cards; legal actions listed, nothing observed"""
    from catanatron import Color, Game, RandomPlayer

    game: Any = None

    def decide() -> None:
        nonlocal game
        if game is None or game.winning_color() is not None:
            game = Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)])
        game.play_tick()

    return _many(decide, 50)


# By the name of the row: the package that must be installed, its module, the loop, batch.
PEERS: dict[str, tuple[str, str, Callable[[], Work], int]] = {
    "cacao_batch": ("cacao-env", "cacao_env", cacao_batch, BATCH),
    "cacao_aec": ("cacao-env", "cacao_env", cacao_aec, 1),
    "pettingzoo.connect_four_v3": ("pettingzoo", "pettingzoo", pettingzoo_connect_four, 1),
    "pettingzoo.go_v5": ("pettingzoo", "pettingzoo", pettingzoo_go, 1),
    "open_spiel": ("open_spiel", "pyspiel", open_spiel, 1),
    "rlcard": ("rlcard", "rlcard", rlcard, 1),
    "pgx": ("pgx", "pgx", pgx, BATCH),
    "envpool": ("envpool", "envpool", envpool, BATCH),
    "catanatron": ("catanatron", "catanatron", catanatron, 1),
}
_CHILD = "import sys; from cacao_env.bench.peers import run_one; run_one(*sys.argv[1:])"


def rows(seconds: float) -> tuple[list[Row], dict[str, str]]:
    """Return a row for each peer that is installed, and why the others have none."""
    found, skipped = [], {}
    for name, (package, module, make, batch) in PEERS.items():
        if find_spec(module) is None:
            skipped[f"peer.{name}"] = "not installed"
            continue
        command = [sys.executable, "-c", _CHILD, name, str(seconds)]
        env = {**os.environ, **ONE_THREAD}
        ran = subprocess.run(command, capture_output=True, text=True, env=env)
        if ran.returncode:
            reason = (ran.stderr.strip().splitlines() or ["it ended without a word"])[-1]
            missing = reason.startswith("ModuleNotFoundError")
            skipped[f"peer.{name}"] = f"{'not installed' if missing else 'did not run'}: {reason}"
            continue
        text = f"{make.__doc__}; random legal actions; one core; {_named(package, module)}"
        rate = float(ran.stdout.splitlines()[-1])
        found.append(Row(f"peer.{name}", "decisions/s", text, batch=batch, value=rate))
    return found, skipped


def _named(package: str, module: str) -> str:
    try:
        return f"{module} {version(package)}"
    except PackageNotFoundError:
        return module


def run_one(name: str, seconds: str) -> None:
    """Time a peer in this process, bound to one core, and print decisions/s."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    work, begin = PEERS[name][2](), time.perf_counter()
    while time.perf_counter() - begin < min(1.0, float(seconds)):  # also lets a compiler finish
        work()
    print(float(np.median([rate_once(work, float(seconds) / 5) for _ in range(5)])))
