"""Move ordering of value networks: the table, the placements it puts first, networks that have one."""

import json

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.agents.value.checkpoint import read_value, save_value
from cacao_env.agents.value.net import BY_GREEDY, BY_TABLE, from_params
from cacao_env.agents.value.ordering import (
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
from training.loop import resumed
from training.train_afterstate import AfterstateLearner
from training.train_afterstate import main as train


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
                same = table[:, word_of(letters), variant]
                assert np.allclose(table[:, word, turned], same, atol=1e-4)


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


# --- Networks with an ordering --------------------------------------------------------------


@pytest.fixture
def ordered(tiny, tmp_path):
    """The folder of a network with an ordering."""
    params, manifest = read_value(tiny("afterstate").folder)
    params["ordering"] = some_ordering()
    save_value(tmp_path / "first", "first", params, manifest["rules"])
    return tmp_path / "first"


def test_a_network_orders_its_moves_if_it_has_a_table(ordered, tiny):
    net = from_params(read_value(ordered)[0])
    assert (net.top, net.inner) == BY_TABLE
    assert (net.ordering == ordering_table(some_ordering())).all()
    plain = from_params(read_value(tiny("afterstate").folder)[0])
    assert (plain.top, plain.inner) == BY_GREEDY
    assert not len(plain.ordering)
    ids, _ = ValueAgent(net).evaluate(Game.new(seed=3).states, new_rng(0))
    assert len(ids) == BY_TABLE[0]


def test_a_run_keeps_the_ordering_that_it_started_with(ordered, tmp_path):
    changes = SMALL | {"start": str(ordered), "rounds": 1, "greedy_rounds": 0}
    config = tmp_path / "next.toml"
    config.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in changes.items()))
    arguments = ["--config", str(config), "--set", 'against=["random"]']
    assert train([*arguments, "--out", str(tmp_path / "second")]) == 0
    assert (read_value(tmp_path / "second")[0]["ordering"] == some_ordering()).all()
    run = resumed(AfterstateLearner, tmp_path / "second")
    assert (run.ordering["ordering"] == some_ordering()).all()
    run.close()
