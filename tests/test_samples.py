"""What self-play keeps of its games for learning."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cacao_env.agents.value.features import PER_SEAT
from cacao_env.agents.value.net import POINTS
from cacao_env.engine.jit import BY_NUMBA, COMPILED, source_of
from tests.tiers import slow
from training.values import games as games_module
from training.values import players as players_module
from training.values.games import Behaviour, play_sample_games
from training.values.net import ValueNet
from training.values.players import join, play, split_games

ITSELF = Behaviour(noise=0.02, random=0.02, top=4, td_lambda=0.9, others=0.5)


def test_samples_hold_what_came_of_their_games():
    net = ValueNet(8, 4, 4).compiled()
    whole = ITSELF._replace(td_lambda=1.0, others=1.0)
    for players in (2, 3, 4):
        [games] = split_games(30, {str(players): 1.0}, 0.0, [players])
        samples, _ = play(games, net, whole)
        win_shares = samples.win_shares[:, :players]
        assert (samples.players == players).all()
        assert win_shares.sum(axis=1) == pytest.approx(1)
        assert set(np.unique(win_shares)) <= {0, 0.25, 1 / 3, 0.5, 1} | {np.float32(1 / 3)}
        assert (samples.win_shares[:, players:] == 0).all()
        assert (samples.points[:, players:] == 0).all()
        turns = {2: 22, 3: 30, 4: 36}[players] - 1
        assert len(samples.stage) == 30 * turns * players
        # Who is ahead once the points to come are added has won.
        for i in range(1, players):
            lead = 15 * samples.numbers[:, i * PER_SEAT + 3]
            lead += POINTS * (samples.points[:, 0] - samples.points[:, i])
            assert (samples.win_shares[lead < -0.5, 0] == 0).all()
            assert (samples.win_shares[lead > 0.5, i] == 0).all()
            assert (np.abs(lead - np.round(lead)) < 1e-3).all()


def test_lambda_mixes_what_was_expected_into_what_came():
    net = ValueNet(8, 4, 4).compiled()
    [games] = split_games(20, {"2": 1.0}, 0.0, [1])
    never = ITSELF._replace(random=0.0, others=1.0)
    by_lambda = [play(games, net, never._replace(td_lambda=d))[0] for d in (1.0, 0.5, 0.0)]
    assert all(np.array_equal(s.numbers, by_lambda[0].numbers) for s in by_lambda)
    # 21 turns have another after them, seen by two; the last is followed by nothing but the result.
    assert len(by_lambda[0].stage) == 20 * 42
    turn = np.arange(20 * 42) // 2 % 21
    last = turn == 20
    assert np.array_equal(by_lambda[0].win_shares[last], by_lambda[2].win_shares[last])
    came, half, later = (samples.win_shares[turn == 19] for samples in by_lambda)
    assert not np.array_equal(came, later)
    # Before that: a share of what was expected at the next turn, the rest from its own target.
    assert half == pytest.approx(0.5 * later + 0.5 * by_lambda[0].win_shares[last], abs=1e-5)


@slow
@pytest.mark.skipif(not COMPILED or BY_NUMBA, reason="runs the Python form of a compiled function")
def test_a_random_move_cuts_what_came_before_its_turn_and_no_more(monkeypatch):
    """The same game twice: in the second the sixth turn is said to have a random move."""
    net = ValueNet(8, 4, 4).compiled()
    choose = games_module._choose
    strays = []

    def chosen(*given):
        action, _ = choose(*given)
        strays[-1].append(given[3].turn == 5)
        return action, len(strays) > 1 and strays[-1][-1]

    monkeypatch.setattr(games_module, "_choose", chosen)
    monkeypatch.setattr(players_module, "play_sample_games", source_of(play_sample_games).function)
    [games] = split_games(1, {"2": 1.0}, 0.0, [1])
    targets = []
    for _ in range(2):
        strays.append([])
        targets.append(play(games, net, ITSELF._replace(others=1.0))[0].win_shares)
    assert strays[0] == strays[1]
    assert any(strays[0])
    differs = (targets[0] != targets[1]).any(axis=1).reshape(21, 2)
    assert differs[:5].all(), "what follows a random move is not credited to turns before"
    assert not differs[5:].any(), "from its own turn on nothing changes"


def test_games_do_not_depend_on_who_plays_them():
    net = ValueNet(8, 4, 4).compiled()
    chunks = split_games(260, {"2": 0.7, "3": 0.3}, 0.25, [9])
    assert len(chunks) > 3
    assert sum(len(chunk.seeds) for chunk in chunks) == 260
    kinds = {(chunk.options.num_players, chunk.options.volcanoes) for chunk in chunks}
    assert kinds == {(2, False), (2, True), (3, False), (3, True)}
    found = []
    for threads in (1, 3):
        with ThreadPoolExecutor(threads) as pool:
            found.append(join(list(pool.map(lambda games: play(games, net, ITSELF)[0], chunks))))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)
