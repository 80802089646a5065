"""The rows: steps, whole games, search, threads, PettingZoo, Gymnasium.

A loop over games is a generator without an end, which yields how much each of its steps has done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

from ...agents.greedy import greedy_action
from ...agents.mc import best_actions, run_passes
from ...agents.random import random_action
from ...agents.utility import UTILITY
from ...engine.jit import njit
from ...engine.rng import RngArray, below, new_rng
from ...engine.state import StateArray
from ...engine.types import i1x1, i1x2, i8, i8x1, i8x2
from ...envs.aec import env, raw_env, wrap
from ...envs.gym import CacaoVectorEnv
from ...envs.vector import VectorGames, playouts
from ...game import Game
from ...greedy.candidates import Candidates
from ...greedy.turn import step_turn
from .timing import Row, Work, measure, pieces

BATCH = 64
THREADS_BATCH = 4096  # where threads are meant to be used
STEPS = 4096  # of a piece of work with a batch
RECORDED = 64  # games that a row of recorded games plays over and over
UNIT = "decisions/s"
MIDDLE = 8  # turns before the position that search is timed in
SEARCHED = 16  # candidates
BUFFER = 2**27  # bytes, more than any cache holds
TYPICAL = 5  # seed of a typical game, which the ceiling's masks are from
Policy = Callable[[Any], Any]  # mask -> action


@njit
def random_legal(mask: i1x1, rng: RngArray) -> i8:
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
def random_legals(masks: i1x2, rng: RngArray, chosen: i8x1) -> None:
    """Draw an action for each mask, (N, num_actions), into ``chosen``, (N,)."""
    for game in range(len(masks)):
        chosen[game] = random_legal(masks[game], rng)


# --- Compiled steps -----------------------------------------------------------------------------


def stepping(games: Any) -> Iterator[int]:
    """Step a batch with observations and masks; legal actions are sampled inside."""
    while True:
        games.step(games.sample())
        yield games.num_games


@njit
def replay(states: StateArray, starts: StateArray, chosen: i8x2, lengths: i8x1) -> i8:
    """Play recorded games from their ``starts`` in place, one to its end after the other.

    ``chosen`` (N, longest): their actions, ``lengths`` (N,) of them.  Returns how many.
    """
    decisions = 0
    for g in range(len(states)):
        states[g] = starts[g]
        for ply in range(lengths[g]):
            step_turn(states[g], chosen[g, ply])
        decisions += lengths[g]
    return decisions


def record_games(players: int, size: int | None) -> tuple[Any, Any, Any]:
    """Return (starts, chosen, lengths) of random legal games, as :func:`replay` takes them."""
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


def interleaved(players: int, size: int | None) -> Work:
    """Return work: batched steps of recorded actions; each piece of work deals the same games."""
    games = VectorGames(BATCH, num_players=players, table_size=size, seed=0)
    states, rngs = games.states.copy(), games.rngs.copy()
    chosen = []
    for _ in range(STEPS // BATCH):
        chosen.append(games.sample().copy())
        games.step(chosen[-1], look=False)

    def work() -> int:
        games.states[:], games.rngs[:] = states, rngs
        for actions in chosen:
            games.step(actions, look=False)
        return STEPS

    return work


def observed(name: str, games: Any, work: Work, threads: int = 1) -> Row:
    """Return a row with the sizes of the games' observations and masks."""
    sizes = games.observations[0].nbytes, games.action_masks[0].nbytes
    return Row(name, UNIT, work, games.num_games, threads, *sizes)


