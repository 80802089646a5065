"""The engine and the reference rules side by side: same positions, same legal moves, same results.

``HYPOTHESIS_PROFILE=long`` plays 3,000 games a test instead of 60.
"""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cacao_env.record import check
from tests.adapter import EngineTable
from tests.reference.box import deal
from tests.reference.oracle import Oracle
from tests.reference.records import play_record
from tests.reference.styles import STYLES, choose_move

options = {
    "players": st.integers(2, 4),
    "volcanoes": st.booleans(),
    "style": st.sampled_from(STYLES),
    "whim": st.integers(0, 31),
    "seed": st.integers(0, 2**32),
}


def moves_agree(oracle: Oracle, engine: EngineTable) -> None:
    listed = engine.legal_moves()
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(oracle.legal_moves())


@given(**options)
def test_every_explicit_decision_is_the_same(players, volcanoes, style, whim, seed):
    rng = random.Random(seed)
    draws = deal(players, volcanoes, rng)
    oracle, engine = Oracle(players, volcanoes, *draws), EngineTable(players, volcanoes, *draws)
    while oracle.player is not None:
        assert engine.position() == oracle.position()
        assert engine.scores_if_ended_now() == oracle.scores_if_ended_now()
        moves_agree(oracle, engine)
        # Half of the actions at the edge of a rule: any move, not the style's.
        chooser = style if oracle.phase != "act" or rng.random() < 0.5 else "random"
        move = choose_move(oracle, chooser, rng, whim)
        oracle.play(move)
        engine.play(move)
    assert engine.position() == oracle.position()
    assert engine.result() == oracle.result()


@given(**options)
def test_an_auto_game_is_an_explicit_one_with_some_moves_made_by_itself(
    players, volcanoes, style, whim, seed
):
    rng = random.Random(seed)
    draws = deal(players, volcanoes, rng)
    oracle = Oracle(players, volcanoes, *draws)
    engine = EngineTable(players, volcanoes, *draws, decisions="auto")
    played = 0
    while engine.player is not None:
        # What the engine did by itself since the last decision must have been legal throughout.
        for seat, _, move in engine.game.elementary_moves()[played:]:
            assert oracle.player == seat
            oracle.play(move)
            played += 1
        assert engine.position() == oracle.position()
        moves_agree(oracle, engine)
        assert len(engine.legal_moves()) > 1
        engine.play(choose_move(oracle, style, rng, whim))
    for _, _, move in engine.game.elementary_moves()[played:]:
        oracle.play(move)
    assert engine.result() == oracle.result()


@given(**options)
def test_records_of_the_reference_hold_for_the_engine(players, volcanoes, style, whim, seed):
    """The other way round in test_record."""
    check(play_record(players, volcanoes, seed, style, with_legal=True))


@pytest.mark.parametrize(
    "file", sorted((Path(__file__).parent / "directed").glob("*.json")), ids=lambda file: file.stem
)
def test_games_steered_to_rare_events_are_the_same(file):
    """The last fields of the water by every route, overbuilding beside every kind of tile, ties at
    temples, three cells for the last tiles: random play seldom gets there."""
    record = json.loads(file.read_text(encoding="utf-8"))
    rules = record["rules"]
    deal = rules["num_players"], rules["volcanoes"], record["worker_draws"], record["jungle_draws"]
    oracle, engine = Oracle(*deal), EngineTable(*deal)
    for entry in record["moves"]:
        moves_agree(oracle, engine)
        move = tuple(tuple(one) if isinstance(one, list) else one for one in entry["move"])
        oracle.play(move)
        engine.play(move)
        assert engine.position() == oracle.position()
        assert engine.scores_if_ended_now() == oracle.scores_if_ended_now()
    assert engine.result() == oracle.result() == record["result"]
