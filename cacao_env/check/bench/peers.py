"""Other environments on the same machine: random legal play with observation and mask.

Each runs in a separate process, bound to one core, with its game most similar to Cacao.  Games
differ, so the rows compare how long a learner waits, not the quality of the code.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import numpy as np

from .rows import BATCH, numpy_policy, pettingzoo_loop, stepping
from .timing import Row, pieces, rate_once

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}
RNG = np.random.default_rng(0)


def cacao_batch() -> Iterator[int]:
    """This environment, VectorGames"""
    from ...envs.vector import VectorGames

    return stepping(VectorGames(BATCH, seed=0))


def cacao_aec() -> Iterator[int]:
    """This environment, PettingZoo env()"""
    from ...envs.aec import env

    return pettingzoo_loop(env(), numpy_policy())


def connect_four() -> Iterator[int]:
    """PettingZoo connect_four_v3: two players fill a grid"""
    from pettingzoo.classic import connect_four_v3

    return pettingzoo_loop(connect_four_v3.env(), numpy_policy())


def go() -> Iterator[int]:
    """PettingZoo go_v5, 19 x 19: stones on a grid as large as the default table"""
    from pettingzoo.classic import go_v5

    return pettingzoo_loop(go_v5.env(board_size=19), numpy_policy())


def open_spiel() -> Iterator[int]:
    """OpenSpiel gin_rummy: hidden hands, open and closed draws; its Python interface"""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes())
                state.apply_action(int(RNG.choice(outcomes, p=probabilities)))
                continue
            np.array(state.observation_tensor(), np.float32)
            mask = np.array(state.legal_actions_mask(), np.int8)
            state.apply_action(int(RNG.choice(np.flatnonzero(mask))))
            yield 1


def rlcard() -> Iterator[int]:
    """RLCard gin-rummy: hidden hands, open and closed draws"""
    import rlcard as library

    environment = library.make("gin-rummy", config={"seed": 0})
    while True:
        state, _ = environment.reset()
        while not environment.is_over():
            state, _ = environment.step(int(RNG.choice(list(state["legal_actions"]))))
            yield 1


def pgx() -> Iterator[int]:
    """pgx sparrow_mahjong: hidden tiles, three players; compiled, a batch on the CPU"""
    import jax
    import pgx as library
    from pgx.experimental import auto_reset

    environment = library.make("sparrow_mahjong")
    one_step = auto_reset(environment.step, environment.init)

    @jax.jit
    def turn(state, key):
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        action = jax.random.categorical(key, logits, axis=-1)
        return jax.vmap(one_step)(state, action, jax.random.split(key, BATCH))

    split = jax.jit(jax.random.split)
    key, first = jax.random.split(jax.random.PRNGKey(0))
    state = jax.jit(jax.vmap(environment.init))(jax.random.split(first, BATCH))
    while True:
        key, own = split(key)
        state = turn(state, own)
        jax.block_until_ready((state.observation, state.legal_action_mask))
        yield BATCH


def envpool() -> Iterator[int]:
    """EnvPool Blackjack-v1: a hidden card; one player, no mask (all actions are legal)"""
    import envpool as library

    environment = library.make("Blackjack-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1)
    environment.reset()
    while True:
        environment.step(RNG.integers(2, size=BATCH).astype(np.int32))
        yield BATCH


def catanatron() -> Iterator[int]:
    """Catanatron, 2 players: tiles, roads, hidden cards; legal actions listed, nothing observed"""
    from catanatron import Color, Game, RandomPlayer

    while True:
        game = Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)])
        while game.winning_color() is None:
            game.play_tick()
            yield 1


# By the name of the row: the package that must be installed, its module, random play, batch.
PEERS: dict[str, tuple[str, str, Callable[[], Iterator[int]], int]] = {
    "cacao_batch": ("cacao-env", "cacao_env", cacao_batch, BATCH),
    "cacao_aec": ("cacao-env", "cacao_env", cacao_aec, 1),
    "pettingzoo.connect_four_v3": ("pettingzoo", "pettingzoo", connect_four, 1),
    "pettingzoo.go_v5": ("pettingzoo", "pettingzoo", go, 1),
    "open_spiel": ("open_spiel", "pyspiel", open_spiel, 1),
    "rlcard": ("rlcard", "rlcard", rlcard, 1),
    "pgx": ("pgx", "pgx", pgx, BATCH),
    "envpool": ("envpool", "envpool", envpool, BATCH),
    "catanatron": ("catanatron", "catanatron", catanatron, 1),
}
_CHILD = "import sys; from cacao_env.check.bench.peers import run_one; run_one(*sys.argv[1:])"


def rows(seconds: float) -> tuple[list[Row], dict[str, str]]:
    """Return a row for each peer that is installed, and why the others have none."""
    found, skipped = [], {}
    for name, (package, module, play, batch) in PEERS.items():
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
        try:
            named = f"{module} {version(package)}"
        except PackageNotFoundError:
            named = module
        text = f"{play.__doc__}; random legal actions; one core; {named}"
        rate = float(ran.stdout.splitlines()[-1])
        found.append(Row(f"peer.{name}", "decisions/s", text, batch=batch, value=rate))
    return found, skipped


def run_one(name: str, seconds: str) -> None:
    """Time a peer in this process, bound to one core, and print decisions/s."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    work = pieces(PEERS[name][2](), 50)
    rate_once(work, min(1.0, float(seconds)))  # also lets a compiler finish
    print(statistics.median(rate_once(work, float(seconds) / 5) for _ in range(5)))
