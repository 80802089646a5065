"""Batches on any number of threads, seats played by opponents, refusals and memory."""

from __future__ import annotations

import gc
import re
import tracemalloc

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.greedy import greedy_action
from cacao_env.agents.random import random_action
from cacao_env.engine import calls
from cacao_env.engine.rewards import REWARDS
from cacao_env.engine.rng import new_rng
from cacao_env.envs.threads import Workers
from cacao_env.envs.vector import OPPONENTS, VectorGames, playouts
from tests.games import play

KINDS = [
    {"num_players": 2, "table_size": 15, "reward": "shaped"},
    {"num_players": 3, "volcanoes": True, "decisions": "explicit", "reward": "margin"},
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
    seats = np.arange(7) % kind["num_players"]
    ended = 0
    for number in range(160):
        samples = [batch.sample().copy() for batch in batches]
        for batch, chosen in zip(batches, samples):
            assert chosen.tolist() == samples[0].tolist()
            batch.step(chosen, look=number % 3 != 0)
            if number % 4 == 0:
                batch.skip_to(seats, "greedy" if number % 8 else "random")
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


@pytest.mark.parametrize(("games", "threads"), [(7, 1), (7, 2), (7, 3), (2, 3), (64, 5), (1, 8)])
def test_every_game_is_in_one_share(games, threads):
    shares = Workers(games, threads)
    numbers = np.arange(games)
    cut = shares.run(lambda part, whole: (part.tolist(), whole), numbers, "whole")
    assert [g for part, _ in cut for g in part] == numbers.tolist()
    assert len(cut) == min(games, threads)
    sizes = [len(part) for part, _ in cut]
    assert max(sizes) - min(sizes) <= 1
    assert {whole for _, whole in cut} == {"whole"}


@pytest.mark.parametrize("wrong", [0, -1, 1025, 1.5, True, "2", None])
def test_a_wrong_number_of_threads_is_named(wrong):
    with pytest.raises(ValueError, match=rf"^num_threads is {wrong!r}, expected 1 to 1024$"):
        VectorGames(4, num_threads=wrong)


# --- Other seats played by a bot ------------------------------------------------------------


def skip_by_hand(game: Game, rng, seat: int, choose, mode: str, new: bool):
    """Play others' turns with ``Game``: (game, rewards, scores if one ended, owed to the next step)."""
    rewards, owed = np.zeros((2, game.num_players))
    scores = None
    while game.seat != seat:
        earned = play(game, int(choose(game.states, rng)))[mode]
        if new or scores is not None:
            owed += earned
        else:
            rewards += earned
        if game.over:
            scores = game.scores()
            calls.deal_game(game.states, rng)
            calls.play_forced(game.states)
    return game, rewards, scores, owed


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("mode", REWARDS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_skipping_is_playing_the_others_by_hand(players, mode, opponent):
    choose = {"random": random_action, "greedy": greedy_action}[opponent]
    volcanoes, size = players == 3, 6
    games = VectorGames(
        size,
        num_players=players,
        volcanoes=volcanoes,
        table_size=15,
        reward=mode,
        seed=1,
        num_threads=2,
    )
    seats = -np.arange(size) % players  # the last seat ends games in its own step
    owed = np.zeros((size, players))
    ends = {"in the step": 0, "while skipping": 0}
    for number in range(150 if players == 2 else 90):
        singles = [Game(games.states[g : g + 1], []).clone() for g in range(size)]
        rngs = games.rngs.copy()
        before, stepped = games.rewards.copy(), games.terminations.copy()
        scores = games.final_scores.copy()
        games.skip_to(int(seats[0]) if len(set(seats.tolist())) == 1 else seats, opponent)
        for g, single in enumerate(singles):
            new = number == 0 or bool(stepped[g])
            game, rewards, final, later = skip_by_hand(
                single, rngs[g : g + 1], seats[g], choose, mode, new
            )
            if game.ply == 0 and (final is not None or new):
                assert games.states[g].turn < players  # the seat's first decision
            assert games.states[g : g + 1].tobytes() == game.states.tobytes()
            assert games.rngs[g] == rngs[g]
            assert games.seats[g] == seats[g]
            np.testing.assert_array_equal(games.action_masks[g], game.action_mask())
            np.testing.assert_array_equal(games.observations[g], game.observation(seats[g]))
            assert games.rewards[g] == pytest.approx(before[g] + rewards, abs=1e-5)
            assert games.terminations[g] == (stepped[g] or final is not None)
            expected = scores[g].tolist() if final is None else final
            assert games.final_scores[g].tolist() == expected
            owed[g] = later
            ends["while skipping"] += final is not None
        chosen = games.sample().copy()
        shares = [
            play(Game(games.states[g : g + 1], []).clone(), chosen[g])[mode] for g in range(size)
        ]
        games.step(chosen)
        assert games.rewards == pytest.approx(np.array(shares) + owed, abs=1e-5)
        ends["in the step"] += int(games.terminations.sum())
    assert min(ends.values()) > 0


@pytest.mark.parametrize("mode", REWARDS)
def test_a_learner_s_rewards_add_up_to_each_game_s_outcome(mode):
    """With opponents in the other seats too, and nothing of one game counted to another."""
    games = VectorGames(8, num_players=2, table_size=15, reward=mode, seed=3)
    games.skip_to(1)
    sums, found = np.zeros((8, 2)), 0
    for _ in range(200):
        games.step(games.sample())
        games.skip_to(1)
        sums += games.rewards
        for g in np.flatnonzero(games.terminations):
            own, other = games.final_scores[g, 1], games.final_scores[g, 0]
            expected = (own - other) / 50
            if mode != "outcome":
                assert sums[g].tolist() == pytest.approx([-expected, expected], abs=1e-4)
            elif own != other:
                assert sums[g].tolist() == [-np.sign(expected), np.sign(expected)]
            found += 1
            sums[g] = 0
    assert found > 20


@pytest.mark.parametrize(
    ("seats", "opponent", "message"),
    [
        (0, "genius", r"opponent is 'genius', expected one of 'random', 'greedy'"),
        (2, "random", r"^seat is 2, expected 0 to 1$"),
        (-1, "random", r"^seat is -1, expected 0 to 1$"),
        (np.array([0, 1, 0, 2]), "random", r"^seat is 2, expected 0 to 1$"),
        (np.array([0, 1]), "random", r"have shape \(2,\) and type int64"),
        (np.zeros((4, 1), int), "random", r"have shape \(4, 1\) and type int64"),
        (
            0.0,
            "random",
            r"^seats have shape \(\) and type float64, expected one integer or \(4,\) in",
        ),
        (np.array([0, 1, np.nan, 0]), "random", r"have shape \(4,\) and type float64"),
        (None, "random", r"have shape \(\) and type object"),
    ],
    ids=str,
)
def test_wrong_seats_and_opponents_are_named_and_nothing_is_played(seats, opponent, message):
    games = VectorGames(4, seed=0)
    before = everything(games)
    with pytest.raises(ValueError, match=message):
        games.skip_to(seats, opponent)
    assert everything(games) == before


# --- Refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("bad", [17, 0, 63])
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
def test_the_first_of_several_illegal_actions_is_named(threads):
    games = VectorGames(9, seed=2, num_threads=threads)
    chosen = games.sample().copy()
    chosen[[4, 8]] = -5
    with pytest.raises(ValueError, match=r"^game 4, seat 0: illegal action -5"):
        games.step(chosen)


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
    with pytest.raises(ValueError, match=r"^game 2: 9223372036854775808 is no action, expected"):
        games.step(huge)
    assert everything(games) == before
    for kind in (np.int16, np.uint16, np.int32, np.uint64, list):
        repeat = VectorGames(4, seed=0, num_threads=threads)
        repeat.step(good.tolist() if kind is list else good.astype(kind))
        if kind is np.int16:
            after = everything(repeat)
        assert {**everything(repeat), "_samplers": b""} == {**after, "_samplers": b""}


# --- Memory ---------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("what", "times"), [("step", 100_000), ("sample", 20_000), ("look", 20_000), ("skip_to", 5000)]
)
def test_memory_does_not_grow(what, times, threads):
    """No array is made that stays, and none as large as a batch's observations or masks."""
    if threads == 2:
        times //= 10
    games = VectorGames(16, table_size=15, seed=0, num_threads=threads)
    calls_of = {
        "step": lambda: games.step(games.sample()),
        "sample": games.sample,
        "look": games.look,
        "skip_to": lambda: (games.step(games.sample(), False), games.skip_to(0)),
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
