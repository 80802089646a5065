"""Rows of the batched environments: decisions, whole games, threads, Gymnasium."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from ..agents.greedy import greedy_action
from ..agents.mc import best_actions, run_passes
from ..agents.random import random_action
from ..agents.utility import UTILITY
from ..engine.decisions import step
from ..engine.jit import njit
from ..engine.observation import ObservationDtype
from ..engine.rng import below, new_rng
from ..envs.gym import CacaoEnv, CacaoVectorEnv
from ..envs.vector import VectorGames, playouts
from ..game import Game
from .timing import Task

BATCH = 64
THREADS_BATCH = 4096  # where threads are meant to be used
RECORDED = 64  # games that a row of recorded games plays over and over
TABLES = (("t15", 15), ("default", None))
UNIT = "decisions/s"
MIDDLE = 8  # turns before the position that search is timed in
SEARCHED = 16  # candidates


@njit
def random_legal(mask, rng):
    """Draw a legal action id from its mask."""
    count = 0
    for action in range(len(mask)):
        count += mask[action]
    choice = below(rng, count)
    for action in range(len(mask)):
        if mask[action]:
            if choice == 0:
                return action
            choice -= 1
    return -1


@njit
def random_legals(masks, rng, chosen):
    """Draw an action for each mask, (N, num_actions), into ``chosen``, (N,)."""
    for game in range(len(masks)):
        chosen[game] = random_legal(masks[game], rng)


def stepping(games: Any) -> Callable[[], int]:
    """Return work: batched steps with observations and masks, legal actions sampled inside."""
    rounds = max(1, 4096 // games.num_games)

    def work() -> int:
        for _ in range(rounds):
            games.step(games.sample())
        return rounds * int(games.num_games)

    return work


@njit
def replay(states, starts, chosen, lengths):
    """Play recorded games from their ``starts`` in place, one to its end after the other.

    ``chosen`` (N, longest): their actions, ``lengths`` (N,) of them.  Returns how many.
    """
    decisions = 0
    for g in range(len(states)):
        states[g] = starts[g]
        for ply in range(lengths[g]):
            step(states[g], chosen[g, ply])
        decisions += lengths[g]
    return decisions


def record_games(players: int, size: int | None) -> tuple[Any, Any, Any]:
    """(starts, chosen, lengths) of random legal games, as :func:`replay` takes them."""
    starts = VectorGames(RECORDED, num_players=players, table_size=size, seed=0).states
    games, rng = [Game(starts[g : g + 1], []).clone() for g in range(RECORDED)], new_rng(0)
    for game in games:
        while not game.over:
            game.play(int(random_action(game.states, rng)))
    lengths = np.array([game.ply for game in games])
    chosen = np.zeros((RECORDED, lengths.max()), np.int64)
    for g, game in enumerate(games):
        chosen[g, : game.ply] = game.history
    return starts, chosen, lengths


def replaying(players: int, size: int | None) -> Callable[[], int]:
    """Return work: steps of recorded games and nothing else."""
    starts, chosen, lengths = record_games(players, size)
    states = starts.copy()
    return lambda: int(replay(states, starts, chosen, lengths))


def interleaved(players: int, size: int | None) -> Callable[[], int]:
    """Return work: batched steps of recorded actions; each piece of work deals the same games."""
    games = VectorGames(BATCH, num_players=players, table_size=size, seed=0)
    states, rngs = games.states.copy(), games.rngs.copy()
    chosen = []
    for _ in range(4096 // BATCH):
        chosen.append(games.sample().copy())
        games.step(chosen[-1], look=False)

    def work() -> int:
        games.states[:], games.rngs[:] = states, rngs
        for actions in chosen:
            games.step(actions, look=False)
        return len(chosen) * BATCH

    return work


def step_groups() -> list[list[Task]]:
    """Steps with and without observation and mask, for every number of players and both tables."""
    sampled = "actions sampled in compiled code, rewards, autoreset"
    alone = "compiled step of recorded legal games, one game to its end after the other"
    batched = "VectorGames.step of recorded legal actions, 64 games interleaved, rewards, autoreset"
    groups = []
    for players in (2, 3, 4):
        for label, size in TABLES:
            games = VectorGames(BATCH, num_players=players, table_size=size, seed=0)
            name = f"p{players}.{label}"
            group = [
                Task(f"step.{name}", UNIT, alone, replaying(players, size)),
                Task(
                    f"step_observe_mask.{name}",
                    UNIT,
                    f"{sampled}, uint8 observation, mask",
                    stepping(games),
                    BATCH,
                    1,
                    games.observations[0].nbytes,
                    games.action_masks[0].nbytes,
                ),
            ]
            if name == "p2.t15":
                work = interleaved(players, size)
                group.insert(1, Task(f"step_batch.{name}", UNIT, batched, work, BATCH))
            groups.append(group)
    return groups


def playout_group() -> list[Task]:
    """Whole games at random, nothing observed."""

    def work_on(players: int) -> Callable[[], int]:
        games = VectorGames(BATCH, num_players=players, seed=0)
        return lambda: int(playouts(games.states, games.rngs, 2))

    text = "whole games, actions sampled in compiled code"
    return [Task(f"playouts.p{n}", "games/s", text, work_on(n), BATCH) for n in (2, 3, 4)]


def search_group() -> list[Task]:
    """Greedy's decisions inside the playouts of ``mc``, from the middle of games."""

    def work_on(players: int) -> Callable[[], int]:
        game = Game.new(players, 0)
        rng = new_rng(0)
        while game.turn < MIDDLE:
            game.play(int(greedy_action(game.states, rng)))
        ids, sums = np.zeros(SEARCHED, np.int64), np.zeros(SEARCHED)
        alive = best_actions(game.states, SEARCHED, ids)
        return lambda: int(run_passes(game.states, ids, alive, sums, 4, rng, UTILITY))

    text = "greedy's decisions in mc's playouts, new deals and copies included"
    return [Task(f"mc_playouts.p{n}", UNIT, text, work_on(n)) for n in (2, 3, 4)]


