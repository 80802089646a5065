"""Move ordering of value networks: the table, the placements it puts first, learning it."""

import json

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.agents.value.checkpoint import CheckpointError, read_value, save_value
from cacao_env.agents.value.net import BY_GREEDY, BY_TABLE, from_params
from cacao_env.agents.value.ordering import (
    GOLD,
    ORDERING_SHAPE,
    OVERBUILDS,
    STAGE,
    order_into,
    ordering_table,
)
from cacao_env.agents.value.patterns import NUM_LETTERS
from cacao_env.engine.actions import MAX_LEGAL, indexed_cell
from cacao_env.engine.rng import new_rng
from cacao_env.engine.tiles import EDGES, NUM_VARIANTS, WORKER_KINDS
from cacao_env.greedy.choices import CHOICES
from tests.games import STYLES, positions
from tests.test_afterstate import SMALL
from training.distil_ordering import fit, hits, main, play_positions
from training.loop import resumed
from training.train_afterstate import AfterstateLearner
from training.train_afterstate import main as train
from training.values.net import ValueNet


def some_ordering(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(ORDERING_SHAPE).astype(np.float32)


def placements(seed: int, players: int = 2, style: str = "overbuild"):
    """Games at decisions on placements."""
    game = Game.new(players, seed, volcanoes=players == 3)
    for _ in positions(game, np.random.default_rng(seed), STYLES[style]):
        if not game.over and game.phase == "place":
            yield game


def word_of(letters: list[int]) -> int:
    return int(np.array(letters) @ NUM_LETTERS ** np.arange(3, -1, -1))


def test_turned_and_mirrored_placements_get_the_same_number():
    table = ordering_table(some_ordering())
    edges = [tuple(row) for row in EDGES.tolist()]
    rng = np.random.default_rng(2)
    for _ in range(100):
        letters = rng.integers(0, NUM_LETTERS, 4).tolist()
        variant = int(rng.integers(NUM_VARIANTS))
        for start in range(4):
            for step in (1, -1):
                order = [(start + step * side) % 4 for side in range(4)]
                turned = edges.index(tuple(edges[variant][side] for side in order))
                word = word_of([letters[side] for side in order])
                assert np.allclose(
                    table[:, word, turned], table[:, word_of(letters), variant], atol=1e-4
                )


def test_numbers_put_placements_first():
    """Each number has an effect at its own stage alone: of a part, and of overbuilding."""
    choices, ids = np.empty(1, CHOICES), np.empty(MAX_LEGAL, np.int64)
    overbuilt = 0
    for game in placements(6):
        state = game.states[0]
        stage = int(STAGE[int(state.tiles_each) - int(state.placed[int(state.seat)])])
        for column, sign in ((OVERBUILDS, 1), (OVERBUILDS, -1)):
            numbers = np.zeros(ORDERING_SHAPE, np.float32)
            numbers[stage, column] = sign
            table, weights = ordering_table(numbers), numbers[:, OVERBUILDS:].copy()
            count = int(order_into(table, weights, choices[0], state, MAX_LEGAL, ids))
            cells = [int(indexed_cell(state, i // NUM_VARIANTS)) for i in ids[:count]]
            covers = [state.board[cell] > 0 for cell in cells]
            assert covers == sorted(covers, reverse=sign > 0)
            assert sorted(ids[:count].tolist()) == sorted(game.legal_actions().tolist())
            overbuilt += sum(covers)
        numbers = np.zeros(ORDERING_SHAPE, np.float32)
        # Whatever lies there, two workers on a side come first, at this stage only.
        numbers[stage, np.arange(NUM_LETTERS) * 4 + 2] = 1
        table = ordering_table(numbers)
        assert not table[np.arange(len(table)) != stage].any()
        order_into(table, numbers[:, OVERBUILDS:].copy(), choices[0], state, 1, ids)
        kinds = {WORKER_KINDS[k] for k in np.flatnonzero(state.hand[int(state.seat)])}
        if "2101" in kinds:
            assert 2 in EDGES[int(ids[0]) % NUM_VARIANTS]
    assert overbuilt > 0


# --- Learning it ----------------------------------------------------------------------------


@pytest.fixture
def checkpoint(tiny):
    return tiny("afterstate").folder


def test_the_command_writes_a_network_that_orders_its_moves(
    checkpoint, tmp_path, capsys, monkeypatch
):
    out = tmp_path / "ordered"
    small = ["--positions", "60", "--steps", "20"]
    assert main([str(checkpoint), "--out", str(out), *small]) == 0
    assert "| 1 to 2 | ordering |" in capsys.readouterr().out
    before, _, _ = read_value(checkpoint)
    after, _, manifest = read_value(out)
    ordering = after.pop("ordering")
    assert ordering.shape == ORDERING_SHAPE
    assert np.abs(ordering[:, :GOLD]).max() > 0.1
    assert all((before[name] == array).all() for name, array in after.items())
    assert manifest["training"]["ordering"] == {"positions": 60, "steps": 20, "seed": 0}
    net = from_params(*read_value(out)[:2])
    assert (net.top, net.inner) == BY_TABLE
    assert (net.ordering == ordering_table(ordering)).all()
    plain = from_params(*read_value(checkpoint)[:2])
    assert (plain.top, plain.inner) == BY_GREEDY
    assert not len(plain.ordering)
    game = Game.new(seed=3)
    ids, _ = ValueAgent(net).evaluate(game.states, new_rng(0))
    assert len(ids) == BY_TABLE[0]
    monkeypatch.setattr("training.distil_ordering.play_positions", None)  # refused before work
    for arguments, words in (
        ([str(tmp_path / "none"), "--out", str(out)], "there is no such checkpoint"),
        ([str(checkpoint), "--out", str(out), "--steps", "0"], "--steps is 0, expected at least 1"),
        ([str(checkpoint), "--out", str(out)], f"{out} has a checkpoint already"),
        ([str(checkpoint), "--out", str(tmp_path / ("x" * 101))], "expected text of 1 to 100"),
    ):
        assert main(arguments) == 1
        assert words in capsys.readouterr().err


def test_an_ordering_of_another_shape_is_refused(checkpoint, tmp_path):
    params, layout, manifest = read_value(checkpoint)
    params["ordering"] = np.zeros((2, 5), np.float32)
    save_value(tmp_path, "wrong", params, manifest["rules"], layout)
    with pytest.raises(CheckpointError, match="its arrays are not those of such a network"):
        read_value(tmp_path)


def test_an_ordering_is_learnt_from_the_games_that_the_network_plays(monkeypatch):
    played = []

    def collected(net, scratch, work, options, rng, found, done, wanted):
        played.append((int(options[0].num_players), bool(options[0].volcanoes), wanted - done))
        return wanted

    monkeypatch.setattr("training.distil_ordering.collect", collected)
    rules = {"players": [3, 4], "volcanoes": False}
    play_positions(ValueNet(8, 4, 4).compiled(), rules, 100, 0)
    assert played == [(3, False, 50), (4, False, 50)]


def test_an_ordering_learns_what_decides():
    """In place of a network's values those of another ordering, of what lies on the sides."""
    every = {"players": [2, 3, 4], "volcanoes": True}
    found = play_positions(ValueNet(8, 4, 4).compiled(), every, 400, 0)
    assert len(found.first) == 400
    assert (found.count > 1).all()
    assert set(found.stage) == set(range(ORDERING_SHAPE[0]))
    hidden = np.zeros(ORDERING_SHAPE, np.float32)
    hidden[:, : NUM_LETTERS * 4] = some_ordering(3)[:, : NUM_LETTERS * 4]
    table = ordering_table(hidden)
    for first, count, stage in zip(found.first, found.count, found.stage, strict=True):
        rows = slice(first, first + count)
        found.values[rows] = 0.05 * table[stage, found.words[rows], found.variants[rows]]
    shares = hits(found, fit(found, 200, 0)).mean(0)
    assert shares[1, 1] > 0.8 > 0.5 > shares[0, 1]


def test_a_run_keeps_the_ordering_that_it_started_with(checkpoint, tmp_path):
    first = tmp_path / "first"
    assert main([str(checkpoint), "--out", str(first), "--positions", "40", "--steps", "5"]) == 0
    given = read_value(first)[0]["ordering"]
    changes = SMALL | {"start": str(first), "rounds": 1, "greedy_rounds": 0}
    config = tmp_path / "next.toml"
    config.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in changes.items()))
    arguments = ["--config", str(config), "--set", 'against=["random"]']
    assert train([*arguments, "--out", str(tmp_path / "second")]) == 0
    assert (read_value(tmp_path / "second")[0]["ordering"] == given).all()
    run = resumed(AfterstateLearner, tmp_path / "second")
    assert (run.ordering["ordering"] == given).all()
    run.close()
