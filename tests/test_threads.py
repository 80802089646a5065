"""Batches on any number of threads, seats played by opponents, refusals and memory."""

import gc
import re
import threading
import tracemalloc

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.greedy import greedy_action
from cacao_env.agents.random import random_action
from cacao_env.engine.jit import BY_NUMBA
from cacao_env.engine.rewards import REWARDS
from cacao_env.engine.rng import new_rng
from cacao_env.envs.threads import Workers
from cacao_env.envs.vector import VectorGames, playouts
from cacao_env.envs.versus import VersusGames
from tests.games import as_dealt, play, relative_scores
from tests.tiers import mostly_slow

KINDS = [
    {"num_players": 2, "table_size": 15, "reward": "shaped"},
    {"num_players": 3, "volcanoes": True, "decisions": "explicit", "reward": "relative_score"},
    {"num_players": 4, "table_size": 15, "volcanoes": True},
]
ARRAYS = (
    *("states", "rngs", "_samplers", "_potentials", "observations", "action_masks", "seats"),
    *("rewards", "terminations", "final_scores"),
)


def everything(games: VectorGames) -> dict[str, bytes]:
    return {name: getattr(games, name).tobytes() for name in ARRAYS}


# --- Threads --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_number_of_threads_changes_nothing(kind):
    threads = (1, 2, 3, 20)  # 20 are more than there are games
    batches = [VectorGames(7, **kind, seed=5, num_threads=count) for count in threads]
    ended = 0
    for number in range(240):
        samples = [batch.sample().copy() for batch in batches]
        for batch, chosen in zip(batches, samples):
            assert chosen.tolist() == samples[0].tolist()
            batch.step(chosen, look=number % 3 != 0)
        ended += int(batches[0].terminations.sum())
        first = everything(batches[0])
        for batch in batches[1:]:
            assert everything(batch) == first
    assert ended > 7
    found = [
        Workers(7, count).run(playouts, batch.states, batch.rngs, 2)
        for count, batch in zip(threads, batches)
    ]
    assert [sum(played) for played in found] == [14] * len(threads)
    assert len({batch.states.tobytes() + batch.rngs.tobytes() for batch in batches}) == 1


def test_a_seed_gives_the_same_games_which_differ():
    first = VectorGames(4, **KINDS[0], seed=2**64 - 1)
    assert len({observation.tobytes() for observation in first.observations}) == 4
    same, other = (VectorGames(4, **KINDS[0], seed=seed) for seed in (2**64 - 1, 0))
    assert everything(first) == everything(same) != everything(other)
    assert not first.rewards.any()
    for _ in range(30):  # so that the potentials of shaped rewards are not those of the deal
        first.step(first.sample())
    first.rewards[:], first.terminations[:] = 0.5, True  # of an earlier step
    first.reset(2**64 - 1)
    assert everything(first) == everything(same)


@pytest.mark.parametrize("wrong", [0, -1, 1025])
def test_a_wrong_number_of_threads_is_named(wrong):
    with pytest.raises(ValueError, match=f"^num_threads is {wrong}, expected 1 to 1024$"):
        VectorGames(4, num_threads=wrong)


# --- Other seats played by a bot ------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["greedy", "random"])
@pytest.mark.parametrize("mode", mostly_slow(REWARDS, fast=[REWARDS.index("shaped")]))
@pytest.mark.parametrize("players", mostly_slow([2, 3, 4], fast=[1]))
def test_opponents_play_as_by_hand(players, mode, opponent):
    choose = {"random": random_action, "greedy": greedy_action}[opponent]
    options = {"num_players": players, "volcanoes": players == 3, "table_size": 15}
    games = VersusGames(6, opponent, **options, reward=mode, seed=1)
    ended, begun = 0, np.ones(6, bool)
    while ended < 7:
        singles = [games.game(g) for g in range(6)]
        rngs, seats = games.rngs.copy(), games.learners.tolist()
        chosen = games.action_masks.argmax(axis=1)
        games.step(chosen, deal=False)
        for g, (game, seat) in enumerate(zip(singles, seats)):
            earned = 0.0
            if begun[g] and mode == "shaped":  # with what came before the learner's first decision
                earned = relative_scores(game)[seat] - relative_scores(as_dealt(game))[seat]
            earned += play(game, int(chosen[g]))[mode][seat]
            while not game.over and game.seat != seat:
                earned += play(game, int(choose(game.states, rngs[g : g + 1])))[mode][seat]
            assert games.states[g].tobytes() == game.states.tobytes()
            assert games.rngs[g] == rngs[g]
            assert games.dones[g] == game.over
            assert games.rewards[g] == pytest.approx(earned, abs=1e-5)
        begun = games.dones.copy()
        ended += begun.sum()
        games.deal(begun)


# --- Refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(("bad", "threads"), [(17, 1), (0, 2), (63, 3)])
def test_an_illegal_action_names_game_seat_and_action_and_no_game_advances(bad, threads):
    games = VectorGames(64, num_players=3, table_size=15, seed=2, num_threads=threads)
    for _ in range(20):
        games.step(games.sample())
    chosen = games.sample().copy()
    seat = int(games.seats[bad])
    occupied = int(np.flatnonzero(games.action_masks[bad] == 0)[0])
    before = everything(games)
    for action in (occupied, -1, games.action_masks.shape[1], 2**31, 2**62, -(2**63)):
        wrong = chosen.copy()
        wrong[bad] = action
        with pytest.raises(ValueError) as error:
            games.step(wrong)
        assert str(error.value).startswith(f"game {bad}, seat {seat}: illegal action {action}")
        assert "\n" not in str(error.value)
        assert everything(games) == before
    games.step(chosen)  # nothing is left of what was refused
    other = VectorGames(64, num_players=3, table_size=15, seed=2)
    for _ in range(21):
        other.step(other.sample())
    assert everything(games) == everything(other)


