"""The engine and the reference rules side by side: same positions, same legal moves, same results.

``HYPOTHESIS_PROFILE=long`` plays 3,000 games a test, ``--slow`` 60, and otherwise 20 are played.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cacao_env import Game
from tests.adapter import EngineTable
from tests.games import STYLES, play_random
from tests.reference.oracle import Oracle
from tests.reference.records import as_move
from tests.rules.scenario import RING, RING_LAST
from tests.tiers import mostly_slow


def ring(game: Game, rng: np.random.Generator) -> int:
    """Place in a ring, whose last tile fills three cells at once, and then anywhere."""
    legal = [(game.move(int(action)), action) for action in game.legal_actions()]
    for cell in (*RING, RING_LAST):
        if here := [action for move, action in legal if (move[0], move[3]) == ("place", cell)]:
            return int(rng.choice(here))
    return play_random(game, rng)


options = {
    "players": st.integers(2, 4),
    "volcanoes": st.booleans(),
    "style": st.sampled_from([*STYLES.values(), ring]),
    "seed": st.integers(0, 2**32),
}


def assert_same(engine: EngineTable, oracle: Oracle) -> None:
    assert engine.position() == oracle.position()
    assert engine.scores_if_ended_now() == oracle.scores_if_ended_now()
    assert sorted(engine.legal_moves()) == sorted(oracle.legal_moves())


@given(**options)
def test_every_explicit_decision_is_the_same(players, volcanoes, style, seed):
    game = Game.new(players, seed, volcanoes=volcanoes, decisions="explicit")
    oracle, engine = Oracle(players, volcanoes, *game.draws), EngineTable.of(game)
    rng = np.random.default_rng(seed)
    while oracle.player is not None:
        assert_same(engine, oracle)
        move = game.move(style(game, rng))
        oracle.play(move)
        engine.play(move)
    assert_same(engine, oracle)
    assert engine.result() == oracle.result()


@given(**options)
def test_an_auto_game_is_an_explicit_one_with_some_moves_made_by_itself(
    players, volcanoes, style, seed
):
    game = Game.new(players, seed, volcanoes=volcanoes)
    oracle, engine = Oracle(players, volcanoes, *game.draws), EngineTable.of(game)
    rng, played = np.random.default_rng(seed), 0
    while engine.player is not None:
        # What the engine did by itself since the last decision must have been legal throughout.
        for seat, _, move in game.elementary_moves()[played:]:
            assert oracle.player == seat
            oracle.play(move)
            played += 1
        assert_same(engine, oracle)
        assert len(engine.legal_moves()) > 1
        game.play(style(game, rng))
    for _, _, move in game.elementary_moves()[played:]:
        oracle.play(move)
    assert engine.result() == oracle.result()


DIRECTED = sorted((Path(__file__).parent / "directed").glob("*.json"))


@pytest.mark.parametrize(
    "file", mostly_slow(DIRECTED, fast=range(0, len(DIRECTED), 3)), ids=lambda file: file.stem
)
def test_games_steered_to_rare_events_are_the_same(file):
    """The last fields of the water by every route, overbuilding beside every kind of tile, ties at
    temples, three cells for the last tiles: random play seldom gets there."""
    record = json.loads(file.read_text(encoding="utf-8"))
    rules = record["rules"]
    deal = rules["num_players"], rules["volcanoes"], record["worker_draws"], record["jungle_draws"]
    oracle, engine = Oracle(*deal), EngineTable(*deal)
    for entry in record["moves"]:
        oracle.play(as_move(entry["move"]))
        engine.play(as_move(entry["move"]))
        assert_same(engine, oracle)
    assert engine.result() == oracle.result() == record["result"]
