"""PPO by self-play: advantages, rollouts, learning, other players' seats, runs from a checkpoint."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the training extra is not installed")

import torch

from cacao_env.engine.options import Options
from cacao_env.engine.rewards import SCORE_SCALE
from cacao_env.envs.vector import VectorGames
from cacao_env.greedy.candidates import Candidates
from cacao_env.greedy.choices import CHOICES, GREEDY_WEIGHTS, TIE, score_actions
from tests.golden.runs import RUNS
from training import train_ppo
from training.config import ConfigError, from_dict
from training.loop import Stopwatch
from training.networks import CellNet, RowNet, new_net, read_weights
from training.policies import Snapshots
from training.state import weights_of
from training.train_ppo import PpoConfig, PpoLearner, SelfPlay, advantages_into, fit
from training.train_sb3 import Sb3Config, Sb3Learner

SMALL = RUNS["ppo"][2] | {"epochs": 1, "eval_minutes": 1e9, "past_fraction": 0.0}


def played(**keys) -> PpoConfig:
    """A configuration of short rollouts."""
    return PpoConfig(**{"rollout": 16, "batch": 32} | keys)


def config(**changes):
    return from_dict(PpoConfig, SMALL | changes)


CPU = torch.device("cpu")
ROWS = {"observation": "candidates", "decisions": "turn", "rows": 8, "replies": 2}
ROWS |= {"reward": "outcome", "margin_weight": 0.5}


# --- Advantages -----------------------------------------------------------------------------


def plain_advantages(seats, rewards, over, values, next_seats, next_values, gamma, gae_lambda):
    """The same for each seat's chain, written out: a list of its decisions in each episode."""
    length, count = seats.shape
    found = np.full(seats.shape, np.nan)
    for g in range(count):
        begin = 0
        ends = [t for t in range(length) if over[t, g]]
        for end in [*ends, length]:
            finished = end < length
            last = end if finished else length - 1
            for seat in range(rewards.shape[2]):
                mine = [t for t in range(begin, last + 1) if seats[t, g] == seat]
                ahead = 0.0
                for place in range(len(mine) - 1, -1, -1):
                    t = mine[place]
                    if place + 1 < len(mine):
                        until, later = mine[place + 1], values[mine[place + 1], g]
                    elif finished:
                        until, later = end + 1, 0.0
                    elif next_seats[g] == seat:
                        until, later = length, next_values[g]
                    else:
                        continue  # it has not decided again
                    earned = rewards[t:until, g, seat].sum()
                    ahead = earned + gamma * later - values[t, g] + gamma * gae_lambda * ahead
                    found[t, g] = ahead
            begin = end + 1
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("decay", [(1.0, 0.0), (1.0, 0.9), (0.9, 0.8), (0.8, 1.0)])
def test_advantages_follow_each_seat_s_own_chain(players, decay):
    rng = np.random.default_rng(players)
    shape = (60, 5)
    seats = rng.integers(players, size=shape)
    rewards = rng.normal(size=(*shape, players)).astype(np.float32)
    over = rng.random(shape) < 0.08
    values = rng.normal(size=shape).astype(np.float32)
    next_seats, next_values = (
        rng.integers(players, size=5, dtype=np.int8),
        rng.normal(size=5).astype(np.float32),
    )
    found = np.empty(shape, np.float32)
    given = seats, rewards, over, values, next_seats, next_values, *decay
    advantages_into(*given, found)
    expected = plain_advantages(*given)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.isnan(found).any()


def test_a_rollout_holds_what_was_seen_and_done():
    torch.manual_seed(0)
    games = VectorGames(3, table_size=11, seed=1, reward="outcome")
    copy = VectorGames(3, table_size=11, seed=1, reward="outcome")
    net = CellNet(2, 11, 4)
    play = SelfPlay(games, played(rollout=150, gae_lambda=1.0, table_size=11), CPU)
    rollout, finished = play.collect(net, Stopwatch())
    seen = rollout.observations.view(150, 3, -1).numpy()
    masks = rollout.masks.view(150, 3, -1).numpy()
    actions = rollout.actions.view(150, 3).numpy()
    values = rollout.values.view(150, 3)
    advantages = rollout.advantages.view(150, 3).numpy()
    returns, copy_finished = {}, 0
    for t in range(150):
        np.testing.assert_array_equal(seen[t], copy.observations)
        np.testing.assert_array_equal(masks[t], copy.action_masks > 0)
        seats = copy.seats.copy()
        copy.step(actions[t])
        for g in range(3):
            returns.setdefault(g, []).append((t, int(seats[g])))
            if copy.terminations[g]:
                copy_finished += 1
                for when, seat in returns.pop(g):
                    got = advantages[when, g] + float(values[when, g])
                    assert got == pytest.approx(copy.rewards[g, seat], abs=1e-4)
    assert finished == copy_finished >= 3
    assert 0 < len(rollout.known) < 450