@pytest.mark.parametrize("threads", [1, 3])
def test_actions_of_a_wrong_shape_or_type_are_refused(threads):
    games = VectorGames(4, seed=0, num_threads=threads)
    good = games.sample().copy()
    before = everything(games)
    wrongs = {
        "(3,) and type int64": good[:3],
        "(5,) and type int64": np.append(good, good[0]),
        "(4, 1) and type int64": good[:, None],
        "() and type int64": good[0],
        "(0,) and type float64": [],
        "(4,) and type float64": good.astype(float),
        "(4,) and type float32": np.full(4, np.nan, np.float32),
        "(4,) and type bool": np.ones(4, bool),
        "(4,) and type object": good.astype(object),
        "() and type object": None,
        "() and type <U3": "all",
    }
    for about, wrong in wrongs.items():
        message = f"actions have shape {about}, expected (4,) and integers"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            games.step(wrong)
        assert everything(games) == before
    huge = np.array([0, 0, 2**63, 2**64 - 1], np.uint64)
    with pytest.raises(ValueError, match=f"^game 2: {2**63} is not an action, expected"):
        games.step(huge)
    assert everything(games) == before
    for kind in (np.int16, np.uint16, np.int32, np.uint64, list):
        repeat = VectorGames(4, seed=0, num_threads=threads)
        repeat.step(good.tolist() if kind is list else good.astype(kind))
        if kind is np.int16:
            after = everything(repeat)
        assert {**everything(repeat), "_samplers": b""} == {**after, "_samplers": b""}


# --- Memory ---------------------------------------------------------------------------------


@pytest.mark.skipif(BY_NUMBA, reason="what Numba compiles stays")
@pytest.mark.parametrize(("threads", "times"), mostly_slow([(2, 500), (1, 5_000)]))
@pytest.mark.parametrize("what", ["step", "sample", "look", "versus"])
def test_memory_does_not_grow(what, threads, times):
    """No array is made that stays, and none as large as a batch's observations or masks."""
    games = VectorGames(16, table_size=15, seed=0, num_threads=threads)
    versus = VersusGames(16, table_size=15, seed=0)
    calls_of = {
        "step": lambda: games.step(games.sample()),
        "sample": games.sample,
        "look": games.look,
        "versus": lambda: versus.step(versus.action_masks.argmax(axis=1)),
    }
    work = calls_of[what]
    tracemalloc.start()
    try:
        for _ in range(100):
            work()
        gc.collect()
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(times):
            work()
        gc.collect()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 4096  # less than a byte a call
    assert peak - before < min(games.observations.nbytes, games.action_masks.nbytes)


def test_the_rng_of_a_game_is_its_own():
    """A game goes on the same, whatever its neighbours do."""
    batch = VectorGames(3, table_size=15, seed=4)
    alone = VectorGames(1, table_size=15, seed=0)
    alone.states[0], alone.rngs[0] = batch.states[1], batch.rngs[1]
    alone._samplers[0] = batch._samplers[1]
    alone.look()
    rng = new_rng(3)
    for _ in range(200):
        chosen = batch.sample().copy()
        assert alone.sample()[0] == chosen[1]
        for neighbour in (0, 2):
            chosen[neighbour] = random_action(batch.states[neighbour : neighbour + 1], rng)
        batch.step(chosen)
        alone.step(chosen[1:2])
        assert alone.states[0].tobytes() == batch.states[1].tobytes()


# --- One call at a time -----------------------------------------------------------------------

BUSY = "was called while another call is at work on these games"


class Caller:
    call = None

    def act(self, game: Game) -> int:
        if self.call:
            self.call()
        return int(game.legal_actions()[0])


@pytest.mark.parametrize("call", ["step", "reset", "look", "deal"])
def test_a_call_during_another_is_refused_and_the_next_one_works(call):
    opponent = Caller()
    games = VersusGames(2, opponent, seed=1, table_size=15)
    step = lambda: games.step(games.action_masks.argmax(1))  # noqa: E731
    calls = {"step": step, "deal": lambda: games.deal(games.dones)}
    opponent.call = calls.get(call, getattr(games, call))
    with pytest.raises(Exception, match=f"VersusGames.{call} {BUSY}"):
        step()
    opponent.call = None
    games.reset(1)
    step()


def test_a_step_from_another_thread_is_refused(monkeypatch):
    games = VectorGames(3, num_players=3, table_size=15, seed=1)
    inside, leave = threading.Event(), threading.Event()
    run = games._workers.run

    def slow(*arguments):
        inside.set()
        assert leave.wait(60)
        return run(*arguments)

    chosen = games.sample().copy()
    monkeypatch.setattr(games._workers, "run", slow)
    thread = threading.Thread(target=games.step, args=[chosen])
    thread.start()
    assert inside.wait(60)
    before = games.states.tobytes()
    for call in (lambda: games.step(chosen), games.sample, games.arrays, games.reset):
        with pytest.raises(RuntimeError, match=BUSY):
            call()
    assert games.states.tobytes() == before
    leave.set()
    thread.join()
    monkeypatch.setattr(games._workers, "run", run)
    games.step(games.sample())