def threads_group() -> list[Task]:
    """Tasks of one and two threads on the same large batch."""
    tasks = []
    for threads in (1, 2):
        games = VectorGames(
            THREADS_BATCH, num_players=2, table_size=15, seed=0, num_threads=threads
        )
        text = "actions sampled in compiled code, rewards, autoreset, uint8 observation, mask"
        sizes = games.observations[0].nbytes, games.action_masks[0].nbytes
        name = f"threads.{threads}.p2.t15"
        tasks.append(Task(name, UNIT, text, stepping(games), THREADS_BATCH, threads, *sizes))
    return tasks


def gym_group() -> list[Task]:
    """One seat against a random bot: a single environment, and batches of them."""
    text = "the learner's decision and a random bot's answers, float32 observation, mask"
    drawn = "action drawn from the mask in compiled code"
    single = gymnasium.make("cacao_env/Cacao-v0", disable_env_checker=True)
    plain = single.unwrapped
    assert isinstance(plain, CacaoEnv)
    sizes = plain._games.observations[0].nbytes, plain._games.action_masks[0].nbytes
    tasks = [
        Task("gym.p2", UNIT, f"make(): {text}, {drawn}", _single(single), 1, 1, *sizes),
    ]
    rows: tuple[tuple[str, bool, ObservationDtype], ...] = (
        ("gym_vector.p2", True, "float32"),
        ("gym_vector.p2.no_copy", False, "float32"),
        ("gym_vector.p2.no_copy.uint8", False, "uint8"),
    )
    for name, copy, dtype in rows:
        envs = CacaoVectorEnv(BATCH, copy=copy, observation_dtype=dtype)
        about = f"make_vec(), copy={copy}: {text.replace('float32', dtype)}, {drawn}"
        sizes = envs.games.observations[0].nbytes, envs.games.action_masks[0].nbytes
        tasks.append(Task(name, UNIT, about, _vector(envs), BATCH, 1, *sizes))
    return tasks


def _single(env: Any) -> Callable[[], int]:
    rng = new_rng(0)
    masks = [env.reset(seed=0)[0]["action_mask"]]

    def work() -> int:
        for _ in range(200):
            observation, _, over, _, _ = env.step(random_legal(masks[0], rng))
            masks[0] = env.reset()[0]["action_mask"] if over else observation["action_mask"]
        return 200

    return work


def _vector(envs: CacaoVectorEnv) -> Callable[[], int]:
    rng, chosen = new_rng(0), np.zeros(envs.num_envs, np.int64)
    masks = [envs.reset(seed=0)[0]["action_mask"]]

    def work() -> int:
        for _ in range(16):
            random_legals(masks[0], rng, chosen)
            masks[0] = envs.step(chosen)[0]["action_mask"]
        return 16 * envs.num_envs

    return work
