"""Many games kept as arrays, and gone on with."""

from __future__ import annotations

import numpy as np
import pytest

from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames

SIZE = 15


def first_legal(games) -> np.ndarray:
    return games.action_masks.argmax(axis=1)


def vector(players: int = 3, volcanoes: bool = True, seed: int = 1, **more) -> VectorGames:
    games = VectorGames(
        4,
        num_players=players,
        volcanoes=volcanoes,
        **({"table_size": SIZE, "reward": "shaped"} | more),
    )
    games.reset(seed)
    return games


def versus(players: int = 3, volcanoes: bool = True, seed: int = 1, **more) -> VersusGames:
    options = {"table_size": SIZE, "reward": "shaped", "seed": seed} | more
    return VersusGames(
        4, {"random": 1, "greedy": 1}, num_players=players, volcanoes=volcanoes, **options
    )


@pytest.mark.parametrize("make", [vector, versus])
def test_games_go_on_as_if_nothing_had_been(make):
    games, other = make(), make(seed=2)
    for _ in range(25):
        games.step(first_legal(games))
    other.restore({name: array.copy() for name, array in games.arrays().items()})
    ends = 0
    for _ in range(120):
        for name in ("observations", "action_masks"):
            assert np.array_equal(getattr(games, name), getattr(other, name))
        chosen = first_legal(games)
        games.step(chosen)
        other.step(chosen)
        assert np.array_equal(games.rewards, other.rewards)
        assert np.array_equal(games.final_scores, other.final_scores)
        ends += int((games.terminations if make is vector else games.dones).sum())
    assert ends >= 8


@pytest.mark.parametrize("make", [vector, versus])
def test_what_is_kept_is_a_copy(make):
    games = make()
    kept = games.arrays()
    before = {name: array.copy() for name, array in kept.items()}
    for _ in range(5):
        games.step(first_legal(games))
    assert all(np.array_equal(kept[name], before[name]) for name in before)


@pytest.mark.parametrize("make", [vector, versus])
def test_other_games_are_refused_and_nothing_changes(make):
    for options, name in (
        ({"players": 2}, "num_players"),
        ({"volcanoes": False}, "volcanoes"),
        ({"decisions": "explicit"}, "auto"),
        ({"table_size": 19}, "table_size"),
    ):
        games, others = make(), make(**options)
        before = games.arrays()
        with pytest.raises(ValueError, match="saved games do not match: ") as error:
            games.restore(others.arrays())
        if make is versus:
            assert name in str(error.value)
        assert all(np.array_equal(a, before[name]) for name, a in games.arrays().items())
    missing = games.arrays()
    del missing["rngs"]
    with pytest.raises(ValueError, match="rngs is missing or has another shape"):
        games.restore(missing)


def test_what_an_agent_in_python_keeps_is_not_known():
    games = VersusGames(1, Own(), seed=0)
    with pytest.raises(
        ValueError, match="games against Own can't be saved: its memory is not random numbers"
    ):
        games.arrays()


class Own:
    """An object of the user's, whose memory nobody knows."""

    def act(self, game):
        return int(game.legal_actions()[0])


def test_games_against_a_bot_in_python_resume_with_its_random_numbers():
    games, other = (VersusGames(3, "mc:sims=2,top=3", seed=s, table_size=15) for s in (1, 2))
    for _ in range(6):
        games.step(first_legal(games))
    other.restore(games.arrays())
    for _ in range(30):
        games.step(first_legal(games))
        other.step(first_legal(other))
        assert games.states.tobytes() == other.states.tobytes()