# --- Learning -------------------------------------------------------------------------------


def test_learning_makes_good_actions_likelier_and_values_right():
    torch.manual_seed(0)
    play = SelfPlay(VectorGames(8, table_size=11, seed=1), played(table_size=11), CPU)
    net = CellNet(2, 11, 16)
    net.make_actions_equally_likely()
    optimizer = torch.optim.Adam(net.parameters(), eps=1e-5)
    rollout, _ = play.collect(net, Stopwatch())
    # The rewards are made up: an even action was good, an odd one bad.
    even = rollout.actions % 2 == 0
    rollout = rollout._replace(
        values=torch.zeros(len(even)),
        advantages=torch.where(even, 1.0, -1.0),
        known=torch.arange(len(even)),
    )

    def probability_of_even():
        with torch.no_grad():
            logits, values = net(rollout.observations * play.factors)
            probabilities = logits.masked_fill(~rollout.masks, -torch.inf).softmax(1)
            return float(probabilities[:, ::2].sum(1).mean()), values

    before, _ = probability_of_even()
    rates = {"learning_rate": 3e-3, "entropy_coef": 0.0, "epochs": 2}
    now = PpoConfig(games=len(even), rollout=1, batch=len(even) // 4, **rates)
    for _ in range(6):
        metrics = fit(net, optimizer, rollout, play.factors, now)
    after, values = probability_of_even()
    assert after > before + 0.05
    assert metrics["loss_value"] < 1.0
    assert values[even].mean() > values[~even].mean()
    legal = rollout.masks.sum(1).float()
    assert 0 < metrics["entropy_fraction"] <= 1 < metrics["entropy"] <= float(legal.log().mean())
    assert metrics["approx_kl"] >= 0


# --- Runs -----------------------------------------------------------------------------------


def test_it_is_measured_in_the_games_that_it_learned():
    assert config(table_size=15).games_played == [Options(2, table_size=15)]
    rows = config(table_size=15, observation="candidates", decisions="turn")
    assert rows.games_played == [Options(2)]


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="device 'cuda:7' can't be used"):
        PpoLearner(config(device="cuda:7"))


# --- Other players' seats, and starts ---------------------------------------------------------


@pytest.mark.parametrize(
    "keys",
    [{"table_size": 11}, ROWS | {"replies": 0}, ROWS | {"replies": 0, "num_players": 4}],
    ids=["table", "rows", "four"],
)
def test_greedy_plays_its_own_best_choices_in_its_seat(keys):
    torch.manual_seed(0)
    given = played(**keys | {"games": 32, "rollout": 1, "greedy_fraction": 1.0})
    about = given.about
    games = VectorGames(32, about.options, observation=about.rows or "flat", seed=0)
    before, seats = games.states.copy(), games.seats.copy()
    rollout, _ = SelfPlay(games, given, CPU).collect(new_net(about, 32), Stopwatch())
    players, choices = about.options.num_players, np.empty(1, CHOICES)
    assert not seats.any()  # greedy has seat 0 in each ``players``-th game
    agree: list[list[bool]] = [[] for _ in range(players)]
    for number, (state, chosen) in enumerate(zip(before, rollout.actions.tolist())):
        score_actions(choices[0], state, GREEDY_WEIGHTS)
        ids, values = (choices[0][name][: choices[0].count] for name in ("ids", "values"))
        best = ids[values >= values.max() - TIE] if about.rows is None else [0]
        # Of equal ones greedy draws any, and of rows it is the first.
        agree[number % players].append(chosen in best)
    assert [all(each) for each in agree] == [True] + [False] * (players - 1)


@pytest.mark.parametrize("name", ["sb3", "ppo-rows"])
def test_a_run_of_either_trainer_may_start_from_a_checkpoint(name, tiny):
    first = tiny(name)
    weights = read_weights(first.folder)
    names = {"observation", "decisions", "rows", "replies", "width", "table_size"}
    keys = {key: x for key, x in vars(first.config).items() if key in names}
    given = SMALL | keys | {"start": str(first.folder)}
    learner = PpoLearner(from_dict(PpoConfig, given | {"past_fraction": 0.5}))
    learner.start()
    for key in RUNS["ppo"][2].keys() - RUNS["sb3"][2].keys():
        del given[key]  # of self-play alone
    other = Sb3Learner(from_dict(Sb3Config, given | {"snapshot_fraction": 0.5}))
    other.start()
    for net in (learner.net, learner.past.net, other.net, other.past.net):
        found = weights_of(net)
        assert found.keys() <= weights.keys()
        for key, array in found.items():
            np.testing.assert_array_equal(array, weights[key])
    words = r"must be the same: .+ is float32 \(.+\), expected an array float32 \("
    with pytest.raises(ConfigError, match=words):
        PpoLearner(config(**keys | {"start": str(first.folder), "width": 12})).start()
    with pytest.raises(ConfigError, match="there is no such checkpoint"):
        PpoLearner(config(**keys, start="runs/none")).start()
    with pytest.raises(ConfigError, match=r"start is .trinitario.: .* not .policy."):
        PpoLearner(config(**keys, start="trinitario")).start()


