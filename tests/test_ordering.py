"""Move ordering of value networks: the table, the placements it puts first, learning it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.greedy import greedy_action
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.agents.value.checkpoint import CheckpointError, load_value, read_value
from cacao_env.agents.value.net import BY_GREEDY, BY_TABLE
from cacao_env.agents.value.ordering import (
    GOLD,
    ORDERING_SHAPE,
    OVERBUILDS,
    STAGE,
    order_into,
    ordering_table,
    word_after,
)
from cacao_env.agents.value.patterns import BESIDE, EMPTY, LETTER, NUM_LETTERS
from cacao_env.engine.actions import MAX_LEGAL, indexed_cell
from cacao_env.engine.geometry import NEIGHBOR
from cacao_env.engine.rng import new_rng
from cacao_env.engine.tiles import EDGES, NUM_VARIANTS, WORKER_KINDS
from cacao_env.greedy.choices import (
    CHOICES,
    GREEDY_WEIGHTS,
    best_into,
    score_placements,
    tiles_shown,
)
from tests.games import STYLES, positions
from tests.test_afterstate import SMALL, run_for
from training.distil_ordering import fit, hits, main, placement_parts, play_positions
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


def letters_of(game: Game, cell: int) -> list[int]:
    codes = [int(game.state.board[NEIGHBOR[cell, side]]) for side in range(4)]
    return [
        LETTER[side, code] if code > 0 else BESIDE if code == -1 else EMPTY
        for side, code in enumerate(codes)
    ]


def word_of(letters: list[int]) -> int:
    return int(np.array(letters) @ NUM_LETTERS ** np.arange(3, -1, -1))


def test_a_row_of_the_table_is_the_sum_of_its_parts():
    ordering = some_ordering()
    table, parts = ordering_table(ordering), placement_parts()
    assert table.shape == (ORDERING_SHAPE[0], NUM_LETTERS**4, NUM_VARIANTS)
    rng = np.random.default_rng(1)
    for _ in range(50):
        stage, word, variant = (rng.integers(n) for n in table.shape)
        assert table[stage, word, variant] == pytest.approx(
            sum(float(ordering[stage, part]) for part in parts[word, variant]), abs=1e-4
        )
    assert parts.max() < OVERBUILDS
    assert len(np.unique(parts)) > 1000


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


def test_opposite_sides_count_otherwise_than_adjacent_ones():
    table = ordering_table(some_ordering())[:, :, EDGES.tolist().index([1, 1, 1, 1])]
    around, across = word_of([1, 2, 3, 4]), word_of([1, 3, 2, 4])
    assert not np.isclose(table[:, around], table[:, across]).any()


@pytest.mark.parametrize("players", [2, 3])
def test_words_are_those_after_greedys_fills(players):
    choices, seen = np.empty(1, CHOICES), 0
    for seed in range(3):
        for game in placements(seed, players):
            state = game.states[0]
            score_placements(choices[0], state, GREEDY_WEIGHTS, True)
            tiles = tiles_shown(state)
            for i in range(0, int(choices[0].count), 7):
                ways = int(choices[0].ways[i])
                place = int(choices[0].ids[i])
                cell = int(indexed_cell(state, place // NUM_VARIANTS))
                word = word_after(state, cell, ways, tiles)
                if bin(ways).count("1") > 1:
                    continue  # greedy may choose another one of equal ways
                after = game.clone()
                after.play(place)
                while not after.over and after.phase == "fill" and after.seat == game.seat:
                    after.play(int(greedy_action(after.states, new_rng(0))))
                # Jungle cells get their BESIDE from the tile itself, which is not there before.
                now = [
                    EMPTY if code == BESIDE else code
                    for code in np.unravel_index(word, (NUM_LETTERS,) * 4)
                ]
                then = [EMPTY if code == BESIDE else code for code in letters_of(after, cell)]
                assert [int(code) for code in now] == [int(code) for code in then]
                seen += len([code for code in now if code > BESIDE])
    assert seen > 300


def test_without_numbers_greedys_values_order():
    plain = np.zeros(ORDERING_SHAPE, np.float32)
    plain[:, GOLD] = 1
    choices, ids, greedys = (
        np.empty(1, CHOICES),
        np.empty(MAX_LEGAL, np.int64),
        np.empty(9, np.int64),
    )
    table, weights = ordering_table(plain), plain[:, OVERBUILDS:].copy()
    for game in placements(5):
        count = best_into(choices[0], game.states[0], 9, greedys)
        assert order_into(table, weights, choices[0], game.states[0], 9, ids) == count
        assert ids[:count].tolist() == greedys[:count].tolist()


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
            covers = [
                state.board[int(indexed_cell(state, i // NUM_VARIANTS))] > 0 for i in ids[:count]
            ]
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


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("net")
    run_for(folder, 2)
    return folder


def test_the_command_writes_a_network_that_orders_its_moves(checkpoint, tmp_path, capsys):
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
    net, _ = load_value(out)
    assert (net.top, net.inner) == BY_TABLE
    assert (net.ordering == ordering_table(ordering)).all()
    plain, _ = load_value(checkpoint)
    assert (plain.top, plain.inner) == BY_GREEDY
    assert not len(plain.ordering)
    game = Game.new(seed=3)
    ids, _ = ValueAgent(net).evaluate(game.states, new_rng(0))
    assert len(ids) == BY_TABLE.top
    for arguments, words in (
        ([str(tmp_path / "none"), "--out", str(out)], "there is no such checkpoint"),
        ([str(checkpoint), "--out", str(out), "--steps", "0"], "--steps is 0, expected at least 1"),
    ):
        assert main(arguments) == 1
        assert words in capsys.readouterr().err


def test_an_ordering_of_another_shape_is_refused(checkpoint, tmp_path):
    from cacao_env.agents.value.checkpoint import save_value

    params, layout, manifest = read_value(checkpoint)
    params["ordering"] = np.zeros((2, 5), np.float32)
    save_value(tmp_path, "wrong", params, manifest["rules"], layout)
    with pytest.raises(CheckpointError, match="its arrays are not those of such a network"):
        load_value(tmp_path)


def test_an_ordering_learns_what_decides():
    """In place of a network's values those of another ordering, of what lies on the sides."""
    found = play_positions(ValueNet(8, 4, 4).compiled(), 400, 0)
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