def batch_row(name: str, games: Any, threads: int = 1) -> Row:
    """Return a row of batched steps at random, sampled in compiled code."""
    work = pieces(stepping(games), max(1, STEPS // games.num_games))
    return observed(name, games, work, threads)


def step_group(players: int, label: str, size: int | None) -> list[Row]:
    """Return steps with and without observation and mask."""
    name = f"p{players}.{label}"
    starts, chosen, lengths = record_games(players, size)
    states = starts.copy()
    rows = [Row(f"step.{name}", UNIT, lambda: replay(states, starts, chosen, lengths))]
    if name == "p2.t15":
        rows.append(Row(f"step_batch.{name}", UNIT, interleaved(players, size), BATCH))
    games = VectorGames(BATCH, num_players=players, table_size=size, seed=0)
    return [*rows, batch_row(f"step_observe_mask.{name}", games)]


def candidates_row(rows: int, replies: int) -> Row:
    """Return batched steps at random, seen as rows of candidates."""
    size = Candidates(rows, replies)
    games = VectorGames(BATCH, decisions="turn" if replies else "auto", observation=size, seed=0)
    return batch_row(f"candidates.{rows}.{replies}", games)


def playout_row(players: int) -> Row:
    """Return whole games at random, nothing observed."""
    games = VectorGames(BATCH, num_players=players, seed=0)
    work = lambda: int(playouts(games.states, games.rngs, 2))  # noqa: E731
    return Row(f"playouts.p{players}", "games/s", work, BATCH)


def search_row(players: int) -> Row:
    """Return greedy's decisions inside the playouts of ``mc``, from the middle of a game."""
    game, rng = Game.new(players, 0), new_rng(0)
    while game.turn < MIDDLE:
        game.play(int(greedy_action(game.states, rng)))
    ids, sums = np.zeros(SEARCHED, np.int64), np.zeros(SEARCHED)
    alive = best_actions(game.states, SEARCHED, ids)
    work = lambda: int(run_passes(game.states, ids, alive, sums, 4, rng, UTILITY))  # noqa: E731
    return Row(f"mc_playouts.p{players}", UNIT, work)


def threads_rows(seconds: float, slices: int) -> list[Row]:
    """Measure one and two threads on the same large batch, and the second over the first."""
    one, two = (
        batch_row(
            f"threads.{threads}.p2.t15",
            VectorGames(THREADS_BATCH, table_size=15, seed=0, num_threads=threads),
            threads,
        )
        for threads in (1, 2)
    )
    measure([one, two], seconds, slices)
    over = Row("threads_speedup.p2.t15", "times", batch=two.batch, threads=two.threads)
    over.value = two.value / one.value
    return [one, two, over]


# --- PettingZoo and Gymnasium -------------------------------------------------------------------


class NothingEnv(raw_env):
    """The ceiling: PettingZoo's loop over an environment of the same shape that does nothing.

    It has the agents, spaces and dicts of :class:`~cacao_env.envs.aec.raw_env`.  It hands out copies of
    one observation, and of the masks of a whole random game one after the other, so that drawing an
    action from them costs what it costs in a real game; agents act in turns.
    """

    def __init__(self) -> None:
        super().__init__()
        rng, seen = np.random.default_rng(TYPICAL), []
        super().reset(seed=TYPICAL)
        while not self.game.over:
            seen.append(super().observe(self.agent_selection))
            super().step(int(rng.choice(np.flatnonzero(seen[-1]["action_mask"]))))
        self._observation = seen[len(seen) // 2]["observation"]
        self._masks = [one["action_mask"] for one in seen]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin again."""
        self._begin()
        self.agent_selection = self.agents[0]
        self._ply = 0

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation and the mask, each a new array."""
        mask = self._masks[self._ply % len(self._masks)]
        return {"observation": self._observation.copy(), "action_mask": mask.copy()}

    def step(self, action: Any) -> None:
        """Let the next agent act; after the last mask all agents are done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._ply += 1
        if self._ply == len(self._masks):
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[self._ply % len(self.possible_agents)]
        self._accumulate_rewards()


def pettingzoo_loop(environment: Any, choose: Policy) -> Iterator[int]:
    """Take the steps of PettingZoo's loop."""
    while True:
        environment.reset()
        while True:
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                break
            environment.step(choose(observation["action_mask"]))
            yield 1


def pettingzoo_groups() -> list[tuple[Row, Row]]:
    """Return each environment beside its ceiling, with either policy."""
    rng, numbers = new_rng(0), np.random.default_rng(0)
    policies: tuple[tuple[str, Policy], ...] = (
        ("", lambda m: numbers.choice(np.flatnonzero(m))),
        ("_lean", lambda m: random_legal(m, rng)),
    )

    def row(name: str, environment: Any, policy: Policy) -> Row:
        environment.reset(seed=0)
        seen = environment.observe(environment.agent_selection)
        work = pieces(pettingzoo_loop(environment, policy), 100)
        sizes = seen["observation"].nbytes, seen["action_mask"].nbytes
        return Row(name, UNIT, work, 1, 1, *sizes)

    return [
        (row(f"{name}{lean}.p2", real, policy), row(f"{name}{lean}_ceiling.p2", ceiling, policy))
        for lean, policy in policies
        for name, real, ceiling in (
            ("aec_raw", raw_env(), NothingEnv()),
            ("aec", env(), wrap(NothingEnv())),
        )
    ]


def gym_group() -> list[Row]:
    """Return one seat against a random bot: a single environment, and batches of them."""
    one, rng = gymnasium.make("cacao_env/Cacao-v0", disable_env_checker=True), new_rng(0)

    def single() -> Iterator[int]:
        while True:
            (seen, _), over = one.reset(), False
            while not over:
                seen, _, over, _, _ = one.step(random_legal(seen["action_mask"], rng))
                yield 1

    def batch(envs: CacaoVectorEnv) -> Iterator[int]:
        masks, chosen = envs.reset(seed=0)[0]["action_mask"], np.zeros(envs.num_envs, np.int64)
        while True:
            random_legals(masks, rng, chosen)
            masks = envs.step(chosen)[0]["action_mask"]
            yield envs.num_envs

    one.reset(seed=0)
    games: Any = one.unwrapped
    rows = [observed("gym.p2", games.games, pieces(single(), 200))]
    for name, copy, dtype in (
        ("gym_vector.p2", True, "float32"),
        ("gym_vector.p2.no_copy", False, "float32"),
        ("gym_vector.p2.no_copy.uint8", False, "uint8"),
    ):
        envs = CacaoVectorEnv(BATCH, copy=copy, observation_dtype=dtype)
        rows.append(observed(name, envs.games, pieces(batch(envs), 16)))
    return rows


# --- All -------------------------------------------------------------------------------------


def bandwidth_row() -> Row:
    """Return the filling of a large array by one thread."""
    buffer = np.zeros(BUFFER, np.uint8)

    def work() -> int:
        buffer.fill(1)
        return BUFFER

    return Row("write_bandwidth", "bytes/s", work)


def all_rows(seconds: float, slices: int) -> Iterator[Row]:
    """Measure all rows but the first, and yield each when it is ready."""
    for players in (2, 3, 4):
        for label, size in (("t15", 15), ("default", None)):
            yield from measure(step_group(players, label, size), seconds, slices)
    yield from measure([candidates_row(48, 0), candidates_row(24, 16)], seconds, slices)
    yield from measure([playout_row(players) for players in (2, 3, 4)], seconds, slices)
    yield from measure([search_row(players) for players in (2, 3, 4)], seconds, slices)
    yield from threads_rows(seconds, slices)
    for ours, ceiling in pettingzoo_groups():
        measure([ours, ceiling], 2 * seconds, slices)
        ours.of_ceiling = ours.value / ceiling.value
        yield from (ours, ceiling)
    yield from measure(gym_group(), seconds, slices)