def rollout_of_eight(net, past=None, **keys):
    """A rollout of rows; of each decision: is its return known, its game's number, its seat."""
    games = VectorGames(8, observation=Candidates(8, 0), decisions="turn", seed=0)
    net.make_actions_equally_likely()
    given = played(**ROWS | {"replies": 0, "rollout": 60} | keys)
    rollout, _ = SelfPlay(games, given, CPU, past).collect(net, Stopwatch())
    known = torch.zeros(len(rollout.actions), dtype=torch.bool)
    known[rollout.known] = True
    places = torch.arange(len(known))
    return rollout, known, places % 8, places // 8 % 2  # one decision a turn: seats take turns


def test_nothing_is_learned_from_the_seats_of_others_and_margins_count():
    torch.manual_seed(0)
    keys = {"greedy_fraction": 0.5, "gae_lambda": 1.0}
    rollout, known, numbers, seats = rollout_of_eight(RowNet(16), **keys)
    others = (numbers < 4) & (seats == numbers % 2)
    assert (rollout.actions[others] == 0).all()
    assert not known[others].any()
    assert known[~others].float().mean() > 0.6
    returns = (rollout.advantages + rollout.values)[rollout.known]
    assert returns.abs().max() < 1  # half a win and half of the hyperbolic tangent
    assert returns.abs().min() > 0.01
    assert len(returns.round(decimals=3).unique()) > 6


@pytest.mark.parametrize("players", [2, 3, 4])
def test_margins_add_up_to_nothing_for_any_number_of_players(players):
    """Relative scores do: each is the own score less the mean of the others'."""
    config = from_dict(PpoConfig, {"margin_weight": 1.0, "reward": "outcome"})
    games = SimpleNamespace(
        terminations=np.array([True, False]),
        final_scores=np.array([[1, 2, 4, 9], [50, 40, 30, 20]])[:, :players],
        num_players=players,
    )
    rewards = np.zeros((2, players), np.float32)
    SelfPlay._add_margins(SimpleNamespace(games=games, _config=config), rewards)
    relative = SCORE_SCALE * np.arctanh(rewards[0].astype(float))
    assert relative.sum() == pytest.approx(0, abs=1e-3)
    own = games.final_scores[0]
    expected = [own[k] - np.delete(own, k).mean() for k in range(players)]
    assert relative == pytest.approx(expected, abs=1e-3)
    assert not rewards[1].any()


def test_a_value_is_to_be_the_return_and_not_what_the_policy_learns_from():
    def net(observations):
        return torch.zeros(3, 2), torch.tensor([0.5, 0.0, 1.0])

    rows = torch.arange(3)
    rollout = train_ppo.Rollout(
        observations=torch.zeros(3, 1),
        masks=torch.ones(3, 2, dtype=bool),
        actions=torch.zeros(3, dtype=int),
        log_probs=torch.full((3,), 0.5).log(),
        values=torch.tensor([1.0, 2.0, 3.0]),
        advantages=torch.tensor([4.0, -2.0, 1.0]),
        known=rows,
    )
    loss, metrics = train_ppo.ppo_loss(net, rollout, rows, torch.ones(1), PpoConfig())
    wrong = torch.tensor([0.5 - 5, 0.0 - 0, 1.0 - 4])
    assert metrics["loss_value"] == pytest.approx(float((wrong**2).mean()))
    # All choices are as likely as before, so the policy's part is the mean of scaled advantages.
    assert metrics["loss_policy"] == pytest.approx(0, abs=1e-6)
    assert metrics["entropy_fraction"] == pytest.approx(1)
    c = PpoConfig()
    assert loss == pytest.approx(c.value_coef * float((wrong**2).mean()) - c.entropy_coef)


