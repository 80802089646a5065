"""Games steered to rare events: the engine, the reference and what the rules say by hand agree."""

from __future__ import annotations

import json
from functools import cache

import pytest

from cacao_env.record import check
from tests.adapter import EngineTable
from tests.directed.events import acts, covers_at_temples, temples, triples
from tests.directed.expected import ACTS, COVERS, FILLS, TEMPLES
from tests.directed.regenerate import FOLDER, KINDS
from tests.reference.oracle import Oracle
from tests.reference.records import check_record
from tests.rules.scenario import beside
from tests.test_against_reference import moves_agree

NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


@cache
def record_named(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@cache
def replay(name):
    """Positions, scores and numbers of legal moves, before each move and at the end; the moves."""
    record = record_named(name)
    rules = record["rules"]
    deal = (
        rules["num_players"],
        rules["volcanoes"],
        record["worker_draws"],
        record["jungle_draws"],
    )
    oracle, engine = Oracle(*deal), EngineTable(*deal)
    told, moves = [(engine.position(), engine.scores_if_ended_now(), len(engine.legal_moves()))], []
    for entry in record["moves"]:
        moves_agree(oracle, engine)
        moves.append(tuple(tuple(one) if isinstance(one, list) else one for one in entry["move"]))
        oracle.play(moves[-1])
        engine.play(moves[-1])
        told.append((engine.position(), engine.scores_if_ended_now(), len(engine.legal_moves())))
        assert told[-1][:2] == (oracle.position(), oracle.scores_if_ended_now())
    assert engine.result() == oracle.result()
    return (*zip(*told, strict=True), moves)


@pytest.mark.parametrize("name", NAMES)
def test_a_directed_game_holds_here_and_for_the_reference(name):
    check(record_named(name))
    check_record(record_named(name))
    replay(name)


def test_every_directed_game_has_an_expectation_and_every_event_a_row():
    assert set(NAMES) == {*ACTS, *FILLS, *COVERS, *TEMPLES}
    rows = [act for named in ACTS.values() for act in named]
    short = {4: 3, 7: 2, 11: 1}  # fields before the last one
    last = [act for act in rows if act.kind == "water" and act.before[3] in short]
    exact = {(act.route, act.workers) for act in last if act.workers == short[act.before[3]]}
    assert exact >= {(route, n) for route in ("own", "laid", "other") for n in (1, 2, 3)}
    beyond = {act.route for act in last if act.workers > short[act.before[3]]}
    assert beyond >= {"own", "laid", "other"}
    changed = {act.kind for act in rows if act.route == "over" and act.before != act.after}
    assert changed == KINDS - {"temple"} | {"mine1", "mine2", "volcano+2", "volcano-1"}


@pytest.mark.parametrize("name", ACTS)
def test_an_action_changes_what_the_rules_say(name):
    positions, _, _, moves = replay(name)
    found = {act.number: act for act in acts(positions, moves)}
    assert [found.get(act.number) for act in ACTS[name]] == ACTS[name]


@pytest.mark.parametrize("name", FILLS)
def test_three_cells_get_the_last_tiles_and_the_others_stay_empty(name):
    positions, _, legal, moves = replay(name)
    number, cells, choices, empty = FILLS[name]
    assert (number, cells, len(choices)) in triples(positions, moves)
    after = number + 1 + len(choices)
    assert list(legal[number + 1 : after]) == choices
    assert {move[3] for move in moves[number + 1 : after]} == set(cells) - empty
    assert all(move[0] != "fill" for move in moves[after:])
    assert (positions[after]["display"], positions[after]["jungle_pile"]) == ([], [])
    assert not empty & set(positions[-1]["jungle"])
    later = [move[3] for move in moves[after:] if move[0] == "place"]
    assert not empty or any(set(beside(cell)) & empty for cell in later)  # a third tile beside one


@pytest.mark.parametrize("name", COVERS)
def test_overbuilding_changes_the_workers_at_a_temple(name):
    positions, scores, _, moves = replay(name)
    expected = {number: row for number, *row in COVERS[name]}
    for number, temple, before, after in covers_at_temples(positions, moves):
        assert [temple, before, after] == expected[number][:3]
        gold = [scores[n]["temples"] for n in (number, number + 1)]
        assert tuple(b - a for a, b in zip(*gold, strict=True)) == expected.pop(number)[3]
    assert not expected


@pytest.mark.parametrize("name", TEMPLES)
def test_ties_at_temples_are_shared_in_the_final_scores(name):
    positions, scores, _, moves = replay(name)
    expected, (gold, prizes, sun, water, total) = TEMPLES[name]
    assert any(act.kind.startswith("volcano") for act in acts(positions, moves))
    assert temples(positions[-1]) == {temple: workers for temple, (workers, _) in expected.items()}
    assert tuple(map(sum, zip(*(paid for _, paid in expected.values()), strict=True))) == prizes
    fields = {"gold": gold, "temples": prizes, "sun": sun, "water": water, "scores": total}
    assert {field: tuple(scores[-1][field]) for field in fields} == fields
