"""Many games at once play the same games as one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine.rewards import REWARDS, SCORE_SCALE
from cacao_env.envs.vector import VectorGames, playouts
from cacao_env.envs.versus import VersusGames

OPTIONS = [
    {"num_players": 2, "table_size": 15, "reward": "shaped"},
    {"num_players": 3, "volcanoes": True, "decisions": "explicit", "reward": "relative_score"},
    {"num_players": 4},
]


def as_game(states, g) -> Game:
    return Game(states[g : g + 1], []).clone()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_batch_steps_like_single_games(options):
    games = VectorGames(5, **options, seed=3)
    rng = np.random.default_rng(0)
    singles = [as_game(games.states, g) for g in range(5)]
    finished = 0
    sums = np.zeros((5, games.num_players))
    for _ in range(300):
        for g, single in enumerate(singles):
            assert games.seats[g] == single.seat
            np.testing.assert_array_equal(games.action_masks[g], single.action_mask())
            np.testing.assert_array_equal(games.observations[g], single.observation(single.seat))
        chosen = [int(rng.choice(np.flatnonzero(mask))) for mask in games.action_masks]
        games.step(np.array(chosen))
        sums += games.rewards
        for g, action in enumerate(chosen):
            singles[g].play(action)
            assert games.terminations[g] == singles[g].over
            if singles[g].over:
                finished += 1
                assert games.final_scores[g].tolist() == singles[g].scores()
                wins = set(np.flatnonzero(sums[g] == sums[g].max()).tolist())
                if options.get("reward", "outcome") == "outcome":
                    assert wins == set(singles[g].winners())
                assert sums[g].sum() == pytest.approx(0, abs=1e-5)
                sums[g] = 0
                singles[g] = as_game(games.states, g)
    assert finished >= 5


def test_the_same_seed_gives_the_same_batch_and_games_differ():
    one, two = (VectorGames(4, table_size=15, seed=11) for _ in range(2))
    for _ in range(200):
        np.testing.assert_array_equal(one.observations, two.observations)
        one.step(one.sample())
        two.step(two.sample())
    assert len({observation.tobytes() for observation in one.observations}) == 4
    assert not np.array_equal(
        VectorGames(4, seed=12).observations, VectorGames(4, seed=11).observations
    )


def test_any_integer_is_a_seed():
    first = VectorGames(2, table_size=15, seed=-1).states
    assert VectorGames(2, table_size=15, seed=2**64 - 1).states.tobytes() == first.tobytes()
    assert VectorGames(2, table_size=15, seed=0).states.tobytes() != first.tobytes()


def test_an_illegal_action_names_game_seat_and_action_and_no_game_advances():
    games = VectorGames(8, seed=0)
    chosen = games.sample().copy()
    chosen[5] = int(np.flatnonzero(games.action_masks[5] == 0)[0])
    before = games.states.tobytes()
    with pytest.raises(ValueError, match=rf"game 5, seat 0: illegal action {chosen[5]} \(place"):
        games.step(chosen)
    assert games.states.tobytes() == before
    for wrong in (chosen[:4], chosen.astype(float), chosen[:, None]):
        with pytest.raises(ValueError, match="actions have shape"):
            games.step(wrong)
    assert games.states.tobytes() == before


def test_whole_random_games_end_and_score():
    games = VectorGames(6, num_players=3, volcanoes=True, seed=1)
    assert playouts(games.states, games.rngs, 5) == 30
    scores = [as_game(games.states, g).scores() for g in range(6)]
    assert all(as_game(games.states, g).over for g in range(6))
    assert len({str(s) for s in scores}) > 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"num_games": 0},
        {"num_games": 2.5},
        {"num_games": "4"},
        {"reward": "gold"},
        {"num_players": 9},
        {"seed": 1.5},
    ],
)
def test_bad_options_are_named(wrong):
    name = next(iter(wrong))
    with pytest.raises(ValueError, match=f"{name} is"):
        VectorGames(**{"num_games": 2, **wrong})


# --- One seat against bots ------------------------------------------------------------------


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_learner_sees_every_outcome_once_won_or_lost(reward, players):
    games = VersusGames(6, {"random": 1, "greedy": 1}, num_players=players, reward=reward, seed=4)
    rng = np.random.default_rng(1)
    sums = np.zeros(6)
    outcomes, seats = [], []
    for _ in range(40 * players):
        assert (games.action_masks.sum(axis=1) > 0).all()
        for g in range(6):
            assert games.states[g].seat == games.learners[g]
        acting = games.learners.copy()
        chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in games.action_masks])
        games.step(chosen)
        sums += games.rewards
        for g in np.flatnonzero(games.dones):
            own, other = games.final_scores[g]
            if reward == "outcome" and own != other:
                assert (sums[g] > 0) == (own > other)
            if reward != "outcome" and players == 2:
                assert sums[g] == pytest.approx((own - other) / SCORE_SCALE, abs=1e-5)
            outcomes.append(float(sums[g]))
            seats.append(int(acting[g]))
            sums[g] = 0
    assert len(outcomes) > 12
    assert set(seats) == set(range(players))
    assert min(outcomes) < 0 < max(outcomes) or reward != "shaped"


def test_greedy_opponents_are_stronger_than_random_ones():
    margins = {}
    for name in ("random", "greedy"):
        games = VersusGames(32, {name: 1}, table_size=15, seed=2)
        rng, found = np.random.default_rng(3), []
        for _ in range(100):
            chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in games.action_masks])
            games.step(chosen)
            found += (games.final_scores[:, 0] - games.final_scores[:, 1])[games.dones].tolist()
        margins[name] = float(np.mean(found))
    assert abs(margins["random"]) < 5
    assert margins["greedy"] < -15


def test_a_learner_s_illegal_action_is_refused_and_unknown_opponents_too():
    games = VersusGames(3, {"random": 1}, seed=0)
    before = games.states.tobytes()
    with pytest.raises(ValueError, match="game 0, seat 1: illegal action 99999"):
        games.step(np.full(3, 99999))
    with pytest.raises(ValueError, match="actions have shape"):
        games.step(np.zeros(2, int))
    some = games.action_masks.argmax(axis=1)
    some[2] = 99999
    with pytest.raises(ValueError, match="game 2, seat 1: illegal action 99999"):
        games.step(some)  # the actions before it are legal
    assert games.states.tobytes() == before
    for opponents in ({}, {"random": 0}, {"random": -1, "greedy": 2}, {"random": "1"}):
        with pytest.raises(ValueError, match="weight"):
            VersusGames(2, opponents)
    words = "there is no agent 'genius'.*endgame, greedy, ismcts, mc, random"
    with pytest.raises(ValueError, match=words):
        VersusGames(2, {"genius": 1})