def test_a_policy_learns_from_clipped_ratios_and_scaled_advantages():
    """PPO's loss (Schulman and others 2017) in NumPy."""
    rng = np.random.default_rng(0)
    logits, advantages = rng.normal(size=(50, 3)), rng.normal(1.5, 4, 50)
    masks, actions = np.ones((50, 3)), rng.integers(0, 2, 50)
    masks[:20, 2] = 0
    before = np.log(rng.uniform(0.2, 0.6, 50))
    array = torch.from_numpy
    rollout = train_ppo.Rollout(
        observations=torch.zeros(50, 1),
        masks=array(masks) > 0,
        actions=array(actions),
        log_probs=array(before),
        values=torch.zeros(50),
        advantages=array(advantages),
        known=torch.arange(50),
    )
    _, metrics = train_ppo.ppo_loss(
        lambda _: (array(logits), torch.zeros(50)),
        rollout,
        torch.arange(50),
        torch.ones(1),
        PpoConfig(),
    )
    chances = np.exp(logits) * masks
    chances /= chances.sum(1, keepdims=True)
    ratio = chances[np.arange(50), actions] / np.exp(before)
    scaled = (advantages - advantages.mean()) / advantages.std(ddof=1)
    low, high = 1 - PpoConfig().clip_range, 1 + PpoConfig().clip_range
    gain = np.minimum(ratio * scaled, np.clip(ratio, low, high) * scaled)
    entropy = -(chances * np.log(np.where(chances > 0, chances, 1))).sum(1)
    expected = {
        "loss_policy": -gain.mean(),
        "entropy": entropy.mean(),
        "entropy_fraction": (entropy / np.log(masks.sum(1))).mean(),
        "approx_kl": (ratio - 1 - np.log(ratio)).mean(),
        "clip_fraction": ((ratio < low) | (ratio > high)).mean(),
    }
    assert {name: float(metrics[name]) for name in expected} == pytest.approx(expected, rel=1e-5)


def test_minibatches_are_of_the_size_that_the_configuration_says(monkeypatch):
    config = from_dict(PpoConfig, {"games": 10, "rollout": 20, "batch": 30, "epochs": 1})
    net, sizes = torch.nn.Linear(1, 1), []

    def loss_of(net, rollout, rows, scale, c):
        sizes.append(len(rows))
        return net(torch.ones(1, 1)).sum(), {}

    monkeypatch.setattr(train_ppo, "ppo_loss", loss_of)
    adam = torch.optim.Adam(net.parameters())
    fit(net, adam, SimpleNamespace(known=torch.arange(100)), None, config)
    assert sorted(sizes) == [33, 33, 34]
    with pytest.raises(ConfigError, match="less than two decisions whose returns are known"):
        fit(net, adam, SimpleNamespace(known=torch.arange(1)), None, config)


def test_a_round_learns_with_what_its_schedule_says(monkeypatch):
    seen = []

    def observed(net, optimizer, rollout, scale, c):
        seen.append((c.learning_rate, c.clip_range, c.entropy_coef))
        return fit(net, optimizer, rollout, scale, c)

    monkeypatch.setattr(train_ppo, "fit", observed)
    ends = {"learning_rate": (0.04, 0.02), "clip_range": (0.4, 0.1), "entropy_coef": (0.2, 0.0)}
    keys = {k: a for k, (a, _) in ends.items()} | {f"final_{k}": b for k, (_, b) in ends.items()}
    learner = PpoLearner(config(minutes=10, steps=10**9, **keys))
    for learner.seconds in (0, 300):
        learner.round()
    assert seen == [(0.04, 0.4, 0.2), pytest.approx((0.03, 0.25, 0.1))]


def test_an_earlier_self_that_plays_still_plays_after_a_resume():
    net, given = RowNet(16), played(**ROWS | {"width": 16})
    past = Snapshots(net, given)
    first = weights_of(net)
    torch.nn.init.constant_(net.score.weight, 3.0)
    past.take()
    past.pick(0.5)  # the older of two
    resumed = Snapshots(net, given)
    resumed.restore(past.arrays())
    assert set(resumed.arrays()) == set(past.arrays()), "no earlier self more, and none less"
    for one in (past, resumed):
        for name, array in weights_of(one.net).items():
            np.testing.assert_array_equal(array, first[name])


def test_earlier_selves_of_a_run_that_starts_from_a_checkpoint_are_of_the_checkpoint():
    net, given = RowNet(16), played(**ROWS | {"width": 16})
    past, started = Snapshots(net, given), RowNet(16)
    past.follow(started)
    for draw in (0.0, 0.5, 0.99):
        past.pick(draw)
        for name, array in weights_of(past.net).items():
            np.testing.assert_array_equal(array, weights_of(started)[name])


def test_nothing_is_learned_from_the_seats_of_earlier_selves():
    net = RowNet(16)
    _, known, numbers, seats = rollout_of_eight(net, SimpleNamespace(net=net), past_fraction=0.5)
    assert not known[(numbers >= 4) & (seats == numbers % 2)].any()
    assert known[numbers < 4].any()
