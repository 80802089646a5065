"""Learning from a data set: what is learned is in the data, and a run resumes exactly."""

from contextlib import closing

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")
torch = pytest.importorskip("torch", reason="the training extra is not installed")

from cacao_env.engine.options import Options
from cacao_env.evaluation.make import Recipe, make
from cacao_env.registry import load_agent
from tests.metrics import documented, logged
from training.clone import CloneConfig, CloneLearner, ConfigError, Stream, games_of
from training.config import from_dict
from training.loop import Loop, resumed
from training.run_folder import read_metrics

TINY = {
    **{"observation": "candidates", "rows": 12, "replies": 0, "width": 16, "seed": 3},
    **{"games": 8, "rollout": 64, "batch": 64, "learning_rate": 0.01, "final_learning_rate": 0.01},
    **{"eval_games": 4, "eval_rounds": 2, "against": ["random"], "deals": 1, "minutes": 60.0},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "greedy"
    make(path, Recipe(("greedy",), Options(table_size=15), 24, 3), {"name": "greedy"})
    return str(path)


def learner(folder, **given):
    return CloneLearner(from_dict(CloneConfig, TINY | {"data": folder} | given))


def test_a_clone_chooses_as_the_players_did(folder):
    """Greedy's choice is the first row, which is learned within a few rounds."""
    with closing(learner(folder)) as cloning:
        agreed = []
        for _ in range(10):
            cloning.round()
            seen = next(cloning._items)
            logits = cloning.net(torch.from_numpy(seen.observations))[0].detach().numpy()
            found = np.where(seen.action_masks > 0, logits, -np.inf).argmax(1)
            agreed.append((found == seen.actions).mean())
        assert np.mean(agreed[-3:]) > 0.85 > agreed[0]


@pytest.mark.parametrize("method", ["clone", "weighted"])
def test_decisions_of_winners_count_more_if_they_are_weighted(folder, method):
    """One position in which a winner played the first row, and a loser the second."""
    with closing(learner(folder, method=method, temperature=1.0)) as cloning:
        seen = next(iter(cloning.games))
        one = np.flatnonzero(seen.action_masks[:, :3].all(1))[0]
        part = type(seen)(*(np.repeat(column[one : one + 1], 16, 0) for column in seen))
        winner = np.arange(16) < 8
        returns = np.where(winner, 1, -1).astype(np.float32)
        part = part._replace(actions=np.where(winner, 0, 1), returns=returns)
        for group in cloning.optimizer.param_groups:
            group["lr"] = 0.01
        for _ in range(300):
            cloning._learn(part)
        logits = cloning.net(torch.from_numpy(part.observations))[0][0].detach().numpy()
        # exp(return / temperature) of the winner is exp(2) times the loser's.
        assert logits[0] - logits[1] == pytest.approx(2 if method == "weighted" else 0, abs=0.3)


def test_the_weight_of_the_value_is_that_of_the_configuration(folder):
    slopes = []
    for value_coef in (0.5, 1.0):
        with closing(learner(folder, value_coef=value_coef)) as cloning:
            cloning._learn(next(iter(cloning.games)))
            slopes.append([one.grad for one in cloning.net.parameters()])
    doubled = [
        bool(half.any()) and torch.allclose(2 * half, one, 1e-4, 0) for half, one in zip(*slopes)
    ]
    assert any(doubled), "the value's own weights"
    assert not all(doubled)


def test_rows_without_a_choice_have_no_probability(folder):
    with closing(learner(folder, rows=200)) as cloning:
        seen = next(iter(cloning.games))
        choices = seen.action_masks.sum(1)
        few = choices.argmin()
        part = type(seen)(*(column[few : few + 1] for column in seen))
        assert choices[few] < 150
        assert 0 < cloning._learn(part)["entropy"] <= np.log(choices[few]) + 1e-6


def test_every_seed_and_every_epoch_has_an_order_of_its_own(folder):
    firsts = set()
    for seed in (3, 4):
        config = from_dict(CloneConfig, TINY | {"data": folder, "seed": seed})
        stream = Stream(games_of(config), config)
        firsts |= {next(stream._epoch(epoch)).observations.tobytes() for epoch in (0, 1)}
    assert len(firsts) == 4


def test_planes_are_learned_too(folder):
    given = {"observation": "flat", "table_size": 15, "rollout": 8}
    with closing(learner(folder, **given)) as cloning:
        first = cloning.round()["loss_policy"]
        for _ in range(10):
            last = cloning.round()["loss_policy"]
        assert last < first - 0.1


def test_a_stream_goes_on_where_it_was_and_shows_every_decision_once_an_epoch(folder):
    config = from_dict(CloneConfig, TINY | {"data": folder})
    games = games_of(config)
    whole, part = Stream(games, config), Stream(games, config)
    items, seen = iter(whole), []
    while whole.arrays()["place"][0] == 0:
        seen.append(next(items))
        if len(seen) == 3:
            part.restore(whole.arrays())
    again = iter(part)
    for item in seen[3:]:
        for one, other in zip(item, next(again), strict=True):
            np.testing.assert_array_equal(one, other)
    assert (seen[-1].games != seen[0].games).any()  # another order in the second epoch
    keys = [key for item in seen[:-1] for key in zip(item.games.tolist(), item.plies.tolist())]
    shown = sum(len(one.actions) for one in games.decisions(config.about.rows))
    assert len(keys) == len(set(keys)) == shown


def test_a_run_resumes_exactly_and_logs_what_the_page_says(folder, tmp_path):
    for name, steps in (("whole", 1024), ("part", 512)):
        with closing(learner(folder, steps=steps)) as cloning:
            assert (cloning.counts["decisions"], cloning.counts["gradient_steps"]) == (0, 0)
            assert Loop(cloning, tmp_path / name).run()
            counts = cloning.counts
    assert counts["gradient_steps"] > 0
    with closing(resumed(CloneLearner, tmp_path / "part", ["steps=1024"])) as cloning:
        assert Loop(cloning, tmp_path / "part").run()
    rows = [read_metrics(tmp_path / name) for name in ("whole", "part")]
    losses = [[row["loss_policy"] for row in some] for some in rows]
    assert losses[0] == losses[1]
    assert logged(rows[0]) == documented("C")
    one, other = (load_agent(str(tmp_path / name)) for name in ("whole", "part"))
    assert one.version == other.version


WRONG = [
    ({"method": "copy"}, "method is 'copy'"),
    ({"reward": "shaped"}, "reward is 'shaped'"),
    ({"num_players": 3}, "the configuration is for 3 players"),
    ({"decisions": "turn"}, "decisions 'turn'"),
    ({"observation": "flat", "table_size": 17}, "table size 15"),
    ({"epochs": 2}, "epochs has no effect in training.clone, leave it out"),
    ({"gamma": 0.5, "method": "weighted"}, "gamma has no effect"),
    ({"entropy_coef": 0.5}, "entropy_coef has no effect"),
]


@pytest.mark.parametrize(("given", "why"), WRONG)
def test_what_does_not_fit_is_refused(folder, given, why):
    with pytest.raises(ConfigError, match=why):
        learner(folder, **given)
