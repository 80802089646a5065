"""Value learning by hand: its schedules, what it replays, the running mean, the loss."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch

from cacao_env.agents.value.checkpoint import read_value
from tests.test_afterstate import SMALL
from training.config import ConfigError, from_dict
from training.train_afterstate import AfterstateConfig, AfterstateLearner
from training.values.games import Behaviour
from training.values.learning import Fitter
from training.values.net import ValueNet
from training.values.players import join, play, split_games

SIZE = {"sums": 8, "maxima": 4, "units": 4}


def learner_with(**changes) -> AfterstateLearner:
    return AfterstateLearner(from_dict(AfterstateConfig, SMALL | changes))


@pytest.mark.parametrize("by", ["rounds", "minutes"])
def test_schedules_follow_whichever_limit_is_nearer(by):
    rates = {"learning_rate": 0.01, "final_learning_rate": 0.001, "noise": 0.4, "final_noise": 0.2}
    ways = {"random": 0.5, "top": 5, "settled_top": 7, "settled_from": 0.6}
    limits = {"rounds": 100, "minutes": 1e9} if by == "rounds" else {"rounds": 10**9, "minutes": 10}
    with closing(learner_with(**rates, **ways, **limits)) as learner:
        for done in (0.0, 0.25, 0.5, 0.75, 1.0):
            learner.rounds = round(100 * done) if by == "rounds" else 2
            learner.seconds = 600 * done if by == "minutes" else 0.0
            rate = learner.scheduled("learning_rate")
            assert rate == pytest.approx(0.01 - 0.009 * done, rel=1e-6)
            behaviour = learner.behaviour(max(1, learner.rounds))
            assert behaviour.noise == pytest.approx(0.4 - 0.2 * done, abs=0.003)
            settled = done >= 0.6
            assert (behaviour.random, behaviour.top) == ((0.0, 7) if settled else (0.5, 5))
            assert behaviour.greedy == 0
        assert learner.behaviour(0).greedy == 1


def test_greedys_games_are_forgotten_once_the_network_plays(tmp_path):
    learner = learner_with(greedy_rounds=2, replay=3, rounds=6)
    kept, played = [], []
    with closing(learner):
        for _ in range(5):
            played.append(learner.round()["played_by"])
            learner.rounds += 1
            kept.append([len(samples.stage) for samples in learner.replay])
    assert played == ["greedy", "greedy", "network", "network", "network"]
    assert [len(one) for one in kept] == [1, 2, 1, 2, 3]
    assert kept[4][:2] == kept[3]
    assert sum(map(len, kept)) == 9


def test_a_run_that_starts_from_a_checkpoint_plays_by_it_at_once(tiny):
    folder = str(tiny("afterstate").folder)
    own = read_value(Path(folder))[0]
    with closing(learner_with(start=folder, seed=5)) as learner:
        learner.start()
        for params in (learner.acting, learner.fitter.net.params(), learner.fitter.mean.params()):
            assert sorted(params) == sorted(own)
            assert all(np.array_equal(params[name], own[name]) for name in own)
    for changes, words in (
        ({"start": folder, "units": 3}, "start is .*: sums, maxima and units must be the same"),
        ({"start": "nowhere"}, "start is 'nowhere': there is no such checkpoint"),
    ):
        with closing(learner_with(**changes)) as learner, pytest.raises(ConfigError, match=words):
            learner.start()


@pytest.mark.parametrize(("players", "others"), [(2, 0.0), (4, 1.0)])
def test_there_is_room_for_the_samples_of_all_games(players, others):
    [games] = split_games(60, {str(players): 1.0}, 0.0, [1])
    _, played = play(games, ValueNet(8, 4, 4).compiled(), Behaviour(greedy=1.0, others=others))
    assert len(played.seeds) == 60


def test_the_loss_is_that_of_the_seats_that_play():
    net = ValueNet(8, 4, 4)
    for players in (2, 3):
        [games] = split_games(3, {str(players): 1.0}, 0.0, [1])
        samples, _ = play(games, net.compiled(), Behaviour(top=4, others=1.0))
        fitter = Fitter(SIZE, 0, 0.01)
        fitter.net.load_state_dict(net.state_dict())
        given: list[torch.Tensor] = []
        fitter.net.register_forward_hook(lambda *found, given=given: given.append(found[-1]))
        of_wins, of_points = fitter._losses(samples)
        out = given[0].detach().numpy().astype(np.float64)
        logits, points = out[:, :players], out[:, 4 : 4 + players]
        log_probs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        shares = samples.win_shares[:, :players]
        assert of_wins.item() == pytest.approx(-(shares * log_probs).sum(1).mean(), rel=1e-4)
        wrong = (points - samples.points[:, :players]) ** 2
        assert of_points.item() == pytest.approx(wrong.mean(), rel=1e-4)
        one = type(samples)(*(array[:1] for array in samples))
        losses = [loss.item() for loss in fitter._losses(one)]
        assert fitter.fit([one], 3, 5, 0.0, [1]) == pytest.approx(losses, rel=1e-5)


def test_the_running_mean_forgets_the_random_start_and_then_follows_slowly():
    fitter = Fitter(SIZE, 0, 0.25)

    def moved(steps):  # the share of the way from 0 to 1 that the mean goes in one step
        fitter.steps = steps
        for net, value in ((fitter.net, 1.0), (fitter.mean, 0.0)):
            for one in net.parameters():
                torch.nn.init.constant_(one, value)
        fitter._follow()
        [share] = {round(x.item(), 6) for one in fitter.mean.parameters() for x in one.unique()}
        return share

    assert [moved(steps) for steps in (0, 4, 12, 100)] == [1, 0.5, 0.25, 0.25]


def test_learning_from_greedys_games_predicts_games_that_it_has_not_seen():
    """Both outputs get better on fresh games, by more than a constant forecast could."""
    net = ValueNet(8, 4, 4)
    by_greedy = Behaviour(greedy=1.0, greedy_noise=0.7, random=0.06, others=1.0)

    def samples(count):
        chunks = split_games(count, {"2": 1}, 0, [count])
        return join([play(games, net.compiled(), by_greedy)[0] for games in chunks])

    seen, fresh = samples(300), samples(60)
    fitter = Fitter({"sums": 16, "maxima": 4, "units": 8}, 0, 0.02)
    constant = fresh.points[:, :2].mean(0)
    of_constant = ((fresh.points[:, :2] - constant) ** 2).sum(1).mean() / 2
    fitter.fit([seen], 200, 256, 5e-3, [1])
    fitter.net.load_state_dict(fitter.mean.state_dict())  # what plays
    with torch.no_grad():
        of_wins, of_points = fitter._losses(fresh)
    assert of_wins.item() < 0.93 * np.log(2)
    assert of_points.item() < 0.15 * of_constant
