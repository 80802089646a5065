"""Restored rewards and potentials are those that the restored games can have."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine.observation import HIGH_SCORE
from cacao_env.engine.rewards import REWARDS
from cacao_env.engine.state import OVER
from cacao_env.engine.validate import StateError
from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames

SHAPED_MOST = 2 * HIGH_SCORE / 15


def vector(reward, players=3):
    return VectorGames(4, num_players=players, table_size=15, reward=reward, seed=1)


def versus(reward, players=3, **more):
    return VersusGames(
        4, "random", num_players=players, table_size=15, reward=reward, seed=1, **more
    )


def actions(games, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in games.action_masks])


def played(games, until):
    """The arrays of a batch when a condition first holds."""
    rng = np.random.default_rng(0)
    for _ in range(400):
        games.step(actions(games, rng))
        if until(games):
            return games.arrays()
    raise AssertionError("it never holds")


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", REWARDS)
def test_what_comes_up_is_restored(reward, players):
    games, again = vector(reward, players), vector(reward, players)
    again.restore(games.arrays())
    played(games, lambda games: again.restore(games.arrays()) or games.final_scores.all())


@pytest.mark.parametrize("seat", [None, 1])
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("reward", REWARDS)
def test_what_comes_up_against_opponents_is_restored(reward, players, seat):
    games, again = (versus(reward, players, seat=seat, illegal="lose") for _ in range(2))
    rng, won = np.random.default_rng(0), False
    lead = Game.new(players, 0, table_size=15)
    for _ in range(25):
        lead.play(int(rng.choice(lead.legal_actions())))
    for number in range(200):
        again.restore(games.arrays())
        if number % 20 == 7:
            games.start(0, lead)
            continue
        chosen = actions(games, rng)
        if number % 9 == 2:
            chosen[1] = -1
        keep = number % 2
        games.step(chosen, deal=not keep)
        won |= games.final_win_shares.any()
        if keep:
            again.restore(games.arrays())
            games.deal(games.dones)
    assert won


def test_finished_games_are_replaced_by_their_own_flags():
    games = versus("outcome")
    rng = np.random.default_rng(0)
    while not games.dones.any():
        games.step(actions(games, rng), deal=False)
    games.deal(games.dones)
    assert not games.dones.any()
    assert (games.states["phase"] != OVER).all()


def some(games):
    """A game that goes on, beside one that has just ended."""
    return games.terminations.any() and not games.terminations.all()


def change(arrays, name, game, value):
    arrays[name][game] = value


@pytest.mark.parametrize(
    ("reward", "name", "ended", "value"),
    [
        ("outcome", "_potentials", False, [0.1, -0.1, 0]),
        ("relative_score", "_potentials", False, [0.1, -0.1, 0]),
        ("shaped", "_potentials", False, [0.51, -0.25, -0.26]),
        ("shaped", "_potentials", False, 1e308),
        ("outcome", "rewards", False, [1, -0.5, -0.5]),
        ("relative_score", "rewards", False, [1, -0.5, -0.5]),
        ("outcome", "rewards", True, 0),
        ("outcome", "rewards", True, [3e38, 0, 0]),
        ("outcome", "rewards", True, "worst"),
        ("relative_score", "rewards", True, [1.01, -0.5, -0.51]),
        ("shaped", "rewards", True, [SHAPED_MOST + 1, -SHAPED_MOST - 1, 0]),
        ("shaped", "rewards", False, [1, 0, 0]),
        ("outcome", "final_scores", True, [-(2**63), 0, 0]),
    ],
)
def test_no_other_rewards_are_restored(reward, name, ended, value):
    games = vector(reward)
    arrays = played(games, some)
    game = int(np.flatnonzero(arrays["terminations"] == ended)[0])
    if value == "worst":  # the win goes to a seat that has fewer points
        value = np.full(3, -0.5)
        value[arrays["final_scores"][game].argmin()] = 1
    change(arrays, name, game, value)
    with pytest.raises(StateError, match=re.escape(f"{name} of game {game} can't have come up")):
        games.restore(arrays)


@pytest.mark.parametrize(
    ("reward", "name", "ended", "value"),
    [
        ("outcome", "_potentials", False, 0.1),
        ("shaped", "_potentials", False, [0.51, -0.25, -0.26, 0]),
        ("shaped", "_potentials", False, [0, 0, 0, 1]),
        ("outcome", "rewards", False, 1),
        ("outcome", "rewards", True, 0.25),
        ("outcome", "rewards", True, 3e38),
        ("relative_score", "rewards", False, 1),
        ("relative_score", "rewards", True, -70),
        ("relative_score", "rewards", True, HIGH_SCORE),
        ("shaped", "rewards", False, SHAPED_MOST + 1),
        ("outcome", "final_win_shares", True, 0.4),
        ("outcome", "final_win_shares", True, -1),
        ("outcome", "final_scores", True, HIGH_SCORE + 1),
        ("outcome", "forfeits", False, True),
    ],
)
def test_no_other_rewards_against_opponents_are_restored(reward, name, ended, value):
    games = versus(reward)
    arrays = played(games, lambda games: games.dones.any() and not games.dones.all())
    game = int(np.flatnonzero(arrays["dones"] == ended)[0])
    change(arrays, name, game, value)
    with pytest.raises(StateError, match=re.escape(f"{name} of game {game} can't have come up")):
        games.restore(arrays)


def test_potentials_of_a_fixed_seat_may_be_earlier_ones_and_no_others():
    games = versus("shaped", seat=1)
    arrays = played(games, lambda games: games._potentials[:, :3].all(1).any())
    arrays["_potentials"][0] = [0.5, -0.25, -0.25, 0]
    games.restore(arrays)
    for wrong in ([0.5, 0.5, 0, 0], [0, 0, 0.5, -0.5], [1e6, -1e6, 0, 0]):
        arrays["_potentials"][0] = wrong
        with pytest.raises(StateError, match="_potentials of game 0"):
            games.restore(arrays)


def test_a_forfeit_costs_the_same_after_any_start():
    lead = Game.new(2, 0, table_size=15)
    rng = np.random.default_rng(0)
    while not (lead.scores()[0] != lead.scores()[1] and lead.phase == "place"):
        lead.play(int(rng.choice(lead.legal_actions())))
    games = VersusGames(1, "random", num_players=2, table_size=15, illegal="lose", seed=0)
    games.start(0, lead)
    games.step(np.array([-1]))
    assert games.rewards.tolist() == [-1]
